"""Painlevé's rod."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.argument_checks import non_negative, positive
from carom.errors import ModelError
from carom.gallery.case import (
    Case,
    CaseFigures,
    CheckResult,
    check_parameters,
    energy_drift,
    max_abs_error,
    time_resolution,
)
from carom.gallery.figures.painleve_rod import extra_figures
from carom.geometry.shapes import Plane, Point
from carom.laws.friction.threlfall import Threlfall
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, HALF_LENGTH, GRAVITY = 1.0, 0.5, 9.81
"""Mass [kg] and half length [m] of the rod, and gravity [m/s²]."""
STIFFNESS, RESTITUTION, FULL_FRICTION_SPEED = 1e8, 0.2, 1e-3
"""Contact of the rod ends in a compliant run: stiffness [N/m^1.5], restitution [-], speed of full friction [m/s]."""
STOPPING_TIME = 0.01
"""Approximate time in which a compliant end stops [s]."""
STEP = 2e-5
"""Time step [s]."""
CONTACT_STEPS = 5
"""Number of steps after which the end is certainly in contact."""


@dataclass(frozen=True)
class PainleveRod:
    """Slender rod that slides on its leading lower end, at the angle θ behind that end, with friction μ.

    While it slides forward, the acceleration of the end away from the ground is A N/m − b with

        A = 1 + 3 cos θ (cos θ − μ sin θ),   b = g − l θ'² sin θ,

    so that N = m b/A; the rod is rotated upright by m l θ''/3 = (μ sin θ − cos θ) N. For A < 0 and b > 0 no N ≥ 0
    satisfies the contact: sliding must stop at once, by an impact without collision. This impact conserves the angular
    momentum about the end, hence θ' = (3/4) v sin θ/l, and the rod then pivots about it, θ'' = −(3/4) g cos θ/l.
    """

    friction: float

    def resistance(self, angle: Any) -> Any:
        """Return A [-]; it is negative for some angles if μ > 4/3."""
        return 1.0 + 3.0 * np.cos(angle) * (np.cos(angle) - self.friction * np.sin(angle))

    def sliding_force(self, angle: Any, angle_rate: Any) -> Any:
        """Return the normal force on the end that slides forward [N]."""
        return MASS * (GRAVITY - HALF_LENGTH * angle_rate**2 * np.sin(angle)) / self.resistance(angle)

    def pivoting_force(self, angle: Any, angle_rate: Any) -> tuple[Any, Any]:
        """Return the vertical and horizontal force on an end at rest, which accelerate the centre of mass [N]."""
        angular_acceleration = -0.75 * GRAVITY / HALF_LENGTH * np.cos(angle)
        up = MASS * (GRAVITY + HALF_LENGTH * (np.cos(angle) * angular_acceleration - np.sin(angle) * angle_rate**2))
        return up, MASS * HALF_LENGTH * (np.sin(angle) * angular_acceleration + np.cos(angle) * angle_rate**2)

    def slide(self, angle: float, speed: float, until: float) -> RodMotion:
        """Return the motion from sliding with ``speed`` [m/s] without rotation, until it stops, lifts off or falls."""

        def rhs(t: float, y: Any) -> tuple[float, ...]:
            force = self.sliding_force(y[0], y[1])
            angular_acceleration = (
                3.0 * (self.friction * math.sin(y[0]) - math.cos(y[0])) * force / (MASS * HALF_LENGTH)
            )
            acceleration = -self.friction * force / MASS - HALF_LENGTH * (
                math.cos(y[0]) * y[1] ** 2 + math.sin(y[0]) * angular_acceleration
            )
            return y[1], angular_acceleration, acceleration

        endings: dict[str, Callable[[Any], float]] = {
            "stops": lambda y: y[2],
            "lifts off": lambda y: GRAVITY - HALF_LENGTH * y[1] ** 2 * math.sin(y[0]),
            "lies flat": lambda y: math.sin(y[0]),
            "jams": lambda y: float(self.resistance(y[0])) - 0.02,
        }
        return RodMotion.integrate(rhs, (angle, 0.0, speed), until, endings)

    def pivot(self, angle: float, speed: float, until: float) -> RodMotion:
        """Return the motion from the impact without collision until the end slips, lifts off or the rod lies flat."""

        def rhs(t: float, y: Any) -> tuple[float, ...]:
            return y[1], -0.75 * GRAVITY / HALF_LENGTH * math.cos(y[0]), 0.0

        def friction_reserve(y: Any) -> float:
            vertical, horizontal = self.pivoting_force(y[0], y[1])
            return float(self.friction * vertical - abs(horizontal))

        endings: dict[str, Callable[[Any], float]] = {
            "tangential": friction_reserve,
            "lies flat": lambda y: math.sin(y[0]),
        }
        start = (angle, self.rate_after_impact(angle, speed), 0.0)
        if self.pivoting_force(*start[:2])[0] <= 0.0:  # The rod is fast enough to lift off.
            return RodMotion(lambda t: np.tile(np.array(start)[:, None], np.size(t)), 0.0, "lifts off")
        return RodMotion.integrate(rhs, start, until, endings)

    def stops_at_once(self, angle: float) -> bool:
        """Return True if no force allows sliding at ``angle`` [rad]."""
        return bool(self.resistance(angle) < 0.0)

    def motion(self, angle: float, speed: float, until: float) -> RodMotion:
        """Return the motion after the start with ``speed`` [m/s] at ``angle`` [rad], up to ``until`` [s]."""
        return (self.pivot if self.stops_at_once(angle) else self.slide)(angle, speed, until)

    @staticmethod
    def rate_after_impact(angle: float, speed: float) -> float:
        """Return θ' after the impact without collision [rad/s]."""
        return 0.75 * speed * math.sin(angle) / HALF_LENGTH


