"""Bilinear interpolation of a table: points and normals, with normals of unit length again (L 3.2, Fig. 5)."""

from __future__ import annotations

import math

from carom.geometry.lookup.grid_cell import TABLE, cell_at, column_offset, grid_point, row_offset
from carom.geometry.surfaces.base import surface_kernel
from carom.kernels import jit


@jit
def interpolate(a, b, c, d, fu, fv, per_u, per_v, value, value_u, value_v):
    """Store a vector and its derivatives from those at the corners (0, 0), (1, 0), (0, 1), (1, 1) of the cell."""
    for k in range(3):
        along_u = b[k] - a[k]
        along_v = c[k] - a[k]
        twist = d[k] - b[k] - along_v
        value[k] = a[k] + fu * along_u + fv * (along_v + fu * twist)
        value_u[k] = (along_u + fv * twist) * per_u
        value_v[k] = (along_v + fu * twist) * per_v


@surface_kernel(TABLE)
def bilinear(table, u, v, out):
    """Evaluate a table by bilinear interpolation."""
    i, fu = cell_at((u - table.u_low) * table.per_u, table.points_u)
    j, fv = cell_at((v - table.v_low) * table.per_v, table.points_v)
    low = row_offset(table, i)
    high = row_offset(table, i + 1)
    left = column_offset(table, j)
    right = column_offset(table, j + 1)
    a = grid_point(table, low, left)
    b = grid_point(table, high, left)
    c = grid_point(table, low, right)
    d = grid_point(table, high, right)
    interpolate(
        a.point, b.point, c.point, d.point, fu, fv, table.per_u, table.per_v, out.point, out.point_u, out.point_v
    )  # fmt: skip
    interpolate(
        a.normal, b.normal, c.normal, d.normal, fu, fv, table.per_u, table.per_v, out.normal, out.normal_u, out.normal_v
    )  # fmt: skip
    normal_u = out.normal_u
    normal_v = out.normal_v
    nx = out.normal[0]
    ny = out.normal[1]
    nz = out.normal[2]
    length = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz)
    nx *= length
    ny *= length
    nz *= length
    out.normal[0] = nx
    out.normal[1] = ny
    out.normal[2] = nz
    along_u = length * (nx * normal_u[0] + ny * normal_u[1] + nz * normal_u[2])
    along_v = length * (nx * normal_v[0] + ny * normal_v[1] + nz * normal_v[2])
    for k in range(3):
        normal_u[k] = length * normal_u[k] - along_u * out.normal[k]
        normal_v[k] = length * normal_v[k] - along_v * out.normal[k]
