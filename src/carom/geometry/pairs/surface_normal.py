"""Point of a freeform surface whose normal is opposite to a given one.

With E two unit vectors across the given normal, Eᵀn = 0 there; a step of Newton's method is Eᵀn_u Δ = −Eᵀn. It is a
contact with a plane of that normal where the surface curves away from the plane.
"""

from __future__ import annotations

import math

from carom.geometry.common_normal import leaves_surface
from carom.geometry.pairs.sphere_common import perpendicular_to
from carom.geometry.surface_projection import (
    CONVERGED_STEP,
    MAX_BISECTIONS,
    MAX_ITERATIONS,
    evaluate_surface,
    limit_step,
    step_length,
    wrap_parameters,
)
from carom.kernels import jit


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
            new_alignment, _ = alignment(out, nx, ny, nz)
            if is_last or new_alignment < before:
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
