"""Common normal of two parametric surfaces by Newton's method (L 3.1, with other equations).

With d = r_i − r_j, both in the axes of surface j, and two unit vectors E perpendicular to n_j: Eᵀn_i = 0 and Eᵀd = 0.
L's equations d ∥ n_i, d ∥ n_j are satisfied by d = 0 everywhere on the curve in which the surfaces intersect; these are
not. The gap is g = dᵀn_j. Such a pair of points is a contact if the normals are opposite and the surfaces diverge
around it: A_i + A_j + g A_i A_j is positive, A the curvatures of both. The distance from surface j, seen from the
other one, then has a minimum there as far as I + g A_j is positive, too, and the reverse with I + g A_i. For the far
sides of two bodies that overlap neither holds.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import rotate, store, to_global, to_local
from carom.geometry.pairs.sphere_common import perpendicular_to
from carom.geometry.surface_projection import (
    CONVERGED_STEP,
    MAX_BISECTIONS,
    MAX_ITERATIONS,
    evaluate_surface,
    leaves_u,
    leaves_v,
    limit_step,
    project,
    step_length,
    wrap_parameters,
)
from carom.kernels import jit

MAX_ALTERNATIONS = 8
"""Largest number of alternating projections between the two surfaces."""


@jit
def rotate_field(pose, vector):
    """Rotate a vector field of an output record in place."""
    x, y, z = rotate(pose, vector[0], vector[1], vector[2])
    store(vector, x, y, z)


@jit
def evaluate_both(i, j, u, v, p, q, workspace):
    """Evaluate both surfaces at (u, v) and (p, q), the first one in the axes of the second."""
    out = workspace.first
    pose = workspace.pose
    evaluate_surface(i, u, v, out)
    evaluate_surface(j, p, q, workspace.second)
    x, y, z = to_global(pose, out.point[0], out.point[1], out.point[2])
    store(out.point, x, y, z)
    rotate_field(pose, out.normal)
    rotate_field(pose, out.point_u)
    rotate_field(pose, out.point_v)
    rotate_field(pose, out.normal_u)
    rotate_field(pose, out.normal_v)


@jit
def squared_residual(workspace, length):
    """Return (length · |n_i perpendicular to n_j|)² + |d perpendicular to n_j|² [m²], the gap [m], and n_iᵀn_j."""
    i = workspace.first
    j = workspace.second
    nx = j.normal[0]
    ny = j.normal[1]
    nz = j.normal[2]
    dx = i.point[0] - j.point[0]
    dy = i.point[1] - j.point[1]
    dz = i.point[2] - j.point[2]
    gap = dx * nx + dy * ny + dz * nz
    cosine = i.normal[0] * nx + i.normal[1] * ny + i.normal[2] * nz
    dx -= gap * nx
    dy -= gap * ny
    dz -= gap * nz
    ax = i.normal[0] - cosine * nx
    ay = i.normal[1] - cosine * ny
    az = i.normal[2] - cosine * nz
    sine2 = ax * ax + ay * ay + az * az
    return length * length * sine2 + dx * dx + dy * dy + dz * dz, gap, cosine


@jit
def components(d_u, d_v, ex, ey, ez, fx, fy, fz):
    """Return the components along E = (e, f) of the derivatives with respect to u and v, row by row."""
    return (
        ex * d_u[0] + ey * d_u[1] + ez * d_u[2], ex * d_v[0] + ey * d_v[1] + ez * d_v[2],
        fx * d_u[0] + fy * d_u[1] + fz * d_u[2], fx * d_v[0] + fy * d_v[1] + fz * d_v[2],
    )  # fmt: skip


@jit
def common_step(workspace, gap, cosine):
    """Return the steps of u, v and p, q, and a measure of divergence, positive if the surfaces diverge.

    The measure is the least of the determinants and the trace of I + g A_j and A_i + A_j + g A_i A_j, made
    dimensionless by g or by A.
    """
    i = workspace.first
    j = workspace.second
    nx = j.normal[0]
    ny = j.normal[1]
    nz = j.normal[2]
    ex, ey, ez = perpendicular_to(nx, ny, nz)
    fx = ny * ez - nz * ey
    fy = nz * ex - nx * ez
    fz = nx * ey - ny * ex
    dx = i.point[0] - j.point[0]
    dy = i.point[1] - j.point[1]
    dz = i.point[2] - j.point[2]
    r1 = ex * i.normal[0] + ey * i.normal[1] + ez * i.normal[2]
    r2 = fx * i.normal[0] + fy * i.normal[1] + fz * i.normal[2]
    d1 = ex * dx + ey * dy + ez * dz
    d2 = fx * dx + fy * dy + fz * dz
    t11, t12, t21, t22 = components(i.point_u, i.point_v, ex, ey, ez, fx, fy, fz)
    p11, p12, p21, p22 = components(i.normal_u, i.normal_v, ex, ey, ez, fx, fy, fz)
    s11, s12, s21, s22 = components(j.point_u, j.point_v, ex, ey, ez, fx, fy, fz)
    q11, q12, q21, q22 = components(j.normal_u, j.normal_v, ex, ey, ez, fx, fy, fz)
    # P x_i − (n_iᵀn_j) Q x_j = −r and T x_i − (S + g Q) x_j = −d, in which A_i = P T⁻¹, A_j = Q S⁻¹.
    det_t = t11 * t22 - t12 * t21
    det_s = s11 * s22 - s12 * s21
    if det_t == 0.0 or det_s == 0.0:
        return 0.0, 0.0, 0.0, 0.0, -1.0
    a11 = (p11 * t22 - p12 * t21) / det_t
    a12 = (p12 * t11 - p11 * t12) / det_t
    a21 = (p21 * t22 - p22 * t21) / det_t
    a22 = (p22 * t11 - p21 * t12) / det_t
    u11 = s11 + gap * q11
    u12 = s12 + gap * q12
    u21 = s21 + gap * q21
    u22 = s22 + gap * q22
    m11 = a11 * u11 + a12 * u21 - cosine * q11
    m12 = a11 * u12 + a12 * u22 - cosine * q12
    m21 = a21 * u11 + a22 * u21 - cosine * q21
    m22 = a21 * u12 + a22 * u22 - cosine * q22
    b1 = a11 * d1 + a12 * d2 - r1
    b2 = a21 * d1 + a22 * d2 - r2
    det = m11 * m22 - m12 * m21
    # Both eigenvalues of D = M S⁻¹ must be positive.
    trace = (m11 * s22 - m12 * s21 - m21 * s12 + m22 * s11) / det_s
    divergence = det / det_s
    if trace < 0.0:
        divergence = -abs(divergence)
    # Without a unique solution there is no step.
    scale = abs(m11) + abs(m12) + abs(m21) + abs(m22)
    if abs(det) <= 1e-14 * scale * scale:
        return 0.0, 0.0, 0.0, 0.0, divergence
    dp = (m22 * b1 - m12 * b2) / det
    dq = (m11 * b2 - m21 * b1) / det
    c1 = u11 * dp + u12 * dq - d1
    c2 = u21 * dp + u22 * dq - d2
    return (t22 * c1 - t12 * c2) / det_t, (t11 * c2 - t21 * c1) / det_t, dp, dq, divergence


@jit
def is_least_distance(out, gap):
    """Return whether the distance from a surface has its minimum at the foot of a point above it: I + g A > 0."""
    n = out.normal
    ex, ey, ez = perpendicular_to(n[0], n[1], n[2])
    fx = n[1] * ez - n[2] * ey
    fy = n[2] * ex - n[0] * ez
    fz = n[0] * ey - n[1] * ex
    s11, s12, s21, s22 = components(out.point_u, out.point_v, ex, ey, ez, fx, fy, fz)
    q11, q12, q21, q22 = components(out.normal_u, out.normal_v, ex, ey, ez, fx, fy, fz)
    u11 = s11 + gap * q11
    u12 = s12 + gap * q12
    u21 = s21 + gap * q21
    u22 = s22 + gap * q22
    det_s = s11 * s22 - s12 * s21
    det = (u11 * u22 - u12 * u21) * det_s
    trace = (u11 * s22 - u12 * s21 - u21 * s12 + u22 * s11) * det_s
    return det > 0.0 and trace > 0.0


@jit
def leaves_surface(shape, u, v, du, dv):
    """Return True if a step leaves the surface at an open border."""
    return leaves_u(shape, u, du) or leaves_v(shape, v, dv)


@jit
def common_normal(i, j, u, v, p, q, workspace):
    """Return the parameters and the gap [m] of the common normal near (u, v) and (p, q), and whether it is a contact.

    The flag is 1.0 for a contact, 0.0 for another common normal or none.
    """
    length = min(i.size, j.size)
    evaluate_both(i, j, u, v, p, q, workspace)
    residual, gap, cosine = squared_residual(workspace, length)
    divergence = -1.0
    for _ in range(MAX_ITERATIONS):
        du, dv, dp, dq, divergence = common_step(workspace, gap, cosine)
        if leaves_surface(i, u, v, du, dv) or leaves_surface(j, p, q, dp, dq):
            return u, v, p, q, gap, 0.0
        step = step_length(workspace.first, du, dv) + step_length(workspace.second, dp, dq)
        is_last = step <= CONVERGED_STEP * length
        du, dv = limit_step(du, dv, i)
        dp, dq = limit_step(dp, dq, j)
        fraction = 1.0
        moved = False
        new_u = u
        new_v = v
        new_p = p
        new_q = q
        for _ in range(MAX_BISECTIONS):
            new_u, new_v = wrap_parameters(i, u + fraction * du, v + fraction * dv)
            new_p, new_q = wrap_parameters(j, p + fraction * dp, q + fraction * dq)
            evaluate_both(i, j, new_u, new_v, new_p, new_q, workspace)
            new_residual, new_gap, new_cosine = squared_residual(workspace, length)
            if is_last or new_residual < residual:
                moved = True
                break
            fraction *= 0.5
        if not moved:
            evaluate_both(i, j, u, v, p, q, workspace)
            break
        u = new_u
        v = new_v
        p = new_p
        q = new_q
        residual = new_residual
        gap = new_gap
        cosine = new_cosine
        if is_last:
            break
    is_solution = math.sqrt(residual) <= 1e-8 * length
    return u, v, p, q, gap, 1.0 if is_solution and cosine < 0.0 and divergence > 0.0 else 0.0


@jit
def transform_point(pose, point):
    """Return a point of the first surface in the axes of the second [m], for searches."""
    x = point[0]
    y = point[1]
    z = point[2]
    return (
        pose.x + pose.r11 * x + pose.r12 * y + pose.r13 * z,
        pose.y + pose.r21 * x + pose.r22 * y + pose.r23 * z,
        pose.z + pose.r31 * x + pose.r32 * y + pose.r33 * z,
    )


@jit
def alternate_projections(i, j, u, v, p, q, workspace):
    """Return the parameters after projecting from one surface to the other and back several times."""
    pose = workspace.pose
    first = workspace.first
    second = workspace.second
    for _ in range(MAX_ALTERNATIONS):
        evaluate_surface(i, u, v, first)
        x, y, z = transform_point(pose, first.point)
        p, q, _ = project(j, x, y, z, p, q, second)
        x, y, z = to_local(pose, second.point[0], second.point[1], second.point[2])
        u, v, _ = project(i, x, y, z, u, v, first)
    return u, v, p, q
