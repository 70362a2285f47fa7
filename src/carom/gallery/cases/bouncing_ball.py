"""Sphere that bounces on a plane until it comes to rest."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from carom.argument_checks import finite_float, positive
from carom.errors import ModelError
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, time_resolution
from carom.gallery.figures.bouncing_ball import extra_figures
from carom.geometry.shapes import Plane, Sphere
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.laws.stiffness import hertz_stiffness
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, RADIUS, GRAVITY = 1.0, 0.1, 9.81
"""Mass [kg] and radius [m] of the ball, gravity [m/s²]."""
STEP = 1e-4
"""Time step of nonsmooth runs [s]."""
MAX_DURATION = 20.0
"""Largest duration of a run relative to the first fall [-]; a ball with restitution near 1 is still bouncing then."""
MIN_RESTITUTION = 0.05
"""Smallest restitution of the law in compliant runs [-]; for 0 the damping would be infinite."""
MIN_FLIGHT = 8
"""Smallest number of steps in a flight that is distinguished from persistent contact."""


@check_parameters
def bouncing_ball(restitution: float = 0.8, height: float = 1.0) -> Case:
    """A ball that bounces until it rests.

    A ball of 0.1 m radius and 1 kg falls from ``height`` [m] above the floor and bounces with ``restitution`` ε:
    infinitely often in a finite time, to heights ε²ⁿ ``height``, until t∞ = √(2 height/g) (1 + ε)/(1 − ε). Then it
    rests, and the floor carries its weight. Time stepping detects each impact up to one step late, so the times differ
    by a few steps; bounces shorter than a step merge into one persistent contact.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.bouncing_ball().system
    <System 'bouncing ball': 1 bodies, 1 contacts>
    """
    height = positive("bouncing_ball", "height", height)
    restitution = finite_float("bouncing_ball", "restitution", restitution)
    if not 0.0 <= restitution <= 1.0:
        raise ModelError(f"bouncing_ball: restitution must lie between 0 and 1, got {restitution:g}")
    law = ExactRestitution(hertz_stiffness(RADIUS), max(restitution, MIN_RESTITUTION))
    system = System(gravity=(0.0, -GRAVITY), name="bouncing ball")
    ball = system.add(Body("ball", MASS, 0.4 * MASS * RADIUS**2, position=(0.0, height + RADIUS)))
    floor = Plane(system.ground)
    system.add(Contact(Sphere(ball, RADIUS), floor, law=law, impact=ImpactLaw(restitution=restitution), name="floor"))
    fall = math.sqrt(2.0 * height / GRAVITY)
    speed = GRAVITY * fall
    t_rest = fall * (1.0 + restitution) / (1.0 - restitution) if restitution < 1.0 else math.inf
    t_end = min(t_rest + max(0.5 * fall, 0.15 * t_rest), MAX_DURATION * fall)

    def check_results(result: Result) -> list[CheckResult]:
        if result.settings["method"] == "compliant":
            return compliant_checks(result, fall, law)
        step = time_resolution(result)
        times = impact_times(fall, restitution, float(result.t[-1]), MIN_FLIGHT * step)
        # An impact is detected within one step; its speed is that at the start of the step, which differs by g step.
        time_error = 4.0 * step
        t_impacts = np.array([impact.t_start for impact in result.impacts])
        while times and times[-1] > result.t[-1] - time_error * len(times):
            times.pop()
        checks = [energy_drift(result, 3.0 * step / fall)]
        if len(t_impacts) < len(times):
            return [
                *checks,
                CheckResult(f"impacts, of which there are {len(t_impacts)}", len(times) - len(t_impacts), 0.0),
            ]
        numbers = 1.0 + np.arange(len(times))
        errors = np.abs(t_impacts[: len(times)] - times) / numbers
        checks.append(
            CheckResult("time of an impact [s], divided by its number", np.max(errors, initial=0.0), time_error)
        )
        apexes = [result[ball].y[(result.t > t) & (result.t < u)].max() for t, u in pairwise(t_impacts[: len(times)])]
        errors = np.abs(np.array(apexes) - RADIUS - height * restitution ** (2.0 * numbers[:-1])) / numbers[:-1]
        checks.append(
            CheckResult(
                "height of a bounce [m], divided by its number", np.max(errors, initial=0.0), time_error * speed
            )
        )
        # The last bounces are shorter than a step; their speed decays by the factor ε per step.
        decay_time = min(21.0 / -math.log(restitution), 1e4) if 0.0 < restitution < 1.0 else 0.0
        late = time_error * len(times) + MIN_FLIGHT * step
        return checks + rest_checks(result, t_rest, late, decay_time * step, speed * step)

    return Case(
        bouncing_ball,
        system=system,
        options={"t_end": t_end, "method": "nonsmooth", "step": STEP},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("ball.y", "ball.vy"),
            motion=("ball.y", "ball.vy", "floor.contact_mode"),
            ghosts=(0.7 * fall, fall, (1.0 + restitution) * fall),
            trace=(ball,),
        ),
        reference="B. Brogliato, Nonsmooth Mechanics: Models, Dynamics and Control, 3rd ed., Springer 2016",
        extra_figures=extra_figures(fall, height, restitution, RADIUS),
    )


def rest_checks(
    result: Result, t_rest: float, time_error: float, decay_time: float, height_error: float
) -> list[CheckResult]:
    """Check time and state of rest; return nothing for a run that ends earlier.

    ``time_error`` [s] and ``height_error`` [m] are those of the time stepping, and ``decay_time`` [s] the duration of
    bounces shorter than a step.
    """
    if not t_rest + time_error + decay_time < result.t[-1]:
        return []
    last = result.impacts[-1]
    t_start = last.t_start if last.persistent else math.inf
    after = result.t > t_rest + time_error + decay_time
    force = result["floor"].normal_force[after]
    return [
        CheckResult("time of rest [s]", abs(t_start - t_rest), time_error),
        CheckResult("force at rest [N]", float(np.max(np.abs(force - MASS * GRAVITY))), 1e-9 * MASS * GRAVITY),
        CheckResult("speed at rest [m/s]", float(np.max(np.abs(result["ball"].vy[after]))), 1e-9),
        CheckResult("height at rest [m]", float(np.max(np.abs(result["ball"].y[after] - RADIUS))), height_error),
    ]


def compliant_checks(result: Result, fall: float, law: NormalLaw) -> list[CheckResult]:
    """Check the first impact of a compliant run against the contact law."""
    checks = [energy_drift(result, 1e-6)]
    if result.t[-1] < 1.1 * fall:
        return checks
    first = result.impacts[0]
    speed = GRAVITY * fall
    returned = abs(first.separation_speed / speed - law.returned_restitution())
    return [
        *checks,
        CheckResult("time of impact 1 [s]", abs(first.t_start - fall), 1e-9),
        # The closed form neglects gravity, which changes the speed by g T.
        CheckResult("restitution of impact 1", returned, 2.0 * GRAVITY * first.duration / speed + 1e-6),
    ]


def impact_times(fall: float, restitution: float, until: float, shortest: float) -> list[float]:
    """Return the times of the impacts before ``until`` [s] whose preceding flight lasts at least ``shortest`` [s]."""
    times, t, flight = [], fall, 2.0 * fall
    while t < until and flight >= shortest:
        times.append(t)
        flight *= restitution
        t += flight
    return times
