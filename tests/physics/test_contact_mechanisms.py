"""Mechanisms with contacts of all kinds, by two integrators far apart in order and tolerance, and by their energy."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import carom as cm
from physics.drops import GRAVITY, Patience

FLORES = cm.laws.Flores(1e7, 0.5)
COULOMB = cm.friction.Coulomb(0.2, 1e-2)


def small_ball(system: cm.System, position: tuple[float, float], velocity: tuple[float, float] = (0.0, 0.0)) -> cm.Body:
    return system.add(cm.Body("ball", 0.1, 0.4 * 0.1 * 0.02**2, position, velocity=velocity))


def grounded() -> cm.System:
    return cm.System(gravity=(0.0, -GRAVITY))


def ellipse(body: cm.Body, a: float, b: float) -> cm.Curve:
    return cm.Curve.function(body, lambda s: (a * math.cos(s), b * math.sin(s)), (0.0, 2.0 * math.pi), closed=True)


# ---- the models


def in_a_cavity(speed: float, friction) -> cm.System:
    """A ball that rolls in a bowl, or round the whole of it."""
    system = grounded()
    ball = small_ball(system, (0.0, -0.179), (speed, 0.0))
    bowl = cm.Sphere(system.ground, 0.2, inside=True)
    system.add(cm.Contact(bowl, cm.Sphere(ball, 0.02), FLORES, friction, name="bowl"))
    return system


def off_an_edge() -> cm.System:
    """A ball that slides along a shelf and falls off its end."""
    system = grounded()
    ball = small_ball(system, (0.0, 0.05), (0.6, 0.0))
    shelf = cm.Segment(system.ground, (-0.3, 0.0), (0.11, 0.0))
    system.add(cm.Contact(cm.Sphere(ball, 0.02), shelf, cm.laws.Flores(1e6, 0.5), name="shelf"))
    return system


def rod_on_pegs() -> cm.System:
    """A round-ended rod that falls on two pegs, side and ends."""
    system = grounded()
    rod = system.add(cm.Body("rod", 0.3, 0.3 * 0.4**2 / 12.0, position=(0.05, 0.1), angle=0.1))
    for k, at in enumerate(((0.0, 0.0), (0.15, -0.05))):
        peg, skin = cm.Sphere(system.ground, 0.01, at), cm.Segment(rod, (-0.2, 0.0), (0.2, 0.0), radius=0.01)
        system.add(cm.Contact(peg, skin, cm.laws.Flores(1e7, 0.6), COULOMB, name=f"peg{k}"))
    return system


def on_a_shaken_table() -> cm.System:
    system = grounded()
    table = system.add(cm.Body("table", 1.0, 0.1))
    guide = system.add(cm.Prismatic(system.ground, table, axis=(0.0, 1.0)))
    system.add(cm.Driver(guide, cm.SineMotion(0.01, 5.0)))
    ball = small_ball(system, (0.0, 0.1))
    system.add(cm.Contact(cm.Sphere(ball, 0.02), cm.Plane(table), cm.laws.ExactRestitution(1e7, 0.7), name="table top"))
    return system


def on_a_rocking_table() -> cm.System:
    system = grounded()
    table = system.add(cm.Body("table", 1.0, 0.1))
    pin = system.add(cm.Revolute(system.ground, table, at=(0.0, 0.0)))
    system.add(cm.Driver(pin, cm.SineMotion(0.2, 1.0)))
    ball = small_ball(system, (0.01, 0.03))
    system.add(cm.Contact(cm.Plane(table), cm.Sphere(ball, 0.02), FLORES, COULOMB, name="table top"))
    return system


def in_a_press() -> cm.System:
    """A ball between a floor and a plate that a motor moves down on it."""
    system = grounded()
    plate = system.add(cm.Body("plate", 1.0, 0.1, position=(0.0, 0.2)))
    guide = system.add(cm.Prismatic(system.ground, plate, axis=(0.0, 1.0)))
    system.add(cm.Driver(guide, cm.PolynomialMotion([0.0, -0.1])))
    ball = system.add(cm.Body("ball", 0.1, 1e-4, position=(0.0, 0.06)))
    law = cm.laws.Flores(1e5, 0.5)
    system.add(cm.Contact(cm.Plane(system.ground), cm.Sphere(ball, 0.05), law, name="floor"))
    system.add(cm.Contact(cm.Plane(plate, normal=(0.0, -1.0)), cm.Sphere(ball, 0.05), law, name="press"))
    return system


def two_ellipses() -> cm.System:
    system = cm.System()
    a = system.add(cm.Body("a", 1.0, 1e-3, (-0.2, 0.0), 0.3, (1.0, 0.0), 5.0))
    b = system.add(cm.Body("b", 2.0, 2e-3, (0.2, 0.01), 1.0))
    system.add(
        cm.Contact(ellipse(a, 0.1, 0.05), ellipse(b, 0.08, 0.06), cm.laws.Flores(1e7, 0.6), COULOMB, name="touch")
    )
    return system


def ellipse_rocking_in_a_bowl() -> cm.System:
    system = grounded()
    body = system.add(cm.Body("body", 1.0, 2e-3, position=(0.0, 0.06), velocity=(0.1, 0.0)))
    bowl = cm.Curve.polynomial(system.ground, x=(0.0, 1.0), y=(0.0, 0.0, 0.3), span=(-1.0, 1.0))
    system.add(cm.Contact(ellipse(body, 0.1, 0.05), bowl, FLORES, cm.friction.Coulomb(0.5, 1e-2), name="bowl"))
    return system


MODELS: dict[str, tuple[Callable[[], cm.System], float]] = {
    # model, time
    "bowl": (lambda: in_a_cavity(1.0, COULOMB), 0.5),
    "round the bowl": (lambda: in_a_cavity(4.0, COULOMB), 0.5),
    "bowl, bristles": (lambda: in_a_cavity(1.0, cm.friction.Dahl(0.2, 1e3)), 0.2),
    "shelf": (off_an_edge, 0.5),
    "pegs": (rod_on_pegs, 0.4),
    "shaken table": (on_a_shaken_table, 0.5),
    "rocking table": (on_a_rocking_table, 0.5),
    "press": (in_a_press, 1.2),
    "ellipses": (two_ellipses, 0.6),
    "rocking": (ellipse_rocking_in_a_bowl, 0.4),
}


def agree(system: cm.System, t_end: float, tolerance: float = 1e-7) -> cm.Result:
    """The run at default tolerances, after a comparison with one of eighth order at tight ones."""
    result = cm.simulate(system, t_end, progress=Patience())
    precise = cm.simulate(system, t_end, integrator="dop853", rtol=1e-11, atol=1e-13, progress=Patience())
    for run in (result, precise):
        assert run.outcome.ok
        assert run.energy.drift < 1e-8
        assert np.all(np.diff(run.t) >= 0.0)
        assert all(impact.initial_indentation < 1e-13 for impact in run.impacts)
    assert [impact.contact for impact in result.impacts] == [impact.contact for impact in precise.impacts]
    for one, other in zip(result.impacts, precise.impacts, strict=True):
        assert one.t_start == pytest.approx(other.t_start, abs=tolerance)
        assert one.approach_speed == pytest.approx(other.approach_speed, abs=100.0 * tolerance)
        assert one.separation_speed >= -1e-9
    np.testing.assert_allclose(result.q[-1], precise.q[-1], atol=tolerance)
    return result


@pytest.mark.parametrize("name", MODELS)
def test_two_integrators_agree(name):
    make, t_end = MODELS[name]
    assert agree(make(), t_end).impacts


# ---- random ones

LAWS = (
    lambda rng: cm.laws.Hertz(10.0 ** rng.uniform(5.0, 10.0)),
    lambda rng: cm.laws.Flores(10.0 ** rng.uniform(5.0, 10.0), rng.uniform(0.5, 1.0)),
    lambda rng: cm.laws.ExactRestitution(10.0 ** rng.uniform(5.0, 10.0), rng.uniform(0.3, 1.0)),
    lambda rng: cm.laws.PlasticUnloading(10.0 ** rng.uniform(5.0, 10.0), rng.uniform(0.3, 1.0)),
    lambda rng: cm.laws.KelvinVoigt(10.0 ** rng.uniform(4.0, 7.0), damping=10.0 ** rng.uniform(0.0, 2.0)),
    lambda rng: cm.laws.PenaltyStep(1e8, damping=10.0 ** rng.uniform(1.0, 3.0), depth=1e-4),
    lambda rng: cm.laws.Linear(10.0 ** rng.uniform(4.0, 7.0)),
)


def some_law(rng: np.random.Generator) -> cm.laws.NormalLaw:
    return LAWS[rng.integers(len(LAWS))](rng)


def balls_in_a_box(rng: np.random.Generator) -> cm.System:
    """Three balls of different masses, some hinged, between four walls; every contact has a law of its own."""
    system = cm.System(gravity=(0.0, -GRAVITY * rng.integers(2)), name="box")
    radii = rng.uniform(0.05, 0.12, 3)
    balls = []
    for k, radius in enumerate(radii):
        mass = 10.0 ** rng.uniform(-1.5, 1.0)
        place = (0.3 * k - 0.4 + rng.uniform(-0.03, 0.03), rng.uniform(0.15, 0.5))
        ball = cm.Body(
            f"ball{k}", mass, 0.5 * mass * radius**2, place, 0.0, rng.uniform(-2.0, 2.0, 2), rng.uniform(-5, 5)
        )
        balls.append(system.add(ball))
    if rng.random() < 0.5:
        x, y = balls[0].position
        system.add(cm.Revolute(system.ground, balls[0], at=(x + rng.uniform(-0.2, 0.2), y + rng.uniform(0.1, 0.3))))
        system.assemble()
    walls = (((0.0, 0.0), (0.0, 1.0)), ((-0.7, 0.0), (1.0, 0.0)), ((0.9, 0.0), (-1.0, 0.0)), ((0.0, 0.9), (0.0, -1.0)))
    friction = (None, COULOMB, cm.friction.StepCoulomb(0.2, 0.1, 0.005, 0.05))
    for ball, radius in zip(balls, radii, strict=True):
        for at, normal in walls:
            wall = cm.Plane(system.ground, at, normal)
            system.add(cm.Contact(cm.Sphere(ball, radius), wall, some_law(rng), friction[rng.integers(3)]))
    for i in range(3):
        for j in range(i):
            pair = (cm.Sphere(balls[k], radii[k]) for k in (i, j))
            system.add(cm.Contact(*pair, some_law(rng), friction[rng.integers(3)]))
    return system


@pytest.mark.parametrize("seed", range(12))
def test_random_balls_in_a_box(seed):
    system = balls_in_a_box(np.random.default_rng(seed))
    agree(system, 0.3, 1e-6)
