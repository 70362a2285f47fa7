"""Sphere that falls on a plane."""

from __future__ import annotations

import math
from typing import Any

from carom.argument_checks import one_of, positive
from carom.errors import ModelError
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift
from carom.gallery.case_variants import runs_with_onsets
from carom.gallery.figures.falling_ball import extra_figures
from carom.geometry.shapes import Plane, Sphere
from carom.laws.normal.lankarani_nikravesh import LankaraniNikravesh
from carom.laws.stiffness import hertz_stiffness
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result
from carom.solve.compliant.contact_kernels import ONSETS

MASS, INERTIA, RADIUS, HEIGHT, SPEED, GRAVITY = 1.0, 0.1, 0.1, 1.0, 1.0, 9.81
"""Mass [kg], inertia [kg m²] and radius [m] of the ball, its initial height [m] and speed [m/s], gravity [m/s²]."""
STEP = 1e-4
"""Largest step of the runs that do not locate the onset, as in the paper [s]."""


@check_parameters
def falling_ball(restitution: float = 1.0, onset: str = "event", height: float = HEIGHT) -> Case:
    """A ball that falls on a plane and bounces.

    A steel ball of 0.1 m radius falls with its centre from ``height`` [m] on a steel plane, moving sideways at 1 m/s.
    With ``restitution`` 1 it rises to its initial height; with ``onset`` "none" the contact starts too deep, and the
    ball rises higher.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.falling_ball().system
    <System 'falling ball': 1 bodies, 1 contacts>
    """
    height = positive("falling_ball", "height", height)
    if height < RADIUS:
        raise ModelError(f"falling_ball: height must be at least the radius of the ball, {RADIUS:g} m, got {height:g}")
    stiffness = hertz_stiffness(RADIUS)
    law = LankaraniNikravesh(stiffness=stiffness, restitution=restitution)
    system = System(gravity=(0.0, -GRAVITY), name="falling ball")
    ball = system.add(Body("ball", MASS, INERTIA, position=(0.0, height), velocity=(SPEED, 0.0)))
    system.add(Contact(Sphere(ball, RADIUS), Plane(system.ground), law=law, name="floor"))
    options: dict[str, Any] = {"t_end": 1.0, "onset": onset}
    if one_of("falling_ball", "onset", onset, tuple(ONSETS)) != "event":
        options["max_step"] = STEP
    fall_time = math.sqrt(2.0 * (height - RADIUS) / GRAVITY)

    def check_results(result: Result) -> list[CheckResult]:
        checks = [CheckResult("speed along the plane [m/s]", float(abs(result[ball].vx - SPEED).max()), 1e-12)]
        if result.t[-1] <= fall_time:
            fallen = height - 0.5 * GRAVITY * result.t**2
            return [*checks, CheckResult("height of the fall [m]", float(abs(result[ball].y - fallen).max()), 1e-12)]
        impact = result.impacts[0]
        time_error = abs(impact.t_start - fall_time)
        checks.append(CheckResult("time of the first contact [s]", time_error, 1e-12 if onset == "event" else 2 * STEP))
        if onset == "event":
            checks.append(energy_drift(result, 1e-9))
            # The closed form neglects gravity, which changes the restitution by g T/v in this short impact.
            checks.append(CheckResult("restitution", abs(impact.restitution - law.returned_restitution()), 1e-5))
        return checks

    def runs(onsets: tuple[str, ...], result: Result) -> dict[str, Result]:
        return runs_with_onsets(lambda onset: falling_ball(restitution, onset, height), onsets, result)

    return Case(
        falling_ball,
        system=system,
        options=options,
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("ball.y", "ball.vy"),
            motion=("ball.y", "ball.vy", "floor.normal_force"),
            ghosts=(0.2, 0.35, fall_time, 0.6, 0.85),
            trace=(ball,),
        ),
        reference="P. Flores, J. Ambrósio, On the contact detection for contact-impact analysis in multibody systems, "
        "Multibody System Dynamics 24 (2010) 103–122, Fig. 1",
        extra_figures=extra_figures(runs, RADIUS),
    )
