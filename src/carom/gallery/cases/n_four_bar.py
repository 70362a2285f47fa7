"""N-four-bar mechanism."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import integer
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.reference_solutions import integrate
from carom.gallery.rods import uniform_rod
from carom.joints.registry import Revolute
from carom.model.system import System
from carom.result.result import Result

GRAVITY = 9.81
"""Gravity [m/s²]."""
MAX_LOOPS = 1000
"""Largest number of four-bar loops."""
SPEED = 1.0
"""Initial speed of the upper ends [m/s]."""


@check_parameters
def n_four_bar(n: int = 2) -> Case:
    """N-four-bar mechanism, through its singular positions.

    ``n`` four-bar loops in a row: n + 1 upright rods on the ground and n couplers between their upper ends, all of 1 m
    and 1 kg, start upright with 1 m/s to the right at the top. Twice per revolution all bars are collinear: the
    constraints lose rank, the mechanism could change to other branches, and the coupler forces grow like 1/sin θ. The
    solution must pass these positions and remain a row of parallelograms, ((n+1)/3 + n) θ'' = −((n+1)/2 + n) g cos θ.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.n_four_bar().system
    <System '2-four-bar mechanism': 5 bodies, 7 joints>
    """
    n = integer("n_four_bar", "n", n, 1, MAX_LOOPS)
    system = System(gravity=(0.0, -GRAVITY), name=f"{n}-four-bar mechanism")
    upright = math.pi / 2
    rods = [system.add(uniform_rod(f"rod {k}", 1.0, (k, 0.0), 1.0, upright, -SPEED)) for k in range(n + 1)]
    couplers = [system.add(uniform_rod(f"coupler {k + 1}", 1.0, (k, 1.0), 1.0, 0.0)) for k in range(n)]
    for k, rod in enumerate(rods):
        system.add(Revolute(system.ground, rod, at=(k, 0.0), name=f"bearing {k}"))
    for k, coupler in enumerate(couplers):
        coupler.velocity = (SPEED, 0.0)
        system.add(Revolute(rods[k], coupler, at=(k, 1.0), name=f"left pin {k + 1}"))
        system.add(Revolute(coupler, rods[k + 1], at=(k + 1, 1.0), name=f"right pin {k + 1}"))
    inertia, moment = (n + 1) / 3 + n, ((n + 1) / 2 + n) * GRAVITY

    def check_results(result: Result) -> list[CheckResult]:
        def rhs(t: float, y: np.ndarray) -> list[float]:
            return [y[1], -moment / inertia * math.cos(y[0])]

        expected = integrate(rhs, [upright, -SPEED], result.t)
        angles = np.column_stack([result[rod].angle for rod in rods])
        speeds = np.column_stack([result[rod].omega for rod in rods])
        coupler_angles = np.column_stack([result[coupler].angle for coupler in couplers])
        return [
            energy_drift(result, 1e-7),
            max_abs_error("angle [rad] of every rod against one equation", angles, expected[:, :1], 1e-6),
            max_abs_error("speed [rad/s] of every rod against one equation", speeds, expected[:, 1:], 1e-5),
            max_abs_error("angle [rad] of the couplers against zero", coupler_angles, 0.0, 1e-7),
        ]

    return Case(
        n_four_bar,
        system=system,
        options={"t_end": 10.0},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("rod 0.angle", "rod 0.omega"),
            motion=(("coupler 1.x", "coupler 1.y"), ("coupler 1.vx", "coupler 1.vy")),
            ghosts=(0.45, 0.65, 0.8, 0.97),
            trace=(rods[0].point(0.5, 0.0), rods[-1].point(0.5, 0.0)),
        ),
        reference="IFToMM library of computational benchmark problems, problem A02; M. González, D. Dopico, U. Lugrís, "
        "J. Cuadrado, A benchmarking system for MBS simulation software, Multibody System Dynamics 16 (2006) 179–190",
    )
