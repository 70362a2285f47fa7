"""Time at equal accuracy: what a work–precision diagram says, as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Point:
    """One setting of one way to solve a problem: CPU time [s] and error."""

    way: str
    setting: str
    seconds: float
    error: float
    steps: int = 0


def reliable(points: Iterable[Point]) -> list[Point]:
    """The points of one way, from coarse to fine, each with the largest error of it and of all finer ones.

    Errors change sign and happen to vanish; a setting is only as good as the ones that should be better.
    """
    kept: list[Point] = []
    worst = 0.0
    for point in reversed(list(points)):
        # What is not a number is no result.
        worst = max(worst, point.error) if math.isfinite(point.error) else math.inf
        kept.append(Point(point.way, point.setting, point.seconds, worst, point.steps))
    return kept[::-1]


def front(points: Iterable[Point]) -> list[Point]:
    """Return the points of all settings that no other beats in both time and error, from coarse to fine."""
    ways: dict[str, list[Point]] = {}
    for point in points:
        ways.setdefault(point.way, []).append(point)
    candidates = [point for way in ways.values() for point in reliable(way) if math.isfinite(point.error)]
    best: list[Point] = []
    for point in sorted(candidates, key=lambda p: (p.seconds, p.error)):
        if not best or point.error < best[-1].error:
            best.append(point)
    return best


def time_for(points: Iterable[Point], error: float) -> float:
    """CPU seconds to reach ``error``, between settings along the front (a power law); infinite where none does."""
    line = front(points)
    if not line or line[-1].error > error:
        return math.inf
    if line[0].error <= error:
        return line[0].seconds
    for rough, fine in pairwise(line):
        if fine.error <= error:
            least = max(fine.error, 1e-300)
            share = math.log(rough.error / error) / math.log(rough.error / least)
            return rough.seconds * (fine.seconds / rough.seconds) ** share
    raise AssertionError("a front reaches what its last point reaches")


def ratio_at_best(ours: Iterable[Point], theirs: Iterable[Point]) -> tuple[float, float]:
    """The best accuracy of ``theirs``, no better than that of ``ours``, and how many times as long they take for it."""
    ours, theirs = list(ours), list(theirs)
    error = max(front(theirs)[-1].error, front(ours)[-1].error)
    return error, time_for(theirs, error) / time_for(ours, error)
