"""Line contact of parallel cylinders."""

from __future__ import annotations

from carom.laws.normal.power_law import PowerLaw


class CylinderLine(PowerLaw):
    """F = K δ^1.08, elastic: parallel cylinders; K [N/m^1.08] depends on the length of the line, not on the radii.

    Examples
    --------
    >>> import carom as cm
    >>> f"{cm.laws.CylinderLine(stiffness=1e9).force(1e-5):.4g}"
    '3981'
    """

    name = "cylinder_line"
    formula = "F = K δ^1.08"
    reference = "J. Brändlein, P. Eschmann, L. Hasbargen, Die Wälzlagerpraxis, Vereinigte Fachverlage, 1998"
    arguments = ("stiffness",)

    def __init__(self, stiffness: float):
        super().__init__(stiffness, 1.08)
