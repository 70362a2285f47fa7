"""Words for quantities and units, as they stand on an axis."""

from __future__ import annotations

from collections.abc import Sequence

_QUANTITIES = {
    "x": "position x",
    "y": "position y",
    "vx": "velocity x",
    "vy": "velocity y",
    "omega": "angular velocity",
    "ax": "acceleration x",
    "ay": "acceleration y",
    "alpha": "angular acceleration",
    "angle_rate": "angular velocity",
    "displacement_rate": "velocity",
    "fx": "force x",
    "fy": "force y",
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


def quantity_words(quantity: str) -> str:
    """What a series is called by people: "velocity x" for "vx"."""
    return _QUANTITIES.get(quantity, quantity.replace("_", " "))


def unit_words(unit: str) -> str:
    """A unit as it is printed: "m/s²" for "m/s^2"; 1 for a bare number."""
    return unit.replace("^2", "²").replace("^3", "³").replace(" ", "\u2009") or "1"


def axis_words(quantities: Sequence[str], unit: str, power: int = 0) -> str:
    """Label of an axis that shows ``quantities``, all in ``unit``: what they have in common, and the unit.

    With a ``power`` the numbers on the axis are in 10^power of the unit.
    """
    names = {quantity_words(quantity) for quantity in quantities}
    noun = names.pop() if len(names) == 1 else _UNITS.get(unit, "value")
    scale = f"$10^{{{power}}}$ " if power else ""
    return f"{noun} [{scale}{unit_words(unit)}]"
