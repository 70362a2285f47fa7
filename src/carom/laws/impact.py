"""Impacts without duration: restitution and dry friction as set-valued laws."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError, choice, not_negative, number
from carom.init_arguments import Sealed

LAWS = ("newton", "poisson")
"""Newton: velocities, γ⁺ = −ε γ⁻. Poisson: impulses, that of expansion is ε times that of compression."""


class Impact(Sealed):
    """What a contact does in a non-smooth run: open or closed, and an impact where it closes.

    ``restitution`` ε_N in [0, 1] along the normal, ``friction`` coefficient μ ≥ 0 of dry friction, and
    ``tangential_restitution`` ε_T in [0, 1] along the tangent (a rubber ball that reverses its spin; 0 for metals).
    Signorini's condition with the impact law and Coulomb's law, on the velocities before (−) and after (+):

        0 ≤ ξ_N ⊥ P_N ≥ 0,  ξ_N = γ_N⁺ + ε_N γ_N⁻;   −P_T ∈ μ P_N Sgn(ξ_T),  ξ_T = γ_T⁺ + ε_T γ_T⁻.

    ``law`` is "newton" (as written) or "poisson". With friction, Newton's law can create energy where impulses of
    several contacts or directions act on each other; a run says so, and Poisson's law does less of it.

    Reference: P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165–190, eqs (32)–(35);
    F. Pfeiffer, C. Glocker, Multibody Dynamics with Unilateral Contacts, 1996 (Poisson).
    """

    instead = "build a new Impact and assign it to the contact"
    arguments = ("restitution", "friction", "tangential_restitution", "law")

    def __init__(
        self,
        restitution: float = 0.0,
        friction: float = 0.0,
        tangential_restitution: float = 0.0,
        law: str = "newton",
    ):
        self.restitution = _share("restitution", restitution)
        self.friction = not_negative("Impact", "friction", friction)
        self.tangential_restitution = _share("tangential_restitution", tangential_restitution)
        self.law = choice("Impact", "law", law, LAWS)

    def keywords(self) -> dict[str, Any]:
        """The arguments that make this impact again."""
        return {key: getattr(self, key) for key in self.arguments}

    def __repr__(self) -> str:
        return f"Impact({', '.join(f'{key}={value!r}' for key, value in self.keywords().items())})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Impact) and other.keywords() == self.keywords()

    def __hash__(self) -> int:
        return hash(tuple(self.keywords().values()))


def _share(what: str, value: Any) -> float:
    result = number("Impact", what, value)
    if not 0.0 <= result <= 1.0:
        raise ModelError(f"Impact: {what} must lie between 0 and 1, got {result:g}")
    return result
