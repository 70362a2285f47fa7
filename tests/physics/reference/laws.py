"""Damping factors A(c) of the laws F = K δⁿ (1 + A δ̇/v⁻), by name, with Gonthier's equation as corrected.

(1 + d/c)/(1 − d) = exp(d (1 + 1/c)) with A = d/c is A (1 + c) = ln[(1 + A)/(1 − A c)]: Gonthier's exact law and the
exact restitution are one.
"""

from __future__ import annotations

import math

from .closed_forms import damping_of_restitution

FACTORS = {
    "hertz": lambda c: 0.0,
    "hunt_crossley": lambda c: 3.0 * (1.0 - c) / 2.0,
    "herbert_mcwhannell": lambda c: 6.0 * (1.0 - c) / ((2.0 * c - 1.0) ** 2 + 3.0),
    "lee_wang": lambda c: 3.0 * (1.0 - c) / 4.0,
    "lankarani_nikravesh": lambda c: 3.0 * (1.0 - c * c) / 4.0,
    "gonthier": damping_of_restitution,
    "gonthier_approximate": lambda c: (1.0 - c * c) / c,
    "zhiying_qishao": lambda c: 3.0 * (1.0 - c * c) * math.exp(2.0 * (1.0 - c)) / 4.0,
    "flores": lambda c: 8.0 * (1.0 - c) / (5.0 * c),
    "hu_guo": lambda c: 3.0 * (1.0 - c) / (2.0 * c),
    "exact_restitution": damping_of_restitution,
}


def damping_factor(law: str, restitution: float) -> float:
    """A of F = K δⁿ (1 + A δ̇/v⁻)."""
    return FACTORS[law](restitution)
