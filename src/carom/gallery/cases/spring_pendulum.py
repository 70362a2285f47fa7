"""Spring pendulum with a damper."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float, non_negative, positive
from carom.forces.registry import SpringDamper
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.reference_solutions import integrate
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result

GRAVITY = 9.81
"""Gravity [m/s²]."""


@check_parameters
def spring_pendulum(
    mass: float = 1.0, stiffness: float = 120.0, damping: float = 0.6, free_length: float = 0.8, angle: float = 0.0
) -> Case:
    """Spring pendulum with a damper.

    A bob of ``mass`` [kg] on a spring of ``stiffness`` [N/m] and ``free_length`` [m] with a damper of ``damping``
    [N s/m] along it, released from rest with the spring unstretched, at ``angle`` [rad] from the x-axis. The
    motion is compared with the equations in polar coordinates, the dissipated energy with its own quadrature.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.spring_pendulum().system
    <System 'spring pendulum': 1 bodies, 1 forces>
    """
    mass, stiffness, free_length = (
        positive("spring_pendulum", name, value)
        for name, value in (("mass", mass), ("stiffness", stiffness), ("free_length", free_length))
    )
    damping = non_negative("spring_pendulum", "damping", damping)
    angle = finite_float("spring_pendulum", "angle", angle)
    system = System(gravity=(0.0, -GRAVITY), name="spring pendulum")
    start = (free_length * math.cos(angle), free_length * math.sin(angle))
    bob = system.add(Body("bob", mass=mass, inertia=1e-3 * mass, position=start))
    system.add(SpringDamper(system.ground, bob, stiffness=stiffness, damping=damping, name="spring"))

    def rhs(t: float, y: np.ndarray) -> list[float]:
        r, polar, r_rate, polar_rate, _ = y
        tension = stiffness * (r - free_length) + damping * r_rate
        return [
            r_rate,
            polar_rate,
            r * polar_rate**2 - GRAVITY * math.sin(polar) - tension / mass,
            -(2.0 * r_rate * polar_rate + GRAVITY * math.cos(polar)) / r,
            damping * r_rate**2,
        ]

    def check_results(result: Result) -> list[CheckResult]:
        r, polar, r_rate, polar_rate, heat = integrate(rhs, [free_length, angle, 0.0, 0.0, 0.0], result.t).T
        radial = np.column_stack([np.cos(polar), np.sin(polar)])
        tangential = np.column_stack([-np.sin(polar), np.cos(polar)])
        velocity = r_rate[:, None] * radial + (r * polar_rate)[:, None] * tangential
        spring = result["spring"]
        tension = stiffness * (r - free_length) + damping * r_rate
        scale = float(result.energy.scale)
        return [
            energy_drift(result, 1e-9),
            max_abs_error("position [m] against polar coordinates", result[bob].position, r[:, None] * radial, 1e-7),
            max_abs_error("velocity [m/s] against polar coordinates", result[bob].velocity, velocity, 1e-6),
            max_abs_error("length of the spring [m] against polar coordinates", spring.length, r, 1e-7),
            max_abs_error(
                "tension [N] against polar coordinates", spring.tension, tension, 1e-7 * (stiffness + damping)
            ),
            max_abs_error("dissipated energy [J] against its quadrature", result.energy.dissipated, heat, 1e-7 * scale),
        ]

    return Case(
        spring_pendulum,
        system=system,
        options={"t_end": 10.0},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=(("bob.x", "bob.y"), "spring.tension"),
            motion=("spring.length", "spring.rate", "spring.tension"),
            ghosts=tuple(0.1 * k for k in range(1, 7)),
            trace=(bob,),
        ),
        reference="A. H. Nayfeh, D. T. Mook, Nonlinear Oscillations, Wiley 1979 (the spring pendulum)",
    )
