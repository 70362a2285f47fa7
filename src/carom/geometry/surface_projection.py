"""Closest-point projection onto a parametric surface by Newton's method.

With d from the surface to the point, n the normal and h = dᵀn, the projection has no component of d perpendicular to n:
Eᵀd = 0 for two unit vectors E perpendicular to n. A step is (Eᵀs_u + h Eᵀn_u) Δ = Eᵀd, which needs no unit tangents: it
works beside poles, and with normals that are interpolated independently (L's tables). Where that matrix is not the one
of a minimum (I + h A, A the curvatures, not positive) the step is one of Gauss and Newton.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.sphere_common import perpendicular_to
from carom.geometry.shapes.surface import NET, PART, PATCH, WORKSPACE
from carom.kernels import address_of, call_surface, floats, jit, offset

MAX_ITERATIONS, MAX_BISECTIONS = 40, 12
"""Largest number of steps of Newton's method, and of halvings of one step."""
CONVERGED_STEP = 1e-7
"""Ratio of a step to the size of the surface below which Newton's method has converged [-]."""
PERIODIC_END, POLE_END = 1.0, 2.0
MAX_STEP = 0.25
"""Ratio of the longest step to the range of a parameter [-]."""
DUPLICATE_DISTANCE = 1e-6
"""Ratio to the size of the surface below which two projections are one [-]."""
ZERO_DETERMINANT = 1e-9
"""Determinant of I + h A below which the matrix is singular [-]."""
NOT_FOUND, ON_BORDER, ON_FACE = -1.0, 0.0, 1.0
"""Results of a projection."""
NO_BORDER, ALONG_U, ALONG_V = -1, 0, 1
"""Direction of the border along which a step goes."""
NET_SIZE, WORKSPACE_SIZE = NET.size, WORKSPACE.size


@jit
def evaluate_surface(shape, u, v, out):
    """Evaluate point, normal and their derivatives at (u, v)."""
    call_surface(int(shape.kernel), offset(floats(address_of(shape)), int(shape.params)), u, v, out)


@jit
def net_at(shape, start):
    """Return the net that begins at number ``start`` of a surface."""
    return NET(offset(floats(address_of(shape)), int(start)))


@jit
def patch_of(net, k):
    """Return patch ``k`` of a net."""
    return PATCH(offset(floats(address_of(net)), NET_SIZE), k)


@jit
def patch_values(shape):
    """Return the part of the workspace with two numbers per patch."""
    return offset(floats(int(shape.workspace)), WORKSPACE_SIZE)


@jit
def wrap(value, low, high, low_end, high_end):
    """Return a parameter within its range, and whether it passed a pole."""
    if low_end == PERIODIC_END:
        period = high - low
        return value - math.floor((value - low) / period) * period, False
    if value < low:
        if low_end == POLE_END:
            return min(2.0 * low - value, high), True
        return low, False
    if value > high:
        if high_end == POLE_END:
            return max(2.0 * high - value, low), True
        return high, False
    return value, False


@jit
def wrap_parameters(shape, u, v):
    """Return (u, v) within their ranges; beyond a pole the other parameter is shifted by half a period."""
    u, passed = wrap(u, shape.u_low, shape.u_high, shape.u_low_end, shape.u_high_end)
    if passed:
        v += 0.5 * (shape.v_high - shape.v_low)
    v, passed = wrap(v, shape.v_low, shape.v_high, shape.v_low_end, shape.v_high_end)
    if passed:
        u += 0.5 * (shape.u_high - shape.u_low)
        u, passed = wrap(u, shape.u_low, shape.u_high, shape.u_low_end, shape.u_high_end)
    return u, v


@jit
def leaves_u(shape, u, du):
    """Return True if a step leaves the surface at an open end of u."""
    return (u <= shape.u_low and du < 0.0 and shape.u_low_end == 0.0) or (
        u >= shape.u_high and du > 0.0 and shape.u_high_end == 0.0
    )


