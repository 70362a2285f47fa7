"""Contact geometry of a pair: indentation, normal and lever arms of the contact point."""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import BODY_PAIR_DATA
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.kernels import address_of, call_pair, floats, jit
from carom.solve.many_body.records import BODY_POSE, PAIR_SHIFT
from carom.solve.many_body.warm_starts import warm_start_of

POSE_SIZE = BODY_POSE.size
"""Numbers of a pose."""


@jit
def pose_of(many_body, body, is_centred_sphere):
    """Return the pose of a body; for a centred sphere only its position is valid, as kernels use nothing else."""
    if is_centred_sphere:
        return floats(address_of(BODY_PAIR_DATA(many_body.pair_data, body)))
    return floats(address_of(BODY_POSE(many_body.poses, body)))


@jit
def poses_of(many_body, kind, body_a, body_b):
    """Return the poses of two bodies for the pair kernel of a kind."""
    first = 0
    if kind.is_swapped != 0:
        first = 1
    return (
        pose_of(many_body, body_a, kind.centred_spheres[first] != 0),
        pose_of(many_body, body_b, kind.centred_spheres[1 - first] != 0),
    )


@jit(inline=True)
def shift_of(many_body, k):
    """Return the vector from the second body of pair ``k`` to its image next to the first body [m]."""
    if many_body.pair_shifts == 0:
        return 0.0, 0.0, 0.0
    r = PAIR_SHIFT(many_body.pair_shifts, k).r
    return r[0], r[1], r[2]


@jit
def image_of(pose, sx, sy, sz, image_pose):
    """Return a pose, or if the shift s [m] is not zero the shifted one, which is stored in ``image_pose``."""
    if sx == 0.0 and sy == 0.0 and sz == 0.0:
        return pose
    for d in range(POSE_SIZE):
        image_pose[d] = pose[d]
    image_pose[0] += sx
    image_pose[1] += sy
    image_pose[2] += sz
    return image_pose


@jit
def evaluate_pair(kind, pose_a, pose_b, warm_start, out):
    """Call the pair kernel of two shapes; return the sign of its normal for the given order of the bodies."""
    one = pose_a
    two = pose_b
    sign = 1.0
    if kind.is_swapped != 0:
        one = pose_b
        two = pose_a
        sign = -1.0
    call_pair(kind.pair_kernel, one, two, floats(kind.pair_params), warm_start, out)
    return sign


@jit
def sphere_contact(body, other, sx, sy, sz):
    """Return the contact geometry of two centred spheres: indentation, normal, lever arms from both centres [m].

    The contact point lies midway between the two surfaces. The indentation is zero where the spheres are separated. The
    shift s [m] leads from the other body to its image.
    """
    nx = body.r[0] - other.r[0] - sx
    ny = body.r[1] - other.r[1] - sy
    nz = body.r[2] - other.r[2] - sz
    square = nx * nx + ny * ny + nz * nz
    sum_of_radii = body.bounding_radius + other.bounding_radius
    if square >= sum_of_radii * sum_of_radii:
        return 0.0, nx, ny, nz, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    distance = math.sqrt(square)
    delta = sum_of_radii - distance
    if distance > 0.0:
        scale = 1.0 / distance
        nx *= scale
        ny *= scale
        nz *= scale
    else:
        nx = 1.0
    a = 0.5 * delta - body.bounding_radius
    b = other.bounding_radius - 0.5 * delta
    return delta, nx, ny, nz, a * nx, a * ny, a * nz, b * nx, b * ny, b * nz


@jit
def shape_contact(many_body, i, j, k, body, other, kind, sx, sy, sz, workspace):
    """Return the contact geometry of two shapes with a pair kernel, in the form of `sphere_contact`."""
    warm_start = warm_start_of(many_body, kind, k)
    pair = PAIR_OUTPUT(workspace.pair_output)
    pose_a, pose_b = poses_of(many_body, kind, i, j)
    pose_b = image_of(pose_b, sx, sy, sz, floats(workspace.image_pose))
    sign = evaluate_pair(kind, pose_a, pose_b, warm_start, pair)
    px = pair.force_point[0]
    py = pair.force_point[1]
    pz = pair.force_point[2]
    nx = sign * pair.normal[0]
    ny = sign * pair.normal[1]
    nz = sign * pair.normal[2]
    return (
        max(-pair.gap, 0.0), nx, ny, nz, px - body.r[0], py - body.r[1], pz - body.r[2],
        px - other.r[0] - sx, py - other.r[1] - sy, pz - other.r[2] - sz,
    )  # fmt: skip
