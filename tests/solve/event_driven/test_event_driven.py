"""Event-driven runs of a few bodies against closed forms: impacts, their accumulation, sliding, sticking, release."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipk

import carom as cm
from carom import Outcome
from carom.solve.event_driven import event_driven_run as event_driven
from solve.event_driven.event_runs import G, block, drop, obeys_the_laws, run

# ---- impacts and their accumulation


@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_bouncing_ball(restitution):
    """Impacts at t₀ (1 + 2 ε (1 − εᵏ)/(1 − ε)), rest at t₀ (1 + ε)/(1 − ε), t₀ = √(2h/g)."""
    fall = math.sqrt(2.0 / G)
    rest = fall * (1.0 + restitution) / (1.0 - restitution)
    result = run(drop(restitution), 1.3 * rest)
    times = np.array([impact.t_start for impact in result.impacts])
    k = np.arange(len(times))
    assert times == pytest.approx(
        fall * (1.0 + 2.0 * restitution * (1.0 - restitution**k) / (1.0 - restitution)), abs=1e-11
    )
    assert times[-1] == pytest.approx(rest, abs=1e-7)
    for number, impact in enumerate(result.impacts[:20]):
        assert impact.approach_speed == pytest.approx(G * fall * restitution**number, rel=1e-9)
        assert (
            impact.impulse == pytest.approx((1.0 + restitution) * impact.approach_speed, rel=1e-9)
            or not impact.finished
        )
    last, floor, ball = result.impacts[-1], result["floor"], result["ball"]
    assert last.persistent
    assert not last.finished
    assert floor.normal_force[-1] == pytest.approx(G, rel=1e-12)
    assert floor.contact_mode[-1] == 2.0
    assert ball.y[result.t > rest] == pytest.approx(0.1, abs=1e-14)
    assert result.energy.dissipated[-1] == pytest.approx(G, rel=1e-12)
    assert result.energy.drift < 1e-12


def test_short_flights_are_longer_than_rounding():
    """On a floor at 100 m gaps are rounded to 1e-14 m, higher than the last flights; they are told by velocities."""
    fall = math.sqrt(2.0 / G)
    times = [impact.t_start for impact in run(drop(0.5, floor=100.0), 1.5).impacts]
    assert times == pytest.approx([fall * (3.0 - 2.0 * 0.5**k) for k in range(len(times))], abs=1e-10)
    assert times[-1] == pytest.approx(3.0 * fall, abs=1e-7)


def test_an_impact_is_two_nodes():
    result = run(drop(0.5), 0.6)
    (jump,) = np.flatnonzero(np.diff(result.t) == 0.0)
    speed = math.sqrt(2.0 * G)
    assert result["ball"].vy[[jump, jump + 1]] == pytest.approx([-speed, 0.5 * speed], rel=1e-12)
    assert result.smooth
    assert result["ball"].ay == pytest.approx(-G, rel=1e-12)
    between = result.sample([0.3, 0.55])
    flight = 0.55 - math.sqrt(2.0 / G)
    assert between["ball"].y == pytest.approx(
        [1.1 - 0.045 * G, 0.1 + flight * (0.5 * speed - 0.5 * G * flight)], abs=1e-12
    )


def test_elastic_ball_keeps_its_energy():
    fall = math.sqrt(2.0 / G)
    result = run(drop(1.0), 20.0 * fall)
    assert [impact.t_start for impact in result.impacts] == pytest.approx(
        [(2 * k + 1) * fall for k in range(10)], abs=1e-10
    )
    assert np.ptp(result.energy.total) < 1e-12


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_spinning_ball_against_the_floor(law):
    """P_N = (1 + ε) m v; the floor turns back spin until it rolls or friction is used up."""
    for friction, restitution, spin in ((0.05, 0.6, 20.0), (0.4, 0.6, 20.0)):
        system = cm.System(name="spin")
        ball = system.add(cm.Body("ball", 1.5, 0.006, (0.0, 1.1), velocity=(0.0, -2.0), angular_velocity=spin))
        impact = cm.ImpactLaw(restitution, friction, law=law)
        system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), impact=impact, name="floor"))
        result = run(system, 0.6)
        normal = 1.6 * 1.5 * 2.0
        stick = 20.0 * 0.1 / (1.0 / 1.5 + 0.01 / 0.006)
        tangential = min(friction * normal, stick)
        assert result["ball"].vy[-1] == pytest.approx(1.2, rel=1e-12)
        assert abs(result["ball"].vx[-1]) == pytest.approx(tangential / 1.5, rel=1e-10)
        assert result["ball"].omega[-1] == pytest.approx(20.0 - 0.1 * tangential / 0.006, rel=1e-10)
        assert result.impacts[0].impulse == pytest.approx(normal, rel=1e-12)


def test_short_excursion_is_not_missed():
    """A ball at 20 m/s grazes a peg: the gap is negative for 0.4 ms of ten seconds, in which nothing else happens."""
    system = cm.System(name="peg")
    ball = system.add(cm.Body("ball", 1.0, 1.0, (-100.0, 0.0199), velocity=(20.0, 0.0)))
    system.add(cm.Contact(cm.Sphere(ball, 0.01), cm.Sphere(system.ground, 0.01), impact=cm.ImpactLaw(1.0), name="peg"))
    result = run(system, 10.0)
    (impact,) = result.impacts
    along = math.sqrt(0.02**2 - 0.0199**2)
    assert impact.t_start == pytest.approx((100.0 - along) / 20.0, abs=1e-10)
    assert impact.approach_speed == pytest.approx(20.0 * along / 0.02, rel=1e-8)


def test_cradle():
    """Newton's law for all contacts at once: the balls behind stay together."""
    system = cm.System(name="cradle")
    balls = [system.add(cm.Body(f"ball {k}", 1.0, 1.0, (0.2 * k, 0.0))) for k in range(3)]
    balls[0].position, balls[0].velocity = (-0.3, 0.0), (1.0, 0.0)
    for k in range(2):
        spheres = cm.Sphere(balls[k], 0.1), cm.Sphere(balls[k + 1], 0.1)
        system.add(cm.Contact(*spheres, impact=cm.ImpactLaw(0.5), name=f"touch {k}"))
    result = run(system, 1.0)
    assert [impact.t_start for impact in result.impacts] == pytest.approx([0.3, 0.3], abs=1e-12)
    assert [result[ball].vx[-1] for ball in balls] == pytest.approx([0.0, 0.5, 0.5], abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_tumbling_box(seed):
    """A box falls onto a rough floor, tumbles and comes to rest or slides: the laws hold all the way."""
    rng = np.random.default_rng(seed)
    restitution, friction = rng.choice([0.0, 0.2, 0.5]), rng.choice([0.0, 0.2, 1.0])
    system = cm.System(gravity=(0.0, -G), name="box")
    body = cm.Body("box", 2.0, 2.0 * (0.16 + 0.04) / 12.0, (0.0, 0.5), rng.uniform(-3.0, 3.0),
                   tuple(rng.uniform(-2.0, 2.0, 2)), angular_velocity=rng.uniform(-5.0, 5.0))  # fmt: skip
    system.add(body)
    for k, corner in enumerate([(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)]):
        impact = cm.ImpactLaw(restitution, friction)
        system.add(cm.Contact(cm.Point(body, corner), cm.Plane(system.ground), impact=impact, name=f"corner {k}"))
    result = run(system, 2.5)
    obeys_the_laws(result, friction)
    assert result["box"].y[-1] == pytest.approx(0.1, abs=1e-9) or result["box"].y[-1] == pytest.approx(0.2, abs=1e-9)
    assert abs(result["box"].omega[-1]) < 1e-12
    assert np.diff(result.energy.total).max() < 1e-8


# ---- lasting contact


def test_sliding_disc_begins_to_roll():
    """v = 2/3 v₀ from t = v₀/(3 μ g) on."""
    speed, friction, radius = 3.0, 0.2, 0.1
    system = cm.System(gravity=(0.0, -G), name="disc")
    disc = system.add(cm.Body("disc", 1.0, 0.5 * radius**2, (0.0, radius), velocity=(speed, 0.0)))
    system.add(
        cm.Contact(cm.Sphere(disc, radius), cm.Plane(system.ground), impact=cm.ImpactLaw(0.3, friction), name="floor")
    )
    result = run(system, 1.0)
    roll = speed / (3.0 * friction * G)
    (jump,) = np.flatnonzero(np.diff(result.t) == 0.0)
    assert result.t[jump] == pytest.approx(roll, abs=1e-11)
    assert result["disc"].vx[-1] == pytest.approx(2.0 / 3.0 * speed, rel=1e-12)
    assert result["disc"].omega[-1] == pytest.approx(-2.0 / 3.0 * speed / radius, rel=1e-12)
    assert result["disc"].x[-1] == pytest.approx(
        speed * roll - 0.5 * friction * G * roll**2 + 2.0 / 3.0 * speed * (1.0 - roll), rel=1e-12
    )
    assert result["floor"].normal_force == pytest.approx(G, rel=1e-12)
    assert np.abs(result["floor"].friction_force[: jump + 1]) == pytest.approx(friction * G, rel=1e-12)
    assert np.abs(result["floor"].friction_force[jump + 1 :]).max() < 1e-12
    assert result.energy.friction[-1] == pytest.approx(speed**2 / 6.0, rel=1e-10)


def test_block_slides_to_rest():
    """For v₀/(μ g), over v₀²/(2 μ g); friction at the floor loads the front corner."""
    result = run(block(0.3, 2.0), 1.0)
    stop = 2.0 / (0.3 * G)
    body, rear, front = (result[name] for name in ("block", "rear", "front"))
    (jump,) = np.flatnonzero(np.diff(result.t) == 0.0)
    assert result.t[jump] == pytest.approx(stop, abs=1e-11)
    assert body.x[-1] == pytest.approx(4.0 / (0.6 * G), rel=1e-11)
    assert np.abs(body.vx[jump + 1 :]).max() < 1e-13
    shift = 2.0 * 0.3 * G * 0.1 / 0.4
    assert rear.normal_force[1 : jump + 1] == pytest.approx(G - shift, rel=1e-9)
    assert front.normal_force[1 : jump + 1] == pytest.approx(G + shift, rel=1e-9)
    assert rear.normal_force[-1] + front.normal_force[-1] == pytest.approx(2.0 * G, rel=1e-9)
    assert result.energy.friction[-1] == pytest.approx(4.0, rel=1e-10)
    assert result.energy.drift < 1e-10


def test_block_on_a_slope_holds_until_it_cannot():
    """The slope gets steeper, α = Ωt: the block slides from tan α = μ on, with all the friction that both corners can
    give together, although they are not loaded alike."""
    friction, rate = 0.3, 0.4
    system = block(friction, 0.0)

    def turn(t):
        """Return the force that rotates gravity away from the downward direction [N]."""
        return 2.0 * G * math.sin(rate * t), 2.0 * G - 2.0 * G * math.cos(rate * t)

    system.add(cm.PointForce(system.bodies[0], turn, name="tilt"))
    result = run(system, 1.2)
    begin = math.atan(friction) / rate
    jumps = result.t[np.flatnonzero(np.diff(result.t) == 0.0)]
    assert jumps == pytest.approx([begin], abs=1e-8)
    late = begin + np.array([0.1, 0.3])
    driving = (math.cos(rate * begin) - np.cos(rate * late)) * G / rate
    braking = (np.sin(rate * late) - math.sin(rate * begin)) * friction * G / rate
    assert result.sample(late)["block"].vx == pytest.approx(driving - braking, abs=1e-8)
    sticks = result.t < begin
    total = result["rear"].friction_force + result["front"].friction_force
    assert np.abs(total[sticks]) == pytest.approx(2.0 * G * np.sin(rate * result.t[sticks]), abs=1e-8)
    obeys_the_laws(result, friction)


def test_stack_slides_and_stops():
    """A block is thrown onto another one: friction between them drags the lower one along; in the end both rest."""
    system = block(0.1, 0.0)
    lower = system.bodies[0]
    upper = system.add(cm.Body("upper", 1.0, 0.01, (0.05, 0.301), velocity=(1.0, 0.0)))
    for name, x in (("left", -0.1), ("right", 0.1)):
        top = cm.Plane(lower, (0.0, 0.1))
        system.add(cm.Contact(cm.Point(upper, (x, -0.1)), top, impact=cm.ImpactLaw(0.2, 0.3), name=name))
    result = run(system, 0.6)
    assert result["upper"].vx[-1] == pytest.approx(0.0, abs=1e-12)
    assert result["block"].vx[-1] == pytest.approx(0.0, abs=1e-12)
    assert result["block"].x[-1] > 1e-4
    assert np.diff(result.energy.friction).min() >= -1e-12
    assert result.energy.friction[-1] + result.energy.dissipated[-1] == pytest.approx(
        result.energy.total[0] - result.energy.total[-1], rel=1e-8
    )


def test_impact_without_collision():
    """Painlevé's rod: no force can hold the end of a rod that is pushed along a floor with μ = 2, an impulse stops it.

    P = −G⁻¹ γ, with γ = (0, −1 m/s).
    """
    mass, half, angle, friction = 1.0, 0.5, 1.0, 2.0
    system = cm.GeneralizedSystem(
        [0.0, half * math.sin(angle), angle], [-1.0, 0.0, 0.0], np.diag([mass, mass, mass * half**2 / 3.0]),
        lambda q: np.array([0.0, -mass * G, 0.0]), lambda q: np.array([q[1] - half * math.sin(q[2])]),
        tangential=lambda q: np.array([q[0] - half * math.cos(q[2])]), impact=cm.ImpactLaw(0.0, friction),
        potential=lambda q: mass * G * q[1], coordinates=["x", "y", "angle"],
    )  # fmt: skip
    directions = np.array([[0.0, 1.0, -half * math.cos(angle)], [1.0, 0.0, half * math.sin(angle)]])
    response = directions / [mass, mass, mass * half**2 / 3.0]
    impulse = np.linalg.solve(directions @ response.T, [0.0, 1.0])
    result = run(system, 0.05)
    assert impulse[1] < friction * impulse[0]
    after = [result[name].rate[1] for name in ("x", "y", "angle")]
    assert after == pytest.approx([-1.0, 0.0, 0.0] + response.T @ impulse, abs=1e-7)
    assert result.t[1] == 0.0
    obeys_the_laws(result, friction)


def test_ball_leaves_a_sphere():
    """Frictionless: where cos θ = 2/3 + v₀²/(3 g R), with v² = g R cos θ."""
    system = cm.System(gravity=(0.0, -G), name="dome")
    ball = system.add(cm.Body("ball", 1.0, 1.0, (0.0, 1.1), velocity=(0.5, 0.0)))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Sphere(system.ground, 1.0), impact=cm.ImpactLaw(0.5), name="dome"))
    result = run(system, 1.1)
    (jump,) = np.flatnonzero(np.diff(result.t) == 0.0)
    cosine = 2.0 / 3.0 + 0.25 / (3.0 * G * 1.1)
    assert result["ball"].y[jump] == pytest.approx(1.1 * cosine, abs=1e-8)
    assert np.hypot(result["ball"].vx[jump], result["ball"].vy[jump]) == pytest.approx(
        math.sqrt(1.1 * G * cosine), rel=1e-8
    )
    assert result["dome"].indentation[: jump + 1] == pytest.approx(0.0, abs=1e-13)
    assert np.all(result["dome"].indentation[jump + 2 :] < 0.0)
    assert np.abs(result.energy.balance).max() < 1e-8


