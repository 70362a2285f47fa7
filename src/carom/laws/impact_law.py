"""Impact law of non-smooth runs: restitution and dry friction of impacts without duration."""

from __future__ import annotations

from typing import Any

from carom.argument_checks import finite_float, non_negative, one_of
from carom.errors import ModelError
from carom.init_arguments import Sealed
from carom.kernels import FLOAT, INT, record

LAWS = ("newton", "poisson")
"""Newton's law relates velocities, γ⁺ = −ε γ⁻. Poisson's law relates impulses: the impulse of expansion is ε times the
impulse of compression."""

IMPACT_LAW_DATA = record(
    eps_N=FLOAT,  # normal restitution [-]
    mu=FLOAT,  # friction coefficient [-]
    eps_T=FLOAT,  # tangential restitution [-]
    is_poisson=INT,  # Poisson's law instead of Newton's
    rolling_lever=FLOAT,  # of the resistance to rolling [m]
    spinning_lever=FLOAT,  # of the resistance to spinning about the normal [m]
)
"""An impact law, and the rolling resistance of the contact, as compiled code reads them."""


class ImpactLaw(Sealed):
    """Behaviour of a contact in a non-smooth run: the contact is open or closed, and an impact occurs when it closes.

    ``restitution`` ε_N in [0, 1] acts along the normal, ``friction`` μ ≥ 0 is the coefficient of dry friction, and
    ``tangential_restitution`` ε_T in [0, 1] acts along the tangent (for a rubber ball that reverses its spin; 0 for
    metals). Signorini's condition with the impact law, and Coulomb's law, hold for the velocities before (−) and
    after (+) the impact:

        0 ≤ ξ_N ⊥ P_N ≥ 0,  ξ_N = γ_N⁺ + ε_N γ_N⁻;   −P_T ∈ μ P_N Sgn(ξ_T),  ξ_T = γ_T⁺ + ε_T γ_T⁻.

    ``law`` is "newton" (the equations above) or "poisson". With friction, Newton's law can increase the energy where
    impulses of several contacts or directions are coupled; a run then warns. Poisson's law increases it less.

    Reference: P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165–190, eqs (32)–(35);
    F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, 1996 (Poisson).

    Examples
    --------
    >>> import carom as cm
    >>> cm.ImpactLaw(restitution=0.4, friction=0.1)
    ImpactLaw(restitution=0.4, friction=0.1, tangential_restitution=0.0, law='newton')
    """

    change_advice = "build a new ImpactLaw and assign it to the contact"
    arguments = ("restitution", "friction", "tangential_restitution", "law")

    def __init__(
        self,
        restitution: float = 0.0,
        friction: float = 0.0,
        tangential_restitution: float = 0.0,
        law: str = "newton",
    ):
        self.restitution = _check_restitution("restitution", restitution)
        self.friction = non_negative("ImpactLaw", "friction", friction)
        self.tangential_restitution = _check_restitution("tangential_restitution", tangential_restitution)
        self.law = one_of("ImpactLaw", "law", law, LAWS)

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments of an equal impact law."""
        return {key: getattr(self, key) for key in self.arguments}

    def __repr__(self) -> str:
        return f"ImpactLaw({', '.join(f'{key}={value!r}' for key, value in self.keywords().items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImpactLaw) and other.keywords() == self.keywords()

    def __hash__(self) -> int:
        return hash(tuple(self.keywords().values()))


def _check_restitution(what: str, value: Any) -> float:
    """Return a coefficient of restitution; raise unless it lies in [0, 1]."""
    result = finite_float("ImpactLaw", what, value)
    if not 0.0 <= result <= 1.0:
        raise ModelError(f"ImpactLaw: {what} must lie in [0, 1], got {result:g}")
    return result
