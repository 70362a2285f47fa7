"""Forces of the film of a bearing of finite length, from Reynolds' equation in two dimensions.

    (D³ p_θ)_θ + (R/b)² D³ p_ζζ = −q(θ),   p = 0 at ζ = ±1,   D = 1 + ε cos θ

with half the length b and z = b ζ; p in units of 12 μ (R/c)², the source q = w sin θ − s cos θ. The pressure is a sum
of cosines along the axis; each has an equation along the circumference, on a grid that is fine where the film is thin
(A. Sommerfeld's angle φ, equally spaced). The film carries where the pressure is positive (L. Gümbel).

The forces are homogeneous of degree one in (w, s), so they are tabulated over ε and the direction atan2(s, w), as
ratios to the size of the force on a short bearing, which vary little.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from carom.laws.lubrication.base import evaluate_film
from carom.laws.lubrication.short_bearing import short_bearing

N_ANGLES, N_COSINES, N_AXIAL = 720, 24, 24
"""Grid points along the circumference, cosines along the axis and Gauss points along half of it."""
N_ECCENTRICITIES, N_DIRECTIONS = 64, 192
MAX_ECCENTRICITY = 0.999
"""Size of the tables."""


def sommerfeld_grid(epsilon: float) -> tuple[np.ndarray, ...]:
    """Return θ at the grid points, the film there and between them, and dθ/dφ at both."""
    spacing = 2.0 * np.pi / N_ANGLES
    phi = spacing * np.arange(N_ANGLES)
    films, slopes = [], []
    for angle in (phi, phi + 0.5 * spacing):
        denominator = 1.0 - epsilon * np.cos(angle)
        films.append((1.0 - epsilon**2) / denominator)
        slopes.append(np.sqrt(1.0 - epsilon**2) / denominator)
    root = np.sqrt((1.0 + epsilon) / (1.0 - epsilon))
    theta = 2.0 * np.arctan2(np.sin(0.5 * phi) * root, np.cos(0.5 * phi))
    return theta, *films, *slopes


def solve_periodic(diagonal: np.ndarray, upper: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """Return the solution of a symmetric tridiagonal system whose last unknown is beside the first one."""
    from scipy.linalg import solveh_banded  # slow to import, and few models have such a bearing

    corner = upper[-1]
    gamma = -diagonal[0]
    changed = diagonal.copy()
    changed[0] -= gamma
    changed[-1] -= corner**2 / gamma
    bands = np.zeros((2, len(diagonal)))
    bands[0, 1:], bands[1] = upper[:-1], changed
    u = np.zeros(len(diagonal))
    u[0], u[-1] = gamma, corner
    solution = solveh_banded(bands, np.column_stack([rhs, u]))
    x, z = solution[:, :-1], solution[:, -1]
    v_x = x[0] + corner / gamma * x[-1]
    v_z = z[0] + corner / gamma * z[-1]
    return np.asarray(x - np.outer(z, v_x / (1.0 + v_z)))


def pressures(epsilon: float, slenderness: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return θ, its weights and the pressures by wedge and squeeze (2 × θ × ζ), for ``slenderness`` L/(2 R)."""
    spacing = 2.0 * np.pi / N_ANGLES
    theta, film, film_between, slope, slope_between = sommerfeld_grid(epsilon)
    coupling = film_between**3 / slope_between / spacing
    sources = np.column_stack([np.sin(theta), -np.cos(theta)]) * (slope * spacing)[:, None]
    zeta, _ = axial_rule()
    result = np.zeros((2, N_ANGLES, len(zeta)))
    for k in range(N_COSINES):
        wave = (k + 0.5) * np.pi
        amplitude = 2.0 * (-1) ** k / wave
        diagonal = coupling + np.roll(coupling, 1) + (wave / slenderness) ** 2 * film**3 * slope * spacing
        along = solve_periodic(diagonal, -coupling, amplitude * sources)
        result += along.T[:, :, None] * np.cos(wave * zeta)
    return theta, slope * spacing, result


@lru_cache
def axial_rule() -> tuple[np.ndarray, np.ndarray]:
    """Return points and weights of Gauss's quadrature over half the length, ζ from 0 to 1."""
    points, weights = np.polynomial.legendre.leggauss(N_AXIAL)
    return 0.5 * (1.0 + points), 0.5 * weights


def film_forces(epsilon: float, slenderness: float, directions: np.ndarray) -> np.ndarray:
    """Return the radial and tangential forces for (w, s) = (cos, sin) of ``directions``, over 12 μ L R³/c² (n × 2)."""
    theta, weights, (wedge, squeeze) = pressures(epsilon, slenderness)
    _, axial = axial_rule()
    trigonometric = np.column_stack([np.cos(theta), np.sin(theta)]) * weights[:, None]
    result = np.zeros((len(directions), 2))
    for row, direction in zip(result, directions, strict=True):
        carried = np.maximum(np.cos(direction) * wedge + np.sin(direction) * squeeze, 0.0)
        row[:] = (carried @ axial) @ trigonometric
    return result


def eccentricities() -> np.ndarray:
    """Return the eccentricities of the tables, equally spaced in −ln(1 − ε)."""
    return -np.expm1(np.linspace(0.0, np.log1p(-MAX_ECCENTRICITY), N_ECCENTRICITIES))


@lru_cache(maxsize=8)
def film_table(slenderness: float) -> tuple[float, ...]:
    """Return the table of radial and tangential forces, eccentricity by eccentricity."""
    directions = 2.0 * np.pi * np.arange(N_DIRECTIONS) / N_DIRECTIONS
    inputs = np.ones((N_DIRECTIONS, 5))
    inputs[:, 3], inputs[:, 4] = np.cos(directions), np.sin(directions)
    rows = []
    for epsilon in eccentricities().tolist():
        inputs[:, 2] = epsilon
        short = evaluate_film(short_bearing, (1.0, 1.0), inputs)
        rows.append(film_forces(epsilon, slenderness, directions) / np.hypot(*short.T)[:, None])
    return tuple(np.array(rows).ravel().tolist())
