"""Film of a short journal bearing.

Without flow along the circumference the pressure is a parabola over the length, p = 6 μ q(θ) (L²/4 − z²)/(c² D³) with
the source q of `carom.laws.lubrication.base`. It is positive where q is, on half the circumference that starts at
tan α = s/w: with the squeeze this half moves from the textbooks' 0 … π.

G. B. DuBois, F. W. Ocvirk, Analytical derivation and experimental evaluation of short-bearing approximation for full
journal bearings, NACA Report 1157, 1953.
"""

from __future__ import annotations

import math

from carom.kernels import FILM, jit, kernel, record
from carom.laws.lubrication.arc_integrals import arc_integrals
from carom.laws.lubrication.base import Lubricant

PARAMS = record("viscosity length")  # [Pa s], [m]


@jit
def short_film(epsilon, wedge, squeeze):
    """Return the two components of the force, divided by μ R L³/c² [1/s]."""
    _, _, _, cc, ss, sc = arc_integrals(epsilon, math.atan2(squeeze, wedge))
    return wedge * sc - squeeze * cc, wedge * ss - squeeze * sc


@kernel(FILM, PARAMS)
def short_bearing(p, radius, clearance, eccentricity, wedge, squeeze, force):
    """Evaluate the force of the film of a short bearing."""
    radial, tangential = short_film(eccentricity, wedge, squeeze)
    factor = p.viscosity * radius * p.length * (p.length / clearance) ** 2
    force[0] = factor * radial
    force[1] = factor * tangential


class ShortBearing(Lubricant):
    """Film of a bearing that is short compared with its diameter (up to about half of it), by closed forms.

    ``viscosity`` [Pa s], ``length`` of the bearing [m]. The film carries where its pressure is positive: half the
    circumference, which moves with the squeeze.

    Examples
    --------
    >>> import carom as cm
    >>> oil = cm.lubrication.ShortBearing(viscosity=0.4, length=0.004)
    >>> radial, tangential = oil.force(radius=0.01, clearance=1e-4, eccentricity=0.5, speed=100.0)
    >>> round(radial, 3), round(tangential, 3)
    (-1.138, 1.548)
    """

    name = "short_bearing"
    formula = "p = 6 μ (w sin θ − s cos θ)(L²/4 − z²)/(c² (1 + ε cos θ)³)"
    reference = "G.B. DuBois, F.W. Ocvirk, NACA Report 1157, 1953"
    arguments = ("viscosity", "length")
    kernel = short_bearing
    params = PARAMS
