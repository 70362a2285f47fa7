"""Event-driven runs in 3D: impacts, sliding, sticking and rolling, against closed forms and other integrators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk

import carom as cm
from carom import Outcome
from carom.solve.event_driven import event_driven_run
from solve.event_driven.event_runs import G, run

HALF, MASS, RADIUS = (0.2, 0.15, 0.05), 2.0, 0.1
INERTIA = [MASS / 3.0 * (sum(h * h for h in HALF) - h * h) for h in HALF]
THREE = ((0.2, 0.0), (-0.1, 0.15), (-0.1, -0.15))
FOUR = ((0.2, 0.15), (-0.2, 0.15), (-0.2, -0.15), (0.2, -0.15))
FEET = pytest.mark.parametrize("feet", [THREE, FOUR, None], ids=["three feet", "four feet", "box"])


def block(velocity: Any, friction: float, slope: float = 0.0, feet: Any = THREE, **body: Any) -> cm.System:
    """Return a block on a plane, with gravity tilted towards x; it stands on points, or with its box."""
    system = cm.System(dim=3, gravity=(G * math.sin(slope), 0.0, -G * math.cos(slope)))
    body = {"position": (0.0, 0.0, HALF[2]), **body}
    block = system.add(cm.Body("block", MASS, INERTIA, velocity=velocity, **body))
    impact, floor = cm.ImpactLaw(0.0, friction), cm.Plane(system.ground)
    if feet is None:
        system.add(cm.Contact(cm.Box(block, HALF), floor, impact=impact, name="touch"))
    for k, (x, y) in enumerate(feet or ()):
        system.add(cm.Contact(cm.Point(block, (x, y, -HALF[2])), floor, impact=impact, name=f"foot {k}"))
    return system


def ball(velocity: Any, spin: Any = (0, 0, 0), friction: float = 0.0, restitution: float = 0.0, height: float = 0.0):
    """Return a ball above a floor."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -G))
    inertia = 0.4 * MASS * RADIUS**2
    body = system.add(cm.Body("ball", MASS, inertia, (0, 0, RADIUS + height), velocity=velocity, angular_velocity=spin))
    impact = cm.ImpactLaw(restitution, friction)
    system.add(cm.Contact(cm.Sphere(body, RADIUS), cm.Plane(system.ground), impact=impact, name="floor"))
    return system


def event_times(result: cm.Result) -> np.ndarray:
    """Return the times at which a result has two nodes: before and after an event."""
    return np.unique(result.t[1:][np.diff(result.t) == 0.0])


def obeys_the_laws(result: cm.Result, friction: float) -> None:
    """Check Signorini and Coulomb at every node of all contacts with a single spot, and the energy balance."""
    for info in result.elements:
        contact = result[info.name]
        if info.family != "contact" or not hasattr(contact, "sliding_speed"):
            continue
        normal, tangential, slip = contact.normal_force, contact.friction_force, contact.sliding_speed
        small = 1e-7 * (normal.max() + 1e-12)
        assert contact.indentation.max() < 1e-11
        assert normal.min() >= -small
        assert np.all(np.abs(contact.indentation[normal > small]) < 1e-11)
        assert np.all(tangential <= friction * normal + small)
        slides = (slip > 1e-6) & (normal > small)
        assert np.all(np.abs(tangential - friction * normal)[slides] <= small)
    assert result.energy.drift < 1e-8


# ---- sliding to rest


@FEET
def test_a_block_slides_to_rest(feet):
    """Straight, for v/(μ g) and v²/(2 μ g), and then it stays; four feet are one more than its normal forces need."""
    speed, friction = 2.0, 0.3
    result = run(block((0.6 * speed, 0.8 * speed, 0.0), friction, feet=feet), 1.0)
    stop, way = speed / (friction * G), speed**2 / (2.0 * friction * G)
    np.testing.assert_allclose(event_times(result), [stop], rtol=1e-13)
    np.testing.assert_allclose(result["block"].position[-1], [0.6 * way, 0.8 * way, HALF[2]], atol=1e-13)
    assert np.abs(result["block"].velocity[result.t > stop]).max() < 1e-13
    obeys_the_laws(result, friction)


