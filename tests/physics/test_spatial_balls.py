"""Balls in space that bounce, slide and roll, in both physics, against closed forms and against the plane."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import carom as cm
from physics.spatial_scenes import GRAVITY, TIGHT, TURNS, Scene, ball, settled

turned = pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
HEADING = np.array([math.cos(0.7), math.sin(0.7), 0.0])
"""No axis."""


# ---- from sliding to rolling


@turned
def test_a_ball_rolls_with_five_sevenths_of_its_speed(turn):
    """Non-smooth: v = v₀ − μ g t until 2 v₀/(7 μ g), then 5/7 v₀, in the direction it was sent."""
    speed, mu, step = 2.0, 0.3, 1e-3
    scene = ball(Scene(turn), speed * HEADING, impact=cm.ImpactLaw(0.0, mu))
    rolls = 2.0 * speed / (7.0 * mu * GRAVITY)
    result = cm.simulate(scene.system, 1.5 * rolls, method="nonsmooth", step=step)
    velocity, spin = scene.velocity(result, "ball"), scene.spin(result, "ball")
    expected = np.maximum(speed - mu * GRAVITY * result.t, 5.0 / 7.0 * speed)
    np.testing.assert_allclose(velocity, expected[:, None] * HEADING, rtol=0.0, atol=2.0 * mu * GRAVITY * step)
    np.testing.assert_allclose(velocity[-1], 5.0 / 7.0 * speed * HEADING, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(spin[-1], np.cross([0, 0, 1], velocity[-1]) / 0.1, rtol=0.0, atol=1e-8)
    sliding = result.t < rolls - step
    force = scene.force(result, "touch")[1:][sliding[1:]]
    np.testing.assert_allclose(force, np.tile([*(-mu * GRAVITY * HEADING[:2]), GRAVITY], (len(force), 1)), rtol=1e-9)
    np.testing.assert_allclose(result["touch"].friction_force[1:][sliding[1:]], mu * GRAVITY, rtol=1e-9)
    np.testing.assert_allclose(result["touch"].sliding_speed[sliding], (speed - 3.5 * mu * GRAVITY * result.t)[sliding],
                               rtol=0.0, atol=1e-9)  # fmt: skip
    assert result.energy.friction[-1] == pytest.approx(speed**2 / 7.0, rel=5e-3)  # ½ m v₀² · 2/7
    assert result.energy.drift < 1e-9


@turned
def test_a_compliant_ball_rolls_with_five_sevenths_of_its_speed(turn):
    """Its angular momentum about any point of the floor stays, whatever friction does; the rest is creep below v₀."""
    speed, mu = 2.0, 0.3
    scene = Scene(turn)
    settled(ball(scene, speed * HEADING, law=cm.laws.HuntCrossley(1e6, 0.7), friction=cm.friction.Coulomb(mu, 1e-3)))
    rolls = 2.0 * speed / (7.0 * mu * GRAVITY)
    result = cm.simulate(scene.system, 1.3 * rolls, output=rolls / 20.0)
    velocity = scene.velocity(result, "ball")
    sliding = result.t < 0.99 * rolls
    expected = (speed - mu * GRAVITY * result.t[sliding])[:, None] * HEADING
    np.testing.assert_allclose(velocity[sliding], expected, rtol=0.0, atol=1e-6)
    depth = result["touch"].indentation[0]
    share = 1.0 / (1.0 + 0.4 * 0.1**2 / (0.1 - 0.5 * depth) ** 2)  # the force acts half the indentation up
    np.testing.assert_allclose(velocity[-1], speed * share * HEADING, rtol=0.0, atol=2e-3)
    assert result.energy.drift < 1e-8


# ---- one impact


@pytest.mark.parametrize(("friction", "sticks"), [(0.05, False), (0.5, True)])
@turned
def test_an_oblique_impact_slides_or_sticks(turn, friction: float, sticks: bool):
    """P_N = (1 + ε) m v; P_T = min(μ P_N, 2/7 m s) against the slip s of the skin, which has any direction."""
    before, omega = np.array([1.2, -0.7, -2.0]), np.array([3.0, 5.0, 9.0])
    scene = ball(Scene(turn, (0, 0, 0)), before, omega, height=0.02, impact=cm.ImpactLaw(0.6, friction))
    result = cm.simulate(scene.system, 0.02, method="nonsmooth", step=1e-5)
    slip = before + np.cross(omega, [0.0, 0.0, -0.1])
    slip[2] = 0.0
    push = 1.6 * 2.0
    pull = min(friction * push, 2.0 / 7.0 * np.linalg.norm(slip))
    assert sticks == (pull < friction * push)
    impulse = np.array([0.0, 0.0, push]) - pull * slip / np.linalg.norm(slip)
    np.testing.assert_allclose(scene.velocity(result, "ball")[-1], before + impulse, rtol=0.0, atol=1e-4)
    turned_by = np.cross([0.0, 0.0, -0.1], impulse) / 0.004
    np.testing.assert_allclose(scene.spin(result, "ball")[-1], omega + turned_by, rtol=0.0, atol=5e-3)
    (impact,) = result.impacts
    assert impact.impulse == pytest.approx(push, rel=1e-9)
    assert result.energy.drift < 1e-9


def test_a_compliant_oblique_impact_that_slides_all_along():
    """An elastic one: P_N = 2 m v, P_T = μ P_N; the slip of a ball keeps its direction."""
    before, omega = np.array([1.2, -0.7, -0.5]), np.array([3.0, 5.0, 9.0])
    laws = {"law": cm.laws.Hertz(1e8), "friction": cm.friction.Coulomb(0.05, 1e-4)}
    scene = ball(Scene(TURNS["turned"], (0, 0, 0)), before, omega, height=0.02, **laws)
    result = cm.simulate(scene.system, 0.06, **TIGHT)
    slip = before + np.cross(omega, [0.0, 0.0, -0.1])
    slip[2] = 0.0
    impulse = np.array([0.0, 0.0, 1.0]) - 0.05 * slip / np.linalg.norm(slip)
    assert np.linalg.norm(slip) > 3.5 * 0.05
    np.testing.assert_allclose(scene.velocity(result, "ball")[-1], before + impulse, rtol=0.0, atol=1e-4)
    (impact,) = result.impacts
    assert impact.t_start == pytest.approx(0.04, abs=1e-12)
    assert impact.separation_speed == pytest.approx(0.5, rel=1e-9)
    assert result.energy.drift < 1e-9


# ---- the plane in space

PLANAR_LAWS: dict[str, dict[str, Any]] = {
    "compliant": {"law": cm.laws.HuntCrossley(1e5, 0.7), "friction": cm.friction.Coulomb(0.2, 1e-2)},
    "nonsmooth": {"impact": cm.ImpactLaw(0.6, 0.2, 0.3)},
}


def in_the_plane(height: float, spin: float = 20.0, **laws: Any) -> cm.System:
    system = cm.System(gravity=(0.0, -GRAVITY), name="plane")
    body = system.add(cm.Body("ball", 1.0, 4e-3, (0.0, 0.1 + height), 0.0, (0.7, 0.0), angular_velocity=spin))
    system.add(cm.Contact(cm.Sphere(body, 0.1), cm.Plane(system.ground), **laws, name="touch"))
    return system


@pytest.mark.parametrize("method", PLANAR_LAWS)
def test_a_bouncing_ball_in_space_is_the_planar_one(method: str):
    options = TIGHT if method == "compliant" else {"step": 1e-3}
    times = np.linspace(0.0, 0.8, 41)
    flat = cm.simulate(in_the_plane(0.2, **PLANAR_LAWS[method]), 0.8, method=method, output=times, **options)
    scene = ball(Scene(), (0.7, 0.0, 0.0), (0.0, -20.0, 0.0), height=0.2, **PLANAR_LAWS[method])
    deep = cm.simulate(scene.system, 0.8, method=method, output=times, **options)
    one, two = flat["ball"], deep["ball"]
    np.testing.assert_allclose(two.position, np.column_stack([one.x, 0.0 * one.x, one.y]), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(two.wy, -one.omega, rtol=0.0, atol=1e-7)
    np.testing.assert_allclose(two.rotation[:, 0, 0], np.cos(one.angle), rtol=0.0, atol=1e-8)
    assert len(flat.impacts) == len(deep.impacts) >= 2
    for a, b in zip(flat.impacts, deep.impacts, strict=True):
        assert b.t_start == pytest.approx(a.t_start, abs=1e-9)
        assert b.approach_speed == pytest.approx(a.approach_speed, rel=1e-7)
    for name in ("normal_force", "indentation"):
        np.testing.assert_allclose(getattr(deep["touch"], name), getattr(flat["touch"], name), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(deep["touch"].friction_force, np.abs(flat["touch"].friction_force), rtol=1e-5, atol=1e-6)
    assert deep.energy.drift < 1e-8


@pytest.mark.parametrize("onset", ["reject", "interpolate", "none"])
def test_every_onset_in_space_is_the_planar_one(onset: str):
    """With fixed steps both runs take the same ones, and begin the contact at the same depth."""
    options: dict[str, Any] = {"integrator": "rk4", "max_step": 1e-3, "onset": onset, "output": 0.02}
    laws = {"law": cm.laws.Hertz(1e4)}
    flat = cm.simulate(in_the_plane(0.05, 0.0, **laws), 0.3, **options)
    deep = cm.simulate(ball(Scene(), (0.7, 0.0, 0.0), height=0.05, **laws).system, 0.3, **options)
    np.testing.assert_allclose(deep["ball"].z, flat["ball"].y, rtol=0.0, atol=1e-9)
    depths = [result.impacts[0].initial_indentation for result in (flat, deep)]
    assert depths[1] == pytest.approx(depths[0], abs=1e-12)
    assert (depths[0] > 1e-5) is (onset == "none")


@pytest.mark.parametrize("method", PLANAR_LAWS)
def test_the_order_of_the_shapes_does_not_matter(method: str):
    options = TIGHT if method == "compliant" else {"step": 1e-3}
    results = []
    for swapped in (False, True):
        scene = ball(Scene(), (0.7, 0.3, 0.0), (5.0, -20.0, 3.0), 0.2, swapped=swapped, **PLANAR_LAWS[method])
        results.append(cm.simulate(scene.system, 0.5, method=method, output=0.01, **options))
    first, second = results
    assert first.impacts
    np.testing.assert_allclose(second.q, first.q, rtol=0.0, atol=1e-12)
    for name, sign in {
        "normal_force": 1,
        "sliding_speed": 1,
        "fx": -1,
        "fz": -1,
        "nz": -1,
        "z": 1,
        "indentation_rate": 1,
    }.items():
        np.testing.assert_allclose(
            getattr(second["touch"], name), sign * getattr(first["touch"], name), rtol=1e-9, atol=1e-9, err_msg=name
        )
