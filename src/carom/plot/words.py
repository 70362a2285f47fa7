"""Words for quantities and units, as they stand on an axis."""

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
_MULTIPLIED = ("N", "N m", "J", "W")
"""Units that people take by the thousand; lengths and times they do not."""


def quantity_words(quantity: str) -> str:
    """What a series is called by people: "velocity x" for "vx"."""
    return _QUANTITIES.get(quantity, quantity.replace("_", " "))


def unit_words(unit: str) -> str:
    """A unit as it is printed: "m/s²" for "m/s^2"; 1 for a bare number."""
    return unit.replace("^2", "²").replace("^3", "³").replace(" ", "\u2009") or "1"


def power_of_ten(size: float, unit: str) -> int:
    """In which power of ten values up to ``size`` are told: 0 from 0.01 to 10 000, else one with a prefix if it can."""
    if not (math.isfinite(size) and size > 0.0):
        return 0
    power = math.floor(math.log10(size))
    if -3 < power < 4:
        return 0
    prefixed = 3 * (power // 3)
    return prefixed if _prefix(unit, prefixed) else power


def axis_words(quantities: Sequence[str], unit: str, power: int = 0) -> str:
    """Label of an axis that shows ``quantities``, all in ``unit``: what they have in common, and the unit.

    With a ``power`` the numbers on the axis are in 10^power of the unit: "µm", "kN", or the power itself.
    """
    names = {quantity_words(quantity) for quantity in quantities}
    noun = names.pop() if len(names) == 1 else _UNITS.get(unit, "value")
    scale = _prefix(unit, power) or (f"$10^{{{power}}}$ " if power else "")
    return f"{noun} [{scale}{unit_words(unit)}]"


def _prefix(unit: str, power: int) -> str:
    """What stands for 10^power before a unit; empty where nothing does."""
    known = unit in _UNITS or unit == "s"
    return _PREFIXES.get(power, "") if known and (power < 0 or unit in _MULTIPLIED) else ""
