"""Hu and Guo's law."""

from __future__ import annotations

from carom.laws.normal.hysteretic import Hysteretic


class HuGuo(Hysteretic):
    """A = 3 (1 − c)/(2c), c > 0; for elastic and inelastic bodies alike.

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.HuGuo(stiffness=1e9, restitution=0.7)
    >>> round(law.returned_restitution(), 3)
    0.697
    """

    name = "hu_guo"
    formula = "F = K δⁿ [1 + 3 (1 − c)/(2c) · δ̇/v⁻]"
    reference = (
        "S. Hu, X. Guo, A dissipative contact force model for impact analysis in multibody dynamics, Multibody "
        "System Dynamics 35 (2015) 131–151"
    )
    singular_at_zero = True

    def factor(self, restitution: float) -> float:
        """Return the damping factor A for a restitution c."""
        c = restitution
        return 3.0 * (1.0 - c) / (2.0 * c)
