"""Cam and spring-loaded follower."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import one_of
from carom.forces.registry import SpringDamper
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.figures.frame_strip import frame_strip
from carom.geometry.shapes import Sphere
from carom.geometry.shapes.curve import Curve
from carom.joints.prescribed_motion import ConstantSpeed, SineMotion
from carom.joints.registry import Driver, Prismatic, Revolute
from carom.laws.normal.penalty_step import PenaltyStep
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result
from carom.solve.analyses.statics import statics

BASE, LIFT, POINTS = 0.04, 0.012, 24
"""Radius of the base circle and lift of the rotating cam [m]; number of spline points."""
ROLLER, MASS = 0.01, 0.5
"""Radius of the roller [m] and mass of the follower [kg]."""
SPRING, FREE_HEIGHT = 2000.0, 0.02
"""Stiffness of the spring [N/m] and height of the follower at which it is unstretched [m]."""
STIFFNESS, EXPONENT, DAMPING, DEPTH = 1e8, 1.5, 1000.0, 1e-4
"""Stiffness [N/m^1.5], exponent [-], largest damping [N s/m] and indentation of full damping [m] of the contact."""
SPEED = 2.0 * math.pi
"""Speed of the cam [rad/s]."""
LENGTH, HEIGHT, AMPLITUDE = 0.2, 0.01, 0.08
"""Half length, wave height and motion amplitude of the translating cam [m]."""

FRAME_TIMES = (0.0, 0.15, 0.3, 0.5, 0.65, 0.8)
"""Times of the frames in the animation strip [s]."""


def radius_of(angle: Any) -> Any:
    """Return the radius of the rotating cam at a body-fixed angle [m]."""
    return BASE + LIFT * (0.5 * (1.0 - np.cos(angle))) ** 2


def height_of(x: Any) -> Any:
    """Return the height of the translating cam [m]."""
    return BASE + HEIGHT * np.cos(2.0 * math.pi * np.asarray(x) / LENGTH)


@check_parameters
def cam_follower(profile: str = "closed") -> Case:
    """A cam lifts a follower against a spring.

    The profile ``"closed"`` is a cam that rotates at 1 Hz: a periodic spline through 24 points. ``"graph"`` is a
    translating cam that oscillates with an amplitude of 0.08 m at 1 Hz: a natural spline through the graph
    y = 0.04 + 0.01 cos(2πx/0.2). The roller of the follower, of 10 mm radius, moves along the y-axis.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.cam_follower().system
    <System 'cam and follower': 2 bodies, 3 joints, 1 forces, 1 contacts>
    """
    rotating = one_of("cam_follower", "profile", profile, ("closed", "graph")) == "closed"
    law = PenaltyStep(stiffness=STIFFNESS, exponent=EXPONENT, damping=DAMPING, depth=DEPTH)
    system = System(name="cam and follower")
    cam = system.add(Body("cam", 1.0, 1e-3))
    if rotating:
        joint: Any = system.add(Revolute(system.ground, cam, at=(0.0, 0.0), name="shaft"))
        angle = 2.0 * math.pi * np.arange(POINTS) / POINTS
        points = np.column_stack([radius_of(angle) * np.cos(angle), radius_of(angle) * np.sin(angle)])
        curve = Curve(cam, points.tolist(), closed=True)
        motion: Any = ConstantSpeed(SPEED)
    else:
        joint = system.add(Prismatic(system.ground, cam, axis=(1.0, 0.0), name="slide"))
        x = np.linspace(-LENGTH, LENGTH, 81)
        curve = Curve(cam, np.column_stack([x, height_of(x)]).tolist(), closed=False)
        motion = SineMotion(AMPLITUDE, 1.0)
    follower = system.add(Body("follower", MASS, 1e-4, position=(0.0, lift(rotating, 0.0))))
    system.add(Prismatic(system.ground, follower, axis=(0.0, 1.0), at=(0.0, 0.12), name="guide"))
    top = system.ground.point(0.0, FREE_HEIGHT + 0.2)
    system.add(SpringDamper(top, follower, stiffness=SPRING, free_length=0.2, name="spring"))
    system.add(Contact(Sphere(follower, ROLLER), curve, law, name="touch"))
    system.add(Driver(joint, motion, name="motor"))
    system.set_state(statics(system))
    if rotating:
        cam.angular_velocity = SPEED
    else:
        cam.velocity = (2.0 * math.pi * AMPLITUDE, 0.0)

    def check_results(result: Result) -> list[CheckResult]:
        expected = np.array([lift(rotating, time) for time in result.t])
        return [
            energy_drift(result, 1e-7),
            max_abs_error("lift in closed form [m]", result["follower"].y, expected, 1.5e-4),
        ]

    return Case(
        cam_follower,
        system=system,
        options={"t_end": 2.0},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("follower.y", "touch.normal_force"),
            motion=("follower.y", "follower.vy", "touch.normal_force"),
            pose=0.15,
            ghosts=(),
        ),
        reference="Z. Zhu et al., A penalty function-based Modelica library for multi-body contact collision, Ex. 3, "
        "Figs 22 to 24",
        extra_figures={
            "M23": lambda result: frame_strip(system, result, FRAME_TIMES, "Cam and follower"),
            "M24": lambda result: displacement(result, rotating),
        },
    )


def lift(rotating: bool, t: float) -> float:
    """Return the height of a roller on the exact profile, not on its spline: the pitch curve at x = 0 [m]."""
    from scipy.optimize import brentq

    def roller_centre(s: float) -> tuple[float, float]:
        """Return the centre of a roller in contact at parameter ``s``, in global axes."""
        h = 1e-6
        if rotating:
            r, slope = float(radius_of(s)), float(radius_of(s + h) - radius_of(s - h)) / (2.0 * h)
            x, y = r * math.cos(s), r * math.sin(s)
            dx, dy = slope * math.cos(s) - y, slope * math.sin(s) + x
        else:
            x, y = s, float(height_of(s))
            dx, dy = -1.0, -float(height_of(s + h) - height_of(s - h)) / (2.0 * h)
        length = math.hypot(dx, dy)
        x, y = x + ROLLER * dy / length, y - ROLLER * dx / length
        if not rotating:
            return x + AMPLITUDE * math.sin(2.0 * math.pi * t), y
        c, s_ = math.cos(SPEED * t), math.sin(SPEED * t)
        return c * x - s_ * y, s_ * x + c * y

    guess, bracket = (0.5 * math.pi - SPEED * t, 0.6) if rotating else (-AMPLITUDE * math.sin(2.0 * math.pi * t), 0.03)
    contact_parameter = brentq(lambda s: roller_centre(s)[0], guess - bracket, guess + bracket, xtol=1e-14)
    return roller_centre(contact_parameter)[1]


def displacement(result: Result, rotating: bool) -> Any:
    """Plot the height of the follower and its difference from the lift in closed form."""
    from carom.plot.figure_options import open_figure
    from carom.plot.panels import label_time

    expected = np.array([lift(rotating, time) for time in result.t])
    with open_figure(7.0, 4.6, "Cam and follower") as figure:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2.0, 1.0))
        above.plot(result.t, 1e3 * result["follower"].y, label="follower")
        above.plot(result.t, 1e3 * expected, "--", color="black", linewidth=0.9, label="lift in closed form")
        above.set_ylabel("y [mm]")
        above.legend(loc="upper right")
        below.plot(result.t, 1e6 * (result["follower"].y - expected))
        below.set_ylabel("difference [µm]")
        label_time(below)
    return figure
