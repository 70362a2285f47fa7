"""A cam and its follower."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.errors import choice
from carom.forces.registry import SpringDamper
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest
from carom.gallery.figures.scenes import frames
from carom.geometry.curve import Curve
from carom.geometry.shapes import Sphere
from carom.joints.motion import ConstantSpeed, Sine
from carom.joints.registry import Driver, Prismatic, Revolute
from carom.laws.normal.penalty_step import PenaltyStep
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result
from carom.solve.statics import statics

BASE, LIFT, POINTS = 0.04, 0.012, 24
"""Radius of the base circle and lift of the rotating cam [m]; points its spline goes through."""
ROLLER, MASS = 0.01, 0.5
SPRING, FREE = 2000.0, 0.02
"""Stiffness of the spring [N/m], and the height of the follower at which it is free [m]."""
STIFFNESS, EXPONENT, DAMPING, DEPTH = 1e8, 1.5, 1000.0, 1e-4
SPEED = 2.0 * math.pi
LENGTH, HEIGHT, SWAY = 0.2, 0.01, 0.08
"""Of the translating cam: half of its length, the height of its waves, the amplitude of its motion [m]."""

TIMES = (0.0, 0.15, 0.3, 0.5, 0.65, 0.8)
"""Of the frames of the animation [s]."""


def radius_of(angle: Any) -> Any:
    """Radius [m] of the rotating cam at an angle of its own."""
    return BASE + LIFT * (0.5 * (1.0 - np.cos(angle))) ** 2


def height_of(x: Any) -> Any:
    """Height [m] of the translating cam."""
    return BASE + HEIGHT * np.cos(2.0 * math.pi * np.asarray(x) / LENGTH)


@bounded
def cam_follower(profile: str = "closed") -> Case:
    """A cam lifts a follower against a spring.

    The profile ``"closed"`` is a cam that turns once a second: a periodic spline through 24 points. ``"graph"`` is a
    cam that goes to and fro, 0.08 m each way once a second: a spline with natural ends through the graph
    y = 0.04 + 0.01 cos(2πx/0.2). The follower's roller of 10 mm radius moves along the y-axis.
    """
    turning = choice("cam_follower", "profile", profile, ("closed", "graph")) == "closed"
    law = PenaltyStep(stiffness=STIFFNESS, exponent=EXPONENT, damping=DAMPING, depth=DEPTH)
    system = System(name="cam and follower")
    cam = system.add(Body("cam", 1.0, 1e-3))
    if turning:
        joint: Any = system.add(Revolute(system.ground, cam, at=(0.0, 0.0), name="shaft"))
        angle = 2.0 * math.pi * np.arange(POINTS) / POINTS
        points = np.column_stack([radius_of(angle) * np.cos(angle), radius_of(angle) * np.sin(angle)])
        curve = Curve(cam, points.tolist(), closed=True)
        motion: Any = ConstantSpeed(SPEED)
    else:
        joint = system.add(Prismatic(system.ground, cam, axis=(1.0, 0.0), name="slide"))
        x = np.linspace(-LENGTH, LENGTH, 81)
        curve = Curve(cam, np.column_stack([x, height_of(x)]).tolist(), closed=False)
        motion = Sine(SWAY, 1.0)
    follower = system.add(Body("follower", MASS, 1e-4, position=(0.0, lift(turning, 0.0))))
    system.add(Prismatic(system.ground, follower, axis=(0.0, 1.0), at=(0.0, 0.12), name="guide"))
    top = system.ground.point(0.0, FREE + 0.2)
    system.add(SpringDamper(top, follower, stiffness=SPRING, free_length=0.2, name="spring"))
    system.add(Contact(Sphere(follower, ROLLER), curve, law, name="touch"))
    system.add(Driver(joint, motion, name="motor"))
    system.place(statics(system))
    if turning:
        cam.angular_velocity = SPEED
    else:
        cam.velocity = (2.0 * math.pi * SWAY, 0.0)

    def findings(result: Result) -> list[Finding]:
        expected = np.array([lift(turning, time) for time in result.t])
        return [drift(result, 1e-7), farthest("lift in closed form [m]", result["follower"].y, expected, 1.5e-4)]

    return Case(
        cam_follower,
        system=system,
        options={"t_end": 2.0},
        findings=findings,
        look=Look(
            panels=("follower.y", "touch.normal_force"),
            motion=("follower.y", "follower.vy", "touch.normal_force"),
            pose=0.15,
            ghosts=(),
        ),
        reference="Z. Zhu et al., A penalty function-based Modelica library for multi-body contact collision, Ex. 3, "
        "Figs 22 to 24",
        drawings={
            "M23": lambda result: frames(system, result, TIMES, "Cam and follower"),
            "M24": lambda result: displacement(result, turning),
        },
    )


def lift(turning: bool, t: float) -> float:
    """Height [m] of a roller that touches the profile itself, not its spline: the pitch curve at x = 0."""
    from scipy.optimize import brentq

    def roller(s: float) -> tuple[float, float]:
        """Centre of a roller that touches at parameter ``s``, in global axes."""
        h = 1e-6
        if turning:
            r, slope = float(radius_of(s)), float(radius_of(s + h) - radius_of(s - h)) / (2.0 * h)
            x, y = r * math.cos(s), r * math.sin(s)
            dx, dy = slope * math.cos(s) - y, slope * math.sin(s) + x
        else:
            x, y = s, float(height_of(s))
            dx, dy = -1.0, -float(height_of(s + h) - height_of(s - h)) / (2.0 * h)
        length = math.hypot(dx, dy)
        x, y = x + ROLLER * dy / length, y - ROLLER * dx / length
        if not turning:
            return x + SWAY * math.sin(2.0 * math.pi * t), y
        c, s_ = math.cos(SPEED * t), math.sin(SPEED * t)
        return c * x - s_ * y, s_ * x + c * y

    middle, reach = (0.5 * math.pi - SPEED * t, 0.6) if turning else (-SWAY * math.sin(2.0 * math.pi * t), 0.03)
    foot = brentq(lambda s: roller(s)[0], middle - reach, middle + reach, xtol=1e-14)
    return roller(foot)[1]


def displacement(result: Result, turning: bool) -> Any:
    """Height of the follower, and what it differs from the lift in closed form."""
    from carom.plot.figure_options import open_figure
    from carom.plot.panels import label_time

    expected = np.array([lift(turning, time) for time in result.t])
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
