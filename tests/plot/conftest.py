"""A result whose every number is known, and a slider-crank that ran."""

import numpy as np
import pytest

import carom as cm
from carom.result import BodyInfo, ElementInfo, Energy, Outcome, Result


def thrown(t, **changes) -> Result:
    """A ball thrown with (3, 4) m/s and a ball at rest, with a joint and a driver of known signals."""
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


@pytest.fixture
def make_thrown():
    return thrown


@pytest.fixture
def throw():
    """The throw at nine times."""
    return thrown(np.linspace(0.0, 1.0, 9))


@pytest.fixture(scope="module")
def slider_crank():
    """(system, result) of a slider-crank, 0.153 m and 0.306 m long, over more than a turn."""
    system = cm.System(gravity=(0.0, -9.81), name="slider-crank")
    crank = system.add(cm.Body("crank", 0.038, 7.4e-5, position=(0.0765, 0.0), angular_velocity=150.0))
    rod = system.add(cm.Body("rod", 0.076, 5.9e-5, position=(0.306, 0.0)))
    slider = system.add(cm.Body("slider", 0.038, 1.8e-6, position=(0.459, 0.0)))
    system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0)))
    system.add(cm.Revolute(crank, rod, at=(0.153, 0.0)))
    system.add(cm.Revolute(rod, slider, at=(0.459, 0.0)))
    system.add(cm.Prismatic(system.ground, slider, axis=(1.0, 0.0)))
    system.assemble(keep=[(crank, "angular_velocity")])
    return system, cm.simulate(system, t_end=0.07)


@pytest.fixture(scope="module")
def spheres():
    """Runs of two equal spheres that meet at 0.3 m/s, elastic and damped, by name."""
    laws = {
        "Hertz": cm.laws.Hertz(stiffness=5.5e9),
        "Hunt–Crossley": cm.laws.HuntCrossley(stiffness=5.5e9, restitution=0.8),
    }
    runs = {}
    for name, law in laws.items():
        system = cm.System(name="two spheres")
        left = system.add(cm.Body("left", 0.092, 1.5e-5, position=(-0.021, 0.0), velocity=(0.15, 0.0)))
        right = system.add(cm.Body("right", 0.092, 1.5e-5, position=(0.021, 0.0), velocity=(-0.15, 0.0)))
        system.add(cm.Contact(cm.Sphere(left, 0.02), cm.Sphere(right, 0.02), law=law, name="touch"))
        runs[name] = cm.simulate(system, t_end=0.0075)
    return runs


@pytest.fixture(scope="module")
def bouncing():
    """(system, result) of a ball that falls on a plane and bounces, three times in all."""
    system = cm.System(gravity=(0.0, -9.81), name="bouncing ball")
    ball = system.add(cm.Body("ball", 1.0, 0.004, position=(0.0, 0.3), velocity=(0.2, 0.0)))
    law = cm.laws.HuntCrossley(stiffness=1e8, restitution=0.8)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law=law, name="floor"))
    return system, cm.simulate(system, t_end=1.0)
