"""Permanent indentation: unloading follows another curve than loading."""

from __future__ import annotations

from typing import Any

from carom.argument_checks import positive
from carom.kernels import NORMAL, kernel, record
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, FreeImpact, NormalLaw, check_restitution, elastic_time
from carom.laws.normal.power_law import elastic_indentation, power, power_slope

PARAMS = record("stiffness exponent elastic_fraction")  # K [N/mⁿ], n [-], elastic part c² of the loading work [-]


@kernel(NORMAL, PARAMS, LAW_INPUT, LAW_OUTPUT)
def plastic_unloading(p, law_input, out):
    """Evaluate the loading curve, or the unloading curve from the last turning point."""
    delta = max(law_input.delta, 0.0)
    delta_turn = law_input.delta_turn
    if law_input.is_unloading and delta_turn > 0.0:  # also on reloading up to δ_max, where the contact is elastic
        elastic_depth = p.elastic_fraction * delta_turn  # δ_max − δ_p
        x = 0.0
        if elastic_depth > 0.0:
            x = max((delta - delta_turn + elastic_depth) / elastic_depth, 0.0)
        force = p.stiffness * power(delta_turn, p.exponent) * power(x, p.exponent)
        out.force = force
        out.elastic_force = force
        out.stored_energy = force * x * elastic_depth / (p.exponent + 1.0)
        out.force_sign = (delta - (1.0 - p.elastic_fraction) * delta_turn) / delta_turn
        if p.elastic_fraction == 0.0 and delta <= delta_turn:  # c = 0: there is no restitution
            out.force_sign = -1.0
        if law_input.needs_derivatives:
            out.stiffness = 0.0
            if elastic_depth > 0.0:
                x = (law_input.delta - delta_turn + elastic_depth) / elastic_depth
                max_force = p.stiffness * power(delta_turn, p.exponent)
                out.stiffness = max_force * power_slope(x, p.exponent) / elastic_depth
            out.damping = 0.0
    else:
        force = p.stiffness * power(delta, p.exponent)
        out.force = force
        out.elastic_force = p.elastic_fraction * force
        out.stored_energy = p.elastic_fraction * force * delta / (p.exponent + 1.0)
        out.force_sign = 1.0
        if law_input.needs_derivatives:
            out.stiffness = p.stiffness * power_slope(law_input.delta, p.exponent)
            out.damping = 0.0


class PlasticUnloading(NormalLaw):
    """Loading F = K δⁿ, unloading F = F_max ((δ − δ_p)/(δ_max − δ_p))ⁿ down to the permanent indentation δ_p.

    δ_p = (1 − c²) δ_max dissipates the fraction 1 − c² of the loading work, so that an impact returns exactly the
    prescribed restitution c, from 0 to 1. Contact ends at δ_p; reloading up to δ_max follows the unloading curve.
    K [N/mⁿ].

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.PlasticUnloading(stiffness=1e9, restitution=0.7)
    >>> round(law.returned_restitution(), 3)
    0.7
    """

    name = "plastic_unloading"
    formula = "F = K δⁿ, then F_max ((δ − δ_p)/(δ_max − δ_p))ⁿ with δ_p = (1 − c²) δ_max"
    reference = (
        "W. Goldsmith, Impact, Edward Arnold, 1960; H.M. Lankarani, P.E. Nikravesh, Continuous contact force models "
        "for impact analysis in multibody systems, Nonlinear Dynamics 5 (1994) 193–207"
    )
    arguments = ("stiffness", "restitution", "exponent")
    kernel = plastic_unloading
    params = PARAMS
    has_unloading_curve = True

    def __init__(self, stiffness: float, restitution: float, exponent: float = 1.5):
        self.stiffness = positive("PlasticUnloading", "stiffness", stiffness)
        self.restitution = check_restitution("PlasticUnloading", restitution)
        self.exponent = positive("PlasticUnloading", "exponent", exponent)

    @property
    def elastic_fraction(self) -> float:
        """Elastic part c² of the loading work [-]."""
        return self.restitution**2

    def release(self, deepest: float) -> float:
        """Return the indentation [m] at which contact ends after unloading from ``deepest`` [m]."""
        return (1.0 - self.restitution**2) * deepest

    @property
    def validity(self) -> tuple[float, float]:
        """Range of restitution in which an impact returns the prescribed value to 0.1."""
        return (0.0, 1.0)

    def returned_restitution(self, approach_speed: Any = None, mass: Any = None) -> float:
        """Return the prescribed restitution, which holds for any mass and speed."""
        return self.restitution

    def impact(self, mass: float, approach_speed: float) -> FreeImpact:
        """Return the unconstrained impact of an effective mass [kg] with an approach speed [m/s]."""
        mass, speed = self._checked(mass, approach_speed)
        delta_max = elastic_indentation(self.stiffness, self.exponent, mass, speed)
        # Restitution is an elastic impact of depth c² δ_max and speed c v: its time is c times that of compression.
        duration = (1.0 + self.restitution) * elastic_time(self.exponent) * delta_max / speed
        return FreeImpact(self.stiffness * delta_max**self.exponent, delta_max, duration, self.restitution)
