"""Integrals over half the circumference of a film, θ from a to a + π, with D = 1 + ε cos θ.

J. F. Booker, A table of the journal-bearing integral, Journal of Basic Engineering 87 (1965) 533–535.
"""

from __future__ import annotations

import math

import numpy as np

from carom.kernels import jit

SMALL = 0.05
"""Eccentricity below which closed forms lose digits and quadrature has all [-]."""
POINTS, WEIGHTS = (tuple(float(number) for number in numbers) for numbers in np.polynomial.legendre.leggauss(14))


@jit
def quadrature(epsilon, a):
    """Return the six integrals of `arc_integrals` by Gauss's quadrature."""
    one = 0.0
    c = 0.0
    s = 0.0
    cc = 0.0
    ss = 0.0
    sc = 0.0
    half = 0.5 * math.pi
    for k in range(len(POINTS)):
        theta = a + half * (1.0 + POINTS[k])
        cosine = math.cos(theta)
        sine = math.sin(theta)
        weight = half * WEIGHTS[k] / (1.0 + epsilon * cosine) ** 3
        one += weight
        c += weight * cosine
        s += weight * sine
        cc += weight * cosine * cosine
        ss += weight * sine * sine
        sc += weight * sine * cosine
    return one, c, s, cc, ss, sc


@jit
def arc_integrals(epsilon, a):
    """Return the integrals of 1, cos θ, sin θ, cos² θ, sin² θ and sin θ cos θ, each divided by D³."""
    if epsilon < SMALL:
        return quadrature(epsilon, a)
    cosine = math.cos(a)
    sine = math.sin(a)
    rest = 1.0 - epsilon * epsilon
    root = math.sqrt(rest)
    beta = epsilon / (1.0 + root)
    ends = (1.0 - epsilon * cosine) * (1.0 + epsilon * cosine)  # D(a) D(a + π)
    turn = math.atan(beta * sine / (1.0 - beta * cosine)) + math.atan(beta * sine / (1.0 + beta * cosine))
    # Integrals of 1/D, 1/D² and 1/D³.
    j1 = (math.pi + 2.0 * turn) / root
    j2 = (j1 + 2.0 * epsilon * sine / ends) / rest
    edge = 2.0 * epsilon * sine * (1.0 + (epsilon * cosine) ** 2) / (ends * ends)
    j3 = 0.5 * (edge + 3.0 * j2 - j1) / rest
    cc = (j1 - 2.0 * j2 + j3) / (epsilon * epsilon)
    s = 2.0 * cosine / (ends * ends)
    sc = -2.0 * epsilon * cosine**3 / (ends * ends)
    return j3, (j2 - j3) / epsilon, s, cc, j3 - cc, sc
