"""Four-bar linkage with one, two or three loose joints."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from carom.argument_checks import integer, positive
from carom.gallery import clearance_checks as checks
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.case_law import case_law
from carom.gallery.cases.four_bar import DENSITY, GRAVITY, loop_angles
from carom.gallery.rods import uniform_rod
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Driver, Revolute
from carom.laws.normal.base import NormalLaw
from carom.model.system import System
from carom.result.result import Result

LENGTHS = (0.10, 0.26, 0.20, 0.28)
"""Lengths of crank, coupler, rocker and base [m], those of the case `four_bar`."""
JOINTS = ("rocker pin", "rocker bearing", "crank pin")
"""Joints in the order in which they have clearance."""
BEARING = 0.010
"""Radius of the bearings [m]."""


@check_parameters
def four_bar_clearance(
    joints: int = 1,
    speed: float = 20.0,
    clearance: float = 2e-4,
    law: str | NormalLaw = "lankarani_nikravesh",
    restitution: float = 0.9,
) -> Case:
    """Four-bar linkage with one, two or three loose joints.

    The crank is driven at constant speed. With ``joints`` = 1 the pin of coupler and rocker has clearance, with 2 also
    the bearing of the rocker, with 3 also the crank pin; 0 is the ideal linkage. Lengths and masses are those of the
    case `four_bar`, all other parameters are chosen as well. The run starts with centred journals and the velocities of
    the ideal linkage. Each loose joint adds two degrees of freedom, and its journal strikes where the reaction of the
    ideal joint reverses. The bars stay within the clearances of their ideal positions in closed form, and the momentum
    of the coupler follows from the forces of its joints.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.four_bar_clearance(joints=2).system
    <System 'four-bar linkage with loose joints': 3 bodies, 3 joints, 2 contacts>
    """
    count = integer("four_bar_clearance", "joints", joints, 0, 3)
    omega = positive("four_bar_clearance", "speed", speed)
    sizes = checks.journal_in("four_bar_clearance", BEARING, clearance)
    contact_law = case_law("four_bar_clearance", law, stiffness=checks.joint_stiffness(sizes), restitution=restitution)
    ideal = linkage(omega, (), {})
    ideal.assemble(keep=[(ideal["crank"], "angle")])
    loose = JOINTS[:count]
    system = linkage(omega, loose, {**sizes, "law": contact_law})
    checks.copy_velocities(system, ideal)

    def check_results(result: Result) -> list[CheckResult]:
        play = 1e-9 + checks.largest_deviation(result, loose)
        _, gamma = loop_angles(LENGTHS, omega * result.t)
        # Between coupler and rocker the transmission angle μ enlarges a clearance by 1/sin μ.
        beta, _ = loop_angles(LENGTHS, omega * result.t)
        gain = 1.0 / float(np.min(np.abs(np.sin(gamma - beta))))
        angle = np.exp(1j * result["rocker"].angle)
        return [
            energy_drift(result, 1e-7),
            max_abs_error(
                "rocker angle [rad] in closed form", angle, np.exp(1j * gamma), 2.0 * gain * play / LENGTHS[2]
            ),
            checks.momentum_balance(result, "coupler", [("crank pin", 1.0), ("rocker pin", -1.0)], (0.0, -GRAVITY)),
        ]

    def all_counts(result: Result) -> dict[str, Result]:
        values, end = (omega, clearance, law, restitution), float(result.t[-1])
        return {
            f"{k} loose" if k else "ideal": result if k == count else four_bar_clearance(k, *values).run(t_end=end)
            for k in (3, 2, 1, 0)
        }

    revolution = 2.0 * math.pi / omega
    title = "Four-bar linkage: number of loose joints"
    figures: dict[str, Any] = {"counts": checks.series_figure(title, all_counts, "rocker.omega", "motor.effort")}
    figures |= {f"diagnosis {name}": checks.diagnosis_figure(name, revolution) for name in loose}
    return Case(
        four_bar_clearance,
        system=system,
        options={"t_end": revolution},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("rocker.omega", "motor.effort"), motion=("rocker.omega", "rocker.alpha", "motor.effort"),
            ghosts=(revolution / 4, revolution / 2),
        ),
        reference="parameters chosen; clearance joints as in P. Flores, J. Ambrósio, J. C. P. Claro, H. M. Lankarani, "
        "Kinematics and Dynamics of Multibody Systems with Imperfect Joints, Springer (2008)",
        extra_figures=figures,
    )  # fmt: skip


def linkage(omega: float, loose: tuple[str, ...], clearance: dict[str, Any]) -> System:
    """Return the linkage with the crank along the x-axis; the joints ``loose`` have clearance."""
    a, b, c, d = LENGTHS
    beta, gamma = (float(angle) for angle in loop_angles(LENGTHS, 0.0))
    top = cmath.rect(b, beta) + a
    system = System(gravity=(0.0, -GRAVITY), name="four-bar linkage with loose joints")
    ground = system.ground
    crank = system.add(uniform_rod("crank", DENSITY * a, (0.0, 0.0), a, 0.0, omega))
    coupler = system.add(uniform_rod("coupler", DENSITY * b, (a, 0.0), b, beta))
    rocker = system.add(uniform_rod("rocker", DENSITY * c, (d, 0.0), c, gamma))
    bearing = system.add(Revolute(ground, crank, at=(0.0, 0.0), name="crank bearing"))
    for first, second, at, name in (
        (crank, coupler, (a, 0.0), "crank pin"),
        (coupler, rocker, (top.real, top.imag), "rocker pin"),
        (ground, rocker, (d, 0.0), "rocker bearing"),
    ):
        if name in loose:
            sizes = {key: clearance[key] for key in ("journal_radius", "bearing_radius")}
            system.add(checks.pin(first, second, at, name, sizes, law=clearance["law"]))
        else:
            system.add(checks.pin(first, second, at, name, None))
    system.add(Driver(bearing, ConstantSpeed(omega), name="motor"))
    return system
