"""Four-bar linkage."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, positive
from carom.errors import ModelError
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.rods import uniform_rod
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Driver, Revolute
from carom.model.system import System
from carom.result.result import Result

GRAVITY = 9.81
"""Gravity [m/s²]."""
DENSITY = 2.0
"""Mass per length of the bars [kg/m]."""


@check_parameters
def four_bar(
    crank: float = 0.10, coupler: float = 0.26, rocker: float = 0.20, base: float = 0.28, speed: float = 10.0
) -> Case:
    """Four-bar linkage, a driven crank-rocker.

    The arguments are the lengths of the bars [m] and the distance ``base`` of the ground pins [m]; the crank starts
    along the x-axis and is driven at ``speed`` [rad/s]. Grashof's condition, shortest + longest < sum of the other two
    with the crank as shortest bar, lets the crank rotate and the rocker oscillate. The loop equation
    a e^{iα} + b e^{iβ} = d + c e^{iγ} has a closed-form solution for angles and velocities; the motor torque follows
    from the power balance.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.four_bar().system
    <System 'four-bar linkage': 3 bodies, 5 joints>
    """
    a, b, c, d = (
        positive("four_bar", name, value)
        for name, value in (("crank", crank), ("coupler", coupler), ("rocker", rocker), ("base", base))
    )
    if a > min(b, c, d) or a + max(b, c, d) >= b + c + d - max(b, c, d):
        raise ModelError(
            f"four_bar: the crank must be the shortest bar, and shortest + longest below the sum of the other two, "
            f"got crank {a:g}, coupler {b:g}, rocker {c:g}, base {d:g}"
        )
    speed = finite_float("four_bar", "speed", speed)

    system = build_linkage((a, b, c, d), speed)
    bars = system.bodies
    _, coupler_body, rocker_body = bars

    def check_results(result: Result) -> list[CheckResult]:
        alpha = speed * result.t
        beta, gamma = loop_angles((a, b, c, d), alpha)
        # Imaginary parts of the loop's velocity equation, rotated by −γ and by −β.
        beta_rate = a * speed * np.sin(gamma - alpha) / (b * np.sin(beta - gamma))
        gamma_rate = a * speed * np.sin(alpha - beta) / (c * np.sin(gamma - beta))
        coupler_angle, rocker_angle = result[coupler_body].angle, result[rocker_body].angle
        power = np.sum([body_power(result, body.name) for body in bars], axis=0)
        scale = 1.0 + abs(speed)
        return [
            energy_drift(result, 1e-9),
            max_abs_error("coupler angle [rad] in closed form", np.exp(1j * coupler_angle), np.exp(1j * beta), 1e-9),
            max_abs_error("rocker angle [rad] in closed form", np.exp(1j * rocker_angle), np.exp(1j * gamma), 1e-9),
            max_abs_error("coupler speed [rad/s] in closed form", result[coupler_body].omega, beta_rate, 1e-9 * scale),
            max_abs_error("rocker speed [rad/s] in closed form", result[rocker_body].omega, gamma_rate, 1e-9 * scale),
            max_abs_error(
                "motor power [W] against the power of the bars", result["motor"].power, power, 1e-9 * np.ptp(power)
            ),
        ]

    revolution = 2.0 * math.pi / max(abs(speed), 1e-9)
    return Case(
        four_bar,
        system=system,
        options={"t_end": 2.0 * revolution},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=(("coupler.angle", "rocker.angle"), "motor.effort"),
            motion=(
                ("crank.omega", "coupler.omega", "rocker.omega"),
                ("crank bearing.force", "crank pin.force", "rocker pin.force", "rocker bearing.force"),
            ),
            ghosts=(revolution / 4, revolution / 2, 3 * revolution / 4),
            trace=(coupler_body.point(0.0, 0.3 * b),),
        ),
        reference="F. Freudenstein, Approximate synthesis of four-bar linkages, "
        "Transactions of the ASME 77 (1955) 853–861",
    )


def build_linkage(lengths: tuple[float, float, float, float], speed: float) -> System:
    """Return the linkage with the crank along the x-axis, driven at ``speed`` [rad/s].

    ``lengths`` are those of crank, coupler, rocker and base [m].
    """
    a, b, c, d = lengths
    beta, gamma = (float(angle) for angle in loop_angles(lengths, 0.0))
    top = cmath.rect(b, beta) + a
    system = System(gravity=(0.0, -GRAVITY), name="four-bar linkage")
    ground = system.ground
    crank, coupler, rocker = (
        system.add(uniform_rod(name, DENSITY * length, start, length, angle))
        for name, length, start, angle in (
            ("crank", a, (0.0, 0.0), 0.0), ("coupler", b, (a, 0.0), beta), ("rocker", c, (d, 0.0), gamma),
        )
    )  # fmt: skip
    bearing = system.add(Revolute(ground, crank, at=(0.0, 0.0), name="crank bearing"))
    system.add(Revolute(crank, coupler, at=(a, 0.0), name="crank pin"))
    system.add(Revolute(coupler, rocker, at=(top.real, top.imag), name="rocker pin"))
    system.add(Revolute(ground, rocker, at=(d, 0.0), name="rocker bearing"))
    system.add(Driver(bearing, ConstantSpeed(speed), name="motor"))
    system.assemble(keep=[(crank, "angle")])
    return system


def loop_angles(lengths: tuple[float, float, float, float], angle: Any) -> tuple[Any, Any]:
    """Return the angles of coupler and rocker [rad]; their common pin is above the base.

    ``lengths`` are those of crank, coupler, rocker and base [m].
    """
    a, b, c, d = lengths
    pin = a * np.exp(1j * np.asarray(angle))
    diagonal = d - pin
    distance = np.abs(diagonal)
    # Law of cosines at the crank pin.
    angle_at_pin = np.arccos((b * b + distance * distance - c * c) / (2.0 * b * distance))
    top = pin + b * np.exp(1j * (np.angle(diagonal) + angle_at_pin))
    return np.angle(top - pin), np.angle(top - d)


def body_power(result: Result, name: str) -> np.ndarray:
    """Return the rate of kinetic and potential energy of a body from its velocity and acceleration [W]."""
    info = next(body for body in result.bodies if body.name == name)
    series = result[name]
    translational = info.mass * (series.vx * series.ax + series.vy * (series.ay + GRAVITY))
    return np.asarray(translational + info.inertia * series.omega * series.alpha)
