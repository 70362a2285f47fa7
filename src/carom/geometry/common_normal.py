"""The common normal of two parametric surfaces, by Newton's method (L 3.1, with other equations).

With d = r_i − r_j, both in the axes of surface j, and two unit vectors E across n_j: Eᵀn_i = 0 and Eᵀd = 0. L's
equations d ∥ n_i, d ∥ n_j hold for d = 0 everywhere on the curve in which the surfaces meet; these do not. The gap is
g = dᵀn_j. Such a pair of points is a contact when the normals look at each other and the surfaces draw apart around
it: A_i + A_j + g A_i A_j is positive, A the curvatures of both.
"""

from __future__ import annotations

import math

from carom.geometry.foot import HALVINGS, ITERATIONS, LAST, brought_in, foot, held, limited, look_at, way
from carom.geometry.pairs.ball import across
from carom.geometry.surface import SIZE, U_HIGH, U_HIGH_END, U_LOW, U_LOW_END, V_HIGH, V_HIGH_END, V_LOW, V_LOW_END
from carom.geometry.surfaces.base import NORMAL, NORMAL_U, POINT_U, SURFACE_OUT
from carom.kernels import jit, offset

# Room: what the two kernels give, the first one turned into the axes of the second; then the pose of the first surface
# in the axes of the second, as bodies have one.
SEEN_I, SEEN_J, RELATIVE = 0, SURFACE_OUT, 2 * SURFACE_OUT
ALTERNATIONS = 8


@jit
def look_both(i, j, u, v, p, q, room):
    """Both surfaces at (u, v) and (p, q), the first one in the axes of the second."""
    one = offset(room, SEEN_I)
    pose = offset(room, RELATIVE)
    look_at(i, u, v, one)
    look_at(j, p, q, offset(room, SEEN_J))
    for k in range(0, SURFACE_OUT, 3):
        x = one[k]
        y = one[k + 1]
        z = one[k + 2]
        for d in range(3):
            one[k + d] = pose[3 + 3 * d] * x + pose[4 + 3 * d] * y + pose[5 + 3 * d] * z
    for d in range(3):
        one[d] += pose[d]


@jit
def misfit(room, length):
    """(length · |n_i across n_j|)² + |d across n_j|², the gap, and n_iᵀn_j."""
    i = offset(room, SEEN_I)
    j = offset(room, SEEN_J)
    nx = j[NORMAL]
    ny = j[NORMAL + 1]
    nz = j[NORMAL + 2]
    dx = i[0] - j[0]
    dy = i[1] - j[1]
    dz = i[2] - j[2]
    gap = dx * nx + dy * ny + dz * nz
    facing = i[NORMAL] * nx + i[NORMAL + 1] * ny + i[NORMAL + 2] * nz
    dx -= gap * nx
    dy -= gap * ny
    dz -= gap * nz
    ax = i[NORMAL] - facing * nx
    ay = i[NORMAL + 1] - facing * ny
    az = i[NORMAL + 2] - facing * nz
    turned = ax * ax + ay * ay + az * az
    return length * length * turned + dx * dx + dy * dy + dz * dz, gap, facing


@jit
def parts_across(out, k, ex, ey, ez, fx, fy, fz):
    """Parts along E of the derivatives by u and v that begin at k and k + 3."""
    return (
        ex * out[k] + ey * out[k + 1] + ez * out[k + 2], ex * out[k + 3] + ey * out[k + 4] + ez * out[k + 5],
        fx * out[k] + fy * out[k + 1] + fz * out[k + 2], fx * out[k + 3] + fy * out[k + 4] + fz * out[k + 5],
    )  # fmt: skip


