"""A pendulum that hits a wall at its lowest point, against one angle in long double."""

from __future__ import annotations

import math

import numpy as np
import pytest

from carom.gallery import pendulum_wall
from physics.reference import pendulum_wall as reference

IMPACT = ("t_start", "t_end", "approach_speed", "separation_speed", "peak_force", "max_indentation")

pytestmark = pytest.mark.filterwarnings("ignore:.*outside the range:carom.CaromWarning")


@pytest.mark.parametrize("restitution", [0.3, 0.7, 0.9, 1.0])
def test_impact_and_end(restitution):
    result, expected = pendulum_wall(restitution).run(), reference.solve(restitution)
    assert len(result.impacts) == len(expected["impacts"])
    for impact, numbers in zip(result.impacts, expected["impacts"], strict=True):
        for name in IMPACT:
            assert getattr(impact, name) == pytest.approx(numbers[name], rel=1e-8), name
    bob = result["bob"]
    assert bob.angle[-1] == pytest.approx(expected["final"]["angle"], abs=1e-8)
    assert bob.omega[-1] == pytest.approx(expected["final"]["omega"], abs=1e-8)
    assert (bob.x[-1], bob.y[-1]) == pytest.approx((expected["final"]["x"], expected["final"]["y"]), abs=1e-8)
    assert result.energy.drift < 1e-9


@pytest.mark.parametrize("integrator", ["dop853", "tsit5", "adams", "bdf"])
def test_integrators_agree(integrator):
    result, expected = pendulum_wall(0.7).run(integrator=integrator), reference.solve(0.7)
    for name in IMPACT:
        assert getattr(result.impacts[0], name) == pytest.approx(expected["impacts"][0][name], rel=1e-7), name
    assert result["bob"].omega[-1] == pytest.approx(expected["final"]["omega"], abs=1e-6)


def test_first_touch_in_closed_form():
    touch = reference.first_touch()
    impact = pendulum_wall(1.0).run(rtol=1e-12, atol=1e-13).impacts[0]
    assert impact.t_start == pytest.approx(touch["time"], rel=1e-12)
    assert impact.approach_speed == pytest.approx(touch["speed"], rel=1e-12)


def test_bob_returns_to_its_start():
    """An elastic wall reflects the motion: after twice the time of the first touch, and the impact, it is back."""
    touch = reference.first_touch()["time"]
    impact = pendulum_wall(1.0).run(t_end=1.0).impacts[0]
    bob = pendulum_wall(1.0).run(t_end=2.0 * touch + impact.duration)["bob"]
    assert bob.angle[-1] == pytest.approx(-0.5 * math.pi, abs=1e-8)
    assert abs(bob.omega[-1]) < 1e-7
    assert (bob.x[-1], bob.y[-1]) == pytest.approx((-1.0, 0.0), abs=1e-8)


def test_joint_carries_its_share_of_the_blow():
    """The wall pushes at the centre of the bob; the pivot takes what a rod struck away from its centre of percussion
    leaves: R = F (J/(J + m l²)), with J of the bob."""
    result = pendulum_wall(1.0).run()
    deepest = result["wall"].normal_force.argmax()
    inertia = 0.4 * 0.05**2
    share = inertia / (inertia + 1.0)
    assert result["pivot"].fx[deepest] == pytest.approx(share * result["wall"].normal_force[deepest], rel=1e-4)


@pytest.mark.parametrize("onset", ["event", "reject", "interpolate"])
def test_wall_gives_no_energy(onset):
    result = pendulum_wall(1.0, onset=onset).run()
    energy = result.energy.total
    assert abs(energy[-1] - energy[0]) < (1e-8 if onset == "event" else 1e-3)
    assert result.impacts[0].initial_indentation <= 1e-6


def test_wall_that_is_noticed_too_late_gives_energy():
    result = pendulum_wall(1.0, onset="none").run()
    assert result.energy.total[-1] - result.energy.total[0] > 0.05
    # What the contact has stored when it is found; the joint makes the bob as heavy as J/l² + m.
    depth = result.impacts[0].initial_indentation
    assert result.energy.total[-1] - result.energy.total[0] == pytest.approx(0.4 * 3.39e10 * depth**2.5, rel=2e-2)


def test_stays_on_its_circle():
    bob = pendulum_wall(0.7).run()["bob"]
    assert np.abs(np.hypot(bob.x, bob.y) - 1.0).max() < 1e-13
