"""Mechanisms with impacts: pendulums at walls, joints with clearance, a slider-crank with a loose slider."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from physics.reference import slider_crank_clearance as paper
from quick import slow_but
from solve.mechanisms import parallelogram
from solve.timestepping.scenes import GRAVITY, STEPPING, disc, momentum, run, world

schemes = pytest.mark.parametrize("scheme", STEPPING)


# ---- pendulums


def pendulum_at_wall(restitution: float, massless_arm: bool) -> cm.System:
    """A ball of 0.05 m, 1 m from its pivot, released horizontally; a wall stops it where it hangs."""
    system = world()
    inertia = 0.4 * 0.05**2
    bob = system.add(cm.Body("bob", 1.0, inertia, position=(1.0, 0.0)))
    if massless_arm:
        arm = system.add(cm.Body("arm", 0.0, 0.0, position=(0.5, 0.0)))
        system.add(cm.Revolute(system.ground, arm, at=(0.0, 0.0), name="pivot"))
        system.add(cm.Weld(arm, bob, name="weld"))
    else:
        system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0), name="pivot"))
    wall = cm.Plane(system.ground, (-0.05, 0.0), (1.0, 0.0))
    system.add(cm.Contact(cm.Sphere(bob, 0.05), wall, impact=cm.ImpactLaw(restitution), name="wall"))
    return system


@schemes
@pytest.mark.parametrize("massless_arm", [False, True])
def test_pendulum_swings_back_to_its_restitution_squared(scheme, massless_arm):
    """It hits with √(2 g/(1 + J)), and rises to ε² of the height."""
    r = run(pendulum_at_wall(0.7, massless_arm), 1.5, scheme=scheme)
    (hit,) = r.impacts
    assert hit.approach_speed == pytest.approx(math.sqrt(2.0 * GRAVITY / (1.0 + 0.4 * 0.05**2)), rel=1e-4)
    assert hit.restitution == pytest.approx(0.7, abs=2e-6)
    back = r.t > hit.t_start
    assert r["bob"].y[back].max() + 1.0 == pytest.approx(0.49, rel=2e-3)
    assert r.energy.drift < 1e-5
    # The pivot takes the impulse of the centrifugal force only: the centre of percussion is nearly the ball's centre.
    at = int(np.searchsorted(r.t, hit.t_start))
    assert abs(r["pivot"].fx[at]) * 1e-3 < 2e-2 * hit.impulse


@schemes
def test_joints_hold_through_impacts(scheme):
    """A rod hung by its end is struck at its free end: it turns about the pin, P = J_O Δω/L, and the pin takes −P/2."""
    system = world((0.0, 0.0))
    bar = system.add(cm.Body("bar", 3.0, 3.0 * 1.0 / 12.0, position=(0.0, -0.5), angle=-0.5 * math.pi))
    system.add(cm.Revolute(system.ground, bar, at=(0.0, 0.0), name="pin"))
    ball = disc(system, "ball", (-0.15, -1.0), mass=1.0, velocity=(2.0, 0.0))
    skins = (cm.Sphere(ball, 0.1), cm.Point(bar, (0.5, 0.0)))
    system.add(cm.Contact(*skins, impact=cm.ImpactLaw(0.5), name="touch"))
    r = run(system, 0.04, step=1e-4, scheme=scheme)
    # J_O = m L²/3 = 1, as heavy at its end as the ball: velocities (1 ∓ ε)/2 of the ball's.
    assert r["ball"].vx[-1] == pytest.approx(0.5, abs=1e-9)
    assert r["bar"].omega[-1] == pytest.approx(1.5, abs=1e-3)
    (hit,) = r.impacts
    assert hit.impulse == pytest.approx(1.5, rel=1e-6)
    at = int(np.searchsorted(r.t, hit.t_start))
    assert r["pin"].fx[at] * 1e-4 == pytest.approx(0.75, rel=1e-3)  # m v_C − P = 3·0.75 − 1.5
    end = r["bar"].x - 0.5 * np.cos(r["bar"].angle), r["bar"].y - 0.5 * np.sin(r["bar"].angle)
    np.testing.assert_allclose(end, 0.0, atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*redundant:carom.CaromWarning")
@pytest.mark.parametrize("scheme", ["midpoint", "moreau"])
def test_redundant_joints_with_contact(scheme):
    """Three parallel bars carry a platform that falls on a stop: J of the motion is 3 bars · 1/3 + 1 platform = 2."""
    system = parallelogram(0.7)
    stop = cm.Plane(system.ground, (0.0, 0.3))
    system.add(cm.Contact(cm.Sphere(system["coupler"], 0.05), stop, impact=cm.ImpactLaw(0.5, 0.0), name="stop"))
    r = run(system, 2.0, scheme=scheme)
    # Half of 2 ω² is m g (1 + 3/2) (sin 0.7 − sin φ) down to sin φ = 0.35; the platform moves with ω along its circle.
    omega = math.sqrt(2.5 * GRAVITY * (math.sin(0.7) - 0.35))
    assert r.impacts[0].approach_speed == pytest.approx(omega * math.sqrt(1.0 - 0.35**2), rel=5e-3)
    assert r.impacts[0].restitution == pytest.approx(0.5, abs=1e-3)
    # At rest, virtual work: N cos φ = m g (1 + 3/2) cos φ.
    assert r["stop"].normal_force[-1] == pytest.approx(2.5 * GRAVITY, rel=1e-3)
    assert r["coupler"].y[-1] == pytest.approx(0.35, abs=1e-4)


# ---- joints with clearance


def journal(impact: cm.ImpactLaw, at=(0.0, 0.0), gravity=(0.0, -GRAVITY), **start) -> cm.System:
    system = world(gravity)
    pin = disc(system, "journal", at, 0.0095, **start)
    joint = cm.RevoluteClearance(
        system.ground.marker(), pin.marker(), journal_radius=0.0095, bearing_radius=0.01, impact=impact, name="bearing"
    )
    system.add(joint)
    return system


@schemes
def test_journal_bounces_in_its_bearing_like_light_in_a_round_mirror(scheme):
    """Elastic, no forces: energy and moment of momentum stay, and so does the angle of every impact."""
    system = journal(cm.ImpactLaw(1.0), (1e-4, 5e-5), (0.0, 0.0), velocity=(0.3, 0.1))
    r = run(system, 0.5, step=1e-5, scheme=scheme, output=1e-3)
    assert len(r.impacts) > 100
    assert np.ptp(momentum(system, r)[:, 2]) < 1e-12
    assert np.ptp(r.energy.total) < 1e-13
    approach = np.array([i.approach_speed for i in r.impacts])
    np.testing.assert_allclose(approach, approach[0], rtol=2e-2)
    assert r["bearing"].eccentricity.max() < 5e-4 + 3.2e-6
    assert set(r["bearing"].contact_mode) <= {0.0, 1.0}


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_journal_ends_in_rolling_contact(restitution):
    """Bounces die out, and so does sliding; what is left rolls to and fro without loss, pressed on by its weight."""
    r = run(journal(cm.ImpactLaw(restitution, 0.2), velocity=(0.02, 0.0)), 1.0, step=1e-4)
    late = r.t > 0.6
    np.testing.assert_allclose(r["bearing"].eccentricity[late], 5e-4, rtol=1e-3)
    assert set(r["bearing"].contact_mode[late]) == {2.0}
    assert np.abs(r["bearing"].sliding_velocity[late]).max() < 1e-4
    assert np.ptp(r.energy.total[late]) < 1e-2 * GRAVITY * 5e-4
    assert np.mean(r["bearing"].fy[late]) == pytest.approx(-GRAVITY, rel=0.02)  # on the bearing


def test_spinning_journal_climbs_to_its_friction_angle():
    """While it slips, the journal stands where tan φ = μ, on the side towards which its skin drags it."""
    r = run(journal(cm.ImpactLaw(0.0, 0.2), (0.0, -5e-4), angular_velocity=400.0), 0.5, step=2e-5, output=1e-3)
    settled = (r.t > 0.3) & (np.abs(r["bearing"].sliding_velocity) > 0.5)
    assert settled.sum() > 50
    lean = np.arctan2(r["bearing"].ex[settled], -r["bearing"].ey[settled])
    assert abs(np.mean(lean)) == pytest.approx(math.atan(0.2), rel=0.1)
    # Friction μ N r brakes it: J ω' = −μ m g cos φ r.
    slope = np.polyfit(r.t[settled], r["journal"].omega[settled], 1)[0]
    assert slope == pytest.approx(-0.2 * GRAVITY * math.cos(math.atan(0.2)) * 0.0095 / (0.5 * 0.0095**2), rel=0.02)


def test_clearance_joint_runs_both_ways():
    """A compliant joint (stiff, elastic) and a non-smooth one (ε = 1) agree in the first impacts."""
    system = world()
    pin = disc(system, "journal", (0.0, 0.0), 0.0095)
    joint = cm.RevoluteClearance(
        system.ground, pin, at=(0.0, 0.0), journal_radius=0.0095, bearing_radius=0.01,
        law=cm.laws.Hertz(stiffness=1e11), impact=cm.ImpactLaw(1.0), name="bearing",
    )  # fmt: skip
    system.add(joint)
    soft = cm.simulate(system, 0.05, progress=False)
    hard = run(system, 0.05, step=1e-6, output=1e-4)
    drop = math.sqrt(2.0 * 5e-4 / GRAVITY)
    assert soft.impacts[0].t_start == pytest.approx(drop, abs=1e-8)
    assert hard.impacts[0].t_start == pytest.approx(drop, abs=2e-6)
    assert hard.impacts[1].t_start == pytest.approx(3.0 * drop, abs=1e-5)
    assert soft.impacts[1].t_start == pytest.approx(3.0 * drop, rel=2e-2)


# ---- the slider-crank of Flores, Leine and Glocker


def cartesian(restitution: float, friction: float, angle: float, crank: str = "free") -> cm.System:
    """Bodies and joints, with the slider in a guide with clearance."""
    p, system = paper, world()
    arm = cm.Body("crank", p.M1, p.J1, (p.L1 / 2, 0.0), velocity=(0.0, 75.0 * p.L1), angular_velocity=150.0)
    rod = cm.Body("rod", p.M2, p.J2, (p.L1 + p.L2 / 2, 0.0), velocity=(0.0, 150.0 * p.L1 - 37.5 * p.L2),
                  angular_velocity=-75.0)  # fmt: skip
    slider = cm.Body("slider", p.M3, p.J3, (p.L1 + p.L2, 0.0), angle=angle)
    for body in (arm, rod, slider):
        system.add(body)
    bearing = system.add(cm.Revolute(system.ground, arm, at=(0.0, 0.0), name="bearing"))
    system.add(cm.Revolute(arm, rod, at=(p.L1, 0.0), name="crank pin"))
    system.add(cm.Revolute(rod, slider, at=(p.L1 + p.L2, 0.0), name="wrist pin"))
    guide = cm.PrismaticClearance(
        system.ground, slider, length=2.0 * p.A, width=2.0 * p.B, clearance=p.C, tilt=angle,
        impact=cm.ImpactLaw(restitution, friction), name="guide",
    )  # fmt: skip
    system.add(guide)
    if crank == "driven":
        system.add(cm.Driver(bearing, cm.ConstantSpeed(150.0), name="motor"))
    return system


def generalised(restitution: float, friction: float, angle: float) -> cm.GeneralizedSystem:
    """Return the system in the three angles, after (90)–(113) of the paper."""
    L1, L2, a, b, c = paper.L1, paper.L2, paper.A, paper.B, paper.C
    m1, m2, m3, j1, j2, j3 = paper.M1, paper.M2, paper.M3, paper.J1, paper.J2, paper.J3

    def mass(q):
        k = (0.5 * m2 + m3) * L1 * L2 * math.cos(q[0] - q[1])
        one, two = j1 + (0.25 * m1 + m2 + m3) * L1 * L1, j2 + (0.25 * m2 + m3) * L2 * L2
        return ((one, k, 0.0), (k, two, 0.0), (0.0, 0.0, j3))

    def force(q, u):
        k = (0.5 * m2 + m3) * L1 * L2 * math.sin(q[0] - q[1])
        one = -k * u[1] ** 2 - (0.5 * m1 + m2 + m3) * GRAVITY * L1 * math.cos(q[0])
        two = k * u[0] ** 2 - (0.5 * m2 + m3) * GRAVITY * L2 * math.cos(q[1])
        return (one, two, 0.0)

    def gaps(q):
        y, s, w = L1 * math.sin(q[0]) + L2 * math.sin(q[1]), a * math.sin(q[2]), b * math.cos(q[2])
        return (b + c - y + s - w, b + c - y - s - w, b + c + y - s - w, b + c + y + s - w)

    def slips(q):
        x, s, w = L1 * math.cos(q[0]) + L2 * math.cos(q[1]), b * math.sin(q[2]), a * math.cos(q[2])
        return (x - w - s, x + w - s, x - w + s, x + w + s)

    return cm.GeneralizedSystem(
        q0=[0.0, 0.0, angle], u0=[150.0, -75.0, 0.0], mass=mass, force=force, gaps=gaps, tangential=slips,
        impact=cm.ImpactLaw(restitution, friction), coordinates=["crank", "rod", "slider"],
        contacts=[f"guide {k}" for k in (1, 2, 3, 4)],
    )  # fmt: skip


NAMES = ("crank", "rod", "slider")


def final(r: cm.Result) -> np.ndarray:
    if "bearing" in r:
        return np.array([r[n].angle[-1] for n in NAMES] + [r[n].omega[-1] for n in NAMES])
    return np.array([r[n].value[-1] for n in NAMES] + [r[n].rate[-1] for n in NAMES])


@pytest.mark.parametrize(
    ("angle", "restitution"), slow_but([(0.003, 0.4)], [(0.0, 0.1), (0.003, 0.1), (0.0, 0.4), (0.003, 0.4)])
)
def test_slider_crank_with_clearance_is_the_exact_motion(angle, restitution):
    """Angles and speeds after impacts of faces and corners, against integration from event to event."""
    t_end = 0.025
    known = paper.event_driven(restitution, 0.01, t_end=t_end, slider_angle=angle)["final"]
    for system in (generalised, cartesian):
        r = run(system(restitution, 0.01, angle), t_end, step=1e-5, output=t_end)
        off = np.abs(final(r) - known)
        assert off[:3].max() < 1e-4
        assert off[3:].max() < 1e-2


@pytest.mark.parametrize("scheme", ["midpoint", pytest.param("theta", marks=pytest.mark.slow)])
def test_coordinates_do_not_matter(scheme):
    """Bodies with joints and generalised coordinates: the same impacts at the same times."""
    one = run(cartesian(0.4, 0.01, 0.003), 0.025, step=1e-5, scheme=scheme, output=1e-3)
    two = run(generalised(0.4, 0.01, 0.003), 0.025, step=1e-5, scheme=scheme, output=1e-3)
    hits = [[(i.contact, i.t_start, i.approach_speed) for i in r.impacts if i.approach_speed > 0.3] for r in (one, two)]
    assert len(hits[0]) == len(hits[1]) > 2
    for (name, t, v), (other, s, w) in zip(*hits, strict=True):
        assert name == other
        assert t == pytest.approx(s, abs=2e-5)
        assert v == pytest.approx(w, rel=1e-2)
    np.testing.assert_allclose(final(one), final(two), atol=1e-2)


def test_elastic_slider_crank_keeps_its_energy():
    r = run(cartesian(1.0, 0.0, 0.003), 0.05, step=1e-5, output=1e-3)
    assert len(r.impacts) > 50
    assert np.ptp(r.energy.total) < 1e-6 * r.energy.total[0]


def test_driven_crank_books_its_work():
    """The motor holds the speed: what it puts in is in the motion, in the losses, or in the height."""
    r = run(cartesian(0.4, 0.01, 0.0, "driven"), 0.05, step=1e-5, output=1e-3)
    np.testing.assert_allclose(r["crank"].omega, 150.0, rtol=1e-9)
    known = paper.event_driven(0.4, 0.01, "driven", t_end=0.05)["final"]
    assert final(r)[1] == pytest.approx(known[1], abs=1e-4)
    assert r.energy.drift < 1e-4
