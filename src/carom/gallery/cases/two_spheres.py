"""Two spheres that collide head on."""

from __future__ import annotations

import math

from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift
from carom.gallery.case_law import case_law
from carom.gallery.case_variants import runs_with_laws
from carom.gallery.figures.two_spheres import extra_figures
from carom.geometry.shapes import Sphere
from carom.laws.normal.base import NormalLaw
from carom.model.body import Body
from carom.model.contact import Contact
from carom.model.system import System
from carom.result.result import Result

RADIUS, MASS, SPEED, STIFFNESS = 0.02, 0.092, 0.15, 5.5e9
"""Radius [m], mass [kg] and speed [m/s] of each sphere, stiffness of the contact [N/m^1.5]."""


@check_parameters
def two_spheres(law: str | NormalLaw = "hertz", restitution: float = 0.7, exact: bool = True) -> Case:
    """Two spheres that collide head on.

    Equal spheres of 20 mm radius collide at ±0.15 m/s. ``law`` is the name of a contact law with the given
    ``restitution``, or a law object; the run ends shortly after separation.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.two_spheres().system
    <System 'two spheres': 2 bodies, 1 contacts>
    """
    effective_mass = MASS / 2.0
    contact_law = case_law(
        "two_spheres", law, stiffness=STIFFNESS, restitution=restitution, exact=exact, mass=effective_mass
    )
    expected = contact_law.impact(effective_mass, 2.0 * SPEED)
    system = System(name="two spheres")
    inertia = 0.4 * MASS * RADIUS**2
    left = system.add(Body("left", MASS, inertia, position=(-RADIUS, 0.0), velocity=(SPEED, 0.0)))
    right = system.add(Body("right", MASS, inertia, position=(RADIUS, 0.0), velocity=(-SPEED, 0.0)))
    system.add(Contact(Sphere(left, RADIUS), Sphere(right, RADIUS), law=contact_law, name="touch"))
    duration = expected.duration if math.isfinite(expected.duration) else 10.0 * expected.max_indentation / SPEED

    def check_results(result: Result) -> list[CheckResult]:
        impact = result.impacts[0]
        momentum = MASS * (result[left].vx + result[right].vx)
        checks = [
            energy_drift(result, 1e-9),
            CheckResult("momentum [kg m/s]", float(abs(momentum).max()), 1e-12),
        ]
        if not impact.t_end < result.t[-1]:  # the spheres have not separated
            return checks
        checks += [
            CheckResult("restitution of the free impact", abs(impact.restitution - expected.restitution), 1e-8),
        ]
        pairs = (
            ("peak force", impact.peak_force, expected.peak_force),
            ("largest indentation", impact.max_indentation, expected.max_indentation),
            ("duration", impact.duration, expected.duration),
        )
        return checks + [
            CheckResult(f"{quantity} of the free impact, relative", abs(a / b - 1.0), 1e-8) for quantity, a, b in pairs
        ]

    def runs(laws: tuple[str, ...], result: Result) -> dict[str, Result]:
        return runs_with_laws(lambda name: two_spheres(name, restitution, exact), laws, "touch", (case, result))

    case = Case(
        two_spheres,
        system=system,
        options={"t_end": 1.1 * duration},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("touch.normal_force", "touch.indentation"),
            motion=(("left.vx", "right.vx"), "touch.indentation_rate"),
        ),
        reference="M. Machado, P. Moreira, P. Flores, H. M. Lankarani, Compliant contact force models in multibody "
        "dynamics: Evolution of the Hertz contact theory, Mechanism and Machine Theory 53 (2012) 99–121, Figs 3–7",
        extra_figures=extra_figures(runs),
    )
    return case
