"""Sphere on an incline: transition from sliding to rolling."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float, non_negative, positive
from carom.gallery.case import (
    Case,
    CaseFigures,
    CheckResult,
    check_parameters,
    energy_drift,
    max_abs_error,
    time_resolution,
)
from carom.geometry.shapes import Plane, Sphere
from carom.laws.friction.coulomb import Coulomb
from carom.laws.impact_law import ImpactLaw
from carom.laws.normal.hunt_crossley import HuntCrossley
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

MASS, RADIUS, GRAVITY = 1.0, 0.1, 9.81
"""Mass [kg] and radius [m] of the ball, gravity [m/s²]."""


@check_parameters
def ball_on_incline(slope: float = 0.0, speed: float = 2.0, friction: float = 0.3) -> Case:
    """A ball slides down an incline until it rolls.

    It starts on a plane of ``slope`` [rad] with ``speed`` [m/s] down the slope and without rotation. Friction
    starts the rotation: on a horizontal plane the ball rolls after t = 2v₀/(7μg), with 5/7 of its speed; on an incline
    with μ < 2/7 tan(slope) it never rolls.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.ball_on_incline().system
    <System 'ball on an incline': 1 bodies, 1 contacts>
    """
    slope, speed = finite_float("ball_on_incline", "slope", slope), positive("ball_on_incline", "speed", speed)
    friction = non_negative("ball_on_incline", "friction", friction)
    g_along, g_normal = GRAVITY * math.sin(slope), GRAVITY * math.cos(slope)
    system = System(dim=3, gravity=(g_along, 0.0, -g_normal), name="ball on an incline")
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
    # The contact point stops sliding when v₀ + (g sin − μ g cos) t = R ω = 5/2 μ g cos t.
    deceleration = 3.5 * friction * g_normal - g_along
    t_rolling = speed / deceleration if deceleration > 0.0 else math.inf

    def speeds(t: np.ndarray) -> np.ndarray:
        sliding = speed + (g_along - friction * g_normal) * np.minimum(t, t_rolling)
        return sliding + 5.0 / 7.0 * g_along * np.maximum(t - t_rolling, 0.0)

    def displacement(t: np.ndarray) -> np.ndarray:
        first, then = np.minimum(t, t_rolling), np.maximum(t - t_rolling, 0.0)
        sliding = speed * first + 0.5 * (g_along - friction * g_normal) * first**2
        return sliding + speeds(first) * then + 5.0 / 14.0 * g_along * then**2

    def check_results(result: Result) -> list[CheckResult]:
        compliant = result.settings["method"] == "compliant"
        body = result["ball"]
        if compliant:
            # The ball oscillates on its contact; the error of the friction impulse is at most about μ m |v_z|.
            bound = 5e-3 * speed + 2.0 * friction * float(np.abs(body.vz).max())
        else:
            bound = 2.0 * friction * GRAVITY * time_resolution(result) + 1e-9
        checks = [
            energy_drift(result, 1e-7),
            max_abs_error("speed in closed form [m/s]", body.vx, speeds(result.t), bound),
            max_abs_error(
                "displacement in closed form [m]", body.x, displacement(result.t), bound * float(result.t[-1])
            ),
        ]
        if not compliant and result.t[-1] > t_rolling:
            checks.append(CheckResult("rolling at the end [m/s]", abs(body.vx[-1] - RADIUS * body.wy[-1]), 1e-9))
        return checks

    end = 2.0 * t_rolling if math.isfinite(t_rolling) else 1.0
    return Case(
        ball_on_incline,
        system=system,
        options={"t_end": end, "method": "nonsmooth", "step": 1e-4},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("ball.vx", "ball.wy"), motion=("ball.vx", "ball.wy", "touch.friction_force"), pose=0.0
        ),
        reference="G. Coriolis, Théorie mathématique des effets du jeu de billard (1835)",
    )
