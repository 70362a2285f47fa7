"""Two freeform surfaces: their common normal."""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.common_normal import (
    alternate_projections,
    common_normal,
    is_least_distance,
    transform_point,
)
from carom.geometry.lookup.window import release_pages, update_window
from carom.geometry.pairs.base import (
    NO_CONTACT,
    POSE,
    PairKernel,
    pair_kernel,
    rotate,
    store,
    store_midpoint,
    to_global,
    to_local,
)
from carom.geometry.pairs.sphere_surface import count_parts, initial_point_index
from carom.geometry.pairs.surface_plane import vector_to_local
from carom.geometry.shapes.surface import SURFACE_SHAPE, WORKSPACE, Surface
from carom.geometry.surface_projection import (
    DUPLICATE_DISTANCE,
    is_in_part,
    is_local_minimum,
    middle_of_patch,
    net_at,
    patch_of,
    patch_values,
)
from carom.geometry.surfaces.ellipsoid import Ellipsoid
from carom.kernels import FLOAT, address_of, floats, jit, offset, record

PARAMS = record(
    point_index=FLOAT,  # pair of parts, 0: all
    size_i=FLOAT,  # number of parameters of the first surface; those of the second follow
    n_parts_j=FLOAT,  # parts of the second surface
    i=SURFACE_SHAPE,
)
WARM_START = record(
    status=FLOAT,  # 1.0 if a common normal is known, −1.0 if the last search found none, 0.0 before the first search
    u=FLOAT,  # its parameters on the first surface
    v=FLOAT,
    p=FLOAT,  # and on the second one
    q=FLOAT,
    pose=POSE,  # pose of the first surface in the axes of the second at the last search
    free_distance=FLOAT,  # relative motion from there until the next search [m]
)
POSE_SIZE = POSE.size
SEARCH_DISTANCE, SEARCH_DISTANCE_WITHOUT = 1.0, 0.1
"""Relative motion over the distance of patches of the coarse net after which all of them are searched again at the
latest: with a known common normal, and without [-]."""
NORMAL_WEIGHT = 0.3
"""Weight of opposite normals in a search, relative to the size of the smaller surface [-]."""
MAX_INDENTATION = 0.25
"""Ratio of the indentation to the size of the smaller surface above which a nearer contact is preferred [-]."""
NO_DISTANCE = 1e300
"""Distance [m] before the first candidate of a search."""
FROM_PROJECTIONS, FROM_FACING_PATCHES, FROM_SECOND_SURFACE, FROM_LAST = range(4)
"""Start values of a search: patches of the first surface, moved closer by projections; patches with opposite normals;
patches of the second surface; the last common normal."""


@jit
def store_relative_pose(pose_a, pose_b, i, j, pose):
    """Store the pose of surface i in the axes of surface j."""
    zero = 0.0
    one = 1.0
    x, y, z = to_global(pose_a, i.x, i.y, i.z)
    x, y, z = to_local(pose_b, x, y, z)
    pose.x, pose.y, pose.z = to_local(j, x, y, z)
    pose.r11, pose.r21, pose.r31 = relative_axis(pose_a, pose_b, i, j, one, zero, zero)
    pose.r12, pose.r22, pose.r32 = relative_axis(pose_a, pose_b, i, j, zero, one, zero)
    pose.r13, pose.r23, pose.r33 = relative_axis(pose_a, pose_b, i, j, zero, zero, one)


@jit
def relative_axis(pose_a, pose_b, i, j, x, y, z):
    """Return a vector of the axes of surface i in those of surface j."""
    x, y, z = rotate(i, x, y, z)
    x, y, z = rotate(pose_a, x, y, z)
    x, y, z = vector_to_local(pose_b, x, y, z)
    return to_local(j, x + j.x, y + j.y, z + j.z)


@jit
def is_search_due(pose, warm_start, i):
    """Return True if the surfaces have moved so far since the last search that another one is due."""
    current = floats(address_of(pose))
    before = floats(address_of(warm_start.pose))
    shift = 0.0
    turn = 0.0
    for d in range(3):
        shift += (current[d] - before[d]) ** 2
    for d in range(3, POSE_SIZE):
        turn += (current[d] - before[d]) ** 2
    return not math.sqrt(shift) + i.size * math.sqrt(turn) < warm_start.free_distance


