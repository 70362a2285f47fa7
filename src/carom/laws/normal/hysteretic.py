"""Laws with hysteresis damping, F = K δⁿ (1 + A δ̇/v⁻): they differ in the factor A(c) of the restitution c only."""

from __future__ import annotations

from typing import Any, ClassVar

from carom.errors import ModelError, notify, positive
from carom.laws.normal.base import CLOSE, FreeImpact, restitution_of
from carom.laws.normal.power_law import PowerLaw
from carom.laws.normal.hysteresis_factor import duration, mean, returned_restitution, valid_from
from carom.laws.root_finding import root


class Hysteretic(PowerLaw):
    """F = K δⁿ (1 + A δ̇/v⁻) with the approach speed v⁻ of this contact; K [N/mⁿ], restitution c in [0, 1].

    An impact returns e from A (1 + e) = ln[(1 + A)/(1 − A e)], whatever the mass, the speed and the exponent.
    """

    arguments: ClassVar[tuple[str, ...]] = ("stiffness", "restitution", "exponent")
    divides: ClassVar[bool] = False
    """Whether A grows without bound as c goes to zero."""

    def __init__(self, stiffness: float, restitution: float, exponent: float = 1.5):
        owner = type(self).__name__
        self.restitution = restitution_of(owner, restitution)
        if self.divides and self.restitution < 1e-100:
            raise ModelError(
                f"{owner}: the damping is infinite at restitution {self.restitution:g}; take PlasticUnloading, "
                "which returns any restitution from 0 to 1"
            )
        factor = self.factor(self.restitution)
        super().__init__(stiffness, exponent, factor)
        self.needs_approach = factor != 0.0
        returned = returned_restitution(factor)
        if abs(returned - self.restitution) > CLOSE:
            low, high = self.validity
            notify(
                f"{owner}: restitution {self.restitution:g} is outside the range in which this law returns what is "
                f"prescribed ({low:.2f} to {high:g}): an impact will return {returned:.3f}; "
                f"take ExactRestitution to get {self.restitution:g} back"
            )

    def factor(self, restitution: float) -> float:
        """A for a restitution c."""
        raise NotImplementedError

    @property
    def validity(self) -> tuple[float, float]:
        return (valid_from(self.factor, 1e-3 if self.divides else 0.0, CLOSE), 1.0)

    def hysteresis_factor(self, approach_speed: float) -> float:
        """χ = A K/v⁻ of F = K δⁿ + χ δⁿ δ̇ [N s/m^(n+1)]: Machado et al. 2012, eq. (28)."""
        return self.parameters[2] * self.stiffness / positive(type(self).__name__, "approach_speed", approach_speed)

    def returned_restitution(self, approach_speed: Any = None, mass: Any = None) -> float:
        """Restitution that an unconstrained impact really returns; neither mass nor speed matters."""
        return returned_restitution(self.parameters[2])

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        mass, speed = self._checked(mass, approach_speed)
        a, n = self.parameters[2], self.exponent

        def room(w: float) -> float:  # K δⁿ⁺¹/((n + 1) m v²) at δ̇ = w v
            return mean(a) - w * w * mean(a * w)

        def indentation(w: float) -> float:
            return float(((n + 1.0) * room(w) * mass * speed**2 / self.stiffness) ** (1.0 / (n + 1.0)))

        fastest = root(lambda w: n / (n + 1.0) * w - a * room(w), 0.0, 1.0)  # dF/dδ̇ = 0 along the motion
        peak = self.stiffness * indentation(fastest) ** n * (1.0 + a * fastest)
        deepest = indentation(0.0)
        return FreeImpact(peak, deepest, duration(a, n) * deepest / speed, self.returned_restitution())
