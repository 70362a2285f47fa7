"""Closest points of two shapes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.geometry.pairs.registry import Pairing, pair
from carom.geometry.pose import pose_of
from carom.geometry.shapes import Shape
from carom.short_form import ShortRepr

LEVEL_RATIO = 1e-6
"""Ratio to the size of the smaller shape below which the gaps of two spots are equal [-]."""


@dataclass(frozen=True, repr=False)
class ClosestPoints(ShortRepr):
    """Result of `closest`, in global axes.

    ``gap`` [m] is the distance of the surfaces (negative: indentation), ``normal`` the unit normal from b to a,
    ``point_a`` and ``point_b`` are the closest points [m]. ``spots`` are the places where shapes with several spots of
    contact touch, the deepest first, or where they are closest while they do not touch; for other shapes there is one.
    """

    gap: float
    normal: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    spots: tuple[ClosestPoints, ...] = ()


def closest(shape_a: Shape, shape_b: Shape) -> ClosestPoints:
    """Return the closest points of two shapes in the current pose of their bodies; in 2D if both are planar.

    Curves without a common normal have a gap of 1e30 m.

    Examples
    --------
    >>> import carom as cm
    >>> ball = cm.Body("ball", mass=1.0, position=(0.0, 1.0))
    >>> floor = cm.Plane(cm.System().ground, at=(0.0, 0.0), normal=(0.0, 1.0))
    >>> cm.closest(cm.Sphere(ball, 0.1), floor).gap
    0.9
    """
    pairing = pair("closest", shape_a, shape_b, touching=False)
    pose_a, pose_b = (pose_of(shape.body) for shape in pairing.shapes)
    nearest = _closest_points(pairing, evaluate(pairing, pose_a, pose_b))
    return replace(nearest, spots=tuple(_spots(pairing, pose_a, pose_b, nearest)))


def _closest_points(pairing: Pairing, out: np.void) -> ClosestPoints:
    """Return the output of a pair kernel in the order of the caller's shapes."""
    size = 2 if all(shape.planar for shape in pairing.shapes) else 3
    normal, point_a, point_b = (out[name][:size].copy() for name in ("normal", "point_a", "point_b"))
    if pairing.swapped:
        normal, point_a, point_b = -normal, point_b, point_a
    return ClosestPoints(float(out["gap"]), normal + 0.0, point_a, point_b)  # + 0.0 removes −0


def _spots(pairing: Pairing, pose_a: np.ndarray, pose_b: np.ndarray, nearest: ClosestPoints) -> list[ClosestPoints]:
    """Return the spots of contact, or the closest ones, in the order of their gaps."""
    if pairing.contact_points == 1:
        return [nearest]
    warm_start = np.array(pairing.warm_start or (0.0,))
    at_points = [pairing.at_contact_point(k) for k in range(1, pairing.contact_points + 1)]
    spots = [_closest_points(pairing, evaluate(at_point, pose_a, pose_b, warm_start)) for at_point in at_points]
    extents = [sphere[1] for shape in pairing.shapes if (sphere := shape.bounding_sphere()) is not None]
    largest = max(0.0, nearest.gap + LEVEL_RATIO * min(extents, default=0.0))
    return sorted((spot for spot in spots if spot.gap <= largest), key=lambda spot: spot.gap) or [nearest]


def evaluate(pairing: Pairing, pose_a: np.ndarray, pose_b: np.ndarray, warm_start: np.ndarray | None = None) -> np.void:
    """Return the output of a pair kernel (`PAIR_OUTPUT`); a ``warm_start`` array is updated from call to call."""
    if warm_start is None:
        warm_start = np.array(pairing.warm_start or (0.0,))
    out = np.zeros(PAIR_OUTPUT.size)
    pairing.kernel.call(pose_a, pose_b, np.array(pairing.parameters), warm_start, out)
    row: np.void = out.view(PAIR_OUTPUT.dtype)[0]
    return row
