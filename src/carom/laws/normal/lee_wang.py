"""Lee and Wang's law."""

from __future__ import annotations

from carom.laws.normal.hysteretic import Hysteretic


class LeeWang(Hysteretic):
    """A = 3 (1 − c)/4, which dissipates about half of what is prescribed: Machado et al. 2012, eq. (33).

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.LeeWang(stiffness=1e9, restitution=0.9)
    >>> round(law.returned_restitution(), 3)
    0.952
    """

    name = "lee_wang"
    formula = "F = K δⁿ [1 + 3 (1 − c)/4 · δ̇/v⁻]"
    reference = (
        "T.W. Lee, A.C. Wang, On the dynamics of intermittent-motion mechanisms, Part 1, J. Mechanisms, "
        "Transmissions and Automation in Design 105 (1983) 534–540"
    )

    def factor(self, restitution: float) -> float:
        """Return the damping factor A for a restitution c."""
        c = restitution
        return 0.75 * (1.0 - c)
