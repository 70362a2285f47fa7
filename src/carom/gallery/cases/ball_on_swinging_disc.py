"""A ball on a disc that swings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.errors import ModelError, choice, number, shown, vector
from carom.gallery.ball_method import Ball
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest
from carom.gallery.figures.scenes import frames
from carom.geometry.faces import Disc
from carom.geometry.shapes import Sphere
from carom.joints.prescribed_motion import Sine
from carom.joints.registry import Driver, Revolute
from carom.laws.friction.step_coulomb import StepCoulomb
from carom.laws.normal.penalty_step import PenaltyStep
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

RADIUS, MASS, GRAVITY = 0.03, 0.9, 9.81
DISC = 0.25
FREQUENCY = 1.0
STIFFNESS, EXPONENT, DAMPING, DEPTH = 1e8, 1.5, 500.0, 1e-4
STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED = 0.2, 0.1, 0.005, 0.05
TIMES = (0.0, 0.25, 0.5, 0.75, 1.25, 1.75)
"""Of the frames of the animation [s]."""
CHECKED, CLOSE = 0.2, 2e-6
"""Time [s] for which the path is compared with the second method, and how close [m]: that one steps over the moment
before separation in which the force returns, which carom locates."""


@bounded
def ball_on_swinging_disc(
    amplitude: float = math.radians(5.0), start: Sequence[float] = (0.1, 0.05), edge: str = "push"
) -> Case:
    """A ball falls on a round plate that swings.

    The plate of 0.25 m radius swings about the z-axis through its middle by ``amplitude`` [rad] (a number above π/2 is
    taken as degrees), once a second. The ball of 30 mm radius falls on it from ``start`` (x, y) [m]. ``edge`` says
    whether the rim pushes ("push") or only the face ("face_only").
    """
    angle = abs(number("ball_on_swinging_disc", "amplitude", amplitude))
    angle = math.radians(angle) if angle > 0.5 * math.pi else angle
    if angle >= 0.5 * math.pi:
        raise ModelError(f"ball_on_swinging_disc: amplitude must be below 90°, got {shown(amplitude)}")
    x, y = vector("ball_on_swinging_disc", "start", start, 2)
    choice("ball_on_swinging_disc", "edge", edge, ("push", "face_only"))
    system = System(dim=3, gravity=(0.0, -GRAVITY, 0.0), name="ball on a swinging disc")
    ball = system.add(Body("ball", MASS, 0.4 * MASS * RADIUS**2, position=(x, y, 0.0)))
    spin = (0.0, 0.0, 2.0 * math.pi * FREQUENCY * angle)
    disc = system.add(Body("disc", 1.0, (0.016, 0.031, 0.016), position=(0.0, 0.0, 0.0), angular_velocity=spin))
    hinge = system.add(Revolute(system.ground, disc, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), name="hinge"))
    system.add(Driver(hinge, Sine(angle, FREQUENCY), name="drive"))
    law = PenaltyStep(stiffness=STIFFNESS, exponent=EXPONENT, damping=DAMPING, depth=DEPTH)
    friction = StepCoulomb(STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED)
    plate = Disc(disc, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), DISC, edge=edge)
    system.add(Contact(Sphere(ball, RADIUS), plate, law, friction, name="touch"))

    def wall(t: float, centre: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """The face of the disc, as the second method sees it."""
        turn, rate = angle * math.sin(2.0 * math.pi * FREQUENCY * t), 2.0 * math.pi * FREQUENCY * angle
        normal = np.array([-math.sin(turn), math.cos(turn), 0.0])
        distance = float(centre @ normal)
        foot = centre - distance * normal
        omega = np.array([0.0, 0.0, rate * math.cos(2.0 * math.pi * FREQUENCY * t)])
        return abs(distance), normal if distance >= 0.0 else -normal, np.cross(omega, foot)

    def findings(result: Result) -> list[Finding]:
        times = np.linspace(0.0, min(CHECKED, float(result.t[-1])), 31)
        method = Ball(MASS, RADIUS, STIFFNESS, EXPONENT, DAMPING, DEPTH, STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED)
        first = np.array([x, y, 0.0, *[0.0] * 6])
        other = method.path([wall], np.array([0.0, -GRAVITY, 0.0]), first, times)
        sample = result.sample(times)["ball"]
        swing = angle * np.sin(2.0 * math.pi * FREQUENCY * result.t)
        turned = np.arctan2(result["disc"].rotation[:, 1, 0], result["disc"].rotation[:, 0, 0])
        return [
            drift(result, 1e-6),
            farthest("path of the ball by a second method [m]", sample.position, other[:, :3], CLOSE),
            farthest("angle of the disc [rad]", turned, swing, 1e-9),
        ]

    return Case(
        ball_on_swinging_disc,
        system=system,
        options={"t_end": 2.0},
        findings=findings,
        look=Look(panels=("ball.y", "ball.x"), motion=("ball.y", "ball.x", "touch.normal_force"), trace=("ball",)),
        reference="Z. Zhu et al., A penalty function-based Modelica library for multi-body contact collision, Ex. 1, "
        "Figs 16 to 18",
        drawings={
            "M17": lambda result: frames(system, result, TIMES, "Ball on a swinging disc"),
            "M18": displacement,
        },
    )


def displacement(result: Result) -> Any:
    """Height of the ball's centre."""
    from carom.plot import plot_result

    return plot_result(result, "ball.y", title="Ball on a swinging disc: height of its centre")
