"""Herbert and McWhannell's law."""

from __future__ import annotations

from carom.laws.normal.hysteretic import Hysteretic


class HerbertMcWhannell(Hysteretic):
    """A = 6 (1 − c)/((2c − 1)² + 3); for high restitutions: Machado et al. 2012, eq. (31).

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.HerbertMcWhannell(stiffness=1e9, restitution=0.7)
    >>> round(law.returned_restitution(), 3)
    0.723
    """

    name = "herbert_mcwhannell"
    formula = "F = K δⁿ [1 + 6 (1 − c)/((2c − 1)² + 3) · δ̇/v⁻]"
    reference = (
        "R.G. Herbert, D.C. McWhannell, Shape and frequency composition of pulses from an impact pair, J. "
        "Engineering for Industry 99 (1977) 513–518"
    )

    def factor(self, restitution: float) -> float:
        """Return the damping factor A for a restitution c."""
        c = restitution
        return 6.0 * (1.0 - c) / ((2.0 * c - 1.0) ** 2 + 3.0)
