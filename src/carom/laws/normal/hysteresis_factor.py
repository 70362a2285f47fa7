"""The restitution that F = K δⁿ (1 + A δ̇/v⁻) returns, and the factor A that returns a given one.

From m δ̇ dδ̇/dδ = −F, with w = δ̇/v⁻, the motion follows K δⁿ⁺¹/((n + 1) m v⁻²) = M(A) − w² M(A w) where
M(x) = (x − ln(1 + x))/x². It starts at w = 1, turns at w = 0 and ends at w = −e, where the right side vanishes again:
A (1 + e) = ln[(1 + A)/(1 − A e)], whatever n and m are.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from carom.laws.normal.base import elastic_time
from carom.laws.root_finding import root


def mean(x: float) -> float:
    """M(x) = (x − ln(1 + x))/x², for x > −1; 1/2 at zero."""
    if abs(x) > 0.5:
        return (x - math.log1p(x)) / (x * x)
    s = x / (2.0 + x)  # ln(1 + x) = 2 artanh s, so nothing cancels
    total, power, k = 0.0, 1.0, 3
    while power > 1e-17:
        total += power / k
        power *= s * s
        k += 2
    return (1.0 - 2.0 * s * total / (2.0 + x)) / (2.0 + x)


def returned_restitution(factor: float) -> float:
    """e that comes back with A = ``factor`` ≥ 0, to 1e-15."""
    if factor == 0.0:
        return 1.0
    return min(_going_back(_work(factor)) / factor, 1.0)


def _work(factor: float) -> float:
    """A² M(A) = A − ln(1 + A)."""
    return factor * factor * mean(factor) if factor < 0.5 else factor - math.log1p(factor)


def _going_back(level: float) -> float:
    """y = −A w > 0 at which y² M(−y) = −y − ln(1 − y) is ``level``."""
    # With u = −ln(1 − y) this is u − (1 − e⁻ᵘ) = level: convex in u, so that Newton's method comes down to the root
    # from above, and the trivial root w = 1 lies on the other side of u = 0.
    u = level + min(1.0, math.sqrt(2.0 * level))
    while True:
        y = -math.expm1(-u)
        gap = (y * y * mean(-y) if u < 0.5 else u - y) - level
        lower = u - gap / y
        if not lower < u * (1.0 - 2e-16):
            return y
        u = lower


def exact_factor(restitution: float) -> float:
    """A that returns exactly ``restitution`` in (0, 1]."""
    c = restitution
    if c == 1.0:
        return 0.0
    if c < 0.02:  # 1 − A e is below 1e-20
        return 1.0 / c

    def gap(u: float) -> float:  # the same equation over (A e)², which takes the double root at zero away
        y = -math.expm1(-u)
        return (mean(-y) if u < 0.5 else (u - y) / (y * y)) - mean(y / c) / (c * c)

    u = root(gap, 0.0, 2.0 + _work(1.0 / c))
    return -math.expm1(-u) / c


def duration(factor: float, exponent: float) -> float:
    """Of the impact, in units of δ_max/v⁻."""
    from scipy.integrate import quad

    a, n = factor, exponent
    if a == 0.0:
        return 2.0 * elastic_time(n)
    level = _work(a)

    def compression(r: float) -> float:  # w = 1 − rⁿ⁺¹ takes away the singularity of 1/δⁿ at the first touch
        h = r ** (n + 1.0)
        w = 1.0 - h
        rate = 1.0 + a * w
        share = (w + h * mean(a * h / rate) / rate) / rate  # (M(A) − w² M(A w))/h, without cancelling
        return float((mean(a) / share) ** (n / (n + 1.0)) / (rate * mean(a)))

    def restitution(s: float) -> float:  # δ/δ_max = 1 − s² takes away that of 1/w at the turning point
        return 2.0 * s * a / _going_back(-level * math.expm1((n + 1.0) * math.log1p(-s * s)))

    parts = (quad(part, 0.0, 1.0, epsabs=0.0, epsrel=1e-12, limit=200)[0] for part in (compression, restitution))
    return float(sum(parts))


def valid_from(factor: Callable[[float], float], lowest: float, close: float) -> float:
    """Least c from which on up to 1 the factor A(c), defined from ``lowest`` on, returns c to within ``close``."""

    def excess(c: float) -> float:
        return abs(returned_restitution(factor(c)) - c) - close

    high = 1.0
    for k in range(99, -1, -1):
        low = max(k / 100.0, lowest)
        if excess(low) > 0.0:
            return root(excess, low, high)
        high = low
    return 0.0
