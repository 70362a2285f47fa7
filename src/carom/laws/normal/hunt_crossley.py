"""Hunt and Crossley's law."""

from __future__ import annotations

from carom.laws.normal.hysteretic import Hysteretic


class HuntCrossley(Hysteretic):
    """A = 3 (1 − c)/2; for restitutions near one: Machado et al. 2012, eq. (29).

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.HuntCrossley(stiffness=1e9, restitution=0.7)
    >>> round(law.returned_restitution(), 3)
    0.768
    """

    name = "hunt_crossley"
    formula = "F = K δⁿ [1 + 3 (1 − c)/2 · δ̇/v⁻]"
    reference = (
        "K.H. Hunt, F.R.E. Crossley, Coefficient of restitution interpreted as damping in vibroimpact, J. Applied "
        "Mechanics 42 (1975) 440–445"
    )

    def factor(self, restitution: float) -> float:
        """Return the damping factor A for a restitution c."""
        c = restitution
        return 1.5 * (1.0 - c)
