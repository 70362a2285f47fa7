"""Painlevé's rod."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import ModelError, not_negative, positive
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest, resolution
from carom.gallery.figures.painleve_rod import drawings
from carom.geometry.shapes import Plane, Point
from carom.laws.friction.threlfall import Threlfall
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.exact_restitution import ExactRestitution
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, HALF, GRAVITY = 1.0, 0.5, 9.81
"""Mass [kg] and half the length [m] of the rod."""
STIFFNESS, SOFTNESS, CREEP = 1e8, 0.2, 1e-3
"""Of its ends in a compliant run: stiffness [N/m^1.5], restitution, speed of full friction [m/s]."""
YIELDING = 0.01
"""Time in which such an end comes to stand, about [s]."""
STEP = 2e-5
SETTLED = 5
"""Steps after which the end is on the ground for certain."""


@dataclass(frozen=True)
class Rod:
    """A slender rod whose lower end touches the ground and leads, at the angle θ behind it, with friction μ.

    Sliding forward, the acceleration of that end away from the ground is A N/m − b with

        A = 1 + 3 cos θ (cos θ − μ sin θ),   b = g − l θ'² sin θ,

    so that N = m b/A; the rod is turned upright by m l θ''/3 = (μ sin θ − cos θ) N. Where A < 0 and b > 0 no N ≥ 0 can
    hold the end: sliding must cease at once, by an impact without a collision. That keeps the moment of momentum about
    the end, hence θ' = (3/4) v sin θ/l, and the rod then pivots about it, θ'' = −(3/4) g cos θ/l.
    """

    friction: float

    def resistance(self, angle: Any) -> Any:
        """A; it is negative for some angles where μ > 4/3."""
        return 1.0 + 3.0 * np.cos(angle) * (np.cos(angle) - self.friction * np.sin(angle))

    def sliding_force(self, angle: Any, rate: Any) -> Any:
        """N [N] of the end that slides forward."""
        return MASS * (GRAVITY - HALF * rate**2 * np.sin(angle)) / self.resistance(angle)

    def pivoting_force(self, angle: Any, rate: Any) -> tuple[Any, Any]:
        """Forces [N] up and forward on an end that stands still: they carry and accelerate the centre of mass."""
        turn = -0.75 * GRAVITY / HALF * np.cos(angle)
        up = MASS * (GRAVITY + HALF * (np.cos(angle) * turn - np.sin(angle) * rate**2))
        return up, MASS * HALF * (np.sin(angle) * turn + np.cos(angle) * rate**2)

    def slide(self, angle: float, speed: float, until: float) -> Motion:
        """From sliding with ``speed`` [m/s] without turning, until it ceases, leaves the ground or lies flat."""

        def rate(t: float, y: Any) -> tuple[float, ...]:
            force = self.sliding_force(y[0], y[1])
            turn = 3.0 * (self.friction * math.sin(y[0]) - math.cos(y[0])) * force / (MASS * HALF)
            slow = -self.friction * force / MASS - HALF * (math.cos(y[0]) * y[1] ** 2 + math.sin(y[0]) * turn)
            return y[1], turn, slow

        ends: dict[str, Callable[[Any], float]] = {
            "stops": lambda y: y[2],
            "leaves the ground": lambda y: GRAVITY - HALF * y[1] ** 2 * math.sin(y[0]),
            "lies flat": lambda y: math.sin(y[0]),
            "jams": lambda y: float(self.resistance(y[0])) - 0.02,
        }
        return Motion.of(rate, (angle, 0.0, speed), until, ends)

    def pivot(self, angle: float, speed: float, until: float) -> Motion:
        """From the impact without a collision, until the end slips, leaves the ground, or the rod lies flat."""

        def rate(t: float, y: Any) -> tuple[float, ...]:
            return y[1], -0.75 * GRAVITY / HALF * math.cos(y[0]), 0.0

        def grip(y: Any) -> float:
            up, along = self.pivoting_force(y[0], y[1])
            return float(self.friction * up - abs(along))

        ends: dict[str, Callable[[Any], float]] = {"slips": grip, "lies flat": lambda y: math.sin(y[0])}
        start = (angle, self.jammed(angle, speed), 0.0)
        if self.pivoting_force(*start[:2])[0] <= 0.0:  # so fast that it takes off
            return Motion(lambda t: np.tile(np.array(start)[:, None], np.size(t)), 0.0, "leaves the ground")
        return Motion.of(rate, start, until, ends)

    @staticmethod
    def jammed(angle: float, speed: float) -> float:
        """θ' [rad/s] after the impact without a collision."""
        return 0.75 * speed * math.sin(angle) / HALF


