"""Film of a long journal bearing.

Without flow along the axis, Reynolds' equation gives p' = 12 μ (R/c)² (w cos θ + s sin θ − K)/(1 + ε cos θ)³, see
`carom.laws.lubrication.base`. The rules differ in K and in the half of the circumference that carries pressure:

- "pi": K is that of a full film (A. Sommerfeld, 1904); its pressure, shifted by a constant, is positive on exactly half
  the circumference, which starts at tan θ₁ = s (2 + ε²)/(2 w).
- "arc": the pressure is zero at both ends of the half in which the film converges, w sin θ > s cos θ.
- "pinkus-sternlicht": an approximation that many papers on joints with clearance use. It differs from the exact forces
  by 10 to 25 %, and by a multiple for a journal that recedes from the wall.

O. Pinkus, B. Sternlicht, Theory of Hydrodynamic Lubrication, McGraw-Hill, 1961; P. Flores, J. Ambrósio, J. C. P. Claro,
Dynamic analysis for planar multibody mechanical systems with lubricated joints, Multibody System Dynamics 12 (2004)
47–74.
"""

from __future__ import annotations

import math

from carom.argument_checks import one_of
from carom.kernels import FILM, jit, kernel, record
from carom.laws.lubrication.arc_integrals import arc_integrals
from carom.laws.lubrication.base import Lubricant

PARAMS = record("viscosity length film")  # [Pa s], [m], index in `FILMS`
FILMS = ("pi", "arc", "pinkus-sternlicht")
PI, ARC = range(2)


@jit
def half_film(film, epsilon, wedge, squeeze):
    """Return the two components of the force, divided by 12 μ L R³/c² [1/s]."""
    square = epsilon * epsilon
    if film == PI:
        a = math.atan2(squeeze * (2.0 + square), 2.0 * wedge)
    else:
        a = math.atan2(squeeze, wedge)
    one, c, s, cc, ss, sc = arc_integrals(epsilon, a)
    if film == PI:
        K = -3.0 * epsilon * wedge / (2.0 + square)
    else:
        K = (wedge * c + squeeze * s) / one
    return -(wedge * sc + squeeze * ss - K * s), wedge * cc + squeeze * sc - K * c


@jit
def approximate_film(epsilon, wedge, squeeze):
    """Return the components after Pinkus and Sternlicht, divided by 12 μ L R³/c² [1/s].

    Their k is multiplied by |ε̇| here, so that it exists for ε̇ = 0.
    """
    if epsilon == 0.0:
        return -0.5 * math.pi * squeeze, 0.5 * math.pi * wedge
    square = epsilon * epsilon
    rest = 1.0 - square
    rate = abs(squeeze)
    k = math.sqrt(rest) * math.hypot(wedge, squeeze) / epsilon
    if k == 0.0:
        return 0.0, 0.0
    factor = k / (k + 1.5 * rate)
    if squeeze > 0.0:
        factor = (k + 3.0 * rate) / (k + 1.5 * rate)
    factor /= 2.0 + square
    radial = -0.5 * (4.0 * k * square + (2.0 + square) * math.pi * squeeze) / rest**1.5
    return factor * radial, factor * math.pi * wedge / math.sqrt(rest)


@kernel(FILM, PARAMS)
def long_bearing(p, radius, clearance, eccentricity, wedge, squeeze, force):
    """Evaluate the force of the film of a long bearing."""
    if p.film <= ARC:
        radial, tangential = half_film(int(p.film), eccentricity, wedge, squeeze)
    else:
        radial, tangential = approximate_film(eccentricity, wedge, squeeze)
    ratio = radius / clearance
    factor = 12.0 * p.viscosity * p.length * radius * ratio * ratio
    force[0] = factor * radial
    force[1] = factor * tangential


class LongBearing(Lubricant):
    """Film of a bearing that is long compared with its diameter, by closed forms.

    ``viscosity`` [Pa s], ``length`` of the bearing [m]. ``film`` says where the film carries: ``"pi"`` (half the
    circumference with the pressure of a full film, shifted), ``"arc"`` (the half in which the film converges) or
    ``"pinkus-sternlicht"`` (the approximation of the literature, for comparison).

    Examples
    --------
    >>> import carom as cm
    >>> oil = cm.lubrication.LongBearing(viscosity=0.4, length=0.04)
    >>> radial, tangential = oil.force(radius=0.01, clearance=1e-4, eccentricity=0.5, speed=100.0)
    >>> round(radial, 1), round(tangential, 1)
    (-284.4, 773.9)
    """

    name = "long_bearing"
    formula = "p′ = 12 μ (R/c)² (w cos θ + s sin θ − K)/(1 + ε cos θ)³"
    reference = "O. Pinkus, B. Sternlicht, Theory of Hydrodynamic Lubrication, McGraw-Hill, 1961"
    arguments = ("viscosity", "length", "film")
    kernel = long_bearing
    params = PARAMS

    def __init__(self, viscosity: float, length: float, film: str = "pi"):
        super().__init__(viscosity, length)
        self.film = one_of("LongBearing", "film", film, FILMS)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Values of the kernel parameters."""
        return PARAMS.pack(viscosity=self.viscosity, length=self.length, film=FILMS.index(self.film))