@dataclass(frozen=True)
class RodMotion:
    """Motion of the rod up to the time ``end`` [s].

    ``state`` returns angle [rad], its rate [rad/s] and the speed of the lower end [m/s] at a time; ``ending`` names the
    event that ends the motion.
    """

    state: Callable[[Any], Any]
    end: float
    ending: str

    @classmethod
    def integrate(
        cls, rhs: Callable[..., Any], start: tuple[float, ...], until: float, endings: dict[str, Callable[[Any], float]]
    ) -> RodMotion:
        """Integrate by SciPy up to the first of ``endings``, functions of the state with a falling zero crossing."""
        from scipy.integrate import solve_ivp

        events = []
        for function in endings.values():

            def event(t: float, y: Any, function: Callable[[Any], float] = function) -> float:
                return function(y)

            event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
            events.append(event)
        solution = solve_ivp(
            rhs, (0.0, until), start, method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True, events=events
        )
        names = [name for name, times in zip(endings, solution.t_events, strict=True) if len(times)]
        return cls(solution.sol, float(solution.t[-1]), names[0] if names else "continues")


@check_parameters
def painleve_rod(friction: float = 1.8, angle: float = 1.1, speed: float = 2.0) -> Case:
    """Painlevé's rod, whose end slides on rough ground.

    A slender rod of 1 m and 1 kg, at ``angle`` [rad] behind its lower end, slides forward with ``speed`` [m/s] on
    ground of ``friction`` μ. For μ < 4/3, and for larger μ at other angles, it slides, initially with the normal force
    m g/A, A = 1 + 3 cos θ (cos θ − μ sin θ), and is compared with the equation of sliding. For A < 0 no such force
    exists: the end stops at once, by an impact without collision, and the rod pivots about it, and over it if it is
    fast enough.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.painleve_rod().system
    <System "Painlevé's rod": 1 bodies, 2 contacts>
    """
    friction = non_negative("painleve_rod", "friction", friction)
    angle, speed = positive("painleve_rod", "angle", angle), positive("painleve_rod", "speed", speed)
    if not angle < math.pi / 2.0:
        raise ModelError(f"painleve_rod: angle must be below π/2, so that the sliding end leads, got {angle:g}")
    rod = PainleveRod(friction)
    if abs(rod.resistance(angle)) < 0.05:
        raise ModelError(
            f"painleve_rod: with friction {friction:g} and angle {angle:g} the normal force is m g/A with "
            f"A = {rod.resistance(angle):.2g}, too close to zero; choose another angle or friction"
        )
    system = System(gravity=(0.0, -GRAVITY), name="Painlevé's rod")
    body = system.add(
        Body("rod", MASS, MASS * HALF_LENGTH**2 / 3.0, angle=math.pi - angle, velocity=(speed, 0.0),
             position=(-HALF_LENGTH * math.cos(angle), HALF_LENGTH * math.sin(angle)))
    )  # fmt: skip
    law, friction_law = ExactRestitution(STIFFNESS, RESTITUTION), Threlfall(friction, FULL_FRICTION_SPEED)
    contact_points = {"tip": body.point(-HALF_LENGTH, 0.0), "head": body.point(HALF_LENGTH, 0.0)}
    for name, end in contact_points.items():
        impact = ImpactLaw(restitution=0.0, friction=friction)
        system.add(Contact(Point(body, end.at), Plane(system.ground), law, friction_law, impact=impact, name=name))

    def theory(until: float) -> RodMotion:
        return rod.motion(angle, speed, until)

    return Case(
        painleve_rod,
        system=system,
        options={"t_end": 1.2, "method": "nonsmooth", "step": STEP},
        check_results=lambda result: rod_checks(result, rod, angle, speed),
        figure_settings=CaseFigures(
            panels=("rod.omega", "tip.sliding_velocity"),
            motion=("rod.angle", "rod.omega", "tip.sliding_velocity"),
            ghosts=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
            trace=tuple(contact_points.values()),
        ),
        reference="F. Génot, B. Brogliato, New results on Painlevé paradoxes, European Journal of Mechanics A/Solids "
        "18 (1999) 653–677",
        extra_figures=extra_figures(friction, angle, theory),
    )


