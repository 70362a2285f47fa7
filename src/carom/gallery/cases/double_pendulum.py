"""Double pendulum."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from carom.argument_checks import positive, vector
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.reference_solutions import hanging_rods, integrate
from carom.gallery.rods import hang_rods
from carom.model.system import System
from carom.result.result import Result

GRAVITY = 9.81
"""Gravity [m/s²]."""


@check_parameters
def double_pendulum(
    lengths: Sequence[float] = (1.0, 0.8),
    masses: Sequence[float] = (1.0, 0.6),
    angles: Sequence[float] = (0.0, -math.pi / 3),
) -> Case:
    """Double pendulum of two uniform rods.

    Rods of ``lengths`` [m] and ``masses`` [kg], released from rest at ``angles`` [rad] from the x-axis. The motion is
    compared with Lagrange's equations in the two angles, integrated by SciPy with its tightest tolerance. It is
    chaotic, so that small errors grow and the comparison is strict.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.double_pendulum().system
    <System 'double pendulum': 2 bodies, 2 joints>
    """
    case_name = "double_pendulum"
    lengths = [positive(case_name, "length", length) for length in vector(case_name, "lengths", lengths, 2)]
    masses = [positive(case_name, "mass", mass) for mass in vector(case_name, "masses", masses, 2)]
    angles = vector(case_name, "angles", angles, 2)

    system = System(gravity=(0.0, -GRAVITY), name="double pendulum")
    upper, lower = hang_rods(system, ("upper rod", "lower rod"), lengths, masses, angles)

    def check_results(result: Result) -> list[CheckResult]:
        expected = integrate(hanging_rods(lengths, masses, GRAVITY), [*angles, 0.0, 0.0], result.t)
        result_angles = np.column_stack([result[rod].angle for rod in (upper, lower)])
        speeds = np.column_stack([result[rod].omega for rod in (upper, lower)])
        return [
            energy_drift(result, 1e-9),
            max_abs_error("angles [rad] against minimal coordinates", result_angles, expected[:, :2], 1e-6),
            max_abs_error("angular velocities [rad/s] against minimal coordinates", speeds, expected[:, 2:], 1e-5),
        ]

    return Case(
        double_pendulum,
        system=system,
        options={"t_end": 5.0},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=(("upper rod.angle", "lower rod.angle"), ("upper rod.omega", "lower rod.omega")),
            motion=(
                ("upper rod.x", "upper rod.y", "lower rod.x", "lower rod.y"),
                ("pin of upper rod.force", "pin of lower rod.force"),
            ),
            ghosts=tuple(0.1 * k for k in range(1, 9)),
            trace=(lower.point(lengths[1] / 2, 0.0),),
        ),
        reference="L. Meirovitch, Methods of Analytical Dynamics, McGraw-Hill 1970 (Lagrange's equations)",
    )