@jit
def leaves_v(shape, v, dv):
    """Return True if a step leaves the surface at an open end of v."""
    return (v <= shape.v_low and dv < 0.0 and shape.v_low_end == 0.0) or (
        v >= shape.v_high and dv > 0.0 and shape.v_high_end == 0.0
    )


@jit
def limit_step(du, dv, shape):
    """Return the step, shortened to MAX_STEP of the ranges."""
    ratio = max(abs(du) / (shape.u_high - shape.u_low), abs(dv) / (shape.v_high - shape.v_low)) / MAX_STEP
    if ratio > 1.0:
        return du / ratio, dv / ratio
    return du, dv


@jit
def squared_residual(out, px, py, pz):
    """Return the squares of the component of p − s perpendicular to the normal, and of p − s [m²]."""
    dx = px - out.point[0]
    dy = py - out.point[1]
    dz = pz - out.point[2]
    h = dx * out.normal[0] + dy * out.normal[1] + dz * out.normal[2]
    rx = dx - h * out.normal[0]
    ry = dy - h * out.normal[1]
    rz = dz - h * out.normal[2]
    return rx * rx + ry * ry + rz * rz, dx * dx + dy * dy + dz * dz


@jit
def step_length(out, du, dv):
    """Return the length of a step on the surface [m]."""
    x = out.point_u[0] * du + out.point_v[0] * dv
    y = out.point_u[1] * du + out.point_v[1] * dv
    z = out.point_u[2] * du + out.point_v[2] * dv
    return math.sqrt(x * x + y * y + z * z)


@jit
def newton_step(out, px, py, pz):
    """Return Δu, Δv, and the kind of the matrix: 1.0 for a minimum, −1.0 for none, 0.0 for a flat direction.

    A direction is flat, for example, on the axis of a cylinder or in the centre of a sphere.
    """
    nx = out.normal[0]
    ny = out.normal[1]
    nz = out.normal[2]
    dx = px - out.point[0]
    dy = py - out.point[1]
    dz = pz - out.point[2]
    h = dx * nx + dy * ny + dz * nz
    ex, ey, ez = perpendicular_to(nx, ny, nz)
    fx = ny * ez - nz * ey
    fy = nz * ex - nx * ez
    fz = nx * ey - ny * ex
    r1 = ex * dx + ey * dy + ez * dz
    r2 = fx * dx + fy * dy + fz * dz
    s_u = out.point_u
    s_v = out.point_v
    n_u = out.normal_u
    n_v = out.normal_v
    s11 = ex * s_u[0] + ey * s_u[1] + ez * s_u[2]
    s21 = fx * s_u[0] + fy * s_u[1] + fz * s_u[2]
    s12 = ex * s_v[0] + ey * s_v[1] + ez * s_v[2]
    s22 = fx * s_v[0] + fy * s_v[1] + fz * s_v[2]
    a11 = s11 + h * (ex * n_u[0] + ey * n_u[1] + ez * n_u[2])
    a21 = s21 + h * (fx * n_u[0] + fy * n_u[1] + fz * n_u[2])
    a12 = s12 + h * (ex * n_v[0] + ey * n_v[1] + ez * n_v[2])
    a22 = s22 + h * (fx * n_v[0] + fy * n_v[1] + fz * n_v[2])
    metric = s11 * s22 - s12 * s21
    det = a11 * a22 - a12 * a21
    trace = a11 * s22 - a12 * s21 - a21 * s12 + a22 * s11
    min_determinant = ZERO_DETERMINANT * metric * metric
    kind = 1.0 if det * metric > 1e-12 * metric * metric and trace * metric > 0.0 else -1.0
    if kind < 0.0 and abs(det * metric) <= min_determinant and trace * metric >= -min_determinant:
        kind = 0.0
    if kind <= 0.0:
        a11 = s11
        a12 = s12
        a21 = s21
        a22 = s22
        det = metric
    square_u = a11 * a11 + a21 * a21
    square_v = a12 * a12 + a22 * a22
    if det * det <= 1e-20 * square_u * square_v:  # a pole: only one parameter moves the point
        if square_u >= square_v:
            return (a11 * r1 + a21 * r2) / square_u if square_u > 0.0 else 0.0, 0.0, kind
        return 0.0, (a12 * r1 + a22 * r2) / square_v, kind
    return (a22 * r1 - a12 * r2) / det, (a11 * r2 - a21 * r1) / det, kind


