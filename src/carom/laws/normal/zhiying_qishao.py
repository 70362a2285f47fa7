"""Zhiying and Qishao's law."""

from __future__ import annotations

import math

from carom.laws.normal.hysteretic import Hysteretic


class ZhiyingQishao(Hysteretic):
    """A = 3 (1 − c²) exp(2 (1 − c))/4; for moderate and high restitutions: Machado et al. 2012, eq. (43).

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.ZhiyingQishao(stiffness=1e9, restitution=0.7)
    >>> round(law.returned_restitution(), 3)
    0.68
    """

    name = "zhiying_qishao"
    formula = "F = K δⁿ [1 + 3 (1 − c²) exp(2 (1 − c))/4 · δ̇/v⁻]"
    reference = (
        "Q. Zhiying, L. Qishao, Analysis of impact process based on restitution coefficient, J. Dynamics and "
        "Control 4 (2006) 294–298"
    )

    def factor(self, restitution: float) -> float:
        """Return the damping factor A for a restitution c."""
        c = restitution
        return 0.75 * (1.0 - c * c) * math.exp(2.0 * (1.0 - c))
