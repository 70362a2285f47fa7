"""Mechanisms whose contacts last: implicit and switched runs beside explicit ones with a tight tolerance."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from quick import examples

G = 9.81
INTEGRATORS = ("auto", "implicit")
OVERLAPS = pytest.mark.filterwarnings("ignore:Contact .* overlap:carom.CaromWarning")


def largest_errors(make: Any, t_end: float, bodies: list[str], **options: Any) -> dict[str, tuple[float, float]]:
    """Errors of positions and velocities of each integrator, relative to their sizes, beside an explicit run."""
    at = np.linspace(0.0, t_end, 81)
    tight = cm.simulate(make(), t_end, integrator="dopri5", rtol=1e-10, atol=1e-12).sample(at)
    errors = {}
    for integrator in INTEGRATORS:
        result = cm.simulate(make(), t_end, integrator=integrator, **options)
        assert result.outcome.ok, result.message
        assert result.energy.drift < 1e-7
        there = result.sample(at)
        worst = [0.0, 0.0]
        for k, name in enumerate(("position", "velocity")):
            size = max(np.abs(getattr(tight[body], name)).max() for body in bodies)
            for body in bodies:
                worst[k] = max(worst[k], np.abs(getattr(there[body], name) - getattr(tight[body], name)).max() / size)
        errors[integrator] = (worst[0], worst[1])
    return errors


def check(make: Any, t_end: float, bodies: list[str], position: float, velocity: float) -> None:
    for integrator, errors in largest_errors(make, t_end, bodies).items():
        assert errors[0] < position, integrator
        assert errors[1] < velocity, integrator


# ---- planar mechanisms


@pytest.mark.parametrize("amplitude", [5e-4, 2e-3], ids=["slides", "hops"])
def test_a_block_on_a_vibrating_conveyor_travels_as_in_explicit_steps(amplitude: float):
    def make() -> cm.System:
        system = cm.System(gravity=(0.0, -G))
        plate = system.add(cm.Body("plate", 1.0, 0.01))
        slide = system.add(cm.Prismatic(system.ground, plate, axis=(math.cos(0.5), math.sin(0.5))))
        system.add(cm.Driver(slide, cm.SineMotion(amplitude, 25.0)))
        block = system.add(cm.Body("block", 0.2, 5e-5, (0.0, 0.02)))
        law, friction = cm.laws.KelvinVoigt(1e5, damping=60.0), cm.friction.Coulomb(0.3, 1e-3)
        for side in (-0.02, 0.02):
            corner, face = cm.Point(block, (side, -0.02)), cm.Plane(plate)
            system.add(cm.Contact(corner, face, law=law, friction=friction, name=f"corner {side}"))
        return system

    check(make, 0.2, ["block"], 1e-7, 1e-6)


@pytest.mark.parametrize("friction", [None, cm.friction.Coulomb(0.1, 1e-2)], ids=["smooth", "rough"])
def test_a_slider_crank_with_a_worn_joint_moves_as_in_explicit_steps(friction: Any):
    def make() -> cm.System:
        system = cm.System(gravity=(0.0, -G))
        crank = system.add(cm.Body("crank", 0.3, 1e-4, (0.025, 0.0), angular_velocity=60.0))
        rod = system.add(cm.Body("rod", 0.21, 2.5e-4, (0.11, 0.0)))
        slider = system.add(cm.Body("slider", 0.14, 1e-4, (0.17, 0.0)))
        hinge = system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0)))
        system.add(cm.Driver(hinge, cm.ConstantSpeed(60.0)))
        system.add(cm.Revolute(crank, rod, at=(0.05, 0.0)))
        system.add(cm.Prismatic(system.ground, slider, axis=(1.0, 0.0)))
        law = cm.laws.KelvinVoigt(1e8, damping=3e4)
        system.add(cm.RevoluteClearance(rod, slider, (0.17, 0.0), 0.0095, 0.01, law=law, friction=friction))
        system.assemble(keep=[(crank, "angular_velocity")])
        return system

    check(make, 0.1, ["crank", "rod", "slider"], 1e-7, 2e-5)


def test_a_plate_on_three_legs_with_a_redundant_joint_settles():
    def make() -> cm.System:
        system = cm.System(gravity=(0.0, -G))
        plate = system.add(cm.Body("plate", 2.0, 0.02, (0.0, 0.05)))
        for k, x in enumerate((-0.2, 0.0, 0.2)):
            leg = system.add(cm.Body(f"leg {k}", 0.1, 1e-3, (x - 0.05, 0.15)))
            system.add(cm.Revolute(system.ground, leg, at=(x - 0.1, 0.25)))
            system.add(cm.Revolute(leg, plate, at=(x, 0.05)))
        law, friction = cm.laws.Flores(1e8, 0.4), cm.friction.Coulomb(0.3, 1e-3)
        foot = cm.Point(plate, (0.0, -0.05))
        system.add(cm.Contact(foot, cm.Plane(system.ground), law=law, friction=friction, name="floor"))
        return system

    with pytest.warns(cm.CaromWarning, match="constraint equation is redundant"):
        check(make, 0.5, ["plate", "leg 0", "leg 2"], 1e-10, 1e-6)


def test_a_plastic_contact_remembers_its_deepest_load_through_load_cycles():
    """At the turns of a slow load K δ^1.5 = F at the deepest, and less load on the curve down to its release."""
    law = cm.laws.PlasticUnloading(1e8, 0.5)
    low, high = 20.0, 220.0

    def make() -> cm.System:
        system = cm.System(gravity=(0.0, 0.0))
        block = system.add(cm.Body("block", 1.0, 0.01, (0.0, 0.1)))
        system.add(cm.Contact(cm.Sphere(block, 0.1), cm.Plane(system.ground), law=law, name="floor"))
        system.add(cm.PointForce(block, lambda t: (0.0, -20.0 - 200.0 * math.sin(5.0 * math.pi * t) ** 2)))
        system.add(cm.SpringDamper(cm.Marker(system.ground, (0.0, 1.1)), block, damping=2000.0))
        return system

    check(make, 0.5, ["block"], 1e-9, 1e-6)
    for integrator in INTEGRATORS:
        result = cm.simulate(make(), 0.5, integrator=integrator)
        peaks, valleys = (result.sample(times)["floor"] for times in ([0.1, 0.3, 0.5], [0.2, 0.4]))
        deepest = (high / 1e8) ** (1.0 / 1.5)
        assert result["floor"].indentation.max() == pytest.approx(deepest, rel=1e-2)
        assert peaks.normal_force == pytest.approx(high, rel=1e-2)
        assert valleys.normal_force == pytest.approx(low, rel=0.1)
        assert (valleys.indentation > law.release(deepest)).all()
        assert len(result.impacts) == 1


@OVERLAPS
@pytest.mark.parametrize("dim", [2, 3])
def test_a_ball_pressed_between_two_walls_creeps_down(dim: int):
    """Each wall carries half the weight: v = v₀ atanh(m g/(2 μ N)), with N = K δ^1.5."""
    depth, creep, mass = 1e-4, 1e-4, 0.5
    normal = 1e9 * depth**1.5
    across = (0.0,) * (dim - 2)
    system = cm.System(dim=dim, gravity=(0.0, *across, -G))
    ball = system.add(cm.Body("ball", mass, 0.01 if dim == 2 else (0.01, 0.01, 0.01), (0.0, *across, 0.0)))
    law, friction = cm.laws.Flores(1e9, 0.5), cm.friction.Coulomb(0.5, creep)
    for side in (-1.0, 1.0):
        wall = cm.Plane(system.ground, (side * (0.1 - depth), *across, 0.0), (-side, *across, 0.0))
        system.add(cm.Contact(cm.Sphere(ball, 0.1), wall, law=law, friction=friction, name=f"wall {side}"))
    speed = creep * math.atanh(mass * G / (2.0 * 0.5 * normal))
    for integrator in INTEGRATORS:
        result = cm.simulate(system, 0.5, integrator=integrator)
        assert result["ball"].velocity[-1][-1] == pytest.approx(-speed, rel=1e-8)
        assert result["wall 1.0"].normal_force[-1] == pytest.approx(normal, rel=1e-9)
        assert result.stats["steps"] < 1500


@pytest.mark.parametrize("mass", [1e-3, 1e-5])
def test_a_nearly_massless_foot_carries_a_load_on_a_spring(mass: float):
    """The foot follows the load, an oscillator on two springs in a row."""
    stiffness, contact = 2000.0, 1e6
    system = cm.System(gravity=(0.0, -G))
    foot = system.add(cm.Body("foot", mass, 1e-9, (0.0, 0.02)))
    load = system.add(cm.Body("load", 1.0, 0.01, (0.0, 0.2)))
    for body in (foot, load):
        system.add(cm.Prismatic(system.ground, body, axis=(0.0, 1.0)))
    system.add(cm.SpringDamper(foot, load, stiffness=stiffness))
    law = cm.laws.KelvinVoigt(contact, damping=100.0)
    system.add(cm.Contact(cm.Sphere(foot, 0.02), cm.Plane(system.ground), law=law, name="floor"))
    omega = math.sqrt(1.0 / (1.0 / stiffness + 1.0 / contact))
    for integrator in INTEGRATORS:
        result = cm.simulate(system, 0.05, integrator=integrator)
        t = np.linspace(0.0, 0.05, 41)
        fall = G / omega**2 * (1.0 - np.cos(omega * t))
        np.testing.assert_allclose(0.2 - result.sample(t)["load"].y, fall, rtol=0.0, atol=0.005 * fall.max())
        assert result.stats["steps"] < 20_000


# ---- spatial mechanisms


def test_a_rod_on_a_universal_joint_leans_on_the_floor_as_in_explicit_steps():
    def make() -> cm.System:
        system = cm.System(dim=3, gravity=(0.0, 0.0, -G))
        along = np.array([math.sqrt(1.0 - 0.7**2), 0.0, -0.7])
        rod = system.add(cm.Body("rod", 1.0, (0.02, 0.02, 0.001), tuple(np.array([0.0, 0.0, 0.4]) + 0.25 * along)))
        system.add(cm.Universal(system.ground, rod, at=(0.0, 0.0, 0.4), axis_a=(1, 0, 0), axis_b=(0, 1, 0)))
        tip = cm.Sphere(rod, 0.05, at=tuple(0.25 * along))
        law, friction = cm.laws.Flores(1e8, 0.4), cm.friction.Coulomb(0.3, 1e-3)
        system.add(cm.Contact(tip, cm.Plane(system.ground), law=law, friction=friction, name="floor"))
        system.add(cm.PointForce(rod, lambda t: (0.0, math.sin(6.0 * t), 0.0)))
        return system

    check(make, 0.6, ["rod"], 1e-8, 1e-6)


# ---- any scene

LAWS = [
    cm.laws.KelvinVoigt(1e5, damping=300.0), cm.laws.KelvinVoigt(1e6, damping=100.0), cm.laws.Flores(1e7, 0.3),
    cm.laws.HuntCrossley(1e6, 0.8), cm.laws.PlasticUnloading(1e7, 0.4),
]  # fmt: skip
FRICTIONS = [
    None, cm.friction.Coulomb(0.4, 1e-3), cm.friction.LuGre(0.4, 0.3, 0.01, 1e3, 10.0), cm.friction.Dahl(0.3, 1e3),
    cm.friction.Threlfall(0.3, 1e-2),
]  # fmt: skip


@st.composite
def scenes(draw: st.DrawFn) -> cm.System:
    """One to three balls or boxes, on an incline or on each other, nearly at rest, in the plane or in space."""
    dim = draw(st.sampled_from([2, 3]))
    law, friction = draw(st.sampled_from(LAWS)), draw(st.sampled_from(FRICTIONS))
    slope, count = draw(st.floats(0.0, 0.2)), draw(st.integers(1, 3))
    across = (0.0,) * (dim - 2)
    system = cm.System(dim=dim, gravity=(G * math.sin(slope), *across, -G * math.cos(slope)))
    floor = cm.Plane(system.ground)
    for k in range(count):
        radius, mass = draw(st.floats(0.04, 0.08)), draw(st.floats(0.2, 2.0))
        x, speed = 0.5 * k, draw(st.floats(-0.2, 0.2))
        inertia = mass * radius**2 * (0.5 if dim == 2 else np.array([0.4, 0.5, 0.6]))
        body = system.add(
            cm.Body(f"body {k}", mass, inertia, (x, *across, radius), velocity=(speed, *across, -0.01))  # type: ignore[arg-type]
        )
        if draw(st.booleans()):
            system.add(cm.Contact(cm.Sphere(body, radius), floor, law=law, friction=friction, name=f"touch {k}"))
            continue
        sides = [(-1.0,), (1.0,)] if dim == 2 else [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        for n, side in enumerate(sides):
            corner = cm.Point(body, (*(2.0 * radius * s for s in side), -radius))
            system.add(cm.Contact(corner, floor, law=law, friction=friction, name=f"corner {k} {n}"))
    return system


@pytest.mark.filterwarnings("ignore:.*restitution:carom.CaromWarning")
@examples(30)
@given(system=scenes())
def test_scenes_move_as_in_explicit_steps(system: cm.System):
    at = np.linspace(0.0, 0.15, 31)
    tight = cm.simulate(system, at[-1], integrator="dopri5", rtol=1e-9).sample(at)
    for integrator in INTEGRATORS:
        result = cm.simulate(system, at[-1], integrator=integrator, rtol=1e-7)
        assert result.outcome.ok
        there = result.sample(at)
        for body in system.bodies:
            np.testing.assert_allclose(there[body].position, tight[body].position, rtol=0.0, atol=1e-7)
            np.testing.assert_allclose(there[body].velocity, tight[body].velocity, rtol=0.0, atol=1e-5)
