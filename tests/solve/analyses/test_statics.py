"""Equilibria whose forces are known, and systems that have none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom import Outcome
from quick import examples
from solve.mechanisms import GRAVITY, pendulum, rod


@pytest.mark.parametrize("angle", [0.0, 1.4, -3.0])
def test_pendulum_ends_hanging_straight_down(angle):
    system = pendulum(angle, mass=2.0, inertia=0.1)
    result = cm.statics(system)
    assert result.outcome is Outcome.FINISHED
    assert len(result.t) == 1
    np.testing.assert_allclose(result["bob"].position[0], [0.0, -1.0], atol=1e-10)
    assert result["pivot"].fy[0] == pytest.approx(2.0 * GRAVITY, rel=1e-12)
    assert abs(result["pivot"].fx[0]) < 1e-9


def test_equilibrium_is_a_result_without_motion():
    result = cm.statics(pendulum(0.3, inertia=0.1))
    assert not result.v.any()
    assert np.abs(result.a).max() < 1e-9


def test_pose_can_be_taken_over():
    system = pendulum(0.3, inertia=0.1)
    system.set_state(cm.statics(system))
    run = cm.simulate(system, 1.0)
    assert np.ptp(run["bob"].angle) < 1e-8


def test_two_masses_on_rods_hang_in_line():
    system = cm.System(gravity=(0.0, -GRAVITY))
    upper = system.add(cm.Body("upper", 1.0, position=(1.0, 0.0)))
    lower = system.add(cm.Body("lower", 3.0, position=(1.8, 0.6)))
    system.add(cm.Distance(system.ground, upper, name="first"))
    system.add(cm.Distance(upper, lower, name="second"))
    result = cm.statics(system)
    np.testing.assert_allclose(result["upper"].position[0], [0.0, -1.0], atol=1e-9)
    np.testing.assert_allclose(result["lower"].position[0], [0.0, -2.0], atol=1e-9)
    assert result["first"].fy[0] == pytest.approx(4.0 * GRAVITY, rel=1e-10)
    assert result["second"].fy[0] == pytest.approx(3.0 * GRAVITY, rel=1e-10)


@examples(15)
@given(st.floats(0.1, 50.0), st.floats(50.0, 5e4))
def test_spring_stretches_by_weight_over_stiffness(mass, stiffness):
    system = cm.System(gravity=(0.0, -GRAVITY))
    load = system.add(cm.Body("load", mass, 0.1, position=(0.0, -1.0)))
    system.add(cm.Prismatic(system.ground, load, axis=(0.0, 1.0)))
    system.add(cm.SpringDamper(system.ground, load, stiffness, damping=3.0, free_length=1.0, name="spring"))
    result = cm.statics(system)
    assert result["load"].y[0] == pytest.approx(-1.0 - mass * GRAVITY / stiffness, rel=1e-10)
    assert result["spring"].tension[0] == pytest.approx(mass * GRAVITY, rel=1e-9)


def test_weight_between_two_springs_takes_the_angle_that_carries_it():
    """Two cords from (∓1, 0), free length 1, k = 100: 2 k (l − 1) sin β = m g with l = 1/cos β."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    load = system.add(cm.Body("load", 2.0, position=(0.1, -0.2)))
    for x in (-1.0, 1.0):
        system.add(cm.SpringDamper(system.ground.point(x, 0.0), load, 100.0, free_length=1.0))
    result = cm.statics(system)
    x, y = result["load"].position[0]
    length = math.hypot(1.0, y)
    assert x == pytest.approx(0.0, abs=1e-10)
    assert 2.0 * 100.0 * (length - 1.0) * -y / length == pytest.approx(2.0 * GRAVITY, rel=1e-10)


