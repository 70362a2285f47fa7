"""Cells of a lookup table: the grid points around (u, v), and the positions of their data."""

from __future__ import annotations

import math

from carom.kernels import FLOAT, floats, jit, offset, record

TABLE = record(
    data=FLOAT,  # address of the first grid point
    points_u=FLOAT,  # grid points along u and v
    points_v=FLOAT,
    record_u=FLOAT,  # grid points of a record along u and v, and their inverses
    record_v=FLOAT,
    per_record_u=FLOAT,
    per_record_v=FLOAT,
    n_columns=FLOAT,  # numbers per grid point
    records_v=FLOAT,  # records along v
    record_size=FLOAT,  # numbers per record
    u_low=FLOAT,  # lower bounds
    v_low=FLOAT,
    step_u=FLOAT,  # increments and their inverses
    step_v=FLOAT,
    per_u=FLOAT,
    per_v=FLOAT,
    side=FLOAT,  # 1.0 or −1.0: the normal is ± t_u × t_v
    periodic_u=FLOAT,
    periodic_v=FLOAT,
)
"""Parameters of the kernels of a lookup table."""

GRID_POINT = record(
    "u v",
    point=(FLOAT, 3),  # [m]
    normal=(FLOAT, 3),  # unit normal
    tangent_u=(FLOAT, 3),  # ∂s/∂u
    tangent_v=(FLOAT, 3),  # ∂s/∂v
)
"""Fixed columns of a grid point (see `carom.geometry.lookup.format`)."""


@jit
def cell_at(x, points):
    """Return the index of the cell at a coordinate in increments, and the fraction within it."""
    i = 0  # also for a coordinate that is not a number
    if x > 0.0:
        i = int(min(math.floor(x), points - 2.0))
    return i, x - i


@jit
def row_offset(table, i):
    """Return the offset of the grid points with index i along u, in numbers."""
    a = int((i + 0.5) * table.per_record_u)
    local_row = i - a * int(table.record_u)
    return a * int(table.records_v) * int(table.record_size) + local_row * int(table.record_v) * int(table.n_columns)


@jit
def column_offset(table, j):
    """Return the offset of the grid point with index j along v from the start of its row, in numbers."""
    b = int((j + 0.5) * table.per_record_v)
    return b * int(table.record_size) + (j - b * int(table.record_v)) * int(table.n_columns)


@jit
def grid_point(table, row, column):
    """Return the grid point at these offsets."""
    return GRID_POINT(offset(floats(int(table.data)), row + column))
