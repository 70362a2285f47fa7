"""What every contact law returns of a restitution."""

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

PRESCRIBED = (0.4, 0.8)
EFFECTIVE, APPROACH = 0.5 * MASS, 2.0 * SPEED
SPRING, DAMPING, FULL = 1e7, 500.0, 1e-5
"""Stiffness [N/m] of linear laws; damping [N s/m] of the penalty and the depth [m] of all of it."""

FACTORS: dict[str, Callable[[float], float]] = {
    "hunt_crossley": lambda c: 3.0 * (1.0 - c) / 2.0,
    "herbert_mcwhannell": lambda c: 6.0 * (1.0 - c) / ((2.0 * c - 1.0) ** 2 + 3.0),
    "lee_wang": lambda c: 3.0 * (1.0 - c) / 4.0,
    "lankarani_nikravesh": lambda c: 3.0 * (1.0 - c * c) / 4.0,
    "zhiying_qishao": lambda c: 3.0 * (1.0 - c * c) * math.exp(2.0 * (1.0 - c)) / 4.0,
    "flores": lambda c: 8.0 * (1.0 - c) / (5.0 * c),
    "hu_guo": lambda c: 3.0 * (1.0 - c) / (2.0 * c),
}
"""A(c) of the laws F = K δ^1.5 (1 + A δ'/v) that return something else than c."""
ELASTIC = ("hertz", "linear", "cylinder_line", "liu_cylinder")
EXACT = ("plastic_unloading", "kelvin_voigt", "gonthier", "exact_restitution")
"""Laws that return what is prescribed."""


@validation_problem(
    SECOND_METHOD,
    "M. Machado, P. Moreira, P. Flores, H. M. Lankarani, Compliant contact force models in multibody dynamics: "
    "Evolution of the Hertz contact theory, Mechanism and Machine Theory 53 (2012) 99–121; "
    "SciPy's DOP853",
)
def restitution_of_laws() -> Iterator[CheckResult]:
    """Restitution that every contact law returns.

    Two spheres collide head on under each law; prescribed are 0.4 and 0.8. Elastic laws shall return 1, some laws
    exactly what is prescribed, the others what their published formula gives when m δ'' = −F is integrated by another
    program.
    """
    for name in LAWS:
        returned, expected = [], []
        for c in PRESCRIBED:
            result = require_finished(two_spheres(made(name), c).run())
            returned.append(result.impacts[0].restitution)
            expected.append(known(name, c))
        yield max_abs_error(f"restitution that {name} returns", returned, expected, 1e-8)


def made(name: str) -> str | NormalLaw:
    """The law for `two_spheres`; those whose stiffness is in other units are given theirs."""
    lines: dict[str, NormalLaw] = {
        "linear": Linear(SPRING),
        "cylinder_line": CylinderLine(SPRING),
        "liu_cylinder": LiuCylinder(1e11, 0.02, 5e-5),
        "penalty_step": PenaltyStep(STIFFNESS, damping=DAMPING, depth=FULL),
    }
    return lines.get(name, name)


def known(name: str, prescribed: float) -> float:
    """The restitution that shall come back."""
    if name in ELASTIC:
        return 1.0
    if name in EXACT:
        return prescribed
    if name in FACTORS:
        factor = FACTORS[name](prescribed)
        return impact(lambda depth, rate: STIFFNESS * depth**1.5 * (1.0 + factor * rate / APPROACH))
    return impact(penalty)


def penalty(depth: float, rate: float) -> float:
    """K δ^1.5 + C(δ) δ', with C a cubic step up to the depth of full damping."""
    share = min(depth / FULL, 1.0)
    return STIFFNESS * depth**1.5 + DAMPING * share * share * (3.0 - 2.0 * share) * rate


def impact(force: Callable[[float, float], float]) -> float:
    """Restitution of m δ'' = −F(δ, δ'), in units of the elastic depth and the approach speed, by SciPy."""
    from scipy.integrate import solve_ivp

    unit = (1.25 * EFFECTIVE * APPROACH**2 / STIFFNESS) ** 0.4
    scale = unit / (EFFECTIVE * APPROACH**2)

    def rate(s: float, y: list[float]) -> tuple[float, float]:
        return y[1], -scale * force(max(y[0], 0.0) * unit, y[1] * APPROACH)

    def apart(s: float, y: list[float]) -> float:
        return y[0] if y[1] < 0.0 else 1.0

    apart.terminal, apart.direction = True, -1.0  # type: ignore[attr-defined]
    answer = solve_ivp(rate, (0.0, 50.0), (0.0, 1.0), "DOP853", events=apart, rtol=1e-12, atol=1e-14, max_step=0.05)
    if not answer.t_events[0].size:
        raise ArithmeticError("the second method does not come to the end of the impact")
    return float(-answer.y_events[0][0, 1])
