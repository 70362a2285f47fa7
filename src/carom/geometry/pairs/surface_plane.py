"""Freeform surface and plane: the point of the surface whose normal is opposite to that of the plane.

With E two unit vectors along the plane, Eᵀn = 0 there; a step of Newton's method is Eᵀn_u Δ = −Eᵀn. It is a contact
where the surface curves away from the plane.
"""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.common_normal import leaves_surface
from carom.geometry.lookup.window import update_window
from carom.geometry.pairs.base import NO_CONTACT, PairKernel, dot, pair_kernel, rotate, store, to_global, to_local
from carom.geometry.pairs.sphere_common import perpendicular_to
from carom.geometry.pairs.sphere_surface import SEARCH_DISTANCE, count_parts
from carom.geometry.shapes.plane import PLANE
from carom.geometry.shapes.surface import SURFACE_SHAPE, WORKSPACE
from carom.geometry.surface_projection import (
    CONVERGED_STEP,
    MAX_BISECTIONS,
    MAX_ITERATIONS,
    evaluate_surface,
    is_in_part,
    is_local_minimum,
    limit_step,
    middle_of_patch,
    net_at,
    patch_of,
    patch_values,
    step_length,
    wrap_parameters,
)
from carom.kernels import FLOAT, jit, record

PARAMS = record(
    point_index=FLOAT,  # part of the surface, 0: all
    plane=PLANE,
    surface=SURFACE_SHAPE,
)
WARM_START = record(
    is_known=FLOAT,  # 1.0 if a contact point is known
    u=FLOAT,  # its parameters
    v=FLOAT,
    nx=FLOAT,  # normal of the plane at the last search, in the axes of the surface
    ny=FLOAT,
    nz=FLOAT,
)


@jit
def alignment(out, nx, ny, nz):
    """Return the squared component of the surface's normal perpendicular to n, and the component along n."""
    cosine = out.normal[0] * nx + out.normal[1] * ny + out.normal[2] * nz
    return max(1.0 - cosine * cosine, 0.0), cosine


@jit
def newton_step(out, ex, ey, ez, fx, fy, fz):
    """Return Δu, Δv, the determinant of the matrix, and whether the surface is convex there; E = (e, f)."""
    n = out.normal
    n_u = out.normal_u
    n_v = out.normal_v
    s_u = out.point_u
    s_v = out.point_v
    r1 = ex * n[0] + ey * n[1] + ez * n[2]
    r2 = fx * n[0] + fy * n[1] + fz * n[2]
    a11 = ex * n_u[0] + ey * n_u[1] + ez * n_u[2]
    a21 = fx * n_u[0] + fy * n_u[1] + fz * n_u[2]
    a12 = ex * n_v[0] + ey * n_v[1] + ez * n_v[2]
    a22 = fx * n_v[0] + fy * n_v[1] + fz * n_v[2]
    s11 = ex * s_u[0] + ey * s_u[1] + ez * s_u[2]
    s21 = fx * s_u[0] + fy * s_u[1] + fz * s_u[2]
    s12 = ex * s_v[0] + ey * s_v[1] + ez * s_v[2]
    s22 = fx * s_v[0] + fy * s_v[1] + fz * s_v[2]
    det = a11 * a22 - a12 * a21
    metric = s11 * s22 - s12 * s21
    trace = a11 * s22 - a12 * s21 - a21 * s12 + a22 * s11
    is_convex = det * metric > 0.0 and trace * metric > 0.0
    return (a12 * r2 - a22 * r1) / det, (a21 * r1 - a11 * r2) / det, det, is_convex


@jit
def newton_refine(surface, nx, ny, nz, u, v, out):
    """Return the parameters of the point near (u, v) whose normal is −n, and whether it is a contact."""
    ex, ey, ez = perpendicular_to(nx, ny, nz)
    fx = ny * ez - nz * ey
    fy = nz * ex - nx * ez
    fz = nx * ey - ny * ex
    evaluate_surface(surface, u, v, out)
    for _ in range(MAX_ITERATIONS):
        du, dv, det, is_convex = newton_step(out, ex, ey, ez, fx, fy, fz)
        if det == 0.0:
            return u, v, False
        if leaves_surface(surface, u, v, du, dv):
            return u, v, False
        is_last = is_convex and step_length(out, du, dv) <= CONVERGED_STEP * surface.size
        du, dv = limit_step(du, dv, surface)
        before, _ = alignment(out, nx, ny, nz)
        fraction = 1.0
        moved = False
        new_u = u
        new_v = v
        for _ in range(MAX_BISECTIONS):
            new_u, new_v = wrap_parameters(surface, u + fraction * du, v + fraction * dv)
            evaluate_surface(surface, new_u, new_v, out)
            now, _ = alignment(out, nx, ny, nz)
            if is_last or now < before:
                moved = True
                break
            fraction *= 0.5
        if not moved:
            evaluate_surface(surface, u, v, out)
            residual, cosine = alignment(out, nx, ny, nz)
            return u, v, is_convex and cosine < 0.0 and math.sqrt(residual) <= 1e-8
        u = new_u
        v = new_v
        if is_last:
            _, cosine = alignment(out, nx, ny, nz)
            return u, v, cosine < 0.0
    return u, v, False


