"""Impacts of free bodies: rows of balls, rocking blocks, moving walls."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from physics.reference import nonsmooth_closed_forms as exact
from quick import each
from solve.timestepping.scenes import GRAVITY, STEPPING, disc, run, world

schemes = pytest.mark.parametrize("scheme", STEPPING)


# ---- rows of balls


def row(velocities, gap: float, restitution: float, masses=None) -> cm.System:
    """Balls of 0.1 m on a line, ``gap`` apart; no forces."""
    system = world((0.0, 0.0))
    masses = np.ones(len(velocities)) if masses is None else masses
    skins = []
    for k, (v, m) in enumerate(zip(velocities, masses, strict=True)):
        body = disc(system, f"ball {k}", ((0.2 + gap) * k, 0.0), mass=m, velocity=(v, 0.0))
        skins.append(cm.Sphere(body, 0.1))
        if k:
            system.add(cm.Contact(skins[k - 1], skins[k], impact=cm.ImpactLaw(restitution), name=f"contact {k}"))
    return system


def speeds(result: cm.Result, system: cm.System) -> np.ndarray:
    return np.array([result[body].vx[-1] for body in system.bodies])


@schemes
def test_balls_apart_hand_their_velocities_on(scheme):
    velocities = [3.0, -1.0, 2.0, 0.5, -2.0]
    system = row(velocities, 0.05, 1.0)
    r = run(system, 1.0, scheme=scheme)
    np.testing.assert_allclose(speeds(r, system), exact.row_apart(velocities), atol=1e-12)


@schemes
@pytest.mark.parametrize(("balls", "striking"), [(3, 1), (5, 1), (5, 2), (5, 4)])
@each("restitution", [0.0, 0.5, 1.0])
def test_touching_balls_are_struck_at_once(scheme, balls, striking, restitution):
    """Newton's law for all contacts at once, which is not what a cradle does."""
    system = row([1.0] * striking + [0.0] * (balls - striking), -1e-13, restitution)  # touching in spite of rounding
    for body in system.bodies[:striking]:
        body.position = (body.position[0] - 0.01, 0.0)
    r = run(system, 0.1, scheme=scheme)
    np.testing.assert_allclose(speeds(r, system), exact.row_touching(balls, striking, 1.0, restitution), atol=1e-9)


@each("restitution", [0.0, 0.3, 1.0])
def test_two_unequal_balls(restitution):
    """v1' = [m1 v1 + m2 v2 − m2 ε (v1 − v2)]/(m1 + m2)."""
    m, v = np.array([1.0, 3.0]), np.array([2.0, -0.5])
    system = row(v, 0.1, restitution, m)
    r = run(system, 0.2)
    mean = m @ v / m.sum()
    np.testing.assert_allclose(speeds(r, system), mean - restitution * (v - mean), atol=1e-13)
    lost = 0.5 * m[0] * m[1] / m.sum() * (v[0] - v[1]) ** 2 * (1.0 - restitution**2)
    assert r.energy.dissipated[-1] == pytest.approx(lost, abs=1e-12)
    assert r.impacts[0].energy_lost == pytest.approx(lost, abs=1e-12)


@each("solver", ["lemke", "enumeration", "alart-curnier", "pgs"])
def test_heavy_ball_between_light_ones(solver):
    """Masses a million apart: the light ball bounces off the heavy one with 2 V − v."""
    system = row([0.0, -1.0], 0.1, 1.0, [1e6, 1.0])
    r = run(system, 0.3, solver=solver)
    assert speeds(r, system)[1] == pytest.approx((1e6 - 1.0) / (1e6 + 1.0), rel=1e-9)


# ---- rocking


def rocker(b: float, h: float, tilt: float, impact: cm.ImpactLaw) -> cm.System:
    """A block 2 b wide and 2 h high, tilted about its right foot, at rest."""
    system = world()
    radius, alpha = math.hypot(b, h), math.atan2(b, h)
    # Turned clockwise by ``tilt`` about the right foot at the origin: the centre of mass is at α − tilt left of it.
    lean = alpha - tilt
    body = cm.Body(
        "block", 1.0, radius**2 / 3.0, position=(-radius * math.sin(lean), radius * math.cos(lean)), angle=-tilt
    )
    system.add(body)
    for name, x in (("left", -b), ("right", b)):
        system.add(cm.Contact(cm.Point(body, (x, -h)), cm.Plane(system.ground), impact=impact, name=name))
    return system


@each("scheme", ["midpoint", "theta"])
def test_rocking_block_lands_when_housner_says(scheme):
    """Impact times and speeds of a slender block with ε = 0 and much friction."""
    b, h, share = 0.1, 0.4, 0.5
    alpha, p = math.atan2(b, h), exact.rocking_frequency(b, h, GRAVITY)
    tilt = share * alpha
    known = exact.rocking(tilt, alpha, p, 4)
    r = run(rocker(b, h, tilt, cm.ImpactLaw(0.0, 5.0)), known["times"][-1] + 0.05, step=1e-4, scheme=scheme)
    landings = [i.t_start for i in r.impacts if i.approach_speed > 0.05]
    np.testing.assert_allclose(landings[:4], known["times"], rtol=5e-3)
    first = next(i for i in r.impacts if i.approach_speed > 0.05)
    assert first.contact == "left"
    assert first.approach_speed == pytest.approx(2.0 * b * known["speeds"][0], rel=2e-3)
    between = (r.t > known["times"][0] + 0.01) & (r.t < known["times"][1] - 0.01)
    assert np.abs(r["block"].angle[between]).max() == pytest.approx(known["amplitudes"][0], rel=5e-3)


