"""Balls of like size that are close to each other: by the cells of a grid."""

from __future__ import annotations

import math

from carom.kernels import RUN, floats, ints, jit, kernel, offset
from carom.kernels.address import INTS
from carom.solve.many import layout as at
from carom.solve.many.search import (
    AGAINST,
    AMONG,
    BODY,
    EACH_OTHER,
    FOUND,
    GROUP,
    PLAN_AT,
    SHAPE,
    SHAPES_AT,
    SKIN_AT,
    WORK_AT,
    consider,
    find,
    put_box,
)

SPREAD = 4.0
"""Standard deviations of the balls that the grid covers; those beyond it are in its outermost cells."""

CELLS_PER_BALL = 4


def room_for(count: int) -> int:
    """Integers of WORK: cells of balls, balls in order, where cells begin."""
    return 2 * count + CELLS_PER_BALL * count + 64 + 2


@jit
def cell_along(x, low, size, count):
    """The cell of a coordinate; those outside the grid are in its outermost cells."""
    c = (x - low) / size
    if not c > 0.0:
        return 0
    if c >= count:
        return count - 1
    return int(c)


@jit
def lay_grid(search, grid):
    """Low corner, size of the cells and how many there are each way, from where the balls are."""
    hot = floats(ints(search[PLAN_AT])[at.HOT_AT])
    shapes = ints(search[SHAPES_AT])
    n = search[AMONG]
    largest = 0.0
    for s in range(n):
        largest = max(largest, hot[shapes[s * SHAPE + BODY] * at.HOT + at.RADIUS])
    size = 2.0 * largest + floats(search[SKIN_AT])[0]
    for d in range(3):
        low = math.inf
        high = -math.inf
        total = 0.0
        squares = 0.0
        for s in range(n):
            x = hot[shapes[s * SHAPE + BODY] * at.HOT + at.X + d]
            low = min(low, x)
            high = max(high, x)
            total += x
            squares += x * x
        middle = total / n
        spread = SPREAD * math.sqrt(max(squares / n - middle * middle, 0.0)) + size
        grid[d] = max(low, middle - spread)
        grid[4 + d] = min(high, middle + spread) - grid[d]
    most = CELLS_PER_BALL * n + 64
    while True:
        count = 1.0
        for d in range(3):
            grid[8 + d] = math.floor(grid[4 + d] / size) + 1.0
            count *= grid[8 + d]
        if count <= most:
            break
        size *= 1.3
    grid[3] = size


@jit
def cell_of(x, grid):
    ny = int(grid[9])
    nz = int(grid[10])
    a = cell_along(x[0], grid[0], grid[3], int(grid[8]))
    b = cell_along(x[1], grid[1], grid[3], ny)
    c = cell_along(x[2], grid[2], grid[3], nz)
    return (a * ny + b) * nz + c


@jit
def sort_into_cells(search, grid):
    """Balls in the order of their cells; answers how many cells there are."""
    hot = floats(ints(search[PLAN_AT])[at.HOT_AT])
    shapes = ints(search[SHAPES_AT])
    n = search[AMONG]
    cells = ints(search[WORK_AT])
    order = offset(cells, n)
    begins = offset(cells, 2 * n)
    count = int(grid[8]) * int(grid[9]) * int(grid[10])
    for c in range(count + 2):
        begins[c] = 0
    for s in range(n):
        c = cell_of(offset(hot, shapes[s * SHAPE + BODY] * at.HOT + at.X), grid)
        cells[s] = c
        begins[c + 2] += 1
    for c in range(count):
        begins[c + 2] += begins[c + 1]
    for s in range(n):
        c = cells[s]
        order[begins[c + 1]] = s
        begins[c + 1] += 1
    return count


@jit
def match(search, s, low, high, hot, shapes, order, skin):
    """Write down the balls order[low … high − 1] close to ball ``s``."""
    i = shapes[s * SHAPE + BODY]
    one = offset(hot, i * at.HOT)
    reach = one[at.RADIUS] + skin
    for place in range(low, high):
        j = shapes[order[place] * SHAPE + BODY]
        two = offset(hot, j * at.HOT)
        x = one[at.X] - two[at.X]
        y = one[at.X + 1] - two[at.X + 1]
        z = one[at.X + 2] - two[at.X + 2]
        far = reach + two[at.RADIUS]
        if x * x + y * y + z * z < far * far and i != j:
            find(search, min(i, j), max(i, j), search[GROUP])


@jit
def match_all(search, grid):
    """Every two balls that are close."""
    hot = floats(ints(search[PLAN_AT])[at.HOT_AT])
    shapes = ints(search[SHAPES_AT])
    n = search[AMONG]
    skin = floats(search[SKIN_AT])[0]
    lay_grid(search, grid)
    sort_into_cells(search, grid)
    order = offset(ints(search[WORK_AT]), n)
    begins = offset(ints(search[WORK_AT]), 2 * n)
    nx = int(grid[8])
    ny = int(grid[9])
    nz = int(grid[10])
    for a in range(nx):
        for b in range(ny):
            for c in range(nz):
                here = (a * ny + b) * nz + c
                end = begins[here + 1]
                for place in range(begins[here], end):
                    s = order[place]
                    # The rest of this cell and the next one along z, then the rows of three beyond.
                    stop = end
                    if c + 1 < nz:
                        stop = begins[here + 2]
                    match(search, s, place + 1, stop, hot, shapes, order, skin)
                    low = max(c - 1, 0)
                    high = min(c + 1, nz - 1)
                    if b + 1 < ny:
                        row = (a * ny + b + 1) * nz
                        match(search, s, begins[row + low], begins[row + high + 1], hot, shapes, order, skin)
                    if a + 1 < nx:
                        for e in range(max(b - 1, 0), min(b + 2, ny)):
                            row = ((a + 1) * ny + e) * nz
                            match(search, s, begins[row + low], begins[row + high + 1], hot, shapes, order, skin)


@kernel(RUN, INTS)
def search_cells(search):
    """Pairs of a group whose shapes ``among`` are balls about the origins of their bodies; answers how many."""
    n = search[AMONG]
    skin = floats(search[SKIN_AT])[0]
    search[FOUND] = 0
    if search[EACH_OTHER] != 0:
        match_all(search, offset(floats(search[SKIN_AT]), 1))
    half = 0.5 * skin
    if search[AGAINST] > 0:
        for s in range(n + search[AGAINST]):
            put_box(search, s, half)
        for t in range(n, n + search[AGAINST]):
            for s in range(n):
                consider(search, s, t)
    return search[FOUND]
