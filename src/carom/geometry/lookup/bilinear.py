"""Between the points of a table: points and normals bilinearly, the normal made a unit vector again (L 3.2, Fig. 5)."""

from __future__ import annotations

import math

from carom.geometry.lookup.cell import LOW_U, LOW_V, PER_U, PER_V, POINTS_U, POINTS_V, cell, column, numbers_at, row
from carom.geometry.lookup.format import POINT_AT
from carom.geometry.surfaces.base import NORMAL, NORMAL_U, NORMAL_V, POINT_U, POINT_V
from carom.kernels import SURFACE, kernel, offset


@kernel(SURFACE)
def bilinear(par, u, v, out):
    i, fu = cell((u - par[LOW_U]) * par[PER_U], par[POINTS_U])
    j, fv = cell((v - par[LOW_V]) * par[PER_V], par[POINTS_V])
    low = row(par, i)
    high = row(par, i + 1)
    left = column(par, j)
    right = column(par, j + 1)
    a = offset(numbers_at(par, low, left), POINT_AT)
    b = offset(numbers_at(par, high, left), POINT_AT)
    c = offset(numbers_at(par, low, right), POINT_AT)
    d = offset(numbers_at(par, high, right), POINT_AT)
    for k in range(6):  # the point, then the normal
        along_u = b[k] - a[k]
        along_v = c[k] - a[k]
        twist = d[k] - b[k] - along_v
        out[k] = a[k] + fu * along_u + fv * (along_v + fu * twist)
        skip = 3 if k >= 3 else 0
        out[POINT_U + skip + k] = (along_u + fv * twist) * par[PER_U]
        out[POINT_V + skip + k] = (along_v + fu * twist) * par[PER_V]
    nx = out[NORMAL]
    ny = out[NORMAL + 1]
    nz = out[NORMAL + 2]
    length = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
    nx *= length
    ny *= length
    nz *= length
    out[NORMAL] = nx
    out[NORMAL + 1] = ny
    out[NORMAL + 2] = nz
    along = length * (nx * out[NORMAL_U] + ny * out[NORMAL_U + 1] + nz * out[NORMAL_U + 2])
    across = length * (nx * out[NORMAL_V] + ny * out[NORMAL_V + 1] + nz * out[NORMAL_V + 2])
    for k in range(3):
        out[NORMAL_U + k] = length * out[NORMAL_U + k] - along * out[NORMAL + k]
        out[NORMAL_V + k] = length * out[NORMAL_V + k] - across * out[NORMAL + k]
