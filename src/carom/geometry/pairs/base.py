"""Interface of pair kernels: closest points of two shapes in 3D, for planar and spatial bodies alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from carom.errors import ModelError
from carom.kernels import FLOAT, PAIR, Kernel, jit, kernel, record
from carom.kernels.record import RecordType

POSE = record("x y z  r11 r12 r13  r21 r22 r23  r31 r32 r33")
"""Pose of a body: position of its origin [m] and rotation matrix, row by row (r = R s' + position)."""

PAIR_OUTPUT = record(
    gap=FLOAT,  # distance of the surfaces [m], negative: indentation
    normal=(FLOAT, 3),  # unit normal from b to a
    point_a=(FLOAT, 3),  # closest point on the surface of a [m]
    point_b=(FLOAT, 3),  # closest point on the surface of b [m]
    force_point=(FLOAT, 3),  # point where the force acts [m]
)
"""Result of a pair kernel, in global axes."""

NO_WARM_START = record("unused")
"""Warm start of a pair that needs no search."""

NO_CONTACT = 1e30
"""Gap [m] of shapes that have no closest points."""


def pair_kernel(params: RecordType, warm_start: RecordType = NO_WARM_START) -> Callable[[Callable[..., Any]], Kernel]:
    """Declare a pair kernel ``(pose_a, pose_b, params, warm_start, out)`` by the records it reads."""
    return kernel(PAIR, POSE, POSE, params, warm_start, PAIR_OUTPUT)


def parameters_of_both(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of both shapes, one after the other."""
    return (*a.parameters, *b.parameters)


def accept(owner: str, a: Any, b: Any) -> None:
    """Accept all shapes: the check of a pair without restrictions."""


def no_other_pair(a: Any, b: Any) -> PairKernel | None:
    """Return None: one pair for all shapes of its kinds."""
    return None


def require_edge_contact(edge: str) -> Callable[[str, Any, Any], None]:
    """Return the check of a pair in which shape ``a`` touches with its ``edge`` only, such as "rim"."""

    def check(owner: str, a: Any, b: Any) -> None:
        if a.edges == "ignore":
            raise ModelError(
                f"{owner}: {a.label} touches {b.label} with its {edge}, which edges='ignore' excludes; omit edges"
            )

    return check


@dataclass(frozen=True)
class PairKernel:
    """Kernel of two kinds of shapes, the record of its parameters, and the initial values of its warm start.

    ``parameters_of(a, b)`` returns the values of the record ``params``, and what follows it for shapes of variable
    size. ``check(owner, a, b)`` raises for shapes of these kinds without a solution, ``check_contact(owner, a, b)`` for
    shapes that can never touch. A pair with several ``contact_points`` has their index as the first field of its
    parameters: 0 asks for the closest points of all, 1 … contact_points for one of them, whose gap is NO_CONTACT while
    it does not exist. ``parameters_of`` omits the index where the number of contact points is fixed; where
    ``contact_points(a, b)`` depends on the shapes, ``parameters_of`` begins with it. With ``shares_warm_start`` the
    contact points of a pair have one warm start in common, which holds what does not depend on the point. ``select``
    returns another pair for shapes of these kinds that need it. ``slots_offset`` is where the slots of a pair whose
    spots move begin in its warm start (see `carom.geometry.pairs.spots`); −1 without.
    """

    kernel: Kernel
    params: RecordType
    parameters_of: Callable[[Any, Any], tuple[float, ...]] = parameters_of_both
    warm_start: tuple[float, ...] = ()
    check: Callable[[str, Any, Any], None] = accept
    check_contact: Callable[[str, Any, Any], None] = accept
    contact_points: int | Callable[[Any, Any], int] = 1
    shares_warm_start: bool = False
    slots_offset: int = -1
    select: Callable[[Any, Any], PairKernel | None] = no_other_pair


@jit
def rotate(pose, x, y, z):
    """Return a vector of body axes in global axes."""
    return (
        pose.r11 * x + pose.r12 * y + pose.r13 * z,
        pose.r21 * x + pose.r22 * y + pose.r23 * z,
        pose.r31 * x + pose.r32 * y + pose.r33 * z,
    )


@jit
def to_global(pose, x, y, z):
    """Return a point of body axes in global axes [m]."""
    tx, ty, tz = rotate(pose, x, y, z)
    return pose.x + tx, pose.y + ty, pose.z + tz


@jit
def to_local(pose, x, y, z):
    """Return a point of global axes in body axes [m]."""
    x -= pose.x
    y -= pose.y
    z -= pose.z
    return (
        pose.r11 * x + pose.r21 * y + pose.r31 * z,
        pose.r12 * x + pose.r22 * y + pose.r32 * z,
        pose.r13 * x + pose.r23 * y + pose.r33 * z,
    )


@jit
def dot(ax, ay, az, bx, by, bz):
    """Return the scalar product of two vectors."""
    return ax * bx + ay * by + az * bz


@jit
def store(vector, x, y, z):
    """Store three components in a field of a record."""
    vector[0] = x
    vector[1] = y
    vector[2] = z


@jit
def store_midpoint(out):
    """Let the force act midway between the closest points."""
    for k in range(3):
        out.force_point[k] = 0.5 * (out.point_a[k] + out.point_b[k])
