"""Mass, centre and inertia of solids of constant density, for bodies made from meshes and shapes.

Second moments are ∫ s sᵀ dm, from which the inertia tensor is tr(S) E − S. Polyhedra are sums of tetrahedra between the
faces and one point; a tetrahedron a, b, c of mass m at the origin has S = m/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ) with
s = a + b + c.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.geometry.rotation import frame_along

OUTLINE_POINTS = 4097
"""Number of points of a rounded outline in place of its arcs."""


@dataclass(frozen=True)
class MassProperties:
    """Mass [kg], centre of mass [m] and second moments ∫ s sᵀ dm about it [kg m²], in the axes of a body.

    Of a shape without density, volume [m³] takes the place of mass; of a planar or thin one, area [m²].
    """

    mass: float
    centre: np.ndarray
    moments: np.ndarray

    @property
    def inertia(self) -> np.ndarray:
        """Inertia tensor about the centre of mass [kg m²]."""
        tensor: np.ndarray = np.trace(self.moments) * np.eye(3) - self.moments
        return tensor

    def times(self, density: float) -> MassProperties:
        """Return the properties with ``density`` times the mass."""
        return MassProperties(density * self.mass, self.centre, density * self.moments)


def total(parts: Sequence[MassProperties]) -> MassProperties:
    """Return the properties of several parts together."""
    mass = sum(part.mass for part in parts)
    centre = np.sum([part.mass * part.centre for part in parts], axis=0) / mass
    moments = np.sum(
        [part.moments + part.mass * np.outer(part.centre - centre, part.centre - centre) for part in parts], axis=0
    )
    return MassProperties(mass, centre, moments)


def polyhedron(vertices: np.ndarray, faces: np.ndarray) -> MassProperties:
    """Return the properties of the solid within outward triangles."""
    origin = vertices.mean(axis=0)
    a, b, c = (vertices[faces[:, k]] - origin for k in range(3))
    volume = np.sum(a * np.cross(b, c), axis=1) / 6.0
    s = a + b + c
    mass = float(volume.sum())
    first = volume @ s / 4.0
    moments = sum(np.einsum("n,ni,nj->ij", volume, v, v) for v in (a, b, c, s)) / 20.0
    centre = first / mass
    return MassProperties(mass, origin + centre, moments - mass * np.outer(centre, centre))


def polygon(corners: np.ndarray) -> MassProperties:
    """Return the properties of the flat polygon with these corners (n, 3), by triangles."""
    origin = corners.mean(axis=0)
    p, q = corners - origin, np.roll(corners, -1, axis=0) - origin
    products = np.cross(p, q)
    normal = products.sum(axis=0)
    area = 0.5 * products @ (normal / np.linalg.norm(normal))
    mass = float(area.sum())
    centre = area @ (p + q) / (3.0 * mass)
    moments = sum(np.einsum("n,ni,nj->ij", area, v, v) for v in (p, q, p + q)) / 12.0
    return MassProperties(mass, origin + centre, moments - mass * np.outer(centre, centre))


def _about(axis: Any, centre: Any, mass: float, across: float, along: float) -> MassProperties:
    """Return a body of revolution with squared radii of gyration across and along its ``axis`` [m²]."""
    frame = frame_along(axis)
    return MassProperties(mass, np.array(centre, float), mass * (frame * [across, across, along]) @ frame.T)


def _sphere(shape: Any) -> MassProperties:
    r = shape.radius
    if shape.planar:
        return _about((0.0, 0.0, 1.0), shape.at, math.pi * r**2, r**2 / 4.0, 0.0)
    return _about((0.0, 0.0, 1.0), shape.at, 4.0 / 3.0 * math.pi * r**3, r**2 / 5.0, r**2 / 5.0)


def _segment(shape: Any) -> MassProperties:
    start, end, r = np.array(shape.start), np.array(shape.end), shape.radius
    length = float(np.linalg.norm(end - start))
    axis, middle = (end - start) / length, 0.5 * (start + end)
    x = length / 2.0
    if shape.planar:  # a rectangle and two half discs, whose centres are 4 r/(3 π) from their straight sides
        bar, ends = 2.0 * r * length, math.pi * r**2
        along = bar * length**2 / 12.0 + ends * (r**2 / 4.0 + x**2 + 2.0 * x * 4.0 * r / (3.0 * math.pi))
        across = bar * r**2 / 3.0 + ends * r**2 / 4.0
        side = np.array([-axis[1], axis[0], 0.0])
        return MassProperties(bar + ends, middle, along * np.outer(axis, axis) + across * np.outer(side, side))
    bar, ends = math.pi * r**2 * length, 4.0 / 3.0 * math.pi * r**3
    along = bar * length**2 / 12.0 + ends * (r**2 / 5.0 + x**2 + 2.0 * x * 3.0 * r / 8.0)
    across = bar * r**2 / 4.0 + ends * r**2 / 5.0
    return _about(axis, middle, bar + ends, across / (bar + ends), along / (bar + ends))


def _box(shape: Any) -> MassProperties:
    mass = float(8.0 * np.prod(shape.half))
    return MassProperties(mass, np.array(shape.at), mass / 3.0 * (shape.axes * np.square(shape.half)) @ shape.axes.T)


def _cone(shape: Any) -> MassProperties:
    """Return a frustum: integrals of the powers of its radius over its length."""
    p, q, h = shape.radius, shape.end_radius, 2.0 * shape.half_length
    mass = math.pi * h * (p * p + p * q + q * q) / 3.0
    first = math.pi * h * h * (p * p + 2.0 * p * q + 3.0 * q * q) / 12.0 / mass
    second = math.pi * h**3 * (p * p + 3.0 * p * q + 6.0 * q * q) / 30.0 / mass
    across = math.pi * h * (p**4 + p**3 * q + p * p * q * q + p * q**3 + q**4) / 20.0 / mass
    centre = np.array(shape.at) + (first - shape.half_length) * np.array(shape.axis)
    return _about(shape.axis, centre, mass, across, second - first**2)


def _ellipsoid(shape: Any) -> MassProperties:
    mass = 4.0 / 3.0 * math.pi * float(np.prod(shape.semi_axes))
    axes = shape.axes
    return MassProperties(mass, np.array(shape.at), mass / 5.0 * (axes * np.square(shape.semi_axes)) @ axes.T)


def _torus(shape: Any) -> MassProperties:
    big, r = shape.radius, shape.tube_radius
    mass = 2.0 * math.pi**2 * big * r**2
    return _about(shape.axis, shape.at, mass, big**2 / 2.0 + 3.0 * r**2 / 8.0, r**2 / 4.0)


def _disc(shape: Any) -> MassProperties:
    return _about(shape.axis, shape.at, math.pi * shape.radius**2, shape.radius**2 / 4.0, 0.0)


def _triangles(shape: Any) -> MassProperties:
    return polyhedron(*shape.triangles())


def _rectangle(shape: Any) -> MassProperties:
    u, v = shape.half_u * np.array(shape.axis_u), shape.half_v * np.array(shape.axis_v)
    return polygon(np.array(shape.at) + np.array([-u - v, u - v, u + v, v - u]))


def _triangle(shape: Any) -> MassProperties:
    return polygon(np.array([shape.a, shape.b, shape.c]))


def _polygon(shape: Any) -> MassProperties:
    """Return a planar polygon; with a radius as the polygon of many points of its outline."""
    corners = np.asarray(shape.points, float)[:, :2] if shape.radius == 0.0 else shape.outline(OUTLINE_POINTS)[:-1, :2]
    return polygon(np.column_stack([corners, np.zeros(len(corners))]))


SOLIDS: dict[str, Callable[[Any], MassProperties]] = {
    "Sphere": _sphere,
    "Segment": _segment,
    "Box": _box,
    "Cylinder": _cone,
    "Cone": _cone,
    "Ellipsoid": _ellipsoid,
    "Torus": _torus,
    "ConvexHull": _triangles,
    "Mesh": _triangles,
    "Disc": _disc,
    "Rectangle": _rectangle,
    "Triangle": _triangle,
    "Polygon": _polygon,
}
"""Functions that return volume, or area of a planar or thin shape, by kind of shape."""


def volume_properties(owner: str, shape: Any) -> MassProperties:
    """Return the properties of a shape of density one, or raise for a shape without volume or area."""
    function = SOLIDS.get(shape.kind)
    if function is None:
        raise ModelError(f"{owner}: {shape.label} has no volume; use one of {', '.join(SOLIDS)}")
    if getattr(shape, "inside", False):
        raise ModelError(f"{owner}: {shape.label} is hollow (inside=True) and has no mass; omit inside")
    if shape.kind == "Mesh" and shape.thin:
        raise ModelError(
            f"{owner}: {shape.label} is not closed and has no volume: {shape.open_edges} of its edges do not join two "
            "faces of the same orientation; close it"
        )
    if shape.kind == "Mesh" and shape.volume <= 0.0:
        raise ModelError(f"{owner}: {shape.label} has no volume: its faces enclose none; set its mass and inertia")
    properties = function(shape)
    if properties.mass <= 0.0:
        raise ModelError(f"{owner}: {shape.label} has no volume; set its radius")
    return properties
