"""Quick-return mechanism with clearance in its revolute joints."""

from __future__ import annotations

import math
from typing import Any

from carom.argument_checks import one_of
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.case_law import case_law
from carom.gallery.figures.quick_return import extra_figures
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Driver, Prismatic, Revolute
from carom.laws.normal.base import NormalLaw
from carom.laws.stiffness import hertz_stiffness
from carom.model.body import Body
from carom.model.planar_clearance import RevoluteClearance
from carom.model.system import System
from carom.result.result import Result

CRANK, ROCKER, COUPLER = 0.1, 0.5, 0.12
"""Lengths [m]."""
PIVOT, LINE = (0.0, -0.25), 0.25
"""Pivot of the rocker and height of the line of the slider [m]."""
SPEED, GRAVITY = 3.0, 9.81
"""Speed of the crank [rad/s], gravity [m/s²]."""
BEARING, JOURNAL = 0.010, 0.0095
"""Radii in the joints with clearance [m]."""


@check_parameters
def quick_return(
    joints: str = "clearance",
    law: str | NormalLaw = "lankarani_nikravesh",
    restitution: float = 0.9,
) -> Case:
    """Quick-return mechanism with clearance in four of its joints.

    The crank rotates at 3 rad/s; its pin carries a block that slides along the rocker, whose tip moves the slider
    through a coupler. With ``joints`` "clearance" the joints of rocker, block and coupler have a radial clearance of
    0.5 mm, and the run starts with centred journals and the velocities of the ideal mechanism. The motion is chaotic:
    runs with different tolerances diverge after about 0.1 s.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.quick_return().system
    <System 'quick-return mechanism': 5 bodies, 4 joints, 4 contacts>
    """
    one_of("quick_return", "joints", joints, ("clearance", "ideal"))
    stiffness = hertz_stiffness(JOURNAL, -BEARING)
    contact_law = case_law("quick_return", law, stiffness=stiffness, restitution=restitution)
    ideal = mechanism(Revolute, {})
    ideal.assemble(keep=[(ideal["crank"], "angle")])
    system = ideal
    if joints == "clearance":
        system = mechanism(
            RevoluteClearance, {"journal_radius": JOURNAL, "bearing_radius": BEARING, "law": contact_law}
        )
        for body in system.bodies:
            body.velocity, body.angular_velocity = ideal[body.name].velocity, ideal[body.name].angular_velocity

    def check_results(result: Result) -> list[CheckResult]:
        checks = [
            energy_drift(result, 1e-8),
            max_abs_error("crank angle [rad]", result["crank"].angle, SPEED * result.t, 1e-9),
            max_abs_error("slider off its line [m]", result["slider"].y, LINE, 1e-9),
        ]
        x = ideal_slider(result["crank"].angle)
        clearance = 8.0 * (BEARING - JOURNAL) if joints == "clearance" else 1e-9
        return [*checks, max_abs_error("slider against the ideal mechanism [m]", result["slider"].x, x, clearance)]

    def without_clearance(result: Result) -> Result:
        return quick_return("ideal").run(t_end=float(result.t[-1]))

    return Case(
        quick_return,
        system=system,
        options={"t_end": 2.0 * math.pi / SPEED},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("slider.x", "slider.vx"), motion=("slider.x", "slider.vx"), ghosts=(0.5, 1.2)
        ),
        reference="P. Flores, J. Ambrósio, On the contact detection for contact-impact analysis in multibody systems, "
        "Multibody System Dynamics 24 (2010) 103–122, section 5.2",
        extra_figures=extra_figures(without_clearance) if joints == "clearance" else None,
    )


def mechanism(joint: Any, clearance: dict[str, Any]) -> System:
    """Return the mechanism at crank angle 0; ``joint`` and ``clearance`` define the joints that may have clearance."""
    pin = (CRANK, 0.0)
    rocker_angle = math.atan2(pin[1] - PIVOT[1], pin[0] - PIVOT[0])
    tip = (PIVOT[0] + ROCKER * math.cos(rocker_angle), PIVOT[1] + ROCKER * math.sin(rocker_angle))
    coupler_angle = math.asin((LINE - tip[1]) / COUPLER)
    slider_pin = (tip[0] + COUPLER * math.cos(coupler_angle), LINE)
    system = System(gravity=(0.0, -GRAVITY), name="quick-return mechanism")
    ground = system.ground
    crank = system.add(Body("crank", 0.20, 0.010, position=(pin[0] / 2, 0.0), angular_velocity=SPEED))
    rocker = system.add(Body("rocker", 1.00, 0.100, position=midpoint(PIVOT, tip), angle=rocker_angle))
    block = system.add(Body("block", 0.50, 0.025, position=pin, angle=rocker_angle))
    coupler = system.add(Body("coupler", 0.24, 0.012, position=midpoint(tip, slider_pin), angle=coupler_angle))
    slider = system.add(Body("slider", 0.50, 0.025, position=slider_pin))
    bearing = system.add(Revolute(ground, crank, at=(0.0, 0.0), name="bearing"))
    system.add(joint(ground, rocker, at=PIVOT, name="rocker pivot", **clearance))
    system.add(joint(crank, block, at=pin, name="crank pin", **clearance))
    system.add(Prismatic(rocker, block, at=pin, axis=(math.cos(rocker_angle), math.sin(rocker_angle)), name="slot"))
    system.add(joint(rocker, coupler, at=tip, name="rocker tip", **clearance))
    system.add(joint(coupler, slider, at=slider_pin, name="slider pin", **clearance))
    system.add(Prismatic(ground, slider, at=slider_pin, axis=(1.0, 0.0), name="guide"))
    system.add(Driver(bearing, ConstantSpeed(SPEED), name="motor"))
    return system


def midpoint(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """Return the midpoint of two points."""
    return ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)


def ideal_slider(angle: Any) -> Any:
    """Return the position of the slider of the ideal mechanism at a crank angle [m]."""
    import numpy as np

    rocker_angle = np.arctan2(CRANK * np.sin(angle) - PIVOT[1], CRANK * np.cos(angle) - PIVOT[0])
    offset = LINE - PIVOT[1] - ROCKER * np.sin(rocker_angle)
    return PIVOT[0] + ROCKER * np.cos(rocker_angle) + np.sqrt(COUPLER**2 - offset**2)
