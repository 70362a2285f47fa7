"""Estimate of an impact before its simulation: stiffness, duration, peak force, time step and suitable laws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from carom.argument_checks import positive
from carom.errors import ModelError
from carom.laws.conforming_contact import BearingAdvice, advise_bearing
from carom.laws.materials import STEEL, Material, composite_modulus
from carom.laws.normal.base import RESTITUTION_TOLERANCE, NormalLaw, check_restitution
from carom.laws.normal.hertz import Hertz
from carom.laws.normal.hysteresis_factor import returned_restitution
from carom.laws.normal.hysteretic import Hysteretic
from carom.laws.normal.persson import Persson
from carom.laws.normal.plastic_unloading import PlasticUnloading
from carom.laws.normal.registry import LAWS
from carom.laws.stiffness import effective_radius, hertz_stiffness
from carom.short_form import ShortRepr

STEPS_PER_CONTACT = 50
"""Time steps per contact, with which a fixed-step method of fourth order returns the speed of an elastic impact to
2e-5."""

MAX_CONTACT_RADIUS = 0.1
"""Ratio of the contact radius to the smaller radius up to which half-space theory is accurate [-]."""

MAX_SPEED_RATIO = 1e-5
"""Ratio of approach speed to wave speed above which impacts leave permanent indentations [-] (Lankarani & Nikravesh
1994)."""


@dataclass(frozen=True)
class LawAdvice:
    """Restitution of a dissipative law compared with the prescribed one."""

    name: str
    validity: tuple[float, float]
    """Range of restitution in which the law returns the prescribed value to 0.1."""
    returned: float | None
    """Returned restitution [-]; None without a prescribed one, or if the damping is infinite."""
    valid: bool | None
    """True if the law returns the prescribed restitution to 0.1; None without a prescribed one."""


@dataclass(frozen=True, repr=False)
class Advice(ShortRepr):
    """Estimate of an elastic impact, with the laws for its restitution; ``print`` shows it as a table.

    Examples
    --------
    >>> import carom as cm
    >>> advice = cm.laws.advise(mass=0.1, speed=1.0, radii=0.01, restitution=0.8)
    >>> advice.laws["flores"].valid, advice.laws["lee_wang"].valid
    (True, False)
    """

    mass: float
    """Effective mass [kg]."""
    speed: float
    """Approach speed [m/s]."""
    radius: float
    """Effective radius [m]."""
    exponent: float
    restitution: float | None
    stiffness: float
    """[N/mⁿ]"""
    indentation: float
    """Largest indentation [m]."""
    duration: float
    """[s]"""
    peak_force: float
    """[N]"""
    step: float
    """Recommended upper limit of the time step during contact [s]: a fiftieth of the duration."""
    contact_radius: float
    """Radius of the contact area at the peak force [m]."""
    mean_pressure: float
    """Mean pressure on that area [Pa]."""
    laws: dict[str, LawAdvice] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    bearing: BearingAdvice | None = None
    """Contact of cylinders under the peak force of Persson's law, if the length was set."""

    def __str__(self) -> str:
        rows = [
            ("effective mass", self.mass, "kg"),
            ("approach speed", self.speed, "m/s"),
            ("effective radius", self.radius, "m"),
            ("stiffness", self.stiffness, f"N/m^{self.exponent:g}"),
            ("largest indentation", self.indentation, "m"),
            ("duration", self.duration, "s"),
            ("peak force", self.peak_force, "N"),
            ("contact radius", self.contact_radius, "m"),
            ("mean pressure", self.mean_pressure, "Pa"),
            ("time step in contact", self.step, f"s  (duration/{STEPS_PER_CONTACT})"),
        ]
        lines = ["Impact, elastic (Hertz)"]
        lines += [f"  {quantity:<22}{value:>12.4g} {unit}" for quantity, value, unit in rows]
        prescribed = "" if self.restitution is None else f", {self.restitution:g} prescribed"
        lines.append(f"Laws: returned restitution{prescribed}")
        for law in self.laws.values():
            low, high = law.validity
            returned = "" if law.valid is None else _returned_text(law)
            lines.append(f"  {law.name:<22}valid {low:.2f} to {high:.2f}{returned}")
        lines += [f"Note: {note}" for note in self.notes]
        if self.bearing is not None:
            lines.append(str(self.bearing))
        return "\n".join(lines)


