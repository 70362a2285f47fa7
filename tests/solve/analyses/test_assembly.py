"""Assembly: from a rough start onto the constraints, with what must stay staying."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.solve.model_evaluator import ModelEvaluator
from quick import each
from solve.mechanisms import FourBar, pendulum, slider_crank

LINKAGE = FourBar(0.5, 1.5, 1.2, 1.6)


def rough_four_bar(crank: float, push: float = 0.0) -> cm.System:
    """The linkage described by lengths and markers alone, its bodies only roughly in place."""
    system = cm.System(name="rough")
    lengths = {"crank": LINKAGE.crank, "coupler": LINKAGE.coupler, "rocker": LINKAGE.rocker}
    guesses = {"crank": (0.2, 0.2), "coupler": (1.0, 1.0), "rocker": (1.7 + push, 0.5 - push)}
    angles = {"crank": crank, "coupler": 0.2, "rocker": 1.4}
    bodies = {
        name: system.add(cm.Body(name, 1.0, length**2 / 12.0, position=guesses[name], angle=angles[name]))
        for name, length in lengths.items()
    }
    start = {name: bodies[name].point(-0.5 * length, 0.0) for name, length in lengths.items()}
    end = {name: bodies[name].point(0.5 * length, 0.0) for name, length in lengths.items()}
    system.add(cm.Revolute(system.ground.point(0.0, 0.0), start["crank"], name="A"))
    system.add(cm.Revolute(end["crank"], start["coupler"], name="B"))
    system.add(cm.Revolute(end["coupler"], end["rocker"], name="C"))
    system.add(cm.Revolute(system.ground.point(LINKAGE.base, 0.0), start["rocker"], name="D"))
    return system


@each("push", [0.0, 0.2, -0.3])
@each("crank", np.linspace(-3.0, 3.0, 9))
def test_rough_four_bar_closes_to_its_closed_form(crank, push):
    system = rough_four_bar(crank, push).assemble(keep=[("crank", "angle")])
    coupler, rocker = LINKAGE.angles(crank)
    assert system["crank"].angle == crank
    assert system["coupler"].angle == pytest.approx(coupler, abs=1e-12)
    assert system["rocker"].angle == pytest.approx(rocker, abs=1e-12)
    assert system["crank"].position == pytest.approx((0.25 * math.cos(crank), 0.25 * math.sin(crank)), abs=1e-12)


def residual(system: cm.System) -> float:
    mechanism = ModelEvaluator(system)
    n = mechanism.n
    y = mechanism.tables.y0.copy()
    phi, nu, _ = mechanism.rows(0.0, y)
    return float(max(np.abs(phi).max(), np.abs(mechanism.jacobian(0.0, y) @ y[n : 2 * n] - nu).max()))


@given(st.tuples(*[st.floats(-0.08, 0.08)] * 9))
def test_any_start_nearby_is_brought_onto_the_constraints(moves):
    system = rough_four_bar(0.7).assemble()
    for body, (x, y, turn) in zip(system.bodies, np.reshape(moves, (3, 3)), strict=True):
        body.position = (body.position[0] + x, body.position[1] + y)
        body.angle += turn
    system.assemble()
    assert residual(system) < 1e-13


def test_assembled_system_is_left_alone():
    system = rough_four_bar(0.7).assemble()
    before = [(body.position, body.angle) for body in system.bodies]
    system.assemble()
    for body, (position, angle) in zip(system.bodies, before, strict=True):
        assert body.position == pytest.approx(position, abs=1e-15)
        assert body.angle == pytest.approx(angle, abs=1e-15)


def test_change_is_the_least_the_masses_allow():
    """Two masses 2 m apart, to be 1 m apart: they meet at their centre of mass's side, m₁ d₁ = m₂ d₂."""
    system = cm.System()
    light = system.add(cm.Body("light", 1.0, 1.0, position=(0.0, 0.0)))
    heavy = system.add(cm.Body("heavy", 3.0, 1.0, position=(2.0, 0.0)))
    system.add(cm.Distance(light, heavy, length=1.0))
    system.assemble()
    assert light.position == pytest.approx((0.75, 0.0), abs=1e-14)
    assert heavy.position == pytest.approx((1.75, 0.0), abs=1e-14)


# ---- what is kept


def test_velocities_follow_from_the_one_that_is_kept():
    """Slider-crank: ẋ = −ω r (sin θ + r sin θ cos θ / √(l² − r² sin² θ))."""
    r, l, angle, speed = 0.15, 0.4, 0.7, 12.0
    system = slider_crank(r, l, angle)
    system["crank"].angular_velocity = speed
    system.assemble(keep=[(system["crank"], "angular_velocity")])
    root = math.sqrt(l**2 - (r * math.sin(angle)) ** 2)
    expected = -speed * r * math.sin(angle) * (1.0 + r * math.cos(angle) / root)
    assert system["crank"].angular_velocity == speed
    assert system["slider"].velocity == pytest.approx((expected, 0.0), abs=1e-12)
    assert system["rod"].angular_velocity == pytest.approx(-speed * r * math.cos(angle) / root, abs=1e-12)


