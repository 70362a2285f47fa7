"""Contact geometry of a pair: indentation, normal and lever arms of the contact point."""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import BODY_PAIR_DATA
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.kernels import address_of, call_pair, floats, jit, offset
from carom.solve.many_body.records import BODY_POSE


@jit
def pose_of(many_body, body, is_centred_sphere):
    """Return the pose of a body; for a centred sphere only its position is valid, as kernels use nothing else."""
    if is_centred_sphere:
        return floats(address_of(BODY_PAIR_DATA(many_body.pair_data, body)))
    return floats(address_of(BODY_POSE(many_body.poses, body)))


@jit
def evaluate_pair(many_body, kind, body_a, body_b, warm_start, out):
    """Call the pair kernel of two shapes; return the sign of its normal for the given order of the bodies."""
    a = body_a
    b = body_b
    sign = 1.0
    if kind.is_swapped != 0:
        a = body_b
        b = body_a
        sign = -1.0
    pose_a = pose_of(many_body, a, kind.centred_spheres[0] != 0)
    pose_b = pose_of(many_body, b, kind.centred_spheres[1] != 0)
    call_pair(kind.pair_kernel, pose_a, pose_b, floats(kind.pair_params), warm_start, out)
    return sign


@jit
def sphere_contact(body, other):
    """Return the contact geometry of two centred spheres: indentation, normal, lever arms from both centres [m].

    The contact point lies midway between the two surfaces. The indentation is zero where the spheres are separated.
    """
    nx = body.r[0] - other.r[0]
    ny = body.r[1] - other.r[1]
    nz = body.r[2] - other.r[2]
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
def shape_contact(many_body, i, j, k, body, other, kind, workspace):
    """Return the contact geometry of two shapes with a pair kernel, in the form of `sphere_contact`."""
    warm_start = offset(floats(many_body.warm_start), k * many_body.warm_start_size)
    pair = PAIR_OUTPUT(workspace.pair_output)
    sign = evaluate_pair(many_body, kind, i, j, warm_start, pair)
    px = pair.force_point[0]
    py = pair.force_point[1]
    pz = pair.force_point[2]
    nx = sign * pair.normal[0]
    ny = sign * pair.normal[1]
    nz = sign * pair.normal[2]
    return (
        max(-pair.gap, 0.0), nx, ny, nz, px - body.r[0], py - body.r[1], pz - body.r[2],
        px - other.r[0], py - other.r[1], pz - other.r[2],
    )  # fmt: skip
