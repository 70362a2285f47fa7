"""Slider-crank with a loose piston pin, dry or lubricated."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import one_of, positive
from carom.gallery import clearance_checks as checks
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.case_law import case_law
from carom.joints.prescribed_motion import ConstantSpeed
from carom.joints.registry import Driver, Prismatic, Revolute
from carom.laws.lubrication.registry import FiniteBearing
from carom.laws.normal.base import NormalLaw
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result

CRANK, ROD = 0.05, 0.12
"""Lengths [m]."""
BEARING = 0.010
"""Radius of the bearing [m]."""
BEARING_LENGTH = 0.020
"""Length of the lubricated bearing, chosen [m]."""
PIN, GRAVITY = "piston pin", 9.81
SPEEDS = (0.2, 0.5, 1.0)
"""Speeds of the figure, relative to that of the case."""


@check_parameters
def piston_pin(
    joint: str = "dry",
    speed: float = 200.0,
    clearance: float = 5e-4,
    law: str | NormalLaw = "lankarani_nikravesh",
    restitution: float = 0.9,
    viscosity: float = 0.4,
) -> Case:
    """Slider-crank with a loose piston pin, driven at constant speed.

    The joint of rod and piston is "dry", "lubricated" or "ideal". Dry, the journal flies and strikes in turn, and the
    force of the pin is many times that of an ideal joint; a film of oil carries the piston without impacts. Lengths,
    masses and radii are those of the slider-crank of Flores et al. (2008), who drive it at 5000 rpm; speed, bearing
    length and viscosity are chosen here, and the run starts with a centred journal and the velocities of the ideal
    mechanism. The piston stays within the clearance of its ideal position, and its momentum follows from the force of
    the pin.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.piston_pin().system
    <System 'slider-crank with a loose piston pin': 3 bodies, 4 joints, 1 contacts>
    """
    one_of("piston_pin", "joint", joint, ("dry", "lubricated", "ideal"))
    omega = positive("piston_pin", "speed", speed)
    sizes = checks.journal_in("piston_pin", BEARING, clearance)
    options: dict[str, Any] = {
        "law": case_law("piston_pin", law, stiffness=checks.joint_stiffness(sizes), restitution=restitution)
    }
    if joint == "lubricated":
        options["lubricant"] = FiniteBearing(positive("piston_pin", "viscosity", viscosity), BEARING_LENGTH)
    ideal = slider_crank_with_pin(omega, None)
    ideal.assemble(keep=[(ideal["crank"], "angle")])
    system = ideal
    if joint != "ideal":
        system = slider_crank_with_pin(omega, sizes, **options)
        checks.copy_velocities(system, ideal)

    def check_results(result: Result) -> list[CheckResult]:
        reach = 1e-9 if joint == "ideal" else 1.2 * checks.largest_deviation(result, [PIN])
        return [
            energy_drift(result, 1e-7),
            max_abs_error(
                "piston against the ideal mechanism [m]", result["piston"].x, ideal_piston(omega * result.t), reach
            ),
            checks.momentum_balance(result, "piston", [(PIN, 1.0)], (0.0, -GRAVITY), axes=(0,)),
        ]

    def other_joints(result: Result) -> dict[str, Result]:
        end = float(result.t[-1])
        values = (omega, clearance, law, restitution, viscosity)
        return {
            name: result if name == joint else piston_pin(name, *values).run(t_end=end)
            for name in ("dry", "lubricated", "ideal")
        }

    def other_speeds(result: Result) -> dict[str, Result]:
        values = (clearance, law, restitution, viscosity)
        cycles = float(result.t[-1]) * omega
        return {
            f"{share * omega:.4g} rad/s": piston_pin(joint, share * omega, *values).run(t_end=cycles / (share * omega))
            for share in SPEEDS
        }

    title = "Slider-crank with a loose piston pin"
    figures = {"joints": checks.series_figure(title, other_joints, "piston.vx", "piston.ax")}
    if joint != "ideal":
        figures["diagnosis"] = checks.diagnosis_figure(PIN, 2.0 * math.pi / omega)
        figures["speeds"] = lambda result: speed_figure(other_speeds(result))
    return Case(
        piston_pin,
        system=system,
        options={"t_end": 4.0 * math.pi / omega},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("piston.x", f"{PIN}.force"), motion=("piston.vx", "piston.ax", f"{PIN}.force"),
            ghosts=(0.5 * math.pi / omega,),
        ),
        reference="P. Flores, J. Ambrósio, J. C. P. Claro, H. M. Lankarani, Kinematics and Dynamics of Multibody "
        "Systems with Imperfect Joints, Springer (2008)",
        extra_figures=figures,
    )  # fmt: skip


def slider_crank_with_pin(omega: float, sizes: dict[str, float] | None, **options: Any) -> System:
    """Return the mechanism, stretched out along the x-axis; the piston pin has clearance if there are ``sizes``."""
    system = System(gravity=(0.0, -GRAVITY), name="slider-crank with a loose piston pin")
    ground = system.ground
    crank = system.add(Body("crank", 0.30, 1.0e-4, position=(CRANK / 2, 0.0), angular_velocity=omega))
    rod = system.add(Body("rod", 0.21, 2.5e-4, position=(CRANK + ROD / 2, 0.0)))
    piston = system.add(Body("piston", 0.14, 1.0e-4, position=(CRANK + ROD, 0.0)))
    shaft = system.add(Revolute(ground, crank, at=(0.0, 0.0), name="shaft"))
    system.add(Revolute(crank, rod, at=(CRANK, 0.0), name="crank pin"))
    system.add(checks.pin(rod, piston, (CRANK + ROD, 0.0), PIN, sizes, **options))
    system.add(Prismatic(ground, piston, axis=(1.0, 0.0), name="cylinder"))
    system.add(Driver(shaft, ConstantSpeed(omega), name="motor"))
    return system


def ideal_piston(angle: Any) -> Any:
    """Return the position of the piston of the ideal mechanism at crank angles [m]."""
    return CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)


def speed_figure(runs: dict[str, Result]) -> Any:
    """Plot the orbits and the acceleration of the piston over the crank angle at several speeds."""
    from carom.plot.figure_options import open_figure
    from carom.plot.orbit import draw_orbit
    from carom.plot.style import line_style

    with open_figure(9.6, 6.0, "Slider-crank with a loose piston pin: speeds") as figure:
        grid = figure.add_gridspec(2, len(runs), height_ratios=(1.0, 1.1))
        axes = figure.add_subplot(grid[1, :])
        for k, (name, result) in enumerate(runs.items()):
            orbit = figure.add_subplot(grid[0, k])
            draw_orbit(orbit, result, PIN)
            for legend in filter(None, [orbit.get_legend()]):
                legend.remove()
            orbit.set_title(name, loc="left")
            omega = result["crank"].omega[0]
            turns = result["crank"].angle / (2.0 * math.pi)
            axes.plot(turns, result["piston"].ax / (CRANK * omega**2), label=name, **line_style(k, len(runs)))
        axes.set_xlabel("revolutions of the crank")
        axes.set_ylabel("acceleration of the piston / r ω²")
        axes.legend(loc="upper right", ncols=len(runs))
    return figure
