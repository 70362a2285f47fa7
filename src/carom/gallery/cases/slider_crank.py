"""Slider-crank."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.errors import choice, number
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Driver, Prismatic, Revolute
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result

GRAVITY = 9.81
CRANK, ROD = 0.153, 0.306
CRANK_MASS, CRANK_INERTIA = 0.038, 7.4e-5
ROD_MASS = 0.076
SLIDER_MASS, SLIDER_INERTIA = 0.038, 1.8e-6


@bounded
def slider_crank(crank: str = "free", speed: float = 150.0, rod_inertia: float = 5.9e-5) -> Case:
    """Slider-crank with a free or a driven crank.

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

    def inertia(angle: Any) -> Any:
        return felt_inertia(angle, rod_inertia)

    energy = 0.5 * inertia(0.0) * speed**2 + potential(0.0)

    def findings(result: Result) -> list[Finding]:
        angle, omega = result[arm].angle, result[arm].omega
        x, tilt = pose(angle)
        x_rate, tilt_rate = slopes(angle)
        size = 1.0 + float(np.max(np.abs(omega)))
        found = [
            drift(result, 1e-9),
            farthest("slider position [m] in closed form", result[slider].x, x, 1e-9),
            farthest("slider velocity [m/s] in closed form", result[slider].vx, x_rate * omega, 1e-9 * size),
            farthest("rod angle [rad] in closed form", result[rod].angle, tilt, 1e-9),
            farthest("rod speed [rad/s] in closed form", result[rod].omega, tilt_rate * omega, 1e-9 * size),
        ]
        if crank == "driven":
            torque = 0.5 * derivative(inertia, angle) * speed**2 + derivative(potential, angle)
            found += [
                farthest("driven angle [rad]", angle, speed * result.t, 1e-9),
                farthest("motor torque [N m] from the energy", result["motor"].effort, torque, 1e-8 * np.ptp(torque)),
            ]
        else:
            books = 0.5 * inertia(angle) * omega**2 + potential(angle)
            found.append(farthest("energy [J] in the one coordinate", books, energy, 1e-9 * result.energy.scale))
            if len(times):
                clock, bound = passing(squared_speed, angle), 1e-9 * result.t[-1]
                found.append(farthest("times [s] of the crank angles by quadrature", result.t, clock, bound))
        return found

    def squared_speed(angle: Any) -> Any:
        """ω² of the crank where it passes ``angle``."""
        return 2.0 * (energy - potential(angle)) / inertia(angle) if crank == "free" else speed**2 + 0.0 * angle

    eighths = np.linspace(0.0, 2.0 * np.pi, 9) * np.sign(speed)
    times = passing(squared_speed, eighths)[1:] if np.min(squared_speed(np.linspace(0.0, 2 * np.pi, 500))) > 0.0 else []
    return Case(
        slider_crank,
        system=system,
        options={"t_end": 0.08},
        findings=findings,
        look=Look(
            panels=("slider.x", "slider.vx"),
            motion=("crank.omega", ("bearing.force", "crank pin.force", "wrist pin.force", "guide.force"))
            + (("motor.effort",) if crank == "driven" else ()),
            pose=float(times[0]) if len(times) else 0.0,
            ghosts=tuple(float(times[k]) for k in (1, 2, 4, 5, 6)) if len(times) else (),
            trace=(rod,),
        ),
        reference="M. Machado, P. Moreira, P. Flores, H. M. Lankarani, Compliant contact force models in multibody "
        "dynamics: Evolution of the Hertz contact theory, Mechanism and Machine Theory 53 (2012) 99–121, Table 1",
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


def felt_inertia(angle: Any, rod_inertia: float) -> Any:
    """What the crank feels of all three bodies [kg m²]."""
    x_rate, tilt_rate = slopes(angle)
    # Centre of the rod: halfway between the pins, (r cos θ + x)/2 and r sin θ / 2.
    rod_x, rod_y = (x_rate - CRANK * np.sin(angle)) / 2, CRANK * np.cos(angle) / 2
    return (
        CRANK_INERTIA + CRANK_MASS * CRANK**2 / 4
        + ROD_MASS * (rod_x * rod_x + rod_y * rod_y) + rod_inertia * tilt_rate * tilt_rate
        + SLIDER_MASS * x_rate * x_rate
    )  # fmt: skip


def potential(angle: Any) -> Any:
    """Of gravity on crank and rod, both with their centre at half the height of the crank pin [J]."""
    return (CRANK_MASS + ROD_MASS) * GRAVITY * CRANK * np.sin(angle) / 2


def passing(squared_speed: Any, angles: Any) -> Any:
    """Times [s] at which the crank passes ``angles``, from the first on: ∫ dθ/ω between them, by Gauss's rule."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    half = np.diff(angles)[:, None] / 2.0
    inside = angles[:-1, None] + half * (1.0 + nodes)
    steps = np.abs(half) * weights / np.sqrt(squared_speed(inside))
    return np.concatenate([[0.0], np.cumsum(steps.sum(axis=1))])


def derivative(function: Any, angle: Any) -> Any:
    """By a complex step, exact to rounding."""
    return function(angle + 1e-30j).imag / 1e-30