@jit
def border_slope(out, px, py, pz, direction):
    """Return the slope t·d along a border with the tangent t, its derivative with the sign reversed, and t·t.

    The derivative neglects the curvature of the border within the surface.
    """
    t = out.point_v if direction == ALONG_V else out.point_u
    n_t = out.normal_v if direction == ALONG_V else out.normal_u
    dx = px - out.point[0]
    dy = py - out.point[1]
    dz = pz - out.point[2]
    h = dx * out.normal[0] + dy * out.normal[1] + dz * out.normal[2]
    slope = dx * t[0] + dy * t[1] + dz * t[2]
    square = t[0] ** 2 + t[1] ** 2 + t[2] ** 2
    return slope, square + h * (t[0] * n_t[0] + t[1] * n_t[1] + t[2] * n_t[2]), square


@jit
def project(shape, px, py, pz, u, v, out):
    """Return the parameters of the projection near (u, v), and ON_FACE, ON_BORDER or NOT_FOUND.

    ``out`` is the output of the kernel there.
    """
    evaluate_surface(shape, u, v, out)
    residual, distance = squared_residual(out, px, py, pz)
    result = NOT_FOUND
    # The last step along a border, and the slope before it.
    border = NO_BORDER
    last_change = 0.0
    last_slope = 0.0
    for _ in range(MAX_ITERATIONS):
        du, dv, kind = newton_step(out, px, py, pz)
        at_u = leaves_u(shape, u, du)
        at_v = leaves_v(shape, v, dv)
        if at_u or at_v:
            # Along the border d has no component along the tangent there.
            direction = ALONG_V if at_u else ALONG_U
            slope, derivative, square = border_slope(out, px, py, pz, direction)
            has_secant = border == direction and last_change != 0.0 and (last_slope - slope) / last_change > 0.0
            if has_secant:
                derivative = (last_slope - slope) / last_change
            elif derivative <= 0.1 * square:
                derivative = square
            step = slope / derivative if square > 0.0 else 0.0
            if at_u:
                du = 0.0
                dv = step
                at_v = leaves_v(shape, v, dv)
                if at_v:
                    dv = 0.0
            else:
                dv = 0.0
                du = step
                at_u = leaves_u(shape, u, du)
                if at_u:
                    du = 0.0
            if abs(step) * math.sqrt(square) <= 1e-15 * shape.size or (du == 0.0 and dv == 0.0):
                return u, v, ON_BORDER
            is_last = has_secant and abs(step) * math.sqrt(square) <= CONVERGED_STEP * shape.size
            border = direction
            last_slope = slope
        else:
            is_last = kind > 0.0 and step_length(out, du, dv) <= CONVERGED_STEP * shape.size
            border = NO_BORDER
        du, dv = limit_step(du, dv, shape)
        fraction = 1.0
        moved = False
        for _ in range(MAX_BISECTIONS):
            new_u, new_v = wrap_parameters(shape, u + fraction * du, v + fraction * dv)
            evaluate_surface(shape, new_u, new_v, out)
            new_residual, new_distance = squared_residual(out, px, py, pz)
            on_border = at_u or at_v
            if is_last or (new_residual < residual and not on_border) or new_distance < distance * (1.0 - 1e-15):
                moved = True
                break
            fraction *= 0.5
        if not moved:
            evaluate_surface(shape, u, v, out)
            if at_u or at_v:
                return u, v, ON_BORDER
            if math.sqrt(residual) <= 1e-9 * shape.size + 1e-9 * math.sqrt(distance) and kind >= 0.0:
                result = ON_FACE  # as accurate as rounding permits
            return u, v, result
        u = new_u
        v = new_v
        residual = new_residual
        distance = new_distance
        last_change = fraction * (du + dv)  # on a border one of them is 0
        if is_last:
            return u, v, ON_BORDER if border >= 0 else ON_FACE
    return u, v, result


