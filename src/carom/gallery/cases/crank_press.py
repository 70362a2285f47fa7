"""Crank press with a worn pin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import non_negative, positive
from carom.forces.registry import PointForce
from carom.gallery import clearance_checks as checks
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.cases.piston_pin import BEARING, PIN, ideal_piston, slider_crank_with_pin
from carom.kernels.expression import expression
from carom.laws.friction.step_coulomb import StepCoulomb
from carom.laws.normal.flores import Flores
from carom.result.result import Result

SHARE = 0.1
"""Part of a revolution in which the tool presses [-], about the half of the revolution, the inner dead centre."""
EDGE = math.cos(math.pi * SHARE)


@check_parameters
def crank_press(
    clearance: float = 5e-4, load: float = 2000.0, speed: float = 20.0 * math.pi, friction: float = 0.03
) -> Case:
    """Crank press with a worn pin, whose clearance is large.

    In every revolution the tool presses for a tenth of it with a force of up to ``load``. Where the force on the pin
    reverses, the journal flies through the clearance and knocks, at least twice per revolution. Mechanism and masses
    are those of `piston_pin`; load, speed and friction are chosen. The ram stays within the clearance of its ideal
    position, and its momentum follows from the forces on it.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.crank_press().system
    <System 'crank press with a worn pin': 3 bodies, 4 joints, 1 forces, 1 contacts>
    """
    omega, force = positive("crank_press", "speed", speed), non_negative("crank_press", "load", load)
    sizes = checks.journal_in("crank_press", BEARING, clearance)
    laws: dict[str, Any] = {"law": Flores(1e10, 0.7)}
    if non_negative("crank_press", "friction", friction) > 0.0:
        laws["friction"] = StepCoulomb(1.5 * friction, friction, 0.01, 0.1)
    ideal = slider_crank_with_pin(omega, None)
    ideal.assemble(keep=[(ideal["crank"], "angle")])
    system = slider_crank_with_pin(omega, sizes, **laws)
    system.name = "crank press with a worn pin"
    checks.copy_velocities(system, ideal)
    wave = f"{force!r}*max(0, (-cos({omega!r}*t) - {EDGE!r})/{1.0 - EDGE!r})"
    system.add(PointForce(system["piston"], expression([wave, "0"]), name="tool"))

    def check_results(result: Result) -> list[CheckResult]:
        reach = 1.2 * checks.largest_deviation(result, [PIN])
        position = ideal_piston(omega * result.t)
        t = np.linspace(result.t[0], result.t[-1], 20001)
        pressed = float(np.trapezoid(force * np.maximum(0.0, (-np.cos(omega * t) - EDGE) / (1.0 - EDGE)), t))
        return [
            energy_drift(result, 1e-7),
            max_abs_error("ram against the ideal mechanism [m]", result["piston"].x, position, reach),
            checks.momentum_balance(result, "piston", [(PIN, 1.0)], (0.0, 0.0), (0,), external=(pressed, 0.0)),
        ]

    return Case(
        crank_press,
        system=system,
        options={"t_end": 4.0 * math.pi / omega},
        check_results=check_results,
        figure_settings=CaseFigures(panels=("piston.x", f"{PIN}.force"), motion=("piston.vx", f"{PIN}.force")),
        reference="parameters of the mechanism: P. Flores et al. (2008), see piston_pin",
        extra_figures={"diagnosis": checks.diagnosis_figure(PIN, 2.0 * math.pi / omega)},
    )
