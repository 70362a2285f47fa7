"""A ball on an incline: from sliding to rolling."""

from __future__ import annotations

import math

import numpy as np

from carom.errors import not_negative, number, positive
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest, resolution
from carom.geometry.shapes import Plane, Sphere
from carom.laws.friction.coulomb import Coulomb
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.hunt_crossley import HuntCrossley
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, RADIUS, GRAVITY = 1.0, 0.1, 9.81


@bounded
def ball_on_incline(slope: float = 0.0, speed: float = 2.0, friction: float = 0.3) -> Case:
    """A ball slides down an incline until it rolls.

    It is set on a plane of ``slope`` [rad] with ``speed`` [m/s] down it and no spin. Friction turns it: on the level it
    rolls after t = 2v₀/(7μg), with 5/7 of its speed; on an incline with μ < 2/7 tan(slope) it never does.
    """
    slope, speed = number("ball_on_incline", "slope", slope), positive("ball_on_incline", "speed", speed)
    friction = not_negative("ball_on_incline", "friction", friction)
    down, across = GRAVITY * math.sin(slope), GRAVITY * math.cos(slope)
    system = System(dim=3, gravity=(down, 0.0, -across), name="ball on an incline")
    inertia = 0.4 * MASS * RADIUS**2
    ball = system.add(Body("ball", MASS, inertia, position=(0.0, 0.0, RADIUS), velocity=(speed, 0.0, 0.0)))
    system.add(
        Contact(
            Sphere(ball, RADIUS),
            Plane(system.ground),
            law=HuntCrossley(stiffness=1e6, restitution=0.7),
            friction=Coulomb(friction, 1e-4),
            impact=ImpactLaw(0.0, friction),
            name="touch",
        )
    )
    # The point of contact comes to rest when v₀ + (g sin − μ g cos) t = R ω = 5/2 μ g cos t.
    closing = 3.5 * friction * across - down
    rolling = speed / closing if closing > 0.0 else math.inf

    def speeds(t: np.ndarray) -> np.ndarray:
        sliding = speed + (down - friction * across) * np.minimum(t, rolling)
        return sliding + 5.0 / 7.0 * down * np.maximum(t - rolling, 0.0)

    def way(t: np.ndarray) -> np.ndarray:
        first, then = np.minimum(t, rolling), np.maximum(t - rolling, 0.0)
        sliding = speed * first + 0.5 * (down - friction * across) * first**2
        return sliding + speeds(first) * then + 5.0 / 14.0 * down * then**2

    def findings(result: Result) -> list[Finding]:
        smooth = result.settings["method"] == "compliant"
        body = result["ball"]
        if smooth:  # it sinks in and oscillates: μ m |v_z| is what friction has then given too much or too little
            bound = 5e-3 * speed + 2.0 * friction * float(np.abs(body.vz).max())
        else:
            bound = 2.0 * friction * GRAVITY * resolution(result) + 1e-9
        found = [
            drift(result, 1e-7),
            farthest("speed in closed form [m/s]", body.vx, speeds(result.t), bound),
            farthest("way in closed form [m]", body.x, way(result.t), bound * float(result.t[-1])),
        ]
        if not smooth and result.t[-1] > rolling:
            found.append(Finding("rolling at the end [m/s]", abs(body.vx[-1] - RADIUS * body.wy[-1]), 1e-9))
        return found

    end = 2.0 * rolling if math.isfinite(rolling) else 1.0
    return Case(
        ball_on_incline,
        system=system,
        options={"t_end": end, "method": "nonsmooth", "step": 1e-4},
        findings=findings,
        look=Look(panels=("ball.vx", "ball.wy"), motion=("ball.vx", "ball.wy", "touch.friction_force"), pose=0.0),
        reference="G. Coriolis, Théorie mathématique des effets du jeu de billard (1835)",
    )
