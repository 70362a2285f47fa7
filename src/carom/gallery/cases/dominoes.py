"""Row of falling dominoes."""

from __future__ import annotations

import math
from itertools import pairwise

from carom.argument_checks import integer, positive
from carom.errors import ModelError
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift
from carom.geometry.shapes import Box, Plane
from carom.laws.friction.coulomb import Coulomb
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.hunt_crossley import HuntCrossley
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

HALF = (0.00375, 0.012, 0.024)
"""Half thickness, width and height [m]."""
DENSITY, GRAVITY, FRICTION = 1000.0, 9.81, 0.25
"""Density [kg/m³], gravity [m/s²], friction coefficient [-]."""
MAX_DOMINOES = 1000
"""Largest number of dominoes."""
PUSH = 4.0
"""Initial angular velocity of the first domino about its lower edge [rad/s]."""


@check_parameters
def dominoes(count: int = 6, pitch: float = 0.02) -> Case:
    """A row of dominoes falls, one after the other.

    ``count`` dominoes of 7.5 × 24 × 48 mm stand ``pitch`` [m] apart. The first is pushed over; each one hits the
    next.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.dominoes().system
    <System 'dominoes': 6 bodies, 173 contacts, 11 compounds>
    """
    count = integer("dominoes", "count", count, 1, MAX_DOMINOES)
    pitch = positive("dominoes", "pitch", pitch)
    if not 2.0 * HALF[0] < pitch < 2.0 * HALF[2]:
        raise ModelError(f"dominoes: pitch must lie between {2 * HALF[0]:g} and {2 * HALF[2]:g} m, got {pitch:g}")
    system = System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="dominoes")
    floor = Plane(system.ground)
    law, friction = HuntCrossley(stiffness=1e7, restitution=0.7), Coulomb(FRICTION, 1e-3)
    impact = ImpactLaw(0.0, FRICTION)
    mass = DENSITY * 8.0 * math.prod(HALF)
    squares = [half * half for half in HALF]
    inertia = [mass / 3.0 * (sum(squares) - square) for square in squares]
    boxes: list[Box] = []
    for k in range(count):
        body = Body(f"domino{k}", mass, inertia, position=(k * pitch, 0.0, HALF[2]))
        if k == 0:  # It rotates about its lower front edge.
            body.angular_velocity = (0.0, PUSH, 0.0)
            body.velocity = (PUSH * HALF[2], 0.0, PUSH * HALF[0])
        boxes.append(Box(system.add(body), HALF))
        system.add(Contact(boxes[-1], floor, law, friction, impact=impact, name=f"foot{k}"))
        if k:
            system.add(Contact(boxes[-2], boxes[-1], law, friction, impact=impact, name=f"blow{k}"))

    def check_results(result: Result) -> list[CheckResult]:
        energy = result.energy.kinetic + result.energy.potential
        impact_times = [first_impact_time(result, k) for k in range(1, count)]
        disorder = max((a - b for a, b in pairwise(impact_times)), default=0.0)
        checks = [
            energy_drift(result, 1e-6),
            CheckResult("rise of the energy over its first value [J]", energy.max() - energy[0], 1e-6),
            CheckResult("first impacts out of order [s]", max(disorder, 0.0), 0.0),
        ]
        if result.t[-1] >= 0.9 * fall_time(count):
            max_cosine = max(result[f"domino{k}"].rotation[-1, 2, 2] for k in range(count))
            checks.append(CheckResult("largest cosine of the tilt at the end", max_cosine, 0.95))
        return checks

    return Case(
        dominoes,
        system=system,
        options={"t_end": fall_time(count), "method": "nonsmooth", "step": 2e-4},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=([f"domino{k}.z" for k in range(min(count, 6))],),
            motion=([f"domino{k}.wy" for k in range(min(count, 6))],),
            pose=0.4 * fall_time(count),
        ),
        reference="W. J. Stronge, The domino effect: a wave of destabilizing collisions in a periodic array, "
        "Proc. R. Soc. A 409 (1987) 199–208",
    )


def fall_time(count: int) -> float:
    """Return the time after which all dominoes lean [s]."""
    return 0.25 + 0.03 * count


def first_impact_time(result: Result, k: int) -> float:
    """Return the time of the first impact on domino ``k`` [s], or the end of the run without one."""
    starts = [impact.t_start for impact in result.impacts if impact.contact.startswith(f"blow{k} ")]
    return min(starts, default=float(result.t[-1]))
