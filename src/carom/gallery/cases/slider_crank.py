"""Slider-crank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, one_of
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Driver, Prismatic, Revolute
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result

GRAVITY = 9.81
"""Gravity [m/s²]."""
CRANK, ROD = 0.153, 0.306
"""Lengths of crank and rod [m]."""
CRANK_MASS, CRANK_INERTIA = 0.038, 7.4e-5
"""Mass [kg] and inertia [kg m²] of the crank."""
ROD_MASS = 0.076
"""Mass of the rod [kg]."""
SLIDER_MASS, SLIDER_INERTIA = 0.038, 1.8e-6
"""Mass [kg] and inertia [kg m²] of the slider."""


@check_parameters
def slider_crank(crank: str = "free", speed: float = 150.0, rod_inertia: float = 5.9e-5) -> Case:
    """Slider-crank with a free or a driven crank.

    A crank of 0.153 m, a rod of 0.306 m and a slider along x start in the extended position with the crank at ``speed``
    [rad/s]; then the ``crank`` is "free", or "driven" at that speed. The pose and the effective inertia of the crank
    have a closed form; they give the speed of the free crank from its energy and the torque of the driven one.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.slider_crank().system
    <System 'slider-crank, free crank': 3 bodies, 4 joints>
    """
    one_of("slider_crank", "crank", crank, ("free", "driven"))
    speed = finite_float("slider_crank", "speed", speed)
    system = mechanism(crank, speed, rod_inertia)

    def inertia(angle: Any) -> Any:
        return effective_inertia(angle, rod_inertia)

    energy = 0.5 * inertia(0.0) * speed**2 + potential(0.0)

    def check_results(result: Result) -> list[CheckResult]:
        angle, omega = result["crank"].angle, result["crank"].omega
        x, tilt = pose(angle)
        x_rate, tilt_rate = pose_derivatives(angle)
        scale = 1.0 + float(np.max(np.abs(omega)))
        checks = [
            energy_drift(result, 1e-9),
            max_abs_error("slider position [m] in closed form", result["slider"].x, x, 1e-9),
            max_abs_error("slider velocity [m/s] in closed form", result["slider"].vx, x_rate * omega, 1e-9 * scale),
            max_abs_error("rod angle [rad] in closed form", result["rod"].angle, tilt, 1e-9),
            max_abs_error("rod speed [rad/s] in closed form", result["rod"].omega, tilt_rate * omega, 1e-9 * scale),
        ]
        if crank == "driven":
            torque = 0.5 * derivative(inertia, angle) * speed**2 + derivative(potential, angle)
            checks += [
                max_abs_error("driven angle [rad]", angle, speed * result.t, 1e-9),
                max_abs_error(
                    "motor torque [N m] from the energy", result["motor"].effort, torque, 1e-8 * np.ptp(torque)
                ),
            ]
        else:
            crank_energy = 0.5 * inertia(angle) * omega**2 + potential(angle)
            checks.append(
                max_abs_error(
                    "energy [J] as a function of the crank angle", crank_energy, energy, 1e-9 * result.energy.scale
                )
            )
            if len(times):
                expected_times, bound = passage_times(squared_speed, angle), 1e-9 * result.t[-1]
                checks.append(
                    max_abs_error("times [s] of the crank angles by quadrature", result.t, expected_times, bound)
                )
        return checks

    def squared_speed(angle: Any) -> Any:
        """Return ω² of the crank at ``angle`` [rad²/s²]."""
        return 2.0 * (energy - potential(angle)) / inertia(angle) if crank == "free" else speed**2 + 0.0 * angle

    eighth_turns = np.linspace(0.0, 2.0 * np.pi, 9) * np.sign(speed)
    times = (
        passage_times(squared_speed, eighth_turns)[1:]
        if np.min(squared_speed(np.linspace(0.0, 2 * np.pi, 500))) > 0.0
        else []
    )
    return Case(
        slider_crank,
        system=system,
        options={"t_end": 0.08},
        check_results=check_results,
        figure_settings=figure_settings(system, crank == "driven", times),
        reference="M. Machado, P. Moreira, P. Flores, H. M. Lankarani, Compliant contact force models in multibody "
        "dynamics: Evolution of the Hertz contact theory, Mechanism and Machine Theory 53 (2012) 99–121, Table 1",
    )


def figure_settings(system: System, driven: bool, times: Sequence[float] | np.ndarray) -> CaseFigures:
    """Return the contents of the figures; ``times`` are those of eighth turns of the crank [s], if it rotates."""
    return CaseFigures(
        panels=("slider.x", "slider.vx"),
        motion=("crank.omega", ("bearing.force", "crank pin.force", "wrist pin.force", "guide.force"))
        + (("motor.effort",) if driven else ()),
        pose=float(times[0]) if len(times) else 0.0,
        ghosts=tuple(float(times[k]) for k in (1, 2, 4, 5, 6)) if len(times) else (),
        trace=(system["rod"],),
    )


def mechanism(crank: str, speed: float, rod_inertia: float) -> System:
    """Return the mechanism in its extended position with the crank at ``speed`` [rad/s]."""
    system = System(gravity=(0.0, -GRAVITY), name=f"slider-crank, {crank} crank")
    ground = system.ground
    crank_body = system.add(
        Body("crank", mass=CRANK_MASS, inertia=CRANK_INERTIA, position=(CRANK / 2, 0.0), angular_velocity=speed)
    )
    rod = system.add(Body("rod", mass=ROD_MASS, inertia=rod_inertia, position=(CRANK + ROD / 2, 0.0)))
    slider = system.add(Body("slider", mass=SLIDER_MASS, inertia=SLIDER_INERTIA, position=(CRANK + ROD, 0.0)))
    bearing = system.add(Revolute(ground, crank_body, at=(0.0, 0.0), name="bearing"))
    system.add(Revolute(crank_body, rod, at=(CRANK, 0.0), name="crank pin"))
    system.add(Revolute(rod, slider, at=(CRANK + ROD, 0.0), name="wrist pin"))
    system.add(Prismatic(ground, slider, axis=(1.0, 0.0), name="guide"))
    if crank == "driven":
        system.add(Driver(bearing, ConstantSpeed(speed), name="motor"))
    system.assemble(keep=[(crank_body, "angular_velocity")])
    return system


def pose(angle: Any) -> tuple[Any, Any]:
    """Return slider position [m] and rod angle [rad] at a crank angle: x = r cos θ + √(l² − r² sin² θ)."""
    pin_y = CRANK * np.sin(angle)
    return CRANK * np.cos(angle) + np.sqrt(ROD**2 - pin_y * pin_y), -np.arcsin(pin_y / ROD)


def pose_derivatives(angle: Any) -> tuple[Any, Any]:
    """Return the derivatives of slider position and rod angle with respect to the crank angle."""
    pin_y, pin_x = CRANK * np.sin(angle), CRANK * np.cos(angle)
    root = np.sqrt(ROD**2 - pin_y * pin_y)
    return -pin_y - pin_y * pin_x / root, -pin_x / root


def effective_inertia(angle: Any, rod_inertia: float) -> Any:
    """Return the inertia of all three bodies reduced to the crank [kg m²]."""
    x_rate, tilt_rate = pose_derivatives(angle)
    # The centre of the rod is halfway between its pins, (r cos θ + x)/2 and r sin θ / 2.
    rod_x, rod_y = (x_rate - CRANK * np.sin(angle)) / 2, CRANK * np.cos(angle) / 2
    return (
        CRANK_INERTIA + CRANK_MASS * CRANK**2 / 4
        + ROD_MASS * (rod_x * rod_x + rod_y * rod_y) + rod_inertia * tilt_rate * tilt_rate
        + SLIDER_MASS * x_rate * x_rate
    )  # fmt: skip


def potential(angle: Any) -> Any:
    """Return the potential energy of crank and rod, whose centres are at half the height of the crank pin [J]."""
    return (CRANK_MASS + ROD_MASS) * GRAVITY * CRANK * np.sin(angle) / 2


def passage_times(squared_speed: Any, angles: Any) -> Any:
    """Return the times at which the crank passes ``angles``, from the first one [s]: ∫ dθ/ω by Gauss's rule."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    half_width = np.diff(angles)[:, None] / 2.0
    points = angles[:-1, None] + half_width * (1.0 + nodes)
    durations = np.abs(half_width) * weights / np.sqrt(squared_speed(points))
    return np.concatenate([[0.0], np.cumsum(durations.sum(axis=1))])


def derivative(function: Any, angle: Any) -> Any:
    """Return the derivative by a complex step, exact to rounding."""
    return function(angle + 1e-30j).imag / 1e-30
