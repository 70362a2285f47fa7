"""Parametric surfaces s(u, v), in axes of their own: what a `Surface` on a body is made of.

A NURBS is a `BSpline` with weights.
"""

from carom.geometry.surfaces.base import ParametricSurface
from carom.geometry.surfaces.curvature import principal_curvatures
from carom.geometry.surfaces.registry import (
    SURFACES,
    BSpline,
    Cone,
    Cylinder,
    Ellipsoid,
    Fitted,
    Function,
    HeightMap,
    Paraboloid,
    Revolution,
    Sphere,
    Superellipsoid,
    Torus,
)

__all__ = [
    "SURFACES",
    "BSpline",
    "Cone",
    "Cylinder",
    "Ellipsoid",
    "Fitted",
    "Function",
    "HeightMap",
    "Paraboloid",
    "ParametricSurface",
    "Revolution",
    "Sphere",
    "Superellipsoid",
    "Torus",
    "principal_curvatures",
]
