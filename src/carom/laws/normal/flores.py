"""Law of Flores and co-authors."""

from __future__ import annotations

from carom.laws.normal.hysteretic import Hysteretic


class Flores(Hysteretic):
    """A = 8 (1 − c)/(5c), c > 0; for elastic and inelastic bodies alike: Machado et al. 2012, eq. (46).

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.Flores(stiffness=1e9, restitution=0.7)
    >>> round(law.returned_restitution(), 3)
    0.683
    """

    name = "flores"
    formula = "F = K δⁿ [1 + 8 (1 − c)/(5c) · δ̇/v⁻]"
    reference = (
        "P. Flores, M. Machado, M.T. Silva, J.M. Martins, On the continuous contact force models for soft "
        "materials in multibody dynamics, Multibody System Dynamics 25 (2011) 357–375"
    )
    singular_at_zero = True

    def factor(self, restitution: float) -> float:
        """Return the damping factor A for a restitution c."""
        c = restitution
        return 8.0 * (1.0 - c) / (5.0 * c)
