"""Boxes and sledges on inclines in space, which stick or slide on several spots at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import carom as cm
from physics.spatial_scenes import GRAVITY, TIGHT, TURNS, UPRIGHT, Rotation, Scene, settled

SLOPE = 0.2
DOWN = np.array([math.cos(0.7), math.sin(0.7), 0.0])
"""Downhill: no axis of floor or box."""
HALF = (0.2, 0.15, 0.05)
INERTIA = tuple(2.0 / 3.0 * (sum(h * h for h in HALF) - h * h) for h in HALF)
SPOTS = [f"touch {k}" for k in range(1, 9)]
settled_before = pytest.mark.filterwarnings("ignore:Contact .* overlap:carom.CaromWarning")
COMPLIANT = cm.laws.KelvinVoigt(1e5, damping=300.0)


def incline(turn: Rotation = UPRIGHT, speed: float = 0.0, height: float = 0.0, **laws: Any) -> Scene:
    """A box of 2 kg on the floor; gravity is tilted."""
    scene = Scene(turn, GRAVITY * (math.sin(SLOPE) * DOWN - math.cos(SLOPE) * np.array([0.0, 0.0, 1.0])))
    box = scene.add("box", 2.0, INERTIA, (0.0, 0.0, HALF[2] + height), speed * DOWN)
    scene.system.add(cm.Contact(cm.Box(box, HALF), scene.floor, **laws, name="touch"))
    return scene


def test_a_box_on_a_plane_has_eight_spots():
    system = incline(impact=cm.ImpactLaw(0.0, 0.3)).system
    assert [contact.name for contact in system.contacts] == SPOTS
    assert system.compounds == [system["touch"]]
    assert system["touch 3"] is system.contacts[2]


@pytest.mark.parametrize("scheme", ["midpoint", "moreau", "theta"])
@pytest.mark.parametrize(("friction", "turn"), [(0.1, TURNS["turned"]), (0.25, UPRIGHT)], ids=["slides", "sticks"])
def test_a_rigid_box_sticks_or_slides(scheme: str, friction: float, turn: Rotation):
    """It sticks for μ ≥ tan β, else slides with g (sin β − μ cos β), straight down."""
    scene = incline(turn, impact=cm.ImpactLaw(0.0, friction))
    result = cm.simulate(scene.system, 0.5, method="nonsmooth", scheme=scheme, step=1e-3)
    down = GRAVITY * max(math.sin(SLOPE) - friction * math.cos(SLOPE), 0.0)
    velocity, force = scene.velocity(result, "box"), scene.force(result, "touch")
    if scheme == "moreau":  # rounding opens a spot for a step now and then: it falls for g Δt
        np.testing.assert_allclose(velocity, down * result.t[:, None] * DOWN, rtol=0.0, atol=2.0 * GRAVITY * 1e-3)
        return
    np.testing.assert_allclose(velocity, down * result.t[:, None] * DOWN, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(scene.spin(result, "box"), 0.0, atol=1e-7)
    np.testing.assert_allclose(force[1:] @ [0, 0, 1], 2.0 * GRAVITY * math.cos(SLOPE), rtol=1e-8)
    np.testing.assert_allclose(force[1:] @ DOWN, 2.0 * (down - GRAVITY * math.sin(SLOPE)), rtol=1e-8)
    whole = result["touch"]
    for name in ("normal_force", "friction_force", "fx", "fy", "fz"):
        np.testing.assert_allclose(getattr(whole, name), sum(getattr(result[spot], name) for spot in SPOTS), atol=1e-9)
    np.testing.assert_array_equal(whole.indentation, np.max([result[spot].indentation for spot in SPOTS], axis=0))
    assert set(whole.touching[1:]) <= {3.0, 4.0}
    assert np.abs(whole.indentation).max() < 1e-8
    assert np.abs(result.energy.balance).max() < 1e-9


@pytest.mark.parametrize("friction", [0.1, 0.25])
def test_the_solvers_agree(friction: float):
    """Four corners are one too many: forces may differ, the motion may not; with a polygon for the disc, nearly."""
    ends = {}
    for solver in ("alart-curnier", "lemke", "pgs"):
        scene = incline(speed=0.5, impact=cm.ImpactLaw(0.0, friction))
        result = cm.simulate(scene.system, 0.1, method="nonsmooth", solver=solver, step=1e-3)
        assert result.stats["inexact_solutions"] == 0
        ends[solver] = np.concatenate([result["box"].position[-1], result["box"].velocity[-1]])
        whole = result["touch"].normal_force[-1]
        assert whole == pytest.approx(2.0 * GRAVITY * math.cos(SLOPE), rel=1e-6)
    np.testing.assert_allclose(ends["pgs"], ends["alart-curnier"], rtol=0.0, atol=1e-7)
    np.testing.assert_allclose(ends["lemke"], ends["alart-curnier"], rtol=0.0, atol=0.03 * friction)
    speed = 0.5 + 0.1 * GRAVITY * (math.sin(SLOPE) - friction * math.cos(SLOPE))
    np.testing.assert_allclose(ends["pgs"][3:], speed * DOWN, rtol=0.0, atol=1e-7)


@settled_before
def test_a_compliant_box_slides_by_what_its_spots_press():
    """v = v₀ + g (sin β − μ cos β) t − μ v_z in every moment: all spots rub downhill, whatever each of them carries."""
    friction = 0.1
    scene = incline(TURNS["turned"], 0.5, law=COMPLIANT, friction=cm.friction.Coulomb(friction, 1e-3))
    result = cm.simulate(settled(scene).system, 0.3)
    velocity = scene.velocity(result, "box")
    down = GRAVITY * (math.sin(SLOPE) - friction * math.cos(SLOPE)) * result.t
    np.testing.assert_allclose(velocity @ DOWN, 0.5 + down - friction * velocity[:, 2], rtol=0.0, atol=1e-6)
    whole = result["touch"]
    np.testing.assert_allclose(whole.friction_force, friction * whole.normal_force, rtol=1e-9)
    np.testing.assert_allclose(whole.normal_force, sum(result[spot].normal_force for spot in SPOTS), rtol=1e-12)
    assert whole.touching.max() == 4.0
    assert result.energy.drift < 1e-8


@settled_before
def test_a_compliant_box_that_sticks_creeps_as_the_law_says():
    """μ tanh(v/v₀) = tan β."""
    scene = incline(law=COMPLIANT, friction=cm.friction.Coulomb(0.25, 1e-3))
    creep = 1e-3 * math.atanh(math.tan(SLOPE) / 0.25)
    scene.system["box"].velocity = creep * DOWN
    result = cm.simulate(settled(scene).system, 0.5, output=0.1)
    velocity = scene.velocity(result, "box")
    np.testing.assert_allclose(velocity[-1], creep * DOWN, rtol=0.0, atol=0.02 * creep)
    np.testing.assert_allclose(scene.force(result, "touch")[-1] @ DOWN, -2.0 * GRAVITY * math.sin(SLOPE), rtol=0.02)


# ---- bristles


def sledge(turn: Rotation, friction: cm.laws.friction.FrictionLaw) -> Scene:
    """Three feet under a body, on the incline."""
    scene = Scene(turn, GRAVITY * (math.sin(SLOPE) * DOWN - math.cos(SLOPE) * np.array([0.0, 0.0, 1.0])))
    body = scene.add("sledge", 1.0, (0.02, 0.02, 0.03), (0.0, 0.0, 0.05))
    law = cm.laws.KelvinVoigt(1e5, damping=300.0)
    for k in range(3):
        angle = 2.0 * math.pi * k / 3.0
        foot = cm.Sphere(body, 0.02, (0.2 * math.cos(angle), 0.2 * math.sin(angle), -0.03))
        scene.system.add(cm.Contact(foot, scene.floor, law, friction, name=f"foot {k}"))
    return scene


@settled_before
@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_bristles_hold_a_sledge_in_any_direction(turn: Rotation):
    """LuGre at rest: F = N σ₀ z uphill, and dz = dx (1 − σ₀ z/μ_s) on the slow way x there."""
    stiffness = 1e4
    scene = sledge(turn, cm.friction.LuGre(0.4, 0.3, 0.01, stiffness, 100.0))
    result = cm.simulate(settled(scene).system, 1.0, output=[0.5, 1.0])
    force = sum(scene.force(result, f"foot {k}") for k in range(3))
    expected = GRAVITY * (math.cos(SLOPE) * np.array([0, 0, 1]) - math.sin(SLOPE) * DOWN)
    np.testing.assert_allclose(force[-1], expected, rtol=0.0, atol=1e-3)
    moved = scene.back(result["sledge"].point(0.0, 0.0, -0.05))  # the middle between its feet
    way = -0.4 / stiffness * math.log(1.0 - math.tan(SLOPE) / 0.4)
    np.testing.assert_allclose(moved[-1][:2], way * DOWN[:2], rtol=0.0, atol=0.01 * way)
    np.testing.assert_allclose(moved[-1], moved[1], rtol=0.0, atol=1e-7)  # it does not creep
    # Feet carry what the moment of the weight about the floor asks for: m g h sin β is taken up downhill.
    normal = [scene.force(result, f"foot {k}")[-1][2] for k in range(3)]
    feet = 0.2 * np.array([[math.cos(2.0 * math.pi * k / 3.0), math.sin(2.0 * math.pi * k / 3.0)] for k in range(3)])
    np.testing.assert_allclose(normal @ feet, 0.05 * GRAVITY * math.sin(SLOPE) * DOWN[:2], rtol=5e-3)


@pytest.mark.parametrize(
    "friction",
    [cm.friction.LuGre(0.15, 0.1, 0.01, 1e4, 10.0), cm.friction.Dahl(0.15, 1e4, 1.5), cm.friction.Coulomb(0.15, 1e-2)],
    ids=["lugre", "dahl", "coulomb"],
)
def test_friction_knows_no_axes(friction: Any):
    """The sledge starts to slide and turns; the world turned as a whole, so does what happens in it."""
    places = []
    for turn in (UPRIGHT, TURNS["turned"]):
        scene = sledge(turn, friction)
        scene.system["sledge"].angular_velocity = (0.0, 0.0, 2.0)
        result = cm.simulate(scene.system, 0.4, output=0.1, **TIGHT)
        assert result.energy.drift < 1e-8
        places.append(np.hstack([scene.position(result, "sledge"), scene.spin(result, "sledge")]))
    assert np.linalg.norm(places[0][-1][:2]) > 1e-3
    assert np.abs(places[0][1:, 5]).max() < 1.9
    np.testing.assert_allclose(places[1], places[0], rtol=0.0, atol=1e-8)
