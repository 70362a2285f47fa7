"""Rolling and spinning resistance in event-driven runs, against closed forms and time stepping."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from physics.rolling_wheel import FRICTION, GRAVITY, LEVER, MASS, RADIUS, SPEED, wheel
from solve.event_driven.event_runs import run

BALL = 0.4
"""I/(m R²) of a ball."""

SPINNING = 1e-4
"""Lever of the spinning resistance [m]."""


def speed_of(result: cm.Result) -> np.ndarray:
    return np.linalg.norm(result["wheel"].velocity, axis=1)


def spin_of(result: cm.Result) -> np.ndarray:
    """Return the angular velocity about the normal [rad/s]."""
    return result["wheel"].global_omega[:, 2]


def turning_of(result: cm.Result, dim: int) -> np.ndarray:
    """Return R ω of the rolling, positive where the wheel rolls along its direction [m/s]."""
    body = result["wheel"]
    return RADIUS * (-body.angular_velocity if dim == 2 else body.global_omega @ [-0.8, 0.6, 0.0])


def events(result: cm.Result) -> np.ndarray:
    """Return the times at which the result has two nodes: its events."""
    return result.t[1:][np.diff(result.t) == 0.0]


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("shape", [0.4, 0.5], ids=["ball", "disc"])
def test_a_wheel_slows_down_stops_and_stays(dim, shape):
    """(1 + c) m a = −m g b/R with I = c m R²: it stops at v/a, which is the only event, and stays after v²/2a."""
    deceleration = GRAVITY * LEVER / RADIUS / (1.0 + shape)
    stop, way = SPEED / deceleration, SPEED**2 / (2.0 * deceleration)
    result = run(wheel(dim, shape), 1.5 * stop)
    np.testing.assert_allclose(events(result), [stop], rtol=1e-10)
    expected = np.maximum(SPEED - deceleration * result.t, 0.0)
    np.testing.assert_allclose(speed_of(result), expected, atol=1e-11)
    np.testing.assert_allclose(turning_of(result, dim), expected, atol=1e-11)
    position, late = result["wheel"].position[:, : dim - 1], result.t > events(result)[0]
    assert np.linalg.norm(position[-1]) == pytest.approx(way, rel=1e-11)
    assert speed_of(result)[late].max() < 1e-20
    assert np.ptp(position[late], axis=0).max() < 1e-15
    loss = 0.5 * (1.0 + shape) * MASS * SPEED**2
    assert result.energy.friction[-1] == pytest.approx(loss, rel=1e-12)
    assert result.energy.drift < 1e-13
    (contact,) = result.impacts
    assert not contact.finished
    assert contact.friction_loss == pytest.approx(loss, rel=1e-12)
    assert contact.impulse == pytest.approx(MASS * GRAVITY * 1.5 * stop, rel=1e-12)


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("radius", [1e-4, RADIUS, 0.5])
def test_a_ball_on_an_incline_stays_up_to_the_angle_of_its_lever(dim, radius):
    """It stays for tan θ ≤ b/R, and rolls with 5/7 g (sin θ − b/R cos θ) beyond, whatever its size."""
    lever, t_end = 0.02 * radius, math.sqrt(radius / GRAVITY)
    stays = run(wheel(dim, slope=math.atan(0.999 * 0.02), speed=0.0, lever=lever, radius=radius), 50.0 * t_end)
    assert np.abs(stays["wheel"].position[:, : dim - 1]).max() < 1e-13 * radius
    assert stays.stats["events"] == 0
    slope = math.atan(1.001 * 0.02)
    rolls = run(wheel(dim, slope=slope, speed=0.0, lever=lever, radius=radius), 50.0 * t_end)
    acceleration = 5.0 / 7.0 * GRAVITY * (math.sin(slope) - 0.02 * math.cos(slope))
    expected = acceleration * rolls.t
    np.testing.assert_allclose(speed_of(rolls), expected, atol=1e-8 * expected[-1])


@pytest.mark.parametrize("dim", [2, 3])
def test_a_ball_that_rolls_uphill_turns_back(dim):
    """It slows down with 5/7 g (sin θ + b/R cos θ), and returns with 5/7 g (sin θ − b/R cos θ)."""
    slope = math.atan(5.0 * LEVER / RADIUS)
    resistance = LEVER / RADIUS * math.cos(slope)
    up, down = (5.0 / 7.0 * GRAVITY * (math.sin(slope) + part) for part in (resistance, -resistance))
    turn = SPEED / up
    result = run(wheel(dim, slope=slope, speed=-SPEED), 3.0 * turn)
    velocity = turning_of(result, dim)
    np.testing.assert_allclose(events(result), [turn], rtol=1e-9)
    expected = np.where(result.t < turn, -SPEED + up * result.t, down * (result.t - turn))
    np.testing.assert_allclose(velocity, expected, atol=1e-10)


def test_a_ball_that_spins_about_the_normal_slows_down_and_stops():
    """I dω/dt = −b_s m g."""
    spin = 7.0
    deceleration = SPINNING * GRAVITY / (BALL * RADIUS**2)
    result = run(wheel(3, speed=0.0, spin=spin, spinning=SPINNING), 1.5 * spin / deceleration)
    np.testing.assert_allclose(events(result), [spin / deceleration], rtol=1e-12)
    np.testing.assert_allclose(spin_of(result), np.maximum(spin - deceleration * result.t, 0.0), atol=1e-12)
    assert np.abs(spin_of(result)[result.t > events(result)[0]]).max() < 1e-20
    assert result.energy.friction[-1] == pytest.approx(0.5 * BALL * MASS * RADIUS**2 * spin**2, rel=1e-12)


def test_rotation_about_the_normal_is_free_without_spinning_resistance():
    result = run(wheel(3, spin=7.0), 0.5)
    np.testing.assert_allclose(spin_of(result), 7.0, atol=1e-8)
    expected = SPEED - 5.0 / 7.0 * GRAVITY * LEVER / RADIUS * result.t
    np.testing.assert_allclose(speed_of(result), expected, atol=1e-8)


def test_rolling_and_spinning_of_a_ball_end_independently():
    """Both slow down linearly, with an event at the end of each."""
    rolling, spinning = 5.0 / 7.0 * GRAVITY * LEVER / RADIUS, SPINNING * GRAVITY / (BALL * RADIUS**2)
    stops = [SPEED / rolling, 0.4 * SPEED / rolling]
    result = run(wheel(3, spin=spinning * stops[1], spinning=SPINNING), 1.2 * stops[0])
    np.testing.assert_allclose(events(result), sorted(stops), rtol=1e-6)
    np.testing.assert_allclose(speed_of(result), np.maximum(SPEED - rolling * result.t, 0.0), atol=1e-7)
    np.testing.assert_allclose(spin_of(result), spinning * np.maximum(stops[1] - result.t, 0.0), atol=1e-6)


@pytest.mark.parametrize("dim", [2, 3])
def test_a_ball_that_slides_begins_to_roll(dim):
    """R dω/dt = g (μ − b/R)/c and dv/dt = −μ g until the speeds are equal, then dv/dt = −g b/(R (1 + c))."""
    slowing, turning = FRICTION * GRAVITY, GRAVITY * (FRICTION - LEVER / RADIUS) / BALL
    rolls = SPEED / (slowing + turning)
    rolling = GRAVITY * LEVER / RADIUS / (1.0 + BALL)
    result = run(wheel(dim, turning=0.0), 20.0 * rolls)
    np.testing.assert_allclose(events(result), [rolls], rtol=1e-9)
    later = turning * rolls - rolling * (result.t - rolls)
    slides = result.t < rolls
    np.testing.assert_allclose(speed_of(result), np.where(slides, SPEED - slowing * result.t, later), atol=1e-9)
    np.testing.assert_allclose(turning_of(result, dim), np.where(slides, turning * result.t, later), atol=1e-9)


@pytest.mark.parametrize("dim", [2, 3])
def test_a_ball_with_a_long_lever_slides_and_does_not_roll(dim):
    """Friction does not turn a ball with μ R < b: it slides down with g (sin θ − μ cos θ)."""
    friction, slope = 0.1, 0.3
    result = run(wheel(dim, slope=slope, speed=0.0, friction=friction, lever=1.1 * friction * RADIUS), 1.0)
    acceleration = GRAVITY * (math.sin(slope) - friction * math.cos(slope))
    np.testing.assert_allclose(speed_of(result), acceleration * result.t, atol=1e-11)
    assert np.abs(turning_of(result, dim)).max() < 1e-13
    rolls = run(wheel(dim, slope=slope, speed=0.0, friction=friction, lever=0.9 * friction * RADIUS), 1.0)
    turning = 0.1 * friction * GRAVITY * math.cos(slope) / BALL
    np.testing.assert_allclose(turning_of(rolls, dim), turning * rolls.t, atol=1e-10)


@pytest.mark.parametrize(
    ("dim", "axis", "lever", "inertia"),
    [
        (2, None, LEVER, (1.0 + BALL) * MASS * RADIUS**2),
        (3, (-0.8, 0.6, 0.0), LEVER, (1.0 + BALL) * MASS * RADIUS**2),
        (3, (0.0, 0.0, 1.0), SPINNING, BALL * MASS * RADIUS**2),
    ],
    ids=["2D", "3D", "spinning"],
)
def test_a_torque_turns_a_ball_when_it_exceeds_the_limit(dim, axis, lever, inertia):
    """J dω/dt = M sin κt − b m g from the first time at which this is positive."""
    kappa, limit = 3.0, lever * MASS * GRAVITY
    most = 2.0 * limit
    system = wheel(dim, speed=0.0, spinning=SPINNING)
    torque = (lambda t: -most * math.sin(kappa * t)) if dim == 2 else (lambda t: most * math.sin(kappa * t))
    system.add(cm.Torque(system["wheel"], torque, axis=axis))
    onset = math.asin(0.5) / kappa
    result = run(system, 0.9)
    np.testing.assert_allclose(events(result), [onset], rtol=1e-8)
    t, begun = result.t, result.t > onset
    omega = (most / kappa * (math.cos(kappa * onset) - np.cos(kappa * t)) - limit * (t - onset)) / inertia
    measured = spin_of(result) if lever == SPINNING else turning_of(result, dim) / RADIUS
    np.testing.assert_allclose(measured, np.where(begun, omega, 0.0), atol=1e-7 * omega.max())


IMPACTS = pytest.mark.parametrize("restitution", [0.0, 0.7])


@pytest.mark.parametrize("dim", [2, 3])
@IMPACTS
def test_an_oblique_impact_with_sliding_and_rolling_resistance(dim, restitution):
    """P = (1 + ε) m v: the speed changes by −μ P/m, R ω by (μ − b/R) P/(c m), the spin by −b_s P/I."""
    friction, lever, spinning, fall, spin = 0.1, 4e-3, 1e-3, 0.5, 20.0
    system = wheel(dim, speed=SPEED, turning=0.1, height=1e-3, fall=fall, friction=friction, restitution=restitution,
                   lever=lever, spinning=spinning, spin=spin)  # fmt: skip
    system.gravity = (0.0,) * dim
    result = run(system, 4e-3)
    per_mass, body = (1.0 + restitution) * fall, result["wheel"]
    velocity = body.velocity[-1]
    assert velocity[-1] == pytest.approx(restitution * fall, abs=1e-14)
    assert np.linalg.norm(velocity[:-1]) == pytest.approx(SPEED - friction * per_mass, rel=1e-12)
    turned = turning_of(result, dim)[-1]
    assert turned == pytest.approx(0.1 + (friction - lever / RADIUS) * per_mass / BALL, rel=1e-12)
    if dim == 3:
        assert spin_of(result)[-1] == pytest.approx(spin - spinning * per_mass / (BALL * RADIUS**2), rel=1e-12)
    assert result.energy.friction[-1] + result.energy.dissipated[-1] == pytest.approx(
        result.energy.kinetic[0] - result.energy.kinetic[-1], rel=1e-12
    )
    assert result.impacts[0].approach_speed == pytest.approx(fall)


@pytest.mark.parametrize("dim", [2, 3])
@IMPACTS
def test_an_impact_stops_a_slow_wheel(dim, restitution):
    """Where the limits are not reached, neither sliding, rolling nor spinning is left."""
    system = wheel(dim, speed=0.02, turning=-0.01, height=1e-3, fall=1.0, restitution=restitution, lever=0.03,
                   spinning=0.01, spin=0.5)  # fmt: skip
    system.gravity = (0.0,) * dim
    result = run(system, 4e-3)
    assert np.abs(result["wheel"].velocity[-1, :-1]).max() < 1e-15
    assert np.abs(result["wheel"].angular_velocity[-1]).max() < 1e-13


def test_a_cart_on_two_wheels_slows_down():
    """(m + 2 c m_w) a = −m g b/R for the total mass m, with joints between its bodies."""
    cart, wheel_mass, shape, half = 5.0, 1.0, 0.5, 0.3
    system = cm.System(gravity=(0.0, -GRAVITY))
    body = system.add(cm.Body("cart", cart, 0.2, (0.0, 0.15), velocity=(SPEED, 0.0)))
    for name, x in (("rear", -half), ("front", half)):
        part = system.add(cm.Body(name, wheel_mass, shape * wheel_mass * RADIUS**2, (x, RADIUS), velocity=(SPEED, 0.0),
                                  angular_velocity=-SPEED / RADIUS))  # fmt: skip
        system.add(cm.Revolute(body, part, at=(x, RADIUS)))
        system.add(cm.Contact(cm.Sphere(part, RADIUS), cm.Plane(system.ground), impact=cm.ImpactLaw(0.0, friction=0.5),
                              rolling=cm.friction.Rolling(LEVER)))  # fmt: skip
    mass = cart + 2.0 * wheel_mass
    deceleration = mass * GRAVITY * LEVER / RADIUS / (mass + 2.0 * shape * wheel_mass)
    result = run(system, 1.2 * SPEED / deceleration)
    np.testing.assert_allclose(result["cart"].vx, np.maximum(SPEED - deceleration * result.t, 0.0), atol=1e-11)


def test_a_contact_without_resistance_is_free_beside_one_with_it():
    system = wheel(3)
    other = system.add(cm.Body("free", MASS, BALL * MASS * RADIUS**2, (5.0, 0.0, RADIUS), velocity=(SPEED, 0.0, 0.0),
                               angular_velocity=(0.0, SPEED / RADIUS, 0.0)))  # fmt: skip
    impact = cm.ImpactLaw(0.0, friction=0.5)
    system.add(cm.Contact(cm.Sphere(other, RADIUS), cm.Plane(system.ground), impact=impact, name="free floor"))
    result = run(system, 0.5)
    np.testing.assert_allclose(result["free"].vx, SPEED, atol=1e-12)
    expected = SPEED - 5.0 / 7.0 * GRAVITY * LEVER / RADIUS * result.t
    np.testing.assert_allclose(speed_of(result), expected, atol=1e-11)


def groove(pull: float) -> cm.System:
    """Return a ball that rolls in a groove of 90° along x, pulled by the acceleration ``pull`` [m/s²]."""
    system = cm.System(dim=3, gravity=(pull, 0.0, -GRAVITY))
    ball = system.add(cm.Body("ball", MASS, BALL * MASS * RADIUS**2, (0.0, 0.0, math.sqrt(2.0) * RADIUS),
                              velocity=(SPEED, 0.0, 0.0),
                              angular_velocity=(0.0, math.sqrt(2.0) * SPEED / RADIUS, 0.0)))  # fmt: skip
    for side in (1.0, -1.0):
        system.add(cm.Contact(cm.Sphere(ball, RADIUS), cm.Plane(system.ground, normal=(0.0, side, 1.0)),
                              impact=cm.ImpactLaw(0.0, friction=0.3),
                              rolling=cm.friction.Rolling(LEVER, spinning=1e-3)))  # fmt: skip
    return system


def test_a_ball_in_a_groove_has_the_resistance_of_its_least_friction():
    """(1 + 2 c) a = g_x − √2 (b + b_s) g/R without friction across the groove, where normal forces are not unique."""
    pull = 0.2
    acceleration = (pull - math.sqrt(2.0) * GRAVITY * (LEVER + 1e-3) / RADIUS) / (1.0 + 2.0 * BALL)
    result = run(groove(pull), 1.0)
    np.testing.assert_allclose(result["ball"].vx, SPEED + acceleration * result.t, atol=1e-4)
    assert result.energy.drift < 1e-12


@pytest.mark.parametrize(
    ("dim", "options", "body"),
    [
        (2, {"turning": -2.0, "height": 0.2, "restitution": 0.5}, {}),
        (3, {"turning": -2.0, "spin": 9.0, "height": 0.2, "restitution": 0.5}, {"angular_velocity": (3.0, -20.0, 9.0)}),
        (3, {"slope": 0.05, "spin": 30.0}, {"velocity": (-1.0, 0.3, 0.0), "angular_velocity": (-3.0, -10.0, 5.0)}),
    ],
    ids=["2D", "3D", "incline"],
)
def test_time_stepping_converges_to_an_event_driven_run(dim, options, body):
    """A ball bounces, slides, rolls and spins; the errors of two step sizes have the ratio of the steps."""
    t_end = 1.5

    def system():
        built = wheel(dim, lever=4e-3, spinning=1e-3, friction=0.2, **options)
        for name, value in body.items():
            setattr(built["wheel"], name, value)
        return built

    exact = run(system(), t_end, output=[t_end])
    errors = []
    for step in (1e-3, 1e-4):
        other = cm.simulate(system(), t_end, method="nonsmooth", step=step, output=[t_end])
        velocity = other["wheel"].velocity[-1] - exact["wheel"].velocity[-1]
        omega = np.atleast_1d(other["wheel"].angular_velocity[-1] - exact["wheel"].angular_velocity[-1])
        errors.append(np.abs(np.concatenate([velocity, RADIUS * omega])).max())
    assert errors[1] < max(0.3 * errors[0], 1e-10)
    assert errors[1] < 5e-4
    assert exact.energy.drift < 1e-8
