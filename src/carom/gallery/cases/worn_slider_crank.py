"""Slider-crank whose piston pin wears over many cycles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from carom.argument_checks import integer, positive
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Driver, Prismatic, Revolute
from carom.laws.friction.coulomb import Coulomb
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.lankarani_nikravesh import LankaraniNikravesh
from carom.laws.stiffness import hertz_stiffness
from carom.laws.wear.archard import Archard
from carom.model.body import Body
from carom.model.planar_clearance import RevoluteClearance
from carom.model.system import System
from carom.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CRANK, ROD = 0.05, 0.12
"""Lengths [m]."""
MASSES, INERTIAS = (0.30, 0.21, 0.14), (1e-5, 2.5e-4, 1e-4)
"""Masses [kg] and moments of inertia [kg m²] of crank, rod and slider; the last one is chosen."""
BEARING, CLEARANCE = 0.010, 1e-4
"""Radius of the bearing and radial clearance [m]; the clearance is chosen."""
FRICTION, RESTITUTION = 0.03, 0.9
"""Coefficients of friction and restitution [-]."""
COEFFICIENT, HARDNESS, LENGTH = 1e-3, 2e9, 0.02
"""Coefficient of wear [-], hardness [Pa] and length of the bearing [m]; chosen: dry steel on steel."""


@check_parameters
def worn_slider_crank(cycles: int = 10_000, cycle_factor: float = 200.0, speed: float = 60.0) -> Case:
    """Slider-crank whose piston pin wears over many cycles.

    The pin has a radial clearance of 0.1 mm. The crank rotates at ``speed`` [rad/s]. The run has
    ``cycles``/``cycle_factor`` revolutions; the wear of each counts ``cycle_factor`` times, and the profiles of pin and
    bearing follow after it. Lengths, masses, restitution and friction are those of the reference; speed, clearance,
    length of the bearing and the data of wear are chosen.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.worn_slider_crank().system
    <System 'worn slider-crank': 3 bodies, 4 joints, 1 contacts>
    """
    integer("worn_slider_crank", "cycles", cycles, 1, 10**9)
    positive("worn_slider_crank", "cycle_factor", cycle_factor)
    turn = 2.0 * math.pi / positive("worn_slider_crank", "speed", speed)
    wear = Archard(COEFFICIENT, HARDNESS, length=LENGTH, interval=turn, cycle_factor=cycle_factor)

    def check_results(result: Result) -> list[CheckResult]:
        volume = result.wear["pin"].volume if "pin" in result.wear else math.nan
        work = result.energy.friction[-1] / FRICTION  # F |v| = friction loss / coefficient, except very near to rest
        expected = COEFFICIENT / HARDNESS * work * cycle_factor
        return [
            energy_drift(result, 1e-6),
            max_abs_error("wear volume over k F s/H [-]", volume / expected, 1.0, 1e-3),
            max_abs_error("crank angle [rad]", result["crank"].angle, speed * result.t, 1e-8),
        ]

    return Case(
        worn_slider_crank,
        system=mechanism(wear, speed),
        options={"t_end": cycles / cycle_factor * turn, "output": turn / 60.0, "rtol": 1e-7},
        check_results=check_results,
        figure_settings=CaseFigures(panels=("slider.x", "pin.normal_force"), motion=("slider.x", "slider.vx")),
        reference="P. Flores, J. Ambrósio, Revolute joints with clearance in multibody systems, Computers & Structures "
        "82 (2004) 1359–1369; speed, clearance and the data of wear are chosen",
        extra_figures={"worn profile": worn_figure},
    )


def worn_figure(result: Result) -> Figure:
    """Return the worn profiles of bearing and pin over the run."""
    from carom.plot.worn_profile import plot_wear

    return plot_wear(result.wear["pin"])


def mechanism(wear: Archard, speed: float) -> System:
    """Return the slider-crank with the crank along x, driven at ``speed`` [rad/s]."""
    system = System(gravity=(0.0, -9.81), name="worn slider-crank")
    names, places = ("crank", "rod", "slider"), (0.5 * CRANK, CRANK + 0.5 * ROD, CRANK + ROD)
    crank, rod, slider = (
        system.add(Body(name, mass, inertia, position=(x, 0.0)))
        for name, mass, inertia, x in zip(names, MASSES, INERTIAS, places, strict=True)
    )
    pivot = system.add(Revolute(system.ground, crank, at=(0.0, 0.0)))
    system.add(Revolute(crank, rod, at=(CRANK, 0.0)))
    system.add(Prismatic(system.ground, slider, axis=(1.0, 0.0)))
    journal = BEARING - CLEARANCE
    pin: dict[str, Any] = {"journal_radius": journal, "bearing_radius": BEARING}
    law = LankaraniNikravesh(stiffness=hertz_stiffness(journal, -BEARING), restitution=RESTITUTION)
    impact = ImpactLaw(RESTITUTION, FRICTION)
    pin |= {"law": law, "friction": Coulomb(FRICTION), "impact": impact, "wear": wear, "name": "pin"}
    system.add(RevoluteClearance(rod, slider, at=(CRANK + ROD, 0.0), **pin))
    system.add(Driver(pivot, ConstantSpeed(speed)))
    # The velocities of the mechanism without clearance: the rod turns about its end at the slider.
    crank.angular_velocity, crank.velocity = speed, (0.0, 0.5 * speed * CRANK)
    rod.angular_velocity, rod.velocity = -speed * CRANK / ROD, (0.0, 0.5 * speed * CRANK)
    return system