def rod_checks(result: Result, rod: PainleveRod, angle: float, speed: float) -> list[CheckResult]:
    """Compare a run with the equations of sliding or pivoting."""
    motion = rod.motion(angle, speed, float(result.t[-1]))
    if result.settings["method"] == "compliant":
        return compliant_checks(result, motion, speed, rod.stops_at_once(angle))
    step = time_resolution(result)
    end_speed = speed + math.sqrt(12.0 * GRAVITY * HALF_LENGTH)  # Upper bound of the impact speed of an end.
    drift = energy_drift(result, MASS * GRAVITY * end_speed * step / float(result.energy.scale))
    if rod.stops_at_once(angle):
        rate_error = 2.0 * GRAVITY / HALF_LENGTH * step  # change of the rate in a few steps
        checks = impact_checks(result, rod, angle, speed, rate_error)
        # The upright position is unstable, so that errors grow exponentially.
        rate_error *= math.exp(motion.end * math.sqrt(0.75 * GRAVITY / HALF_LENGTH))
    else:
        first = rod.sliding_force(angle, 0.0)
        rate_error = 3.0 * first / (MASS * HALF_LENGTH) * step
        force = result["tip"].normal_force[: CONTACT_STEPS + 1][-1]  # The end is in contact after the first steps.
        change = first * math.sqrt(step * rate_error) / min(rod.resistance(angle), 1.0)
        checks = [CheckResult("first normal force [N]", abs(force - first), change)]
    return [drift, *checks, *motion_checks(result, motion, rate_error, 3.0 * step)]


