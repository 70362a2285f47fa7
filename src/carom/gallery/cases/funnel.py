"""Balls in a funnel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.errors import whole
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.figures.frame_strip import frames
from carom.gallery.reference_ball import ReferenceBall
from carom.geometry.shapes import Plane, Sphere
from carom.geometry.solids import Cone, Cylinder
from carom.geometry.union import Union
from carom.laws.friction.step_coulomb import StepCoulomb
from carom.laws.normal.penalty_step import PenaltyStep
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MOUTH, THROAT = (0.15, 0.20), (0.035, 0.085)
"""Radius and height [m] of the ends of the cone; the tube goes from the lower one down to z = 0."""
RADIUS, MASS, GRAVITY = 0.015, 0.04, 9.81
STIFFNESS, EXPONENT, DAMPING, DEPTH = 1e6, 1.5, 20.0, 2e-4
STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED = 0.2, 0.1, 0.02, 0.1
ABOVE = 1e-3
"""Height of the balls over the cone at the start [m]."""
MOST = 12
"""Balls for which there is room where they start."""
TIMES = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0)
"""Of the frames of the animation [s]."""
CHECKED = 0.05
"""Time [s] for which the first ball is compared with the second method."""


@check_parameters
def funnel(balls: int = 5) -> Case:
    """Balls roll round in a funnel and fall into its tube.

    Five ``balls`` start 1 mm above the cone, each a little lower and slower than the one before, turn round the axis,
    meet each other and come to rest in the tube. Cone and tube are one wall: at the edge between them only the closest
    of the two pushes.
    """
    balls = whole("funnel", "balls", balls, 1, MOST)
    law = PenaltyStep(stiffness=STIFFNESS, exponent=EXPONENT, damping=DAMPING, depth=DEPTH)
    friction = StepCoulomb(STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED)
    system = System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="funnel")
    wall, floor = walls(system)
    spheres = [Sphere(system.add(ball_at_start(k, balls)), RADIUS) for k in range(balls)]
    for sphere in spheres:
        name = sphere.body.name
        system.add(Contact(sphere, wall, law, friction, name=f"{name} wall"))
        system.add(Contact(sphere, floor, law, friction, name=f"{name} floor"))
    for k, first in enumerate(spheres):
        for second in spheres[k + 1 :]:
            system.add(Contact(first, second, law, friction, name=f"{first.body.name} {second.body.name}"))

    def check_results(result: Result) -> list[CheckResult]:
        energy = result.energy.kinetic + result.energy.potential + result.energy.elastic
        found = [
            energy_drift(result, 1e-7),
            CheckResult("rise of the energy [J]", np.diff(energy).max(initial=0.0), 1e-12),
        ]
        if result.t[-1] >= CHECKED and not any(i.t_start < CHECKED for i in between_balls(result)):
            start = np.concatenate([result["ball0"].position[0], result["ball0"].velocity[0], np.zeros(3)])
            times = np.linspace(0.0, CHECKED, 21)
            ball = ReferenceBall(
                MASS, RADIUS, STIFFNESS, EXPONENT, DAMPING, DEPTH, STATIC, DYNAMIC, STICK_SPEED, SLIP_SPEED
            )
            other = ball.motion([cone_wall], np.array([0.0, 0.0, -GRAVITY]), start, times)
            sample = result.sample(times)["ball0"]
            found.append(
                max_abs_error("path of the first ball by a second method [m]", sample.position, other[:, :3], 1e-7)
            )
        if result.t[-1] >= 1.0 and balls <= 5:
            ends = np.array([result[f"ball{k}"].position[-1] for k in range(balls)])
            outside = [np.hypot(ends[:, 0], ends[:, 1]) - THROAT[0], ends[:, 2] - THROAT[1]]
            found.append(CheckResult("balls outside the tube at the end [m]", np.max(outside, initial=0.0), 0.0))
        return found

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
        extra_figures={"M26": lambda result: frames(system, result, TIMES, "Balls in a funnel")},
    )


def heights(balls: int) -> Any:
    """The heights of all balls in one panel."""
    return [f"ball{k}.z" for k in range(balls)]


def between_balls(result: Result) -> list[Any]:
    return [impact for impact in result.impacts if impact.contact.count("ball") == 2]


def walls(system: System) -> tuple[Union, Plane]:
    """The funnel, and what closes its tube."""
    ground, up = system.ground, (0.0, 0.0, 1.0)
    middle, half = 0.5 * (MOUTH[1] + THROAT[1]), 0.5 * (MOUTH[1] - THROAT[1])
    cone = Cone(ground, (0.0, 0.0, middle), up, THROAT[0], half, end_radius=MOUTH[0], inside=True)
    tube = Cylinder(ground, (0.0, 0.0, 0.5 * THROAT[1]), up, THROAT[0], 0.5 * THROAT[1], inside=True)
    return Union(cone, tube), Plane(ground, (0.0, 0.0, 0.0), up)


def slope() -> tuple[np.ndarray, np.ndarray]:
    """Directions (r, z) up along the generatrix, and across it into the funnel."""
    along = np.array(MOUTH) - np.array(THROAT)
    along /= np.linalg.norm(along)
    return along, np.array([-along[1], along[0]])


def ball_at_start(k: int, balls: int) -> Body:
    """Ball ``k``, 1 mm above the cone, moving round it; more than five go round once more, a little lower."""
    along, across = slope()
    azimuth = math.radians(72.0 * k if balls <= 5 else 360.0 * k / balls)
    radius = 0.13 - 0.01 * (k % 5)
    foot = np.array(THROAT) + along * (radius - THROAT[0]) / along[0]
    r, z = foot + (RADIUS + ABOVE) * across
    speed = 0.30 - 0.05 * (k % 5)
    c, s = math.cos(azimuth), math.sin(azimuth)
    return Body(
        f"ball{k}", MASS, 0.4 * MASS * RADIUS**2, position=(r * c, r * s, z), velocity=(-speed * s, speed * c, 0.0)
    )


def cone_wall(t: float, centre: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The cone as the second method sees it: by its generatrix."""
    _, across = slope()
    r = math.hypot(centre[0], centre[1])
    distance = float((np.array([r, centre[2]]) - np.array(THROAT)) @ across)
    return distance, np.array([across[0] * centre[0] / r, across[0] * centre[1] / r, across[1]]), np.zeros(3)
