"""Broad phase for centred spheres of similar size: a grid of cells."""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import BODY_PAIR_DATA, SEARCH_SHAPE
from carom.kernels import CANDIDATE_SEARCH, ints, jit, kernel, offset
from carom.solve.many_body.pair_search import check_pair, store_pair, update_box
from carom.solve.many_body.records import CELL_GRID, MANY_BODY, PAIR_SEARCH

SPREAD = 4.0
"""Half the size of the grid in standard deviations of the positions [-]; spheres outside are in its outermost cells."""

CELLS_PER_SPHERE, EXTRA_CELLS = 4, 64
"""Largest number of cells: per sphere, and in addition."""


def workspace_size(n_spheres: int) -> int:
    """Return the number of integers of the workspace: cell of each sphere, spheres in order, first sphere per cell."""
    return 2 * n_spheres + CELLS_PER_SPHERE * n_spheres + EXTRA_CELLS + 2


@jit
def body_of(search, s):
    """Return the body data of shape ``s``."""
    return BODY_PAIR_DATA(MANY_BODY(search.many_body).pair_data, SEARCH_SHAPE(search.shapes, s).body)


@jit
def cell_along_axis(x, low, size, count):
    """Return the cell index of a coordinate along one axis; the outermost cell if it is outside the grid."""
    c = (x - low) / size
    if not c > 0.0:
        return 0
    if c >= count:
        return count - 1
    return int(c)


@jit
def set_up_grid(search, grid):
    """Choose corner, cell size and number of cells from the positions of the spheres."""
    n = search.n_shapes
    max_radius = 0.0
    for s in range(n):
        max_radius = max(max_radius, body_of(search, s).bounding_radius)
    size = 2.0 * max_radius + search.skin
    span_x = grid_span(search, grid, 0, size)
    span_y = grid_span(search, grid, 1, size)
    span_z = grid_span(search, grid, 2, size)
    # The numbers of cells are real numbers until they are known to be small, as they could exceed an integer.
    while True:
        nx = math.floor(span_x / size) + 1.0
        ny = math.floor(span_y / size) + 1.0
        nz = math.floor(span_z / size) + 1.0
        if nx * ny * nz <= CELLS_PER_SPHERE * n + EXTRA_CELLS:
            break
        size *= 1.3
    grid.cell_size = size
    grid.n_cells[0] = int(nx)
    grid.n_cells[1] = int(ny)
    grid.n_cells[2] = int(nz)


@jit
def grid_span(search, grid, d, size):
    """Set the lower bound of the grid along axis ``d`` and return its length [m]."""
    n = search.n_shapes
    low = math.inf
    high = -math.inf
    total = 0.0
    squares = 0.0
    for s in range(n):
        x = body_of(search, s).r[d]
        low = min(low, x)
        high = max(high, x)
        total += x
        squares += x * x
    mean = total / n
    half = SPREAD * math.sqrt(max(squares / n - mean * mean, 0.0)) + size
    grid.low[d] = max(low, mean - half)
    return min(high, mean + half) - grid.low[d]


@jit
def cell_of(body, grid):
    """Return the index of the cell that contains a body."""
    a = cell_along_axis(body.r[0], grid.low[0], grid.cell_size, grid.n_cells[0])
    b = cell_along_axis(body.r[1], grid.low[1], grid.cell_size, grid.n_cells[1])
    c = cell_along_axis(body.r[2], grid.low[2], grid.cell_size, grid.n_cells[2])
    return (a * grid.n_cells[1] + b) * grid.n_cells[2] + c


@jit
def sort_into_cells(search, grid):
    """Sort the spheres by their cells."""
    n = search.n_shapes
    cells = ints(search.workspace)
    order = offset(cells, n)
    first = offset(cells, 2 * n)
    count = grid.n_cells[0] * grid.n_cells[1] * grid.n_cells[2]
    for c in range(count + 2):
        first[c] = 0
    for s in range(n):
        c = cell_of(body_of(search, s), grid)
        cells[s] = c
        first[c + 2] += 1
    for c in range(count):
        first[c + 2] += first[c + 1]
    for s in range(n):
        c = cells[s]
        order[first[c + 1]] = s
        first[c + 1] += 1


@jit
def store_close_spheres(search, s, low, high, order):
    """Store the pairs of sphere ``s`` with those of the spheres order[low … high − 1] that are closer than the skin."""
    pair_data = MANY_BODY(search.many_body).pair_data
    i = SEARCH_SHAPE(search.shapes, s).body
    one = BODY_PAIR_DATA(pair_data, i)
    range_of_one = one.bounding_radius + search.skin
    for n in range(low, high):
        j = SEARCH_SHAPE(search.shapes, order[n]).body
        two = BODY_PAIR_DATA(pair_data, j)
        x = one.r[0] - two.r[0]
        y = one.r[1] - two.r[1]
        z = one.r[2] - two.r[2]
        limit = range_of_one + two.bounding_radius
        if x * x + y * y + z * z < limit * limit and i != j:
            store_pair(search, min(i, j), max(i, j), search.group)


@jit
def search_cell(search, grid, a, b, c):
    """Store the pairs of the spheres in cell (a, b, c) with each other and with those in half of its neighbours."""
    ny = grid.n_cells[1]
    nz = grid.n_cells[2]
    order = offset(ints(search.workspace), search.n_shapes)
    first = offset(ints(search.workspace), 2 * search.n_shapes)
    cell = (a * ny + b) * nz + c
    end = first[cell + 1]
    low = max(c - 1, 0)
    high = min(c + 1, nz - 1)
    for n in range(first[cell], end):
        s = order[n]
        # The rest of this cell and the next cell along z, then the rows of three cells beyond.
        stop = end
        if c + 1 < nz:
            stop = first[cell + 2]
        store_close_spheres(search, s, n + 1, stop, order)
        if b + 1 < ny:
            row = (a * ny + b + 1) * nz
            store_close_spheres(search, s, first[row + low], first[row + high + 1], order)
        if a + 1 < grid.n_cells[0]:
            for e in range(max(b - 1, 0), min(b + 2, ny)):
                row = ((a + 1) * ny + e) * nz
                store_close_spheres(search, s, first[row + low], first[row + high + 1], order)


@kernel(CANDIDATE_SEARCH, PAIR_SEARCH)
def search_cells(search):
    """Find the candidate pairs of a group whose first shapes are centred spheres; return their number."""
    n = search.n_shapes
    search.n_pairs = 0
    if search.self_contact != 0:
        grid = CELL_GRID(search.grid)
        set_up_grid(search, grid)
        sort_into_cells(search, grid)
        for a in range(grid.n_cells[0]):
            for b in range(grid.n_cells[1]):
                for c in range(grid.n_cells[2]):
                    search_cell(search, grid, a, b, c)
    if search.n_others > 0:
        for s in range(n + search.n_others):
            update_box(search, s, 0.5 * search.skin)
        for t in range(n, n + search.n_others):
            for s in range(n):
                check_pair(search, s, t)
    return search.n_pairs
