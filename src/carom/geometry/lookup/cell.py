"""Cells of a table: which points are around (u, v), and where their numbers are."""

from __future__ import annotations

import math

from carom.kernels import floats, jit, offset

# Numbers of a table: address of the first point; points along u and v, points of a record along u and v and their
# inverses; columns; records along v; numbers of a record; lower bounds, increments and their inverses; 1 or −1 when the
# normal is ± t_u × t_v; whether u and v go round.
(
    BASE, POINTS_U, POINTS_V, RECORD_U, RECORD_V, PER_RECORD_U, PER_RECORD_V, COLUMNS, BLOCKS_V, RECORD, LOW_U, LOW_V,
    STEP_U, STEP_V, PER_U, PER_V, SIDE, ROUND_U, ROUND_V,
) = range(19)  # fmt: skip


@jit
def cell(x, points):
    """The cell of a coordinate counted in increments, and how far in it."""
    i = 0  # for what is no number, too
    if x > 0.0:
        i = int(min(math.floor(x), points - 2.0))
    return i, x - i


@jit
def row(par, i):
    """Where the points with number i along u begin, in numbers from BASE."""
    a = int((i + 0.5) * par[PER_RECORD_U])
    within = i - a * int(par[RECORD_U])
    return a * int(par[BLOCKS_V]) * int(par[RECORD]) + within * int(par[RECORD_V]) * int(par[COLUMNS])


@jit
def column(par, j):
    """Where the point with number j along v is, in numbers from the beginning of its row."""
    b = int((j + 0.5) * par[PER_RECORD_V])
    return b * int(par[RECORD]) + (j - b * int(par[RECORD_V])) * int(par[COLUMNS])


@jit
def numbers_at(par, row_at, column_at):
    """The numbers of a point."""
    return offset(floats(int(par[BASE])), row_at + column_at)
