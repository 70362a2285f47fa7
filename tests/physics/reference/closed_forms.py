"""Impacts with a closed form or a first integral: one mass m against a wall, approach speed v, no other force.

For F = K δⁿ (1 + A δ̇/v) the first integral is  K δⁿ⁺¹/(n + 1) = m v² [G(1) − G(u)],  u = δ̇/v,
G(u) = u/A − ln(1 + A u)/A²  (u²/2 for A = 0). Two bodies: m is the reduced mass, v the relative speed.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import gamma

NODES, WEIGHTS = np.polynomial.legendre.leggauss(160)
NODES, WEIGHTS = 0.5 * (NODES + 1.0), 0.5 * WEIGHTS


def log_remainder(q):
    """[ln(1 − q) + q]/q², −1/2 at q = 0, without cancellation."""
    q = np.asarray(q, float)
    small = np.abs(q) < 0.5
    near = np.where(small, q, 0.0)
    series = np.zeros_like(near)
    for k in range(56, -1, -1):
        series = series * near - 1.0 / (k + 2)
    far = np.where(small, 0.75, q)
    return np.where(small, series, (np.log1p(-far) + far) / far**2)


def first_integral(u, damping):
    """G(u) = −u² [ln(1 + A u) − A u]/(A u)²: energy over m v² that remains to be lost at the speed u v."""
    return -np.square(u) * log_remainder(-damping * np.asarray(u))


def returned_restitution(damping: float) -> float:
    """The e > 0 with A (1 + e) = ln[(1 + A)/(1 − A e)], i.e. G(−e) = G(1); e = 1 for A = 0."""
    if damping == 0.0:
        return 1.0
    level = float(first_integral(1.0, damping))
    top = 1.0 if damping < 1.0 else math.nextafter(1.0 / damping, 0.0)
    return brentq(lambda e: float(first_integral(-e, damping)) - level, 0.0, top, xtol=1e-300, rtol=8.9e-16)


def damping_of_restitution(restitution: float) -> float:
    """The A that returns e: the same relation solved for A, with the root A = 0 divided out; 0 for e = 1."""
    if restitution >= 1.0:
        return 0.0
    e = restitution

    def residual(a: float) -> float:
        return float(log_remainder(-a) - e * e * log_remainder(a * e))

    return brentq(residual, 0.0, math.nextafter(1.0 / e, 0.0), xtol=1e-300, rtol=8.9e-16)


def speed_at_level(level, damping: float, sign: float):
    """u of the given sign with G(u) = level, by Newton on √(2G) (nearly linear in u) with bisection behind it."""
    target = np.sqrt(2.0 * np.asarray(level, float))
    low, high = np.zeros_like(target), np.ones_like(target)
    if sign < 0.0 and damping > 1.0:
        high = np.full_like(target, math.nextafter(1.0 / damping, 0.0))
    size = np.minimum(target, high)
    for _ in range(200):
        value = np.sqrt(2.0 * first_integral(sign * size, damping))
        low, high = np.where(value < target, size, low), np.where(value < target, high, size)
        slope = size / (np.maximum(value, 1e-300) * (1.0 + sign * damping * size))
        trial = size - (value - target) / slope
        trial = np.where((trial > low) & (trial < high), trial, 0.5 * (low + high))
        if np.all(np.abs(trial - size) <= 4e-16 * np.abs(trial)):
            break
        size = trial
    return sign * size


def largest_indentation(stiffness: float, exponent: float, damping: float, mass: float, speed: float) -> float:
    """δmax: u = 0 in the first integral."""
    level = (exponent + 1.0) * mass * speed**2 / stiffness * float(first_integral(1.0, damping))
    return level ** (1.0 / (exponent + 1.0))


def peak_force(stiffness: float, exponent: float, damping: float, mass: float, speed: float) -> float:
    """Largest K δⁿ (1 + A u): where n u = (n + 1) A [G(1) − G(u)]."""
    top = float(first_integral(1.0, damping))

    def slope(u: float) -> float:
        return exponent * u - (exponent + 1.0) * damping * (top - float(first_integral(u, damping)))

    u = brentq(slope, 0.0, 1.0, xtol=1e-300, rtol=8.9e-16) if damping > 0.0 else 0.0
    left = top - float(first_integral(u, damping))
    indentation = ((exponent + 1.0) * mass * speed**2 / stiffness * left) ** (1.0 / (exponent + 1.0))
    return stiffness * indentation**exponent * (1.0 + damping * u)


def phase_time(exponent: float, damping: float, sign: float) -> float:
    """∫ dx/|u| over x = δ/δmax in one phase (sign +1 compression, −1 restitution): its time times v/δmax.

    x = 1 − (1 − r²)² takes the root at x = 1 and the powers x^(n+1) at x = 0 (n = 3/2) out of the integrand.
    """
    r = NODES
    x = 1.0 - (1.0 - r * r) ** 2
    left = 1.0 - x ** (exponent + 1.0)
    far = x < 0.9  # 1 − x^(n+1) near x = 1 without cancellation
    left = np.where(far, left, -np.expm1((exponent + 1.0) * np.log1p(-((1.0 - r * r) ** 2))))
    u = speed_at_level(float(first_integral(1.0, damping)) * left, damping, sign)
    return float(np.sum(WEIGHTS * 4.0 * r * (1.0 - r * r) / np.abs(u)))


def power_law_impact(stiffness: float, exponent: float, damping: float, mass: float, speed: float) -> dict[str, float]:
    """F = K δⁿ (1 + A δ̇/v): peak force, δmax, durations of the phases and of the whole, returned restitution."""
    depth = largest_indentation(stiffness, exponent, damping, mass, speed)
    compression = depth / speed * phase_time(exponent, damping, 1.0)
    restitution = depth / speed * phase_time(exponent, damping, -1.0)
    returned = returned_restitution(damping)
    return {
        "peak_force": peak_force(stiffness, exponent, damping, mass, speed),
        "max_indentation": depth,
        "compression_time": compression,
        "restitution_time": restitution,
        "duration": compression + restitution,
        "restitution": returned,
        "separation_speed": returned * speed,
        "dissipated": 0.5 * mass * speed**2 * (1.0 - returned**2),
    }


def hertz_impact(stiffness: float, mass: float, speed: float, exponent: float = 1.5) -> dict[str, float]:
    """Elastic K δⁿ: δmax = [(n + 1) m v²/(2K)]^(1/(n+1)), duration 2 √π Γ(1 + p)/Γ(½ + p) δmax/v, p = 1/(n + 1)."""
    p = 1.0 / (exponent + 1.0)
    depth = ((exponent + 1.0) * mass * speed**2 / (2.0 * stiffness)) ** p
    return {
        "max_indentation": depth,
        "peak_force": stiffness * depth**exponent,
        "duration": 2.0 * math.sqrt(math.pi) * gamma(1.0 + p) / gamma(0.5 + p) * depth / speed,
    }


def plastic_unloading_impact(stiffness: float, restitution: float, mass: float, speed: float) -> dict[str, float]:
    """Loading K δ^1.5, unloading Fmax ((δ − δp)/(δmax − δp))^1.5 with δp = (1 − c²) δmax: returns c exactly.

    The force ends at δp > 0 (`duration`); the surfaces, not healed, are apart only δp/(c v) later (`duration_to_gap`).
    """
    elastic = hertz_impact(stiffness, mass, speed)
    permanent = (1.0 - restitution**2) * elastic["max_indentation"]
    half = 0.5 * elastic["duration"]
    return {
        "peak_force": elastic["peak_force"],
        "max_indentation": elastic["max_indentation"],
        "permanent_indentation": permanent,
        "compression_time": half,
        "restitution_time": restitution * half,
        "duration": (1.0 + restitution) * half,
        "duration_to_gap": (1.0 + restitution) * half + permanent / (restitution * speed),
        "restitution": restitution,
    }


def kelvin_voigt_impact(
    stiffness: float, damping: float, mass: float, speed: float, tension: bool = False
) -> dict[str, float]:
    """F = K δ + D δ̇ from δ = 0 at speed v, underdamped (ζ < 1). With `tension` it acts until δ = 0 again,
    otherwise until F = 0 (at `separation_indentation` > 0; the gap opens at `duration_to_gap`)."""
    omega = math.sqrt(stiffness / mass)
    zeta = damping / (2.0 * math.sqrt(stiffness * mass))
    if not 0.0 <= zeta < 1.0:
        raise ValueError(f"damping ratio must lie in [0, 1), got {zeta}")
    root = math.sqrt(1.0 - zeta * zeta)
    turn = math.acos(zeta)  # phase from onset to δ̇ = 0

    def state(phase: float) -> tuple[float, float]:
        decay = math.exp(-zeta / root * phase)
        return speed / (omega * root) * decay * math.sin(phase), speed / root * decay * math.sin(turn - phase)

    end = math.pi if tension else 2.0 * turn  # F ∝ exp(−ζωt) sin(2·turn − phase)
    depth, rate = state(end)
    depth = 0.0 if tension or zeta == 0.0 else depth
    crest = 3.0 * turn - math.pi  # F' = 0; before the onset for ζ > 1/2: then F is largest at the start
    summit, summit_rate = state(max(crest, 0.0))
    returned = -rate / speed
    return {
        "peak_force": stiffness * summit + damping * summit_rate,
        "max_indentation": state(turn)[0],
        "compression_time": turn / (omega * root),
        "duration": end / (omega * root),
        "duration_to_gap": end / (omega * root) + depth / (returned * speed),
        "separation_indentation": depth,
        "restitution": returned,
        "damping_ratio": zeta,
    }


def bouncing_ball(height: float, restitution: float, gravity: float, bounces: int) -> dict[str, np.ndarray | float]:
    """Rigid ball dropped from rest: impact times, speeds before them, and the Zeno time where the bounces pile up."""
    first = math.sqrt(2.0 * height / gravity)
    k = np.arange(bounces)
    speeds = gravity * first * restitution**k
    flights = 2.0 * first * restitution ** np.arange(1, bounces)
    end = first * (1.0 + restitution) / (1.0 - restitution) if restitution < 1.0 else math.inf
    return {"times": first + np.concatenate(([0.0], np.cumsum(flights))), "speeds": speeds, "zeno_time": end}
