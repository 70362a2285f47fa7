"""Mass on a moving belt, connected to a spring: stick-slip."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, non_negative, positive
from carom.forces.registry import SpringDamper
from carom.gallery.case import (
    Case,
    CaseFigures,
    CheckResult,
    check_parameters,
    energy_drift,
    max_abs_error,
    time_resolution,
)
from carom.gallery.figures.stick_slip import extra_figures
from carom.geometry.shapes import Plane, Sphere
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Driver, Prismatic
from carom.laws.friction.threlfall import Threlfall
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, STIFFNESS, RADIUS, FREE_LENGTH, GRAVITY = 1.0, 100.0, 0.03, 0.35, 9.81
"""Mass [kg], spring stiffness [N/m], radius of the mass [m], free length of the spring [m], gravity [m/s²]."""
CONTACT_STIFFNESS, CONTACT_DAMPING, FULL_FRICTION_SPEED = 1e6, 2e3, 1e-3
"""Contact in a compliant run: stiffness [N/m], damping [N s/m], speed of full friction [m/s]."""
STEP = 1e-4
"""Time step [s]."""
FREQUENCY = math.sqrt(STIFFNESS / MASS)


@dataclass(frozen=True)
class MotionArc:
    """Part of the motion: slip slower or faster than the belt (``side`` −1, 1), or stick (0).

    It lasts from ``start`` to ``end`` [s] and starts with elongation ``x`` [m] and velocity ``v`` [m/s].
    """

    side: int
    start: float
    end: float
    x: float
    v: float

    def state(self, t: Any, stick_limit: float) -> tuple[Any, Any]:
        """Return elongation [m] and velocity [m/s] at times ``t`` [s].

        Slip is a harmonic motion about ∓``stick_limit`` = μ m g/k [m].
        """
        elapsed = t - self.start
        if self.side == 0:
            return self.x + self.v * elapsed, self.v + 0.0 * elapsed
        centre = -self.side * stick_limit
        c, s = np.cos(FREQUENCY * elapsed), np.sin(FREQUENCY * elapsed)
        offset = self.x - centre
        return centre + offset * c + self.v / FREQUENCY * s, self.v * c - offset * FREQUENCY * s


def arcs(stretch: float, belt: float, stick_limit: float, until: float) -> list[MotionArc]:
    """Return the motion from rest at ``stretch`` [m] on a belt of speed ``belt`` ≥ 0 [m/s], up to ``until`` [s].

    In the plane of x and v/ω, slip follows circles about (±``stick_limit``, 0) clockwise. It ends on the line v = belt;
    there the mass sticks while the spring force is below μ m g, |x| ≤ ``stick_limit``.
    """
    motion_arcs: list[MotionArc] = []
    t, x, v, belt_level = 0.0, stretch, 0.0, belt / FREQUENCY
    while t < until:
        side = int(np.sign(v - belt))
        if side == 0 and not (abs(x) <= stick_limit and not (belt > 0.0 and x >= stick_limit)):
            side = -1 if x > 0.0 else 1
        if side == 0:
            end = t + (stick_limit - x) / belt if belt > 0.0 else math.inf
            motion_arcs.append(MotionArc(0, t, end, x, belt))
            t, x, v = end, stick_limit, belt
            continue
        centre = -side * stick_limit
        radius = math.hypot(x - centre, v / FREQUENCY)
        if radius <= belt_level * (1.0 + 1e-12):  # The mass never reaches the speed of the belt.
            motion_arcs.append(MotionArc(side, t, math.inf, x, v))
            break
        end_offset = side * math.sqrt(radius**2 - belt_level**2)
        phase = (math.atan2(v / FREQUENCY, x - centre) - math.atan2(belt_level, end_offset)) % (2.0 * math.pi)
        end = t + (phase if phase > 1e-9 else 2.0 * math.pi) / FREQUENCY
        motion_arcs.append(MotionArc(side, t, end, x, v))
        t, x, v = end, centre + end_offset, belt
    return motion_arcs


@check_parameters
def stick_slip(belt_speed: float = 0.1, friction: float = 0.2, stretch: float = 0.15) -> Case:
    """A mass on a moving belt, held by a spring, slips and sticks.

    A mass of 1 kg on a spring of 100 N/m is released from rest with the elongation ``stretch`` [m] on a belt of
    ``belt_speed`` [m/s]; dry ``friction`` μ acts between them. During slip the mass oscillates about ±d, d = μ m g/k;
    when it reaches the speed of the belt within |x| ≤ d, it sticks until the spring force is μ m g. The motion has a
    closed form. With ``belt_speed`` 0 the amplitude decreases by 2 d per half oscillation, until the mass stops within
    ±d. Static and sliding friction are equal, so that stick-slip ends: the last oscillation only just reaches the speed
    of the belt.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.stick_slip().system
    <System 'stick and slip': 2 bodies, 3 joints, 1 forces, 1 contacts>
    """
    belt_speed = non_negative("stick_slip", "belt_speed", belt_speed)
    friction = positive("stick_slip", "friction", friction)
    stretch = finite_float("stick_slip", "stretch", stretch)
    stick_limit = friction * MASS * GRAVITY / STIFFNESS
    system = System(gravity=(0.0, -GRAVITY), name="stick and slip")
    belt = system.add(Body("belt", 1.0, 1e-2, position=(0.0, -0.6 * RADIUS)))
    mass = system.add(Body("mass", MASS, 0.4 * MASS * RADIUS**2, position=(stretch, RADIUS)))
    track = system.add(Prismatic(system.ground, belt, axis=(1.0, 0.0), name="track"))
    system.add(Driver(track, ConstantSpeed(belt_speed), "displacement", name="motor"))
    system.add(Driver(mass, ConstantSpeed(0.0), "angle", name="upright"))
    system.add(
        SpringDamper(
            system.ground.point(-FREE_LENGTH, RADIUS), mass, stiffness=STIFFNESS, free_length=FREE_LENGTH, name="spring"
        )
    )
    law, friction_law = KelvinVoigt(CONTACT_STIFFNESS, CONTACT_DAMPING), Threlfall(friction, FULL_FRICTION_SPEED)
    impact = ImpactLaw(restitution=0.0, friction=friction)
    system.add(
        Contact(
            Sphere(mass, RADIUS), Plane(belt, at=(0.0, 0.6 * RADIUS)), law, friction_law, impact=impact, name="grip"
        )
    )

    return Case(
        stick_slip,
        system=system,
        options={"t_end": 3.0, "method": "nonsmooth", "step": STEP},
        check_results=lambda result: motion_checks(result, stretch, belt_speed, stick_limit),
        figure_settings=CaseFigures(
            panels=("mass.x", ("mass.vx", "belt.vx")),
            motion=("mass.x", ("mass.vx", "belt.vx"), "grip.fx"),
        ),
        reference="R. I. Leine, D. H. van Campen, A. de Kraker, L. van den Steen, Stick-slip vibrations induced by "
        "alternate friction models, Nonlinear Dynamics 16 (1998) 41–54",
        extra_figures=extra_figures(
            lambda until: arcs(stretch, belt_speed, stick_limit, until), belt_speed, stick_limit
        ),
    )


def motion_checks(result: Result, stretch: float, belt_speed: float, stick_limit: float) -> list[CheckResult]:
    """Compare the motion with the closed form."""
    nonsmooth = result.settings["method"] == "nonsmooth"
    t, step = result.t, time_resolution(result) if nonsmooth else 0.0
    motion_arcs = arcs(stretch, belt_speed, stick_limit, float(t[-1]))
    x, v = np.zeros((2, len(t)))
    for arc in motion_arcs:
        inside = (t >= arc.start) & (t <= arc.end)
        x[inside], v[inside] = arc.state(t[inside], stick_limit)
    max_speed = FREQUENCY * (abs(stretch) + stick_limit) + belt_speed
    # Friction changes sign within a step; the midpoint rule has a phase error of (ω step)²/24.
    time_bound = (FREQUENCY * step) ** 2 * FREQUENCY * float(t[-1]) / 24.0
    speed_bound = (
        2.0 * len(motion_arcs) * FREQUENCY**2 * stick_limit * step + max_speed * time_bound
        if nonsmooth
        else 20.0 * FULL_FRICTION_SPEED
    )
    position_bound = speed_bound / FREQUENCY
    checks = [
        energy_drift(result, max(max_speed * FREQUENCY * step / GRAVITY, 1e-6)),
        max_abs_error("position of the mass [m]", result["mass"].x, x, position_bound),
        max_abs_error("velocity of the mass [m/s]", result["mass"].vx, v, speed_bound),
    ]
    if nonsmooth:
        weight = MASS * GRAVITY
        checks.append(max_abs_error("normal force [N]", result["grip"].normal_force[1:], weight, 1e-9 * weight))
    for arc in motion_arcs:
        if arc.side == 0 and arc.end - arc.start > 20.0 * step and arc.start + 20.0 * step < t[-1]:
            checks += stick_checks(result, arc, (belt_speed, stick_limit), step, speed_bound)
    return checks


def stick_checks(
    result: Result, arc: MotionArc, parameters: tuple[float, float], step: float, speed_bound: float
) -> list[CheckResult]:
    """Check start and end of sticking, and the friction force during it.

    ``parameters`` are the belt speed [m/s] and the stick limit [m]; ``step`` [s] is 0 for a compliant run.
    """
    belt_speed, stick_limit = parameters
    t, end = result.t, min(arc.end, float(result.t[-1]))
    slipping = np.abs(result["mass"].vx - belt_speed) > (1e-9 * (1.0 + belt_speed) if step else FULL_FRICTION_SPEED)
    middle = 0.5 * (arc.start + end)
    before, after = t[slipping & (t < middle)], t[slipping & (t > middle)]
    deceleration = FREQUENCY**2 * abs(abs(arc.x) - stick_limit)  # smallest acceleration at the onset of sticking
    time_bound = 3.0 * step + speed_bound / deceleration
    end_time_bound = 3.0 * step + speed_bound / FREQUENCY / max(belt_speed, 1e-6)
    stick_start = CheckResult("time at which it sticks [s]", abs(np.max(before, initial=0.0) - arc.start), time_bound)
    if arc.end + end_time_bound < t[-1]:
        stick_end = CheckResult(
            "time at which it slips again [s]", abs(np.min(after, initial=t[-1]) - arc.end), end_time_bound
        )
    else:
        stick_end = CheckResult("nodes at which it slips again", np.sum(after < end - end_time_bound), 0.0)
    stuck = (t > arc.start + time_bound) & (t < end - end_time_bound)
    spring_force = STIFFNESS * result["mass"].x[stuck]
    force_bound = STIFFNESS * belt_speed * step if step else 0.02 * STIFFNESS * stick_limit
    return [
        stick_start,
        stick_end,
        max_abs_error("friction while it sticks [N]", result["grip"].fx[stuck], spring_force, force_bound + 1e-9),
    ]
