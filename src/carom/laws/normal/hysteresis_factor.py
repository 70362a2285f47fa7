"""Relation between the factor A of F = K δⁿ (1 + A δ̇/v⁻) and the restitution that an impact returns.

From m δ̇ dδ̇/dδ = −F, with w = δ̇/v⁻, the motion follows K δⁿ⁺¹/((n + 1) m v⁻²) = M(A) − w² M(A w) where
M(x) = (x − ln(1 + x))/x². It starts at w = 1, turns at w = 0 and ends at w = −e, where the right side vanishes again:
A (1 + e) = ln[(1 + A)/(1 − A e)], for any n and m.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from carom.laws.normal.base import elastic_time
from carom.laws.root_finding import root


def work_function(x: float) -> float:
    """Return M(x) = (x − ln(1 + x))/x² for x > −1; 1/2 at zero."""
    if abs(x) > 0.5:
        return (x - math.log1p(x)) / (x * x)
    s = x / (2.0 + x)  # ln(1 + x) = 2 artanh s avoids the cancellation.
    total, power, k = 0.0, 1.0, 3
    while power > 1e-17:
        total += power / k
        power *= s * s
        k += 2
    return (1.0 - 2.0 * s * total / (2.0 + x)) / (2.0 + x)


def returned_restitution(factor: float) -> float:
    """Return the restitution e of an impact with A = ``factor`` ≥ 0, to 1e-15."""
    if factor == 0.0:
        return 1.0
    return min(_rebound(_loading_work(factor)) / factor, 1.0)


def _loading_work(factor: float) -> float:
    """Return A² M(A) = A − ln(1 + A)."""
    return factor * factor * work_function(factor) if factor < 0.5 else factor - math.log1p(factor)


def _rebound(work: float) -> float:
    """Return y = −A w > 0 with y² M(−y) = −y − ln(1 − y) equal to ``work``."""
    # With u = −ln(1 − y) this is u − (1 − e⁻ᵘ) = work. It is convex in u, so that Newton's method converges to the root
    # from above; the trivial root w = 1 lies on the other side of u = 0.
    u = work + min(1.0, math.sqrt(2.0 * work))
    while True:
        y = -math.expm1(-u)
        residual = (y * y * work_function(-y) if u < 0.5 else u - y) - work
        u_new = u - residual / y
        if not u_new < u * (1.0 - 2e-16):
            return y
        u = u_new


def exact_factor(restitution: float) -> float:
    """Return A for which an impact returns exactly ``restitution`` in (0, 1]."""
    c = restitution
    if c == 1.0:
        return 0.0
    if c < 0.02:  # 1 − A e is below 1e-20.
        return 1.0 / c

    def residual(u: float) -> float:
        """Return the equation divided by (A e)², which removes the double root at zero."""
        y = -math.expm1(-u)
        return (work_function(-y) if u < 0.5 else (u - y) / (y * y)) - work_function(y / c) / (c * c)

    u = root(residual, 0.0, 2.0 + _loading_work(1.0 / c))
    return -math.expm1(-u) / c


def duration(factor: float, exponent: float) -> float:
    """Return the duration of the impact in units of δ_max/v⁻ [-]."""
    from scipy.integrate import quad

    a, n = factor, exponent
    if a == 0.0:
        return 2.0 * elastic_time(n)
    work = _loading_work(a)

    def compression(r: float) -> float:
        """Return the integrand over r, where w = 1 − rⁿ⁺¹ removes the singularity of 1/δⁿ at the onset."""
        h = r ** (n + 1.0)
        w = 1.0 - h
        ratio = 1.0 + a * w
        # (M(A) − w² M(A w))/h in a form without cancellation.
        energy = (w + h * work_function(a * h / ratio) / ratio) / ratio
        return float((work_function(a) / energy) ** (n / (n + 1.0)) / (ratio * work_function(a)))

    def restitution(s: float) -> float:
        """Return the integrand over s, where δ/δ_max = 1 − s² removes the singularity of 1/w at the turning point."""
        return 2.0 * s * a / _rebound(-work * math.expm1((n + 1.0) * math.log1p(-s * s)))

    parts = (quad(part, 0.0, 1.0, epsabs=0.0, epsrel=1e-12, limit=200)[0] for part in (compression, restitution))
    return float(sum(parts))


def lowest_valid_restitution(factor: Callable[[float], float], defined_from: float, tolerance: float) -> float:
    """Return the lowest c above which the factor A(c) returns c to within ``tolerance``.

    The factor is defined from ``defined_from`` to 1.
    """

    def excess(c: float) -> float:
        return abs(returned_restitution(factor(c)) - c) - tolerance

    high = 1.0
    for k in range(99, -1, -1):
        low = max(k / 100.0, defined_from)
        if excess(low) > 0.0:
            return root(excess, low, high)
        high = low
    return 0.0
