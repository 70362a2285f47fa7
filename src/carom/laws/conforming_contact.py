"""Laws for a journal in a bearing of nearly the same radius: half-angle of the contact by each of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.laws.materials import STEEL, Material, composite_modulus
from carom.laws.normal.liu_cylinder import LiuCylinder
from carom.laws.normal.persson import LARGEST_X, Persson
from carom.short_form import ShortRepr

TOLERANCE = 0.05
"""Relative error of the half-angle up to which a law counts as valid [-]."""
LARGEST_CLEARANCE = 0.1
"""Ratio of the clearance to the radius up to which Persson's solution, for equal radii, is valid [-]."""
LARGEST_LAYER = 0.5
"""Ratio of the thickness of a liner to the half-width of the contact up to which it is an elastic foundation [-]; the
theory of a thin layer needs a small one (Johnson, Contact Mechanics, section 5.8)."""


@dataclass(frozen=True)
class ConformingLaw:
    """One law for a journal in a bearing: the half-angle that it gives, and whether it is valid."""

    name: str
    half_angle: float
    """[rad]"""
    error: float
    """Error of the half-angle relative to the law that is exact for these bodies [-]."""
    valid: bool
    reason: str


@dataclass(frozen=True, repr=False)
class BearingAdvice(ShortRepr):
    """Contact of a journal in a bearing under a load, with the laws that are valid; ``print`` shows it as a table.

    Examples
    --------
    >>> import carom as cm
    >>> advice = cm.laws.advise(radii=(9.95e-3, -10e-3), length=0.02, load=2e4)
    >>> advice.laws["hertz"].valid, advice.laws["persson"].valid
    (False, True)
    """

    clearance: float
    """Radial clearance [m]."""
    length: float
    """[m]"""
    load: float
    """[N]"""
    half_angle: float
    """Half-angle of the contact [rad], of the law that is exact."""
    max_pressure: float
    """Largest pressure [Pa], of Persson's solution."""
    laws: dict[str, ConformingLaw]

    def __str__(self) -> str:
        rows = [
            ("radial clearance", f"{self.clearance:.4g} m"),
            ("load", f"{self.load:.4g} N on {self.length:.4g} m"),
            ("half-angle of contact", f"{self.half_angle:.4g} rad, {math.degrees(self.half_angle):.3g}°"),
            ("largest pressure", f"{self.max_pressure:.4g} Pa"),
        ]
        lines = ["Journal in a bearing", *(f"  {name:<24}{value}" for name, value in rows), "Laws"]
        for law in self.laws.values():
            mark = "valid  " if law.valid else "invalid"
            lines.append(
                f"  {law.name:<20}{mark}  half-angle {law.half_angle:.4g} rad ({law.error:+.1%}); {law.reason}"
            )
        return "\n".join(lines)


def advise_bearing(
    journal_radius: float,
    bearing_radius: float,
    length: float,
    load: float,
    materials: tuple[Material, Material] = (STEEL, STEEL),
    liner: float | None = None,
) -> BearingAdvice:
    """Return half-angle and pressure of a journal in a bearing under a ``load`` [N], and the valid laws.

    ``liner`` is the thickness [m] of a soft liner of the second material in a stiff bearing; without one both bodies
    are solid, and Persson's solution is exact for equal materials.

    Examples
    --------
    >>> from carom.laws.conforming_contact import advise_bearing
    >>> round(advise_bearing(9.5e-3, 10e-3, 0.02, 100.0).laws["hertz"].error, 3)
    0.0
    """
    owner = "advise"
    journal, bearing = positive(owner, "journal radius", journal_radius), positive(owner, "bearing radius",
                                                                                   bearing_radius)  # fmt: skip
    if not journal < bearing:
        raise ModelError(f"{owner}: the journal must be smaller than the bearing, got {journal:g} in {bearing:g} m")
    size, force, c = positive(owner, "length", length), positive(owner, "load", load), bearing - journal
    modulus = composite_modulus(*materials)
    conforming = Persson(modulus, size, c)
    angles = {
        "hertz": _hertz_angle(force, modulus, size, journal, bearing),
        "liu_cylinder": _angle_of_law(LiuCylinder(modulus, size, c), force),
        "persson": conforming.half_angle_of_load(force),
    }
    exact, reasons = "persson", {"hertz": "small contact", "liu_cylinder": "large contact", "persson": "solid bodies"}
    valid_layer = True
    if liner is not None:
        layer = positive(owner, "liner", liner)
        angles["elastic_foundation"] = _foundation_angle(force, materials[1], layer, size, bearing, c)
        ratio = layer / (bearing * angles["elastic_foundation"])
        exact, valid_layer = "elastic_foundation", ratio <= LARGEST_LAYER
        reasons["elastic_foundation"] = f"liner {ratio:.2g} of the half-width of the contact (limit {LARGEST_LAYER:g})"
    if not valid_layer:
        exact = "persson"
    laws = {}
    for name, angle in angles.items():
        error = angle / angles[exact] - 1.0
        valid = abs(error) <= TOLERANCE
        if name == "persson":
            valid = valid and c <= LARGEST_CLEARANCE * bearing and angle <= 2.0 * math.atan(math.sqrt(LARGEST_X))
        if name == "elastic_foundation":
            valid = valid and valid_layer
        laws[name] = ConformingLaw(name, angle, error, valid, reasons[name])
    pressure = float(conforming.pressure(0.0, force, bearing))
    return BearingAdvice(c, size, force, angles[exact], pressure, laws)


def _hertz_angle(load: float, modulus: float, length: float, journal: float, bearing: float) -> float:
    """Return the half-width of Hertz's line contact over the mean of the radii [rad]."""
    effective = journal * bearing / (bearing - journal)
    return math.sqrt(4.0 * load * effective / (math.pi * modulus * length)) / math.sqrt(journal * bearing)


def _angle_of_law(law: LiuCylinder, load: float) -> float:
    """Return the half-angle of the overlap of the circles at the indentation under a load [rad]."""
    depth = _root(lambda s: float(law.force(s)) - load, law.clearance)
    return math.acos(law.clearance / (law.clearance + depth))


def _foundation_angle(
    load: float, material: Material, thickness: float, length: float, radius: float, clearance: float
) -> float:
    """Return the half-angle for F = L R c M/h (ε/cos ε − sin ε), with the confined modulus M of the liner [rad]."""
    nu = material.poisson
    if not nu < 0.5:
        raise ModelError(f"advise: a liner with Poisson's ratio {nu:g} is incompressible, not an elastic foundation")
    confined = material.young * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu))
    ratio = load * thickness / (length * radius * clearance * confined)
    tangent = _root(lambda t: math.atan(t) * math.hypot(1.0, t) - t / math.hypot(1.0, t) - ratio, 1.0)
    return math.atan(tangent)


def _root(function: Callable[[float], float], scale: float) -> float:
    """Return the positive zero of an increasing function by bisection."""
    high = scale
    while function(high) < 0.0:
        high *= 2.0
    low = 0.0
    while True:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            return middle
        if function(middle) < 0.0:
            low = middle
        else:
            high = middle
