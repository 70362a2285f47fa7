"""Hertz stiffness of two spheres, or of a sphere and a plane."""

from __future__ import annotations

import math
from typing import Any

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.laws.materials import STEEL, Material, composite_modulus


def effective_radius(radius_a: float, radius_b: float = math.inf) -> float:
    """Return R with 1/R = 1/R_a + 1/R_b [m]; a negative radius is concave, an infinite one is a plane."""
    curvature = _curvature("radius_a", radius_a) + _curvature("radius_b", radius_b)
    if curvature <= 0.0:
        raise ModelError(
            f"hertz_stiffness: radii {radius_a:g} m and {radius_b:g} m give no point contact; 1/radius_a + 1/radius_b "
            "must be positive (a concave radius is negative and larger than the convex one)"
        )
    return 1.0 / curvature


def hertz_stiffness(
    radius_a: float, radius_b: float = math.inf, material_a: Material = STEEL, material_b: Material = STEEL
) -> float:
    """Return K = 4/3 E* √R [N/m^1.5] of F = K δ^1.5: Machado et al. 2012, eqs. (18) and (20).

    ``radius_b`` [m] is infinite for a plane, negative for the inside of a sphere: ``hertz_stiffness(0.0095, -0.010)``.

    Examples
    --------
    >>> import carom as cm
    >>> f"{cm.hertz_stiffness(0.0095, -0.010):.4g}"
    '6.61e+10'
    """
    for what, material in (("material_a", material_a), ("material_b", material_b)):
        if not isinstance(material, Material):
            raise ModelError(f"hertz_stiffness: {what} must be a Material such as STEEL, got {short_repr(material)}")
    return 4.0 / 3.0 * composite_modulus(material_a, material_b) * math.sqrt(effective_radius(radius_a, radius_b))


def _curvature(what: str, radius: Any) -> float:
    try:
        value = float(radius)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"hertz_stiffness: {what} must be a number, got {short_repr(radius)}") from None
    if value == 0.0 or math.isnan(value):
        raise ModelError(f"hertz_stiffness: {what} must be positive, negative (concave) or infinite, got {value:g}")
    return 1.0 / value
