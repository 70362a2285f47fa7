"""An impact: the velocities after it, by the impact laws of all contacts that touch."""

from __future__ import annotations

from carom.kernels import STEP, call_project, floats, kernel
from carom.mechanics.model_record import MODEL, OK
from carom.solve.nonsmooth.desk import (
    BLOCK,
    BOOK_DRIVERS,
    BOOKS,
    DONE_ALL,
    FREE,
    JOINT_IMPULSES,
    LOST_RANK,
    NEW,
    PREPARE,
    ROWS,
    STATE,
    VELOCITIES,
)
from carom.solve.nonsmooth.events.bias import find_directions
from carom.solve.nonsmooth.impulses import settle_books, strike
from carom.solve.nonsmooth.touching import delassus, respond, velocities_before


@kernel(STEP)
def collide(t, h, desk):
    """NEW, from STATE, by impulses of the active contacts; ``h`` is not looked at: it takes no time."""
    model = MODEL(desk[BLOCK])
    n = desk[VELOCITIES]
    state = floats(desk[STATE])
    new = floats(desk[NEW])
    free = floats(desk[FREE])
    joints = floats(desk[JOINT_IMPULSES])
    nu = floats(model.nu)
    if call_project(desk[PREPARE], t, state, model) != OK:
        return LOST_RANK
    for i in range(n):
        free[i] = state[n + i]
        new[i] = state[i]
    for r in range(desk[ROWS]):
        joints[r] = 0.0
    find_directions(t, state, desk)
    velocities_before(desk)
    respond(desk)
    delassus(desk)
    status = strike(desk)
    if status != DONE_ALL:
        return status
    settle_books(desk)
    for r in range(desk[ROWS]):
        floats(desk[BOOKS])[BOOK_DRIVERS] -= joints[r] * nu[r]
    return DONE_ALL