def hanging_chain(links: int, width: float) -> cm.System:
    """Rods of 1 m between two supports ``width`` apart, bent into a rough arc that sags."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    before = system.ground.point(0.0, 0.0)
    for k in range(links):
        slope = math.pi * 0.25 * (2.0 * (k + 0.5) / links - 1.0)
        x = width * (k + 0.5) / links
        link = system.add(cm.Body(f"link {k}", 1.0, 1.0 / 12.0, position=(x, -1.0), angle=slope))
        system.add(cm.Revolute(before, link.point(-0.5, 0.0), name=f"pin {k}"))
        before = link.point(0.5, 0.0)
    system.add(cm.Revolute(before, system.ground.point(width, 0.0), name=f"pin {links}"))
    return system.assemble()


def test_chain_between_two_supports_pulls_with_one_horizontal_force():
    links, width = 10, 7.0
    result = cm.statics(hanging_chain(links, width))
    assert result.outcome is Outcome.FINISHED
    fx = np.array([result[f"pin {k}"].fx[0] for k in range(links + 1)])
    fy = np.array([result[f"pin {k}"].fy[0] for k in range(links + 1)])
    np.testing.assert_allclose(fx, fx[0], rtol=1e-9)
    # From pin to pin the vertical force changes by one weight; the two supports carry half the chain each.
    np.testing.assert_allclose(np.diff(fy), -GRAVITY, rtol=1e-8)
    assert fy[0] == pytest.approx(0.5 * links * GRAVITY, rel=1e-8)
    angles = np.array([result[f"link {k}"].angle[0] for k in range(links)])
    np.testing.assert_allclose(angles, -angles[::-1], atol=1e-8)
    # A rod pulled at both ends lies along the mean of the two forces: tan θ_k = (k + ½ − n/2) m g / H.
    tangents = (np.arange(links) + 0.5 - 0.5 * links) * GRAVITY / abs(fx[0])
    np.testing.assert_allclose(np.tan(angles), tangents, rtol=1e-8)
    assert np.cos(angles).sum() == pytest.approx(width, abs=1e-11)


def test_drivers_are_held_at_the_time_asked_for():
    system = pendulum(inertia=0.1)
    system.add(cm.Driver((system["bob"], "angle"), cm.PolynomialMotion([0.0, 0.3]), name="arm"))
    result = cm.statics(system, time=2.0)
    assert result["bob"].angle[0] == pytest.approx(0.6, abs=1e-14)
    assert result["arm"].effort[0] == pytest.approx(GRAVITY * math.cos(0.6), rel=1e-12)
    assert result.t[0] == 2.0


def test_forces_are_those_of_the_time_asked_for():
    system = cm.System(gravity=(0.0, -GRAVITY))
    load = system.add(cm.Body("load", 2.0, 0.1, position=(0.0, -1.0)))
    system.add(cm.Prismatic(system.ground, load, axis=(0.0, 1.0)))
    system.add(cm.SpringDamper(system.ground, load, stiffness=200.0, free_length=1.0))
    system.add(cm.PointForce(load, lambda t: (0.0, -10.0 * t)))
    result = cm.statics(system, time=2.0)
    assert result["load"].y[0] == pytest.approx(-1.0 - (2.0 * GRAVITY + 20.0) / 200.0, abs=1e-10)
    assert abs(result["load"].ay[0]) < 1e-8


def test_redundant_supports_still_balance():
    system = cm.System(gravity=(0.0, -GRAVITY))
    beam = system.add(rod("beam", (0.0, 0.0), (2.0, 0.0)))
    for k, x in enumerate((0.0, 1.0, 2.0)):
        system.add(cm.Distance(system.ground.point(x, 1.0), beam.point(x - 1.0, 0.0), name=f"rod {k}"))
    with pytest.warns(cm.CaromWarning, match="redundant"):
        result = cm.statics(system)
    assert result.outcome is Outcome.FINISHED
    assert sum(result[f"rod {k}"].fy[0] for k in range(3)) == pytest.approx(GRAVITY, rel=1e-8)


def test_system_that_runs_away_is_reported():
    system = cm.System(gravity=(0.0, -GRAVITY))
    system.add(cm.Body("stone", 1.0, 1.0))
    with pytest.warns(cm.CaromWarning, match="statics: No equilibrium found"):
        result = cm.statics(system)
    assert result.outcome is Outcome.NOT_CONVERGED
    assert "'stone'" in result.message
    assert f"{GRAVITY:.3g} N" in result.message


def test_system_is_not_changed():
    system = pendulum(0.3, inertia=0.1)
    before = (system["bob"].position, system["bob"].angle)
    cm.statics(system)
    assert before == (system["bob"].position, system["bob"].angle)
