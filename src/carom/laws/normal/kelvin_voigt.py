"""Linear spring and damper."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import ModelError, not_negative, positive, truth
from carom.kernels import NORMAL, kernel
from carom.laws.normal.base import (
    APPROACH,
    ELASTIC_FORCE,
    FORCE,
    INDENTATION,
    PRESSING,
    RATE,
    STORED,
    FreeImpact,
    NormalLaw,
    restitution_of,
)
from carom.laws.root_finding import root


@kernel(NORMAL)
def kelvin_voigt(par, state, out):
    """par: stiffness K, damping D, whether it may pull."""
    delta = state[INDENTATION]
    rate = state[RATE]
    elastic = par[0] * delta
    out[FORCE] = elastic + par[1] * rate
    out[ELASTIC_FORCE] = elastic
    out[STORED] = 0.5 * elastic * delta
    out[PRESSING] = 1.0
    if par[1] > 0.0 and par[2] == 0.0:  # F/(D v⁻)
        scale = 1.0
        if state[APPROACH] > 0.0:
            scale = state[APPROACH]
        out[PRESSING] = (par[0] / par[1] * delta + rate) / scale


class KelvinVoigt(NormalLaw):
    """F = K δ + D δ̇; K [N/m], D [N s/m] is ``damping``, or comes from the ``restitution`` that shall come back when an
    effective ``mass`` [kg] strikes.

    The force jumps at the first touch. It would pull before δ is back at zero: contact ends where it vanishes, or,
    with ``tension=True``, where δ does. With ζ = D/(2 √(K m)) and cos α = ζ, the restitution is exp(−2 α cot α) in the
    first case (cosh and coth beyond ζ = 1), exp(−π cot α) in the second, and 0 there from ζ = 1 on.
    """

    name = "kelvin_voigt"
    formula = "F = K δ + D δ̇"
    reference = (
        "S. Dubowsky, F. Freudenstein, Dynamic analysis of mechanical systems with clearances, J. Engineering for "
        "Industry 93 (1971) 305–316; T. Schwager, T. Pöschel, Granular Matter 9 (2007) 465–469"
    )
    arguments = ("stiffness", "damping", "restitution", "mass", "tension")
    kernel = kelvin_voigt

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
        self.tension = truth("KelvinVoigt", "tension", tension)
        self.restitution = None if restitution is None else restitution_of("KelvinVoigt", restitution)
        if (damping is None) == (self.restitution is None):
            raise ModelError("KelvinVoigt: give either damping, or restitution and mass")
        if self.restitution is None:
            self.damping = not_negative("KelvinVoigt", "damping", damping)
        elif self.mass is None:
            raise ModelError("KelvinVoigt: the damping for a restitution depends on the effective mass; give mass")
        else:
            ratio = _pulling_ratio(self.restitution) if self.tension else _cut_ratio(self.restitution)
            self.damping = 2.0 * ratio * math.sqrt(self.stiffness * self.mass)
        self.parameters = (self.stiffness, self.damping, float(self.tension))

    def keywords(self) -> dict[str, Any]:
        left_out = "damping" if self.restitution is not None else "restitution"
        return {key: value for key, value in super().keywords().items() if key != left_out and value is not None}

    @property
    def validity(self) -> tuple[float, float] | None:
        """Every restitution comes back, for the mass the law was made for."""
        return None if self.restitution is None else (0.0, 1.0)

    def returned_restitution(self, approach_speed: Any = None, mass: float | None = None) -> float:
        """Restitution of an effective mass [kg], by default the one the law was made for; the speed does not matter."""
        mass = self.mass if mass is None else mass
        if mass is None:
            raise ModelError("KelvinVoigt: the restitution that comes back depends on the mass; give mass")
        ratio = self._ratio(positive("KelvinVoigt", "mass", mass))
        if not self.tension:
            return math.exp(-2.0 * _angle_over_tangent(ratio))
        return math.exp(-math.pi * ratio / math.sqrt((1.0 - ratio) * (1.0 + ratio))) if ratio < 1.0 else 0.0

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        mass, speed = self._checked(mass, approach_speed)
        ratio, frequency = self._ratio(mass), math.sqrt(self.stiffness / mass)
        lag = _angle_over_tangent(ratio)
        deepest = speed / frequency * math.exp(-lag)
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
        return FreeImpact(peak, deepest, duration, self.returned_restitution(mass=mass))

    def _ratio(self, mass: float) -> float:
        """ζ = D/(2 √(K m))."""
        return 0.5 * self.damping / math.sqrt(self.stiffness * mass)


def _angle_over_sine(ratio: float) -> float:
    """α/sin α with cos α = ζ; beyond ζ = 1, α/sinh α with cosh α = ζ."""
    if ratio == 1.0:
        return 1.0
    angle = math.acos(ratio) if ratio < 1.0 else math.acosh(ratio)
    return angle / math.sqrt(abs((1.0 - ratio) * (1.0 + ratio)))


def _angle_over_tangent(ratio: float) -> float:
    """α cot α, α coth α beyond ζ = 1: rises from 0 without bound."""
    return ratio * _angle_over_sine(ratio)


def _cut_ratio(restitution: float) -> float:
    """ζ for which exp(−2 α cot α) is ``restitution``."""
    if restitution == 0.0:
        raise ModelError(
            "KelvinVoigt: no damping returns restitution 0 while the force may not pull; "
            "take tension=True, or PlasticUnloading"
        )
    lag = -0.5 * math.log(restitution)
    return root(lambda ratio: _angle_over_tangent(ratio) - lag, 0.0, 1.0 + math.cosh(min(lag, 700.0)))


def _pulling_ratio(restitution: float) -> float:
    """ζ for which exp(−π cot α) is ``restitution``."""
    if restitution == 0.0:
        return 1.0
    decay = -math.log(restitution)
    return decay / math.hypot(math.pi, decay)
