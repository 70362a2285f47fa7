"""Validation problem: restitution returned by every contact law."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from carom.gallery.case import CheckResult, max_abs_error
from carom.gallery.cases.two_spheres import MASS, SPEED, STIFFNESS, two_spheres
from carom.gallery.validation.problem import SECOND_METHOD, require_finished, validation_problem
from carom.laws import LAWS
from carom.laws.normal.base import NormalLaw
from carom.laws.normal.cylinder_line import CylinderLine
from carom.laws.normal.linear import Linear
from carom.laws.normal.liu_cylinder import LiuCylinder
from carom.laws.normal.penalty_step import PenaltyStep
from carom.laws.normal.persson import Persson

PRESCRIBED = (0.4, 0.8)
"""Prescribed coefficients of restitution [-]."""
EFFECTIVE_MASS, APPROACH = 0.5 * MASS, 2.0 * SPEED
"""Effective mass [kg] and approach speed [m/s] of two equal spheres."""
LINEAR_STIFFNESS, DAMPING, FULL_DEPTH = 1e7, 500.0, 1e-5
"""Stiffness of linear laws [N/m]; damping of the penalty law [N s/m] and its depth of full damping [m]."""

FACTORS: dict[str, Callable[[float], float]] = {
    "hunt_crossley": lambda c: 3.0 * (1.0 - c) / 2.0,
    "herbert_mcwhannell": lambda c: 6.0 * (1.0 - c) / ((2.0 * c - 1.0) ** 2 + 3.0),
    "lee_wang": lambda c: 3.0 * (1.0 - c) / 4.0,
    "lankarani_nikravesh": lambda c: 3.0 * (1.0 - c * c) / 4.0,
    "zhiying_qishao": lambda c: 3.0 * (1.0 - c * c) * math.exp(2.0 * (1.0 - c)) / 4.0,
    "flores": lambda c: 8.0 * (1.0 - c) / (5.0 * c),
    "hu_guo": lambda c: 3.0 * (1.0 - c) / (2.0 * c),
}
"""A(c) of the laws F = K δ^1.5 (1 + A δ'/v) whose returned restitution differs from c."""
ELASTIC = ("hertz", "linear", "cylinder_line", "liu_cylinder", "persson")
EXACT = ("plastic_unloading", "kelvin_voigt", "gonthier", "exact_restitution")
"""Laws whose returned restitution equals the prescribed one."""


@validation_problem(
    SECOND_METHOD,
    "M. Machado, P. Moreira, P. Flores, H. M. Lankarani, Compliant contact force models in multibody dynamics: "
    "Evolution of the Hertz contact theory, Mechanism and Machine Theory 53 (2012) 99–121; "
    "SciPy's DOP853",
)
def restitution_of_laws() -> Iterator[CheckResult]:
    """Restitution that every contact law returns.

    Two spheres collide head on with each law, for the prescribed restitutions 0.4 and 0.8. Elastic laws must return 1,
    some laws exactly the prescribed value, the others the value of their published formula when SciPy integrates
    m δ'' = −F.
    """
    for name in (name for name, law in LAWS.items() if not law.is_distributed):
        returned, expected = [], []
        for c in PRESCRIBED:
            result = require_finished(two_spheres(law_argument(name), c).run())
            returned.append(result.impacts[0].restitution)
            expected.append(expected_restitution(name, c))
        yield max_abs_error(f"restitution returned by {name}", returned, expected, 1e-8)


def law_argument(name: str) -> str | NormalLaw:
    """Return the law for `two_spheres`: its name, or a law object if its stiffness has another unit."""
    laws: dict[str, NormalLaw] = {
        "linear": Linear(LINEAR_STIFFNESS),
        "cylinder_line": CylinderLine(LINEAR_STIFFNESS),
        "liu_cylinder": LiuCylinder(1e11, 0.02, 5e-5),
        "persson": Persson(1e11, 0.02, 5e-5),
        "penalty_step": PenaltyStep(STIFFNESS, damping=DAMPING, depth=FULL_DEPTH),
    }
    return laws.get(name, name)


def expected_restitution(name: str, prescribed: float) -> float:
    """Return the expected restitution [-]."""
    if name in ELASTIC:
        return 1.0
    if name in EXACT:
        return prescribed
    if name in FACTORS:
        factor = FACTORS[name](prescribed)
        return reference_restitution(
            lambda depth, indentation_rate: STIFFNESS * depth**1.5 * (1.0 + factor * indentation_rate / APPROACH)
        )
    return reference_restitution(penalty)


def penalty(depth: float, indentation_rate: float) -> float:
    """Return K δ^1.5 + C(δ) δ', with C a cubic step up to the depth of full damping [N]."""
    fraction = min(depth / FULL_DEPTH, 1.0)
    return STIFFNESS * depth**1.5 + DAMPING * fraction * fraction * (3.0 - 2.0 * fraction) * indentation_rate


def reference_restitution(force: Callable[[float, float], float]) -> float:
    """Return the restitution of m δ'' = −F(δ, δ') by SciPy, scaled by the elastic depth and the approach speed [-]."""
    from scipy.integrate import solve_ivp

    length_unit = (1.25 * EFFECTIVE_MASS * APPROACH**2 / STIFFNESS) ** 0.4
    scale = length_unit / (EFFECTIVE_MASS * APPROACH**2)

    def rhs(s: float, y: list[float]) -> tuple[float, float]:
        return y[1], -scale * force(max(y[0], 0.0) * length_unit, y[1] * APPROACH)

    def separation(s: float, y: list[float]) -> float:
        return y[0] if y[1] < 0.0 else 1.0

    separation.terminal, separation.direction = True, -1.0  # type: ignore[attr-defined]
    solution = solve_ivp(
        rhs, (0.0, 50.0), (0.0, 1.0), "DOP853", events=separation, rtol=1e-12, atol=1e-14, max_step=0.05
    )
    if not solution.t_events[0].size:
        raise ArithmeticError("the second method did not reach the end of the impact")
    return float(-solution.y_events[0][0, 1])
