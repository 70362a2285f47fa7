"""Contacts of bodies that tumble: none is missed, each begins and ends where theory or a second method says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import carom as cm
from physics.spatial_scenes import GRAVITY, TIGHT, TURNS, Rotation, Scene

LENGTH, RADIUS = 0.5, 0.03
SOFT = cm.laws.Linear(1e-6)
"""Too soft to change a motion."""


def stick(scene: Scene, height: float, omega: Any, inertia: Any, law: cm.laws.NormalLaw, tilt: Rotation) -> cm.Body:
    body = scene.add("stick", 1.0, inertia, (0.0, 0.0, height), (0.3, 0.2, 0.0), omega, tilt)
    capsule = cm.Segment(body, (-LENGTH, 0.0, 0.0), (LENGTH, 0.0, 0.0), RADIUS)
    scene.system.add(cm.Contact(capsule, scene.floor, law, name="touch"))
    return body


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_every_dip_of_a_spinning_stick_is_found(turn: Rotation):
    """ω = 50 about a level axis: an end dips 0.1 µm into the floor every half turn, for 1.3 mrad of it."""
    spin, depth = 50.0, 1e-7
    scene = Scene(turn, (0.0, 0.0, 0.0))
    stick(scene, LENGTH + RADIUS - depth, (0.0, spin, 0.0), (0.01, 0.08, 0.08), SOFT, Rotation.from_rotvec([0, 0, 0.4]))
    result = cm.simulate(scene.system, 2.0, integrator="dop853", rtol=1e-6, atol=1e-8)
    half = math.acos(1.0 - depth / LENGTH)
    starts = (math.pi * (np.arange(40) + 0.5) - half) / spin
    starts = starts[starts < 2.0]
    assert len(result.impacts) == len(starts) == 32
    np.testing.assert_allclose([impact.t_start for impact in result.impacts], starts, rtol=0.0, atol=1e-6)
    lasted = [impact.t_end - impact.t_start for impact in result.impacts]
    np.testing.assert_allclose(lasted, 2.0 * half / spin, rtol=1e-2)
    np.testing.assert_allclose([impact.max_indentation for impact in result.impacts], depth, rtol=1e-2)
    assert max(abs(impact.initial_indentation) for impact in result.impacts) < 1e-13


def height_of_the_lower_end(inertia: np.ndarray, omega: np.ndarray, tilt: Rotation, height: float):
    """Return gap(t) of a free fall from Euler's equations and the body's x-axis, ė = ω × e, by SciPy."""

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        matrix, w = y[:9].reshape(3, 3), y[9:]
        return np.concatenate([(matrix @ np.cross(np.eye(3), w)).ravel(), np.cross(inertia * w, w) / inertia])

    start = np.concatenate([tilt.as_matrix().ravel(), omega])
    path = solve_ivp(rates, (0.0, 0.6), start, "DOP853", rtol=1e-13, atol=1e-14, dense_output=True).sol
    return lambda t: height - 0.5 * GRAVITY * t * t - LENGTH * abs(path(t)[6]) - RADIUS


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_a_tumbling_stick_hits_the_floor_at_the_right_moment(turn: Rotation):
    inertia, omega = np.array([0.03, 0.08, 0.1]), np.array([9.0, 20.0, 3.0])
    tilt, height = Rotation.from_rotvec([0.3, -0.2, 0.9]), 1.2
    gap = height_of_the_lower_end(inertia, omega, tilt, height)
    times = np.linspace(0.0, 0.5, 2001)
    below = np.flatnonzero(np.array([gap(t) for t in times]) < 0.0)[0]
    exact = brentq(gap, times[below - 1], times[below], xtol=1e-15)
    scene = Scene(turn)
    stick(scene, height, omega, inertia, cm.laws.HuntCrossley(1e6, 0.8), tilt)
    result = cm.simulate(scene.system, 0.5, **TIGHT)
    first = result.impacts[0]
    assert first.t_start == pytest.approx(exact, abs=1e-9)
    assert abs(first.initial_indentation) < 1e-12
    h = 1e-6
    assert first.approach_speed == pytest.approx((gap(exact - h) - gap(exact + h)) / (2.0 * h), rel=1e-6)
    assert result.energy.drift < 1e-8


def test_a_corner_of_a_tumbling_box_hits_first():
    """Eight spots, one of them first; where it touches is where the corner is."""
    scene = Scene()
    half = np.array([0.2, 0.15, 0.05])
    box = scene.add("box", 2.0, (0.02, 0.03, 0.045), (0.0, 0.0, 0.6), (0, 0, 0), (6.0, 9.0, 2.0))
    shape = cm.Box(box, half)
    scene.system.add(cm.Contact(shape, scene.floor, cm.laws.HuntCrossley(1e5, 0.8), name="touch"))
    result = cm.simulate(scene.system, 0.5, **TIGHT)
    first = min(result.impacts, key=lambda impact: impact.t_start)
    at = result.sample([first.t_start])
    corners = at["box"].position[0] + shape.corners @ at["box"].rotation[0].T
    assert corners[:, 2].min() == pytest.approx(0.0, abs=1e-10)
    np.testing.assert_allclose([at[first.contact].x[0], at[first.contact].y[0]], corners[corners[:, 2].argmin(), :2],
                               rtol=0.0, atol=1e-9)  # fmt: skip
    before = result.t <= first.t_start
    heights = [(p + shape.corners @ r.T)[:, 2].min() for p, r in zip(result["box"].position, result["box"].rotation,
                                                                     strict=True)]  # fmt: skip
    assert np.array(heights)[before].min() > -1e-10
    assert result.energy.drift < 1e-8


# ---- balls around shapes


@pytest.mark.parametrize("method", ["compliant", "nonsmooth"])
def test_sticks_that_meet_end_to_end_touch_when_the_balls_around_them_do(method: str):
    """Their ends are where the balls are: 0.8 m apart, closing with 2 m/s, and turning about their common line."""
    scene = Scene(TURNS["turned"], (0.0, 0.0, 0.0))
    shapes = []
    for name, side in (("left", -1.0), ("right", 1.0)):
        place = (side * (LENGTH + RADIUS + 0.4), 0.0, 0.0)
        body = scene.add(name, 1.0, (0.02, 0.09, 0.09), place, (-side, 0.0, 0.0), (30.0 * side, 0.0, 0.0))
        shapes.append(cm.Segment(body, (-LENGTH, 0.0, 0.0), (LENGTH, 0.0, 0.0), RADIUS))
    scene.system.add(cm.Contact(*shapes, law=cm.laws.Hertz(1e7), impact=cm.ImpactLaw(1.0), name="touch"))
    result = cm.simulate(scene.system, 0.6, method=method, **({"step": 1e-3} if method == "nonsmooth" else {}))
    (impact,) = result.impacts
    assert impact.t_start == pytest.approx(0.4, abs=1e-12 if method == "compliant" else 2e-3)
    assert abs(impact.initial_indentation) < (1e-12 if method == "compliant" else 3e-3)
    np.testing.assert_allclose(scene.velocity(result, "left")[-1], [-1.0, 0.0, 0.0], rtol=0.0, atol=1e-7)


def flying_sticks() -> cm.System:
    """Sticks that tumble through each other's way, and meet several times."""
    scene = Scene(gravity=(0.0, 0.0, 0.0))
    rng = np.random.default_rng(11)
    shapes = []
    for k in range(4):
        angle = 0.5 * math.pi * k
        place = 1.5 * np.array([math.cos(angle), math.sin(angle), 0.1 * k])
        body = scene.add(f"stick {k}", 1.0, (0.02, 0.09, 0.09), place, -1.2 * place, rng.uniform(-8.0, 8.0, 3),
                         Rotation.from_rotvec(rng.uniform(-2.0, 2.0, 3)))  # fmt: skip
        shapes.append(cm.Segment(body, (-LENGTH, 0.0, 0.0), (LENGTH, 0.1, 0.0), RADIUS))
    laws: dict[str, Any] = {"law": cm.laws.HuntCrossley(1e5, 0.8), "impact": cm.ImpactLaw(0.8)}
    for k, one in enumerate(shapes):
        for other in shapes[k + 1 :]:
            scene.system.add(cm.Contact(one, other, **laws, name=f"{one.body.name}-{other.body.name}"))
    return scene.system


@pytest.mark.parametrize("method", ["compliant", "nonsmooth"])
def test_contacts_skipped_far_away_are_never_missed(method: str, monkeypatch):
    options: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12} if method == "compliant" else {"step": 1e-3}
    quick = cm.simulate(flying_sticks(), 1.6, method=method, **options)
    monkeypatch.setattr(cm.Segment, "bounding_sphere", lambda shape: None)
    slow = cm.simulate(flying_sticks(), 1.6, method=method, **options)
    assert len(quick.impacts) == len(slow.impacts) >= 2
    for a, b in zip(quick.impacts, slow.impacts, strict=True):
        assert (a.contact, a.t_start) == (b.contact, pytest.approx(b.t_start, abs=1e-8))
    np.testing.assert_allclose(quick.q[-1], slow.q[-1], rtol=0.0, atol=1e-6)
    # The result shows the gap itself, not a bound of it.
    for contact in ("stick 0-stick 1", "stick 1-stick 3"):
        assert quick[contact].indentation[0] == pytest.approx(slow[contact].indentation[0], abs=1e-12)