@dataclass(frozen=True)
class Motion:
    """``state``: angle [rad], its rate and the speed of the lower end over time, up to ``end`` [s]; ``how`` it ends."""

    state: Callable[[Any], Any]
    end: float
    how: str

    @classmethod
    def of(
        cls, rate: Callable[..., Any], start: tuple[float, ...], until: float, ends: dict[str, Callable[[Any], float]]
    ) -> Motion:
        """By SciPy, up to the first of ``ends``: functions of the state that fall through zero."""
        from scipy.integrate import solve_ivp

        events = []
        for fall in ends.values():

            def event(t: float, y: Any, fall: Callable[[Any], float] = fall) -> float:
                return fall(y)

            event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
            events.append(event)
        answer = solve_ivp(
            rate, (0.0, until), start, method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True, events=events
        )
        how = [name for name, times in zip(ends, answer.t_events, strict=True) if len(times)]
        return cls(answer.sol, float(answer.t[-1]), how[0] if how else "goes on")


@bounded
def painleve_rod(friction: float = 1.8, angle: float = 1.1, speed: float = 2.0) -> Case:
    """Painlevé's rod, whose end slides on rough ground.

    A slender rod of 1 m and 1 kg, at ``angle`` [rad] behind its lower end, slides forward with ``speed`` [m/s] on
    ground of ``friction`` μ. Below μ = 4/3, and beyond it at other angles, it slides, at first with the normal force
    m g/A, A = 1 + 3 cos θ (cos θ − μ sin θ), and is compared with the equation of sliding. Where A < 0 there is no such
    force: the end stops at once, by an impact without a collision, and the rod pivots about it, over it if it is fast
    enough.
    """
    friction = not_negative("painleve_rod", "friction", friction)
    angle, speed = positive("painleve_rod", "angle", angle), positive("painleve_rod", "speed", speed)
    if not angle < math.pi / 2.0:
        raise ModelError(f"painleve_rod: angle must be below π/2, behind the end that slides, got {angle:g}")
    rod = Rod(friction)
    if abs(rod.resistance(angle)) < 0.05:
        raise ModelError(
            f"painleve_rod: with friction {friction:g} and angle {angle:g} the normal force is m g/A with "
            f"A = {rod.resistance(angle):.2g}, too near to zero; take another angle or friction"
        )
    jams = rod.resistance(angle) < 0.0
    system = System(gravity=(0.0, -GRAVITY), name="Painlevé's rod")
    body = system.add(
        Body("rod", MASS, MASS * HALF**2 / 3.0, position=(-HALF * math.cos(angle), HALF * math.sin(angle)),
             angle=math.pi - angle, velocity=(speed, 0.0))
    )  # fmt: skip
    law, drag = ExactRestitution(STIFFNESS, SOFTNESS), Threlfall(friction, CREEP)
    ends = {"tip": body.point(-HALF, 0.0), "head": body.point(HALF, 0.0)}
    for name, end in ends.items():
        impact = ImpactLaw(restitution=0.0, friction=friction)
        system.add(Contact(Point(body, end.at), Plane(system.ground), law, drag, impact=impact, name=name))

    def theory(until: float) -> Motion:
        return (rod.pivot if jams else rod.slide)(angle, speed, until)

    def findings(result: Result) -> list[Finding]:
        motion = theory(float(result.t[-1]))
        if result.settings["method"] == "compliant":
            return compliant(result, motion)
        step = resolution(result)
        fall = speed + math.sqrt(12.0 * GRAVITY * HALF)  # no end is faster when it strikes
        found = [drift(result, MASS * GRAVITY * fall * step / float(result.energy.scale))]
        if jams:
            turn = 2.0 * GRAVITY / HALF * step  # what the rate changes by in a few steps
            node = 1 + int(np.argmax(result["tip"].normal_force[1:] > 0.0))
            lost = 0.5 * MASS * speed**2 * (1.0 - 0.75 * math.sin(angle) ** 2)
            rate = -result[body].omega[node]
            found += [
                Finding("time at which the end stops [s]", result.t[node], SETTLED * step),
                Finding("its speed then [m/s]", abs(result["tip"].sliding_speed[node]), HALF * (turn + rate**2 * step)),
                Finding("turning after it [rad/s]", abs(rate - rod.jammed(angle, speed)), turn),
                Finding("energy lost by it [J]", abs(result.energy.friction[node] - lost), MASS * speed * HALF * turn),
            ]
            turn *= math.exp(motion.end * math.sqrt(0.75 * GRAVITY / HALF))  # the upright rod is not stable
        else:
            first = rod.sliding_force(angle, 0.0)  # from when the end has come down by the last digit
            turn = 3.0 * first / (MASS * HALF) * step
            force = result["tip"].normal_force[: SETTLED + 1][-1]
            change = first * math.sqrt(step * turn) / min(rod.resistance(angle), 1.0)
            found.append(Finding("first normal force [N]", abs(force - first), change))
        return found + compared(result, motion, turn, 3.0 * step)

    def compared(result: Result, motion: Motion, turn: float, late: float) -> list[Finding]:
        """Against the second method up to its end; ``turn`` [rad/s] and ``late`` [s] are the errors of a step."""
        along = (result.t > late) & (result.t < motion.end - late)
        if not along.any():
            return []
        expected = motion.state(result.t[along])
        lag = turn * motion.end + late * float(np.max(np.abs(expected[1])))
        found = [
            farthest("angle [rad]", math.pi - result[body].angle[along], expected[0], lag),
            farthest("angular velocity [rad/s]", -result[body].omega[along], expected[1], turn),
            farthest("speed of the end [m/s]", -result["tip"].sliding_speed[along], expected[2], HALF * turn),
        ]
        if motion.how == "stops":
            slow = HALF * turn  # a speed that steps do not tell from none
            braking = float(motion.state(motion.end - late)[2]) / late
            stood = np.min(result.t[-result["tip"].sliding_speed < slow], initial=math.inf)
            found.append(Finding("time at which it stops [s]", abs(stood - motion.end), late + 2.0 * slow / braking))
        if motion.how == "leaves the ground":
            flying = (result.t > motion.end + late) & (result.t < 1.1 * motion.end)
            force = np.max(result["tip"].normal_force[flying], initial=0.0)
            found.append(Finding("force when it has left the ground [N]", force, 0.0))
        if motion.how == "lies flat":
            hit = result.impacts.of("head")[0].t_start
            found.append(Finding("time at which it lies flat [s]", abs(hit - motion.end), late + motion.end * turn))
        return found

    def compliant(result: Result, motion: Motion) -> list[Finding]:
        """An end that yields stops a little later, and rebounds from a jam."""
        found = [drift(result, 1e-6)]
        sliding = -result["tip"].sliding_speed
        stood = float(np.min(result.t[sliding < CREEP], initial=math.inf))
        if jams:
            return [*found, Finding("time at which the end stops [s]", stood, YIELDING)]
        if motion.how == "stops":
            found.append(Finding("time at which it stops [s]", abs(stood - motion.end), YIELDING))
        along = result.t < motion.end
        turned, expected = math.pi - result[body].angle[along], motion.state(result.t[along])[0]
        return [*found, farthest("angle [rad]", turned, expected, 2.0 * YIELDING * speed / HALF)]

    return Case(
        painleve_rod,
        system=system,
        options={"t_end": 1.2, "method": "nonsmooth", "step": STEP},
        findings=findings,
        look=Look(
            panels=("rod.omega", "tip.sliding_speed"),
            motion=("rod.angle", "rod.omega", "tip.sliding_speed"),
            ghosts=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7),
            trace=tuple(ends.values()),
        ),
        reference="F. Génot, B. Brogliato, New results on Painlevé paradoxes, European Journal of Mechanics A/Solids "
        "18 (1999) 653–677",
        drawings=drawings(friction, angle, theory),
    )
