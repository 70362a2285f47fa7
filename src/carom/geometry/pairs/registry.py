"""Every pair, by the kinds of its shapes. A new pair is one new file and one line here."""

from __future__ import annotations

from dataclasses import dataclass

from carom.errors import ModelError
from carom.geometry.pairs.base import Pair
from carom.geometry.pairs.curve_curve import CURVE_CURVE
from carom.geometry.pairs.sphere_plane import SPHERE_PLANE
from carom.geometry.pairs.sphere_segment import SPHERE_SEGMENT
from carom.geometry.pairs.sphere_sphere import SPHERE_SPHERE
from carom.geometry.shapes import Shape
from carom.kernels import Kernel

PAIRS: dict[tuple[str, str], Pair] = {
    ("Sphere", "Sphere"): SPHERE_SPHERE,
    ("Sphere", "Plane"): SPHERE_PLANE,
    ("Sphere", "Segment"): SPHERE_SEGMENT,
    ("Curve", "Curve"): CURVE_CURVE,
}


@dataclass(frozen=True)
class Pairing:
    """Two shapes that may touch, ready for their kernel.

    ``shapes`` are in the kernel's order, which is the other way round than they were given when ``swapped``: the
    kernel's normal then points from the first given to the second. ``parameters`` are the kernel's numbers,
    ``memory`` what its memory holds before the first call.
    """

    kernel: Kernel
    shapes: tuple[Shape, Shape]
    swapped: bool
    parameters: tuple[float, ...]
    memory: tuple[float, ...]


def pair(owner: str, shape_a: Shape, shape_b: Shape) -> Pairing:
    """How ``shape_a`` and ``shape_b`` meet; ``owner`` is who asks, for messages."""
    for shape in (shape_a, shape_b):
        if not isinstance(shape, Shape):
            raise ModelError(f"{owner}: expected a shape (Point, Sphere, Segment, Plane, Curve), got {shape!r}")
    if shape_a.body is shape_b.body:
        raise ModelError(f"{owner}: {shape_a.label} and {shape_b.label} sit on one body; they never move apart")
    a, b = shape_a, shape_b
    swapped = (a.kind, b.kind) not in PAIRS
    if swapped:
        a, b = shape_b, shape_a
    known = PAIRS.get((a.kind, b.kind))
    if known is None:
        there = ", ".join("–".join(kinds) for kinds in PAIRS)
        raise ModelError(
            f"{owner}: {shape_a.label} and {shape_b.label} have no common pair; there are {there} (a Point is a Sphere)"
        )
    known.check(owner, a, b)
    return Pairing(known.kernel, (a, b), swapped, known.numbers(a, b), known.memory)
