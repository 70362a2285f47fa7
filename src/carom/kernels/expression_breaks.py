"""Times at which a function is not smooth: those it declares, or where a formula has comparisons, min, max and abs.

The formula "min(t/0.5, 1)" switches at t = 0.5 s. A switch is found where the two sides are linear in time between the
switches found before, as those inside of it; what depends on the state switches at times that are not known.
"""

from __future__ import annotations

import ast
import math
from bisect import insort
from collections.abc import Callable, Collection, Iterable
from itertools import pairwise
from typing import Any

from carom.argument_checks import vector

MAX_ARGUMENTS, MAX_PAIRS = 8, 40
"""Arguments of min or max, and pairs of values in a formula, up to which switches are looked for."""
AFFINE = 1e-9
"""Deviation of a difference from a straight line, relative to its size, up to which it counts as linear [-]."""
SAME = 1e-12
"""Relative distance of two times that count as one [-]."""


def switching_pairs(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """Return the pairs of values that a syntax tree compares, those inside others first."""
    pairs = [pair for child in ast.iter_child_nodes(node) for pair in switching_pairs(child)]
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        pairs += pairwise(sides)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in ("min", "max") and len(node.args) <= MAX_ARGUMENTS:
            pairs += [(a, b) for k, a in enumerate(node.args) for b in node.args[k + 1 :]]
        elif node.func.id in ("abs", "fabs"):
            pairs += [(node.args[0], ast.Constant(0.0))]
    return pairs


def depends_on(node: ast.AST, names: Collection[str]) -> bool:
    """Return whether a syntax tree has no names but ``names``, and no state of a body."""
    parts = list(ast.walk(node))
    return not any(isinstance(part, ast.Attribute) for part in parts) and all(
        part.id in names for part in parts if isinstance(part, ast.Name)
    )


def zeros_of(differences: Iterable[Callable[[float], float]]) -> tuple[float, ...]:
    """Return the times at which functions of time that are piecewise linear vanish, in order [s]."""
    found: list[float] = []
    for difference in differences:
        edges = [-math.inf, *found, math.inf]
        for low, high in pairwise(edges):
            t = zero_between(difference, low, high)
            if t is not None and all(abs(t - known) > SAME * max(abs(t), abs(known)) for known in found):
                insort(found, t)
    return tuple(found)


def declared_breaks(owner: str, function: Callable[..., Any]) -> tuple[float, ...]:
    """Return the times at which a function says that it is not smooth, its attribute ``breaks`` [s]."""
    name = getattr(function, "__name__", "function")
    return vector(owner, f"{name}.breaks", getattr(function, "breaks", ()))


def zero_between(difference: Callable[[float], float], low: float, high: float) -> float | None:
    """Return where a function that is linear between two times vanishes [s]; None where it does not, or is not."""
    first = low if math.isfinite(low) else (high - 1.0 if math.isfinite(high) else 0.0)
    last = high if math.isfinite(high) else first + 1.0
    times = [first + part * (last - first) for part in (0.125, 0.3, 0.71, 0.875)]
    try:
        values = [difference(t) for t in times]
    except (ArithmeticError, ValueError):
        return None
    slope = (values[3] - values[0]) / (times[3] - times[0])
    size = max(abs(value) for value in values)
    for t, value in zip(times, values, strict=True):
        if not abs(values[0] + slope * (t - times[0]) - value) <= AFFINE * size:
            return None
    if not abs(slope) * (last - first) > AFFINE * size:
        return None
    t = times[0] - values[0] / slope
    if not low <= t <= high:
        return None
    return t - difference(t) / slope  # exact for a comparison with a number
