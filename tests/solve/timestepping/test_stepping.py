"""Properties of every time-stepping scheme: impacts by their law, momentum, rest, invariance."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from physics.reference import nonsmooth_closed_forms as exact
from quick import each
from solve.timestepping.scenes import (
    GRAVITY,
    STEPPING,
    ball_above_floor,
    block,
    deepest,
    disc,
    feet,
    momentum,
    rod_in_box,
    run,
    two_discs,
    world,
)

schemes = pytest.mark.parametrize("scheme", STEPPING)


# ---- without contact


@schemes
def test_constant_forces_are_stepped_through_exactly(scheme):
    system = world((1.5, -GRAVITY))
    disc(system, "ball", (0.3, 2.0), velocity=(1.0, 4.0), angular_velocity=2.0)
    r = run(system, 0.7, step=0.013, scheme=scheme)
    t = r.t
    np.testing.assert_allclose(r["ball"].x, 0.3 + t + 0.75 * t**2, atol=1e-14)
    np.testing.assert_allclose(r["ball"].y, 2.0 + 4.0 * t - 0.5 * GRAVITY * t**2, atol=1e-14)
    np.testing.assert_allclose(r["ball"].angle, 2.0 * t, atol=1e-14)
    assert r.impacts == ()
    assert r.stats["contact_problems"] == 0


@pytest.mark.parametrize(("t_end", "step", "steps"), [(1.0, 0.3, 4), (0.123, 1.0, 1), (0.5, 0.1, 5), (0.7, 1e-3, 700)])
def test_steps_are_equal_and_never_longer_than_asked(t_end, step, steps):
    r = run(ball_above_floor(0.5), t_end, step=step)
    assert r.stats["steps"] == steps == len(r.t) - 1
    assert r.t[-1] == t_end
    np.testing.assert_allclose(np.diff(r.t), t_end / steps, rtol=1e-9)


# ---- impacts


@schemes
@each("restitution", [0.3, 0.8, 1.0])
def test_bouncing_ball_converges_to_the_closed_form(scheme, restitution):
    """Impacts are noticed up to a step late and jump by −ε exactly: first order in the position."""
    errors = []
    for step in (1e-3, 1e-4):
        r = run(ball_above_floor(restitution), 0.9, step=step, scheme=scheme)
        if restitution == 1.0:
            period = 2.0 * math.sqrt(2.0 / GRAVITY)
            tau = (r.t + 0.5 * period) % period - 0.5 * period
            place = 1.0 - 0.5 * GRAVITY * tau**2
        else:
            place, _ = exact.bouncing_ball_state(r.t, 1.0, restitution, GRAVITY)
        errors.append(np.abs(r["ball"].y - 0.1 - place).max())
        assert all(i.restitution == pytest.approx(restitution, abs=1e-12) for i in r.impacts if not i.persistent)
        assert errors[-1] < 10.0 * step
    assert errors[1] < 0.35 * errors[0]


@schemes
@pytest.mark.parametrize(
    ("normal", "friction", "tangential", "law"),
    [(1.0, 0.0, 0.0, "newton"), (0.5, 0.0, 0.0, "newton"), (0.6, 0.2, 0.0, "newton"), (0.7, 0.4, 0.0, "poisson"),
     (1.0, 5.0, 1.0, "newton"), (0.6, 5.0, 0.5, "poisson")],
)  # fmt: skip
def test_free_impact_keeps_momentum_and_obeys_its_law(scheme, normal, friction, tangential, law):
    system = two_discs(cm.ImpactLaw(normal, friction, tangential, law))
    r = run(system, 0.15, step=1e-4, scheme=scheme)
    assert np.ptp(momentum(system, r), axis=0).max() < 1e-12
    (impact,) = r.impacts
    assert impact.restitution == pytest.approx(normal, abs=1e-12)
    assert not impact.persistent
    # Kinetic energy of the normal motion, m_eff γ²/2, m_eff = 2/3 kg.
    lost = 0.5 * 2.0 / 3.0 * impact.approach_speed**2 * (1.0 - normal**2)
    assert impact.energy_lost == pytest.approx(lost, abs=1e-12)
    assert impact.impulse == pytest.approx(2.0 / 3.0 * (1.0 + normal) * impact.approach_speed, rel=1e-12)
    assert r.energy.drift < 1e-13
    # Along the tangent the discs have m_t = 1/(1/m + r²/J) = m/3 each.
    at = int(np.argmax(r["touch"].normal_force > 0.0))
    before = r["touch"].sliding_velocity[at - 1]
    limit = friction * impact.impulse / (2.0 / 9.0)
    after = -tangential * before if abs(before) * (1.0 + tangential) <= limit else before - math.copysign(limit, before)
    assert r["touch"].sliding_velocity[at] == pytest.approx(after, abs=2e-3 * abs(before))


@schemes
def test_superball_reverses_both_motions_and_keeps_its_energy(scheme):
    system = two_discs(cm.ImpactLaw(1.0, 5.0, 1.0))
    r = run(system, 0.15, step=1e-4, scheme=scheme)
    assert np.ptp(r.energy.total) < 1e-12 * r.energy.total[0]


@schemes
@each("gravity", [0.0, GRAVITY])
def test_elastic_impacts_of_a_turning_rod_keep_the_energy(scheme, gravity):
    """Its ends move on circles: the direction of a contact turns in a step, and must not do work."""
    r = run(rod_in_box(1.0, gravity), 20.0, scheme=scheme, output=0.05)
    assert len(r.impacts) > 60
    assert np.ptp(r.energy.total) < 1e-12 * r.energy.total[0]


@each("scheme", ["midpoint", "theta"])
@each("restitution", [0.0, 0.5, 0.9])
def test_energy_never_rises_without_friction(scheme, restitution):
    r = run(rod_in_box(restitution, GRAVITY), 3.0, scheme=scheme, projection=False)
    assert np.diff(r.energy.total).max() < 1e-11
    assert r.stats["energy_created"] < 1e-15


@schemes
def test_elastic_run_can_be_run_backwards(scheme):
    def box(places, velocities):
        system = world((0.0, 0.0))
        skins = []
        for name, radius, at, v in zip("ab", (0.1, 0.2), places, velocities, strict=True):
            skins.append(cm.Sphere(disc(system, name, at, radius, 10.0 * radius, velocity=v), radius))
            for normal in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
                wall = cm.Plane(system.ground, (-normal[0], -normal[1]), normal)
                system.add(cm.Contact(skins[-1], wall, impact=cm.ImpactLaw(1.0)))
        system.add(cm.Contact(*skins, impact=cm.ImpactLaw(1.0)))
        return run(system, 3.0, scheme=scheme)

    start = [(-0.5, 0.1), (0.4, -0.2)]
    there = box(start, [(2.0, 1.0), (-0.5, 0.7)])
    assert len(there.impacts) > 5
    ends = [(there[name].x[-1], there[name].y[-1]) for name in "ab"]
    back = box(ends, [(-there[name].vx[-1], -there[name].vy[-1]) for name in "ab"])
    np.testing.assert_allclose([(back[name].x[-1], back[name].y[-1]) for name in "ab"], start, atol=1e-13)


# ---- rest


@schemes
@pytest.mark.parametrize(("restitution", "friction"), [(0.0, 0.0), (0.5, 0.3), (1.0, 0.0)])
def test_block_rests_where_it_is_put(scheme, restitution, friction):
    system = world()
    body = block(system, "block", (0.0, 0.1), mass=2.0)
    contacts = feet(system, body, cm.Plane(system.ground), cm.ImpactLaw(restitution, friction))
    r = run(system, 20.0, scheme=scheme)
    slack = 2e-5 if scheme == "moreau" else 1e-12
    assert np.ptp(r[body].x) < slack
    assert np.ptp(r[body].y) < slack
    assert np.ptp(r[body].angle) < 10.0 * slack
    for contact in contacts:
        late = r.t > 10.0
        np.testing.assert_allclose(r[contact].normal_force[late], GRAVITY, rtol=1e-5 if scheme == "moreau" else 1e-10)
        assert set(r[contact].contact_mode[late]) == {2.0}
    assert all(impact.persistent and not impact.finished for impact in r.impacts)
    assert sum(impact.impulse for impact in r.impacts) == pytest.approx(2.0 * GRAVITY * 20.0, rel=1e-4)


@schemes
def test_dropped_block_comes_to_rest_flat(scheme):
    """A landing on one corner, many impacts of both, and then the weight on each of them equally."""
    system = world()
    body = block(system, "block", (0.0, 0.3), angle=0.2)
    left, right = feet(system, body, cm.Plane(system.ground), cm.ImpactLaw(0.3, 0.4))
    r = run(system, 3.0, scheme=scheme)
    allowed = 1e-9 if scheme == "midpoint" else 2e-3
    assert r[body].angle[-1] == pytest.approx(0.0, abs=10.0 * allowed)
    assert r[body].y[-1] == pytest.approx(0.1, abs=allowed)
    np.testing.assert_allclose([r[left].normal_force[-1], r[right].normal_force[-1]], 0.5 * GRAVITY, rtol=1e-2)
    assert abs(r[body].omega[-1]) < 1e-8
    assert np.diff(r.energy.total).max() < 1e-4


def test_redundant_feet_carry_the_weight():
    """Four points under one block: their forces are not determined, their sum is."""
    system = world()
    body = block(system, "block", (0.0, 0.1), velocity=(1.0, 0.0))
    floor, impact = cm.Plane(system.ground), cm.ImpactLaw(0.2, 0.3)
    contacts = [
        system.add(cm.Contact(cm.Point(body, (x, -0.1)), floor, impact=impact)) for x in (-0.1, -0.05, 0.05, 0.1)
    ]
    r = run(system, 1.0)
    total = sum(r[contact].normal_force for contact in contacts)
    np.testing.assert_allclose(total[1:], GRAVITY, rtol=1e-9)
    assert r[body].x[-1] == pytest.approx(exact.slide_to_stop(1.0, 0.3, GRAVITY)["distance"], abs=1e-6)
    assert abs(r[body].angle[-1]) < 1e-12


# ---- invariance


def mechanism(turn=0.0, shift=(0.0, 0.0), length=1.0, mass=1.0, time=1.0, swap=False):
    """Two pinned bodies and a free disc over an inclined floor, in other axes, other units, or other order."""
    c, s = math.cos(turn), math.sin(turn)

    def turned(v, unit=1.0):
        return ((c * v[0] - s * v[1]) * unit, (s * v[0] + c * v[1]) * unit)

    def place(p):
        return turned((p[0] + shift[0], p[1] + shift[1]), length)

    system = world(turned((0.3, -GRAVITY), length / time**2))
    inertia = mass * length**2
    arm = system.add(cm.Body("arm", mass, 0.1 * inertia, position=place((0.5, 0.0)), angle=turn))
    hand = system.add(cm.Body("hand", 2.0 * mass, 0.05 * inertia, position=place((1.3, 0.0)), angle=turn + 0.2))
    free = system.add(
        cm.Body("free", 0.7 * mass, 0.01 * inertia, position=place((1.2, -0.75)), angle=turn - 0.5,
                velocity=turned((-0.4, 0.0), length / time), angular_velocity=2.0 / time)
    )  # fmt: skip
    system.add(cm.Revolute(system.ground, arm, at=place((0.0, 0.0))))
    system.add(cm.Revolute(arm, hand, at=place((1.0, 0.0))))
    system.add(
        cm.SpringDamper(system.ground.point(*place((0.0, 0.0))), hand, stiffness=20.0 * mass / time**2,
                        damping=0.5 * mass / time, free_length=length)
    )  # fmt: skip
    floor = cm.Plane(system.ground, place((0.0, -1.0)), turned((0.1, 1.0)))
    ball, knob = cm.Sphere(free, 0.15 * length), cm.Sphere(hand, 0.1 * length, (0.3 * length, 0.0))
    for pair in ((knob, floor), (ball, floor), (knob, ball)):
        system.add(cm.Contact(*(pair[::-1] if swap else pair), impact=cm.ImpactLaw(0.5, 0.3)))
    return system


@schemes
@pytest.mark.parametrize(
    "other",
    [
        {"turn": 1.234},
        {"shift": (3.0, -2.0)},
        {"swap": True},
        {"length": 1e3, "mass": 1e3, "time": 1e3},
        {"mass": 1e-9},
    ],
    ids=str,
)
def test_other_axes_units_and_order_give_the_same_motion(scheme, other):
    here = run(mechanism(), 0.6, scheme=scheme)
    time, length = other.get("time", 1.0), other.get("length", 1.0)
    there = run(mechanism(**other), 0.6 * time, step=1e-3 * time, scheme=scheme)
    assert len(here.impacts) == len(there.impacts) > 8
    c, s = math.cos(other.get("turn", 0.0)), math.sin(other.get("turn", 0.0))
    shift = other.get("shift", (0.0, 0.0))
    for name in ("arm", "hand", "free"):
        one, two = here[name], there[name]
        np.testing.assert_allclose((c * two.x + s * two.y) / length - shift[0], one.x, atol=1e-9)
        np.testing.assert_allclose((c * two.y - s * two.x) / length - shift[1], one.y, atol=1e-9)
        np.testing.assert_allclose(two.omega * time, one.omega, atol=1e-8)


def test_runs_repeat_bit_by_bit():
    assert run(mechanism(), 0.5).same_as(run(mechanism(), 0.5))


@schemes
def test_overlap_does_not_grow_in_a_long_run(scheme):
    r = run(ball_above_floor(0.5, 0.05, 0.2, velocity=(1.0, 0.0)), 100.0, scheme=scheme, output=0.5)
    late = r.t > 5.0
    assert np.ptp(r["floor"].indentation[late]) < 1e-12
    assert deepest(r) < 2e-3
    # Sliding has become rolling, with 2/3 of the speed up to the overlaps (1 % of the radius) in which it rubbed.
    assert r["ball"].vx[-1] == pytest.approx(exact.slide_to_roll(1.0, 0.0, 0.1, 0.2, GRAVITY)["speed"], rel=5e-3)
    assert np.ptp(r["ball"].vx[late]) < 1e-11
