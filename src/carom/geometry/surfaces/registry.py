"""Registry of parametric surfaces by name. A new surface is one new file, and its import and name here."""

from __future__ import annotations

from carom.geometry.surfaces.base import ParametricSurface
from carom.geometry.surfaces.bspline import BSpline
from carom.geometry.surfaces.cone import ConeSurface as Cone
from carom.geometry.surfaces.cylinder import CylinderSurface as Cylinder
from carom.geometry.surfaces.ellipsoid import Ellipsoid
from carom.geometry.surfaces.function_surface import FunctionSurface
from carom.geometry.surfaces.height_map import HeightMap
from carom.geometry.surfaces.paraboloid import Paraboloid
from carom.geometry.surfaces.revolution import Revolution
from carom.geometry.surfaces.sphere import SphereSurface as Sphere
from carom.geometry.surfaces.spline_fit import FittedSurface as Fitted
from carom.geometry.surfaces.superellipsoid import Superellipsoid
from carom.geometry.surfaces.torus import TorusSurface as Torus

__all__ = [  # noqa: RUF022  the order of the documentation
    "Sphere",
    "Ellipsoid",
    "Superellipsoid",
    "Torus",
    "Cylinder",
    "Cone",
    "Paraboloid",
    "Revolution",
    "BSpline",
    "HeightMap",
    "Fitted",
    "FunctionSurface",
]

SURFACES: dict[str, type[ParametricSurface]] = {name: globals()[name] for name in __all__}
"""Surfaces by name; all are public names of `carom.surfaces`."""
