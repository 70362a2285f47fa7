"""Dry friction in non-smooth runs: stick, slip, rolling, wedges, and a belt, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from physics.reference import nonsmooth_closed_forms as exact
from quick import each
from solve.timestepping.scenes import GRAVITY, STEPPING, block, disc, feet, run, world

schemes = pytest.mark.parametrize("scheme", STEPPING)


def on_an_incline(slope: float, friction: float, turned: bool, speed: float = 0.0):
    """A block on an incline: the floor turned, or gravity."""
    c, s = (math.cos(slope), math.sin(slope)) if turned else (1.0, 0.0)
    system = world((0.0, -GRAVITY) if turned else (GRAVITY * math.sin(slope), -GRAVITY * math.cos(slope)))
    body = block(system, "block", (0.1 * s, 0.1 * c), angle=-slope if turned else 0.0, velocity=(speed * c, -speed * s))
    feet(system, body, cm.Plane(system.ground, normal=(s, c)), cm.ImpactLaw(0.0, friction))
    return system, np.array([c, -s])


@schemes
@each("friction, turned", [(0.25, False), (0.15, True), (0.0, False)])
def test_block_on_an_incline(scheme, turned, friction):
    """It sticks up to tan β ≤ μ, and else slides with g (sin β − μ cos β)."""
    slope = 0.2
    system, down = on_an_incline(slope, friction, turned)
    r = run(system, 2.0, scheme=scheme)
    way = r["block"].x * down[0] + r["block"].y * down[1]
    speed = r["block"].vx * down[0] + r["block"].vy * down[1]
    a = exact.incline_acceleration(slope, friction, GRAVITY)
    rough = 1e-2 if scheme == "moreau" and turned else 1e-5
    assert way[-1] - way[0] == pytest.approx(0.5 * a * 4.0, abs=rough)
    assert speed[-1] == pytest.approx(2.0 * a, abs=rough)
    normal = sum(r[c].normal_force[-1] for c in system.contacts)
    assert normal == pytest.approx(GRAVITY * math.cos(slope), rel=1e-5)
    tangential = sum(r[c].friction_force[-1] for c in system.contacts)
    assert abs(tangential) == pytest.approx(GRAVITY * math.sin(slope) - a, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("scheme", ["midpoint", "theta"])
def test_block_that_sticks_does_not_creep(scheme):
    system, down = on_an_incline(0.2, 0.25, turned=True)
    r = run(system, 50.0, scheme=scheme, output=1.0)
    way = r["block"].x * down[0] + r["block"].y * down[1]
    assert np.ptp(way[1:]) < 1e-12


@schemes
def test_block_slides_to_a_stop(scheme):
    system, _ = on_an_incline(0.0, 0.4, turned=False, speed=3.0)
    end = exact.slide_to_stop(3.0, 0.4, GRAVITY)
    r = run(system, 1.5, scheme=scheme)
    assert r["block"].x[-1] == pytest.approx(end["distance"], abs=1e-5)
    assert abs(r["block"].vx[-1]) < 1e-12
    assert r.t[np.abs(r["block"].vx) > 1e-9][-1] == pytest.approx(end["time"], abs=2e-3)
    assert r.energy.friction[-1] == pytest.approx(4.5, rel=1e-4)
    # The front foot carries more while it slides: μ m g acts 0.1 m below the centre of mass.
    left, right = (r[c].normal_force[100] for c in system.contacts)
    assert right - left == pytest.approx(0.4 * GRAVITY, rel=1e-4)


def test_block_that_is_pushed_up_an_incline_comes_back_or_stays():
    """Up with deceleration g (sin β + μ cos β); it stays where it stops if tan β ≤ μ."""
    for friction, stays in ((0.3, True), (0.1, False)):
        system, down = on_an_incline(0.2, friction, turned=True, speed=-1.0)
        r = run(system, 1.0, step=5e-4)
        way = r["block"].x * down[0] + r["block"].y * down[1]
        brake = GRAVITY * (math.sin(0.2) + friction * math.cos(0.2))
        assert way.min() - way[0] == pytest.approx(-0.5 / brake, rel=1e-3)
        assert (way[-1] - way.min() < 1e-6) == stays


@schemes
@pytest.mark.parametrize("spin", [0.0, 60.0, -40.0])
def test_disc_slides_and_then_rolls(scheme, spin):
    """Spin backwards, forwards, or none; with x to the right a disc that rolls has ω = −v/r."""
    system = world()
    wheel = disc(system, "wheel", (0.0, 0.1), velocity=(3.0, 0.0), angular_velocity=-spin)
    system.add(cm.Contact(cm.Sphere(wheel, 0.1), cm.Plane(system.ground), impact=cm.ImpactLaw(0.0, 0.2), name="floor"))
    r = run(system, 2.0, scheme=scheme)
    end = exact.slide_to_roll(3.0, spin, 0.1, 0.2, GRAVITY)
    assert r["wheel"].vx[-1] == pytest.approx(end["speed"], abs=1e-9)
    assert r["wheel"].omega[-1] == pytest.approx(-end["speed"] / 0.1, abs=1e-8)
    assert r["wheel"].x[-1] == pytest.approx(end["distance"] + end["speed"] * (2.0 - end["time"]), abs=1e-5)
    rubbed = 0.5 * 9.0 + 0.25 * (0.1 * spin) ** 2 - 0.75 * end["speed"] ** 2
    assert r.energy.friction[-1] == pytest.approx(rubbed, rel=1e-9)
    assert abs(r["floor"].friction_force[-1]) < 1e-9
    assert abs(r["floor"].sliding_velocity[-1]) < 1e-12


def test_disc_rolls_down_an_incline():
    """a = 2/3 g sin β with friction g sin β/3 while μ ≥ tan β/3; else it slips with g (sin β − μ cos β)."""
    slope = 0.5
    for friction, acceleration, turning in (
        (0.3, 2.0 / 3.0 * math.sin(slope), 2.0 / 3.0 * math.sin(slope)),
        (0.1, math.sin(slope) - 0.1 * math.cos(slope), 0.2 * math.cos(slope)),
    ):
        system = world((GRAVITY * math.sin(slope), -GRAVITY * math.cos(slope)))
        wheel = disc(system, "wheel", (0.0, 0.1))
        floor = cm.Plane(system.ground)
        system.add(cm.Contact(cm.Sphere(wheel, 0.1), floor, impact=cm.ImpactLaw(0.0, friction), name="floor"))
        r = run(system, 1.0)
        assert r["wheel"].vx[-1] == pytest.approx(GRAVITY * acceleration, rel=1e-9)
        assert r["wheel"].omega[-1] == pytest.approx(-GRAVITY * turning / 0.1, rel=1e-9)


@schemes
@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 0.0), (0.0, 1.0), (0.3, 0.5)])
def test_disc_in_a_groove(scheme, friction, restitution):
    """Walls at ±half from the vertical: N = m g/(2 sin half) without friction, less where friction carries, too."""
    half = 0.6
    system = world()
    ball = disc(system, "ball", (0.0, 0.1 / math.sin(half)))
    for side, name in ((1.0, "right"), (-1.0, "left")):
        wall = cm.Plane(system.ground, normal=(-side * math.cos(half), math.sin(half)))
        system.add(cm.Contact(cm.Sphere(ball, 0.1), wall, impact=cm.ImpactLaw(restitution, friction), name=name))
    r = run(system, 5.0, scheme=scheme)
    assert np.ptp(r["ball"].y) < 1e-5
    total = r["right"].fy + r["left"].fy
    np.testing.assert_allclose(total[r.t > 2.0], GRAVITY, rtol=1e-5)
    if friction == 0.0:
        np.testing.assert_allclose(r["right"].normal_force[r.t > 2.0], 0.5 * GRAVITY / math.sin(half), rtol=1e-9)
    assert all(abs(r[n].friction_force[-1]) <= friction * r[n].normal_force[-1] + 1e-9 for n in ("left", "right"))


@pytest.mark.parametrize("belt", [0.5, 0.0])
def test_mass_on_a_belt(belt):
    """Stick, slip and the last circle, phase by phase; the belt is a long slab that a driver moves."""
    mass, stiffness, friction = 1.0, 50.0, 0.3
    limit = friction * mass * GRAVITY
    system = world()
    slab = system.add(cm.Body("slab", 1.0, 1.0, position=(0.0, -0.1), velocity=(belt, 0.0)))
    guide = system.add(cm.Prismatic(system.ground, slab, axis=(1.0, 0.0)))
    system.add(cm.Driver(guide, cm.ConstantSpeed(belt)))
    body = system.add(cm.Body("mass", mass, 1.0, position=(0.2, 0.05)))
    system.add(cm.SpringDamper(system.ground.point(-10.0, 0.05), body, stiffness=stiffness, free_length=10.0))
    for x in (-0.5, 0.5):
        system.add(
            cm.Contact(cm.Point(body, (x, -0.05)), cm.Plane(slab, (0.0, 0.1)), impact=cm.ImpactLaw(0.0, friction))
        )
    phases = exact.belt_phases(0.2, 0.0, mass, stiffness, limit, belt)
    assert any(kind == "stick" for _, kind, _, _ in phases)
    r = run(system, 3.0, step=5e-4)
    known = np.array([exact.belt_state(t, phases, mass, stiffness, limit, belt) for t in r.t])
    np.testing.assert_allclose(r["mass"].x, known[:, 0], atol=1e-3)
    np.testing.assert_allclose(r["mass"].vx, known[:, 1], atol=2e-2)
    assert r.energy.drift < 1e-5


def test_rod_that_slides_with_friction():
    """|θ'| of Painlevé's rod below the paradox, by its quadrature: μ = 0.5, the end slides towards −x."""
    half, friction, start = 0.5, 0.5, 1.2
    system = world()
    body = system.add(
        cm.Body("rod", 1.0, half**2 / 3.0, position=(half * math.cos(start), half * math.sin(start)), angle=start,
                velocity=(-5.0, 0.0))
    )  # fmt: skip
    end = cm.Contact(
        cm.Point(body, (-half, 0.0)), cm.Plane(system.ground), impact=cm.ImpactLaw(0.0, friction), name="end"
    )
    system.add(end)
    r = run(system, 0.35, step=1e-4)
    sliding = (r["end"].sliding_velocity > 0.1) & (r["end"].normal_force > 0.0)  # the tangent is −x
    at = int(np.flatnonzero(sliding)[-1])
    reached = exact.sliding_rod_rate(start, 0.0, r["rod"].angle[at], friction, 1.0, half, GRAVITY)
    assert abs(r["rod"].angle[at] - start) > 0.2
    assert abs(r["rod"].omega[at]) == pytest.approx(reached, rel=2e-3)


def test_wedge_that_locks_itself():
    """A block between two walls under a sideways load: μ N on both sides carries it up to 2 μ F ≥ m g."""
    for load, holds in ((2.0 * GRAVITY, True), (1.2 * GRAVITY, False)):
        system = world()
        plate = system.add(cm.Body("plate", 1.0, 1.0, position=(0.11, 0.0)))
        system.add(cm.Prismatic(system.ground, plate, axis=(1.0, 0.0)))
        system.add(cm.PointForce(plate, (-load, 0.0)))
        body = block(system, "block", (0.0, 0.0))
        left = cm.Plane(system.ground, (-0.1, 0.0), (1.0, 0.0))
        right = cm.Plane(plate, (-0.01, 0.0), (-1.0, 0.0))
        for y in (-0.1, 0.1):
            system.add(cm.Contact(cm.Point(body, (-0.1, y)), left, impact=cm.ImpactLaw(0.0, 0.3)))
            system.add(cm.Contact(cm.Point(body, (0.1, y)), right, impact=cm.ImpactLaw(0.0, 0.3)))
        r = run(system, 0.5)
        fall = 0.0 if holds else 0.5 * (GRAVITY - 0.6 * load) * 0.25
        assert r["block"].y[-1] == pytest.approx(-fall, abs=1e-4)