@jit
def is_in_part(shape, part, u, v):
    """Return True if (u, v) is in part 1, 2 …; part 0 is the whole surface."""
    if part == 0:
        return True
    bounds = PART(offset(floats(address_of(shape)), int(shape.parts)), part - 1)
    return bounds.u_low <= u <= bounds.u_high and bounds.v_low <= v <= bounds.v_high


@jit
def middle_of_patch(shape, net, a, b):
    """Return the parameters of the middle of patch (a, b)."""
    u = shape.u_low + (a + 0.5) * (shape.u_high - shape.u_low) / net.n_u
    v = shape.v_low + (b + 0.5) * (shape.v_high - shape.v_low) / net.n_v
    return u, v


@jit
def is_local_minimum(shape, net, values, a, b, borders):
    """Return True if the value of patch (a, b) is not larger than those of its neighbours.

    With ``borders``, a patch at an open border is compared only with those along it: the border itself may be closer
    than all middles.
    """
    rows = int(net.n_u)
    columns = int(net.n_v)
    value = values[a * columns + b]
    range_u = 1
    range_v = 1
    if borders and ((a == 0 and shape.u_low_end == 0.0) or (a == rows - 1 and shape.u_high_end == 0.0)):
        range_u = 0
    if borders and ((b == 0 and shape.v_low_end == 0.0) or (b == columns - 1 and shape.v_high_end == 0.0)):
        range_v = 0
    for i in range(a - range_u, a + range_u + 1):
        for j in range(b - range_v, b + range_v + 1):
            p = i
            q = j
            if shape.u_low_end == PERIODIC_END:
                p = (i + rows) % rows
            if shape.v_low_end == PERIODIC_END:
                q = (j + columns) % columns
            if 0 <= p < rows and 0 <= q < columns and values[p * columns + q] < value:
                return False
    return True


@jit
def search_projection(shape, part, px, py, pz, u, v, is_known, out):
    """Return the closest projection of all: `project` from all patches that are local minima, and from (u, v) if known.

    The result is that of `project`, and how much farther the next projection is at least [m]. Projections outside the
    part do not count.
    """
    values = patch_values(shape)
    net = net_at(shape, shape.fine_net)
    columns = int(net.n_v)
    n_patches = int(net.n_u) * columns
    for k in range(n_patches):
        point = patch_of(net, k).point
        values[k] = (point[0] - px) ** 2 + (point[1] - py) ** 2 + (point[2] - pz) ** 2
    best_u = u
    best_v = v
    best = 1e150
    second = 1e150
    x = 0.0
    y = 0.0
    z = 0.0
    best_result = NOT_FOUND
    borders = True
    same = DUPLICATE_DISTANCE * DUPLICATE_DISTANCE * shape.size * shape.size
    for k in range(-1, n_patches):
        start_u = u
        start_v = v
        if k < 0:
            if not is_known:
                continue
        else:
            a = k // columns
            b = k - a * columns
            if not is_local_minimum(shape, net, values, a, b, borders):
                continue
            lower_bound = math.sqrt(values[k]) - patch_of(net, k).radius
            if lower_bound > best:
                second = min(second, lower_bound)
                continue
            start_u, start_v = middle_of_patch(shape, net, a, b)
        start_u, start_v, result = project(shape, px, py, pz, start_u, start_v, out)
        if result < 0.0 or not is_in_part(shape, part, start_u, start_v):
            continue
        _, square = squared_residual(out, px, py, pz)
        distance = math.sqrt(square)
        is_other = (out.point[0] - x) ** 2 + (out.point[1] - y) ** 2 + (out.point[2] - z) ** 2 > same
        if distance < best * (1.0 - 1e-12):
            if is_other:
                second = best
            best = distance
            best_u = start_u
            best_v = start_v
            x = out.point[0]
            y = out.point[1]
            z = out.point[2]
            best_result = result
        elif is_other:
            second = min(second, distance)
    if best_result >= 0.0:
        evaluate_surface(shape, best_u, best_v, out)
    return best_u, best_v, best_result, second - best