def impact_checks(result: Result, rod: PainleveRod, angle: float, speed: float, rate_error: float) -> list[CheckResult]:
    """Check the impact without collision; ``rate_error`` is the error of the angular velocity [rad/s]."""
    step = time_resolution(result)
    node = 1 + int(np.argmax(result["tip"].normal_force[1:] > 0.0))
    energy_lost = 0.5 * MASS * speed**2 * (1.0 - 0.75 * math.sin(angle) ** 2)
    angle_rate = -result["rod"].omega[node]
    return [
        CheckResult("time at which the end stops [s]", result.t[node], CONTACT_STEPS * step),
        CheckResult(
            "its speed then [m/s]",
            abs(result["tip"].sliding_velocity[node]),
            HALF_LENGTH * (rate_error + angle_rate**2 * step),
        ),
        CheckResult(
            "angular velocity after it [rad/s]",
            abs(angle_rate - rod.rate_after_impact(angle, speed)),
            rate_error,
        ),
        CheckResult(
            "energy lost by it [J]",
            abs(result.energy.friction[node] - energy_lost),
            MASS * speed * HALF_LENGTH * rate_error,
        ),
    ]


def motion_checks(result: Result, motion: RodMotion, rate_error: float, time_error: float) -> list[CheckResult]:
    """Compare with the second method up to its end; ``rate_error`` [rad/s] and ``time_error`` [s] are per step."""
    compared = (result.t > time_error) & (result.t < motion.end - time_error)
    if not compared.any():
        return []
    expected = motion.state(result.t[compared])
    angle_bound = rate_error * motion.end + time_error * float(np.max(np.abs(expected[1])))
    checks = [
        max_abs_error("angle [rad]", math.pi - result["rod"].angle[compared], expected[0], angle_bound),
        max_abs_error("angular velocity [rad/s]", -result["rod"].omega[compared], expected[1], rate_error),
        max_abs_error(
            "speed of the end [m/s]",
            -result["tip"].sliding_velocity[compared],
            expected[2],
            HALF_LENGTH * rate_error,
        ),
    ]
    if motion.ending == "stops":
        resolved_speed = HALF_LENGTH * rate_error  # A lower speed cannot be distinguished from zero.
        deceleration = float(motion.state(motion.end - time_error)[2]) / time_error
        t_stop = np.min(result.t[-result["tip"].sliding_velocity < resolved_speed], initial=math.inf)
        checks.append(
            CheckResult(
                "time at which it stops [s]",
                abs(t_stop - motion.end),
                time_error + 2.0 * resolved_speed / deceleration,
            )
        )
    if motion.ending == "lifts off":
        after_lift_off = (result.t > motion.end + time_error) & (result.t < 1.1 * motion.end)
        force = np.max(result["tip"].normal_force[after_lift_off], initial=0.0)
        checks.append(CheckResult("force after lift-off [N]", force, 0.0))
    if motion.ending == "lies flat":
        t_flat = result.impacts.of("head")[0].t_start
        checks.append(
            CheckResult(
                "time at which it lies flat [s]",
                abs(t_flat - motion.end),
                time_error + motion.end * rate_error,
            )
        )
    return checks


def compliant_checks(result: Result, motion: RodMotion, speed: float, stops_at_once: bool) -> list[CheckResult]:
    """Check a compliant run: the end stops later, and rebounds after an impact without collision."""
    checks = [energy_drift(result, 1e-6)]
    sliding_speed = -result["tip"].sliding_velocity
    t_stop = float(np.min(result.t[sliding_speed < FULL_FRICTION_SPEED], initial=math.inf))
    if stops_at_once:
        return [*checks, CheckResult("time at which the end stops [s]", t_stop, STOPPING_TIME)]
    if motion.ending == "stops":
        checks.append(CheckResult("time at which it stops [s]", abs(t_stop - motion.end), STOPPING_TIME))
    compared = result.t < motion.end
    angles, expected = math.pi - result["rod"].angle[compared], motion.state(result.t[compared])[0]
    return [*checks, max_abs_error("angle [rad]", angles, expected, 2.0 * STOPPING_TIME * speed / HALF_LENGTH)]
