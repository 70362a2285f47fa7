"""Registry of parametric surfaces by their public names. A new surface is one new file and one line here."""

from __future__ import annotations

from carom.geometry.surfaces.base import ParametricSurface
from carom.geometry.surfaces.bspline import BSpline
from carom.geometry.surfaces.cone import ConeSurface
from carom.geometry.surfaces.cylinder import CylinderSurface
from carom.geometry.surfaces.ellipsoid import Ellipsoid
from carom.geometry.surfaces.function_surface import FunctionSurface
from carom.geometry.surfaces.height_map import HeightMap
from carom.geometry.surfaces.paraboloid import Paraboloid
from carom.geometry.surfaces.revolution import Revolution
from carom.geometry.surfaces.sphere import SphereSurface
from carom.geometry.surfaces.spline_fit import FittedSurface
from carom.geometry.surfaces.superellipsoid import Superellipsoid
from carom.geometry.surfaces.torus import TorusSurface

SURFACES: dict[str, type[ParametricSurface]] = {
    "Sphere": SphereSurface,
    "Ellipsoid": Ellipsoid,
    "Superellipsoid": Superellipsoid,
    "Torus": TorusSurface,
    "Cylinder": CylinderSurface,
    "Cone": ConeSurface,
    "Paraboloid": Paraboloid,
    "Revolution": Revolution,
    "BSpline": BSpline,
    "HeightMap": HeightMap,
    "Fitted": FittedSurface,
    "FunctionSurface": FunctionSurface,
}
