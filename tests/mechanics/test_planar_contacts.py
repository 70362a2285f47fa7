"""Forces of contacts: action and reaction, power, momentum, friction."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.mechanics.contact_records import SIGNAL_NAMES
from carom.solve.model_evaluator import ModelEvaluator
from physics.drops import GRAVITY, collision, drop, resting_depth
from quick import each

FRICTIONS = {
    "coulomb": cm.friction.Coulomb(0.3, 1e-2),
    "step_coulomb": cm.friction.StepCoulomb(0.3, 0.2, 0.01, 0.05),
    "ambrosio": cm.friction.Ambrosio(0.3, 1e-3, 1e-2),
    "threlfall": cm.friction.Threlfall(0.3, 1e-2),
    "bengisu_akay": cm.friction.BengisuAkay(0.3, 0.2, 0.01, 40.0),
    "dahl": cm.friction.Dahl(0.3, 1e3),
    "lugre": cm.friction.LuGre(0.3, 0.2, 0.05, 1e3, 0.5),
}


def circle(body: cm.Body, radius: float, at: tuple[float, float]) -> cm.Curve:
    turn = np.linspace(0.0, 2.0 * math.pi, 48, endpoint=False)
    return cm.Curve(body, np.column_stack([at[0] + radius * np.cos(turn), at[1] + radius * np.sin(turn)]), closed=True)


PAIRS = {
    # shapes on the bodies a and b, a few millimetres into each other as the bodies stand
    "sphere-sphere": lambda a, b: (cm.Sphere(a, 0.13, (0.02, 0.03)), cm.Sphere(b, 0.102, (-0.055, -0.04))),
    "sphere-plane": lambda a, b: (cm.Sphere(a, 0.121, (0.1, 0.0)), cm.Plane(b, (-0.08, 0.02), (-1.0, 0.1))),
    "sphere-segment": lambda a, b: (cm.Sphere(a, 0.1, (0.07, 0.05)), cm.Segment(b, (-0.1, -0.4), (-0.12, 0.4), 0.025)),
    "sphere in cavity": lambda a, b: (cm.Sphere(a, 0.05, (0.1, 0.0)), cm.Sphere(b, 0.2, (-0.351, 0.0), inside=True)),
    "point-sphere": lambda a, b: (cm.Point(a, (0.2, 0.0)), cm.Sphere(b, 0.102)),
    "curve-curve": lambda a, b: (circle(a, 0.13, (0.02, 0.03)), circle(b, 0.102, (-0.055, -0.04))),
}


def overlapping(kind: str, law: cm.laws.NormalLaw, friction=None, swapped: bool = False) -> cm.System:
    """Two free bodies in motion with a pair of shapes in contact."""
    system = cm.System(name=kind)
    a = system.add(cm.Body("a", 2.0, 0.03, (0.0, 0.0), 0.05, (0.4, -0.3), 2.0))
    b = system.add(cm.Body("b", 3.0, 0.05, (0.3, 0.02), -0.04, (-0.2, 0.5), -1.5))
    shapes = PAIRS[kind](a, b)
    system.add(cm.Contact(*(shapes[::-1] if swapped else shapes), law, friction, name="touch"))
    return system


def loads(mechanism: ModelEvaluator, y: np.ndarray) -> np.ndarray:
    """(bodies, 3) force and moment about the centre of mass, from the accelerations."""
    rate, _ = mechanism.rate(0.0, y)
    n = mechanism.n
    return (mechanism.mass * rate[n : 2 * n]).reshape(-1, 3)


def contact_signals(mechanism: ModelEvaluator) -> dict[str, float]:
    """Return the state of the contact at the last evaluation."""
    values = mechanism.tables["contact_state"][0]
    return dict(zip(SIGNAL_NAMES, values.tolist(), strict=False))


# ---- action and reaction


@each("swapped", [False, True])
@each("friction", [None, cm.friction.Coulomb(0.3, 1e-2)])
@each("kind", PAIRS)
def test_force_acts_on_both_bodies_at_the_contact_point(kind, friction, swapped):
    system = overlapping(kind, cm.laws.KelvinVoigt(1e5, damping=50.0), friction, swapped)
    mechanism = ModelEvaluator(system)
    y = mechanism.tables.y0
    on_a, on_b = loads(mechanism, y)
    shown = contact_signals(mechanism)
    assert shown["indentation"] > 1e-4
    first, second = (on_b, on_a) if swapped else (on_a, on_b)
    force = np.array([shown["fx"], shown["fy"]])
    np.testing.assert_allclose(first[:2], force, rtol=1e-12)
    np.testing.assert_allclose(second[:2], -force, rtol=1e-12)
    # The same line of action for both: moments about the contact point vanish.
    for body, load in zip(system.bodies, (on_a, on_b), strict=True):
        arm = np.array([shown["x"], shown["y"]]) - body.position
        assert load[2] == pytest.approx(arm[0] * load[1] - arm[1] * load[0], abs=1e-12 * np.abs(force).max())
    # Along the normal a push from the second body to the first, along the tangent against the sliding.
    normal, tangent = np.array([shown["nx"], shown["ny"]]), np.array([-shown["ny"], shown["nx"]])
    assert force @ normal == pytest.approx(shown["normal_force"], rel=1e-12)
    assert force @ tangent == pytest.approx(shown["friction_force"], abs=1e-9)
    assert shown["normal_force"] > 0.0
    if friction is not None:
        expected = friction.force(shown["normal_force"], shown["sliding_velocity"])
        assert shown["friction_force"] == pytest.approx(expected, rel=1e-12)
        assert shown["friction_force"] * shown["sliding_velocity"] < 0.0


@each("kind", PAIRS)
def test_rate_and_sliding_are_the_relative_velocity_at_the_contact_point(kind):
    system = overlapping(kind, cm.laws.Hertz(1e5))
    mechanism = ModelEvaluator(system)
    mechanism.rate(0.0, mechanism.tables.y0)
    shown = contact_signals(mechanism)
    velocity = []
    for body in system.bodies:
        arm = np.array([shown["x"], shown["y"]]) - body.position
        velocity.append(np.array(body.velocity) + body.angular_velocity * np.array([-arm[1], arm[0]]))
    relative = velocity[0] - velocity[1]
    normal, tangent = np.array([shown["nx"], shown["ny"]]), np.array([-shown["ny"], shown["nx"]])
    assert shown["indentation_rate"] == pytest.approx(-relative @ normal, rel=1e-12)
    assert shown["sliding_velocity"] == pytest.approx(relative @ tangent, rel=1e-12)


@each("kind", PAIRS)
def test_rate_is_the_derivative_of_the_indentation(kind):
    system = overlapping(kind, cm.laws.Hertz(1e5))
    mechanism = ModelEvaluator(system)
    n = mechanism.n

    def indentation(time: float) -> float:
        y = mechanism.tables.y0.copy()
        y[:n] += time * y[n : 2 * n]
        mechanism.rate(0.0, y)
        return contact_signals(mechanism)["indentation"]

    h = 1e-4
    slope = (8.0 * (indentation(h) - indentation(-h)) - (indentation(2 * h) - indentation(-2 * h))) / (12.0 * h)
    mechanism.rate(0.0, mechanism.tables.y0)
    assert contact_signals(mechanism)["indentation_rate"] == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.filterwarnings("ignore:.*overlap by:carom.CaromWarning")
def test_order_of_the_shapes_does_not_matter(kind):
    law, friction = cm.laws.KelvinVoigt(1e5, damping=50.0), cm.friction.Coulomb(0.3, 1e-2)
    one, other = (cm.simulate(overlapping(kind, law, friction, swapped), 0.05) for swapped in (False, True))
    np.testing.assert_allclose(one.q[-1], other.q[-1], rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(one.v[-1], other.v[-1], rtol=0.0, atol=1e-12)
    for name, sign in (
        ("nx", -1.0),
        ("fx", -1.0),
        ("indentation", 1.0),
        ("sliding_velocity", 1.0),
        ("friction_force", 1.0),
    ):
        first, second = (getattr(result.sample([0.002])["touch"], name)[0] for result in (one, other))
        assert first == pytest.approx(sign * second, rel=1e-9, abs=1e-9), name


# ---- power


@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.filterwarnings("ignore:.*overlap by:carom.CaromWarning")
def test_power_of_the_force_is_what_is_stored_and_lost(kind):
    """F·v = −dU/dt − losses, along a run: kinetic energy changes by that and nothing else."""
    law, friction = cm.laws.KelvinVoigt(1e5, damping=50.0), cm.friction.Coulomb(0.3, 1e-2)
    result = cm.simulate(overlapping(kind, law, friction), 0.05, rtol=1e-10, atol=1e-12)
    energy, contact = result.energy, result["touch"]
    pressing = contact.normal_force > 0.0
    power = -contact.normal_force * contact.indentation_rate + contact.friction_force * contact.sliding_velocity
    stored = 1e5 * contact.indentation * contact.indentation_rate
    lost = 50.0 * contact.indentation_rate**2 - contact.friction_force * contact.sliding_velocity
    np.testing.assert_allclose(power[pressing], (-stored - lost)[pressing], rtol=1e-9, atol=1e-9)
    # The rate of kinetic energy from the accelerations.
    mass = np.array([m for body in result.bodies for m in (body.mass, body.mass, body.inertia)])
    np.testing.assert_allclose((mass * result.v * result.a).sum(axis=1), power, atol=1e-9 * np.abs(power).max())
    np.testing.assert_allclose(energy.elastic[pressing], 0.5e5 * contact.indentation[pressing] ** 2, rtol=1e-12)
    assert energy.drift < 1e-10
    assert energy.friction[-1] > 0.0
    assert energy.dissipated[-1] > 0.0


@each("name", FRICTIONS)
def test_ledger_closes_with_friction(name):
    """An oblique blow: friction takes energy, and the books know how much."""
    system = collision(cm.laws.Flores(1e7, 0.6), offset=0.12, spins=(5.0, -3.0), friction=FRICTIONS[name])
    result = cm.simulate(system, 0.1)
    impact = result.impacts[0]
    assert impact.friction_loss > 1e-4
    lost = sum(i.energy_lost + i.friction_loss for i in result.impacts)
    assert result.energy.total[0] - result.energy.total[-1] == pytest.approx(lost, rel=1e-7)
    assert result.energy.drift < 1e-8


# ---- momentum


@each("name", FRICTIONS)
def test_momentum_and_angular_momentum_are_kept(name):
    system = collision(
        cm.laws.Flores(1e7, 0.6), masses=(1.0, 2.5), offset=0.12, spins=(5.0, -3.0), friction=FRICTIONS[name]
    )
    result = cm.simulate(system, 0.1)
    mass = np.array([body.mass for body in result.bodies])
    inertia = np.array([body.inertia for body in result.bodies])
    places, speeds = result.q.reshape(-1, 2, 3), result.v.reshape(-1, 2, 3)
    momentum = np.einsum("b,tbi->ti", mass, speeds[..., :2])
    spin = (mass * (places[..., 0] * speeds[..., 1] - places[..., 1] * speeds[..., 0]) + inertia * speeds[..., 2]).sum(
        1
    )
    assert result.impacts
    assert np.abs(momentum - momentum[0]).max() < 1e-13
    assert np.abs(spin - spin[0]).max() < 1e-12
    assert abs(speeds[-1, 0, 2] - speeds[0, 0, 2]) > 0.1  # friction has changed the spins


def test_frictionless_impact_leaves_the_spin_alone():
    result = cm.simulate(collision(cm.laws.Flores(1e7, 0.6), offset=0.12, spins=(5.0, -3.0)), 0.1)
    np.testing.assert_array_equal(result["left"].omega, 5.0)
    np.testing.assert_array_equal(result["right"].omega, -3.0)


def test_oblique_frictionless_impact_is_central_along_the_normal():
    """Tangential velocities stay, normal ones follow the restitution; the normal turns a little with the motion."""
    law = cm.laws.ExactRestitution(1e11, 0.5)
    result = cm.simulate(collision(law, offset=0.12, masses=(1.0, 3.0)), 0.1)
    normal = np.array([0.8, 0.6])  # centres 0.2 apart, 0.12 across
    approach = 0.8
    impulse = 1.5 * approach * 0.75
    expected = np.array([1.0, 0.0]) - impulse * normal
    assert result.impacts[0].approach_speed == pytest.approx(approach, rel=1e-12)
    np.testing.assert_allclose(result["left"].velocity[-1], expected, atol=2e-3)
    np.testing.assert_allclose(result["right"].velocity[-1], impulse / 3.0 * normal, atol=2e-3)


# ---- friction in closed form


def sliding_law(speed: np.ndarray, start: float, deceleration: float, v0: float, t: np.ndarray) -> np.ndarray:
    """u of u' = −k tanh(u/v₀): sinh(u/v₀) = sinh(u₀/v₀) exp(−k t/v₀)."""
    exponent = start / v0 - deceleration * t / v0
    # asinh of e^x/2 for large arguments without overflow
    return v0 * np.where(exponent > 30.0, exponent, np.arcsinh(np.sinh(start / v0) * np.exp(-deceleration * t / v0)))


