"""Results with known values, for tests of figures and curves."""

import numpy as np

from carom.result import BodyInfo, ElementInfo, Energy, Outcome, Result


def thrown(t, **changes) -> Result:
    """Return a sphere thrown with (3, 4) m/s and a body at rest, with a joint and a driver of known signals."""
    t = np.asarray(t, float)
    still = np.zeros_like(t)
    q = np.column_stack([3.0 * t, 4.0 * t - 4.905 * t**2, 5.0 * t, still + 1.0, still + 2.0, still])
    v = np.column_stack([still + 3.0, 4.0 - 9.81 * t, still + 5.0, still, still, still])
    a = np.column_stack([still, still - 9.81, still, still, still, still])
    parts = {
        "name": "throw", "dim": 2, "t": t, "q": q, "v": v, "a": a,
        "signals": np.column_stack([3.0 * t, 4.0 * t, 1e6 * t]),
        "ledger": Energy((v[:, 0] ** 2 + v[:, 1] ** 2) / 2, 9.81 * q[:, 1], still, still, still, still, still),
        "bodies": (BodyInfo("ball", 1.0, 0.1), BodyInfo("anvil", 7.0, 1.0)),
        "elements": (
            ElementInfo("pin 1.a", "Revolute", "joint", ("ball", "anvil"), ("fx", "fy"), ("N", "N"), (0, 2)),
            ElementInfo("motor", "Driver", "driver", ("anvil",), ("power",), ("W",), (2, 3)),
        ),
        "stats": {}, "outcome": Outcome.FINISHED, "message": "The run reached its end.", "settings": {},
    }  # fmt: skip
    return Result(**{**parts, **changes})
