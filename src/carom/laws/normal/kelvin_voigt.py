"""Linear spring and damper."""

from __future__ import annotations

import math
from typing import Any

from carom.argument_checks import boolean, non_negative, positive
from carom.errors import ModelError
from carom.kernels import NORMAL, kernel, record
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, FreeImpact, NormalLaw, check_restitution
from carom.laws.root_finding import root

PARAMS = record("stiffness damping tension")  # K [N/m], D [N s/m], 1 if the force may be tensile else 0


@kernel(NORMAL, PARAMS, LAW_INPUT, LAW_OUTPUT)
def kelvin_voigt(p, law_input, out):
    """Evaluate F = K δ + D δ̇."""
    delta = law_input.delta
    delta_dot = law_input.delta_dot
    elastic = p.stiffness * delta
    out.force = elastic + p.damping * delta_dot
    out.elastic_force = elastic
    out.stored_energy = 0.5 * elastic * delta
    out.force_sign = 1.0
    if p.damping > 0.0 and p.tension == 0.0:  # F/(D v⁻)
        scale = 1.0
        if law_input.v_in > 0.0:
            scale = law_input.v_in
        out.force_sign = (p.stiffness / p.damping * delta + delta_dot) / scale
    if law_input.needs_derivatives:
        out.stiffness = p.stiffness
        out.damping = p.damping


class KelvinVoigt(NormalLaw):
    """F = K δ + D δ̇ with the stiffness K [N/m] and the damping D [N s/m].

    Instead of ``damping``, the ``restitution`` of an impact with an effective ``mass`` [kg] may be set.

    The force jumps at the onset of contact. It becomes tensile before δ returns to zero: contact ends where the force
    vanishes or, with ``tension=True``, where δ does. With ζ = D/(2 √(K m)) and cos α = ζ, the restitution is
    exp(−2 α cot α) in the first case (cosh and coth for ζ > 1); in the second case it is exp(−π cot α), and 0 for
    ζ ≥ 1.

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.KelvinVoigt(stiffness=1e6, damping=50.0)
    >>> round(law.force(1e-4, 0.2), 6)
    110.0
    """

    name = "kelvin_voigt"
    formula = "F = K δ + D δ̇"
    reference = (
        "S. Dubowsky, F. Freudenstein, Dynamic analysis of mechanical systems with clearances, J. Engineering for "
        "Industry 93 (1971) 305–316; T. Schwager, T. Pöschel, Granular Matter 9 (2007) 465–469"
    )
    arguments = ("stiffness", "damping", "restitution", "mass", "tension")
    kernel = kelvin_voigt
    params = PARAMS

    def __init__(
        self,
        stiffness: float,
        damping: float | None = None,
        restitution: float | None = None,
        mass: float | None = None,
        tension: bool = False,
    ):
        self.stiffness = positive("KelvinVoigt", "stiffness", stiffness)
        self.mass = None if mass is None else positive("KelvinVoigt", "mass", mass)
        self.tension = boolean("KelvinVoigt", "tension", tension)
        self.restitution = None if restitution is None else check_restitution("KelvinVoigt", restitution)
        if (damping is None) == (self.restitution is None):
            raise ModelError("KelvinVoigt: set either damping, or restitution and mass")
        if self.restitution is None:
            self.damping = non_negative("KelvinVoigt", "damping", damping)
        elif self.mass is None:
            raise ModelError("KelvinVoigt: the damping for a restitution depends on the effective mass; set mass [kg]")
        else:
            ratio = _tensile_ratio(self.restitution) if self.tension else _tensionless_ratio(self.restitution)
            self.damping = 2.0 * ratio * math.sqrt(self.stiffness * self.mass)

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments."""
        unused = "damping" if self.restitution is not None else "restitution"
        return {key: value for key, value in super().keywords().items() if key != unused and value is not None}

    @property
    def validity(self) -> tuple[float, float] | None:
        """Full range of restitution, for the mass that is set with it; None if the damping is set."""
        return None if self.restitution is None else (0.0, 1.0)

    def returned_restitution(self, approach_speed: Any = None, mass: float | None = None) -> float:
        """Return the restitution for an effective mass [kg], by default that of the law; the speed has no influence."""
        mass = self.mass if mass is None else mass
        if mass is None:
            raise ModelError("KelvinVoigt: the returned restitution depends on the mass; set mass [kg]")
        ratio = self._ratio(positive("KelvinVoigt", "mass", mass))
        if not self.tension:
            return math.exp(-2.0 * _angle_over_tangent(ratio))
        return math.exp(-math.pi * ratio / math.sqrt((1.0 - ratio) * (1.0 + ratio))) if ratio < 1.0 else 0.0

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        """Return the unconstrained impact of an effective mass [kg] with an approach speed [m/s]."""
        mass, speed = self._checked(mass, approach_speed)
        ratio, frequency = self._ratio(mass), math.sqrt(self.stiffness / mass)
        lag = _angle_over_tangent(ratio)
        delta_max = speed / frequency * math.exp(-lag)
        peak = self.damping * speed
        if ratio < 0.5:
            angle = math.acos(ratio)
            peak = mass * speed * frequency * math.exp(-(3.0 - math.pi / angle) * lag)
        if not self.tension:
            duration = 2.0 * _angle_over_sine(ratio) / frequency
        elif ratio < 1.0:
            duration = math.pi / (frequency * math.sqrt((1.0 - ratio) * (1.0 + ratio)))
        else:
            duration = math.inf
        return FreeImpact(peak, delta_max, duration, self.returned_restitution(mass=mass))

    def _ratio(self, mass: float) -> float:
        """Return the damping ratio ζ = D/(2 √(K m)) [-]."""
        return 0.5 * self.damping / math.sqrt(self.stiffness * mass)


def _angle_over_sine(ratio: float) -> float:
    """Return α/sin α with cos α = ζ; for ζ > 1, α/sinh α with cosh α = ζ."""
    if ratio == 1.0:
        return 1.0
    angle = math.acos(ratio) if ratio < 1.0 else math.acosh(ratio)
    return angle / math.sqrt(abs((1.0 - ratio) * (1.0 + ratio)))


def _angle_over_tangent(ratio: float) -> float:
    """Return α cot α, for ζ > 1 α coth α, which grows from 0 without bound."""
    return ratio * _angle_over_sine(ratio)


def _tensionless_ratio(restitution: float) -> float:
    """Return ζ for which exp(−2 α cot α) is ``restitution``."""
    if restitution == 0.0:
        raise ModelError(
            "KelvinVoigt: no damping returns restitution 0 without tensile force; use tension=True or PlasticUnloading"
        )
    lag = -0.5 * math.log(restitution)
    return root(lambda ratio: _angle_over_tangent(ratio) - lag, 0.0, 1.0 + math.cosh(min(lag, 700.0)))


def _tensile_ratio(restitution: float) -> float:
    """Return ζ for which exp(−π cot α) is ``restitution``."""
    if restitution == 0.0:
        return 1.0
    decay = -math.log(restitution)
    return decay / math.hypot(math.pi, decay)