@pytest.mark.filterwarnings("ignore:.*overlap by:carom.CaromWarning")
def test_block_is_slowed_by_coulomb_friction():
    """A block that cannot turn, on its static indentation: v' = −μ g tanh(v/v₀)."""
    mu, v0, speed = 0.3, 0.05, 1.0
    system = drop(cm.laws.Hertz(1e8), -resting_depth(1e8), velocity=(speed, 0.0), friction=cm.friction.Coulomb(mu, v0))
    system.add(cm.Driver((system["ball"], "angle"), cm.ConstantSpeed(0.0)))
    result = cm.simulate(system, 0.5)
    expected = sliding_law(result["ball"].vx, speed, mu * GRAVITY, v0, result.t)
    np.testing.assert_allclose(result["ball"].vx, expected, atol=1e-7)
    assert result["ball"].vx[-1] < 0.1 * v0
    assert result.energy.friction[-1] == pytest.approx(0.5 * (speed**2 - expected[-1] ** 2), rel=1e-7)


@pytest.mark.parametrize("spin", [0.0, -20.0, 30.0])
@pytest.mark.filterwarnings("ignore:.*overlap by:carom.CaromWarning")
def test_ball_slides_until_it_rolls(spin):
    """v_end = 5/7 v + 2/7 (−ω R) for a solid sphere, whatever the friction, with the lever R − δ."""
    mu, v0, speed, radius = 0.3, 0.01, 1.0, 0.1
    depth = resting_depth(1e9)
    system = drop(
        cm.laws.Hertz(1e9), -depth, radius, velocity=(speed, 0.0), spin=spin, friction=cm.friction.Coulomb(mu, v0)
    )
    result = cm.simulate(system, 1.0)
    ball, lever, share = result["ball"], radius - depth, 0.4 * radius**2
    final = (speed * lever**2 - share * spin * lever) / (lever**2 + share)
    assert ball.vx[-1] == pytest.approx(final, abs=1e-7)
    assert final == pytest.approx(5.0 / 7.0 * speed - 2.0 / 7.0 * spin * radius, abs=1e-4)
    assert ball.omega[-1] == pytest.approx(-final / lever, abs=1e-6)
    # The contact point slides as sinh(u/v₀) decays.
    start = speed + spin * lever
    expected = math.copysign(1.0, start) * sliding_law(
        ball.vx, abs(start), mu * GRAVITY * (1.0 + lever**2 / share), v0, result.t
    )
    np.testing.assert_allclose(ball.vx + ball.omega * lever, expected, atol=1e-6)


