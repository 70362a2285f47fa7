"""Lankarani and Nikravesh's law."""

from __future__ import annotations

from carom.laws.normal.hysteretic import Hysteretic


class LankaraniNikravesh(Hysteretic):
    """A = 3 (1 − c²)/4; for restitutions near one: Machado et al. 2012, eq. (37)."""

    name = "lankarani_nikravesh"
    formula = "F = K δⁿ [1 + 3 (1 − c²)/4 · δ̇/v⁻]"
    reference = (
        "H.M. Lankarani, P.E. Nikravesh, A contact force model with hysteresis damping for impact analysis of "
        "multibody systems, J. Mechanical Design 112 (1990) 369–376"
    )

    def factor(self, restitution: float) -> float:
        c = restitution
        return 0.75 * (1.0 - c * c)
