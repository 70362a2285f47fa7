"""Slider-crank that collides with a free block."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift, max_abs_error
from carom.gallery.case_law import case_law
from carom.gallery.case_variants import DISSIPATIVE_LAWS, runs_with_laws
from carom.gallery.cases.slider_crank import derivative, effective_inertia, pose, pose_derivatives, potential
from carom.gallery.figures.slider_crank_block import extra_figures
from carom.gallery.reference_solutions import integrate
from carom.geometry.shapes import Sphere
from carom.joints.registry import Prismatic, Revolute
from carom.laws.normal.base import NormalLaw
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

STIFFNESS, RADIUS, CENTRE = 9.5e9, 8.5e-3, 8.43e-3
"""Stiffness of the contact [N/m^1.5]; radius of its two spheres, and their distance from the centres of the bodies
[m]."""
BLOCK_MASS = 0.190
"""Mass of the block [kg]."""


@check_parameters
def slider_crank_block(
    law: str | NormalLaw = "lankarani_nikravesh",
    restitution: float = 0.7,
    rod_inertia: float = 5.9e-5,
    exact: bool = True,
) -> Case:
    """Slider-crank that meets a free block twice.

    The crank rotates at 150 rad/s, and the block approaches the slider at 15 m/s; both have spherical faces. ``law`` is
    the name of a contact law with the given ``restitution``, or a law object.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.slider_crank_block().system
    <System 'slider-crank and block': 4 bodies, 5 joints, 1 contacts>
    """
    contact_law = case_law("slider_crank_block", law, stiffness=STIFFNESS, restitution=restitution, exact=exact)
    system = System(gravity=(0.0, -9.81), name="slider-crank and block")
    ground = system.ground
    crank = system.add(Body("crank", mass=0.038, inertia=7.4e-5, position=(0.0765, 0.0), angular_velocity=150.0))
    rod = system.add(Body("rod", mass=0.076, inertia=rod_inertia, position=(0.306, 0.0)))
    slider = system.add(Body("slider", mass=0.038, inertia=1.8e-6, position=(0.459, 0.0)))
    block = system.add(Body("block", mass=BLOCK_MASS, inertia=2.7e-5, position=(0.914, 0.0), velocity=(-15.0, 0.0)))
    system.add(Revolute(ground, crank, at=(0.0, 0.0), name="bearing"))
    system.add(Revolute(crank, rod, at=(0.153, 0.0), name="crank pin"))
    system.add(Revolute(rod, slider, at=(0.459, 0.0), name="wrist pin"))
    system.add(Prismatic(ground, slider, axis=(1.0, 0.0), name="guide"))
    system.add(Prismatic(ground, block, axis=(1.0, 0.0), name="track"))
    system.add(
        Contact(
            Sphere(slider, radius=RADIUS, at=(CENTRE, 0.0)), Sphere(block, radius=RADIUS, at=(-CENTRE, 0.0)),
            law=contact_law, name="touch",
        )
    )  # fmt: skip
    system.assemble(keep=[(crank, "angular_velocity"), (block, "velocity")])

    def check_results(result: Result) -> list[CheckResult]:
        checks = [energy_drift(result, 1e-9)]
        if contact_law.has_unloading_curve:  # Its force depends on the history of the indentation.
            return checks
        expected = two_coordinates(result, contact_law, rod_inertia)
        for quantity, value, scale in (
            ("crank angle [rad]", result[crank].angle, 1.0), ("crank speed [rad/s]", result[crank].omega, 150.0),
            ("block position [m]", result[block].x, 1.0), ("block speed [m/s]", result[block].vx, 15.0),
        ):  # fmt: skip
            checks.append(
                max_abs_error(f"{quantity} in two coordinates", value[-1], expected[len(checks) - 1], 1e-7 * scale)
            )
        return checks

    def runs(result: Result) -> dict[str, Result]:
        def with_law(name: str) -> Case:
            return slider_crank_block(name, restitution, rod_inertia, exact)

        return runs_with_laws(with_law, DISSIPATIVE_LAWS, "touch", (case, result), t_end=result.t[-1])

    figure_settings = CaseFigures(
        panels=("block.x", "slider.vx"),
        motion=("crank.omega", ("slider.x", "block.x"), "touch.normal_force"),
        pose=0.0434,
        ghosts=(0.0, 0.025),
        trace=(),
    )
    case = Case(
        slider_crank_block,
        system=system,
        options={"t_end": 0.08},
        check_results=check_results,
        figure_settings=figure_settings,
        reference="M. Machado, P. Moreira, P. Flores, H. M. Lankarani, Compliant contact force models in multibody "
        "dynamics: Evolution of the Hertz contact theory, Mechanism and Machine Theory 53 (2012) 99–121, Figs 8–10",
        extra_figures=extra_figures(runs),
    )
    return case


def two_coordinates(result: Result, law: NormalLaw, rod_inertia: float) -> Any:
    """Return crank angle and speed, block position and speed at the end, by SciPy in these two coordinates.

    The contact intervals are those of ``result``; the law acts within them.
    """

    def inertia(angle: Any) -> Any:
        return effective_inertia(angle, rod_inertia)

    def equations(approach: float) -> Any:
        def rhs(t: float, y: Any) -> Any:
            angle, omega, x, v = y
            dx_dangle = pose_derivatives(angle)[0]
            force = 0.0
            if approach > 0.0:
                indentation = pose(angle)[0] - x + 2.0 * (RADIUS + CENTRE)
                force = law.force(indentation, dx_dangle * omega - v, approach)
            torque = -0.5 * derivative(inertia, angle) * omega**2 - derivative(potential, angle) - force * dx_dangle
            return omega, torque / inertia(angle), v, force / BLOCK_MASS

        return rhs

    state = np.array([0.0, 150.0, 0.914, -15.0])
    t = 0.0
    for impact in (*result.impacts, None):
        if impact is None or impact.t_start > t:
            until = result.t[-1] if impact is None else impact.t_start
            state = integrate_between(equations(0.0), state, t, until)
            t = until
        if impact is not None:
            state = integrate_between(equations(impact.approach_speed), state, t, impact.t_end)
            t = impact.t_end
    return state


def integrate_between(equations: Any, state: Any, t: float, until: float) -> Any:
    """Return the state at ``until`` [s]."""
    if not until > t:
        return state
    return integrate(lambda t, y: equations(t + t, y), state, np.array([0.0, until - t]))[-1]
