"""Differential gear whose teeth are rods."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.forces.registry import Torque
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.figures.frame_strip import frame_strip
from carom.geometry.shapes import Segment
from carom.joints.function_motion import FunctionMotion
from carom.joints.registry import Driver, Revolute
from carom.kernels.expression import expression
from carom.laws.normal.penalty_step import PenaltyStep
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

SPEED, RAMP = 3.0, 0.5
"""Speed of the carrier [rad/s] and the duration of its start [s]."""
CENTRE, SPOKE, SPOKES = 0.075, 0.036, 8
WHEEL, INNER, OUTER, RODS = 0.03, 0.063, 0.087, 20
THICKNESS = 0.005
"""Distance of the planet from the axis [m], length [m] and number of its spokes; distance of the wheels from the
middle, inner and outer radius [m] and number of their rods; radius of spokes and rods [m]."""
WHEEL_INERTIA, PLANET_INERTIA = 0.01, 1e-4
"""Moments of inertia of a wheel and of the planet [kg m²]."""
START_ANGLE = math.radians(9.0)
"""Angle of the first rod of a wheel at the start [rad]."""
STIFFNESS, EXPONENT, DAMPING, DEPTH = 1e7, 1.5, 200.0, 1e-4
"""Stiffness [N/m^1.5], exponent [-], largest damping [N s/m] and indentation of full damping [m] of the contacts."""
RESISTANCE, BRAKE, BRAKE_START, BRAKE_FULL = 0.5, 20.0, 2.0, 2.2
"""Resistance of the wheels [N m s/rad]; torque of the right brake [N m]; start and end of its application [s]."""

FRAME_TIMES = (0.0, 0.5, 1.0, 2.5, 3.5, 5.0)
"""Times of the frames in the animation strip [s]."""


def cubic_step(x: float) -> float:
    """Return the cubic step from (0, 0) to (1, 1)."""
    s = min(max(x, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


carrier_angle = expression("s = min(t/0.5, 1); 3*(0.5*(s*s*s - 0.5*s*s*s*s) + max(t - 0.5, 0))")
"""Angle of the carrier, the integral of 3 Step(t, 0, 0, 0.5, 1) [rad]."""
carrier_speed = expression("s = min(t/0.5, 1); 3*s*s*(3 - 2*s)")
"""Speed of the carrier, 3 Step(t, 0, 0, 0.5, 1) [rad/s]."""
carrier_acceleration = expression("s = min(t/0.5, 1); 36*s*(1 - s)")
"""Time derivative of the carrier speed [rad/s²]."""

braking = expression(
    "x = min(max((right.wx + 0.05)/0.1, 0), 1); u = min(max((t - 2)/0.2, 0), 1); "
    "-0.5*right.wx - 20*(2*x*x*(3 - 2*x) - 1)*u*u*(3 - 2*u)"
)
"""Torque of brake and resistance on the right wheel [N m]."""
resisting = expression("-0.5*left.wx")
"""Torque of the resistance on the left wheel [N m]."""


@check_parameters
def differential() -> Case:
    """A planet drives two wheels, then the right one is braked.

    The teeth of planet and wheels are rods, with 320 possible contact pairs. With equal loads both wheels rotate with
    the carrier; with the right wheel locked, the left one rotates twice as fast.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.differential().system
    <System 'differential': 4 bodies, 5 joints, 2 forces, 320 contacts>
    """
    law = PenaltyStep(stiffness=STIFFNESS, exponent=EXPONENT, damping=DAMPING, depth=DEPTH)
    system = System(dim=3, name="differential")
    along = (1.0, 0.0, 0.0)
    carrier = system.add(Body("carrier", 1.0, 1e-3, position=(0.0, 0.0, 0.0)))
    planet = system.add(Body("planet", 0.1, PLANET_INERTIA, position=(0.0, CENTRE, 0.0)))
    left = system.add(Body("left", 1.0, WHEEL_INERTIA, position=(-WHEEL, 0.0, 0.0)))
    right = system.add(Body("right", 1.0, WHEEL_INERTIA, position=(WHEEL, 0.0, 0.0)))
    shaft = system.add(Revolute(system.ground, carrier, at=(0.0, 0.0, 0.0), axis=along, name="shaft"))
    system.add(Revolute(carrier, planet, at=(0.0, CENTRE, 0.0), axis=(0.0, -1.0, 0.0), name="planet pin"))
    for body in (left, right):
        system.add(Revolute(system.ground, body, at=body.position, axis=along, name=f"{body.name} bearing"))
    system.add(Driver(shaft, FunctionMotion(carrier_angle, carrier_speed, carrier_acceleration), name="motor"))
    system.add(Torque(left, resisting, axis=along, name="left load"))
    system.add(Torque(right, braking, axis=along, name="right load"))
    # At the start e_r = y and e_t = x × e_r = z.
    spokes = [
        Segment(planet, (0.0, 0.0, 0.0), (SPOKE * math.cos(angle), 0.0, SPOKE * math.sin(angle)), THICKNESS)
        for angle in (k * math.pi / 4.0 for k in range(SPOKES))
    ]
    for body in (left, right):
        for j in range(RODS):
            angle = START_ANGLE + j * 2.0 * math.pi / RODS
            direction = np.array([0.0, math.cos(angle), math.sin(angle)])
            rod = Segment(body, tuple(INNER * direction), tuple(OUTER * direction), THICKNESS)
            for k, spoke in enumerate(spokes):
                system.add(Contact(spoke, rod, law, name=f"{body.name} {j} {k}"))

    def check_results(result: Result) -> list[CheckResult]:
        driven, angle = result["carrier"], np.array([carrier_angle(t) for t in result.t])
        axis = np.column_stack([np.cos(angle), np.sin(angle)])
        checks = [
            energy_drift(result, 1e-5),
            max_abs_error("axis of the carrier", driven.rotation[:, 1:, 1], axis, 1e-9),
            max_abs_error(
                "speed of the carrier [rad/s]", driven.wx, [SPEED * cubic_step(t / RAMP) for t in result.t], 1e-9
            ),
        ]
        for low, high, speeds, condition in (
            (1.0, 1.95, (1.0, 1.0), "equal loads"),
            (3.0, 5.0, (2.0, 0.0), "right wheel held"),
        ):
            if result.t[-1] >= high:
                angles = result.sample([low, high])
                for body, ratio in zip(("left", "right"), speeds, strict=True):
                    mean = rotation_angle(angles[body]) / (high - low)
                    error = abs(mean - ratio * SPEED)
                    checks.append(CheckResult(f"mean speed of the {body} wheel, {condition} [rad/s]", error, 0.1))
        return checks

    return Case(
        differential,
        system=system,
        options={"t_end": 5.0, "rtol": 1e-6, "atol": 1e-8},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=(["left.wx", "right.wx", "carrier.wx"],), motion=(["left.wx", "right.wx", "carrier.wx"],), pose=0.3
        ),
        reference="Z. Zhu et al., A penalty function-based Modelica library for multi-body contact collision, Ex. 2, "
        "Figs 19 to 21",
        extra_figures={
            "M20": lambda result: frame_strip(system, result, FRAME_TIMES, "Differential"),
            "M21": wheel_speeds,
        },
    )


def rotation_angle(series: Any) -> float:
    """Return the rotation about x between first and last node [rad]; the speeds determine the number of revolutions."""
    angle = np.arctan2(series.rotation[:, 2, 1], series.rotation[:, 1, 1])
    span = float(series.t[-1] - series.t[0])
    guess = 0.5 * float(series.wx[0] + series.wx[-1]) * span
    change = float(angle[-1] - angle[0])
    return change + 2.0 * math.pi * round((guess - change) / (2.0 * math.pi))


def wheel_speeds(result: Result) -> Any:
    """Plot the speeds of the two wheels."""
    from carom.plot import plot_result

    return plot_result(result, ["left.wx", "right.wx", "carrier.wx"], title="Differential: speeds of the wheels")
