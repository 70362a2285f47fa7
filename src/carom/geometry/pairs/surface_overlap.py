"""Deep overlaps of a solid and a freeform surface, where no face of the solid has the normal of the surface."""

from __future__ import annotations

from carom.geometry.mesh.signed_distance import signed_distance
from carom.geometry.pairs.base import rotate, to_local
from carom.geometry.pairs.placed_spots import add_place
from carom.geometry.pairs.spot_selection import VERTEX
from carom.geometry.pairs.surface_heights import listed_patches, project_point
from carom.geometry.surface_projection import net_at, patch_of, patch_values
from carom.geometry.vectors import along, dot, load
from carom.kernels import jit


@jit
def is_near_side(surface, search, q, n, gap):
    """Return whether a thin solid with this gap below a point q of the surface with the normal n leaves there.

    It is False where the surface has another side, such as the opposite one of an ellipsoid, closer to the solid.
    """
    if gap >= 0.0:
        return True
    is_above, height, m, _, _ = project_point(surface, int(search.n_listed), along(q, gap, n))
    return is_above and height <= 0.0 and dot(m, n) > 0.0


@jit
def deepest_patch(surface, search):
    """Return the listed patch whose middle is deepest in a solid if no place found so far is as deep, else −1."""
    net = net_at(surface, surface.fine_net)
    values = patch_values(surface)
    listed = listed_patches(surface)
    best = int(listed[0])
    for i in range(int(search.n_listed)):
        if values[int(listed[i])] < values[best]:
            best = int(listed[i])
    least = search.least - patch_of(net, best).radius if search.least <= 0.0 else 0.0
    return best if values[best] < least else -1


@jit
def middle_of_patches(surface, search):
    """Return the mean of the middles of the listed patches [m]."""
    net = net_at(surface, surface.fine_net)
    listed = listed_patches(surface)
    count = int(search.n_listed)
    c = (0.0, 0.0, 0.0)
    for i in range(count):
        c = along(c, 1.0 / count, load(patch_of(net, int(listed[i])).point))
    return c


@jit
def add_inner_point(surface, search, p):
    """Add the place below a point of a thin solid that is under the surface."""
    is_above, height, n, _, _ = project_point(surface, int(search.n_listed), p)
    if is_above and height < 0.0:
        add_place(search, VERTEX, 0.0, height, n, along(p, -0.5 * height, n))


@jit
def add_deepest(mesh, surface, search):
    """Add a place in a deep overlap, where no face of a mesh has the normal of the surface."""
    relative = search.relative
    if mesh.is_solid == 0.0:
        if search.least > 0.0:
            c = middle_of_patches(surface, search)
            x, y, z = to_local(relative, c[0], c[1], c[2])
            height, nx, ny, nz = signed_distance(mesh, x, y, z)
            add_inner_point(surface, search, along(c, -height, rotate(relative, nx, ny, nz)))
        return
    k = deepest_patch(surface, search)
    if k >= 0:
        q = load(patch_of(net_at(surface, surface.fine_net), k).point)
        x, y, z = to_local(relative, q[0], q[1], q[2])
        height, nx, ny, nz = signed_distance(mesh, x, y, z)
        n = rotate(relative, -nx, -ny, -nz)
        add_place(search, VERTEX, 0.0, height, n, along(q, 0.5 * height, n))
