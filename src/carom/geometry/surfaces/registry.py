"""Every parametric surface, by name. A new one is one new file and one line here."""

from __future__ import annotations

from carom.geometry.surfaces.base import ParametricSurface
from carom.geometry.surfaces.bspline import BSpline
from carom.geometry.surfaces.cone import Cone
from carom.geometry.surfaces.cylinder import Cylinder
from carom.geometry.surfaces.ellipsoid import Ellipsoid
from carom.geometry.surfaces.fitted import Fitted
from carom.geometry.surfaces.function import Function
from carom.geometry.surfaces.height_map import HeightMap
from carom.geometry.surfaces.paraboloid import Paraboloid
from carom.geometry.surfaces.revolution import Revolution
from carom.geometry.surfaces.sphere import Sphere
from carom.geometry.surfaces.superellipsoid import Superellipsoid
from carom.geometry.surfaces.torus import Torus

SURFACES: dict[str, type[ParametricSurface]] = {
    surface.__name__: surface
    for surface in (
        *(Sphere, Ellipsoid, Superellipsoid, Torus, Cylinder, Cone, Paraboloid),
        *(Revolution, BSpline, HeightMap, Fitted, Function),
    )
}
