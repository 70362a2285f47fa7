"""Newton's cradle."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from carom.errors import ModelError, number, positive, whole
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest
from carom.gallery.figures.newtons_cradle import drawings
from carom.gallery.second_method import swing_period
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
MOST = 1000
"""Balls."""
STEP = 5e-5
"""Longest step [s]; it shall be short against the time in which balls that have met part as far as to the next."""
LEAST, MANY = 0.2, 2000
"""Least restitution, and most collisions of the first blow: else balls meet infinitely often in a finite time."""


@bounded
def newtons_cradle(
    balls: int = 5, lifted: int = 1, restitution: float = 1.0, gap: float = 5e-4, angle: float = 0.5
) -> Case:
    """Newton's cradle: what goes in on one side comes out on the other.

    ``balls`` steel balls of 15 mm and 0.1 kg hang on strings of 0.3 m, ``gap`` [m] apart, so that they collide two at
    a time; the first ``lifted`` are released at ``angle`` [rad]. With ``restitution`` 1 as many leave at the other end
    with the same speed; else the blow of one arrives there with ((1 + ε)/2)ⁿ⁻² of its speed. Compared with collisions
    on a line; that the balls swing while the blow travels is left out there, and part of the bounds.
    """
    balls = whole("newtons_cradle", "balls", balls, 2, MOST)
    lifted = whole("newtons_cradle", "lifted", lifted, 1, MOST)
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
    period = swing_period(math.sqrt(GRAVITY / LENGTH), angle)
    blows = speed * np.array(first_blows(balls, lifted, restitution))
    # While the blow travels, gravity acts along the way of balls that have left their lowest point.
    swung = GRAVITY * balls * gap / LENGTH * float(np.sum(gap / blows))

    def findings(result: Result) -> list[Finding]:
        step = float(result.settings["step"]) if result.settings["method"] == "nonsmooth" else 0.0
        found = [drift(result, speed * step / LENGTH + 1e-7)]
        if result.t[-1] < 0.3 * period:
            return found
        firsts = [result.impacts.of(f"touch {k + 1}")[0] for k in range(balls - 1)]
        start = min(impact.t_start for impact in firsts)
        met = 0.25 * period + gap / speed
        approach = np.array([impact.approach_speed for impact in firsts])
        slack = swung + GRAVITY * step
        found += [
            Finding("time of the first impact [s]", abs(start - met), 2.0 * step + (gap / LENGTH) ** 2),
            farthest("approach speed of the first impact of each pair [m/s]", approach, blows, slack),
        ]
        single = np.array([not impact.persistent for impact in firsts])  # not followed by another within a few steps
        lost = np.array([impact.energy_lost for impact in firsts])
        expected = 0.25 * MASS * (1.0 - restitution**2) * blows**2
        found.append(farthest("energy it loses [J]", lost[single], expected[single], MASS * speed * slack))
        if step:
            impulse = np.array([impact.impulse for impact in firsts])
            expected = 0.5 * MASS * (1.0 + restitution) * blows
            found.append(farthest("its impulse [N s]", impulse[single], expected[single], MASS * slack))
        if restitution == 1.0 and result.t[-1] > 0.55 * period:
            over = result.t < 0.75 * period
            rise = LENGTH * (1.0 - math.cos(angle))
            for ball in row[balls - lifted :]:
                height = float(np.max(result[ball].y[over])) + LENGTH
                found.append(Finding(f"height of {ball.name} [m]", abs(height - rise), 2.0 * speed / GRAVITY * slack))
        return found

    positions, speeds = (tuple(f"{ball.name}.{what}" for ball in row) for what in ("x", "vx"))
    return Case(
        newtons_cradle,
        system=system,
        options={"t_end": 2.0 * period, "method": "nonsmooth", "step": min(STEP, 0.1 * restitution * gap / speed)},
        findings=findings,
        look=Look(panels=(positions,), motion=(positions, speeds), ghosts=(0.5 * period,)),
        reference="F. Herrmann, M. Seitz, How does the ball-chain work?, American Journal of Physics 50 (1982) 977–981",
        drawings=drawings([ball.name for ball in row], speed, restitution),
    )


def first_blows(balls: int, lifted: int, restitution: float) -> list[float]:
    """Approach speeds of the first collision of each pair of neighbours on a line, in units of the first of them.

    Equal points at unit distances, of which the first ``lifted`` move with unit speed. With one that is
    ((1 + ε)/2)ᵏ for pair k, from 0.
    """
    place = np.arange(float(balls))
    speed = np.where(np.arange(balls) < lifted, 1.0, 0.0)
    first: dict[int, float] = {}
    for _ in range(MANY):
        if len(first) == balls - 1:
            return [first[pair] for pair in range(balls - 1)]
        closing = speed[:-1] - speed[1:]
        apart = np.diff(place)
        times = np.where(closing > 0.0, apart / np.where(closing > 0.0, closing, 1.0), np.inf)
        pair = int(np.argmin(times))
        place += times[pair] * speed
        first.setdefault(pair, float(closing[pair]))
        change = 0.5 * (1.0 + restitution) * closing[pair]
        speed[pair] -= change
        speed[pair + 1] += change
    raise ModelError(
        f"newtons_cradle: with restitution {restitution:g} a row of {balls} balls clings together before the blow is "
        "through; take fewer balls or a larger restitution"
    )
