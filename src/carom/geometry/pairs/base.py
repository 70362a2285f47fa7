"""What every pair kernel is given and gives: geometry in space, written once for planar and spatial bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from carom.kernels import Kernel, jit

# A pose: where a body's origin is, then its rotation matrix row by row (r = R s' + position).
POSE = 12
POSITION, ROTATION = 0, 3

# What a pair kernel gives, all in global axes: the gap (negative: indentation), the unit normal from b to a, the
# closest points on the two skins, and the point where the force acts.
PAIR_OUT = 13
GAP, NORMAL_AT, POINT_A, POINT_B, CONTACT_POINT = 0, 1, 4, 7, 10
FAR = 1e30
"""The gap of shapes that have no closest points."""


def both(a: Any, b: Any) -> tuple[float, ...]:
    """The numbers of both shapes, one after the other."""
    return (*a.numbers, *b.numbers)


def anything(owner: str, a: Any, b: Any) -> None:
    """The check of a pair that takes all shapes of its kinds."""


@dataclass(frozen=True)
class Pair:
    """How two kinds of shapes meet: the kernel, the numbers it reads, what its memory holds before the first call.

    ``check(owner, a, b)`` refuses shapes of these kinds that have no answer, ``meet(owner, a, b)`` those that have one
    but can never touch. A pair that touches at several ``spots`` has the number of the spot as its kernel's first
    parameter, before ``numbers``: 0 asks for the closest points of all, 1 … spots for those of one spot, whose gap is
    FAR while there is none. Where ``spots(a, b)`` depends on the shapes, ``numbers`` begin with that number always.
    """

    kernel: Kernel
    numbers: Callable[[Any, Any], tuple[float, ...]] = both
    memory: tuple[float, ...] = ()
    check: Callable[[str, Any, Any], None] = anything
    meet: Callable[[str, Any, Any], None] = anything
    spots: int | Callable[[Any, Any], int] = 1


@jit
def turned(pose, x, y, z):
    """The vector (x, y, z) of a body in global axes."""
    r = ROTATION
    return (
        pose[r] * x + pose[r + 1] * y + pose[r + 2] * z,
        pose[r + 3] * x + pose[r + 4] * y + pose[r + 5] * z,
        pose[r + 6] * x + pose[r + 7] * y + pose[r + 8] * z,
    )


@jit
def placed(pose, x, y, z):
    """The point (x, y, z) of a body in global axes."""
    tx, ty, tz = turned(pose, x, y, z)
    return pose[POSITION] + tx, pose[POSITION + 1] + ty, pose[POSITION + 2] + tz


@jit
def put(out, x, y, z):
    out[0] = x
    out[1] = y
    out[2] = z
