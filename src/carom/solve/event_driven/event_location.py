"""When the first event of a step happens, to rounding: the step is taken again, with other lengths."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from carom.solve.event_driven import records as at
from carom.solve.event_driven.event_handling import Changes
from carom.solve.event_driven.smooth_phase import Flight

SHORT_FLIGHT = 1e-9
"""Way of a contact that has just opened, in units of the largest coordinate (or 1 m): on a shorter one its gap is told
by its velocity, being not much longer than what rounding leaves of it."""

SHORTEST = 1e-16
"""Fraction of the length of a run below which an event is at the beginning of a step."""

CLOSES, SLIDING_ENDS, FORCES_CHANGE = range(3)


@dataclass(frozen=True)
class Event:
    """What happens, at which contact, and how long after the beginning of the step [s]."""

    kind: int
    contact: int
    after: float


class Locator:
    """Looks for the first event between the present state of a flight at ``t`` and the state after ``high``."""

    def __init__(self, flight: Flight, t: float, changes: Changes):
        self.flight, self.t, self.changes = flight, t, changes
        flight.look(t, flight.y)
        self.scale = max(abs(t), float(flight.march.request.stops[-1]))
        self.fresh = flight.gaps < at.TOUCHING
        self.leaving = flight.speeds[:, 0].copy()
        self.short = SHORT_FLIGHT * max(1.0, float(np.abs(flight.y[: flight.n]).max()))

    def first(self, low: float, high: float) -> Event | None:
        """The first event, seen between ``low`` and ``high``, or None where it was an error of the dense output."""
        found = [Event(kind, k, self.root(value, low, high)) for kind, k, value in self.seen(high)]
        return min(found, key=lambda event: event.after, default=None)

    def seen(self, h: float) -> list[tuple[int, int, Callable[[float], float]]]:
        """What has happened after ``h``: kind, contact, and what is positive before it and negative after."""
        flight, t = self.flight, self.t
        flight.arrive(t, h)
        flight.look(t + h, flight.arrived)
        gaps = flight.gaps.copy()
        found: list[tuple[int, int, Callable[[float], float]]] = []
        for k in np.flatnonzero(flight.modes == at.OPEN).tolist():
            if self.fresh[k]:
                if self.mean_speed(k, h) < -at.NOISE * flight.fastest[k]:
                    found.append((CLOSES, k, partial(self.mean_speed, k)))
            elif gaps[k] < 0.0:
                found.append((CLOSES, k, partial(self.gap, k)))
        if not len(flight.active):
            return found
        flight.arrive(t, h)
        flight.measure(t + h, flight.arrived)
        unique = not flight.run_record.is_redundant
        for j in self.changes.breaches():
            k = int(flight.active[j // 2])
            if self.changes.sliding(j):
                found.append((SLIDING_ENDS, k, partial(self.margin, j)))
            else:
                found.append((FORCES_CHANGE, k, partial(self.margin, j) if unique else self.unchanged))
        return found

    def gap(self, k: int, h: float) -> float:
        self.flight.arrive(self.t, h)
        self.flight.look(self.t + h, self.flight.arrived)
        return float(self.flight.gaps[k])

    def speed(self, k: int, h: float) -> float:
        self.gap(k, h)
        return float(self.flight.speeds[k, 0])

    def mean_speed(self, k: int, h: float) -> float:
        """Of a contact that opens at the beginning of the step: zero where it is back.

        Simpson's rule is free of the rounding of the gap, which hides short flights.
        """
        first, half = float(self.leaving[k]), self.speed(k, 0.5 * h)
        gap, last = self.gap(k, h), float(self.flight.speeds[k, 0])
        if max(abs(first), abs(half), abs(last)) * h > self.short:
            return gap / h
        return (first + 4.0 * half + last) / 6.0

    def margin(self, j: int, h: float) -> float:
        self.flight.arrive(self.t, h)
        self.flight.measure(self.t + h, self.flight.arrived)
        return float(self.flight.margins()[0][j])

    def unchanged(self, h: float) -> float:
        """1 where the contacts can go on as they are, −1 where they cannot."""
        self.flight.arrive(self.t, h)
        self.flight.measure(self.t + h, self.flight.arrived)
        return -1.0 if self.changes.changes() else 1.0

    def root(self, value: Callable[[float], float], low: float, high: float) -> float:
        """Return where ``value`` becomes negative; the beginning where it is negative from there on.

        What changed at the beginning of the step is zero there (sliding that reverses, say), and may rise before it
        falls: then a positive value is found nearer to the beginning.
        """
        from scipy.optimize import brentq

        begin = next((x for x in (low, 0.0) if value(x) > 0.0), None)
        if begin is None:
            begin = 0.5 * high
            while not value(begin) > 0.0:
                begin, high = 0.5 * begin, begin
                if begin < SHORTEST * self.scale:
                    return 0.0
        return float(brentq(value, begin, high, xtol=1e-18, rtol=1e-15, disp=False))
