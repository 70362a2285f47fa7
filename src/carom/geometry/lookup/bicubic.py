"""Bicubic Hermite interpolation of a table from points and tangents; the normal is that of the patch.

The table does not contain the twist ∂²s/∂u∂v. It is the slope of ∂s/∂u along v from the points on both sides, or at an
open end from three points on one side: its error of h² is one of h⁴ in the patch.
"""

from __future__ import annotations

from carom.geometry.lookup.grid_cell import TABLE, cell_at, column_offset, grid_point, row_offset
from carom.geometry.surfaces.base import store_normal, surface_kernel
from carom.kernels import jit


@jit
def hermite(a, b, da, db, x):
    """Return value, slope and second derivative at x of the cubic with values a, b and slopes da, db at 0 and 1."""
    p = b - a
    c2 = 3.0 * p - 2.0 * da - db
    c3 = da + db - 2.0 * p
    return a + x * (da + x * (c2 + x * c3)), da + x * (2.0 * c2 + 3.0 * x * c3), 2.0 * c2 + 6.0 * c3 * x


@jit
def difference(previous, value, following, third, is_first, is_last):
    """Return the slope times one increment by central differences; one-sided at the ends."""
    if is_first:
        return 2.0 * following - 1.5 * value - 0.5 * third
    if is_last:
        return 1.5 * value - 2.0 * previous + 0.5 * third
    return 0.5 * (following - previous)


@surface_kernel(TABLE)
def bicubic(table, u, v, out):
    """Evaluate a table by bicubic interpolation."""
    i, fu = cell_at((u - table.u_low) * table.per_u, table.points_u)
    j, fv = cell_at((v - table.v_low) * table.per_v, table.points_v)
    count = int(table.points_v)
    is_periodic = table.periodic_v != 0.0
    is_first = j == 0 and not is_periodic
    is_last = j + 2 == count and not is_periodic
    # Columns before the cell, at its two sides, and after it; where the table ends, the third one inwards.
    column_before = j - 1
    if j == 0:
        column_before = count - 2 if is_periodic else 2
    column_after = j + 2
    if j + 2 == count:
        column_after = 1 if is_periodic else count - 3
    column_back = column_offset(table, column_before)
    column_left = column_offset(table, j)
    column_right = column_offset(table, j + 1)
    column_on = column_offset(table, column_after)
    low = row_offset(table, i)
    high = row_offset(table, i + 1)
    a = grid_point(table, low, column_left)
    b = grid_point(table, high, column_left)
    c = grid_point(table, low, column_right)
    d = grid_point(table, high, column_right)
    a_back = grid_point(table, low, column_back).tangent_u
    b_back = grid_point(table, high, column_back).tangent_u
    c_on = grid_point(table, low, column_on).tangent_u
    d_on = grid_point(table, high, column_on).tangent_u
    hu, hv = table.step_u, table.step_v
    per_u, per_v = table.per_u, table.per_v
    xuu = 0.0
    yuu = 0.0
    zuu = 0.0
    xuv = 0.0
    yuv = 0.0
    zuv = 0.0
    xvv = 0.0
    yvv = 0.0
    zvv = 0.0
    not_at_end = False
    for k in range(3):
        a_u = a.tangent_u[k]
        b_u = b.tangent_u[k]
        c_u = c.tangent_u[k]
        d_u = d.tangent_u[k]
        twist_a = difference(a_back[k], a_u, c_u, a_back[k], is_first, not_at_end)
        twist_b = difference(b_back[k], b_u, d_u, b_back[k], is_first, not_at_end)
        twist_c = difference(a_u, c_u, c_on[k], c_on[k], not_at_end, is_last)
        twist_d = difference(b_u, d_u, d_on[k], d_on[k], not_at_end, is_last)
        # Along u at both sides of the cell: the value, and its slope along v.
        left, left_u, left_uu = hermite(a.point[k], b.point[k], hu * a_u, hu * b_u, fu)
        right, right_u, right_uu = hermite(c.point[k], d.point[k], hu * c_u, hu * d_u, fu)
        left_v, left_uv, left_uuv = hermite(
            hv * a.tangent_v[k], hv * b.tangent_v[k], hu * twist_a, hu * twist_b, fu
        )  # fmt: skip
        right_v, right_uv, right_uuv = hermite(
            hv * c.tangent_v[k], hv * d.tangent_v[k], hu * twist_c, hu * twist_d, fu
        )  # fmt: skip
        value, value_v, value_vv = hermite(left, right, left_v, right_v, fv)
        value_u, value_uv, _ = hermite(left_u, right_u, left_uv, right_uv, fv)
        value_uu, _, _ = hermite(left_uu, right_uu, left_uuv, right_uuv, fv)
        out.point[k] = value
        out.point_u[k] = value_u * per_u
        out.point_v[k] = value_v * per_v
        if k == 0:
            xuu = value_uu * per_u * per_u
            xuv = value_uv * per_u * per_v
            xvv = value_vv * per_v * per_v
        elif k == 1:
            yuu = value_uu * per_u * per_u
            yuv = value_uv * per_u * per_v
            yvv = value_vv * per_v * per_v
        else:
            zuu = value_uu * per_u * per_u
            zuv = value_uv * per_u * per_v
            zvv = value_vv * per_v * per_v
    end_u = 1.0 if 2.0 * i < table.points_u else -1.0
    end_v = 1.0 if 2.0 * j < table.points_v else -1.0
    store_normal(table.side, end_u, end_v, out, xuu, yuu, zuu, xuv, yuv, zuv, xvv, yvv, zvv)
