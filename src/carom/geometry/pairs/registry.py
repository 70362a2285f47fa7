"""Registry of pairs by the kinds of their shapes. A new pair is one new file and one line here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.geometry.pairs.base import PairKernel
from carom.geometry.pairs.box_box import BOX_BOX
from carom.geometry.pairs.box_plane import BOX_PLANE
from carom.geometry.pairs.convex_convex import CONVEX_CONVEX, SPHERE_CONVEX
from carom.geometry.pairs.convex_mesh import CONVEX_MESH
from carom.geometry.pairs.convex_plane import CONVEX_PLANE
from carom.geometry.pairs.disc_plane import DISC_PLANE, TORUS_PLANE
from carom.geometry.pairs.mesh_mesh import MESH_MESH
from carom.geometry.pairs.mesh_plane import MESH_PLANE
from carom.geometry.pairs.outline_outline import OUTLINE_OUTLINE
from carom.geometry.pairs.segment_plane import SEGMENT_PLANE
from carom.geometry.pairs.segment_segment import SEGMENT_SEGMENT
from carom.geometry.pairs.segment_shape import SEGMENT_CYLINDER, SEGMENT_RECTANGLE, SEGMENT_TRIANGLE
from carom.geometry.pairs.solid_surface import FRUSTUM_SURFACE, MESH_SURFACE
from carom.geometry.pairs.sphere_box import SPHERE_BOX
from carom.geometry.pairs.sphere_cone import SPHERE_CONE, SPHERE_CYLINDER
from carom.geometry.pairs.sphere_curve import SPHERE_CURVE
from carom.geometry.pairs.sphere_disc import SPHERE_DISC
from carom.geometry.pairs.sphere_mesh import SPHERE_MESH
from carom.geometry.pairs.sphere_plane import SPHERE_PLANE
from carom.geometry.pairs.sphere_rectangle import SPHERE_RECTANGLE
from carom.geometry.pairs.sphere_segment import SPHERE_SEGMENT
from carom.geometry.pairs.sphere_sphere import SPHERE_SPHERE
from carom.geometry.pairs.sphere_surface import SPHERE_SURFACE
from carom.geometry.pairs.sphere_torus import SPHERE_TORUS
from carom.geometry.pairs.sphere_triangle import SPHERE_TRIANGLE
from carom.geometry.pairs.spot_selection import MAX_SPOTS
from carom.geometry.pairs.spots import SPOT
from carom.geometry.pairs.surface_plane import SURFACE_PLANE
from carom.geometry.pairs.surface_surface import ELLIPSOID_SURFACE, SURFACE_SURFACE
from carom.geometry.pairs.torus_shape import torus_pair
from carom.geometry.pairs.union import union, unite
from carom.geometry.pairs.union_spots import MEMORY as UNION_MEMORY
from carom.geometry.pairs.union_spots import union_spots, unite_spots
from carom.geometry.shapes import Shape
from carom.geometry.shapes.mesh import Mesh
from carom.geometry.shapes.union import Union
from carom.kernels import Kernel

PLANAR_KINDS = ("Sphere", "Segment", "Plane", "Curve", "Polygon")
"""Kinds of shapes on planar bodies."""

PAIRS: dict[tuple[str, str], PairKernel] = {
    ("Sphere", "Sphere"): SPHERE_SPHERE,
    ("Sphere", "Plane"): SPHERE_PLANE,
    ("Sphere", "Segment"): SPHERE_SEGMENT,
    ("Sphere", "Triangle"): SPHERE_TRIANGLE,
    ("Sphere", "Rectangle"): SPHERE_RECTANGLE,
    ("Sphere", "Disc"): SPHERE_DISC,
    ("Sphere", "Cylinder"): SPHERE_CYLINDER,
    ("Sphere", "Cone"): SPHERE_CONE,
    ("Sphere", "Torus"): SPHERE_TORUS,
    ("Sphere", "Box"): SPHERE_BOX,
    ("Segment", "Segment"): SEGMENT_SEGMENT,
    ("Segment", "Plane"): SEGMENT_PLANE,
    ("Segment", "Triangle"): SEGMENT_TRIANGLE,
    ("Segment", "Rectangle"): SEGMENT_RECTANGLE,
    ("Segment", "Cylinder"): SEGMENT_CYLINDER,
    ("Disc", "Plane"): DISC_PLANE,
    ("Torus", "Plane"): TORUS_PLANE,
    ("Torus", "Torus"): torus_pair(SPHERE_TORUS),
    ("Torus", "Segment"): torus_pair(SPHERE_SEGMENT),
    ("Torus", "Cylinder"): torus_pair(SPHERE_CYLINDER),
    ("Torus", "Cone"): torus_pair(SPHERE_CONE),
    ("Torus", "Box"): torus_pair(SPHERE_BOX),
    ("Torus", "Disc"): torus_pair(SPHERE_DISC),
    ("Torus", "Rectangle"): torus_pair(SPHERE_RECTANGLE),
    ("Torus", "Triangle"): torus_pair(SPHERE_TRIANGLE),
    ("Torus", "Mesh"): torus_pair(SPHERE_MESH),
    ("Torus", "Ellipsoid"): torus_pair(SPHERE_CONVEX),
    ("Torus", "ConvexHull"): torus_pair(SPHERE_CONVEX),
    ("Box", "Plane"): BOX_PLANE,
    ("Box", "Box"): BOX_BOX,
    ("Sphere", "Mesh"): SPHERE_MESH,
    ("Mesh", "Plane"): MESH_PLANE,
    ("Mesh", "Mesh"): MESH_MESH,
    ("Mesh", "Box"): MESH_MESH,
    ("Mesh", "ConvexHull"): MESH_MESH,
    ("Segment", "Mesh"): MESH_MESH,
    ("Cylinder", "Mesh"): CONVEX_MESH,
    ("Cone", "Mesh"): CONVEX_MESH,
    ("Disc", "Mesh"): CONVEX_MESH,
    ("Ellipsoid", "Mesh"): CONVEX_MESH,
    ("Rectangle", "Mesh"): CONVEX_MESH,
    ("Triangle", "Mesh"): CONVEX_MESH,
    ("Sphere", "Curve"): SPHERE_CURVE,
    ("Sphere", "Surface"): SPHERE_SURFACE,
    ("Surface", "Plane"): SURFACE_PLANE,
    ("Surface", "Surface"): SURFACE_SURFACE,
    ("Ellipsoid", "Surface"): ELLIPSOID_SURFACE,
    ("Mesh", "Surface"): MESH_SURFACE,
    ("Box", "Surface"): MESH_SURFACE,
    ("ConvexHull", "Surface"): MESH_SURFACE,
    ("Segment", "Surface"): MESH_SURFACE,
    ("Triangle", "Surface"): MESH_SURFACE,
    ("Rectangle", "Surface"): MESH_SURFACE,
    ("Cylinder", "Surface"): FRUSTUM_SURFACE,
    ("Cone", "Surface"): FRUSTUM_SURFACE,
    ("Disc", "Surface"): FRUSTUM_SURFACE,
    ("Curve", "Curve"): OUTLINE_OUTLINE,
    ("Curve", "Plane"): OUTLINE_OUTLINE,
    ("Segment", "Curve"): OUTLINE_OUTLINE,
    ("Polygon", "Plane"): OUTLINE_OUTLINE,
    ("Sphere", "Polygon"): OUTLINE_OUTLINE,
    ("Segment", "Polygon"): OUTLINE_OUTLINE,
    ("Polygon", "Curve"): OUTLINE_OUTLINE,
    ("Polygon", "Polygon"): OUTLINE_OUTLINE,
}

CONVEX_KINDS = (
    "Sphere", "Segment", "Triangle", "Rectangle", "Disc", "Cylinder", "Cone", "Box", "Ellipsoid", "ConvexHull",
)  # fmt: skip
"""Kinds of convex shapes: any two of them touch, and each touches a plane."""
GENERAL_PAIRS: dict[tuple[str, str], PairKernel] = {
    (one, other): CONVEX_PLANE if other == "Plane" else CONVEX_CONVEX
    for k, one in enumerate(CONVEX_KINDS)
    for other in (*CONVEX_KINDS[k:], "Plane")
    if (one, other) not in PAIRS and (other, one) not in PAIRS
}
"""Pairs of convex shapes without a computation of their own."""
PAIRS |= GENERAL_PAIRS


@dataclass(frozen=True)
class Pairing:
    """Two shapes that may touch, with the kernel of their kinds and its parameters.

    ``shapes`` are in the order of the kernel; they are ``swapped`` if that is not the order of the caller. The normal
    of the kernel then points from the caller's first shape to the second. ``parameters`` are those for the closest
    points of all, ``warm_start`` are the initial values of the warm start, ``contact_points`` is the number of points
    at which the shapes may touch at once, ``contact_point`` the one to which the parameters belong; with
    ``shares_warm_start`` all of them have one warm start. ``slots_offset`` is that of the pair kernel.

    Parameters may contain addresses, which are valid in one process only: a copy of a pairing is built from its shapes.
    """

    kernel: Kernel
    shapes: tuple[Shape, Shape]
    swapped: bool
    parameters: tuple[float, ...]
    warm_start: tuple[float, ...]
    contact_points: int = 1
    contact_point: int = 0
    shares_warm_start: bool = False
    slots_offset: int = -1

    def __reduce__(self) -> Any:
        return _rebuild, (*(self.shapes[::-1] if self.swapped else self.shapes), self.contact_point)

    @property
    def slot_offset(self) -> int:
        """Where the slot of the contact point is in the warm start; −1 without."""
        if self.slots_offset < 0 or self.contact_point == 0:
            return -1
        return self.slots_offset + (self.contact_point - 1) * SPOT.size

    def at_contact_point(self, k: int) -> Pairing:
        """Return the pairing of contact point ``k`` alone."""
        return replace(self, parameters=self.parameters_for(k), contact_points=1, contact_point=k)

    def parameters_for(self, k: int) -> tuple[float, ...]:
        """Return the parameters for contact point ``k`` = 1 … contact_points, or for the closest points of all: 0."""
        if not 0 <= k <= self.contact_points:
            names = " and ".join(shape.label for shape in self.shapes)
            raise ModelError(f"{names}: contact point must be one of 0 … {self.contact_points}, got {k}")
        return self.parameters if self.contact_points == 1 else (float(k), *self.parameters[1:])


def _rebuild(shape_a: Shape, shape_b: Shape, contact_point: int) -> Pairing:
    pairing = pair("pair", shape_a, shape_b, touching=False)
    return pairing.at_contact_point(contact_point) if contact_point else pairing


def pair(owner: str, shape_a: Shape, shape_b: Shape, touching: bool = True) -> Pairing:
    """Return the pairing of two shapes; ``owner`` is the name of the caller in messages.

    With ``touching``, raise for shapes that can never touch, such as two points.
    """
    for shape in (shape_a, shape_b):
        if not isinstance(shape, Shape):
            raise ModelError(f"{owner}: expected a shape such as Sphere or Plane, got {short_repr(shape)}")
    if shape_a.body is shape_b.body:
        raise ModelError(f"{owner}: {shape_a.label} and {shape_b.label} are on one body and cannot touch")
    shape_a, shape_b = in_convex_parts(shape_a), in_convex_parts(shape_b)
    if isinstance(shape_a, Union) or isinstance(shape_b, Union):
        return _with_union(owner, shape_a, shape_b, touching)
    a, b = shape_a, shape_b
    swapped = (a.kind, b.kind) not in PAIRS
    if swapped:
        a, b = shape_b, shape_a
    entry = PAIRS.get((a.kind, b.kind))
    if entry is None:
        partners = "; ".join(
            f"{kind} has pairs with {', '.join(partners_of(kind, shape_a.planar)) or 'no shape'}"
            for kind in dict.fromkeys((shape_a.kind, shape_b.kind))
        )
        raise ModelError(f"{owner}: no pair for {shape_a.label} and {shape_b.label}; {partners} (a Point is a Sphere)")
    entry = entry.select(a, b) or entry
    entry.check(owner, a, b)
    if touching:
        entry.check_contact(owner, a, b)
    parameters = entry.parameters_of(a, b)
    contact_points = entry.contact_points(a, b) if callable(entry.contact_points) else entry.contact_points
    if contact_points > 1 and not callable(entry.contact_points):
        parameters = (0.0, *parameters)
    return Pairing(
        entry.kernel, (a, b), swapped, parameters, entry.warm_start, contact_points,
        shares_warm_start=entry.shares_warm_start, slots_offset=entry.slots_offset,
    )  # fmt: skip


def in_convex_parts(shape: Shape) -> Shape:
    """Return what touches in place of a shape: the union of the convex parts of a mesh that is divided into them."""
    parts = shape.parts if isinstance(shape, Mesh) else ()
    return Union(*parts, spots=MAX_SPOTS) if len(parts) > 1 else parts[0] if parts else shape


def _with_union(owner: str, shape_a: Shape, shape_b: Shape, touching: bool) -> Pairing:
    swapped = not isinstance(shape_b, Union)
    a, b = (shape_b, shape_a) if swapped else (shape_a, shape_b)
    if not isinstance(b, Union) or (isinstance(a, Union) and 1 in (a.spots, b.spots)):
        raise ModelError(
            f"{owner}: no pair for {shape_a.label} and {shape_b.label}; use a Union with a single shape, or two unions "
            "with spots"
        )
    pairings = [pair(owner, a, shape, touching) for shape in b.shapes]
    if b.spots > 1:
        parameters, warm_start = unite_spots(pairings)
        return Pairing(
            union_spots, (a, b), swapped, parameters, warm_start, b.spots, shares_warm_start=True,
            slots_offset=UNION_MEMORY.index("slots"),
        )  # fmt: skip
    parameters, warm_start = unite(pairings)
    return Pairing(union, (a, b), swapped, parameters, warm_start)


def partners_of(kind: str, planar: bool = False) -> list[str]:
    """Return the kinds that have a pair with ``kind``; on ``planar`` bodies those that exist there."""
    partners = [one if other == kind else other for one, other in PAIRS if kind in (one, other)]
    return [other for other in partners if other in PLANAR_KINDS] if planar else partners
