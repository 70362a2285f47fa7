"""Friction in lasting contact: creep on inclines, stick–slip on a belt, joints that lock or slip, rolling to rest."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom as cm

G = 9.81
IN_TURN = pytest.mark.parametrize("integrator", ["auto", "implicit"])
SLOPE, MU, CREEP = 0.15, 0.4, 1e-4


# ---- stacks that creep down an incline

COUNT, HALF = 5, (0.2, 0.2, 0.02)
LAW = cm.laws.KelvinVoigt(1e6, damping=3000.0)
FRICTION = cm.friction.Coulomb(MU, CREEP)


def flat_stack() -> cm.System:
    """Five boards on each other, on an incline to the right."""
    system = cm.System(gravity=(G * math.sin(SLOPE), -G * math.cos(SLOPE)))
    below = cm.Plane(system.ground)
    width, height = HALF[0], HALF[2]
    for k in range(COUNT):
        board = system.add(cm.Body(f"board {k}", 1.0, 0.02, (0.0, (2 * k + 1) * height)))
        for side, x in (("left", -width), ("right", width)):
            corner = cm.Point(board, (x, -height))
            system.add(cm.Contact(corner, below, law=LAW, friction=FRICTION, name=f"{side} {k}"))
        below = cm.Plane(board, (0.0, height), (0.0, 1.0))
    return system


def spatial_stack(heading: float) -> cm.System:
    """Five boxes on each other, on an incline with any heading."""
    down = G * math.sin(SLOPE) * np.array([math.cos(heading), math.sin(heading)])
    system = cm.System(dim=3, gravity=(*down, -G * math.cos(SLOPE)))
    below = cm.Plane(system.ground)
    for k in range(COUNT):
        board = system.add(cm.Body(f"board {k}", 1.0, (0.015, 0.015, 0.03), (0.0, 0.0, (2 * k + 1) * HALF[2])))
        system.add(cm.Contact(cm.Box(board, HALF), below, law=LAW, friction=FRICTION, name=f"touch {k}"))
        below = cm.Plane(board, (0.0, 0.0, HALF[2]), (0.0, 0.0, 1.0))
    return system


SPEED = CREEP * math.atanh(math.tan(SLOPE) / MU)
"""Speed at which μ N tanh(v/v₀) carries the weight down the slope: the same between all boards [m/s]."""


@IN_TURN
def test_a_flat_stack_creeps_down_an_incline_as_its_friction_law(integrator: str):
    result = cm.simulate(flat_stack(), 1.0, integrator=integrator)
    for k in range(COUNT):
        assert result[f"board {k}"].vx[-1] == pytest.approx((k + 1) * SPEED, rel=1e-3)
        assert abs(result[f"board {k}"].omega[-1]) < 1e-6
        load = (COUNT - k) * G
        normal, rubbing = (
            sum(getattr(result[f"{side} {k}"], name)[-1] for side in ("left", "right"))
            for name in ("normal_force", "friction_force")
        )
        assert normal == pytest.approx(load * math.cos(SLOPE), rel=1e-5)
        assert abs(rubbing) == pytest.approx(load * math.sin(SLOPE), rel=2e-4)  # boards tilt by 1e-5
    assert (result.t > 0.9).sum() < 100


@pytest.mark.parametrize("heading", [0.0, 0.7, 2.5])
def test_a_spatial_stack_creeps_straight_down_an_incline_of_any_heading(heading: float):
    result = cm.simulate(spatial_stack(heading), 1.0)
    down = np.array([math.cos(heading), math.sin(heading), 0.0])
    for k in range(COUNT):
        velocity = result[f"board {k}"].velocity[-1]
        np.testing.assert_allclose(velocity, (k + 1) * SPEED * down, rtol=0.0, atol=1e-3 * (k + 1) * SPEED)
        assert result[f"touch {k}"].normal_force[-1] == pytest.approx((COUNT - k) * G * math.cos(SLOPE), rel=1e-5)


# ---- an oscillator on a belt

BELT, SPRING, LOAD = 0.1, 100.0, G


def oscillator(friction: Any, heading: float | None) -> cm.System:
    """A mass of 1 kg, held by a spring, on a belt that runs at 0.1 m/s; in the plane, or in space with a heading."""
    along = (1.0,) if heading is None else (math.cos(heading), math.sin(heading))
    dim = len(along) + 1
    up = (0.0,) * (dim - 1) + (1.0,)
    system = cm.System(dim=dim, gravity=tuple(-G * x for x in up))
    inertia = 0.01 if dim == 2 else (0.01, 0.01, 0.01)
    velocity = (*(BELT * x for x in along), 0.0)
    belt = system.add(cm.Body("belt", 1.0, inertia, tuple(-0.2 * x for x in up), velocity=velocity))
    slide = system.add(cm.Prismatic(system.ground, belt, axis=(*along, 0.0)))
    system.add(cm.Driver(slide, cm.ConstantSpeed(BELT)))
    mass = system.add(cm.Body("mass", 1.0, inertia, tuple(-LOAD / 1e6 * x for x in up)))
    foot, face = cm.Point(mass, (0.0,) * dim), cm.Plane(belt, tuple(0.2 * x for x in up), up)
    law = cm.laws.KelvinVoigt(1e6, damping=500.0)
    system.add(cm.Contact(foot, face, law=law, friction=friction, name="touch"))
    wall = cm.Marker(system.ground, (*(-10.0 * x for x in along), -LOAD / 1e6))
    system.add(cm.SpringDamper(wall, mass, stiffness=SPRING, free_length=10.0))
    return system


def coulomb(v: float, z: float) -> tuple[float, float]:
    return 0.3 * math.tanh(v / 1e-3), 0.0


def lugre(v: float, z: float) -> tuple[float, float]:
    g = 0.25 + 0.15 * math.exp(-((v / 0.02) ** 2))
    rate = v - 1e4 * abs(v) * z / g
    return 1e4 * z + 50.0 * rate + 0.1 * v, rate


def dahl(v: float, z: float) -> tuple[float, float]:
    return 1e4 * z, v - 1e4 * abs(v) * z / 0.3


FRICTIONS: dict[str, tuple[Any, Callable[[float, float], tuple[float, float]]]] = {
    "Coulomb": (cm.friction.Coulomb(0.3, 1e-3), coulomb),
    "LuGre": (cm.friction.LuGre(0.4, 0.25, 0.02, 1e4, 50.0, 0.1), lugre),
    "Dahl": (cm.friction.Dahl(0.3, 1e4), dahl),
}


@pytest.mark.parametrize("heading", [None, 2.2], ids=["plane", "space"])
@pytest.mark.parametrize("name", FRICTIONS)
def test_an_oscillator_on_a_belt_moves_as_an_independent_solution(name: str, heading: float | None):
    friction, law = FRICTIONS[name]
    at = np.linspace(0.0, 1.6, 81)

    def slope(t, y):
        force, rate = law(BELT - y[1], y[2])
        return [y[1], LOAD * force - SPRING * y[0], rate]

    other = solve_ivp(slope, (0.0, at[-1]), [0.0] * 3, "LSODA", t_eval=at, rtol=1e-11, atol=1e-13)
    along = np.array([1.0]) if heading is None else np.array([math.cos(heading), math.sin(heading)])
    for integrator in ("auto", "implicit"):
        result = cm.simulate(oscillator(friction, heading), at[-1], integrator=integrator)
        there = result.sample(at)["mass"]
        np.testing.assert_allclose(there.position[:, :-1] @ along, other.y[0], rtol=0.0, atol=2e-8)
        np.testing.assert_allclose(there.velocity[:, :-1] @ along, other.y[1], rtol=0.0, atol=1e-6)
        assert result.stats["implicit_time"] > 1.0
        assert result.energy.drift < 1e-7


def test_the_period_of_stick_and_slip_is_that_of_dry_friction():
    """T = 2 Δ/v + 2 (π − atan(Δ ω/v))/ω with Δ = (μ_s − μ_d) N/k, in the limit of stiff bristles."""
    static, dynamic = 0.4, 0.25
    omega, delta = math.sqrt(SPRING), (static - dynamic) * LOAD / SPRING
    period = 2.0 * delta / BELT + 2.0 * (math.pi - math.atan(delta * omega / BELT)) / omega
    result = cm.simulate(oscillator(cm.friction.LuGre(static, dynamic, 1e-3, 1e6, 300.0), None), 4.0)
    t, speed = result.t, result["mass"].vx
    falls = np.flatnonzero((speed[:-1] > 0.0) & (speed[1:] <= 0.0))
    times = t[falls] + (t[falls + 1] - t[falls]) * speed[falls] / (speed[falls] - speed[falls + 1])
    assert len(times) > 3
    assert np.diff(times)[1:] == pytest.approx(period, rel=0.01)


# ---- joints that lock or slip


@pytest.mark.filterwarnings("ignore:Contact .* overlap:carom.CaromWarning")
@pytest.mark.parametrize("friction", [0.5, 0.2], ids=["locks", "falls"])
@IN_TURN
def test_a_sleeve_with_an_eccentric_load_locks_on_its_pole_or_falls(friction: float, integrator: str):
    """With 2 μ a > l both edges press with N = m g a/l, and it creeps at v₀ atanh(l/(2 μ a)); else it falls freely."""
    arm, length, radius, creep, stiffness = 0.1, 0.06, 0.01, 1e-4, 1e7
    normal = 0.3 * G * arm / length
    system = cm.System(gravity=(0.0, -G))
    sleeve = system.add(cm.Body("sleeve", 0.3, 1e-3, (arm, 0.0)))
    law, rubbing = cm.laws.KelvinVoigt(stiffness, damping=1000.0), cm.friction.Coulomb(friction, creep)
    for side, name in ((-1.0, "upper"), (1.0, "lower")):
        edge = cm.Point(sleeve, (side * radius - arm, -side * 0.5 * length))
        face = cm.Plane(system.ground, (side * (radius + normal / stiffness), 0.0), (side, 0.0))
        system.add(cm.Contact(edge, face, law=law, friction=rubbing, name=name))
    result = cm.simulate(system, 0.3, integrator=integrator)
    locks = 2.0 * friction * arm > length
    for name in ("upper", "lower"):
        assert result[name].normal_force[-1] == pytest.approx(normal if locks else 0.0, rel=1e-5)
    if locks:
        speed = creep * math.atanh(length / (2.0 * friction * arm))
        assert result["sleeve"].vy[-1] == pytest.approx(-speed, rel=1e-4)
        assert result.stats["implicit_time"] > 0.25
    else:
        middle, end = result.sample([0.2, 0.3])["sleeve"].vy
        assert end - middle == pytest.approx(-G * 0.1, rel=1e-9)


@pytest.mark.parametrize("push", [250.0, 305.0], ids=["micro-slip", "gross slip"])
@IN_TURN
def test_a_clamped_block_shakes_as_an_independent_solution(push: float, integrator: str):
    """A block of 1 kg between two faces, clamped by 1 kN: 2 μ N = 300 N hold it against a force of 50 Hz."""
    clamp, stiffness, depth = 1000.0, 1e8, 0.02
    sag = 0.5 * clamp / stiffness
    system = cm.System(gravity=(0.0, 0.0))
    block = system.add(cm.Body("block", 1.0, 1e-3, (0.0, depth - sag)))
    head = system.add(cm.Body("head", 0.2, 1e-3, (0.0, 3.0 * depth - 2.0 * sag)))
    system.add(cm.Prismatic(system.ground, head, axis=(0.0, 1.0)))
    system.add(cm.PointForce(head, (0.0, -clamp)))
    law, friction = cm.laws.KelvinVoigt(stiffness, damping=5000.0), cm.friction.Coulomb(0.15, 1e-3)
    upper = cm.Plane(block, (0.0, depth), (0.0, 1.0))
    for side in (-1.0, 1.0):
        lower_point, upper_point = cm.Point(block, (side * 0.03, -depth)), cm.Point(head, (side * 0.03, -depth))
        system.add(cm.Contact(lower_point, cm.Plane(system.ground), law=law, friction=friction, name=f"low {side}"))
        system.add(cm.Contact(upper_point, upper, law=law, friction=friction, name=f"high {side}"))
    omega = 100.0 * math.pi
    system.add(cm.PointForce(block, lambda t: (push * math.sin(omega * t), 0.0)))
    result = cm.simulate(system, 0.08, integrator=integrator)

    def slope(t, y):
        return [y[1], push * math.sin(omega * t) - 2.0 * 0.15 * clamp * math.tanh(y[1] / 1e-3)]

    at = np.linspace(0.0, 0.08, 161)
    other = solve_ivp(slope, (0.0, 0.08), [0.0, 0.0], "LSODA", t_eval=at, rtol=1e-11, atol=1e-14)
    there = result.sample(at)["block"]
    size = np.abs(other.y).max(axis=1)  # the tilt under the shifted load, 1e-7, is left out here
    np.testing.assert_allclose(there.x, other.y[0], rtol=0.0, atol=5e-5 * size[0])
    np.testing.assert_allclose(there.vx, other.y[1], rtol=0.0, atol=5e-5 * size[1])


# ---- rolling


@pytest.mark.parametrize("dim", [2, 3])
@IN_TURN
def test_a_ball_with_rolling_resistance_rolls_to_rest(dim: int, integrator: str):
    """It decelerates by (5/7) g f/R, where it rolls without sliding, and stops after v²/(2 a)."""
    radius, lever, mass, speed = 0.05, 2e-3, 1.0, 0.5
    heading = np.array([1.0]) if dim == 2 else np.array([0.8, 0.6])
    across = (0.0,) * (dim - 1)
    system = cm.System(dim=dim, gravity=(*across, -G))
    inertia, spin = 0.4 * mass * radius**2, speed / radius
    ball = system.add(
        cm.Body(
            "ball", mass, inertia if dim == 2 else (inertia,) * 3, (*across, radius - mass * G / 1e7),
            velocity=(*(speed * heading), 0.0),
            angular_velocity=-spin if dim == 2 else (-spin * heading[1], spin * heading[0], 0.0),
        )
    )  # fmt: skip
    law, friction = cm.laws.KelvinVoigt(1e7, damping=1000.0), cm.friction.Coulomb(0.4, 1e-4)
    resistance = cm.friction.Rolling(lever, 1e-3)
    floor = cm.Plane(system.ground)
    system.add(cm.Contact(cm.Sphere(ball, radius), floor, law=law, friction=friction, rolling=resistance, name="floor"))
    result = cm.simulate(system, 4.0, integrator=integrator)
    deceleration = 5.0 / 7.0 * G * lever / radius
    assert result["ball"].velocity[-1] == pytest.approx(0.0, abs=1e-9)
    way = result["ball"].position[-1][:-1]
    np.testing.assert_allclose(way, 0.5 * speed**2 / deceleration * heading, rtol=1e-3, atol=1e-7)
    assert (result.t > 3.0).sum() < 60
    assert result.energy.drift < 1e-7


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("used", [0.5, 0.9, 0.95])
def test_a_box_with_the_default_friction_creeps_by_less_than_a_micrometre_per_second(dim: int, used: float):
    """The speed is v₀ artanh s of the regularised law, with the default v₀."""
    friction = cm.friction.Coulomb(0.4)
    slope = math.atan(used * 0.4)
    down, normal = 9.81 * math.sin(slope), 9.81 * math.cos(slope)
    law = cm.laws.KelvinVoigt(1e6, damping=500.0)
    if dim == 2:
        system = cm.System(gravity=(down, -normal))
        box = system.add(cm.Body("box", 1.0, 0.01, position=(0.0, 0.02)))
        floor = cm.Plane(system.ground)
        for x in (-0.1, 0.1):
            system.add(cm.Contact(cm.Point(box, (x, -0.02)), floor, law=law, friction=friction))
    else:
        system = cm.System(dim=3, gravity=(0.6 * down, 0.8 * down, -normal))
        box = system.add(cm.Body("box", 1.0, (0.01, 0.01, 0.01), position=(0.0, 0.0, 0.02)))
        system.add(cm.Contact(cm.Box(box, (0.1, 0.1, 0.02)), cm.Plane(system.ground), law=law, friction=friction))
    result = cm.simulate(system, 1.0)
    speed = float(np.linalg.norm(result["box"].velocity[-1]))
    assert speed < 1e-6
    assert speed == pytest.approx(friction.regularisation * math.atanh(used), rel=1e-3)


@pytest.mark.parametrize("integrator", ["auto", "implicit"])
@pytest.mark.parametrize("slope", [0.2, 0.3, 0.4])
def test_box_that_settles_on_a_slope_keeps_its_energy_balance(slope, integrator):
    """The steep friction at rest needs the powers at the final stages: those of the last iteration give 5e-8."""
    angle = math.atan(slope)
    system = cm.System(gravity=(9.81 * math.sin(angle), -9.81 * math.cos(angle)))
    box = system.add(cm.Body("box", 1.0, 1e-2, position=(0.0, 0.05)))
    law, friction = cm.laws.KelvinVoigt(1e6, 500.0), cm.friction.Coulomb(0.5)
    for x in (-0.1, 0.1):
        system.add(cm.Contact(cm.Point(box, (x, -0.05)), cm.Plane(system.ground), law=law, friction=friction))
    result = cm.simulate(system, 5.0, integrator=integrator)
    assert result.energy.drift < 1e-8
    assert result["box"].vx[-1] < 1e-6