def test_bowl_is_a_pendulum():
    """A point in a bowl, in two coordinates: the period is that of a pendulum, 4 K(sin θ₀/2) √(R/g)."""
    radius, angle = 0.5, 1.2
    system = cm.GeneralizedSystem(
        [radius * math.sin(angle), -radius * math.cos(angle)], [0.0, 0.0], np.eye(2), lambda q: np.array([0.0, -G]),
        lambda q: np.array([radius - math.sqrt(q[0] * q[0] + q[1] * q[1])]), impact=cm.ImpactLaw(0.0),
        potential=lambda q: G * q[1], coordinates=["x", "y"],
    )  # fmt: skip
    period = 4.0 * ellipk(math.sin(0.5 * angle) ** 2) * math.sqrt(radius / G)
    result = run(system, period, rtol=1e-10, atol=1e-12)
    assert result["x"].value[-1] == pytest.approx(radius * math.sin(angle), abs=1e-8)
    assert result["y"].value[-1] == pytest.approx(-radius * math.cos(angle), abs=1e-8)
    x, y = result["x"], result["y"]
    force = (x.rate**2 + y.rate**2 - G * y.value) / radius
    assert result["contact 1"].normal_force == pytest.approx(force, rel=1e-8)
    assert result["contact 1"].indentation == pytest.approx(0.0, abs=1e-14)


