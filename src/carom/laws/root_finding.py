"""Roots of functions of one variable, without SciPy: laws solve for their factors when they are made."""

from __future__ import annotations

from collections.abc import Callable


def root(f: Callable[[float], float], low: float, high: float) -> float:
    """Where f changes sign between ``low`` and ``high``, to the last digit.

    Inverse quadratic interpolation where it can be trusted, else bisection: T. R. Chandrupatla, A new hybrid
    quadratic/bisection algorithm for finding the zero of a nonlinear function, Advances in Engineering Software 28
    (1997) 145–149.
    """
    a, b = low, high
    fa, fb = f(a), f(b)
    if fa == 0.0:
        return a
    if fb == 0.0:
        return b
    if (fa > 0.0) == (fb > 0.0):
        raise ValueError(f"no change of sign between {low:g} and {high:g}")
    share = 0.5
    while True:
        x = a + share * (b - a)
        fx = f(x)
        if (fx > 0.0) == (fa > 0.0):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        best = a if abs(fa) < abs(fb) else b
        least = 2.3e-16 * abs(best) + 5e-324
        width = abs(b - c)
        if fx == 0.0 or least >= 0.5 * width:
            return best
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            share = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        else:
            share = 0.5
        edge = least / abs(b - a)
        share = min(max(share, edge), 1.0 - edge)