def test_flat_block_does_not_rock():
    """For b > √2 h both feet take impulses and the block stops: Newton's law with ε = 0."""
    b, h = 0.4, 0.2
    alpha = math.atan2(b, h)
    assert exact.landing_ratio(alpha) < 0.0
    r = run(rocker(b, h, 0.05, cm.ImpactLaw(0.0, 5.0)), 1.0, step=1e-4)
    assert abs(r["block"].angle[-1]) < 1e-6
    assert r["left"].normal_force[-1] == pytest.approx(0.5 * GRAVITY, rel=1e-6)


# ---- moving walls


@schemes
@each("restitution", [0.0, 0.6, 1.0])
def test_wall_that_a_driver_moves(scheme, restitution):
    """A wall at 1.5 m/s meets a ball at −1: v⁺ = w + ε (w − v), and its driver does the work P w."""
    system = world((0.0, 0.0))
    wall = system.add(cm.Body("wall", 5.0, 1.0, velocity=(0.0, 1.5)))
    guide = system.add(cm.Prismatic(system.ground, wall, axis=(0.0, 1.0), name="guide"))
    system.add(cm.Driver(guide, cm.ConstantSpeed(1.5), name="drive"))
    ball = disc(system, "ball", (0.0, 0.35), velocity=(0.0, -1.0))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(wall), impact=cm.ImpactLaw(restitution), name="touch"))
    r = run(system, 0.2, scheme=scheme)
    after = 1.5 + restitution * 2.5
    assert r["ball"].vy[-1] == pytest.approx(after, abs=1e-12)
    assert r["wall"].vy[-1] == pytest.approx(1.5, abs=1e-14)
    impulse = after + 1.0
    assert sum(i.impulse for i in r.impacts) == pytest.approx(impulse, rel=1e-9)
    assert r.energy.driver_work[-1] == pytest.approx(1.5 * impulse, rel=1e-9)
    assert r.energy.dissipated[-1] == pytest.approx(0.5 * 2.5**2 * (1.0 - restitution**2), abs=1e-9)
    assert r["drive"].effort.max() * 1e-3 == pytest.approx(impulse, rel=1e-9)
    assert r.energy.drift < 1e-12


def test_moving_wall_in_generalised_coordinates_is_the_driven_one():
    """The gap depends on time: w̃ = −w'(t). A ball on a plate that swings, thrown up again and again."""
    system = cm.GeneralizedSystem(
        q0=[0.3], u0=[0.0], mass=[[1.0]], force=[-GRAVITY], gaps=lambda q, t: q[0] - 0.02 * math.sin(30.0 * t),
        impact=cm.ImpactLaw(0.7), coordinates=["height"], contacts=["touch"],
    )  # fmt: skip
    driven = world()
    plate = driven.add(cm.Body("plate", 1.0, 1.0, velocity=(0.0, 0.6)))
    guide = driven.add(cm.Prismatic(driven.ground, plate, axis=(0.0, 1.0)))
    driven.add(cm.Driver(guide, cm.SineMotion(0.02, 30.0 / (2.0 * math.pi))))
    ball = disc(driven, "ball", (0.0, 0.4))
    driven.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(plate), impact=cm.ImpactLaw(0.7), name="touch"))
    one, two = run(system, 1.0, step=1e-4), run(driven, 1.0, step=1e-4)
    assert len(one.impacts) == len(two.impacts) >= 3
    # Which of the steps notices an impact grows from impact to impact.
    np.testing.assert_allclose([i.t_start for i in one.impacts], [i.t_start for i in two.impacts], atol=1e-3)
    np.testing.assert_allclose(
        [i.approach_speed for i in one.impacts], [i.approach_speed for i in two.impacts], rtol=5e-2
    )
    np.testing.assert_allclose([i.restitution for i in one.impacts], 0.7, atol=1e-9)


@schemes
def test_ball_in_a_box_under_gravity_in_any_direction(scheme):
    """Thrown with spin, ε = 0.9 and friction: it stays in the box, loses energy only, and ends in the lowest corner."""
    gravity = (GRAVITY * math.sin(0.7), -GRAVITY * math.cos(0.7))
    system = world(gravity)
    ball = disc(system, "ball", (0.0, 0.0), velocity=(3.0, 2.0), angular_velocity=20.0)
    for normal in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
        wall = cm.Plane(system.ground, (-normal[0], -normal[1]), normal)
        system.add(cm.Contact(cm.Sphere(ball, 0.1), wall, impact=cm.ImpactLaw(0.6, 0.2)))
    r = run(system, 20.0, scheme=scheme, output=0.01)
    assert max(np.abs(r["ball"].x).max(), np.abs(r["ball"].y).max()) < 0.9 + 6e-3
    assert np.diff(r.energy.total).max() < 1e-4
    assert (r["ball"].x[-1], r["ball"].y[-1]) == pytest.approx((0.9, -0.9), abs=3e-3)