@each(
    "what, read",
    [
        ("x", lambda body: body.position[0]),
        ("y", lambda body: body.position[1]),
        ("angle", lambda body: body.angle),
        ("vx", lambda body: body.velocity[0]),
        ("vy", lambda body: body.velocity[1]),
        ("angular_velocity", lambda body: body.angular_velocity),
        ("omega", lambda body: body.angular_velocity),
    ],
)
def test_each_quantity_that_is_kept_stays_as_it_is(what, read):
    system = rough_four_bar(0.7)
    rocker = system["rocker"]
    rocker.position, rocker.angle = (1.4, 0.5), 1.9
    rocker.velocity, rocker.angular_velocity = (0.4, 0.2), 0.3
    before = read(rocker)
    system.assemble(keep=[("rocker", what)])
    assert read(rocker) == before
    assert residual(system) < 1e-12


def test_position_and_velocity_keep_both_parts():
    system = cm.System()
    carrier = system.add(cm.Body("carrier", 1.0, 1.0, position=(0.3, 0.4), velocity=(1.0, 2.0)))
    load = system.add(cm.Body("load", 1.0, 1.0, position=(1.5, 0.5)))
    system.add(cm.Revolute(carrier.point(0.5, 0.0), load.point(-0.5, 0.0)))
    system.assemble(keep=[(carrier, "position"), (carrier, "velocity")])
    assert carrier.position == (0.3, 0.4)
    assert carrier.velocity == (1.0, 2.0)
    assert residual(system) < 1e-14


def test_whole_body_can_be_kept():
    system = cm.System()
    carrier = system.add(cm.Body("carrier", 1.0, 1.0, (0.3, 0.4), 0.2, (1.0, 2.0), 3.0))
    load = system.add(cm.Body("load", 1.0, 1.0, position=(1.5, 0.5)))
    pin = system.add(cm.Revolute(carrier.point(0.5, 0.0), load.point(-0.5, 0.0)))
    system.assemble(keep=[carrier])
    assert (carrier.position, carrier.angle) == ((0.3, 0.4), 0.2)
    assert (carrier.velocity, carrier.angular_velocity) == ((1.0, 2.0), 3.0)
    assert load.to_global((-0.5, 0.0)) == pytest.approx(carrier.to_global((0.5, 0.0)), abs=1e-14)
    assert pin.name == "revolute carrier-load"


def test_free_body_needs_no_assembly():
    system = cm.System()
    body = system.add(cm.Body("body", 1.0, 1.0, (0.3, 0.4), 0.2, (1.0, 2.0), 3.0))
    system.assemble()
    assert (body.position, body.angle, body.velocity, body.angular_velocity) == ((0.3, 0.4), 0.2, (1.0, 2.0), 3.0)


def test_drivers_set_the_start_of_what_they_drive():
    system = pendulum(inertia=0.1)
    system.add(cm.Driver((system["bob"], "angle"), cm.SineMotion(0.5, 2.0, phase=0.3, offset=0.1)))
    system.assemble()
    assert system["bob"].angle == pytest.approx(0.1 + 0.5 * math.sin(0.3), abs=1e-14)
    assert system["bob"].angular_velocity == pytest.approx(0.5 * 4.0 * math.pi * math.cos(0.3), abs=1e-13)


# ---- what cannot be


@pytest.mark.parametrize(
    "keep",
    [
        [("crank", "colour")],
        [("crank", ["angle"])],
        [("crank", "angle", 0.0)],
        [("ground", "angle")],
        ["nobody"],
        [5],
        [None],
    ],
    ids=str,
)
def test_nonsense_is_not_kept(keep):
    with pytest.raises(cm.ModelError, match=r"crank|keep|nobody"):
        slider_crank(angle=0.4).assemble(keep=keep)


def test_body_of_another_system_is_not_kept():
    with pytest.raises(cm.ModelError, match="keep must list bodies of the system"):
        slider_crank(angle=0.4).assemble(keep=[cm.Body("stranger", 1.0)])


def test_impossible_geometry_names_the_joints_that_stay_open():
    system = cm.System(name="too short")
    rods = [system.add(cm.Body(f"rod {k}", 1.0, 0.1, position=(k + 0.5, 0.2))) for k in range(2)]
    system.add(cm.Revolute(system.ground.point(0.0, 0.0), rods[0].point(-0.5, 0.0), name="left"))
    system.add(cm.Revolute(rods[0].point(0.5, 0.0), rods[1].point(-0.5, 0.0), name="knee"))
    system.add(cm.Revolute(rods[1].point(0.5, 0.0), system.ground.point(2.5, 0.0), name="right"))
    with pytest.raises(cm.ModelError, match="'too short' cannot be assembled") as caught:
        system.assemble()
    # The gap of 0.5 m is shared, and all three joints feel it.
    for name in ("left", "knee", "right"):
        assert f"'{name}'" in str(caught.value)


def test_keeping_too_much_is_said():
    system = rough_four_bar(0.7).assemble()
    system["crank"].angular_velocity, system["rocker"].angular_velocity = 1.0, 50.0
    with pytest.raises(cm.ModelError, match=r"no velocities satisfy .* keep fewer velocities"):
        system.assemble(keep=[("crank", "angular_velocity"), ("rocker", "angular_velocity")])


def test_failed_assembly_leaves_the_system_as_it_was():
    system = rough_four_bar(0.7)
    system.add(cm.Distance(system.ground.point(0.0, 5.0), system["rocker"], length=0.1))
    before = [(body.position, body.angle) for body in system.bodies]
    with pytest.raises(cm.ModelError, match="cannot be assembled"):
        system.assemble()
    assert before == [(body.position, body.angle) for body in system.bodies]