@jit
def score_patches(i, j, pose, values, partners, values_j, partners_j, facing):
    """Find the closest patch of j and its squared distance for all patches of i, and the reverse.

    With ``facing`` > 0 [m²], normals that are not opposite count as a distance.
    """
    net_i = net_at(i, i.coarse_net)
    net_j = net_at(j, j.coarse_net)
    n_patches_j = int(net_j.n_u) * int(net_j.n_v)
    for m in range(n_patches_j):
        values_j[m] = NO_DISTANCE
    for k in range(int(net_i.n_u) * int(net_i.n_v)):
        patch = patch_of(net_i, k)
        x, y, z = transform_point(pose, patch.point)
        nx, ny, nz = rotate(pose, patch.normal[0], patch.normal[1], patch.normal[2])
        best = NO_DISTANCE
        partner = 0
        for m in range(n_patches_j):
            other = patch_of(net_j, m)
            point = other.point
            normal = other.normal
            score = (x - point[0]) ** 2 + (y - point[1]) ** 2 + (z - point[2]) ** 2
            score += facing * (1.0 + nx * normal[0] + ny * normal[1] + nz * normal[2])
            if score < best:
                best = score
                partner = m
            if score < values_j[m]:
                values_j[m] = score
                partners_j[m] = k
        values[k] = best
        partners[k] = partner


@jit
def is_better(gap, best, deepest):
    """Return True if a contact of this gap precedes the best one so far: the deepest that is not too deep."""
    if best >= NO_CONTACT:
        return True
    if (gap < deepest) != (best < deepest):
        return best < deepest
    if gap < deepest:
        return gap > best
    return gap < best


@jit
def is_behind(shape, x, y, z):
    """Return whether a point in the axes of a surface is on the side of its solid, by the nearest patch."""
    net = net_at(shape, shape.coarse_net)
    least = NO_DISTANCE
    height = 0.0
    for k in range(int(net.n_u) * int(net.n_v)):
        patch = patch_of(net, k)
        dx = x - patch.point[0]
        dy = y - patch.point[1]
        dz = z - patch.point[2]
        square = dx * dx + dy * dy + dz * dz
        if square < least:
            least = square
            height = dx * patch.normal[0] + dy * patch.normal[1] + dz * patch.normal[2]
    return height < 0.0


@jit
def is_overlap(i, j, workspace):
    """Return whether each of the two points of a common normal is within the other solid."""
    first = workspace.first.point
    second = workspace.second.point
    x, y, z = to_local(workspace.pose, second[0], second[1], second[2])
    return is_behind(j, first[0], first[1], first[2]) and is_behind(i, x, y, z)


@jit
def patch_from_index(net, index):
    """Return row and column of a patch."""
    columns = int(net.n_v)
    row = index // columns
    return row, index - row * columns


@jit
def is_start(i, j, net_i, net_j, values, values_j, start, a, b):
    """Return True if a search starts from patch (a, b)."""
    borders = False
    if start == FROM_LAST:
        return True
    if start == FROM_SECOND_SURFACE:
        return is_local_minimum(j, net_j, values_j, a, b, borders)
    return is_local_minimum(i, net_i, values, a, b, borders)


@jit
def start_parameters(i, j, net_i, net_j, partners, partners_j, start, a, b, warm_start, workspace):
    """Return the start values of the parameters for patch (a, b)."""
    if start == FROM_LAST:
        return warm_start.u, warm_start.v, warm_start.p, warm_start.q
    if start == FROM_SECOND_SURFACE:
        p, q = middle_of_patch(j, net_j, a, b)
        row, column = patch_from_index(net_i, int(partners_j[a * int(net_j.n_v) + b]))
        u, v = middle_of_patch(i, net_i, row, column)
        return u, v, p, q
    u, v = middle_of_patch(i, net_i, a, b)
    row, column = patch_from_index(net_j, int(partners[a * int(net_i.n_v) + b]))
    p, q = middle_of_patch(j, net_j, row, column)
    if start == FROM_PROJECTIONS:
        return alternate_projections(i, j, u, v, p, q, workspace)
    return u, v, p, q