@jit
def common_step(room, gap, facing):
    """Steps of u, v and p, q, and how surely the surfaces draw apart: least of the determinants and the trace of
    I + g A_j and A_i + A_j + g A_i A_j, made free of units by g or by A."""
    i = offset(room, SEEN_I)
    j = offset(room, SEEN_J)
    nx = j[NORMAL]
    ny = j[NORMAL + 1]
    nz = j[NORMAL + 2]
    ex, ey, ez = across(nx, ny, nz)
    fx = ny * ez - nz * ey
    fy = nz * ex - nx * ez
    fz = nx * ey - ny * ex
    dx = i[0] - j[0]
    dy = i[1] - j[1]
    dz = i[2] - j[2]
    r1 = ex * i[NORMAL] + ey * i[NORMAL + 1] + ez * i[NORMAL + 2]
    r2 = fx * i[NORMAL] + fy * i[NORMAL + 1] + fz * i[NORMAL + 2]
    d1 = ex * dx + ey * dy + ez * dz
    d2 = fx * dx + fy * dy + fz * dz
    t11, t12, t21, t22 = parts_across(i, POINT_U, ex, ey, ez, fx, fy, fz)
    p11, p12, p21, p22 = parts_across(i, NORMAL_U, ex, ey, ez, fx, fy, fz)
    s11, s12, s21, s22 = parts_across(j, POINT_U, ex, ey, ez, fx, fy, fz)
    q11, q12, q21, q22 = parts_across(j, NORMAL_U, ex, ey, ez, fx, fy, fz)
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
    m11 = a11 * u11 + a12 * u21 - facing * q11
    m12 = a11 * u12 + a12 * u22 - facing * q12
    m21 = a21 * u11 + a22 * u21 - facing * q21
    m22 = a21 * u12 + a22 * u22 - facing * q22
    b1 = a11 * d1 + a12 * d2 - r1
    b2 = a21 * d1 + a22 * d2 - r2
    det = m11 * m22 - m12 * m21
    # D = M S⁻¹: both of its eigenvalues positive.
    trace = (m11 * s22 - m12 * s21 - m21 * s12 + m22 * s11) / det_s
    apart = det / det_s
    if trace < 0.0:
        apart = -abs(apart)
    # What is flat, or nearly, is held back by a little of the tangents.
    big = abs(m11) + abs(m12) + abs(m21) + abs(m22)
    if abs(det) <= 1e-14 * big * big:
        return 0.0, 0.0, 0.0, 0.0, apart
    dp = (m22 * b1 - m12 * b2) / det
    dq = (m11 * b2 - m21 * b1) / det
    c1 = u11 * dp + u12 * dq - d1
    c2 = u21 * dp + u22 * dq - d2
    return (t22 * c1 - t12 * c2) / det_t, (t11 * c2 - t21 * c1) / det_t, dp, dq, apart


@jit
def at_border(shape, u, v, du, dv):
    return held(u, du, shape[U_LOW], shape[U_HIGH], shape[U_LOW_END], shape[U_HIGH_END]) or held(
        v, dv, shape[V_LOW], shape[V_HIGH], shape[V_LOW_END], shape[V_HIGH_END]
    )


@jit
def common_normal(i, j, u, v, p, q, room):
    """The common normal near (u, v) and (p, q): parameters, the gap, and 1.0 when it is one of a contact, 0.0 when
    it is another one or none was found."""
    length = min(i[SIZE], j[SIZE])
    look_both(i, j, u, v, p, q, room)
    rest, gap, facing = misfit(room, length)
    apart = -1.0
    for _ in range(ITERATIONS):
        du, dv, dp, dq, apart = common_step(room, gap, facing)
        if at_border(i, u, v, du, dv) or at_border(j, p, q, dp, dq):
            return u, v, p, q, gap, 0.0
        last = way(offset(room, SEEN_I), du, dv) + way(offset(room, SEEN_J), dp, dq) <= LAST * length
        du, dv = limited(du, dv, i)
        dp, dq = limited(dp, dq, j)
        share = 1.0
        moved = False
        new_u = u
        new_v = v
        new_p = p
        new_q = q
        for _ in range(HALVINGS):
            new_u, new_v = brought_in(i, u + share * du, v + share * dv)
            new_p, new_q = brought_in(j, p + share * dp, q + share * dq)
            look_both(i, j, new_u, new_v, new_p, new_q, room)
            new_rest, new_gap, new_facing = misfit(room, length)
            if last or new_rest < rest:
                moved = True
                break
            share *= 0.5
        if not moved:
            look_both(i, j, u, v, p, q, room)
            break
        u = new_u
        v = new_v
        p = new_p
        q = new_q
        rest = new_rest
        gap = new_gap
        facing = new_facing
        if last:
            break
    near = math.sqrt(rest) <= 1e-8 * length
    return u, v, p, q, gap, 1.0 if near and facing < 0.0 and apart > 0.0 else 0.0


@jit
def drawn_near(i, j, u, v, p, q, room):
    """Feet of perpendiculars from one surface to the other and back: two points that come nearer to each other."""
    pose = offset(room, RELATIVE)
    one = offset(room, SEEN_I)
    other = offset(room, SEEN_J)
    for _ in range(ALTERNATIONS):
        look_at(i, u, v, one)
        x = pose[0] + pose[3] * one[0] + pose[4] * one[1] + pose[5] * one[2]
        y = pose[1] + pose[6] * one[0] + pose[7] * one[1] + pose[8] * one[2]
        z = pose[2] + pose[9] * one[0] + pose[10] * one[1] + pose[11] * one[2]
        p, q, _ = foot(j, x, y, z, p, q, other)
        x = other[0] - pose[0]
        y = other[1] - pose[1]
        z = other[2] - pose[2]
        u, v, _ = foot(
            i, pose[3] * x + pose[6] * y + pose[9] * z, pose[4] * x + pose[7] * y + pose[10] * z,
            pose[5] * x + pose[8] * y + pose[11] * z, u, v, one,
        )  # fmt: skip
    return u, v, p, q
