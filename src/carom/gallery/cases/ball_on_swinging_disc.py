"""Sphere on an oscillating disc."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, one_of, short_repr, vector
from carom.errors import ModelError
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.figures.frame_strip import frame_strip
from carom.gallery.reference_ball import ReferenceBall
from carom.geometry.shapes import Disc, Sphere
from carom.geometry.shapes.base import EDGES, edges_renamed
from carom.joints.prescribed_motion import SineMotion
from carom.joints.registry import Driver, Revolute
from carom.laws.friction.step_coulomb import StepCoulomb
from carom.laws.normal.penalty_step import PenaltyStep
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result
from carom.typing import EdgeContact

RADIUS, MASS, GRAVITY = 0.03, 0.9, 9.81
"""Radius [m] and mass [kg] of the ball, gravity [m/s²]."""
DISC_RADIUS = 0.25
"""Radius of the disc [m]."""
FREQUENCY = 1.0
"""Frequency of the swing [Hz]."""
STIFFNESS, EXPONENT, DAMPING, DEPTH = 1e8, 1.5, 500.0, 1e-4
"""Stiffness [N/m^1.5], exponent [-], largest damping [N s/m] and indentation of full damping [m] of the contact."""
STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED = 0.2, 0.1, 0.005, 0.05
"""Static and dynamic friction coefficient [-], speeds up to which it sticks and from which it slides [m/s]."""
FRAME_TIMES = (0.0, 0.25, 0.5, 0.75, 1.25, 1.75)
"""Times of the frames in the animation strip [s]."""
COMPARED_TIME, PATH_BOUND = 0.2, 2e-6
"""Time for which the path is compared with the second method [s], and the bound of the difference [m].

The second method steps over the short return of the force before separation, which carom locates."""


@edges_renamed
@check_parameters
def ball_on_swinging_disc(
    amplitude: float = math.radians(5.0), start: Sequence[float] = (0.1, 0.05), edges: EdgeContact = "contact"
) -> Case:
    """A ball falls on an oscillating disc.

    The disc of 0.25 m radius oscillates about the z-axis through its centre with ``amplitude`` [rad] (a value above π/2
    is read in degrees) and a frequency of 1 Hz. The ball of 30 mm radius falls on it from ``start`` (x, y) [m].
    ``edges`` selects whether the rim has contact ("contact") or only the face ("ignore").

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.ball_on_swinging_disc().system
    <System 'ball on a swinging disc': 2 bodies, 2 joints, 1 contacts>
    """
    angle = abs(finite_float("ball_on_swinging_disc", "amplitude", amplitude))
    angle = math.radians(angle) if angle > 0.5 * math.pi else angle
    if angle >= 0.5 * math.pi:
        raise ModelError(f"ball_on_swinging_disc: amplitude must be below 90°, got {short_repr(amplitude)}")
    x, y = vector("ball_on_swinging_disc", "start", start, 2)
    one_of("ball_on_swinging_disc", "edges", edges, EDGES)
    system = System(dim=3, gravity=(0.0, -GRAVITY, 0.0), name="ball on a swinging disc")
    ball = system.add(Body("ball", MASS, 0.4 * MASS * RADIUS**2, position=(x, y, 0.0)))
    spin = (0.0, 0.0, 2.0 * math.pi * FREQUENCY * angle)
    disc = system.add(Body("disc", 1.0, (0.016, 0.031, 0.016), position=(0.0, 0.0, 0.0), angular_velocity=spin))
    hinge = system.add(Revolute(system.ground, disc, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), name="hinge"))
    system.add(Driver(hinge, SineMotion(angle, FREQUENCY), name="drive"))
    law = PenaltyStep(stiffness=STIFFNESS, exponent=EXPONENT, damping=DAMPING, depth=DEPTH)
    friction = StepCoulomb(STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED)
    plate = Disc(disc, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), DISC_RADIUS, edges=edges)
    system.add(Contact(Sphere(ball, RADIUS), plate, law, friction, name="touch"))

    def disc_face(t: float, centre: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return distance, normal and velocity of the disc face for the second method."""
        tilt, rate = angle * math.sin(2.0 * math.pi * FREQUENCY * t), 2.0 * math.pi * FREQUENCY * angle
        normal = np.array([-math.sin(tilt), math.cos(tilt), 0.0])
        distance = float(centre @ normal)
        foot = centre - distance * normal
        omega = np.array([0.0, 0.0, rate * math.cos(2.0 * math.pi * FREQUENCY * t)])
        return abs(distance), normal if distance >= 0.0 else -normal, np.cross(omega, foot)

    def check_results(result: Result) -> list[CheckResult]:
        times = np.linspace(0.0, min(COMPARED_TIME, float(result.t[-1])), 31)
        reference = ReferenceBall(
            MASS, RADIUS, STIFFNESS, EXPONENT, DAMPING, DEPTH, STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED
        )
        start_state = np.array([x, y, 0.0, *[0.0] * 6])
        expected = reference.motion([disc_face], np.array([0.0, -GRAVITY, 0.0]), start_state, times)
        sample = result.sample(times)["ball"]
        swing = angle * np.sin(2.0 * math.pi * FREQUENCY * result.t)
        angles = np.arctan2(result["disc"].rotation[:, 1, 0], result["disc"].rotation[:, 0, 0])
        return [
            energy_drift(result, 1e-6),
            max_abs_error("path of the ball by a second method [m]", sample.position, expected[:, :3], PATH_BOUND),
            max_abs_error("angle of the disc [rad]", angles, swing, 1e-9),
        ]

    return Case(
        ball_on_swinging_disc,
        system=system,
        options={"t_end": 2.0},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("ball.y", "ball.x"), motion=("ball.y", "ball.x", "touch.normal_force"), trace=("ball",)
        ),
        reference="Z. Zhu et al., A penalty function-based Modelica library for multi-body contact collision, Ex. 1, "
        "Figs 16 to 18",
        extra_figures={
            "M17": lambda result: frame_strip(system, result, FRAME_TIMES, "Ball on a swinging disc"),
            "M18": displacement,
        },
    )


def displacement(result: Result) -> Any:
    """Plot the height of the centre of the ball."""
    from carom.plot import plot_result

    return plot_result(result, "ball.y", title="Ball on a swinging disc: height of its centre")
