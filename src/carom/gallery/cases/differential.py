"""A differential gear whose teeth are rods."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.forces.registry import Torque
from carom.gallery.case import Case, Finding, Look, bounded, drift, farthest
from carom.gallery.figures.scenes import frames
from carom.geometry.shapes import Segment
from carom.joints.prescribed_motion import Function
from carom.joints.registry import Driver, Revolute
from carom.kernels.expression import expression
from carom.laws.normal.penalty_step import PenaltyStep
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

SPEED, RAMP = 3.0, 0.5
"""Speed of the carrier [rad/s], and the time in which it gets there [s]."""
CENTRE, SPOKE, SPOKES = 0.075, 0.036, 8
WHEEL, INNER, OUTER, RODS = 0.03, 0.063, 0.087, 20
THICKNESS = 0.005
"""Distance of the planet from the axis, length and number of its spokes; distance of the wheels from the middle, where
their rods begin and end, and how many they are; radius of all of them [m]."""
WHEEL_INERTIA, PLANET_INERTIA = 0.01, 1e-4
START = math.radians(9.0)
STIFFNESS, EXPONENT, DAMPING, DEPTH = 1e7, 1.5, 200.0, 1e-4
RESISTANCE, BRAKE, BRAKED, LOCKED = 0.5, 20.0, 2.0, 2.2
"""Of the wheels [N m s/rad]; torque of the right brake [N m], which comes on from BRAKED to LOCKED [s]."""

TIMES = (0.0, 0.5, 1.0, 2.5, 3.5, 5.0)
"""Of the frames of the animation [s]."""


def cubic(x: float) -> float:
    """Step(x, 0, 0, 1, 1)."""
    s = min(max(x, 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


carrier_angle = expression("s = min(t/0.5, 1); 3*(0.5*(s*s*s - 0.5*s*s*s*s) + max(t - 0.5, 0))")
"""The integral of 3 Step(t, 0, 0, 0.5, 1) [rad]."""
carrier_speed = expression("s = min(t/0.5, 1); 3*s*s*(3 - 2*s)")
"""3 Step(t, 0, 0, 0.5, 1) [rad/s]."""
carrier_acceleration = expression("s = min(t/0.5, 1); 36*s*(1 - s)")
"""Its rate [rad/s²]."""

braking = expression(
    "x = min(max((right.wx + 0.05)/0.1, 0), 1); u = min(max((t - 2)/0.2, 0), 1); "
    "-0.5*right.wx - 20*(2*x*x*(3 - 2*x) - 1)*u*u*(3 - 2*u)"
)
"""The torque of the right brake and of the resistance [N m]."""
resisting = expression("-0.5*left.wx")
"""The torque of the resistance of the left wheel [N m]."""


@bounded
def differential() -> Case:
    """A planet turns two wheels, then the right one is braked.

    A differential gear: planet and wheels have rods for teeth, 320 pairs that may touch. With equal loads both wheels
    turn with the carrier; with the right one held, the left one turns twice as fast.
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
    system.add(Driver(shaft, Function(carrier_angle, carrier_speed, carrier_acceleration), name="motor"))
    system.add(Torque(left, resisting, axis=along, name="left load"))
    system.add(Torque(right, braking, axis=along, name="right load"))
    # e_r = y and e_t = x × e_r = z at the start.
    spokes = [
        Segment(planet, (0.0, 0.0, 0.0), (SPOKE * math.cos(angle), 0.0, SPOKE * math.sin(angle)), THICKNESS)
        for angle in (k * math.pi / 4.0 for k in range(SPOKES))
    ]
    for body in (left, right):
        for j in range(RODS):
            angle = START + j * 2.0 * math.pi / RODS
            way = np.array([0.0, math.cos(angle), math.sin(angle)])
            rod = Segment(body, tuple(INNER * way), tuple(OUTER * way), THICKNESS)
            for k, spoke in enumerate(spokes):
                system.add(Contact(spoke, rod, law, name=f"{body.name} {j} {k}"))

    def findings(result: Result) -> list[Finding]:
        driven, angle = result["carrier"], np.array([carrier_angle(t) for t in result.t])
        axis = np.column_stack([np.cos(angle), np.sin(angle)])
        found = [
            drift(result, 1e-5),
            farthest("axis of the carrier", driven.rotation[:, 1:, 1], axis, 1e-9),
            farthest("speed of the carrier [rad/s]", driven.wx, [SPEED * cubic(t / RAMP) for t in result.t], 1e-9),
        ]
        for low, high, speeds, what in (
            (1.0, 1.95, (1.0, 1.0), "equal loads"),
            (3.0, 5.0, (2.0, 0.0), "right wheel held"),
        ):
            if result.t[-1] >= high:
                angles = result.sample([low, high])
                for body, share in zip(("left", "right"), speeds, strict=True):
                    mean = turned(angles[body]) / (high - low)
                    error = abs(mean - share * SPEED)
                    found.append(Finding(f"mean speed of the {body} wheel, {what} [rad/s]", error, 0.1))
        return found

    return Case(
        differential,
        system=system,
        options={"t_end": 5.0, "rtol": 1e-6, "atol": 1e-8},
        findings=findings,
        look=Look(
            panels=(["left.wx", "right.wx", "carrier.wx"],), motion=(["left.wx", "right.wx", "carrier.wx"],), pose=0.3
        ),
        reference="Z. Zhu et al., A penalty function-based Modelica library for multi-body contact collision, Ex. 2, "
        "Figs 19 to 21",
        drawings={
            "M20": lambda result: frames(system, result, TIMES, "Differential"),
            "M21": wheel_speeds,
        },
    )


def turned(series: Any) -> float:
    """Angle [rad] between the first and the last node about x; the speeds there say how many turns it had."""
    angle = np.arctan2(series.rotation[:, 2, 1], series.rotation[:, 1, 1])
    span = float(series.t[-1] - series.t[0])
    guess = 0.5 * float(series.wx[0] + series.wx[-1]) * span
    change = float(angle[-1] - angle[0])
    return change + 2.0 * math.pi * round((guess - change) / (2.0 * math.pi))


def wheel_speeds(result: Result) -> Any:
    """Speeds of the two wheels."""
    from carom.plot import plot_result

    return plot_result(result, ["left.wx", "right.wx", "carrier.wx"], title="Differential: speeds of the wheels")
