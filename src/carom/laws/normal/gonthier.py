"""Law of Gonthier and co-authors."""

from __future__ import annotations

from carom.argument_checks import boolean
from carom.laws.normal.hysteresis_factor import exact_factor
from carom.laws.normal.hysteretic import Hysteretic


class Gonthier(Hysteretic):
    """A = d/c, c > 0, with (1 + d/c)/(1 − d) = exp(d (1 + 1/c)), which returns exactly c.

    With ``exact=False`` it uses the authors' approximation d = 1 − c².

    Machado et al. 2012, eqs. (39) to (41); eq. (40) is misprinted there.

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.Gonthier(stiffness=1e9, restitution=0.7)
    >>> round(law.returned_restitution(), 3)
    0.7
    """

    name = "gonthier"
    formula = "F = K δⁿ [1 + d/c · δ̇/v⁻] with (1 + d/c)/(1 − d) = exp(d (1 + 1/c)), or d = 1 − c²"
    reference = (
        "Y. Gonthier, J. McPhee, C. Lange, J.-C. Piedbœuf, A regularized contact model with asymmetric damping and "
        "dwell-time dependent friction, Multibody System Dynamics 11 (2004) 209–233"
    )
    arguments = ("stiffness", "restitution", "exponent", "exact")
    singular_at_zero = True

    def __init__(self, stiffness: float, restitution: float, exponent: float = 1.5, exact: bool = True):
        self.exact = boolean(f"law {self.name!r}", "exact", exact)
        super().__init__(stiffness, restitution, exponent)

    def factor(self, restitution: float) -> float:
        """Return the damping factor A for a restitution c."""
        c = restitution
        return exact_factor(c) if self.exact else (1.0 - c * c) / c
