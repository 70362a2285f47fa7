"""Back into a step that has been taken: to end it at an event, to read a largest value inside it."""

from __future__ import annotations

import math

from carom.kernels import call_project, call_watch, floats, ints, jit
from carom.mechanics.model_record import MODEL, OK
from carom.solve.compliant import desk as places
from carom.solve.compliant import plan as at
from carom.solve.compliant.stages import take_stages

TRIES = 16
"""Steps to narrow down an event."""


@jit
def ask(plan, watcher, t, step):
    """A watcher's answer about the step that has been taken."""
    return call_watch(
        ints(plan[at.WATCHERS])[watcher],
        t,
        step,
        floats(plan[at.Y]),
        floats(plan[at.K]),
        floats(plan[at.NEW]),
        floats(plan[at.SLOPE]),
        MODEL(plan[at.BLOCK]),
        floats(plan[at.DESK]),
    )


@jit
def ask_at(plan, watcher, t, state):
    """A watcher's answer about one state."""
    address = ints(plan[at.WATCHERS])[watcher]
    return call_watch(address, t, 1.0, state, state, state, state, MODEL(plan[at.BLOCK]), floats(plan[at.DESK]))


@jit
def partial_step(plan, function, t, step, new):
    """A shorter step from the same start, to look at the state there."""
    status, _ = take_stages(plan, function, t, step, t + step, new)
    if plan[at.PROJECT] != 0:
        status = max(status, call_project(plan[at.PROJECT], t + step, new, MODEL(plan[at.BLOCK])))
    return status


@jit
def narrow(plan, function, t, step):
    """Shorten a step so that it ends at the event on the desk, with steps of its own; returns its length.

    A chord iteration with the slope of the event's function at the last guess, kept inside a bracket. The desk tells
    whether the event was there. Not a number when no such step can be taken.
    """
    desk = floats(plan[at.DESK])
    new = floats(plan[at.NEW])
    aim = places.AIM
    low = 0.0
    high = step
    better = desk[places.GUESS] * step
    finest = places.SMALLEST * max(t + step, floats(plan[at.STOPS])[plan[at.STOP_COUNT] - 1])
    x = 0.0
    for _ in range(TRIES):
        if not better > finest:
            desk[places.FOUND] = 1.0
            return 0.0
        x = better
        if partial_step(plan, function, t, x, new) != OK:
            return math.nan
        ask_at(plan, aim, t + x, new)
        f = desk[places.VALUE]
        if not math.isfinite(f):
            return math.nan
        if f < 0.0:
            low = x
        else:
            high = x
        slope = desk[places.SLOPE]
        better = x - f / slope if slope > 0.0 else math.nan
        desk[places.FOUND] = 0.0 if f < 0.0 and high == step and better > step + finest else 1.0
        if abs(f) <= desk[places.RESOLUTION] or high - low <= finest or abs(better - x) <= finest:
            break
        if not low < better < high:
            better = 0.5 * (low + high)
    return x


@jit
def read_largest(plan, count, function, t, step):
    """Largest forces and indentations at the ``count`` places on the desk, from steps that end there."""
    desk = floats(plan[at.DESK])
    probe = floats(plan[at.PROBE])
    reading = places.READ
    for i in range(count):
        place = places.FIRST_REQUEST + 3 * i
        partial_step(plan, function, t, desk[place] * step, probe)
        desk[places.WHOSE] = desk[place + 1]
        desk[places.WHAT] = desk[place + 2]
        ask_at(plan, reading, t, probe)


@jit
def look_back(plan, t, step):
    """For runs that do not locate events: whether a contact has begun inside the step without being noticed in time.

    Contacts that are over at the end of the step count, too; they cannot be interpolated to, only stepped on.
    """
    desk = floats(plan[at.DESK])
    depth = places.NEW_DEPTH
    watch = places.WATCH
    ask(plan, depth, t, step)
    if desk[places.DEPTH] > 0.0:
        return desk[places.DEPTH] > floats(plan[at.LIMITS])[at.DEEPEST]
    if ask(plan, watch, t, step) != 0 and desk[places.KIND] == places.ONSET:
        desk[places.GUESS] = 2.0
        return True
    return False
