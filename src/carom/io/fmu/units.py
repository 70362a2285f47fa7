"""Units of signals as products of SI base units, as an FMU declares them."""

from __future__ import annotations

import re

BASE = {"kg": (1, 0, 0, 0), "m": (0, 1, 0, 0), "s": (0, 0, 1, 0), "rad": (0, 0, 0, 1)}
"""Exponents of kg, m, s and rad."""
UNITS = {
    **BASE,
    "1": (0, 0, 0, 0),
    "N": (1, 1, -2, 0),
    "J": (1, 2, -2, 0),
    "W": (1, 2, -3, 0),
    "Pa": (1, -1, -2, 0),
    "Hz": (0, 0, -1, 0),
}  # fmt: skip
_FACTOR = re.compile(r"([A-Za-z]+|1)(?:\^?(-?\d+))?")


def base_exponents(unit: str) -> dict[str, int] | None:
    """Return the exponents of the SI base units, such as {"kg": 1, "m": 1, "s": -2} for "N"; None if unknown.

    Products are written with spaces, and every factor behind "/" divides: "N s/m", "rad/s^2", "kg m^2".
    """
    total = [0, 0, 0, 0]
    for place, part in enumerate(unit.replace("²", "^2").replace("³", "^3").split("/")):
        for text in part.split():
            match = _FACTOR.fullmatch(text)
            if match is None or match[1] not in UNITS:
                return None
            power = int(match[2] or 1) * (-1 if place else 1)
            total = [sum_ + power * exponent for sum_, exponent in zip(total, UNITS[match[1]], strict=True)]
    return {name: exponent for name, exponent in zip(BASE, total, strict=True) if exponent}
