"""The θ-method: implicit in the forces, so that stiff springs do not limit the step."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from physics.reference import nonsmooth_closed_forms as exact
from solve.mechanisms import parallelogram
from solve.timestepping.scenes import GRAVITY, ball_above_floor, order, rod_in_box, run, world


def hung_mass(stiffness: float, damping: float = 0.0, speed: float = 0.0, stretch: float = 0.0) -> cm.System:
    """1 kg on a vertical spring of 1 m, ``stretch`` below where the spring is slack."""
    system = world()
    mass = system.add(cm.Body("mass", 1.0, 1.0, position=(0.0, 1.0 - stretch), velocity=(0.0, speed)))
    spring = cm.SpringDamper(
        system.ground.point(0.0, 2.0), mass, stiffness=stiffness, damping=damping, free_length=1.0, name="spring"
    )
    system.add(spring)
    return system


def oscillation(t, stiffness, damping, speed):
    """y of a damped oscillator from y = 1 about its equilibrium 1 − m g/k, m = 1."""
    rest, decay = 1.0 - GRAVITY / stiffness, 0.5 * damping
    omega = math.sqrt(stiffness - decay**2)
    start = 1.0 - rest
    return rest + np.exp(-decay * t) * (start * np.cos(omega * t) + (speed + decay * start) / omega * np.sin(omega * t))


@pytest.mark.parametrize(("theta", "expected"), [(0.5, 2.0), (0.75, 1.0), (1.0, 1.0)])
def test_order_of_convergence(theta, expected):
    """Trapezoidal for θ = 1/2, else of first order, for a damped oscillator in closed form."""
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        r = run(hung_mass(400.0, 2.0, 1.0), 1.0, step=step, scheme="theta", theta=theta)
        errors.append(np.abs(r["mass"].y - oscillation(r.t, 400.0, 2.0, 1.0)).max())
    assert order(errors) == pytest.approx(expected, abs=0.1)


def test_one_step_is_the_implicit_formula():
    """q'' = −k q − g from q = 0, by hand: u_E = [u − h g − h θ k h (1 − θ) u]/(1 + h² θ² k)."""
    k, h, theta, u = 5e3, 0.02, 0.7, 0.3
    r = run(hung_mass(k, 0.0, u), h, step=h, scheme="theta", theta=theta)
    new = (u - h * GRAVITY - h * theta * k * h * (1.0 - theta) * u) / (1.0 + h**2 * theta**2 * k)  # q = 0 at the start
    assert r["mass"].vy[-1] == pytest.approx(new, rel=1e-9)
    assert r["mass"].y[-1] == pytest.approx(1.0 + h * (theta * new + (1.0 - theta) * u), rel=1e-12)


@pytest.mark.parametrize("stiffness", [1e6, 1e8, 1e10])
@pytest.mark.parametrize("theta", [0.5, 0.7, 1.0])
def test_stiff_spring_at_a_large_step(stiffness, theta):
    """Steps of up to 16 000 radians of its vibration: the run ends, near the equilibrium."""
    r = run(hung_mass(stiffness), 0.5, scheme="theta", theta=theta)
    assert r.outcome.ok
    assert np.abs(r["mass"].y - 1.0).max() < 2.5 * GRAVITY / stiffness + 1e-12
    if theta > 0.5:
        assert r["mass"].y[-1] == pytest.approx(1.0 - GRAVITY / stiffness, abs=1e-6 * GRAVITY / stiffness + 1e-14)
        assert r["spring"].tension[-1] == pytest.approx(GRAVITY, rel=2e-16 * stiffness + 1e-6)


def test_explicit_steps_blow_up_where_implicit_ones_do_not():
    explicit = run(hung_mass(1e8), 0.5, scheme="midpoint")
    assert explicit.outcome is cm.Outcome.NOT_FINITE
    assert run(hung_mass(1e8), 0.5, scheme="theta").outcome.ok


def test_stiff_damper_creeps_to_the_equilibrium():
    """c y' = −k (y − y_e) nearly: y − y_e decays with k/c = 10 1/s."""
    r = run(hung_mass(1e5, 1e4), 0.5, scheme="theta", theta=1.0)
    rest = 1.0 - GRAVITY / 1e5
    np.testing.assert_allclose(r["mass"].y[-1] - rest, GRAVITY / 1e5 * math.exp(-5.0), rtol=0.05)