@pytest.mark.parametrize("name", ["coulomb", "step_coulomb", "threlfall", "lugre", "dahl"])
@pytest.mark.filterwarnings("ignore:.*overlap by:carom.CaromWarning")
def test_every_friction_ends_in_rolling(name):
    depth = resting_depth(1e8)
    result = cm.simulate(drop(cm.laws.Hertz(1e8), -depth, velocity=(1.0, 0.0), friction=FRICTIONS[name]), 1.5)
    lever = 0.1 - depth
    assert result["ball"].vx[-1] == pytest.approx(lever**2 / (lever**2 + 0.4 * 0.01), abs=2e-3)
    assert result.energy.drift < 1e-8


@pytest.mark.filterwarnings("ignore:.*overlap by:carom.CaromWarning")
def test_block_on_an_incline_creeps_only_within_the_regularisation():
    """μ > tan α: the block settles at the speed v₀ artanh(tan α/μ) of regularised friction; μ < tan α: it slides."""
    slope, v0 = math.radians(10.0), 1e-3
    for mu in (0.3, 0.1):
        system = cm.System(gravity=(GRAVITY * math.sin(slope), -GRAVITY * math.cos(slope)))
        depth = resting_depth(1e8, 1.0, GRAVITY * math.cos(slope))
        block = system.add(cm.Body("block", 1.0, 0.01, (0.0, 0.1 - depth)))
        system.add(cm.Driver((block, "angle"), cm.ConstantSpeed(0.0)))
        system.add(
            cm.Contact(cm.Sphere(block, 0.1), cm.Plane(system.ground), cm.laws.Hertz(1e8), cm.friction.Coulomb(mu, v0))
        )
        result = cm.simulate(system, 0.2)
        speed = result["block"].vx[-1]
        if mu > math.tan(slope):
            assert speed == pytest.approx(v0 * math.atanh(math.tan(slope) / mu), rel=1e-6)
        else:
            assert speed == pytest.approx(0.2 * GRAVITY * (math.sin(slope) - mu * math.cos(slope)), rel=2e-2)