# ---- how runs end


def test_output_times():
    result = run(drop(0.5), 1.0, output=0.25)
    assert result.t == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    assert result["ball"].y[1] == pytest.approx(1.1 - 0.5 * G * 0.0625, rel=1e-12)
    whole = run(drop(0.5), 1.0).sample(result.t)
    assert result["ball"].y == pytest.approx(whole["ball"].y, abs=1e-12)


def test_without_contacts():
    system = cm.System(gravity=(0.0, -G), name="throw")
    system.add(cm.Body("stone", 1.0, 1.0, velocity=(1.0, 5.0), angular_velocity=2.0))
    result = run(system, 1.0)
    assert result["stone"].y[-1] == pytest.approx(5.0 - 0.5 * G, rel=1e-12)
    assert result["stone"].angle[-1] == pytest.approx(2.0, rel=1e-12)


def test_interrupted_run_keeps_what_there_is():
    def stop(fraction):
        raise KeyboardInterrupt

    system = drop(0.999)
    result = cm.simulate(system, 500.0, method="nonsmooth", scheme="event-driven", progress=stop)
    assert result.outcome is Outcome.INTERRUPTED
    assert 0.0 < result.t[-1] < 500.0
    assert len(result.impacts) > 0


def test_error_of_a_users_function():
    def force(t):
        if t > 0.3:
            raise ValueError("no more")
        return 0.0, 0.0

    system = drop(0.5)
    system.add(cm.PointForce(system.bodies[0], force, name="wind"))
    with pytest.raises(ValueError, match="no more") as caught:
        run(system, 1.0)
    assert 0.2 < caught.value.result.t[-1] <= 0.3


def test_a_run_that_gets_nowhere_ends(monkeypatch):
    monkeypatch.setattr(event_driven, "MAX_TRIES", 100)
    monkeypatch.setattr(event_driven, "MIN_PROGRESS", 0.1)
    result = cm.simulate(drop(0.9), 20.0, method="nonsmooth", scheme="event-driven")
    assert result.outcome is Outcome.STALLED
    assert "at contact" in result.message
    assert 7.0 < result.t[-1] < 9.0


def test_coordinates_without_gaps_move_freely():
    bodies = {"ball": (lambda q: (q[0], 0.0, 0.0), 1.0, 1.0)}
    system = cm.GeneralizedSystem([1.0], [0.0], lambda q: [[1.0]], lambda q, u, t: [-q[0]], bodies=bodies)
    result = cm.simulate(system, 1.0, method="nonsmooth", scheme="event-driven")
    assert result["ball"].x[-1] == pytest.approx(math.cos(1.0), abs=1e-8)
