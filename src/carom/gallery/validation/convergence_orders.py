"""The orders with which errors fall as steps do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from carom.forces.registry import SpringDamper
from carom.gallery.case import CheckResult
from carom.gallery.cases.pendulum import GRAVITY, pendulum
from carom.gallery.reference_solutions import swing
from carom.gallery.validation.problem import CLOSED_FORM, require_finished, validation_problem
from carom.model.body import Body
from carom.model.system import System
from carom.solve.compliant.registry import TABLEAUS
from carom.solve.simulate import simulate

SWING = 8.0
"""Time [s] of a pendulum's run; it is so long that its frequency is 1/s."""
STEPS = {"dopri5": (40, 80, 160), "tsit5": (40, 80, 160), "rk4": (80, 160, 320), "dop853": (16, 20, 28, 40)}
"""Over the run: coarse enough that rounding is far below the errors, fine enough that the next term is."""
SLACK = 1e4
"""Tolerances so wide that only the longest step decides."""
SCHEMES: tuple[tuple[str, float, int], ...] = (
    ("midpoint", 0.5, 2), ("moreau", 0.5, 1), ("theta", 0.5, 2), ("theta", 1.0, 1),
)  # fmt: skip
"""Scheme, θ, and its order for forces that depend on velocities."""
STEP = (1e-3, 5e-4, 2.5e-4)
STIFFNESS, DAMPING, SPEED = 400.0, 2.0, 1.0


@validation_problem(
    CLOSED_FORM,
    "E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, chapter II; "
    "D. F. Lawden, Elliptic Functions and Applications, §5.1",
)
def integrator_orders() -> Iterator[CheckResult]:
    """Orders of the Runge–Kutta methods.

    A pendulum from the horizontal, in elliptic functions, with fixed steps: the slope of the error's logarithm over
    that of the step, which shall not fall short of the order by more than the bound.
    """
    system = pendulum(length=GRAVITY).system
    for name, steps in STEPS.items():
        errors = []
        for count in steps:
            result = require_finished(
                simulate(system, SWING, integrator=name, rtol=SLACK, atol=SLACK, max_step=SWING / count, output=2.0)
            )
            angle, rate = swing(result.t, 1.0, 0.5 * math.pi)
            off = np.abs(result["bob"].angle - (angle - 0.5 * math.pi)), np.abs(result["bob"].omega - rate)
            errors.append(float(np.max(off)))
        order = TABLEAUS[name].order
        observed = slope([SWING / count for count in steps], errors)
        yield CheckResult(f"order {order} of {name}, seen {observed:.2f}: lacking", max(order - observed, 0.0), 0.3)


@validation_problem(
    CLOSED_FORM,
    "V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer 2008",
)
def scheme_orders() -> Iterator[CheckResult]:
    """Orders of the time stepping schemes in free motion.

    A mass on a spring with a damper, in closed form. The midpoint rule and θ = 1/2 are of second order, Moreau's rule
    as published is of first order for forces that depend on velocities, and so is θ = 1.
    """
    for scheme, theta, order in SCHEMES:
        errors = []
        for step in STEP:
            result = require_finished(
                simulate(hung_mass(), 1.0, method="nonsmooth", step=step, scheme=scheme, **chosen(scheme, theta))
            )
            errors.append(float(np.abs(result["mass"].y - oscillation(result.t)).max()))
        name = f"{scheme} with θ = {theta:g}" if scheme == "theta" else scheme
        observed = slope(STEP, errors)
        yield CheckResult(f"order {order} of {name}, seen {observed:.2f}", abs(observed - order), 0.1)


def chosen(scheme: str, theta: float) -> dict[str, Any]:
    """Options that matter to a scheme only."""
    return {"theta": theta} if scheme == "theta" else {}


def hung_mass() -> System:
    """1 kg on a vertical spring of 1 m with a damper, from where the spring is slack."""
    system = System(gravity=(0.0, -GRAVITY), name="hung mass")
    mass = system.add(Body("mass", 1.0, 1.0, position=(0.0, 1.0), velocity=(0.0, SPEED)))
    system.add(SpringDamper(system.ground.point(0.0, 2.0), mass, stiffness=STIFFNESS, damping=DAMPING, free_length=1.0))
    return system


def oscillation(t: np.ndarray) -> np.ndarray:
    """Its height [m]: a damped oscillation about 1 − m g/k."""
    sag, decay = GRAVITY / STIFFNESS, 0.5 * DAMPING
    frequency = math.sqrt(STIFFNESS - decay**2)
    swings = sag * np.cos(frequency * t) + (SPEED + decay * sag) / frequency * np.sin(frequency * t)
    return np.asarray(1.0 - sag + np.exp(-decay * t) * swings)


def slope(steps: Sequence[float], errors: Sequence[float]) -> float:
    """Of a straight line through the logarithms."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