@jit
def search(surface, part, nx, ny, nz, warm_start, out):
    """Search for the lowest contact point, from all patches that are lower than their neighbours."""
    net = net_at(surface, surface.fine_net)
    values = patch_values(surface)
    rows = int(net.n_u)
    columns = int(net.n_v)
    for k in range(rows * columns):
        point = patch_of(net, k).point
        values[k] = point[0] * nx + point[1] * ny + point[2] * nz
    lowest = NO_CONTACT
    borders = False
    warm_start.is_known = 0.0
    for a in range(rows):
        for b in range(columns):
            if not is_local_minimum(surface, net, values, a, b, borders):
                continue
            u, v = middle_of_patch(surface, net, a, b)
            u, v, is_contact = newton_refine(surface, nx, ny, nz, u, v, out)
            height = out.point[0] * nx + out.point[1] * ny + out.point[2] * nz
            if is_contact and is_in_part(surface, part, u, v) and height < lowest:
                lowest = height
                warm_start.is_known = 1.0
                warm_start.u = u
                warm_start.v = v
    warm_start.nx = nx
    warm_start.ny = ny
    warm_start.nz = nz
    if warm_start.is_known != 0.0:
        evaluate_surface(surface, warm_start.u, warm_start.v, out)


@jit
def vector_to_local(pose, x, y, z):
    """Return a vector of global axes in the axes of a pose, as the difference of two points."""
    return to_local(pose, pose.x + x, pose.y + y, pose.z + z)


@pair_kernel(PARAMS, WARM_START)
def surface_plane(pose_a, pose_b, params, warm_start, out):
    """Compute the contact of a surface (a) with a plane (b); the force acts on the plane."""
    surface = params.surface
    plane = params.plane
    px, py, pz = to_global(pose_b, plane.px, plane.py, plane.pz)
    nx, ny, nz = rotate(pose_b, plane.nx, plane.ny, plane.nz)
    mx, my, mz = vector_to_local(pose_a, nx, ny, nz)
    mx, my, mz = to_local(surface, mx + surface.x, my + surface.y, mz + surface.z)
    contact = WORKSPACE(int(surface.workspace)).first
    part = int(params.point_index)
    is_known = warm_start.is_known != 0.0
    if is_known and surface.window != 0.0:
        update_window(int(surface.window), warm_start.u, warm_start.v)
    turn = (mx - warm_start.nx) ** 2 + (my - warm_start.ny) ** 2 + (mz - warm_start.nz) ** 2
    free_turn = SEARCH_DISTANCE * net_at(surface, surface.fine_net).spacing / surface.size
    is_contact = False
    if is_known and turn < free_turn * free_turn:
        u, v, is_contact = newton_refine(surface, mx, my, mz, warm_start.u, warm_start.v, contact)
        is_contact = is_contact and is_in_part(surface, part, u, v)
        warm_start.u = u
        warm_start.v = v
    if not is_contact:
        search(surface, part, mx, my, mz, warm_start, contact)
        if warm_start.is_known == 0.0:
            out.gap = NO_CONTACT
            return
    x, y, z = to_global(surface, contact.point[0], contact.point[1], contact.point[2])
    x, y, z = to_global(pose_a, x, y, z)
    gap = dot(x - px, y - py, z - pz, nx, ny, nz)
    out.gap = gap
    store(out.normal, nx, ny, nz)
    store(out.point_a, x, y, z)
    store(out.point_b, x - gap * nx, y - gap * ny, z - gap * nz)
    store(out.force_point, x - gap * nx, y - gap * ny, z - gap * nz)


def parameters_of(a: Any, b: Any) -> tuple[float, ...]:
    """Return the parameters of a surface and a plane."""
    return (0.0, *b.parameters, *a.parameters)


SURFACE_PLANE = PairKernel(
    surface_plane, PARAMS, parameters_of, (0.0,) * WARM_START.size, contact_points=count_parts
)  # fmt: skip
