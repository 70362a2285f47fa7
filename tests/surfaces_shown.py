"""Surfaces of every kind, for the tests that hold for all of them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from carom import surfaces

TURN = (0.0, 2.0 * math.pi)


def egg(u, v):
    r = math.cos(u) * (1.0 + 0.1 * math.sin(u))
    return r * math.cos(v), 0.8 * r * math.sin(v), 1.3 * math.sin(u)


def wave(u, v):
    return u, v, 0.2 * math.sin(2.0 * u) * math.cos(3.0 * v)


def grid(nu: int, nv: int, seed: int = 3) -> np.ndarray:
    """Points of a plate that is not quite flat."""
    x, y = np.meshgrid(np.linspace(0.0, 2.0, nu), np.linspace(0.0, 1.0, nv), indexing="ij")
    rng = np.random.default_rng(seed)
    return np.stack([x, y, np.zeros_like(x)], axis=-1) + rng.uniform(-0.05, 0.05, (nu, nv, 3))


def tube(nu: int, nv: int) -> np.ndarray:
    """Points of a wavy tube about x; each once."""
    x = np.linspace(0.0, 3.0, nu)[:, None]
    angle = np.linspace(0.0, 2.0 * math.pi, nv, endpoint=False)[None, :]
    r = 1.0 + 0.1 * np.cos(3.0 * angle) + 0.1 * x
    return np.stack([x + 0.0 * angle, r * np.cos(angle), r * np.sin(angle)], axis=-1)


HALF = math.sqrt(0.5)
CIRCLE = np.array([(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0)], float)
CIRCLE_WEIGHTS = np.array([1.0, HALF] * 4 + [1.0])
CIRCLE_KNOTS = [0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0, 1.0]
HALF_CIRCLE = np.array([(0, -1), (1, -1), (1, 0), (1, 1), (0, 1)], float)
HALF_CIRCLE_KNOTS = [0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0]


def nurbs_cylinder(radius: float, **more: Any) -> surfaces.BSpline:
    control = np.stack([np.column_stack([radius * CIRCLE, np.full(9, z)]) for z in (-1.0, 1.0)])
    weights = np.stack([CIRCLE_WEIGHTS] * 2)
    return surfaces.BSpline(control, (1, 2), (None, CIRCLE_KNOTS), weights, (False, True), **more)


def nurbs_sphere(**more: Any) -> surfaces.BSpline:
    control = np.array([[(r * x, r * y, z) for x, y in CIRCLE] for r, z in HALF_CIRCLE])
    weights = CIRCLE_WEIGHTS[:5, None] * CIRCLE_WEIGHTS
    return surfaces.BSpline(control, (2, 2), (HALF_CIRCLE_KNOTS, CIRCLE_KNOTS), weights, (False, True), **more)


def height_map(**more: Any) -> surfaces.HeightMap:
    x, y = np.array([0.0, 0.3, 0.5, 1.1, 1.4, 2.0]), np.linspace(-1.0, 1.0, 7)
    return surfaces.HeightMap(x, y, np.sin(2.0 * x)[:, None] * np.cos(y), **more)


@lru_cache(None, typed=True)
def made(name: str, **more: Any) -> surfaces.ParametricSurface:
    """One of the examples, with more keywords."""
    kind, arguments, keywords = EXAMPLES[name]
    return kind(*arguments, **{**keywords, **more})


EXAMPLES: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any]]] = {
    "Sphere": (surfaces.Sphere, (2.0,), {}),
    "Sphere part": (surfaces.Sphere, (2.0,), {"u": (-0.5, 1.0), "v": (-1.0, 2.0)}),
    "Ellipsoid": (surfaces.Ellipsoid, (1.0, 2.0, 0.5), {}),
    "Superellipsoid round box": (surfaces.Superellipsoid, (1.0, 2.0, 1.5, 0.5, 0.4), {}),
    "Superellipsoid": (surfaces.Superellipsoid, (1.0, 2.0, 1.5, 1.0, 1.0), {}),
    "Superellipsoid pointed": (surfaces.Superellipsoid, (1.0, 2.0, 1.5, 1.3, 1.7), {}),
    "Torus": (surfaces.Torus, (2.0, 0.5), {}),
    "Cylinder": (surfaces.Cylinder, (0.7, 2.0), {}),
    "Cone": (surfaces.Cone, (1.0, 0.4, 1.5), {}),
    "Cone with tip": (surfaces.Cone, (0.0, 1.0, 1.5), {}),
    "Paraboloid": (surfaces.Paraboloid, (1.0, -2.0, (0.8, 0.6)), {}),
    "Revolution": (surfaces.Revolution, ([(0.0, -1.0), (0.8, -0.6), (1.0, 0.2), (0.5, 0.9), (0.0, 1.2)],), {}),
    "Revolution ring": (surfaces.Revolution, ([(2.0, 0.0), (1.5, 0.4), (1.0, 0.0), (1.4, -0.5)], True), {}),
    "Revolution vase": (surfaces.Revolution, ([(0.5, 0.0), (0.8, 0.5), (0.4, 1.0), (0.6, 1.4)],), {}),
    "BSpline": (surfaces.BSpline, (grid(6, 5),), {}),
    "BSpline periodic": (surfaces.BSpline, (tube(5, 8),), {"periodic": (False, True), "outward_from": (1, 0, 0)}),
    "NURBS": (surfaces.BSpline, (grid(5, 6),), {"weights": tuple(map(tuple, grid(5, 6, 8)[..., 1] + 0.5))}),
    "NURBS cylinder": (nurbs_cylinder, (0.7,), {"outward_from": (0, 0, 0)}),
    "NURBS sphere": (nurbs_sphere, (), {"outward_from": (0, 0, 0)}),
    "HeightMap": (height_map, (), {}),
    "HeightMap of order 5": (height_map, (), {"order": 5}),
    "Fitted": (surfaces.Fitted, (grid(7, 6),), {}),
    "Fitted smooth": (surfaces.Fitted, (grid(9, 8), 0.02), {}),
    "Fitted periodic": (surfaces.Fitted, (tube(6, 12), 0.0, (False, True)), {"outward_from": (1, 0, 0)}),
    "Function egg": (
        surfaces.FunctionSurface,
        (egg, (-0.5 * math.pi, 0.5 * math.pi), TURN, "pole", "periodic"),
        {"outward_from": (0, 0, 0)},
    ),
    "Function wave": (surfaces.FunctionSurface, (wave, (-1.0, 1.0), (0.0, 2.0)), {}),
}
