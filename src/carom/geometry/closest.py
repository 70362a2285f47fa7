"""The closest points of two shapes, on their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carom.geometry.pairs.base import GAP, NORMAL_AT, PAIR_OUT, POINT_A, POINT_B
from carom.geometry.pairs.registry import Pairing, pair
from carom.geometry.pose import pose_of
from carom.geometry.shapes import Shape
from carom.kernels import call_pair, jit
from carom.kernels.address import first


@dataclass(frozen=True)
class Closest:
    """``gap`` [m] between two skins (negative: indentation), the unit ``normal`` from b to a, and the closest points
    ``point_a``, ``point_b`` on them [m], in global axes."""

    gap: float
    normal: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray


def closest(shape_a: Shape, shape_b: Shape) -> Closest:
    """Where two shapes are closest in the present pose of their bodies; two numbers a point when both are planar.

    Curves without a common normal have a gap of 1e30 m.
    """
    found = pair("closest", shape_a, shape_b, touching=False)
    a, b = found.shapes
    out = evaluate(found, pose_of(a.body), pose_of(b.body))
    size = 2 if a.planar and b.planar else 3
    normal, point_a, point_b = (out[at : at + size].copy() for at in (NORMAL_AT, POINT_A, POINT_B))
    if found.swapped:
        normal, point_a, point_b = -normal, point_b, point_a
    return Closest(float(out[GAP]), normal + 0.0, point_a, point_b)  # no −0


def evaluate(pairing: Pairing, pose_a: np.ndarray, pose_b: np.ndarray, memory: np.ndarray | None = None) -> np.ndarray:
    """What the kernel gives (see `carom.geometry.pairs.base`); ``memory``, where given, goes on from call to call."""
    if memory is None:
        memory = np.array(pairing.memory or (0.0,))
    out = np.zeros(PAIR_OUT)
    _evaluate(pairing.kernel.address, pose_a, pose_b, np.array(pairing.parameters), memory, out)
    return out


@jit
def _evaluate(address, pose_a, pose_b, parameters, memory, out):
    call_pair(address, first(pose_a), first(pose_b), first(parameters), first(memory), first(out))
