"""Parametric surfaces s(u, v) in their own axes; a `Surface` places one on a body.

A NURBS is a `BSpline` with weights.
"""

from carom.deprecation import warn_deprecated
from carom.geometry.surfaces.base import ParametricSurface
from carom.geometry.surfaces.bspline import BSpline
from carom.geometry.surfaces.cone import ConeSurface as Cone
from carom.geometry.surfaces.curvature import principal_curvatures
from carom.geometry.surfaces.cylinder import CylinderSurface as Cylinder
from carom.geometry.surfaces.ellipsoid import Ellipsoid
from carom.geometry.surfaces.function_surface import FunctionSurface
from carom.geometry.surfaces.height_map import HeightMap
from carom.geometry.surfaces.paraboloid import Paraboloid
from carom.geometry.surfaces.registry import SURFACES
from carom.geometry.surfaces.revolution import Revolution
from carom.geometry.surfaces.sphere import SphereSurface as Sphere
from carom.geometry.surfaces.spline_fit import FittedSurface as Fitted
from carom.geometry.surfaces.superellipsoid import Superellipsoid
from carom.geometry.surfaces.torus import TorusSurface as Torus

__all__ = [
    "SURFACES",
    "BSpline",
    "Cone",
    "Cylinder",
    "Ellipsoid",
    "Fitted",
    "FunctionSurface",
    "HeightMap",
    "Paraboloid",
    "ParametricSurface",
    "Revolution",
    "Sphere",
    "Superellipsoid",
    "Torus",
    "principal_curvatures",
]


def __getattr__(name: str) -> object:
    if name == "Function":
        warn_deprecated("carom.surfaces.Function", "carom.surfaces.FunctionSurface")
        return FunctionSurface
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
