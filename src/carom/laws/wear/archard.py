"""Archard's law of wear."""

from __future__ import annotations

from typing import Any

from carom.argument_checks import positive
from carom.laws.wear.base import STEEL_DENSITY, WearLaw
from carom.laws.wear.profile import WearProfile


class Archard(WearLaw):
    """Archard's law: the removed volume is k F s/H.

    F is the normal force [N] and s the sliding distance [m], so that F s is the integral of F |v| over time. The
    dimensionless ``coefficient`` k and the ``hardness`` H [Pa] of the softer surface are those of the pair; ``share``
    [-] is the part of the volume that the first surface loses (the bearing, or the first shape), the second one loses
    the rest.

    ``distribution="lumped"``: the force is one number, and its volume is exactly k F s/H; the other surface, as stiff
    as its radius says, cuts it out where it presses. ``"pressure"``: the local law, depth = k p s/H, with a pressure in
    proportion to the overlap of the two surfaces, whose resultant is F; where they enclose each other, the pressures
    add up to more than F, and the volume is larger than k F s/H.

    The geometry of the contact changes after each ``interval`` [s] of the run, such as one revolution (default: a
    fiftieth of the run), by the wear in it times ``cycle_factor``: a factor of 100 lets each simulated cycle stand for
    a hundred equal ones. ``length`` [m] is that of the bearing along its axis, or the width of a planar contact
    (default: the diameter of the journal; 1 m in contacts of curves). ``wall`` [m] is the thickness that may be worn
    (default: half the radius of the journal). ``density`` [kg/m³] gives the removed mass. ``sectors`` divide the
    circumference, or the length of a curve. ``profile`` is the `WearProfile` at the start, by default none.

    Reference: J.F. Archard, Contact and rubbing of flat surfaces, Journal of Applied Physics 24 (1953) 981–988.

    Examples
    --------
    >>> import carom as cm
    >>> law = cm.wear.Archard(coefficient=1e-4, hardness=2e9, interval=0.1, cycle_factor=100)
    >>> f"{law.removed_volume(work=1000.0):.2g} m³"
    '5e-11 m³'
    """

    name = "archard"
    formula = "V = k F s/H"
    reference = "J.F. Archard, Journal of Applied Physics 24 (1953) 981–988"
    arguments = ("coefficient", "hardness", *WearLaw.arguments)

    def __init__(
        self,
        coefficient: float,
        hardness: float,
        distribution: str = "lumped",
        *,
        cycle_factor: float = 1.0,
        interval: float | None = None,
        share: float = 0.5,
        length: float | None = None,
        wall: float | None = None,
        density: float = STEEL_DENSITY,
        sectors: int = 720,
        profile: WearProfile | None = None,
    ):
        owner = type(self).__name__
        self.coefficient = positive(owner, "coefficient", coefficient)
        self.hardness = positive(owner, "hardness", hardness)
        super().__init__(distribution, cycle_factor, interval, share, length, wall, density, sectors, profile)

    def removed_volume(self, work: Any) -> Any:
        """Return the volume [m³] that the work ∫ F ds [J] removes, k F s/H."""
        return self.coefficient / self.hardness * work
