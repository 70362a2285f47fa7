"""Validation problems: orders of convergence of integrators and time-stepping schemes."""

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
from carom.solve.options import Integrator, Scheme
from carom.solve.runge_kutta.registry import TABLEAUS
from carom.solve.simulate import simulate

DURATION = 8.0
"""Duration of the pendulum run [s]; the length of the pendulum gives it a frequency of 1/s."""
STEP_COUNTS: dict[Integrator, tuple[int, ...]] = {
    "dopri5": (40, 80, 160),
    "tsit5": (40, 80, 160),
    "rk4": (80, 160, 320),
    "dop853": (16, 20, 28, 40),
}
"""Numbers of steps in the run: few enough that rounding is negligible, enough that higher-order terms are, too."""
LOOSE_TOLERANCE = 1e4
"""Tolerance so large that max_step alone determines the step."""
SCHEMES: tuple[tuple[Scheme, float, int], ...] = (
    ("midpoint", 0.5, 2), ("moreau", 0.5, 1), ("theta", 0.5, 2), ("theta", 1.0, 1),
)  # fmt: skip
"""Scheme, θ, and its order for velocity-dependent forces."""
STEP_SIZES = (1e-3, 5e-4, 2.5e-4)
"""Steps [s]."""
STIFFNESS, DAMPING, SPEED = 400.0, 2.0, 1.0
"""Stiffness [N/m] and damping [N s/m] of the oscillator of 1 kg, and its speed at the start [m/s]."""


@validation_problem(
    CLOSED_FORM,
    "E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, chapter II; "
    "D. F. Lawden, Elliptic Functions and Applications, §5.1",
)
def integrator_orders() -> Iterator[CheckResult]:
    """Orders of the Runge–Kutta methods.

    A pendulum from the horizontal, compared with elliptic functions, with fixed steps: the slope of log(error) over
    log(step) must not be below the order by more than the bound.
    """
    system = pendulum(length=GRAVITY).system
    for name, steps in STEP_COUNTS.items():
        errors = []
        for count in steps:
            result = require_finished(
                simulate(
                    system,
                    DURATION,
                    integrator=name,
                    rtol=LOOSE_TOLERANCE,
                    atol=LOOSE_TOLERANCE,
                    max_step=DURATION / count,
                    output=2.0,
                )
            )
            angle, rate = swing(result.t, 1.0, 0.5 * math.pi)
            deviations = np.abs(result["bob"].angle - (angle - 0.5 * math.pi)), np.abs(result["bob"].omega - rate)
            errors.append(float(np.max(deviations)))
        order = TABLEAUS[name].order
        observed = log_log_slope([DURATION / count for count in steps], errors)
        yield CheckResult(
            f"order {order} of {name}, observed {observed:.2f}: shortfall", max(order - observed, 0.0), 0.3
        )


@validation_problem(
    CLOSED_FORM,
    "V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer 2008",
)
def scheme_orders() -> Iterator[CheckResult]:
    """Orders of the time-stepping schemes in free motion.

    A mass on a spring with a damper, compared with the closed form. The midpoint rule and θ = 1/2 are of second order;
    Moreau's rule as published and θ = 1 are of first order for velocity-dependent forces.
    """
    for scheme, theta, order in SCHEMES:
        errors = []
        for step in STEP_SIZES:
            result = require_finished(
                simulate(
                    spring_mass_system(),
                    1.0,
                    method="nonsmooth",
                    step=step,
                    scheme=scheme,
                    **scheme_options(scheme, theta),
                )
            )
            errors.append(float(np.abs(result["mass"].y - oscillation(result.t)).max()))
        name = f"{scheme} with θ = {theta:g}" if scheme == "theta" else scheme
        observed = log_log_slope(STEP_SIZES, errors)
        yield CheckResult(f"order {order} of {name}, observed {observed:.2f}", abs(observed - order), 0.1)


def scheme_options(scheme: str, theta: float) -> dict[str, Any]:
    """Return the options that only this scheme has."""
    return {"theta": theta} if scheme == "theta" else {}


def spring_mass_system() -> System:
    """Return a mass of 1 kg on a vertical spring of 1 m with a damper, starting with the spring unstretched."""
    system = System(gravity=(0.0, -GRAVITY), name="hung mass")
    mass = system.add(Body("mass", 1.0, 1.0, position=(0.0, 1.0), velocity=(0.0, SPEED)))
    system.add(SpringDamper(system.ground.point(0.0, 2.0), mass, stiffness=STIFFNESS, damping=DAMPING, free_length=1.0))
    return system


def oscillation(t: np.ndarray) -> np.ndarray:
    """Return the height of the mass, a damped oscillation about 1 − m g/k [m]."""
    static_deflection, decay = GRAVITY / STIFFNESS, 0.5 * DAMPING
    frequency = math.sqrt(STIFFNESS - decay**2)
    vibration = static_deflection * np.cos(frequency * t) + (SPEED + decay * static_deflection) / frequency * np.sin(
        frequency * t
    )
    return np.asarray(1.0 - static_deflection + np.exp(-decay * t) * vibration)


def log_log_slope(steps: Sequence[float], errors: Sequence[float]) -> float:
    """Return the slope of a straight line through the logarithms [-]."""
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])