@overload
def advise(
    mass: float | Sequence[float],
    speed: float,
    radii: float | Sequence[float],
    materials: Material | Sequence[Material] = (STEEL, STEEL),
    restitution: float | None = None,
    exponent: float = 1.5,
    *,
    length: float | None = None,
    liner: float | None = None,
) -> Advice: ...


@overload
def advise(
    *,
    radii: Sequence[float],
    length: float,
    load: float,
    materials: Material | Sequence[Material] = (STEEL, STEEL),
    liner: float | None = None,
) -> BearingAdvice: ...


def advise(
    mass: float | Sequence[float] | None = None,
    speed: float | None = None,
    radii: float | Sequence[float] | None = None,
    materials: Material | Sequence[Material] = (STEEL, STEEL),
    restitution: float | None = None,
    exponent: float = 1.5,
    *,
    length: float | None = None,
    load: float | None = None,
    liner: float | None = None,
) -> Advice | BearingAdvice:
    """Estimate the impact of two bodies with the approach speed ``speed`` [m/s], or a loaded journal in its bearing.

    ``mass`` [kg] is the effective mass m_a m_b/(m_a + m_b), or a pair of masses (infinite for a fixed body); ``radii``
    [m] is one radius for contact with a plane, or a pair of radii (negative: concave). The values are those of an
    elastic impact; damping reduces the indentation and slightly increases the duration. The recommended step, a
    fiftieth of the duration, resolves the force for methods with a fixed step; adaptive methods choose a similar step
    themselves.

    With the ``length`` [m] of a journal (radii positive) in a bearing (radius negative) there is also which law of
    cylinders is valid under the peak force: Hertz, `LiuCylinder`, `Persson`; with a ``liner`` [m] of the bearing's
    material also an elastic foundation. With a ``load`` [N] in place of mass and speed, that alone.

    Examples
    --------
    >>> import carom as cm
    >>> advice = cm.laws.advise(mass=0.1, speed=1.0, radii=0.01)
    >>> f"{advice.duration:.3g} s, {advice.peak_force:.3g} N"
    '0.000108 s, 3.39e+03 N'
    >>> advice = cm.laws.advise(radii=(9.95e-3, -10e-3), length=0.02, load=2e4)
    >>> [name for name, law in advice.laws.items() if law.valid]
    ['persson']
    """
    if radii is None:
        raise ModelError("advise: set radii [m]")
    if load is not None:
        if mass is not None or speed is not None or length is None:
            raise ModelError("advise: a load [N] needs radii and length and replaces mass and speed")
        return _bearing_advice(radii, length, load, materials, liner)
    if mass is None or speed is None:
        raise ModelError("advise: set mass and speed of an impact, or load= and length= of a journal in a bearing")
    if liner is not None and length is None:
        raise ModelError("advise: liner needs length")
    effective = _effective_mass(mass)
    v, n = positive("advise", "speed", speed), positive("advise", "exponent", exponent)
    c = None if restitution is None else check_restitution("advise", restitution)
    a, b = (float(r) for r in _pair("radii", radii, math.inf))
    one, other = _pair("materials", materials, materials)
    stiffness, radius = hertz_stiffness(a, b, one, other), effective_radius(a, b)
    impact = Hertz(stiffness, n).impact(effective, v)
    # Hertz: a³ = 3 F R/(4 E*)
    bearing = None
    if length is not None:
        first, second = _journal_and_bearing(a, b)
        law = Persson(composite_modulus(one, other), positive("advise", "length", length), second - first)
        bearing = _bearing_advice((a, b), length, law.impact(effective, v).peak_force, (one, other), liner)
    contact = (0.75 * impact.peak_force * radius / composite_modulus(one, other)) ** (1.0 / 3.0)
    return Advice(
        mass=effective,
        speed=v,
        radius=radius,
        exponent=n,
        restitution=c,
        stiffness=stiffness,
        indentation=impact.max_indentation,
        duration=impact.duration,
        peak_force=impact.peak_force,
        step=impact.duration / STEPS_PER_CONTACT,
        contact_radius=contact,
        mean_pressure=impact.peak_force / (math.pi * contact**2),
        laws={
            name: _law_advice(kind, c)
            for name, kind in LAWS.items()
            if issubclass(kind, (Hysteretic, PlasticUnloading))
        },
        bearing=bearing,
        notes=tuple(_notes(contact / min(abs(a), abs(b)), v / min(one.wave_speed, other.wave_speed), n)),
    )


