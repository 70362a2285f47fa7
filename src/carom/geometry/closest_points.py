"""Closest points of two shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.geometry.pairs.registry import Pairing, pair
from carom.geometry.pose import pose_of
from carom.geometry.shapes import Shape
from carom.kernels import call_pair, jit
from carom.kernels.pointers import data_pointer


@dataclass(frozen=True)
class ClosestPoints:
    """Result of `closest`, in global axes.

    ``gap`` [m] is the distance of the surfaces (negative: indentation), ``normal`` the unit normal from b to a,
    ``point_a`` and ``point_b`` are the closest points [m].
    """

    gap: float
    normal: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray


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
    a, b = pairing.shapes
    out = evaluate(pairing, pose_of(a.body), pose_of(b.body))
    size = 2 if a.planar and b.planar else 3
    normal, point_a, point_b = (out[name][:size].copy() for name in ("normal", "point_a", "point_b"))
    if pairing.swapped:
        normal, point_a, point_b = -normal, point_b, point_a
    return ClosestPoints(float(out["gap"]), normal + 0.0, point_a, point_b)  # + 0.0 removes −0


def evaluate(pairing: Pairing, pose_a: np.ndarray, pose_b: np.ndarray, warm_start: np.ndarray | None = None) -> np.void:
    """Return the output of a pair kernel (`PAIR_OUTPUT`); a ``warm_start`` array is updated from call to call."""
    if warm_start is None:
        warm_start = np.array(pairing.warm_start or (0.0,))
    out = np.zeros(PAIR_OUTPUT.size)
    _evaluate(pairing.kernel.address, pose_a, pose_b, np.array(pairing.parameters), warm_start, out)
    row: np.void = out.view(PAIR_OUTPUT.dtype)[0]
    return row


@jit
def _evaluate(address, pose_a, pose_b, parameters, warm_start, out):
    call_pair(
        address,
        data_pointer(pose_a),
        data_pointer(pose_b),
        data_pointer(parameters),
        data_pointer(warm_start),
        data_pointer(out),
    )
