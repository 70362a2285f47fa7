"""Pendulum released from rest."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float, non_negative, positive
from carom.errors import ModelError
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.reference_solutions import swing, swing_period
from carom.joints.registry import Revolute
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result

GRAVITY = 9.81
"""Gravity [m/s²]."""


@check_parameters
def pendulum(mass: float = 1.0, length: float = 1.0, inertia: float = 0.0, angle: float = 0.0) -> Case:
    """Pendulum released from rest.

    A bob of ``mass`` [kg] and ``inertia`` [kg m²] on a massless arm of ``length`` [m], released at ``angle`` [rad]
    from the x-axis (0: horizontal). Angle and period have a closed form in elliptic functions; from the horizontal the
    period of a point mass is 4 K(1/√2) √(length/g), 18 % above that of small oscillations.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.pendulum().system
    <System 'pendulum': 1 bodies, 1 joints>
    """
    positive("pendulum", "mass", mass)
    length = positive("pendulum", "length", length)
    non_negative("pendulum", "inertia", inertia)
    amplitude = finite_float("pendulum", "angle", angle) + math.pi / 2
    if not 0.0 < abs(amplitude) < math.pi:
        raise ModelError(
            f"pendulum: angle must lie between −3π/2 and π/2 and must not be −π/2, the equilibrium, got {angle:g}"
        )

    system = System(gravity=(0.0, -GRAVITY), name="pendulum")
    start = (length * math.cos(angle), length * math.sin(angle))
    bob = system.add(Body("bob", mass=mass, inertia=inertia, position=start, angle=angle))
    system.add(Revolute(system.ground, bob, at=(0.0, 0.0), name="pivot"))
    frequency = math.sqrt(mass * GRAVITY * length / (inertia + mass * length**2))
    period = swing_period(frequency, amplitude)

    def check_results(result: Result) -> list[CheckResult]:
        series = result[bob]
        angles, rates = swing(result.t, frequency, amplitude)
        sensitivity = (period * frequency / (2.0 * math.pi)) ** 3  # A swing that almost reaches the top is sensitive.
        checks = [
            energy_drift(result, 1e-9),
            max_abs_error(
                "angle [rad] against elliptic functions", series.angle, angles - math.pi / 2, 1e-8 * sensitivity
            ),
            max_abs_error(
                "angular velocity [rad/s] against elliptic functions", series.omega, rates, 1e-7 * sensitivity
            ),
            max_abs_error("distance from the pivot [m]", np.hypot(series.x, series.y), length, 1e-12),
        ]
        if result.t[-1] > 1.01 * period:
            measured = return_time(result, period)
            checks.append(CheckResult("period [s] against 4 K(k) / ω", abs(measured - period), 1e-8))
        return checks

    return Case(
        pendulum,
        system=system,
        options={"t_end": 4.25 * period},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("bob.angle", "bob.omega"),
            motion=(("bob.x", "bob.y"), ("bob.vx", "bob.vy"), ("pivot.fx", "pivot.fy")),
            ghosts=tuple(period * k / 16 for k in range(1, 9)),
            trace=(bob,),
        ),
        reference="D. F. Lawden, Elliptic Functions and Applications, Springer 1989 (the pendulum)",
    )


def return_time(result: Result, guess: float) -> float:
    """Return the time near ``guess`` at which the bob is at rest [s], by Newton's method on its angular velocity."""
    time = guess
    for _ in range(5):
        sample = result.sample(time)["bob"]
        time -= float(sample.omega[0] / sample.alpha[0])
    return time
