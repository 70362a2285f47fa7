"""Film of a journal bearing of finite length: Reynolds' equation in two dimensions, tabulated.

See `carom.laws.lubrication.film_tables`. Between its points the table is interpolated by cubic polynomials.
"""

from __future__ import annotations

import math

from carom.kernels import FILM, address_of, floats, jit, kernel, offset, record
from carom.laws.lubrication.base import Lubricant
from carom.laws.lubrication.film_tables import MAX_ECCENTRICITY, N_DIRECTIONS, N_ECCENTRICITIES, film_table
from carom.laws.lubrication.short_bearing import short_film

PARAMS = record("viscosity length")  # [Pa s], [m]; the table follows
TABLE_OFFSET = PARAMS.size
SPACING = -math.log1p(-MAX_ECCENTRICITY) / (N_ECCENTRICITIES - 1)
"""Step of −ln(1 − ε) between two rows of the table."""


@jit
def cubic_weights(t):
    """Return the weights of four equally spaced values, for a place between the second and the third."""
    return (
        -t * (t - 1.0) * (t - 2.0) / 6.0,
        (t + 1.0) * (t - 1.0) * (t - 2.0) / 2.0,
        -(t + 1.0) * t * (t - 2.0) / 2.0,
        (t + 1.0) * t * (t - 1.0) / 6.0,
    )


@jit
def interpolate(table, epsilon, wedge, squeeze):
    """Return the two forces over the size of the force on a short bearing."""
    x = -math.log1p(-epsilon) / SPACING
    row = min(max(math.floor(x) - 1, 0), N_ECCENTRICITIES - 4)
    angle = math.atan2(squeeze, wedge) / (2.0 * math.pi) * N_DIRECTIONS
    column = math.floor(angle)
    along_e = cubic_weights(x - row - 1.0)
    along_angle = cubic_weights(angle - column)
    radial = 0.0
    tangential = 0.0
    for i in range(4):
        for j in range(4):
            k = 2 * ((row + i) * N_DIRECTIONS + (column - 1 + j + N_DIRECTIONS) % N_DIRECTIONS)
            weight = along_e[i] * along_angle[j]
            radial += weight * table[k]
            tangential += weight * table[k + 1]
    return radial, tangential


@kernel(FILM, PARAMS)
def finite_bearing(p, radius, clearance, eccentricity, wedge, squeeze, force):
    """Evaluate the force of the film of a bearing of finite length."""
    epsilon = min(eccentricity, MAX_ECCENTRICITY)
    ratio = radius / clearance
    short_radial, short_tangential = short_film(epsilon, wedge, squeeze)
    factor = 12.0 * p.viscosity * p.length * radius * ratio * ratio * math.hypot(short_radial, short_tangential)
    radial, tangential = interpolate(offset(floats(address_of(p)), TABLE_OFFSET), epsilon, wedge, squeeze)
    force[0] = factor * radial
    force[1] = factor * tangential


class FiniteBearing(Lubricant):
    """Film of a bearing of any length, from a table of numerical solutions of Reynolds' equation.

    ``viscosity`` [Pa s], ``length`` of the bearing [m]. The film carries where its pressure is positive. The table is
    computed once per ratio of length to diameter, in about a second; eccentricities above 0.999 have its last values.

    Examples
    --------
    >>> import carom as cm
    >>> oil = cm.lubrication.FiniteBearing(viscosity=0.4, length=0.02)
    >>> radial, tangential = oil.force(radius=0.01, clearance=1e-4, eccentricity=0.5, speed=100.0)
    >>> round(radial), round(tangential)
    (-57, 114)
    """

    name = "finite_bearing"
    formula = "∂(D³ ∂p/∂θ)/∂θ + R² D³ ∂²p/∂z² = −12 μ (R/c)² (w sin θ − s cos θ), D = 1 + ε cos θ"
    reference = "O. Reynolds, Phil. Trans. 177 (1886) 157–234; L. Gümbel, E. Everling, Reibung und Schmierung, 1925"
    arguments = ("viscosity", "length")
    kernel = finite_bearing
    params = PARAMS

    def film_parameters(self, radius: float) -> tuple[float, ...]:
        """Return the values of the kernel parameters for a journal of ``radius`` [m], and the table."""
        return (*self.parameters, *film_table(self.length / (2.0 * radius)))
