"""Search for the common normals of two freeform surfaces from the patches of their coarse nets."""

from __future__ import annotations

from carom.geometry.common_normal import (
    alternate_projections,
    common_normal,
    is_least_distance,
    transform_point,
)
from carom.geometry.pairs.base import NO_CONTACT, rotate, to_local
from carom.geometry.pairs.surface_places import add_place, best_gap, place_at
from carom.geometry.surface_projection import (
    is_in_part,
    is_local_minimum,
    middle_of_patch,
    net_at,
    patch_of,
    patch_values,
)
from carom.kernels import jit, offset

NORMAL_WEIGHT = 0.3
"""Weight of opposite normals in a search, relative to the size of the smaller surface [-]."""
NO_DISTANCE = 1e300
"""Distance [m] before the first candidate of a search."""
FROM_PROJECTIONS, FROM_FACING_PATCHES, FROM_SECOND_SURFACE = range(3)
"""Start values of a search: patches of the first surface, moved closer by projections; patches with opposite normals;
patches of the second surface."""


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
    if start == FROM_SECOND_SURFACE:
        return is_local_minimum(j, net_j, values_j, a, b, borders)
    return is_local_minimum(i, net_i, values, a, b, borders)


@jit
def start_parameters(i, j, net_i, net_j, partners, partners_j, start, a, b, workspace):
    """Return the start values of the parameters for patch (a, b)."""
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
def try_start(i, j, part_i, part_j, u, v, p, q, is_known, places, workspace):
    """Add the common normal near these parameters to the places if it is a contact of both parts."""
    u, v, p, q, gap, is_contact = common_normal(i, j, u, v, p, q, workspace)
    if not (is_contact != 0.0 and is_in_part(i, part_i, u, v) and is_in_part(j, part_j, p, q)):
        return
    # Far sides of thin solids face each other, too; overlaps within a patch are not resolved.
    spacing = min(net_at(i, i.coarse_net).spacing, net_at(j, j.coarse_net).spacing)
    is_near = gap >= -spacing and (is_least_distance(workspace.first, gap) or is_least_distance(workspace.second, gap))
    if is_known or is_near or is_overlap(i, j, workspace):
        add_place(places, u, v, p, q, gap, workspace.first.point, min(i.size, j.size))


@jit
def search_places(i, j, part_i, part_j, known, places, workspace):
    """Search for all common normals from the patches, and from the ``known`` places; store them in ``places``."""
    net_i = net_at(i, i.coarse_net)
    net_j = net_at(j, j.coarse_net)
    values = patch_values(i)
    partners = offset(values, int(net_i.n_u) * int(net_i.n_v))
    values_j = patch_values(j)
    partners_j = offset(values_j, int(net_j.n_u) * int(net_j.n_v))
    length = min(i.size, j.size)
    places.count = 0.0
    for start in range(3):
        if start == FROM_FACING_PATCHES and 0.0 < best_gap(places, length) < NO_CONTACT:
            continue  # of separated surfaces no other contact is closer
        if start == FROM_SECOND_SURFACE and places.count > 0.0:
            continue  # only if the patches of i lead to no contact
        rows = int(net_i.n_u)
        columns = int(net_i.n_v)
        if start < FROM_SECOND_SURFACE:
            facing = 0.0 if start == FROM_PROJECTIONS else NORMAL_WEIGHT * NORMAL_WEIGHT * length * length
            score_patches(i, j, workspace.pose, values, partners, values_j, partners_j, facing)
        else:
            rows = int(net_j.n_u)
            columns = int(net_j.n_v)
        for a in range(rows):
            for b in range(columns):
                if is_start(i, j, net_i, net_j, values, values_j, start, a, b):
                    u, v, p, q = start_parameters(i, j, net_i, net_j, partners, partners_j, start, a, b, workspace)
                    try_start(i, j, part_i, part_j, u, v, p, q, False, places, workspace)
    for k in range(int(known.count)):
        place = place_at(known, k)
        try_start(i, j, part_i, part_j, place.u, place.v, place.p, place.q, True, places, workspace)