@FEET
@pytest.mark.parametrize(("friction", "stops"), [(0.2, False), (0.5, True), (0.35, True)])
def test_a_block_that_is_launched_across_an_incline(feet, friction, stops):
    """dv/dt = g sin θ − μ g cos θ v/|v|, by another integrator; with μ > tan θ it stops, turned downhill."""
    slope, start = 0.3, np.array([-0.5, 1.0])

    def rates(t, y):
        drag = friction * G * math.cos(slope) * y[2:] / np.hypot(*y[2:])
        return [*y[2:], G * math.sin(slope) - drag[0], -drag[1]]

    def slow(t, y):
        return np.hypot(y[2], y[3]) - 1e-9

    slow.terminal = True
    known = solve_ivp(rates, (0.0, 1.0), [0.0, 0.0, *start], method="DOP853", rtol=1e-12, atol=1e-13, events=slow)
    result = run(block((*start, 0.0), friction, slope, feet), 1.0)
    np.testing.assert_allclose(result["block"].position[-1, :2], known.y[:2, -1], atol=1e-11)
    assert result.stats["events"] == stops
    if stops:
        assert event_times(result)[0] == pytest.approx(known.t[-1], abs=5e-7)
        assert np.abs(result["block"].velocity[-1]).max() < 1e-13
    else:
        np.testing.assert_allclose(result["block"].velocity[-1, :2], known.y[2:, -1], atol=1e-11)
    assert result.stats["steps"] < 200
    obeys_the_laws(result, friction)


@pytest.mark.parametrize("side", [0.0, 1e-12, 1e-9, 1e-7, 1e-5])
def test_sliding_reverses_through_zero_or_just_beside_it(side):
    """Uphill with g (sin θ + μ cos θ), then downhill with g (sin θ − μ cos θ); a small side velocity changes little."""
    slope, friction = 0.4, 0.2
    up, down = (G * (math.sin(slope) + sign * friction * math.cos(slope)) for sign in (1.0, -1.0))
    result = run(block((-1.0, side, 0.0), friction, slope), 1.0)
    x = -0.5 / up + 0.5 * down * (1.0 - 1.0 / up) ** 2
    assert result["block"].x[-1] == pytest.approx(x, abs=1e-9)
    assert result["block"].vx[-1] == pytest.approx(down * (1.0 - 1.0 / up), abs=1e-9)
    assert result.stats["steps"] < 300
    obeys_the_laws(result, friction)


def test_a_block_stops_sticks_and_slides_again_under_a_growing_pull():
    """A pull c t: the block stops where v + c t²/2m = μ g t, sticks until c t = μ m g, then x grows by c τ³/6m."""
    friction, rate, speed, end = 0.3, 4.0, 1.0, 1.8
    system = block((0.6 * speed, 0.8 * speed, 0.0), friction)
    foot = system["block"].marker((0.0, 0.0, -HALF[2]))
    system.add(cm.PointForce(foot, lambda t: (2.4 * t, 3.2 * t, 0.0), name="pull"))
    result = run(system, end)
    onset = friction * MASS * G / rate
    stop = onset - math.sqrt(onset**2 - 2.0 * MASS * speed / rate)
    times = event_times(result)
    assert times[0] == pytest.approx(stop, rel=1e-11)
    np.testing.assert_allclose(times[1:], onset, rtol=1e-8)  # of one foot after the other
    way = speed * stop + rate * stop**3 / (6.0 * MASS) - 0.5 * friction * G * stop**2
    np.testing.assert_allclose(result.sample([1.2])["block"].position[-1, :2], [0.6 * way, 0.8 * way], atol=1e-10)
    way += rate * (end - onset) ** 3 / (6.0 * MASS)
    np.testing.assert_allclose(result["block"].position[-1], [0.6 * way, 0.8 * way, HALF[2]], atol=1e-7)


