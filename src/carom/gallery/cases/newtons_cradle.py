"""Newton's cradle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from carom.argument_checks import finite_float, integer, positive
from carom.errors import ModelError
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.figures.newtons_cradle import extra_figures
from carom.gallery.reference_solutions import swing_period
from carom.geometry.shapes import Sphere
from carom.joints.registry import Distance
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.laws.stiffness import hertz_stiffness
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, RADIUS, LENGTH, GRAVITY = 0.1, 0.015, 0.3, 9.81
"""Mass [kg] and radius [m] of a ball, length of the strings [m], gravity [m/s²]."""
MAX_BALLS = 1000
"""Largest number of balls."""
STEP = 5e-5
"""Largest step [s]; it must be short compared with the time a ball needs to cross the gap to the next one."""
MIN_RESTITUTION, MAX_COLLISIONS = 0.2, 2000
"""Smallest restitution and largest number of collisions of the first impact wave.

Beyond these limits, balls may collide infinitely often in a finite time.
"""


@check_parameters
def newtons_cradle(
    balls: int = 5, lifted: int = 1, restitution: float = 1.0, gap: float = 5e-4, angle: float = 0.5
) -> Case:
    """Newton's cradle: an impact on one side arrives on the other.

    A number of ``balls`` of steel with 15 mm radius and 0.1 kg hang on strings of 0.3 m, ``gap`` [m] apart, so that
    collisions occur in pairs; the first ``lifted`` are released at ``angle`` [rad]. With ``restitution`` 1 the same
    number leaves at the other end with the same speed; otherwise the impact of one ball arrives with ((1 + ε)/2)ⁿ⁻² of
    its speed. The result is compared with collisions on a straight line; the bounds contain the effect of the swinging
    motion, which the comparison neglects.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.newtons_cradle().system
    <System "Newton's cradle": 5 bodies, 5 joints, 4 contacts>
    """
    balls, lifted = checked_counts(balls, lifted)
    restitution = finite_float("newtons_cradle", "restitution", restitution)
    if not MIN_RESTITUTION <= restitution <= 1.0:
        raise ModelError(f"newtons_cradle: restitution must lie between {MIN_RESTITUTION:g} and 1, got {restitution:g}")
    gap, angle = positive("newtons_cradle", "gap", gap), positive("newtons_cradle", "angle", angle)
    if angle > math.pi / 2.0:
        raise ModelError(
            f"newtons_cradle: angle must be at most π/2, beyond which a string becomes slack, got {angle:g}"
        )
    system = build_cradle(balls, lifted, restitution, gap, angle)
    bodies = system.bodies
    speed = math.sqrt(2.0 * GRAVITY * LENGTH * (1.0 - math.cos(angle)))
    period = swing_period(math.sqrt(GRAVITY / LENGTH), angle)
    approach_speeds = speed * np.array(first_approach_speeds(balls, lifted, restitution))
    # While the impact travels, gravity accelerates the balls that have left their lowest point.
    swing_error = GRAVITY * balls * gap / LENGTH * float(np.sum(gap / approach_speeds))

    def check_results(result: Result) -> list[CheckResult]:
        step = float(result.settings["step"]) if result.settings["method"] == "nonsmooth" else 0.0
        checks = [energy_drift(result, speed * step / LENGTH + 1e-7)]
        if result.t[-1] < 0.3 * period:
            return checks
        first_impacts = [result.impacts.of(f"touch {k + 1}")[0] for k in range(balls - 1)]
        start = min(impact.t_start for impact in first_impacts)
        expected_start = 0.25 * period + gap / speed
        approach = np.array([impact.approach_speed for impact in first_impacts])
        speed_bound = swing_error + GRAVITY * step
        checks += [
            CheckResult("time of the first impact [s]", abs(start - expected_start), 2.0 * step + (gap / LENGTH) ** 2),
            max_abs_error(
                "approach speed of the first impact of each pair [m/s]", approach, approach_speeds, speed_bound
            ),
        ]
        # Impacts followed by another within a few steps are excluded.
        single = np.array([not impact.persistent for impact in first_impacts])
        lost = np.array([impact.energy_lost for impact in first_impacts])
        expected = 0.25 * MASS * (1.0 - restitution**2) * approach_speeds**2
        checks.append(
            max_abs_error("energy lost in it [J]", lost[single], expected[single], MASS * speed * speed_bound)
        )
        if step:
            impulse = np.array([impact.impulse for impact in first_impacts])
            expected = 0.5 * MASS * (1.0 + restitution) * approach_speeds
            checks.append(max_abs_error("its impulse [N s]", impulse[single], expected[single], MASS * speed_bound))
        if restitution == 1.0 and result.t[-1] > 0.55 * period:
            rise = LENGTH * (1.0 - math.cos(angle))
            checks += check_heights(result, bodies[balls - lifted :], period, rise, 2.0 * speed / GRAVITY * speed_bound)
        return checks

    positions, speeds = (tuple(f"{ball.name}.{signal}" for ball in bodies) for signal in ("x", "vx"))
    return Case(
        newtons_cradle,
        system=system,
        options={"t_end": 2.0 * period, "method": "nonsmooth", "step": min(STEP, 0.1 * restitution * gap / speed)},
        check_results=check_results,
        figure_settings=CaseFigures(panels=(positions,), motion=(positions, speeds), ghosts=(0.5 * period,)),
        reference="F. Herrmann, M. Seitz, How does the ball-chain work?, American Journal of Physics 50 (1982) 977–981",
        extra_figures=extra_figures([ball.name for ball in bodies], speed, restitution),
    )


def checked_counts(balls: int, lifted: int) -> tuple[int, int]:
    """Return the numbers of balls and of lifted balls; raise unless a ball at rest remains."""
    balls = integer("newtons_cradle", "balls", balls, 2, MAX_BALLS)
    lifted = integer("newtons_cradle", "lifted", lifted, 1, MAX_BALLS)
    if lifted >= balls:
        raise ModelError(f"newtons_cradle: lifted must be less than balls ({balls}), got {lifted}")
    return balls, lifted


def build_cradle(balls: int, lifted: int, restitution: float, gap: float, angle: float) -> System:
    """Return the balls on their strings, with a contact between neighbours."""
    system = System(gravity=(0.0, -GRAVITY), name="Newton's cradle")
    pitch = 2.0 * RADIUS + gap
    bodies = []
    for k in range(balls):
        string_angle = angle if k < lifted else 0.0
        x = (k - 0.5 * (balls - 1)) * pitch
        at = (x - LENGTH * math.sin(string_angle), -LENGTH * math.cos(string_angle))
        bodies.append(system.add(Body(f"ball {k + 1}", MASS, 0.4 * MASS * RADIUS**2, position=at)))
        system.add(Distance(system.ground.point(x, 0.0), bodies[-1], length=LENGTH, name=f"string {k + 1}"))
    law = ExactRestitution(hertz_stiffness(RADIUS, RADIUS), restitution)
    for k, (first, second) in enumerate(pairwise(bodies)):
        system.add(
            Contact(Sphere(first, RADIUS), Sphere(second, RADIUS), law=law, impact=ImpactLaw(restitution=restitution),
                    name=f"touch {k + 1}")
        )  # fmt: skip
    return system


def check_heights(
    result: Result, bodies: Sequence[Body], period: float, rise: float, bound: float
) -> list[CheckResult]:
    """Compare the first swing of the last balls with the height ``rise`` [m] of the release."""
    first_half = result.t < 0.75 * period
    heights = {ball.name: float(np.max(result[ball].y[first_half])) + LENGTH for ball in bodies}
    return [CheckResult(f"height of {name} [m]", abs(height - rise), bound) for name, height in heights.items()]


def first_approach_speeds(balls: int, lifted: int, restitution: float) -> list[float]:
    """Return the approach speed of the first collision of each pair on a line, relative to the first one [-].

    Equal point masses at unit distances, of which the first ``lifted`` move with unit speed. For ``lifted`` = 1 the
    speed is ((1 + ε)/2)ᵏ for pair k = 0, 1, …
    """
    position = np.arange(float(balls))
    speed = np.where(np.arange(balls) < lifted, 1.0, 0.0)
    first: dict[int, float] = {}
    for _ in range(MAX_COLLISIONS):
        if len(first) == balls - 1:
            return [first[pair] for pair in range(balls - 1)]
        relative_speed = speed[:-1] - speed[1:]
        distance = np.diff(position)
        times = np.where(relative_speed > 0.0, distance / np.where(relative_speed > 0.0, relative_speed, 1.0), np.inf)
        pair = int(np.argmin(times))
        position += times[pair] * speed
        first.setdefault(pair, float(relative_speed[pair]))
        change = 0.5 * (1.0 + restitution) * relative_speed[pair]
        speed[pair] -= change
        speed[pair + 1] += change
    raise ModelError(
        f"newtons_cradle: {balls} balls with restitution {restitution:g} stay in contact before the impact reaches the "
        "last one; use fewer balls or a larger restitution"
    )
