"""Planar parallel robot, a five-bar linkage, with a loose elbow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import one_of, positive
from carom.gallery import clearance_checks as checks
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.case_law import case_law
from carom.gallery.rods import uniform_rod
from carom.joints.prescribed_motion import SineMotion
from carom.joints.registry import Driver, Revolute
from carom.laws.normal.base import NormalLaw
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result

BASE, UPPER, FOREARM = 0.10, 0.15, 0.20
"""Distance of the motors, lengths of upper arms and forearms [m]."""
DENSITY, TOOL, GRAVITY = 1.0, 0.3, 9.81
"""Mass per length of the arms [kg/m], mass of the tool [kg], gravity [m/s²]."""
BEARING, ELBOW = 0.005, "left elbow"
ANGLES = (2.1, math.pi - 2.1)
"""Angles of the upper arms in the middle of the motion [rad]."""
AMPLITUDES, PHASES = (0.35, 0.25), (0.0, 0.5 * math.pi)
"""Amplitudes and phases of their motions [rad]."""


@check_parameters
def five_bar_clearance(
    elbow: str = "loose",
    frequency: float = 3.0,
    clearance: float = 1e-4,
    law: str | NormalLaw = "lankarani_nikravesh",
    restitution: float = 0.8,
) -> Case:
    """Planar parallel robot, a five-bar linkage, with a loose elbow.

    Two motors swing the upper arms harmonically at ``frequency`` [Hz]; the forearms share the tool at their ends, which
    moves on a closed path. With ``elbow`` "loose" the left elbow has clearance, and the tool leaves its path by up to
    the clearance times the gain of the linkage; "ideal" is the ideal robot. All parameters are chosen. The tool is
    compared with the intersection of the circles of the forearms in closed form, and the momentum of the left forearm
    with the forces of its joints.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.five_bar_clearance().system
    <System 'five-bar robot with a loose elbow': 5 bodies, 7 joints, 1 contacts>
    """
    one_of("five_bar_clearance", "elbow", elbow, ("loose", "ideal"))
    rate = 2.0 * math.pi * positive("five_bar_clearance", "frequency", frequency)
    sizes = checks.journal_in("five_bar_clearance", BEARING, clearance)
    contact_law = case_law("five_bar_clearance", law, stiffness=checks.joint_stiffness(sizes), restitution=restitution)
    ideal = robot(rate, None)
    ideal.assemble()
    system = ideal
    if elbow == "loose":
        system = robot(rate, sizes, law=contact_law)
        checks.copy_velocities(system, ideal)

    def check_results(result: Result) -> list[CheckResult]:
        tool, gain = ideal_tool(*arm_angles(rate, result.t))
        play = 1e-8 + (checks.largest_deviation(result, [ELBOW]) if elbow == "loose" else 0.0)
        path = result["tool"].x + 1j * result["tool"].y
        return [
            energy_drift(result, 1e-7),
            max_abs_error("tool against its ideal path [m]", path, tool, 1.2 * gain * play),
            checks.momentum_balance(result, "left forearm", [(ELBOW, 1.0), ("left wrist", -1.0)], (0.0, -GRAVITY)),
        ]

    def ideal_too(result: Result) -> dict[str, Result]:
        other = "ideal" if elbow == "loose" else "loose"
        run = five_bar_clearance(other, frequency, clearance, law, restitution).run(t_end=float(result.t[-1]))
        return {"loose elbow": result, "ideal": run} if elbow == "loose" else {"loose elbow": run, "ideal": result}

    period = 2.0 * math.pi / rate
    title = "Five-bar robot: acceleration of the tool and torque of a motor"
    figures: dict[str, Any] = {"joints": checks.series_figure(title, ideal_too, "tool.ax", "left motor.effort")}
    if elbow == "loose":
        figures["diagnosis"] = checks.diagnosis_figure(ELBOW, period)
    return Case(
        five_bar_clearance,
        system=system,
        options={"t_end": period},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=(("tool.vx", "tool.vy"), "left motor.effort"), motion=("tool.ax", "tool.ay", "left motor.effort"),
            ghosts=(period / 3, 2 * period / 3), trace=(system["tool"],),
        ),
        reference="parameters chosen; clearance joints as in P. Flores, J. Ambrósio, J. C. P. Claro, H. M. Lankarani, "
        "Kinematics and Dynamics of Multibody Systems with Imperfect Joints, Springer (2008)",
        extra_figures=figures,
    )  # fmt: skip


def arm_angles(rate: float, t: Any) -> tuple[Any, Any]:
    """Return the angles of the upper arms over time [rad]."""
    left, right = (
        middle + amplitude * np.sin(rate * np.asarray(t) + phase)
        for middle, amplitude, phase in zip(ANGLES, AMPLITUDES, PHASES, strict=True)
    )
    return left, right


def elbows(left: Any, right: Any) -> tuple[Any, Any]:
    """Return the elbows as complex numbers [m]."""
    return -0.5 * BASE + UPPER * np.exp(1j * left), 0.5 * BASE + UPPER * np.exp(1j * right)


def ideal_tool(left: Any, right: Any) -> tuple[Any, float]:
    """Return the tool of the ideal robot, above its elbows, and the largest gain of a displacement of an elbow."""
    first, second = elbows(left, right)
    half = 0.5 * (second - first)
    height = np.sqrt(FOREARM**2 - np.abs(half) ** 2)
    # The tool turns about the other elbow; the displacement along the left forearm grows with the angle between both.
    gain = 1.0 / np.min(np.abs(2.0 * height * np.abs(half)) / FOREARM**2)
    return first + half + 1j * height * half / np.abs(half), float(gain)


def robot(rate: float, sizes: dict[str, float] | None, **options: Any) -> System:
    """Return the robot at t = 0; its left elbow has clearance if there are ``sizes``."""
    system = System(gravity=(0.0, -GRAVITY), name="five-bar robot with a loose elbow")
    ground = system.ground
    angles = [float(angle) for angle in arm_angles(rate, 0.0)]
    corners = elbows(*angles)
    tip = complex(ideal_tool(*angles)[0])
    tool = Body("tool", TOOL, 1e-5, position=(tip.real, tip.imag))
    arms = []
    for k, side in enumerate(("left", "right")):
        base = ((k - 0.5) * BASE, 0.0)
        corner = complex(corners[k])
        reach = tip - corner
        upper = system.add(uniform_rod(f"{side} arm", DENSITY * UPPER, base, UPPER, angles[k]))
        forearm = system.add(
            uniform_rod(
                f"{side} forearm", DENSITY * FOREARM, (corner.real, corner.imag), FOREARM,
                math.atan2(reach.imag, reach.real),
            )
        )  # fmt: skip
        arms.append((side, upper, forearm, base, corner))
    system.add(tool)
    for k, (side, upper, forearm, base, corner) in enumerate(arms):
        shoulder = system.add(Revolute(ground, upper, at=base, name=f"{side} shoulder"))
        at = (corner.real, corner.imag)
        name = f"{side} elbow"
        system.add(checks.pin(upper, forearm, at, name, sizes if name == ELBOW else None, **options))
        system.add(Revolute(forearm, tool, at=tool.position, name=f"{side} wrist"))
        motion = SineMotion(AMPLITUDES[k], rate / (2.0 * math.pi), PHASES[k])
        system.add(Driver(shoulder, motion, name=f"{side} motor"))
    return system
