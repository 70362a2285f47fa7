"""A freeform surface and a plane: support functions in closed form, and runs in both physics."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.rotation import matrix_of

axes = st.floats(0.05, 0.6)
part = st.floats(-1.0, 1.0)


def turned(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q, n = rng.normal(size=4), rng.normal(size=3)
    return rng.normal(size=3), q / np.linalg.norm(q), rng.normal(size=3), n / np.linalg.norm(n)


@given(a=axes, b=axes, c=axes, seed=st.integers(0, 10**6))
def test_an_ellipsoid_is_as_far_from_a_plane_as_its_support_function_says(a, b, c, seed):
    place, q, at, n = turned(seed)
    egg = cm.Body("egg", 1.0, (1.0, 1.0, 1.0), position=tuple(place), orientation=tuple(q))
    wall = cm.Body("wall", 1.0, (1.0, 1.0, 1.0))
    found = cm.closest(cm.Surface(egg, cm.surfaces.Ellipsoid(a, b, c)), cm.Plane(wall, tuple(at), tuple(n)))
    support = np.linalg.norm(np.array([a, b, c]) * (matrix_of(q).T @ n))
    assert found.gap == pytest.approx((place - at) @ n - support, abs=1e-12)
    assert found.normal == pytest.approx(n, abs=1e-12)
    assert found.point_a - found.point_b == pytest.approx(found.gap * n, abs=1e-12)


@given(seed=st.integers(0, 10**6))
def test_the_lower_side_of_a_torus(seed):
    place, q, at, n = turned(seed)
    ring = cm.Body("ring", 1.0, (1.0, 1.0, 1.0), position=tuple(place), orientation=tuple(q))
    wall = cm.Body("wall", 1.0, (1.0, 1.0, 1.0))
    found = cm.closest(cm.Surface(ring, cm.surfaces.Torus(0.3, 0.1)), cm.Plane(wall, tuple(at), tuple(n)))
    along = (matrix_of(q).T @ n)[2]
    assert found.gap == pytest.approx((place - at) @ n - 0.3 * math.sqrt(1.0 - along**2) - 0.1, abs=1e-9)


def test_a_hollow_surface_has_no_place_that_touches_a_plane():
    bowl = cm.Body("bowl", 1.0, (1.0, 1.0, 1.0))
    wall = cm.Body("wall", 1.0, (1.0, 1.0, 1.0), position=(0.0, 0.0, -1.0))
    cup = cm.Surface(bowl, cm.surfaces.Sphere(0.1, inside=True))
    assert cm.closest(cup, cm.Plane(wall)).gap > 1e29


def test_an_egg_bounces_on_a_floor_in_both_physics():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81))
    egg = system.add(cm.Body("egg", 0.06, (2e-5, 2e-5, 1.4e-5), position=(0.0, 0.0, 0.06)))
    shell = cm.Surface(egg, cm.surfaces.Ellipsoid(0.022, 0.022, 0.028))
    law = cm.laws.ExactRestitution(1e8, 0.5)
    system.add(cm.Contact(shell, cm.Plane(system.ground), law, impact=cm.ImpactLaw(0.5), name="touch"))
    fall = math.sqrt(2.0 * 0.032 / 9.81)
    smooth = cm.simulate(system, 0.15)
    assert smooth.impacts[0].t_start == pytest.approx(fall, abs=1e-9)
    assert smooth.impacts[0].restitution == pytest.approx(0.5, abs=5e-3)  # gravity acts in the impact, too
    rigid = cm.simulate(system, 0.15, method="nonsmooth", step=1e-4)
    assert rigid["egg"].vz[rigid.t > fall + 2e-4][0] == pytest.approx(0.5 * 9.81 * fall, rel=2e-2)
