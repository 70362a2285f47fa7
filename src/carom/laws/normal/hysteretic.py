"""Laws with hysteresis damping, F = K δⁿ (1 + A δ̇/v⁻), which differ only in the factor A(c) of the restitution c."""

from __future__ import annotations

from typing import Any, ClassVar

from carom.argument_checks import positive
from carom.errors import ModelError, warn
from carom.laws.normal.base import RESTITUTION_TOLERANCE, FreeImpact, check_restitution
from carom.laws.normal.hysteresis_factor import duration, lowest_valid_restitution, returned_restitution, work_function
from carom.laws.normal.power_law import PowerLaw
from carom.laws.root_finding import root


class Hysteretic(PowerLaw):
    """F = K δⁿ (1 + A δ̇/v⁻) with the approach speed v⁻ of this contact; K [N/mⁿ], restitution c in [0, 1].

    An impact returns e from A (1 + e) = ln[(1 + A)/(1 − A e)], for any mass, speed and exponent.
    """

    arguments: ClassVar[tuple[str, ...]] = ("stiffness", "restitution", "exponent")
    singular_at_zero: ClassVar[bool] = False
    """True if A grows without bound as c tends to zero."""

    def __init__(self, stiffness: float, restitution: float, exponent: float = 1.5):
        owner = type(self).__name__
        self.restitution = check_restitution(owner, restitution)
        if self.singular_at_zero and self.restitution < 1e-100:
            raise ModelError(
                f"{owner}: the damping is infinite for restitution {self.restitution:g}; use PlasticUnloading, "
                "which returns any restitution from 0 to 1"
            )
        super().__init__(stiffness, exponent, self.factor(self.restitution))
        self.needs_approach_speed = self.damping_factor != 0.0
        returned = returned_restitution(self.damping_factor)
        if abs(returned - self.restitution) > RESTITUTION_TOLERANCE:
            low, high = self.validity
            warn(
                f"{owner}: restitution {self.restitution:g} is outside the range of validity of this law "
                f"({low:.2f} to {high:g}): an impact will return {returned:.3f}; "
                f"use ExactRestitution for a returned restitution of {self.restitution:g}"
            )

    def factor(self, restitution: float) -> float:
        """Return the damping factor A for a restitution c."""
        raise NotImplementedError

    @property
    def validity(self) -> tuple[float, float]:
        """Range of restitution in which an impact returns the prescribed value to 0.1."""
        defined_from = 1e-3 if self.singular_at_zero else 0.0
        return (lowest_valid_restitution(self.factor, defined_from, RESTITUTION_TOLERANCE), 1.0)

    def hysteresis_factor(self, approach_speed: float) -> float:
        """Return χ = A K/v⁻ of F = K δⁿ + χ δⁿ δ̇ [N s/m^(n+1)]: Machado et al. 2012, eq. (28)."""
        return self.damping_factor * self.stiffness / positive(type(self).__name__, "approach_speed", approach_speed)

    def returned_restitution(self, approach_speed: Any = None, mass: Any = None) -> float:
        """Return the restitution of an unconstrained impact; neither mass nor speed has an influence."""
        return returned_restitution(self.damping_factor)

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        """Return the unconstrained impact of an effective mass [kg] with an approach speed [m/s]."""
        mass, speed = self._checked(mass, approach_speed)
        a, n = self.damping_factor, self.exponent

        def elastic_energy(w: float) -> float:
            """Return K δⁿ⁺¹/((n + 1) m v²) at δ̇ = w v."""
            return work_function(a) - w * w * work_function(a * w)

        def indentation(w: float) -> float:
            return float(((n + 1.0) * elastic_energy(w) * mass * speed**2 / self.stiffness) ** (1.0 / (n + 1.0)))

        # The force is largest where dF/dδ̇ = 0 along the motion.
        w_peak = root(lambda w: n / (n + 1.0) * w - a * elastic_energy(w), 0.0, 1.0)
        peak_force = self.stiffness * indentation(w_peak) ** n * (1.0 + a * w_peak)
        delta_max = indentation(0.0)
        return FreeImpact(peak_force, delta_max, duration(a, n) * delta_max / speed, self.returned_restitution())
