"""Between the points of a table: Hermite's bicubic from points and tangents, the normal that of the patch.

The twist ∂²s/∂u∂v, that the table does not have, is the slope of ∂s/∂u along v over the points on both sides, or at an
open end over three points to one side: its error of h² is one of h⁴ in the patch.
"""

from __future__ import annotations

from carom.geometry.lookup.cell import (
    LOW_U,
    LOW_V,
    PER_U,
    PER_V,
    POINTS_U,
    POINTS_V,
    ROUND_V,
    SIDE,
    STEP_U,
    STEP_V,
    cell,
    column,
    numbers_at,
    row,
)
from carom.geometry.lookup.format import POINT_AT, TANGENT_U_AT, TANGENT_V_AT
from carom.geometry.surfaces.base import POINT_U, POINT_V, put_normal
from carom.kernels import SURFACE, jit, kernel


@jit
def hermite(a, b, da, db, x):
    """The cubic with values a, b and slopes da, db at x = 0 and 1; its value, slope and bend at x."""
    p = b - a
    c2 = 3.0 * p - 2.0 * da - db
    c3 = da + db - 2.0 * p
    return a + x * (da + x * (c2 + x * c3)), da + x * (2.0 * c2 + 3.0 * x * c3), 2.0 * c2 + 6.0 * c3 * x


@jit
def slope(before, at, after, far, first, last):
    """Difference over one increment by central differences; to one side at the ends."""
    if first:
        return 2.0 * after - 1.5 * at - 0.5 * far
    if last:
        return 1.5 * at - 2.0 * before + 0.5 * far
    return 0.5 * (after - before)


@kernel(SURFACE)
def bicubic(par, u, v, out):
    i, fu = cell((u - par[LOW_U]) * par[PER_U], par[POINTS_U])
    j, fv = cell((v - par[LOW_V]) * par[PER_V], par[POINTS_V])
    count = int(par[POINTS_V])
    goes_round = par[ROUND_V] != 0.0
    first = j == 0 and not goes_round
    last = j + 2 == count and not goes_round
    # Columns of the points before the cell, at its two sides, and after it; where the table ends, the third one inward.
    back = j - 1
    if j == 0:
        back = count - 2 if goes_round else 2
    on = j + 2
    if j + 2 == count:
        on = 1 if goes_round else count - 3
    at_back = column(par, back)
    at_left = column(par, j)
    at_right = column(par, j + 1)
    at_on = column(par, on)
    low = row(par, i)
    high = row(par, i + 1)
    a = numbers_at(par, low, at_left)
    b = numbers_at(par, high, at_left)
    c = numbers_at(par, low, at_right)
    d = numbers_at(par, high, at_right)
    a_back = numbers_at(par, low, at_back)
    b_back = numbers_at(par, high, at_back)
    c_on = numbers_at(par, low, at_on)
    d_on = numbers_at(par, high, at_on)
    hu = par[STEP_U]
    hv = par[STEP_V]
    uu = par[PER_U]
    vv = par[PER_V]
    xuu = 0.0
    yuu = 0.0
    zuu = 0.0
    xuv = 0.0
    yuv = 0.0
    zuv = 0.0
    xvv = 0.0
    yvv = 0.0
    zvv = 0.0
    never = False
    for k in range(3):
        p = POINT_AT + k
        tu = TANGENT_U_AT + k
        tv = TANGENT_V_AT + k
        twist_a = slope(a_back[tu], a[tu], c[tu], a_back[tu], first, never)
        twist_b = slope(b_back[tu], b[tu], d[tu], b_back[tu], first, never)
        twist_c = slope(a[tu], c[tu], c_on[tu], c_on[tu], never, last)
        twist_d = slope(b[tu], d[tu], d_on[tu], d_on[tu], never, last)
        # Along u at both sides: value, and slope along v.
        left, left_u, left_uu = hermite(a[p], b[p], hu * a[tu], hu * b[tu], fu)
        right, right_u, right_uu = hermite(c[p], d[p], hu * c[tu], hu * d[tu], fu)
        rise_left, rise_left_u, rise_left_uu = hermite(hv * a[tv], hv * b[tv], hu * twist_a, hu * twist_b, fu)
        rise_right, rise_right_u, rise_right_uu = hermite(hv * c[tv], hv * d[tv], hu * twist_c, hu * twist_d, fu)
        value, value_v, value_vv = hermite(left, right, rise_left, rise_right, fv)
        along, along_v, _ = hermite(left_u, right_u, rise_left_u, rise_right_u, fv)
        bend, _, _ = hermite(left_uu, right_uu, rise_left_uu, rise_right_uu, fv)
        out[k] = value
        out[POINT_U + k] = along * uu
        out[POINT_V + k] = value_v * vv
        if k == 0:
            xuu = bend * uu * uu
            xuv = along_v * uu * vv
            xvv = value_vv * vv * vv
        elif k == 1:
            yuu = bend * uu * uu
            yuv = along_v * uu * vv
            yvv = value_vv * vv * vv
        else:
            zuu = bend * uu * uu
            zuv = along_v * uu * vv
            zvv = value_vv * vv * vv
    end_u = 1.0 if 2.0 * i < par[POINTS_U] else -1.0
    end_v = 1.0 if 2.0 * j < par[POINTS_V] else -1.0
    put_normal(par[SIDE], end_u, end_v, out, xuu, yuu, zuu, xuv, yuv, zuv, xvv, yvv, zvv)
