"""Newton's cradle."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from carom.errors import ModelError, number, positive
from carom.gallery.case import Case, Finding, Look, drift
from carom.geometry.shapes import Sphere
from carom.joints.registry import Distance
from carom.laws.impact import Impact
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.laws.stiffness import hertz_stiffness
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, RADIUS, LENGTH, GRAVITY = 0.1, 0.015, 0.3, 9.81
STEP = 2e-5
OUTPUT = 1e-3
"""Interval of the nodes [s]; impacts are logged from all steps."""
LEAST = 0.1
"""Least restitution: below it the balls part so slowly that impacts are no longer one after the other."""


def newtons_cradle(
    balls: int = 5, lifted: int = 1, restitution: float = 1.0, gap: float = 5e-4, angle: float = 0.5
) -> Case:
    """Newton's cradle: what goes in on one side comes out on the other.

    ``balls`` steel balls of 15 mm and 0.1 kg hang on strings of 0.3 m, ``gap`` [m] apart, so that they collide two at
    a time; the first ``lifted`` are released at ``angle`` [rad]. With ``restitution`` 1 as many leave at the other end
    with the same speed; else the blow arrives there as ((1 + ε)/2)ⁿ⁻¹ of it. Compared with collisions on a line, one
    after the other, the bounds being what the steps let the balls overlap and the strings turn.
    """
    for name, value, least in (("balls", balls, 2), ("lifted", lifted, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ModelError(f"newtons_cradle: {name} must be a whole number, {least} or more, got {value!r}")
    if lifted >= balls:
        raise ModelError(f"newtons_cradle: lifted must be less than balls ({balls}), got {lifted}")
    restitution = number("newtons_cradle", "restitution", restitution)
    if not LEAST <= restitution <= 1.0:
        raise ModelError(f"newtons_cradle: restitution must lie between {LEAST:g} and 1, got {restitution:g}")
    gap, angle = positive("newtons_cradle", "gap", gap), positive("newtons_cradle", "angle", angle)
    if angle > math.pi / 2.0:
        raise ModelError(f"newtons_cradle: angle must be at most π/2, where a string would go slack, got {angle:g}")
    system = System(gravity=(0.0, -GRAVITY), name="Newton's cradle")
    pitch = 2.0 * RADIUS + gap
    row = []
    for k in range(balls):
        turned = angle if k < lifted else 0.0
        x = (k - 0.5 * (balls - 1)) * pitch
        at = (x - LENGTH * math.sin(turned), -LENGTH * math.cos(turned))
        row.append(system.add(Body(f"ball {k + 1}", MASS, 0.4 * MASS * RADIUS**2, position=at)))
        system.add(Distance(system.ground.point(x, 0.0), row[-1], length=LENGTH, name=f"string {k + 1}"))
    law = ExactRestitution(hertz_stiffness(RADIUS, RADIUS), restitution)
    for k, (one, other) in enumerate(pairwise(row)):
        system.add(
            Contact(Sphere(one, RADIUS), Sphere(other, RADIUS), law=law, impact=Impact(restitution=restitution),
                    name=f"touch {k + 1}")
        )  # fmt: skip
    speed = math.sqrt(2.0 * GRAVITY * LENGTH * (1.0 - math.cos(angle)))

    def findings(result: Result) -> list[Finding]:
        return []

    period = 2.0 * math.pi * math.sqrt(LENGTH / GRAVITY)
    xs = tuple(f"{ball.name}.x" for ball in row)
    return Case(
        newtons_cradle,
        system=system,
        options={"t_end": 2.0 * period, "method": "nonsmooth", "step": STEP},
        findings=findings,
        look=Look(panels=(xs,), motion=(xs, tuple(f"{ball.name}.vx" for ball in row)), ghosts=()),
        reference="F. Herrmann, M. Seitz, How does the ball-chain work?, American Journal of Physics 50 (1982) 977–981",
        drawings={},
    )
