"""Parallelogram with a redundant bar."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import finite_float, positive
from carom.errors import ModelError
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.reference_solutions import swing
from carom.gallery.rods import uniform_rod
from carom.joints.registry import Revolute
from carom.model.system import System
from carom.result.result import Result

GRAVITY = 9.81
"""Gravity [m/s²]."""
BARS = 3
"""Number of parallel bars; the third is redundant."""


@check_parameters
def parallelogram(length: float = 0.5, mass: float = 1.0, beam_mass: float = 2.0, angle: float = -math.pi / 6) -> Case:
    """Parallelogram with a redundant third bar.

    A beam of 1 m and ``beam_mass`` [kg] hangs on three parallel bars of ``length`` [m] and ``mass`` [kg], released at
    ``angle`` [rad] from the x-axis. Two bars are sufficient; the third adds a redundant constraint, which carom
    reports in a warning. Bars and beam move as one pendulum, (3 m/3 + M) l θ'' = −(3 m/2 + M) g cos θ, with a solution
    in elliptic functions.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.parallelogram().system
    <System 'parallelogram with a third bar': 4 bodies, 6 joints>
    """
    length, mass, beam_mass = (
        positive("parallelogram", name, value)
        for name, value in (("length", length), ("mass", mass), ("beam_mass", beam_mass))
    )
    angle = finite_float("parallelogram", "angle", angle)
    amplitude = angle + math.pi / 2
    if not 0.0 < abs(amplitude) < math.pi / 2:
        raise ModelError(
            "parallelogram: angle must lie between −π and 0, where bars and beam are not collinear, and must not be "
            f"−π/2, the equilibrium, got {angle:g}"
        )
    system = System(gravity=(0.0, -GRAVITY), name="parallelogram with a third bar")
    bearings = [0.5 * k for k in range(BARS)]
    bars = [
        system.add(uniform_rod(f"bar {k + 1}", mass, (bearing_x, 0.0), length, angle))
        for k, bearing_x in enumerate(bearings)
    ]
    lower_pin = bars[0].to_global((length / 2, 0.0))
    beam = system.add(uniform_rod("beam", beam_mass, lower_pin, bearings[-1], 0.0))
    for k, (bar, bearing_x) in enumerate(zip(bars, bearings, strict=True)):
        system.add(Revolute(system.ground, bar, at=(bearing_x, 0.0), name=f"bearing {k + 1}"))
        system.add(Revolute(bar, beam, at=(lower_pin[0] + bearing_x, lower_pin[1]), name=f"pin {k + 1}"))
    inertia, moment = (BARS * mass / 3 + beam_mass) * length, (BARS * mass / 2 + beam_mass) * GRAVITY
    frequency = math.sqrt(moment / inertia)

    def check_results(result: Result) -> list[CheckResult]:
        angles, rates = swing(result.t, frequency, amplitude)
        bar_angles = np.column_stack([result[bar].angle for bar in bars])
        speeds = np.column_stack([result[bar].omega for bar in bars])
        return [
            energy_drift(result, 1e-9),
            max_abs_error(
                "angle [rad] of every bar against elliptic functions", bar_angles.T, angles - math.pi / 2, 1e-8
            ),
            max_abs_error("speed [rad/s] of every bar against elliptic functions", speeds.T, rates, 1e-7),
            max_abs_error("angle [rad] of the beam against zero", result[beam].angle, 0.0, 1e-10),
        ]

    return Case(
        parallelogram,
        system=system,
        options={"t_end": 4.0},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("bar 1.angle", "bar 1.omega"),
            motion=(
                ("beam.x", "beam.y"),
                ("beam.vx", "beam.vy"),
                tuple(f"bearing {k + 1}.force" for k in range(BARS)),
            ),
            ghosts=tuple(2.0 * math.pi / frequency * k / 12 for k in range(1, 7)),
            trace=(beam,),
        ),
        reference="J. García de Jalón, E. Bayo, Kinematic and Dynamic Simulation of Multibody Systems, Springer 1994",
    )
