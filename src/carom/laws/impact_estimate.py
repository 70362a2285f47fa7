"""What to expect of an impact before it is simulated: stiffness, duration, peak force, step, and which law to take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from carom.errors import ModelError, positive
from carom.laws.materials import STEEL, Material, composite_modulus
from carom.laws.normal.base import RESTITUTION_TOLERANCE, NormalLaw, check_restitution
from carom.laws.normal.hertz import Hertz
from carom.laws.normal.hysteretic import Hysteretic
from carom.laws.normal.plastic_unloading import PlasticUnloading
from carom.laws.normal.registry import LAWS
from carom.laws.normal.hysteresis_factor import returned_restitution
from carom.laws.stiffness import effective_radius, hertz_stiffness

STEPS = 50
"""In one contact. A fixed-step method of fourth order then returns an elastic impact's speed to 2e-5."""

SMALL = 0.1
"""Largest contact radius, over the smaller radius, at which half-space theory is trusted."""

QUIET = 1e-5
"""Approach speed over wave speed above which impacts leave permanent indentations (Lankarani & Nikravesh 1994)."""


@dataclass(frozen=True)
class LawAdvice:
    """What a dissipative law makes of the restitution asked for; None where none was asked, or none comes back."""

    name: str
    validity: tuple[float, float]
    returned: float | None
    valid: bool | None


@dataclass(frozen=True)
class Advice:
    """An elastic impact of these bodies, and the laws for its restitution. Print it."""

    mass: float
    """Effective [kg]."""
    speed: float
    """[m/s]"""
    radius: float
    """Effective [m]."""
    exponent: float
    restitution: float | None
    stiffness: float
    """[N/mⁿ]"""
    indentation: float
    """Largest [m]."""
    duration: float
    """[s]"""
    peak_force: float
    """[N]"""
    step: float
    """Largest sensible time step within the contact [s]: a fiftieth of its duration."""
    contact_radius: float
    """Of the touching area at the peak [m]."""
    mean_pressure: float
    """On that area [Pa]."""
    laws: dict[str, LawAdvice] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

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
            ("time step in contact", self.step, f"s  (duration/{STEPS})"),
        ]
        lines = ["Impact, elastic (Hertz)"]
        lines += [f"  {what:<22}{value:>12.4g} {unit}" for what, value, unit in rows]
        asked = "" if self.restitution is None else f", {self.restitution:g} asked for"
        lines.append(f"Laws: restitution returned{asked}")
        for law in self.laws.values():
            low, high = law.validity
            result = "" if law.valid is None else _verdict(law)
            lines.append(f"  {law.name:<22}valid {low:.2f} to {high:.2f}{result}")
        lines += [f"Note: {note}" for note in self.notes]
        return "\n".join(lines)


def advise(
    mass: float | Sequence[float],
    speed: float,
    radii: float | Sequence[float],
    materials: Material | Sequence[Material] = (STEEL, STEEL),
    restitution: float | None = None,
    exponent: float = 1.5,
) -> Advice:
    """What to expect when two bodies meet at ``speed`` [m/s].

    ``mass`` [kg] is the effective mass m_a m_b/(m_a + m_b), or both masses (infinite for a wall); ``radii`` [m] one
    radius against a plane, or both (negative: concave). The figures are those of an elastic impact; damping makes it
    shallower and a little longer. The step suggested, a fiftieth of the duration, resolves the rise and fall of the
    force for methods with a fixed step; adaptive ones find a like step by themselves.
    """
    effective = _effective_mass(mass)
    v, n = positive("advise", "speed", speed), positive("advise", "exponent", exponent)
    c = None if restitution is None else check_restitution("advise", restitution)
    a, b = (float(r) for r in _pair("radii", radii, math.inf))
    one, other = _pair("materials", materials, materials)
    stiffness, radius = hertz_stiffness(a, b, one, other), effective_radius(a, b)
    impact = Hertz(stiffness, n).impact(effective, v)
    # Hertz: a³ = 3 F R/(4 E*)
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
        step=impact.duration / STEPS,
        contact_radius=contact,
        mean_pressure=impact.peak_force / (math.pi * contact**2),
        laws={name: _law(kind, c) for name, kind in LAWS.items() if issubclass(kind, (Hysteretic, PlasticUnloading))},
        notes=tuple(_notes(contact / min(abs(a), abs(b)), v / min(one.wave_speed, other.wave_speed), n)),
    )


def _law(kind: type[NormalLaw], restitution: float | None) -> LawAdvice:
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


def _verdict(law: LawAdvice) -> str:
    if law.returned is None:
        return "   infinite damping"
    return f"   returns {law.returned:.3f}" + ("" if law.valid else "  ✗ not what is asked for")


def _notes(spread: float, pace: float, exponent: float) -> list[str]:
    notes = []
    if spread > SMALL:
        notes.append(
            f"the contact radius is {spread:.2g} of the smaller radius, too much for Hertz's theory "
            f"(at most {SMALL:g}); a journal in its bearing may follow LiuCylinder"
        )
    if pace > QUIET:
        notes.append(
            f"the approach speed is {pace:.1e} of the speed of waves in the material; above {QUIET:.0e} expect "
            "permanent indentation, which PlasticUnloading describes"
        )
    if exponent != 1.5:
        notes.append(f"the stiffness is Hertz's, made for exponent 1.5; with {exponent:g} it needs a measurement")
    return notes


def _pair(what: str, value: Any, second: Any) -> tuple[Any, Any]:
    items = (value, second) if isinstance(value, (int, float, Material)) else tuple(value)
    if len(items) != 2:
        raise ModelError(f"advise: {what} must be one or two, got {len(items)}")
    return items[0], items[1]


def _effective_mass(mass: Any) -> float:
    first, second = _pair("mass", mass, math.inf)
    masses = [math.inf if m == math.inf else positive("advise", "mass", m) for m in (first, second)]
    if all(math.isinf(m) for m in masses):
        raise ModelError("advise: at least one mass must be finite")
    return 1.0 / sum(1.0 / m for m in masses)