@jit
def store_search(warm_start, pose, u, v, p, q, status, free_distance):
    """Store the result of a search as warm start."""
    warm_start.status = status
    warm_start.free_distance = free_distance
    current = floats(address_of(pose))
    stored = floats(address_of(warm_start.pose))
    for d in range(POSE_SIZE):
        stored[d] = current[d]
    warm_start.u = u
    warm_start.v = v
    warm_start.p = p
    warm_start.q = q


@jit
def search(i, j, part_i, part_j, warm_start, workspace):
    """Search for all common normals from the patches; return the gap of the best one and store it as warm start."""
    net_i = net_at(i, i.coarse_net)
    net_j = net_at(j, j.coarse_net)
    values = patch_values(i)
    partners = offset(values, int(net_i.n_u) * int(net_i.n_v))
    values_j = patch_values(j)
    partners_j = offset(values_j, int(net_j.n_u) * int(net_j.n_v))
    spacing = min(net_i.spacing, net_j.spacing)
    pose = workspace.pose
    point = workspace.first.point
    length = min(i.size, j.size)
    same = DUPLICATE_DISTANCE * DUPLICATE_DISTANCE * length * length
    deepest = -MAX_INDENTATION * length
    best = 2.0 * NO_CONTACT
    margin = NO_CONTACT
    x = 0.0
    y = 0.0
    z = 0.0
    best_u = warm_start.u
    best_v = warm_start.v
    best_p = warm_start.p
    best_q = warm_start.q
    for start in range(4 if warm_start.status > 0.0 else 3):
        if start == FROM_FACING_PATCHES and best > 0.0 and best < NO_CONTACT:
            continue  # of separated surfaces no other contact is closer
        if start == FROM_SECOND_SURFACE and best < NO_CONTACT:
            continue  # only if the patches of i lead to no contact
        rows = 1
        columns = 1
        if start < FROM_SECOND_SURFACE:
            facing = 0.0 if start == FROM_PROJECTIONS else NORMAL_WEIGHT * NORMAL_WEIGHT * length * length
            score_patches(i, j, pose, values, partners, values_j, partners_j, facing)
            rows = int(net_i.n_u)
            columns = int(net_i.n_v)
        elif start == FROM_SECOND_SURFACE:
            rows = int(net_j.n_u)
            columns = int(net_j.n_v)
        for a in range(rows):
            for b in range(columns):
                if not is_start(i, j, net_i, net_j, values, values_j, start, a, b):
                    continue
                u, v, p, q = start_parameters(
                    i, j, net_i, net_j, partners, partners_j, start, a, b, warm_start, workspace
                )
                u, v, p, q, gap, is_contact = common_normal(i, j, u, v, p, q, workspace)
                if not (is_contact != 0.0 and is_in_part(i, part_i, u, v) and is_in_part(j, part_j, p, q)):
                    continue
                # Far sides of thin solids face each other, too; overlaps within a patch are not resolved.
                is_near = gap >= -spacing and (
                    is_least_distance(workspace.first, gap) or is_least_distance(workspace.second, gap)
                )
                if not (start == FROM_LAST or is_near or is_overlap(i, j, workspace)):
                    continue
                is_other = (point[0] - x) ** 2 + (point[1] - y) ** 2 + (point[2] - z) ** 2 > same
                if is_better(gap, best, deepest):
                    if is_other:
                        margin = best - gap
                    best = gap
                    best_u = u
                    best_v = v
                    best_p = p
                    best_q = q
                    x = point[0]
                    y = point[1]
                    z = point[2]
                elif is_other:
                    margin = min(margin, abs(gap - best))
    if best >= NO_CONTACT:
        status = -1.0
        store_search(warm_start, pose, best_u, best_v, best_p, best_q, status, SEARCH_DISTANCE_WITHOUT * spacing)
        return best
    # Two gaps change by the motion at most: up to half of their difference the best contact stays the best.
    status = 1.0
    free_distance = min(SEARCH_DISTANCE * spacing, 0.5 * abs(margin))
    store_search(warm_start, pose, best_u, best_v, best_p, best_q, status, free_distance)
    _, _, _, _, best, _ = common_normal(i, j, best_u, best_v, best_p, best_q, workspace)
    return best


