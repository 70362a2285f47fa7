"""Hertz's law."""

from __future__ import annotations

from carom.laws.normal.power_law import PowerLaw


class Hertz(PowerLaw):
    """F = K δⁿ, elastic: K [N/mⁿ] from `hertz_stiffness` with n = 1.5 for spheres.

    For hard bodies with point contact at low speed, if the contact area is small compared with the radii.

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.laws.Hertz(stiffness=1e9)
    >>> round(law.force(1e-4), 3)
    1000.0
    """

    name = "hertz"
    formula = "F = K δⁿ"
    reference = "H. Hertz, Über die Berührung fester elastischer Körper, J. reine angew. Math. 92 (1882) 156–171"
    arguments = ("stiffness", "exponent")

    def __init__(self, stiffness: float, exponent: float = 1.5):
        super().__init__(stiffness, exponent)
