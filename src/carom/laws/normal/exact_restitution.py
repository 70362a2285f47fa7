"""Law that returns exactly the prescribed restitution."""

from __future__ import annotations

from carom.laws.normal.hysteresis_factor import exact_factor
from carom.laws.normal.hysteretic import Hysteretic


class ExactRestitution(Hysteretic):
    """A from A (1 + c) = ln[(1 + A)/(1 − A c)], c > 0: an unconstrained impact returns c exactly.

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.ExactRestitution(stiffness=1e9, restitution=0.7)
    >>> round(law.returned_restitution(), 3)
    0.7
    """

    name = "exact_restitution"
    formula = "F = K δⁿ [1 + A δ̇/v⁻] with A (1 + c) = ln[(1 + A)/(1 − A c)]"
    reference = (
        "the first integral of m δ̈ = −K δⁿ (1 + A δ̇/v⁻), solved for A; see Y. Gonthier, J. McPhee, C. Lange, "
        "J.-C. Piedbœuf, Multibody System Dynamics 11 (2004) 209–233"
    )
    singular_at_zero = True

    def factor(self, restitution: float) -> float:
        """Return the damping factor A for a restitution c."""
        return exact_factor(restitution)
