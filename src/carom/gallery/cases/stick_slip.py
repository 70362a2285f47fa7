"""A mass on a belt, held by a spring."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.errors import not_negative, number, positive
from carom.forces.registry import SpringDamper
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest, resolution
from carom.gallery.figures.stick_slip import drawings
from carom.geometry.shapes import Plane, Sphere
from carom.joints.motion import ConstantSpeed
from carom.joints.registry import Driver, Prismatic
from carom.laws.friction.threlfall import Threlfall
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.kelvin_voigt import KelvinVoigt
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, STIFFNESS, RADIUS, REACH, GRAVITY = 1.0, 100.0, 0.03, 0.35, 9.81
"""Of the mass and its spring: mass [kg], stiffness [N/m], radius and free length [m]."""
SPRING, DAMPER, CREEP = 1e6, 2e3, 1e-3
"""Of the contact in a compliant run: stiffness [N/m], damping [N s/m], and the speed of full friction [m/s]."""
STEP = 1e-4
FREQUENCY = math.sqrt(STIFFNESS / MASS)


@dataclass(frozen=True)
class Arc:
    """A piece of the motion: it slips behind the belt or ahead of it (``side`` −1, 1), or sticks (0).

    From ``start`` to ``end`` [s], beginning with stretch ``x`` [m] and velocity ``v`` [m/s].
    """

    side: int
    start: float
    end: float
    x: float
    v: float

    def at(self, t: Any, dead: float) -> tuple[Any, Any]:
        """Stretch and velocity at times ``t`` [s] within: slipping, harmonic about ∓``dead`` = μ m g/k [m]."""
        since = t - self.start
        if self.side == 0:
            return self.x + self.v * since, self.v + 0.0 * since
        centre = -self.side * dead
        c, s = np.cos(FREQUENCY * since), np.sin(FREQUENCY * since)
        away = self.x - centre
        return centre + away * c + self.v / FREQUENCY * s, self.v * c - away * FREQUENCY * s


def arcs(stretch: float, belt: float, dead: float, until: float) -> list[Arc]:
    """The motion from rest at ``stretch`` [m], on a ``belt`` that runs with this speed ≥ 0 [m/s], up to ``until`` [s].

    In the plane of x and v/ω slipping runs clockwise on circles about (±``dead``, 0). It ends on the line v = belt;
    there the mass sticks while the spring pulls with less than μ m g, |x| ≤ ``dead``.
    """
    found: list[Arc] = []
    t, x, v, level = 0.0, stretch, 0.0, belt / FREQUENCY
    while t < until:
        side = int(np.sign(v - belt))
        if side == 0 and not (abs(x) <= dead and not (belt > 0.0 and x >= dead)):
            side = -1 if x > 0.0 else 1
        if side == 0:
            end = t + (dead - x) / belt if belt > 0.0 else math.inf
            found.append(Arc(0, t, end, x, belt))
            t, x, v = end, dead, belt
            continue
        centre = -side * dead
        radius = math.hypot(x - centre, v / FREQUENCY)
        if radius <= level * (1.0 + 1e-12):  # it never comes up to the belt
            found.append(Arc(side, t, math.inf, x, v))
            break
        reach = side * math.sqrt(radius**2 - level**2)
        turned = (math.atan2(v / FREQUENCY, x - centre) - math.atan2(level, reach)) % (2.0 * math.pi)
        end = t + (turned if turned > 1e-9 else 2.0 * math.pi) / FREQUENCY
        found.append(Arc(side, t, end, x, v))
        t, x, v = end, centre + reach, belt
    return found


@bounded
def stick_slip(belt_speed: float = 0.1, friction: float = 0.2, stretch: float = 0.15) -> Case:
    """A mass on a running belt, held by a spring: it slips and sticks.

    A mass of 1 kg is held by a spring of 100 N/m and released at rest, stretched by ``stretch`` [m], on a belt of
    ``belt_speed`` [m/s]; dry ``friction`` μ acts between them. Slipping, it swings about ±d, d = μ m g/k; where it
    comes up to the belt within |x| ≤ d it sticks until the spring pulls with μ m g. The arcs and their ends have a
    closed form. With ``belt_speed`` 0 each half swing is 2 d shorter, until the mass stops within ±d. As friction is
    the same at rest and in motion, the last swing only touches the speed of the belt: stick and slip do not go on.
    """
    belt_speed = not_negative("stick_slip", "belt_speed", belt_speed)
    friction = positive("stick_slip", "friction", friction)
    stretch = number("stick_slip", "stretch", stretch)
    dead = friction * MASS * GRAVITY / STIFFNESS
    system = System(gravity=(0.0, -GRAVITY), name="stick and slip")
    belt = system.add(Body("belt", 1.0, 1e-2, position=(0.0, -0.6 * RADIUS)))
    mass = system.add(Body("mass", MASS, 0.4 * MASS * RADIUS**2, position=(stretch, RADIUS)))
    track = system.add(Prismatic(system.ground, belt, axis=(1.0, 0.0), name="track"))
    system.add(Driver(track, ConstantSpeed(belt_speed), "displacement", name="motor"))
    system.add(Driver(mass, ConstantSpeed(0.0), "angle", name="upright"))
    system.add(
        SpringDamper(system.ground.point(-REACH, RADIUS), mass, stiffness=STIFFNESS, free_length=REACH, name="spring")
    )
    law, drag = KelvinVoigt(SPRING, DAMPER), Threlfall(friction, CREEP)
    impact = ImpactLaw(restitution=0.0, friction=friction)
    system.add(
        Contact(Sphere(mass, RADIUS), Plane(belt, at=(0.0, 0.6 * RADIUS)), law, drag, impact=impact, name="grip")
    )

    def findings(result: Result) -> list[Finding]:
        rigid = result.settings["method"] == "nonsmooth"
        t, step = result.t, resolution(result) if rigid else 0.0
        pieces = arcs(stretch, belt_speed, dead, float(t[-1]))
        x, v = np.zeros((2, len(t)))
        for arc in pieces:
            inside = (t >= arc.start) & (t <= arc.end)
            x[inside], v[inside] = arc.at(t[inside], dead)
        swing = FREQUENCY * (abs(stretch) + dead) + belt_speed
        # A step in which friction turns has either sign of it; the midpoint rule is late by (ω step)²/24 of the phase.
        late = (FREQUENCY * step) ** 2 * FREQUENCY * float(t[-1]) / 24.0
        fast = 2.0 * len(pieces) * FREQUENCY**2 * dead * step + swing * late if rigid else 20.0 * CREEP
        far = fast / FREQUENCY
        found = [
            drift(result, max(swing * FREQUENCY * step / GRAVITY, 1e-6)),
            farthest("position of the mass [m]", result[mass].x, x, far),
            farthest("velocity of the mass [m/s]", result[mass].vx, v, fast),
        ]
        if rigid:
            weight = MASS * GRAVITY
            found.append(farthest("normal force [N]", result["grip"].normal_force[1:], weight, 1e-9 * weight))
        for arc in pieces:
            if arc.side == 0 and arc.end - arc.start > 20.0 * step and arc.start + 20.0 * step < t[-1]:
                found += sticking(result, arc, step, fast)
        return found

    def sticking(result: Result, arc: Arc, step: float, fast: float) -> list[Finding]:
        """When the mass begins to stick and ceases to, and how it is held meanwhile."""
        t, end = result.t, min(arc.end, float(result.t[-1]))
        slipping = np.abs(result[mass].vx - belt_speed) > (1e-9 * (1.0 + belt_speed) if step else CREEP)
        middle = 0.5 * (arc.start + end)
        before, after = t[slipping & (t < middle)], t[slipping & (t > middle)]
        braking = FREQUENCY**2 * abs(abs(arc.x) - dead)  # the least acceleration with which it comes up to the belt
        late, later = 3.0 * step + fast / braking, 3.0 * step + fast / FREQUENCY / max(belt_speed, 1e-6)
        begin = Finding("time at which it sticks [s]", abs(np.max(before, initial=0.0) - arc.start), late)
        if arc.end + later < t[-1]:
            cease = Finding("time at which it slips again [s]", abs(np.min(after, initial=t[-1]) - arc.end), later)
        else:
            cease = Finding("nodes at which it slips again", np.sum(after < end - later), 0.0)
        held = (t > arc.start + late) & (t < end - later)
        pull = STIFFNESS * result[mass].x[held]
        slack = STIFFNESS * belt_speed * step if step else 0.02 * STIFFNESS * dead
        return [begin, cease, farthest("friction while it sticks [N]", result["grip"].fx[held], pull, slack + 1e-9)]

    return Case(
        stick_slip,
        system=system,
        options={"t_end": 3.0, "method": "nonsmooth", "step": STEP},
        findings=findings,
        look=Look(
            panels=("mass.x", ("mass.vx", "belt.vx")),
            motion=("mass.x", ("mass.vx", "belt.vx"), "grip.fx"),
        ),
        reference="R. I. Leine, D. H. van Campen, A. de Kraker, L. van den Steen, Stick-slip vibrations induced by "
        "alternate friction models, Nonlinear Dynamics 16 (1998) 41–54",
        drawings=drawings(lambda until: arcs(stretch, belt_speed, dead, until), belt_speed, dead),
    )