def test_sliding_begins_in_the_direction_of_a_turning_pull():
    """m dv/dt = F(t) − μ m g v/|v| from the onset on is stiff: an implicit integrator knows its solution."""
    friction = 0.3

    def pull(t):
        return (2.35 * math.cos(3.0 * t) * (1.0 + math.sin(2.0 * t)), 3.53 * math.sin(3.0 * t), 0.0)

    def surplus(t):
        return math.hypot(*pull(t)) - friction * G

    system = cm.System(dim=3, gravity=(0.0, 0.0, -G))
    body = system.add(cm.Body("point", 1.0, (1.0, 1.0, 1.0)))
    impact = cm.ImpactLaw(0.0, friction)
    system.add(cm.Contact(cm.Point(body, (0.0, 0.0, 0.0)), cm.Plane(system.ground), impact=impact, name="floor"))
    system.add(cm.PointForce(body, pull, name="pull"))
    result = run(system, 2.0)
    onset = brentq(surplus, 0.05, 0.2, xtol=1e-15)
    np.testing.assert_allclose(event_times(result), [onset], rtol=1e-10)

    def rates(t, y):
        drag = friction * G / np.hypot(*y[2:])
        return [*y[2:], pull(t)[0] - drag * y[2], pull(t)[1] - drag * y[3]]

    delay, jerk = 1e-6, (surplus(onset + 1e-6) - surplus(onset)) / 1e-6
    begin = 0.5 * jerk * delay**2 * np.array(pull(onset)[:2]) / (friction * G)
    known = solve_ivp(rates, (onset + delay, 2.0), [0.0, 0.0, *begin], method="Radau", rtol=1e-10, atol=1e-16)
    np.testing.assert_allclose(result["point"].position[-1, :2], known.y[:2, -1], atol=1e-9)
    np.testing.assert_allclose(result["point"].velocity[-1, :2], known.y[2:, -1], atol=1e-9)
    assert result.stats["steps"] < 600
    obeys_the_laws(result, friction)


def test_a_turning_and_sliding_block_agrees_with_time_stepping():
    """Each foot slides in its own direction; the steps converge to the run from event to event."""
    options = {"angular_velocity": (0.0, 0.0, 6.0)}
    exact = run(block((1.0, 0.5, 0.0), 0.3, **options), 1.0)
    errors = []
    for step in (4e-4, 1e-4):
        other = cm.simulate(block((1.0, 0.5, 0.0), 0.3, **options), 1.0, method="nonsmooth", step=step, output=[1.0])
        errors.append(float(np.abs(other["block"].position[-1] - exact["block"].position[-1]).max()))
    assert errors[1] < 2e-5
    assert errors[1] < 0.5 * errors[0]
    obeys_the_laws(exact, 0.3)


@pytest.mark.parametrize("feet", [FOUR, None], ids=["four feet", "box"])
def test_feet_that_depend_on_each_other_stop_together(feet):
    """Four feet of a turning block end their sliding within a few events, without a livelock."""
    result = run(block((1.0, 0.5, 0.0), 0.3, feet=feet, angular_velocity=(0.0, 0.0, 6.0)), 1.0)
    assert result.stats["events"] <= 8
    assert np.abs(result["block"].velocity[-1]).max() < 1e-13
    assert result.energy.drift < 1e-8


# ---- rolling


def test_a_ball_with_back_spin_slides_and_then_rolls():
    """Sliding ends at 2 s/(7 μ g) for the slip speed s = v + R ω, with v − 2/7 s."""
    speed, spin, friction = 2.0, 5.0, 0.3
    result = run(ball((0.6 * speed, 0.8 * speed, 0.0), (0.8 * spin, -0.6 * spin, 0.0), friction), 1.0)
    slip = speed + RADIUS * spin
    np.testing.assert_allclose(event_times(result), [2.0 * slip / (7.0 * friction * G)], rtol=1e-13)
    late = result.t > 2.0 * slip / (7.0 * friction * G)
    expected = np.array([0.6, 0.8, 0.0]) * (speed - 2.0 / 7.0 * slip)
    np.testing.assert_allclose(result["ball"].velocity[late], np.tile(expected, (late.sum(), 1)), atol=1e-12)
    assert result["floor"].sliding_speed[-1] < 1e-12
    obeys_the_laws(result, friction)


