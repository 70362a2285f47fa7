"""Pendulum that hits a wall."""

from __future__ import annotations

import math
from typing import Any

from carom.argument_checks import one_of
from carom.errors import suppress_warnings
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift
from carom.gallery.case_variants import runs_with_onsets
from carom.gallery.figures.pendulum_wall import extra_figures
from carom.geometry.shapes import Plane, Sphere
from carom.joints.registry import Revolute
from carom.laws.normal.lankarani_nikravesh import LankaraniNikravesh
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result
from carom.solve.compliant.contact_kernels import ONSETS

ARM, MASS, RADIUS, STIFFNESS, GRAVITY = 1.0, 1.0, 0.05, 3.39e10, 9.81
"""Length of the arm [m], mass [kg] and radius [m] of the sphere, stiffness of the contact [N/m^1.5], gravity [m/s²]."""
INERTIA = 0.4 * MASS * RADIUS**2
"""Inertia of the sphere [kg m²]."""
STEP = 1e-4
"""Largest step of the runs that do not locate the onset, as in the paper [s]."""


@check_parameters
def pendulum_wall(restitution: float = 1.0, onset: str = "event") -> Case:
    """A pendulum that hits a wall at its lowest point.

    A sphere on a massless arm of 1 m is released from the horizontal and hits the wall at its lowest point. With
    ``restitution`` 1 it returns to its initial position.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.pendulum_wall().system
    <System 'pendulum and wall': 1 bodies, 1 joints, 1 contacts>
    """
    law = LankaraniNikravesh(stiffness=STIFFNESS, restitution=restitution)
    system = System(gravity=(0.0, -GRAVITY), name="pendulum and wall")
    bob = system.add(Body("bob", MASS, INERTIA, position=(-ARM, 0.0), angle=-math.pi / 2.0))
    system.add(Revolute(system.ground, bob, at=(0.0, 0.0), name="pivot"))
    wall = Plane(system.ground, at=(RADIUS, 0.0), normal=(-1.0, 0.0))
    system.add(Contact(Sphere(bob, RADIUS), wall, law=law, name="wall"))
    options: dict[str, Any] = {"t_end": 1.2, "onset": onset}
    if one_of("pendulum_wall", "onset", onset, tuple(ONSETS)) != "event":
        options["max_step"] = STEP
    total_inertia = INERTIA + MASS * ARM**2
    expected_speed = math.sqrt(2.0 * MASS * GRAVITY * ARM / total_inertia) * ARM

    def check_results(result: Result) -> list[CheckResult]:
        if not result.impacts:  # a run that ends before the wall
            return [CheckResult("indentation [m]", max(0.0, float(result["wall"].indentation.max())), 0.0)]
        impact = result.impacts[0]
        bound = 1e-9 if onset == "event" else 1e-3
        checks = [
            CheckResult("approach speed from the height [m/s]", abs(impact.approach_speed - expected_speed), bound)
        ]
        if onset == "event":
            checks.append(energy_drift(result, 1e-9))
            checks.append(CheckResult("restitution", abs(impact.restitution - law.returned_restitution()), 1e-5))
        return checks

    def runs(onsets: tuple[str, ...], result: Result) -> dict[str, Result]:
        return runs_with_onsets(lambda variant: pendulum_wall(restitution, variant), onsets, result)

    def coarse(step: float) -> Result:
        """Run with loose tolerances, so that nearly every step has the largest length ``step`` [s]."""
        with suppress_warnings():
            return pendulum_wall(restitution, "none").run(t_end=0.612, step=step, rtol=1e-4, atol=1e-6)

    return Case(
        pendulum_wall,
        system=system,
        options=options,
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("bob.y", "bob.vx"), motion=("bob.y", "bob.vx", "wall.normal_force"), ghosts=(0.2, 0.4, 0.5)
        ),
        reference="P. Flores, J. Ambrósio, On the contact detection for contact-impact analysis in multibody systems, "
        "Multibody System Dynamics 24 (2010) 103–122, Figs 4–7",
        extra_figures=extra_figures(system, runs, coarse),
    )
