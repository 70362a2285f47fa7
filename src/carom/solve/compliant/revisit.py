"""Back into a step that has been taken: to end it at an event, to read a largest value inside it."""

from __future__ import annotations

import math

from carom.kernels import call_project, call_watch, jit
from carom.kernels.address import first
from carom.mechanics.block import OK
from carom.solve.compliant import desk as places
from carom.solve.compliant.stages import take_stages

TRIES = 16
"""Steps to narrow down an event."""


@jit
def partial_step(function, project, block, t, step, y, k, a, b, c, trial, new, counts):
    """A shorter step from the same start, to look at the state there."""
    status, _ = take_stages(function, block, t, step, t + step, y, k, a, b, c, trial, new)
    counts[places.EVALUATIONS] += c.shape[0] - 1
    if project != 0:
        status = max(status, call_project(project, t + step, first(new), first(block)))
    return status


@jit
def narrow(function, project, watchers, desk, block, t, step, y, k, a, b, c, trial, new, counts):
    """Shorten a step so that it ends at the event on the desk, with steps of its own; returns its length.

    A chord iteration with the slope of the event's function at the last guess, kept inside a bracket. The desk tells
    whether the event was there. Not a number when no such step can be taken.
    """
    low = 0.0
    high = step
    better = desk[places.GUESS] * step
    finest = places.SMALLEST * (t + step)
    x = 0.0
    for _ in range(TRIES):
        if not better > finest:
            desk[places.FOUND] = 1.0
            return 0.0
        x = better
        if partial_step(function, project, block, t, x, y, k, a, b, c, trial, new, counts) != OK:
            return math.nan
        at = first(new)
        call_watch(watchers[places.AIM], t + x, x, at, at, at, at, first(block), first(desk))
        f = desk[places.VALUE]
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
def read_largest(count, function, project, watchers, desk, block, t, step, y, k, a, b, c, trial, probe, counts):
    """Largest forces and indentations at the ``count`` places on the desk, from steps that end there."""
    for i in range(count):
        place = places.FIRST_REQUEST + 3 * i
        partial_step(function, project, block, t, desk[place] * step, y, k, a, b, c, trial, probe, counts)
        desk[places.WHOSE] = desk[place + 1]
        desk[places.WHAT] = desk[place + 2]
        at = first(probe)
        call_watch(watchers[places.READ], t, step, at, at, at, at, first(block), first(desk))


@jit
def look_back(watchers, desk, block, deepest, t, step, y, k, new, slope):
    """For runs that do not locate events: whether a contact has begun inside the step without being noticed in time.

    Contacts that are over at the end of the step count, too; they cannot be interpolated to, only stepped on.
    """
    old = first(y)
    at = first(slope)
    call_watch(watchers[places.NEW_DEPTH], t, step, old, first(k[0]), first(new), at, first(block), first(desk))
    if desk[places.DEPTH] > 0.0:
        return desk[places.DEPTH] > deepest
    found = call_watch(
        watchers[places.WATCH], t, step, old, first(k[0]), first(new), first(slope), first(block), first(desk)
    )
    if found != 0 and desk[places.KIND] == places.ONSET:
        desk[places.GUESS] = 2.0
        return True
    return False
