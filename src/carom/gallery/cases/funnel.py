"""Spheres in a funnel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import integer
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.figures.frame_strip import frame_strip
from carom.gallery.reference_ball import ReferenceBall
from carom.geometry.shapes import Cone, Cylinder, Plane, Sphere
from carom.geometry.shapes.union import Union
from carom.laws.friction.step_coulomb import StepCoulomb
from carom.laws.normal.penalty_step import PenaltyStep
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MOUTH, THROAT = (0.15, 0.20), (0.035, 0.085)
"""Radius and height of the ends of the cone [m]; the tube extends from the lower end down to z = 0."""
RADIUS, MASS, GRAVITY = 0.015, 0.04, 9.81
"""Radius [m] and mass [kg] of a ball, gravity [m/s²]."""
STIFFNESS, EXPONENT, DAMPING, DEPTH = 1e6, 1.5, 20.0, 2e-4
"""Stiffness [N/m^1.5], exponent [-], largest damping [N s/m] and indentation of full damping [m] of the contact."""
STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED = 0.2, 0.1, 0.02, 0.1
"""Static and dynamic friction coefficient [-], speeds up to which it sticks and from which it slides [m/s]."""
START_GAP = 1e-3
"""Initial distance of the balls from the cone [m]."""
MAX_BALLS = 12
"""Largest number of balls that fit into the initial arrangement."""
FRAME_TIMES = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0)
"""Times of the frames in the animation strip [s]."""
COMPARED_TIME = 0.05
"""Time for which the first ball is compared with the second method [s]."""


@check_parameters
def funnel(balls: int = 5) -> Case:
    """Balls roll around in a funnel and fall into its tube.

    The ``balls`` start 1 mm above the cone, each a little lower and slower than the previous one. They circle around
    the axis, collide and come to rest in the tube. Cone and tube are one shape: at the edge between them only the
    closer of the two is in contact.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.funnel().system
    <System 'funnel': 5 bodies, 20 contacts>
    """
    balls = integer("funnel", "balls", balls, 1, MAX_BALLS)
    law = PenaltyStep(stiffness=STIFFNESS, exponent=EXPONENT, damping=DAMPING, depth=DEPTH)
    friction = StepCoulomb(STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED)
    system = System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="funnel")
    funnel_wall, floor = funnel_surfaces(system)
    spheres = [Sphere(system.add(ball_at_start(k, balls)), RADIUS) for k in range(balls)]
    for sphere in spheres:
        name = sphere.body.name
        system.add(Contact(sphere, funnel_wall, law, friction, name=f"{name} wall"))
        system.add(Contact(sphere, floor, law, friction, name=f"{name} floor"))
    for k, first in enumerate(spheres):
        for second in spheres[k + 1 :]:
            system.add(Contact(first, second, law, friction, name=f"{first.body.name} {second.body.name}"))

    def check_results(result: Result) -> list[CheckResult]:
        energy = result.energy.kinetic + result.energy.potential + result.energy.elastic
        checks = [
            energy_drift(result, 1e-7),
            CheckResult("rise of the energy [J]", np.diff(energy).max(initial=0.0), 1e-12),
        ]
        if result.t[-1] >= COMPARED_TIME and not any(i.t_start < COMPARED_TIME for i in ball_impacts(result)):
            start = np.concatenate([result["ball0"].position[0], result["ball0"].velocity[0], np.zeros(3)])
            times = np.linspace(0.0, COMPARED_TIME, 21)
            ball = ReferenceBall(
                MASS, RADIUS, STIFFNESS, EXPONENT, DAMPING, DEPTH, STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED
            )
            expected = ball.motion([cone_surface], np.array([0.0, 0.0, -GRAVITY]), start, times)
            sample = result.sample(times)["ball0"]
            checks.append(
                max_abs_error("path of the first ball by a second method [m]", sample.position, expected[:, :3], 1e-7)
            )
        if result.t[-1] >= 1.0 and balls <= 5:
            final_positions = np.array([result[f"ball{k}"].position[-1] for k in range(balls)])
            outside = [
                np.hypot(final_positions[:, 0], final_positions[:, 1]) - THROAT[0],
                final_positions[:, 2] - THROAT[1],
            ]
            checks.append(CheckResult("balls outside the tube at the end [m]", np.max(outside, initial=0.0), 0.0))
        return checks

    return Case(
        funnel,
        system=system,
        options={"t_end": 1.0},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=tuple(f"ball{k}.z" for k in range(min(balls, 5))) if balls == 1 else (heights(balls),),
            motion=(heights(balls), "ball0.vx", "ball0 wall.normal_force"),
            pose=0.12,
            trace=tuple(f"ball{k}" for k in range(balls)),
        ),
        reference="Z. Zhu et al., A penalty function-based Modelica library for multi-body contact collision, Ex. 4, "
        "Figs 25 and 26",
        extra_figures={"M26": lambda result: frame_strip(system, result, FRAME_TIMES, "Balls in a funnel")},
    )


def heights(balls: int) -> Any:
    """Return one panel with the heights of all balls."""
    return [f"ball{k}.z" for k in range(balls)]


def ball_impacts(result: Result) -> list[Any]:
    """Return the impacts between two balls."""
    return [impact for impact in result.impacts if impact.contact.count("ball") == 2]


def funnel_surfaces(system: System) -> tuple[Union, Plane]:
    """Return the surface of the funnel and the plane that closes its tube."""
    ground, up = system.ground, (0.0, 0.0, 1.0)
    middle, half = 0.5 * (MOUTH[1] + THROAT[1]), 0.5 * (MOUTH[1] - THROAT[1])
    cone = Cone(ground, (0.0, 0.0, middle), up, THROAT[0], half, end_radius=MOUTH[0], inside=True)
    tube = Cylinder(ground, (0.0, 0.0, 0.5 * THROAT[1]), up, THROAT[0], 0.5 * THROAT[1], inside=True)
    return Union(cone, tube), Plane(ground, (0.0, 0.0, 0.0), up)


def cone_directions() -> tuple[np.ndarray, np.ndarray]:
    """Return the directions (r, z) up the generatrix and normal to it, into the funnel."""
    generatrix = np.array(MOUTH) - np.array(THROAT)
    generatrix /= np.linalg.norm(generatrix)
    return generatrix, np.array([-generatrix[1], generatrix[0]])


def ball_at_start(k: int, balls: int) -> Body:
    """Return ball ``k``, 1 mm above the cone and moving around it; after five balls, radius and speed repeat."""
    generatrix, normal = cone_directions()
    azimuth = math.radians(72.0 * k if balls <= 5 else 360.0 * k / balls)
    radius = 0.13 - 0.01 * (k % 5)
    foot = np.array(THROAT) + generatrix * (radius - THROAT[0]) / generatrix[0]
    r, z = foot + (RADIUS + START_GAP) * normal
    speed = 0.30 - 0.05 * (k % 5)
    c, s = math.cos(azimuth), math.sin(azimuth)
    return Body(
        f"ball{k}", MASS, 0.4 * MASS * RADIUS**2, position=(r * c, r * s, z), velocity=(-speed * s, speed * c, 0.0)
    )


def cone_surface(t: float, centre: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return distance, normal and velocity of the cone for the second method, from its generatrix."""
    _, normal = cone_directions()
    r = math.hypot(centre[0], centre[1])
    distance = float((np.array([r, centre[2]]) - np.array(THROAT)) @ normal)
    return distance, np.array([normal[0] * centre[0] / r, normal[0] * centre[1] / r, normal[1]]), np.zeros(3)
