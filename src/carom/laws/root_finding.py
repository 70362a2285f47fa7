"""Root of a function of one variable, without SciPy, whose import would slow down the construction of a law."""

from __future__ import annotations

from collections.abc import Callable


def root(f: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of f between ``low`` and ``high``, where f changes its sign, to the last digit.

    Inverse quadratic interpolation where it is safe, else bisection: T. R. Chandrupatla, A new hybrid
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
    fraction = 0.5
    while True:
        x = a + fraction * (b - a)
        fx = f(x)
        if (fx > 0.0) == (fa > 0.0):
            c, fc = a, fa
        else:
            c, fc, b, fb = b, fb, a, fa
        a, fa = x, fx
        best = a if abs(fa) < abs(fb) else b
        min_width = 2.3e-16 * abs(best) + 5e-324
        if fx == 0.0 or min_width >= 0.5 * abs(b - c):
            return best
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
            fraction = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
        else:
            fraction = 0.5
        min_fraction = min_width / abs(b - a)
        fraction = min(max(fraction, min_fraction), 1.0 - min_fraction)
