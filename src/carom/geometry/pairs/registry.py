"""Every pair, by the kinds of its shapes. A new pair is one new file and one line here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from carom.errors import ModelError, shown
from carom.geometry.pairs.base import Pair
from carom.geometry.pairs.box_box import BOX_BOX
from carom.geometry.pairs.box_plane import BOX_PLANE
from carom.geometry.pairs.curve_curve import CURVE_CURVE
from carom.geometry.pairs.disc_plane import DISC_PLANE
from carom.geometry.pairs.segment_cylinder import SEGMENT_CYLINDER
from carom.geometry.pairs.segment_plane import SEGMENT_PLANE
from carom.geometry.pairs.segment_rectangle import SEGMENT_RECTANGLE
from carom.geometry.pairs.segment_segment import SEGMENT_SEGMENT
from carom.geometry.pairs.segment_triangle import SEGMENT_TRIANGLE
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
from carom.geometry.pairs.surface_plane import SURFACE_PLANE
from carom.geometry.pairs.surface_surface import SURFACE_SURFACE
from carom.geometry.pairs.union import union, unite
from carom.geometry.shapes import Shape
from carom.geometry.union import Union
from carom.kernels import Kernel

PLANAR_KINDS = ("Sphere", "Segment", "Plane", "Curve")
"""Shapes that planar bodies may have."""

PAIRS: dict[tuple[str, str], Pair] = {
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
    ("Box", "Plane"): BOX_PLANE,
    ("Box", "Box"): BOX_BOX,
    ("Sphere", "Mesh"): SPHERE_MESH,
    ("Sphere", "Curve"): SPHERE_CURVE,
    ("Sphere", "Surface"): SPHERE_SURFACE,
    ("Surface", "Plane"): SURFACE_PLANE,
    ("Surface", "Surface"): SURFACE_SURFACE,
    ("Curve", "Curve"): CURVE_CURVE,
}


@dataclass(frozen=True)
class Pairing:
    """Two shapes that may touch, ready for their kernel.

    ``shapes`` are in the kernel's order, which is the other way round than they were given when ``swapped``: the
    kernel's normal then points from the first given to the second. ``parameters`` are the kernel's numbers for the
    closest points of all, ``memory`` what its memory holds before the first call, ``spots`` at how many places the
    shapes may touch at once, ``spot`` the one of them that the parameters are for.

    Parameters may hold addresses, which are good in one program only: a copy of a pairing is made anew from its shapes.
    """

    kernel: Kernel
    shapes: tuple[Shape, Shape]
    swapped: bool
    parameters: tuple[float, ...]
    memory: tuple[float, ...]
    spots: int = 1
    spot: int = 0

    def __reduce__(self) -> Any:
        return _again, (*(self.shapes[::-1] if self.swapped else self.shapes), self.spot)

    def only(self, k: int) -> Pairing:
        """The pairing of spot ``k`` alone."""
        return replace(self, parameters=self.at_spot(k), spots=1, spot=k)

    def at_spot(self, k: int) -> tuple[float, ...]:
        """The kernel's numbers for spot ``k`` = 1 … spots, or for the closest points of all: 0."""
        if not 0 <= k <= self.spots:
            names = " and ".join(shape.label for shape in self.shapes)
            raise ModelError(f"{names}: the spot must be one of 0 … {self.spots}, got {k}")
        return self.parameters if self.spots == 1 else (float(k), *self.parameters[1:])


def _again(shape_a: Shape, shape_b: Shape, spot: int) -> Pairing:
    found = pair("pair", shape_a, shape_b, touching=False)
    return found.only(spot) if spot else found


def pair(owner: str, shape_a: Shape, shape_b: Shape, touching: bool = True) -> Pairing:
    """How ``shape_a`` and ``shape_b`` meet; ``owner`` is who asks, for messages.

    Shapes that can never touch, such as two points, are refused when they are asked to be ``touching``.
    """
    for shape in (shape_a, shape_b):
        if not isinstance(shape, Shape):
            raise ModelError(f"{owner}: expected a shape such as Sphere or Plane, got {shown(shape)}")
    if shape_a.body is shape_b.body:
        raise ModelError(f"{owner}: {shape_a.label} and {shape_b.label} sit on one body; they never move apart")
    if isinstance(shape_a, Union) or isinstance(shape_b, Union):
        return _with_union(owner, shape_a, shape_b, touching)
    a, b = shape_a, shape_b
    swapped = (a.kind, b.kind) not in PAIRS
    if swapped:
        a, b = shape_b, shape_a
    known = PAIRS.get((a.kind, b.kind))
    if known is None:
        there = "; ".join(
            f"{kind} meets {', '.join(met_by(kind, shape_a.planar)) or 'nothing'}"
            for kind in dict.fromkeys((shape_a.kind, shape_b.kind))
        )
        raise ModelError(
            f"{owner}: {shape_a.label} and {shape_b.label} have no common pair; {there} (a Point is a Sphere)"
        )
    known.check(owner, a, b)
    if touching:
        known.meet(owner, a, b)
    numbers = known.numbers(a, b)
    if callable(known.spots):
        return Pairing(known.kernel, (a, b), swapped, numbers, known.memory, known.spots(a, b))
    if known.spots > 1:
        numbers = (0.0, *numbers)
    return Pairing(known.kernel, (a, b), swapped, numbers, known.memory, known.spots)


def _with_union(owner: str, shape_a: Shape, shape_b: Shape, touching: bool) -> Pairing:
    swapped = not isinstance(shape_b, Union)
    a, b = (shape_b, shape_a) if swapped else (shape_a, shape_b)
    if not isinstance(b, Union) or isinstance(a, Union):
        names = f"{shape_a.label} and {shape_b.label}"
        raise ModelError(f"{owner}: {names} have no common pair; a Union meets single shapes")
    numbers, memory = unite([pair(owner, a, shape, touching) for shape in b.shapes])
    return Pairing(union, (a, b), swapped, numbers, memory)


def met_by(kind: str, planar: bool = False) -> list[str]:
    """Return the kinds that have a pair with ``kind``, on ``planar`` bodies those that exist there."""
    met = [one if other == kind else other for one, other in PAIRS if kind in (one, other)]
    return [other for other in met if other in PLANAR_KINDS] if planar else met