@pytest.mark.parametrize("friction", [0.0, 0.05, 0.5])
def test_a_ball_in_a_bowl_agrees_with_time_stepping(friction):
    """The tangents of the contact jump several times in an orbit, the motion does not."""

    def bowl() -> cm.System:
        system = cm.System(dim=3, gravity=(0.0, 0.0, -G))
        angle = 0.5
        body = system.add(cm.Body("ball", MASS, 0.4 * MASS * RADIUS**2,
                                  (0.9 * math.sin(angle), 0, -0.9 * math.cos(angle)),
                                  velocity=(0.23 * math.cos(angle), 0.8, 0.23 * math.sin(angle))))  # fmt: skip
        shapes = cm.Sphere(body, RADIUS), cm.Sphere(system.ground, 1.0, inside=True)
        system.add(cm.Contact(*shapes, impact=cm.ImpactLaw(0.0, friction), name="bowl"))
        return system

    exact = run(bowl(), 2.0)
    other = cm.simulate(bowl(), 2.0, method="nonsmooth", step=1e-4, output=[2.0])
    np.testing.assert_allclose(exact["ball"].position[-1], other["ball"].position[-1], atol=5e-5)
    np.testing.assert_allclose(np.linalg.norm(exact["ball"].position, axis=1), 0.9, atol=1e-13)
    n = np.stack([exact["bowl"].nx, exact["bowl"].ny])
    assert np.any(np.diff(np.sign(np.abs(n[0]) - np.abs(n[1]))) != 0.0)  # the first tangent changes its definition
    obeys_the_laws(exact, friction)


# ---- impacts


def test_a_bouncing_ball_returns_with_the_restitution():
    """Impacts at √(2 h/g) (1 + 2 Σ εᵏ), and at rest on the floor after √(2 h/g) (1 + ε)/(1 − ε)."""
    restitution, height = 0.7, 1.0
    result = run(ball((1.0, 2.0, 0.0), restitution=restitution, height=height), 3.0)
    fall = math.sqrt(2.0 * height / G)
    expected = fall * (1.0 + 2.0 * np.cumsum([0.0, *restitution ** np.arange(1.0, 12.0)]))
    np.testing.assert_allclose([impact.t_start for impact in result.impacts[:12]], expected, rtol=1e-13)
    for k, impact in enumerate(result.impacts[:12]):
        assert impact.approach_speed == pytest.approx(G * fall * restitution**k, rel=1e-11)
        assert impact.restitution == pytest.approx(restitution, rel=1e-11)
    rest = result.t > fall * (1.0 + restitution) / (1.0 - restitution)
    assert np.abs(result["ball"].z[rest] - RADIUS).max() < 1e-13
    np.testing.assert_allclose(result["ball"].position[-1, :2], [3.0, 6.0], rtol=1e-12)


@pytest.mark.parametrize("friction", [0.05, 1.0], ids=["slides", "sticks"])
def test_an_oblique_impact_of_a_spinning_ball_in_3d(friction):
    """Friction stops the slip with 2/7 m s, or has the limit μ (1 + ε) m v_n; it acts against the slip."""
    fall, restitution = 3.0, 0.5
    velocity, spin = np.array([1.0, 0.5]), np.array([4.0, -7.0, 2.0])
    system = ball((*velocity, -fall), spin, friction, restitution, height=0.3)
    system.gravity = (0.0, 0.0, 0.0)
    result = run(system, 0.2)
    slip = velocity + RADIUS * np.array([-spin[1], spin[0]])
    impulse = min(2.0 / 7.0 * np.linalg.norm(slip), friction * (1.0 + restitution) * fall)
    expected = velocity - impulse * slip / np.linalg.norm(slip)
    np.testing.assert_allclose(result["ball"].velocity[-1], [*expected, restitution * fall], atol=1e-11)