@jit
def parts_of_point(point_index, n_parts_j):
    """Return the parts of both surfaces for a contact point; 0, 0 is all."""
    if point_index == 0:
        return 0, 0
    row = (point_index - 1) // n_parts_j
    return row + 1, point_index - row * n_parts_j


@jit
def update_windows(i, j, warm_start):
    """Move the windows of lookup tables to the known common normal."""
    if i.window != 0.0:
        update_window(int(i.window), warm_start.u, warm_start.v)
    if j.window != 0.0:
        update_window(int(j.window), warm_start.p, warm_start.q)


@jit
def find_contact(i, j, part_i, part_j, pose, warm_start, workspace):
    """Return the gap of the contact [m], NO_CONTACT if there is none; its points are in the workspace."""
    is_known = warm_start.status > 0.0
    if warm_start.status < 0.0 and not is_search_due(pose, warm_start, i):
        return NO_CONTACT
    if is_known:
        update_windows(i, j, warm_start)
        if not is_search_due(pose, warm_start, i):
            u, v, p, q, gap, is_contact = common_normal(
                i, j, warm_start.u, warm_start.v, warm_start.p, warm_start.q, workspace
            )
            if is_contact != 0.0 and is_in_part(i, part_i, u, v) and is_in_part(j, part_j, p, q):
                warm_start.u = u
                warm_start.v = v
                warm_start.p = p
                warm_start.q = q
                return gap
    gap = search(i, j, part_i, part_j, warm_start, workspace)
    if i.window != 0.0:  # the search has read all of the table
        release_pages(int(i.window))
    if j.window != 0.0:
        release_pages(int(j.window))
    if warm_start.status < 0.0:
        return NO_CONTACT
    if not is_known:
        update_windows(i, j, warm_start)
    return gap


@pair_kernel(PARAMS, WARM_START)
def surface_surface(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of two surfaces; the force acts midway between them."""
    i = params.i
    j = SURFACE_SHAPE(offset(floats(address_of(i)), int(params.size_i)))
    workspace = WORKSPACE(int(j.workspace))
    pose = workspace.pose
    store_relative_pose(pose_a, pose_b, i, j, pose)
    part_i, part_j = parts_of_point(int(params.point_index), int(params.n_parts_j))
    gap = find_contact(i, j, part_i, part_j, pose, warm_start, workspace)
    out.gap = gap
    if gap == NO_CONTACT:
        return
    # From the axes of surface j to global axes.
    first = workspace.first
    second = workspace.second
    nx, ny, nz = rotate(j, second.normal[0], second.normal[1], second.normal[2])
    nx, ny, nz = rotate(pose_b, nx, ny, nz)
    ax, ay, az = to_global(j, first.point[0], first.point[1], first.point[2])
    ax, ay, az = to_global(pose_b, ax, ay, az)
    bx, by, bz = to_global(j, second.point[0], second.point[1], second.point[2])
    bx, by, bz = to_global(pose_b, bx, by, bz)
    store(out.normal, nx, ny, nz)
    store(out.point_a, ax, ay, az)
    store(out.point_b, bx, by, bz)
    store_midpoint(out)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of two surfaces."""
    first = a.parameters
    return (initial_point_index(a, b), float(len(first)), float(max(len(b.parts), 1)), *first, *b.parameters)


SURFACE_SURFACE = PairKernel(
    surface_surface, PARAMS, parameters_of, (0.0,) * WARM_START.size, contact_points=count_parts
)  # fmt: skip


def ellipsoid_parameters(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of an ellipsoid, as a surface that lives as long as the shape, and a surface."""
    if "_surface" not in vars(a):
        vars(a)["_surface"] = Surface(a.body, Ellipsoid(*a.semi_axes), a.at, a.orientation)
    return parameters_of(vars(a)["_surface"], b)


ELLIPSOID_SURFACE = PairKernel(
    surface_surface, PARAMS, ellipsoid_parameters, (0.0,) * WARM_START.size, contact_points=count_parts
)  # fmt: skip