def _journal_and_bearing(a: float, b: float) -> tuple[float, float]:
    """Return the radii of journal and bearing [m] from a pair of which one is concave."""
    if not a * b < 0.0:
        raise ModelError(f"advise: length is for a journal in a bearing, with one negative radius, got {a:g} and {b:g}")
    return max(a, b), -min(a, b)


def _bearing_advice(
    radii: float | Sequence[float], length: float, load: float, materials: Any, liner: float | None
) -> BearingAdvice:
    """Return the advice for a journal in a bearing."""
    a, b = (float(r) for r in _pair("radii", radii, math.inf))
    return advise_bearing(*_journal_and_bearing(a, b), length, load, _pair("materials", materials, materials), liner)


def _law_advice(kind: type[NormalLaw], restitution: float | None) -> LawAdvice:
    """Return the validity and the returned restitution of a law."""
    sample = kind(stiffness=1.0, restitution=1.0)  # type: ignore[call-arg]
    validity = sample.validity or (0.0, 1.0)
    if restitution is None:
        return LawAdvice(kind.name, validity, None, None)
    if not isinstance(sample, Hysteretic):
        return LawAdvice(kind.name, validity, restitution, True)
    if sample.singular_at_zero and restitution == 0.0:
        return LawAdvice(kind.name, validity, None, False)
    returned = returned_restitution(sample.factor(restitution))
    return LawAdvice(kind.name, validity, returned, abs(returned - restitution) <= RESTITUTION_TOLERANCE)


def _returned_text(law: LawAdvice) -> str:
    if law.returned is None:
        return "   infinite damping"
    return f"   returns {law.returned:.3f}" + ("" if law.valid else "  ✗ differs from the prescribed value")


def _notes(radius_ratio: float, speed_ratio: float, exponent: float) -> list[str]:
    """Return the limits of the estimate that this impact exceeds."""
    notes = []
    if radius_ratio > MAX_CONTACT_RADIUS:
        notes.append(
            f"the contact radius is {radius_ratio:.2g} of the smaller radius, too large for Hertz's theory "
            f"(limit {MAX_CONTACT_RADIUS:g}); for a journal in a bearing set length= to see which law is valid"
        )
    if speed_ratio > MAX_SPEED_RATIO:
        notes.append(
            f"the approach speed is {speed_ratio:.1e} of the wave speed in the material; above {MAX_SPEED_RATIO:.0e} "
            "expect permanent indentation; consider PlasticUnloading"
        )
    if exponent != 1.5:
        notes.append(f"Hertz's stiffness is valid for exponent 1.5; for {exponent:g} measure the stiffness")
    return notes


def _pair(what: str, value: Any, second: Any) -> tuple[Any, Any]:
    """Return two items from one item, completed by ``second``, or from a pair."""
    items = (value, second) if isinstance(value, (int, float, Material)) else tuple(value)
    if len(items) != 2:
        raise ModelError(f"advise: {what} must be one or two values, got {len(items)}")
    return items[0], items[1]


def _effective_mass(mass: Any) -> float:
    """Return m_a m_b/(m_a + m_b) [kg]."""
    first, second = _pair("mass", mass, math.inf)
    masses = [math.inf if m == math.inf else positive("advise", "mass", m) for m in (first, second)]
    if all(math.isinf(m) for m in masses):
        raise ModelError("advise: at least one mass must be finite")
    return 1.0 / sum(1.0 / m for m in masses)