def test_one_half_keeps_the_energy_of_a_linear_spring():
    r = run(hung_mass(1e6, 0.0, 1.0), 2.0, scheme="theta")
    assert np.ptp(r.energy.total) < 1e-9 * r.energy.kinetic[0]


def test_one_damps_what_the_step_does_not_resolve():
    r = run(hung_mass(1e6, 0.0, 1.0), 0.1, scheme="theta", theta=1.0)
    assert r.energy.kinetic[-1] < 1e-6 * r.energy.kinetic[0]


def test_ledger_of_a_damper_is_of_second_order():
    drifts = [run(hung_mass(400.0, 2.0, 1.0), 1.0, step=h, scheme="theta").energy.drift for h in (4e-3, 2e-3, 1e-3)]
    assert order(drifts) == pytest.approx(2.0, abs=0.15)
    assert drifts[-1] < 1e-4


def test_contact_presses_a_stiff_spring():
    """A wall holds a mass against a spring compressed by 0.1 m: its force is 0.1 k, at once, at any step."""
    system = world((0.0, 0.0))
    mass = system.add(cm.Body("mass", 1.0, 1.0, position=(0.1, 0.0)))
    system.add(cm.Prismatic(system.ground, mass, axis=(1.0, 0.0)))
    system.add(cm.SpringDamper(system.ground.point(1.0, 0.0), mass, stiffness=1e6, free_length=1.0))
    wall = cm.Plane(system.ground, normal=(1.0, 0.0))
    system.add(cm.Contact(cm.Sphere(mass, 0.1), wall, impact=cm.ImpactLaw(), name="wall"))
    r = run(system, 0.1, step=1e-2, scheme="theta")
    np.testing.assert_allclose(r["wall"].normal_force[1:], 1e5, rtol=1e-9)
    np.testing.assert_allclose(r["mass"].x, 0.1, atol=1e-12)


def test_mass_on_a_rubbing_floor_stops_where_the_closed_form_says():
    """m x'' = −k x ± μ m g: half periods of an oscillator about ±μ m g/k, until friction holds it."""
    system = world()
    mass = system.add(cm.Body("mass", 1.0, 1.0, position=(0.2, 0.0)))
    system.add(cm.SpringDamper(system.ground.point(-1.0, 0.0), mass, stiffness=100.0, free_length=1.0))
    for x in (-0.3, 0.3):
        system.add(cm.Contact(cm.Point(mass, (x, 0.0)), cm.Plane(system.ground), impact=cm.ImpactLaw(0.0, 0.3)))
    end = exact.rest_on_floor(0.2, 1.0, 100.0, 0.3 * GRAVITY)
    for scheme in ("theta", "midpoint"):
        r = run(system, end["t"] + 0.3, scheme=scheme)
        assert r["mass"].x[-1] == pytest.approx(end["x"], abs=2e-4)
        assert abs(r["mass"].vx[-1]) < 1e-12
        moving = r.t[np.abs(r["mass"].vx) > 1e-9]
        assert moving[-1] == pytest.approx(end["t"], abs=3e-3)


def test_impacts_keep_the_energy():
    r = run(rod_in_box(1.0), 5.0, scheme="theta", output=0.05)
    assert np.ptp(r.energy.total) < 1e-12 * r.energy.total[0]


def test_theta_matters_to_positions_in_free_fall_only_by_its_weights():
    """q_E = q + h [θ u_E + (1 − θ) u]: with θ = 1 a fall is ½ g h t too deep."""
    r = run(ball_above_floor(0.0, 2.0), 0.5, scheme="theta", theta=1.0)
    np.testing.assert_allclose(r["ball"].y, 2.1 - 0.5 * GRAVITY * r.t * (r.t + 1e-3), atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*redundant:carom.CaromWarning")
def test_redundant_joints_with_forces_are_refused():
    system = parallelogram(0.7)
    system.add(cm.SpringDamper(system.ground, system["coupler"], stiffness=10.0, free_length=1.0))
    with pytest.raises(cm.ModelError, match="redundant constraints of system 'parallelogram'"):
        run(system, 0.1, scheme="theta")
