"""Four-bar linkage."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from carom.errors import ModelError, number, positive
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest
from carom.gallery.rods import uniform_rod
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Driver, Revolute
from carom.model.system import System
from carom.result.result import Result

GRAVITY = 9.81
DENSITY = 2.0
"""Mass of the bars per length [kg/m]."""


@bounded
def four_bar(
    crank: float = 0.10, coupler: float = 0.26, rocker: float = 0.20, base: float = 0.28, speed: float = 10.0
) -> Case:
    """Four-bar linkage, a driven crank-rocker.

    Bars of these lengths [m], the pins on the ground ``base`` apart, the crank driven at ``speed`` [rad/s] from the
    x-axis. Grashof: shortest + longest < the other two, with the crank the shortest, so that it turns and the rocker
    swings. The loop of complex numbers a e^{iα} + b e^{iβ} = d + c e^{iγ} is solved in closed form, and again for the
    velocities; the motor's torque follows from the power it must give.
    """
    a, b, c, d = (
        positive("four_bar", name, value)
        for name, value in (("crank", crank), ("coupler", coupler), ("rocker", rocker), ("base", base))
    )
    if a > min(b, c, d) or a + max(b, c, d) >= b + c + d - max(b, c, d):
        raise ModelError(
            f"four_bar: a crank-rocker needs the crank as its shortest bar and shortest + longest < the other two, "
            f"got crank {a:g}, coupler {b:g}, rocker {c:g}, base {d:g}"
        )
    speed = number("four_bar", "speed", speed)

    def close(angle: Any) -> tuple[Any, Any]:
        """Angles of coupler and rocker [rad], the loop open upwards (coupler and rocker meet above the base)."""
        pin = a * np.exp(1j * np.asarray(angle))
        diagonal = d - pin
        reach = np.abs(diagonal)
        # Law of cosines at the crank pin.
        opening = np.arccos((b * b + reach * reach - c * c) / (2.0 * b * reach))
        top = pin + b * np.exp(1j * (np.angle(diagonal) + opening))
        return np.angle(top - pin), np.angle(top - d)

    beta, gamma = (float(angle) for angle in close(0.0))
    top = cmath.rect(b, beta) + a
    system = System(gravity=(0.0, -GRAVITY), name="four-bar linkage")
    ground = system.ground
    bars = [
        system.add(uniform_rod(name, DENSITY * length, start, length, angle))
        for name, length, start, angle in (
            ("crank", a, (0.0, 0.0), 0.0), ("coupler", b, (a, 0.0), beta), ("rocker", c, (d, 0.0), gamma),
        )
    ]  # fmt: skip
    arm, bar, swinging = bars
    bearing = system.add(Revolute(ground, arm, at=(0.0, 0.0), name="crank bearing"))
    system.add(Revolute(arm, bar, at=(a, 0.0), name="crank pin"))
    system.add(Revolute(bar, swinging, at=(top.real, top.imag), name="rocker pin"))
    system.add(Revolute(ground, swinging, at=(d, 0.0), name="rocker bearing"))
    system.add(Driver(bearing, ConstantSpeed(speed), name="motor"))
    system.assemble(keep=[(arm, "angle")])

    def findings(result: Result) -> list[Finding]:
        alpha = speed * result.t
        beta, gamma = close(alpha)
        # Imaginary parts of the loop's velocities, turned by −γ and by −β.
        beta_rate = a * speed * np.sin(gamma - alpha) / (b * np.sin(beta - gamma))
        gamma_rate = a * speed * np.sin(alpha - beta) / (c * np.sin(gamma - beta))
        turned, swung = result[bar].angle, result[swinging].angle
        power = np.sum([body_power(result, body.name) for body in bars], axis=0)
        size = 1.0 + abs(speed)
        return [
            drift(result, 1e-9),
            farthest("coupler angle [rad] in closed form", np.exp(1j * turned), np.exp(1j * beta), 1e-9),
            farthest("rocker angle [rad] in closed form", np.exp(1j * swung), np.exp(1j * gamma), 1e-9),
            farthest("coupler speed [rad/s] in closed form", result[bar].omega, beta_rate, 1e-9 * size),
            farthest("rocker speed [rad/s] in closed form", result[swinging].omega, gamma_rate, 1e-9 * size),
            farthest("motor power [W] against that of the bars", result["motor"].power, power, 1e-9 * np.ptp(power)),
        ]

    turn = 2.0 * math.pi / max(abs(speed), 1e-9)
    return Case(
        four_bar,
        system=system,
        options={"t_end": 2.0 * turn},
        findings=findings,
        look=Look(
            panels=(("coupler.angle", "rocker.angle"), "motor.effort"),
            motion=(
                ("crank.omega", "coupler.omega", "rocker.omega"),
                ("crank bearing.force", "crank pin.force", "rocker pin.force", "rocker bearing.force"),
            ),
            ghosts=(turn / 4, turn / 2, 3 * turn / 4),
            trace=(bar.point(0.0, 0.3 * b),),
        ),
        reference="F. Freudenstein, Approximate synthesis of four-bar linkages, "
        "Transactions of the ASME 77 (1955) 853–861",
    )


def body_power(result: Result, name: str) -> np.ndarray:
    """Rate of the kinetic and potential energy of a body [W], from its velocity and acceleration."""
    info = next(body for body in result.bodies if body.name == name)
    series = result[name]
    moved = info.mass * (series.vx * series.ax + series.vy * (series.ay + GRAVITY))
    return np.asarray(moved + info.inertia * series.omega * series.alpha)