# ---- friction with a state of its own


@each("integrator", ["dopri5", "adams"])
@each("name", ["lugre", "dahl"])
def test_state_of_the_friction_is_forgotten_when_the_contact_ends(name, integrator):
    """Elastic bounces at constant sliding: each finds the bristles straight, so each takes the same."""
    system = drop(cm.laws.Hertz(1e7), 0.05, mass=1.0, velocity=(1.0, 0.0), friction=FRICTIONS[name])
    system.add(cm.Driver((system["ball"], "x"), cm.ConstantSpeed(1.0)))
    system.add(cm.Driver((system["ball"], "angle"), cm.ConstantSpeed(0.0)))
    result = cm.simulate(system, 1.0, integrator=integrator)
    losses = [impact.friction_loss for impact in result.impacts if impact.finished]
    assert len(losses) >= 4
    assert losses[0] > 0.0
    np.testing.assert_allclose(losses, losses[0], rtol=1e-6)
    pressed = np.flatnonzero(np.diff(result["floor"].contact_mode) > 0.0) + 1
    assert np.abs(result["floor"].friction_force[pressed]).max() < 1e-9


def test_bristles_bend_before_they_slide():
    """Dahl: F = −μ N (1 − exp(−σ x/μ)) over the way x slid under a constant load."""
    mu, sigma, speed = 0.3, 1e4, 1e-3
    depth = resting_depth(1e8)
    system = drop(cm.laws.Hertz(1e8), -depth, velocity=(speed, 0.0), friction=cm.friction.Dahl(mu, sigma))
    system.add(cm.Driver((system["ball"], "x"), cm.ConstantSpeed(speed)))
    system.add(cm.Driver((system["ball"], "angle"), cm.ConstantSpeed(0.0)))
    result = cm.simulate(system, 0.1)  # in balance: its overlap is no news
    floor = result["floor"]
    expected = -mu * GRAVITY * (1.0 - np.exp(-sigma * speed * result.t / mu))
    np.testing.assert_allclose(floor.fx, expected, atol=1e-6 * GRAVITY)
