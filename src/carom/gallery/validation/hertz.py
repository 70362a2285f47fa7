"""Validation problem: Hertz's impact of two spheres."""

from __future__ import annotations

import math
from collections.abc import Iterator

from carom.gallery.case import CheckResult
from carom.gallery.cases.two_spheres import MASS, SPEED, STIFFNESS, two_spheres
from carom.gallery.validation.problem import CLOSED_FORM, relative_error, require_finished, validation_problem

DURATION = 2.0 * math.sqrt(math.pi) * math.gamma(1.4) / math.gamma(0.9)
"""Duration of the impact relative to δ_max/v [-]: 2 ∫₀¹ dx/√(1 − x^2.5) = 2.94327…"""


@validation_problem(
    CLOSED_FORM,
    "H. Hertz, Über die Berührung fester elastischer Körper, Journal für die reine und angewandte Mathematik 92 (1882) "
    "156–171; S. P. Timoshenko, J. N. Goodier, Theory of Elasticity, 3rd ed., McGraw-Hill 1970",
)
def hertz_impact() -> Iterator[CheckResult]:
    """Hertz's impact of two spheres.

    m δ'' = −K δ^1.5 from δ = 0, δ' = v, with the effective mass m and the approach speed v, gives
    δ_max = (5 m v²/(4 K))^0.4, the largest force K δ_max^1.5 and the duration 2.94 δ_max/v.
    """
    mass, speed = 0.5 * MASS, 2.0 * SPEED
    max_indentation = (1.25 * mass * speed**2 / STIFFNESS) ** 0.4
    for integrator in ("dopri5", "dop853", "tsit5"):
        result = require_finished(two_spheres("hertz").run(integrator=integrator))
        impact = result.impacts[0]
        yield relative_error(f"largest indentation, {integrator}", impact.max_indentation, max_indentation, 1e-8)
        yield relative_error(f"peak force, {integrator}", impact.peak_force, STIFFNESS * max_indentation**1.5, 1e-8)
        yield relative_error(f"duration, {integrator}", impact.duration, DURATION * max_indentation / speed, 1e-8)
        yield CheckResult(f"restitution, {integrator}", abs(impact.restitution - 1.0), 1e-8)
