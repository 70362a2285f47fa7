"""Run with known numbers: a thrown, rotating body and a body at rest."""

from collections.abc import Callable

import numpy as np
import pytest

from carom.result import BodyInfo, ElementInfo, Energy, Outcome, Result

GRAVITY = 9.81
MASS = 2.0
SPEED = (3.0, 4.0)
SPIN = 5.0
INERTIA = 0.1


def thrown_body(t: np.ndarray, /, **changes: object) -> Result:
    """Return a run of a thrown body (SPEED, SPIN), a body at rest at (1, 2), and a joint with known signals."""
    still = np.zeros_like(t)
    q = np.column_stack([SPEED[0] * t, SPEED[1] * t - GRAVITY * t**2 / 2, SPIN * t, still + 1.0, still + 2.0, still])
    v = np.column_stack([still + SPEED[0], SPEED[1] - GRAVITY * t, still + SPIN, still, still, still])
    a = np.column_stack([still, still - GRAVITY, still, still, still, still])
    kinetic = MASS * (v[:, 0] ** 2 + v[:, 1] ** 2) / 2 + INERTIA * SPIN**2 / 2
    parts: dict[str, object] = {
        "name": "throw",
        "dim": 2,
        "t": t,
        "q": q,
        "v": v,
        "a": a,
        "signals": np.column_stack([3.0 * t, 4.0 * t, t**2]),
        "ledger": Energy(kinetic, MASS * GRAVITY * q[:, 1], still, still, still, still, still),
        "bodies": (BodyInfo("ball", MASS, INERTIA), BodyInfo("anvil", 7.0, 1.0)),
        "elements": (
            ElementInfo("pivot", "Revolute", "joint", ("ball", "anvil"), ("fx", "fy"), ("N", "N"), (0, 2)),
            ElementInfo("motor", "Drive", "driver", ("anvil",), ("force",), ("N",), (2, 3)),
        ),
        "stats": {"steps": 120, "rejected": 7, "evaluations": 841, "wall_time": 0.0031},
        "outcome": Outcome.FINISHED,
        "message": "The run reached its end at t = 1 s.",
        "settings": {"rtol": 1e-8},
    }
    return Result(**{**parts, **changes})  # type: ignore[arg-type]


@pytest.fixture
def throw() -> Result:
    """Return the thrown body at eleven non-uniform times from 0 to 1 s."""
    return thrown_body(np.linspace(0.0, 1.0, 11) ** 1.5)


@pytest.fixture
def make_throw() -> Callable[..., Result]:
    """Return the function `thrown_body`, for tests with other times or invalid arguments."""
    return thrown_body
