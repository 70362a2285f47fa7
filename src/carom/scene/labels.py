"""Labels of quantities, units and axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

_QUANTITIES = {
    "x": "position x",
    "y": "position y",
    "z": "position z",
    "vx": "velocity x",
    "vy": "velocity y",
    "vz": "velocity z",
    **{f"w{axis}": f"angular velocity {axis}" for axis in "xyz"},
    "omega": "angular velocity",
    "ax": "acceleration x",
    "ay": "acceleration y",
    "az": "acceleration z",
    **{f"alpha_{axis}": f"angular acceleration {axis}" for axis in "xyz"},
    "alpha": "angular acceleration",
    "angle_rate": "angular velocity",
    "displacement_rate": "velocity",
    "fx": "force x",
    "fy": "force y",
    "fz": "force z",
    **{f"t{axis}": f"torque {axis}" for axis in "xyz"},
}
_UNITS = {
    "m": "position",
    "m/s": "velocity",
    "m/s^2": "acceleration",
    "rad": "angle",
    "rad/s": "angular velocity",
    "rad/s^2": "angular acceleration",
    "N": "force",
    "N m": "torque",
    "J": "energy",
    "W": "power",
}
_PREFIXES = {-9: "n", -6: "µ", -3: "m", 3: "k", 6: "M", 9: "G"}
_WITH_LARGE_PREFIX = ("N", "N m", "J", "W")
"""Units that take the prefixes k, M and G; lengths and times do not."""


def quantity_label(quantity: str) -> str:
    """Return the name of a series in words: "velocity x" for "vx"."""
    return _QUANTITIES.get(quantity, quantity.replace("_", " "))


def unit_label(unit: str) -> str:
    """Return a unit as it is printed: "m/s²" for "m/s^2"; 1 for a number without unit."""
    return unit.replace("^2", "²").replace("^3", "³").replace(" ", "\u2009") or "1"


def axis_exponent(size: float, unit: str) -> int:
    """Return the power of ten for values up to ``size``: 0 from 0.01 to 10 000, otherwise one with a prefix if any."""
    if not (math.isfinite(size) and size > 0.0):
        return 0
    exponent = math.floor(math.log10(size))
    if -3 < exponent < 4:
        return 0
    prefixed = 3 * (exponent // 3)
    return prefixed if _prefix(unit, prefixed) else exponent


def axis_label(quantities: Sequence[str], unit: str, exponent: int = 0) -> str:
    """Return the label of an axis for ``quantities`` of one ``unit``: their common name and the unit.

    With an ``exponent`` the numbers on the axis are multiples of 10^exponent of the unit: "µm", "kN", or the power
    itself.
    """
    names = {quantity_label(quantity) for quantity in quantities}
    noun = names.pop() if len(names) == 1 else _UNITS.get(unit, "value")
    scale = _prefix(unit, exponent) or (f"$10^{{{exponent}}}$ " if exponent else "")
    return f"{noun} [{scale}{unit_label(unit)}]"


def _prefix(unit: str, exponent: int) -> str:
    """Return the SI prefix of 10^exponent for a unit; empty if there is none."""
    is_known = unit in _UNITS or unit == "s"
    return _PREFIXES.get(exponent, "") if is_known and (exponent < 0 or unit in _WITH_LARGE_PREFIX) else ""


def length_label(length: float) -> str:
    """Return a length [m] in the unit that is read most easily.

    Examples
    --------
    >>> from carom.scene.labels import length_label
    >>> length_label(0.05), length_label(2.0), length_label(2e-5)
    ('50 mm', '2 m', '20 µm')
    """
    exponent = 0 if length >= 1.0 else max(3 * math.floor(math.log10(length) / 3.0), -9)
    return f"{length / 10.0**exponent:.4g} {_PREFIXES.get(exponent, '')}m"
