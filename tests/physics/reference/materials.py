"""Hertz stiffness K = 4 √R_eff / (3 (σ_a + σ_b)), σ = (1 − ν²)/E, 1/R_eff = 1/R_a + 1/R_b (concave: R < 0)."""

from __future__ import annotations

import math


def hertz_stiffness(radius_a: float, radius_b: float, young: float, poisson: float) -> float:
    """K of two bodies of one material, N/m^1.5."""
    sigma = (1.0 - poisson**2) / young
    effective = 1.0 / (1.0 / radius_a + 1.0 / radius_b)
    return 4.0 / (6.0 * sigma) * math.sqrt(effective)


STEEL = (207e9, 0.3)
