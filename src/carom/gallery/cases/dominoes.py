"""A row of dominoes."""

from __future__ import annotations

import math
from itertools import pairwise

from carom.errors import ModelError, positive, whole
from carom.gallery.case import Case, Finding, Look, bounded, drift
from carom.geometry.shapes import Plane
from carom.geometry.solids import Box
from carom.laws.friction.coulomb import Coulomb
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.hunt_crossley import HuntCrossley
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

HALF = (0.00375, 0.012, 0.024)
"""Half of thickness, width and height [m]."""
DENSITY, GRAVITY, FRICTION = 1000.0, 9.81, 0.25
MOST = 1000
"""Dominoes."""
PUSH = 4.0
"""Angular velocity [rad/s] about its lower edge with which the first one starts."""


@bounded
def dominoes(count: int = 6, pitch: float = 0.02) -> Case:
    """A row of dominoes falls, one after the other.

    ``count`` dominoes of 7.5 × 24 × 48 mm stand ``pitch`` [m] apart. The first is pushed over; each strikes the next.
    """
    count = whole("dominoes", "count", count, 1, MOST)
    pitch = positive("dominoes", "pitch", pitch)
    if not 2.0 * HALF[0] < pitch < 2.0 * HALF[2]:
        raise ModelError(f"dominoes: pitch must lie between {2 * HALF[0]:g} and {2 * HALF[2]:g} m, got {pitch:g}")
    system = System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="dominoes")
    floor = Plane(system.ground)
    law, friction = HuntCrossley(stiffness=1e7, restitution=0.7), Coulomb(FRICTION, 1e-3)
    impact = ImpactLaw(0.0, FRICTION)
    mass = DENSITY * 8.0 * math.prod(HALF)
    squares = [half * half for half in HALF]
    inertia = [mass / 3.0 * (sum(squares) - own) for own in squares]
    boxes: list[Box] = []
    for k in range(count):
        body = Body(f"domino{k}", mass, inertia, position=(k * pitch, 0.0, HALF[2]))
        if k == 0:  # about its lower front edge
            body.angular_velocity = (0.0, PUSH, 0.0)
            body.velocity = (PUSH * HALF[2], 0.0, PUSH * HALF[0])
        boxes.append(Box(system.add(body), HALF))
        system.add(Contact(boxes[-1], floor, law, friction, impact=impact, name=f"foot{k}"))
        if k:
            system.add(Contact(boxes[-2], boxes[-1], law, friction, impact=impact, name=f"blow{k}"))

    def findings(result: Result) -> list[Finding]:
        energy = result.energy.kinetic + result.energy.potential
        blows = [first_blow(result, k) for k in range(1, count)]
        order = max((a - b for a, b in pairwise(blows)), default=0.0)
        found = [
            drift(result, 1e-6),
            Finding("rise of the energy over its first value [J]", energy.max() - energy[0], 1e-6),
            Finding("blows out of order [s]", max(order, 0.0), 0.0),
        ]
        if result.t[-1] >= 0.9 * fallen(count):
            standing = max(result[f"domino{k}"].rotation[-1, 2, 2] for k in range(count))
            found.append(Finding("least lean at the end [1, cosine]", standing, 0.95))
        return found

    return Case(
        dominoes,
        system=system,
        options={"t_end": fallen(count), "method": "nonsmooth", "step": 2e-4},
        findings=findings,
        look=Look(
            panels=([f"domino{k}.z" for k in range(min(count, 6))],),
            motion=([f"domino{k}.wy" for k in range(min(count, 6))],),
            pose=0.4 * fallen(count),
        ),
        reference="W. J. Stronge, The domino effect: a wave of destabilizing collisions in a periodic array, "
        "Proc. R. Soc. A 409 (1987) 199–208",
    )


def fallen(count: int) -> float:
    """Time [s] after which all lean."""
    return 0.25 + 0.03 * count


def first_blow(result: Result, k: int) -> float:
    """When the ``k``-th domino was struck [s]; the end of the run where it was not."""
    starts = [impact.t_start for impact in result.impacts if impact.contact.startswith(f"blow{k} ")]
    return min(starts, default=float(result.t[-1]))
