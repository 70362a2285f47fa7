"""Slider-crank."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.errors import choice, number
from carom.gallery.case import Case, Finding, Look, drift, farthest
from carom.joints.motion import ConstantSpeed
from carom.joints.registry import Driver, Prismatic, Revolute
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result

GRAVITY = 9.81
CRANK, ROD = 0.153, 0.306
CRANK_MASS, CRANK_INERTIA = 0.038, 7.4e-5
ROD_MASS = 0.076
SLIDER_MASS, SLIDER_INERTIA = 0.038, 1.8e-6


def slider_crank(crank: str = "free", speed: float = 150.0, rod_inertia: float = 5.9e-5) -> Case:
    """Slider-crank, its crank free or driven.

    Crank of 0.153 m, rod of 0.306 m and a slider along x, from the outstretched position with the crank at ``speed``
    [rad/s]; then ``crank`` is "free", or "driven" at that speed. The pose is known in closed form from the crank's
    angle; so is the inertia that the crank feels, which gives the speed of the free crank from its energy and the
    torque of the driven one.
    """
    choice("slider_crank", "crank", crank, ("free", "driven"))
    speed = number("slider_crank", "speed", speed)
    system = System(gravity=(0.0, -GRAVITY), name=f"slider-crank, {crank} crank")
    ground = system.ground
    arm = system.add(
        Body("crank", mass=CRANK_MASS, inertia=CRANK_INERTIA, position=(CRANK / 2, 0.0), angular_velocity=speed)
    )
    rod = system.add(Body("rod", mass=ROD_MASS, inertia=rod_inertia, position=(CRANK + ROD / 2, 0.0)))
    slider = system.add(Body("slider", mass=SLIDER_MASS, inertia=SLIDER_INERTIA, position=(CRANK + ROD, 0.0)))
    bearing = system.add(Revolute(ground, arm, at=(0.0, 0.0), name="bearing"))
    system.add(Revolute(arm, rod, at=(CRANK, 0.0), name="crank pin"))
    system.add(Revolute(rod, slider, at=(CRANK + ROD, 0.0), name="wrist pin"))
    system.add(Prismatic(ground, slider, axis=(1.0, 0.0), name="guide"))
    if crank == "driven":
        system.add(Driver(bearing, ConstantSpeed(speed), name="motor"))
    system.assemble(keep=[(arm, "angular_velocity")])

    def findings(result: Result) -> list[Finding]:
        angle, omega = result[arm].angle, result[arm].omega
        x, tilt = pose(angle)
        x_rate, tilt_rate = slopes(angle)
        found = [
            drift(result, 1e-9),
            farthest("slider position [m] in closed form", result[slider].x, x, 1e-9),
            farthest("slider velocity [m/s] in closed form", result[slider].vx, x_rate * omega, 1e-9 * (1 + abs(speed))),
            farthest("rod angle [rad] in closed form", result[rod].angle, tilt, 1e-9),
            farthest("rod speed [rad/s] in closed form", result[rod].omega, tilt_rate * omega, 1e-8 * (1 + abs(speed))),
        ]
        if crank == "driven":
            torque = 0.5 * derivative(inertia, angle) * speed**2 + derivative(potential, angle)
            found += [
                farthest("driven angle [rad]", angle, speed * result.t, 1e-9),
                farthest("motor torque [N m] from the energy", result["motor"].effort, torque, 1e-8 * (1 + speed**2)),
            ]
        else:
            energy = 0.5 * inertia(0.0) * speed**2 + potential(0.0)
            expected = np.sqrt(2.0 * np.maximum(energy - potential(angle), 0.0) / inertia(angle))
            found.append(farthest("crank speed [rad/s] from the energy", np.abs(omega), expected, 1e-8 * (1 + abs(speed))))
        return found

    def inertia(angle: Any) -> Any:
        """What the crank feels of all three bodies [kg m²]."""
        x_rate, tilt_rate = slopes(angle)
        # Centre of the rod: halfway between the pins, (r cos θ + x)/2 and r sin θ / 2.
        rod_x, rod_y = (x_rate - CRANK * np.sin(angle)) / 2, CRANK * np.cos(angle) / 2
        return (
            CRANK_INERTIA + CRANK_MASS * CRANK**2 / 4
            + ROD_MASS * (rod_x * rod_x + rod_y * rod_y) + rod_inertia * tilt_rate * tilt_rate
            + SLIDER_MASS * x_rate * x_rate
        )  # fmt: skip

    turn = 2 * np.pi / max(abs(speed), 1e-9)
    return Case(
        slider_crank,
        system=system,
        options={"t_end": 0.08},
        findings=findings,
        look=Look(
            panels=("slider.x", "slider.vx"),
            motion=("crank.omega", ("bearing.force", "crank pin.force", "wrist pin.force", "guide.force"))
            + (("motor.effort",) if crank == "driven" else ()),
            ghosts=tuple(float(turn * k / 12) for k in range(2, 12, 2)),
            trace=(rod, rod.point(-ROD / 2, 0.0)),
        ),
        reference="M. Machado, P. Moreira, P. Flores, H. M. Lankarani, Compliant contact force models in multibody dynamics: "
        "Evolution of the Hertz contact theory, Mechanism and Machine Theory 53 (2012) 99–121, Table 1",
    )


def pose(angle: Any) -> tuple[Any, Any]:
    """Slider position [m] and rod angle [rad] of a crank angle: x = r cos θ + √(l² − r² sin² θ)."""
    across = CRANK * np.sin(angle)
    return CRANK * np.cos(angle) + np.sqrt(ROD**2 - across * across), -np.arcsin(across / ROD)


def slopes(angle: Any) -> tuple[Any, Any]:
    """Their derivatives with respect to the crank angle."""
    across, along = CRANK * np.sin(angle), CRANK * np.cos(angle)
    run = np.sqrt(ROD**2 - across * across)
    return -across - across * along / run, -along / run


def potential(angle: Any) -> Any:
    """Of gravity on crank and rod, both with their centre at half the height of the crank pin [J]."""
    return (CRANK_MASS + ROD_MASS) * GRAVITY * CRANK * np.sin(angle) / 2


def derivative(function: Any, angle: Any) -> Any:
    """By a complex step, exact to rounding."""
    return function(angle + 1e-30j).imag / 1e-30
