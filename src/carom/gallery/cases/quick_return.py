"""Quick-return mechanism with clearance in its revolute joints."""

from __future__ import annotations

import math
from typing import Any

from carom.errors import choice
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest
from carom.gallery.chosen import chosen
from carom.gallery.figures.quick_return import drawings
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Driver, Prismatic, Revolute
from carom.laws.normal.base import NormalLaw
from carom.laws.stiffness import hertz_stiffness
from carom.model.body import Body
from carom.model.clearance import RevoluteClearance
from carom.model.system import System
from carom.result.result import Result

CRANK, ROCKER, COUPLER = 0.1, 0.5, 0.12
PIVOT, LINE = (0.0, -0.25), 0.25
SPEED, GRAVITY = 3.0, 9.81
BEARING, JOURNAL = 0.010, 0.0095


@bounded
def quick_return(
    joints: str = "clearance",
    law: str | NormalLaw = "lankarani_nikravesh",
    restitution: float = 0.9,
) -> Case:
    """Quick-return mechanism with clearance in four of its joints.

    The crank turns at 3 rad/s; its pin carries a block that slides along the rocker, whose tip moves the slider through
    a coupler. With ``joints`` "clearance" the joints of the rocker, of the block and of the coupler have 0.5 mm of
    play, and the run begins with every journal in the middle of its bearing, moving as in the ideal mechanism. That
    motion is chaotic: two runs with different tolerances part after some ten hundredths of a second.
    """
    choice("quick_return", "joints", joints, ("clearance", "ideal"))
    stiffness = hertz_stiffness(JOURNAL, -BEARING)
    contact_law = chosen("quick_return", law, stiffness=stiffness, restitution=restitution)
    ideal = mechanism(Revolute, {})
    ideal.assemble(keep=[(ideal["crank"], "angle")])
    system = ideal
    if joints == "clearance":
        system = mechanism(
            RevoluteClearance, {"journal_radius": JOURNAL, "bearing_radius": BEARING, "law": contact_law}
        )
        for body in system.bodies:
            body.velocity, body.angular_velocity = ideal[body.name].velocity, ideal[body.name].angular_velocity

    def findings(result: Result) -> list[Finding]:
        found = [
            drift(result, 1e-8),
            farthest("crank angle [rad]", result["crank"].angle, SPEED * result.t, 1e-9),
            farthest("slider on its line [m]", result["slider"].y, LINE, 1e-9),
        ]
        x = ideal_slider(result["crank"].angle)
        play = 8.0 * (BEARING - JOURNAL) if joints == "clearance" else 1e-9
        return [*found, farthest("slider of the ideal mechanism [m]", result["slider"].x, x, play)]

    def without_play(result: Result) -> Result:
        return quick_return("ideal").run(t_end=float(result.t[-1]))

    return Case(
        quick_return,
        system=system,
        options={"t_end": 2.0 * math.pi / SPEED},
        findings=findings,
        look=Look(panels=("slider.x", "slider.vx"), motion=("slider.x", "slider.vx"), ghosts=(0.5, 1.2)),
        reference="P. Flores, J. Ambrósio, On the contact detection for contact-impact analysis in multibody systems, "
        "Multibody System Dynamics 24 (2010) 103–122, section 5.2",
        drawings=drawings(without_play) if joints == "clearance" else None,
    )


def mechanism(joint: Any, play: dict[str, Any]) -> System:
    """The mechanism at crank angle 0 with ``joint`` for the four joints that may have clearance."""
    pin = (CRANK, 0.0)
    tilt = math.atan2(pin[1] - PIVOT[1], pin[0] - PIVOT[0])
    tip = (PIVOT[0] + ROCKER * math.cos(tilt), PIVOT[1] + ROCKER * math.sin(tilt))
    lean = math.asin((LINE - tip[1]) / COUPLER)
    end = (tip[0] + COUPLER * math.cos(lean), LINE)
    system = System(gravity=(0.0, -GRAVITY), name="quick-return mechanism")
    ground = system.ground
    crank = system.add(Body("crank", 0.20, 0.010, position=(pin[0] / 2, 0.0), angular_velocity=SPEED))
    rocker = system.add(Body("rocker", 1.00, 0.100, position=middle(PIVOT, tip), angle=tilt))
    block = system.add(Body("block", 0.50, 0.025, position=pin, angle=tilt))
    coupler = system.add(Body("coupler", 0.24, 0.012, position=middle(tip, end), angle=lean))
    slider = system.add(Body("slider", 0.50, 0.025, position=end))
    bearing = system.add(Revolute(ground, crank, at=(0.0, 0.0), name="bearing"))
    system.add(joint(ground, rocker, at=PIVOT, name="rocker pivot", **play))
    system.add(joint(crank, block, at=pin, name="crank pin", **play))
    system.add(Prismatic(rocker, block, at=pin, axis=(math.cos(tilt), math.sin(tilt)), name="slot"))
    system.add(joint(rocker, coupler, at=tip, name="rocker tip", **play))
    system.add(joint(coupler, slider, at=end, name="slider pin", **play))
    system.add(Prismatic(ground, slider, at=end, axis=(1.0, 0.0), name="guide"))
    system.add(Driver(bearing, ConstantSpeed(SPEED), name="motor"))
    return system


def middle(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)


def ideal_slider(angle: Any) -> Any:
    """Position [m] of the slider of the ideal mechanism at a crank angle."""
    import numpy as np

    tilt = np.arctan2(CRANK * np.sin(angle) - PIVOT[1], CRANK * np.cos(angle) - PIVOT[0])
    across = LINE - PIVOT[1] - ROCKER * np.sin(tilt)
    return PIVOT[0] + ROCKER * np.cos(tilt) + np.sqrt(COUPLER**2 - across**2)