def test_a_spatial_pendulum_hits_a_wall():
    """It falls from the horizontal in √(l/g) K(1/2), hits with √(2 g r²/l) and returns ε times as fast."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -G))
    bob = system.add(cm.Body("bob", 1.0, (0.01, 0.01, 0.01), (0.6, 0.8, 0.0)))
    system.add(cm.Spherical(system.ground, bob, at=(0.0, 0.0, 0.0)))
    wall = cm.Plane(system.ground, (-0.03, -0.04, 0.0), (0.6, 0.8, 0.0))
    system.add(cm.Contact(cm.Sphere(bob, 0.05), wall, impact=cm.ImpactLaw(0.6, friction=0.2), name="wall"))
    result = run(system, 1.6, rtol=1e-11, atol=1e-13)
    length = 1.01  # of the mathematical pendulum with the same period
    first = result.impacts[0]
    assert first.t_start == pytest.approx(math.sqrt(length / G) * ellipk(0.5), rel=1e-9)
    assert first.approach_speed == pytest.approx(math.sqrt(2.0 * G / length), rel=1e-9)
    assert first.restitution == pytest.approx(0.6, rel=1e-9)
    np.testing.assert_allclose(np.linalg.norm(result["bob"].position, axis=1), 1.0, atol=1e-12)
    assert result["bob"].z.max() < 1e-9
    assert result.energy.drift < 1e-9


def test_corners_that_strike_together_return_together():
    """A box that falls flat: four simultaneous impacts, rebound with ε v, and no rotation."""
    system = block((0.3, 0.0, 0.0), 0.0, feet=None, position=(0.0, 0.0, HALF[2] + 0.5))
    system["touch"].impact = cm.ImpactLaw(0.5)
    fall = math.sqrt(2.0 * 0.5 / G)
    result = run(system, 1.5 * fall)
    assert result["block"].vz[-1] == pytest.approx(0.5 * G * fall - 0.5 * G * fall, abs=1e-10)
    assert np.abs(result["block"].omega).max() < 1e-11
    assert len(result.impacts) >= 3  # three corners can carry the impulse
    assert all(impact.restitution == pytest.approx(0.5, abs=1e-9) for impact in result.impacts)


@pytest.mark.parametrize(("restitution", "friction"), [(0.3, 0.3), (0.0, 0.5), (0.6, 0.0)])
def test_a_tumbling_box_obeys_the_laws_of_contact(restitution, friction):
    """Hundreds of impacts on all corners; with friction the box comes to rest flat on the floor."""
    system = block((1.0, 0.3, 0.0), friction, feet=None, position=(0.0, 0.0, 0.6), angular_velocity=(3.0, 2.0, 1.0))
    system["touch"].impact = cm.ImpactLaw(restitution, friction)
    result = run(system, 2.0)
    obeys_the_laws(result, friction)
    if friction > 0.0:
        assert result["block"].z[-1] == pytest.approx(HALF[2], abs=1e-12)
        assert np.abs(result["block"].velocity[-1]).max() < 1e-12
    else:
        np.testing.assert_allclose(result["block"].velocity[-1, :2], [1.0, 0.3], atol=1e-12)


# ---- runs


def test_generalised_coordinates_with_two_tangents():
    """A particle on a plane stops after v²/(2 μ g)."""
    system = cm.GeneralizedSystem(
        [0.0, 0.0, 0.0], [1.2, 1.6, 0.0], np.eye(3), lambda q: np.array([0.0, 0.0, -G]), lambda q: np.array([q[2]]),
        tangential=lambda q: np.array([[q[0], q[1]]]), impact=cm.ImpactLaw(0.5, 0.3), coordinates=["x", "y", "z"],
    )  # fmt: skip
    result = run(system, 1.0)
    way = 4.0 / (2.0 * 0.3 * G)
    np.testing.assert_allclose([result[name].value[-1] for name in "xyz"], [0.6 * way, 0.8 * way, 0.0], atol=1e-12)


def test_events_without_end_at_one_time_end_the_run(monkeypatch):
    monkeypatch.setattr(event_driven_run, "MAX_CLUSTER", 0)
    result = cm.simulate(ball((1.0, 0.0, 0.0), friction=0.3), 1.0, method="nonsmooth", scheme="event-driven")
    assert result.outcome is Outcome.STALLED
    assert "the last event at contact 'floor'; use time stepping" in result.message
