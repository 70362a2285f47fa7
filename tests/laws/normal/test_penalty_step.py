"""The penalty force with damping switched on over a depth."""

import numpy as np
import pytest

from carom.errors import ModelError
from carom.laws import PenaltyStep
from carom.laws.normal.free_impact import free_impact
from laws.cases import normal_out

LAW = PenaltyStep(1e8, 1.5, damping=500.0, depth=1e-4)


def test_the_force_is_the_published_one():
    for depth, share in ((2.5e-5, 0.15625), (5e-5, 0.5), (1e-4, 1.0), (3e-4, 1.0)):  # 3s² − 2s³
        expected = 1e8 * depth**1.5 + share * 500.0 * 0.2
        assert LAW.force(depth, 0.2) == pytest.approx(expected, rel=1e-13)


def test_the_damping_fades_faster_than_the_spring_at_the_surface():
    out = normal_out(LAW, 1e-12, -0.3)
    assert out.force_sign == pytest.approx(1.0, abs=1e-3)
    assert out.force > 0.0
    assert normal_out(LAW, 5e-5, -0.3).force < 0.0


def runge_kutta(mass: float, speed: float, step: float) -> float:
    """Restitution by fixed steps far below the 1e-5 s for which the force returns before separation."""
    x, v = 0.0, speed

    def acceleration(x: float, v: float) -> float:
        if x <= 0.0:
            return 0.0
        s = min(x / 1e-4, 1.0)
        return -max(1e8 * x**1.5 + 500.0 * s * s * (3.0 - 2.0 * s) * v, 0.0) / mass

    while x >= 0.0:
        a1 = acceleration(x, v)
        v2 = v + 0.5 * step * a1
        a2 = acceleration(x + 0.5 * step * v, v2)
        v3 = v + 0.5 * step * a2
        a3 = acceleration(x + 0.5 * step * v2, v3)
        v4 = v + step * a3
        a4 = acceleration(x + step * v3, v4)
        x += step / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
        v += step / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    return -v / speed


@pytest.mark.parametrize(("mass", "speed"), [(0.046, 0.3), (0.9, 0.5), (0.046, 2.0)])
def test_the_clamped_force_that_returns_is_not_stepped_over(mass: float, speed: float):
    found = LAW.returned_restitution(speed, mass)
    assert found == pytest.approx(runge_kutta(mass, speed, 1e-7), rel=1e-6)


def test_the_force_vanishes_and_returns_before_separation():
    loop = free_impact(LAW, 0.046, 2.0)
    gaps = np.diff(loop.indentation)[np.diff(loop.t) > 0.0]
    assert gaps.min() < -1e-6  # a flight without force, still indented
    assert loop.force[-50:].max() > 0.0
    assert loop.indentation[-1] == pytest.approx(0.0, abs=1e-15)


def test_the_returned_restitution_depends_on_mass_and_speed():
    assert LAW.returned_restitution(0.3, 0.046) != pytest.approx(LAW.returned_restitution(0.6, 0.046), abs=1e-3)
    with pytest.raises(ModelError, match=r"depends on approach_speed \[m/s\] and mass \[kg\]; set both"):
        LAW.returned_restitution()


def test_without_damping_everything_comes_back():
    assert PenaltyStep(1e8, damping=0.0, depth=1e-4).returned_restitution(1.0, 1.0) == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"damping": -1.0}, "damping must be positive or zero, got -1"),
        ({"depth": 0.0}, "depth must be positive, got 0"),
    ],
)
def test_invalid_parameters_raise(changes, message):
    with pytest.raises(ModelError, match=f"PenaltyStep: {message}"):
        PenaltyStep(1e8, **{"damping": 1.0, "depth": 1e-4, **changes})
