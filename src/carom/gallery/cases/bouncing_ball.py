"""A ball that bounces until it rests."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from carom.errors import ModelError, number, positive
from carom.gallery.case import Case, Finding, Look, bounded, drift, resolution
from carom.gallery.figures.bouncing_ball import drawings
from carom.geometry.shapes import Plane, Sphere
from carom.laws.impact import Impact
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.laws.stiffness import hertz_stiffness
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, RADIUS, GRAVITY = 1.0, 0.1, 9.81
STEP = 1e-4
LONGEST = 20.0
"""Longest run, in times of the first fall; with a restitution near one the ball does not come to rest in it."""
LEAST = 0.05
"""Restitution of the law of compliant runs at least: with none at all the damping is infinite."""
SEEN = 8
"""Steps that a flight must last to be told from a contact that goes on."""


@bounded
def bouncing_ball(restitution: float = 0.8, height: float = 1.0) -> Case:
    """A ball that bounces until it rests.

    A ball of 0.1 m and 1 kg falls from ``height`` [m] above the floor and bounces with ``restitution`` ε: infinitely
    often in a finite time, at heights ε²ⁿ ``height``, until t∞ = √(2 height/g) (1 + ε)/(1 − ε); then it rests, and the
    floor carries its weight. Every impact is noticed up to a step late, so its time is off by a few steps; bounces
    shorter than steps are one lasting contact.
    """
    height = positive("bouncing_ball", "height", height)
    restitution = number("bouncing_ball", "restitution", restitution)
    if not 0.0 <= restitution <= 1.0:
        raise ModelError(f"bouncing_ball: restitution must lie between 0 and 1, got {restitution:g}")
    law = ExactRestitution(hertz_stiffness(RADIUS), max(restitution, LEAST))
    system = System(gravity=(0.0, -GRAVITY), name="bouncing ball")
    ball = system.add(Body("ball", MASS, 0.4 * MASS * RADIUS**2, position=(0.0, height + RADIUS)))
    floor = Plane(system.ground)
    system.add(Contact(Sphere(ball, RADIUS), floor, law=law, impact=Impact(restitution=restitution), name="floor"))
    fall = math.sqrt(2.0 * height / GRAVITY)
    speed = GRAVITY * fall
    rest = fall * (1.0 + restitution) / (1.0 - restitution) if restitution < 1.0 else math.inf
    t_end = min(rest + max(0.5 * fall, 0.15 * rest), LONGEST * fall)

    def findings(result: Result) -> list[Finding]:
        if result.settings["method"] == "compliant":
            return compliant(result)
        step = resolution(result)
        times = impact_times(fall, restitution, float(result.t[-1]), SEEN * step)
        late = 4.0 * step  # one to notice an impact; the speed is that at the beginning of the step, g step off at most
        hits = np.array([impact.t_start for impact in result.impacts])
        while times and times[-1] > result.t[-1] - late * len(times):
            times.pop()
        found = [drift(result, 3.0 * step / fall)]
        if len(hits) < len(times):
            return [*found, Finding(f"impacts, of which there are {len(hits)}", len(times) - len(hits), 0.0)]
        number_of = 1.0 + np.arange(len(times))
        off = np.abs(hits[: len(times)] - times) / number_of
        found.append(Finding("time of an impact [s], divided by its number", np.max(off, initial=0.0), late))
        tops = [result[ball].y[(result.t > t) & (result.t < u)].max() for t, u in pairwise(hits[: len(times)])]
        off = np.abs(np.array(tops) - RADIUS - height * restitution ** (2.0 * number_of[:-1])) / number_of[:-1]
        found.append(Finding("height of a bounce [m], divided by its number", np.max(off, initial=0.0), late * speed))
        # The last bounces are shorter than steps and die away with them, by ε a step.
        dying = min(21.0 / -math.log(restitution), 1e4) if 0.0 < restitution < 1.0 else 0.0
        return found + resting(result, step, late * len(times) + SEEN * step, dying * step)

    def resting(result: Result, step: float, late: float, dying: float) -> list[Finding]:
        """When the ball comes to rest, and how; nothing of a run that ends before."""
        if not rest + late + dying < result.t[-1]:
            return []
        last = result.impacts[-1]
        begun = last.t_start if last.persistent else math.inf
        after = result.t > rest + late + dying
        force = result["floor"].normal_force[after]
        return [
            Finding("time of rest [s]", abs(begun - rest), late),
            Finding("force at rest [N]", float(np.max(np.abs(force - MASS * GRAVITY))), 1e-9 * MASS * GRAVITY),
            Finding("speed at rest [m/s]", float(np.max(np.abs(result[ball].vy[after]))), 1e-9),
            Finding("height at rest [m]", float(np.max(np.abs(result[ball].y[after] - RADIUS))), speed * step),
        ]

    def compliant(result: Result) -> list[Finding]:
        """Against the law, whose contacts take time and are indented."""
        found = [drift(result, 1e-6)]
        if result.t[-1] < 1.1 * fall:
            return found
        first = result.impacts[0]
        returned = abs(first.separation_speed / speed - law.returned_restitution())
        return [
            *found,
            Finding("time of impact 1 [s]", abs(first.t_start - fall), 1e-9),
            # The closed form leaves out gravity, which changes the speed by g T.
            Finding("restitution of impact 1", returned, 2.0 * GRAVITY * first.duration / speed + 1e-6),
        ]

    return Case(
        bouncing_ball,
        system=system,
        options={"t_end": t_end, "method": "nonsmooth", "step": STEP},
        findings=findings,
        look=Look(
            panels=("ball.y", "ball.vy"),
            motion=("ball.y", "ball.vy", "floor.mode"),
            ghosts=(0.7 * fall, fall, (1.0 + restitution) * fall),
            trace=(ball,),
        ),
        reference="B. Brogliato, Nonsmooth Mechanics: Models, Dynamics and Control, 3rd ed., Springer 2016",
        drawings=drawings(fall, height, restitution, RADIUS),
    )


def impact_times(fall: float, restitution: float, until: float, shortest: float) -> list[float]:
    """Times [s] of the impacts before ``until``, while the flight before each lasts at least ``shortest``."""
    times, t, flight = [], fall, 2.0 * fall
    while t < until and flight >= shortest:
        times.append(t)
        flight *= restitution
        t += flight
    return times
