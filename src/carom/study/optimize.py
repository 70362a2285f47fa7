"""Design by optimisation: parameters of a model that minimise an output of its run, with exact gradients."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, short_repr
from carom.errors import ModelError, suppress_warnings
from carom.result.result import Result
from carom.short_form import number_text, one_line, parameter_texts
from carom.study.fitting.parameters import FitParameter, fit_parameters
from carom.study.gradient import Gradient, gradient
from carom.study.study_model import StudyModelLike, as_study_model

Range = tuple[float, float]
MAX_RUNS = 100
"""Default for the largest number of runs."""
NEXT_TO_BOUND = 1e-9
"""Distance from the bounds within which derivatives are not taken, as unit values [-]."""


@dataclass(frozen=True, repr=False)
class Optimum:
    """Parameters that minimise an objective: ``optimum["touch.law.stiffness"]``, ``optimum.values``.

    ``objective`` is its value, ``outputs`` are those of the run at the optimum, ``runs`` counts runs with gradients,
    and ``converged`` says whether the optimisation reached its tolerance; ``message`` says why it ended. ``result`` is
    the run at the optimum, ``gradient`` its derivatives.
    """

    values: dict[str, float]
    objective: float
    outputs: dict[str, float]
    runs: int
    converged: bool
    message: str
    gradient: Gradient

    @property
    def result(self) -> Result:
        """Run at the optimum."""
        return self.gradient.result

    def __getitem__(self, name: str) -> float:
        """Return the value of a parameter."""
        if name not in self.values:
            raise ModelError(f"optimize: unknown parameter {name!r}; choose from {', '.join(self.values)}")
        return self.values[name]

    def __repr__(self) -> str:
        details = [*parameter_texts(self.values), f"objective={number_text(self.objective)}", f"{self.runs} runs"]
        return one_line("Optimum", [*details, "" if self.converged else "not converged"])

    def __str__(self) -> str:
        lines = [f"{name} = {value:.6g}" for name, value in self.values.items()]
        lines += [f"{name}: {value:.6g}" for name, value in self.outputs.items()]
        return "\n".join([*lines, f"objective {self.objective:.6g}, {self.runs} runs. {self.message}"])


def optimize(
    case: StudyModelLike,
    objective: str | Mapping[str, float],
    parameters: Mapping[str, Any] | Sequence[str],
    bounds: Sequence[Range] | None = None,
    *,
    constraints: Mapping[str, Range] | None = None,
    maximize: bool = False,
    tolerance: float = 1e-8,
    max_runs: int = MAX_RUNS,
    **values: Any,
) -> Optimum:
    """Return the ``parameters`` of ``case`` that minimise an ``objective`` of its run, with exact gradients.

    Parameters
    ----------
    case
        system, gallery case, model file, or function that returns one.
    objective
        output to minimise, as in `gradient` ("touch.normal_force.max"), or targets of outputs,
        {"block.vx": 3.0}, whose squared relative deviations are minimised (Gauss–Newton).
    parameters, bounds
        names with bounds, {"touch.law.stiffness": (1e6, 1e9)}, or (start, low, high), as in `fit`; or
        names in ``parameters`` and (low, high) of each in ``bounds``.
    constraints
        ranges of outputs, {"touch.indentation.max": (0.0, 1e-3)}; use -inf or inf for one-sided ones.
    maximize
        maximise the objective instead.
    values
        run options (``t_end``, ``rtol`` …) and values of parameters that apply to all runs.

    The optimum is a local one: start from other values to look for others. SciPy optimises: least squares for targets,
    L-BFGS-B, or SLSQP with constraints.

    Examples
    --------
    >>> import carom as cm
    >>> best = cm.optimize("falling_ball", {"impacts[0].approach_speed": 4.0}, {"height": (0.5, 1.5)})
    >>> round(best["height"], 6)  # v² = 2 g (h − r)
    0.915494
    """
    model = as_study_model(case)
    varied, fixed = fit_parameters("optimize", with_bounds(parameters, bounds))
    problem = DesignProblem(model, varied, {**values, **fixed}, objective, dict(constraints or {}), maximize)
    return problem.solve(finite_float("optimize", "tolerance", tolerance), int(max_runs))


def with_bounds(parameters: Any, bounds: Sequence[Range] | None) -> Mapping[str, Any]:
    """Return parameters with their bounds as one mapping."""
    if bounds is None:
        if not isinstance(parameters, Mapping):
            raise ModelError(f"optimize: bounds are missing; set bounds=[(low, high), …], got {short_repr(parameters)}")
        return parameters
    names = [parameters] if isinstance(parameters, str) else list(parameters)
    if len(names) != len(bounds):
        raise ModelError(f"optimize: needs one pair of bounds per parameter, got {len(bounds)} for {len(names)}")
    return {name: tuple(pair) for name, pair in zip(names, bounds, strict=True)}


class DesignProblem:
    """Objective and constraints as functions of unit values of the parameters, with their derivatives."""

    def __init__(
        self, model: Any, parameters: list[FitParameter], fixed: Mapping[str, Any], objective: Any,
        constraints: dict[str, Range], maximize: bool,
    ):  # fmt: skip
        self.model, self.parameters, self.fixed = model, parameters, dict(fixed)
        self.targets = targets_of(objective)
        self.name = None if self.targets else objective
        if maximize and self.targets:
            raise ModelError("optimize: maximize=True needs the name of an output as objective, not targets")
        self.sign = -1.0 if maximize else 1.0
        self.constraints = constraints
        self.outputs = list(dict.fromkeys([*(self.targets or [self.name]), *constraints]))
        self.runs = 0
        self._key = b""
        self._gradient: Gradient | None = None

    def evaluate(self, unit_values: np.ndarray) -> Gradient:
        """Return outputs and derivatives at unit values; those of the last ones are kept."""
        key = np.asarray(unit_values, float).tobytes()
        if key != self._key or self._gradient is None:
            self.runs += 1
            names = [parameter.name for parameter in self.parameters]
            numbers = {
                p.name: p.from_unit(float(min(max(x, 0.0), 1.0)))
                for p, x in zip(self.parameters, unit_values, strict=True)
            }
            with suppress_warnings():
                found = gradient(self.model, parameters=names, outputs=self.outputs, **{**self.fixed, **numbers})
            if found.not_differentiable_at:
                name, place = next(iter(found.not_differentiable_at.items()))
                at = ", ".join(f"{key} = {value:.6g}" for key, value in numbers.items())
                raise ModelError(
                    f"optimize: the run with {at} is not differentiable in {name} at {place}; change the bounds or the "
                    "start values"
                )
            self._key, self._gradient = key, found
        return self._gradient

    def slopes(self, found: Gradient) -> np.ndarray:
        """Return the derivatives of the outputs with respect to the unit values."""
        factors = [p.derivative(value) for p, value in zip(self.parameters, found.parameter_values, strict=True)]
        return found.jacobian * np.array(factors)

    def value(self, unit_values: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the objective and its derivative."""
        found = self.evaluate(unit_values)
        if self.targets:
            rest, slopes = self.deviations(unit_values), self.deviation_slopes(unit_values)
            return float(rest @ rest), 2.0 * rest @ slopes
        return self.sign * float(found.values[0]), self.sign * self.slopes(found)[0]

    def deviations(self, unit_values: np.ndarray) -> np.ndarray:
        """Return the relative deviations of the outputs from their targets [-]."""
        found = self.evaluate(unit_values)
        targets = np.array(list(self.targets.values()))
        scale = np.where(targets == 0.0, 1.0, np.abs(targets))
        return (found.values[: len(targets)] - targets) / scale

    def deviation_slopes(self, unit_values: np.ndarray) -> np.ndarray:
        """Return the derivatives of the deviations."""
        targets = np.array(list(self.targets.values()))
        scale = np.where(targets == 0.0, 1.0, np.abs(targets))
        return self.slopes(self.evaluate(unit_values))[: len(targets)] / scale[:, None]

    def solve(self, tolerance: float, max_runs: int) -> Optimum:
        """Optimise from the start values."""
        start = np.array([parameter.to_unit(parameter.start) for parameter in self.parameters])
        start = np.clip(start, NEXT_TO_BOUND, 1.0 - NEXT_TO_BOUND)
        if self.targets and not self.constraints:
            found = self.least_squares(start, tolerance, max_runs)
        else:
            found = self.minimize(start, tolerance, max_runs)
        best = self.evaluate(found.x)
        numbers = dict(zip(best.parameters, best.parameter_values.tolist(), strict=True))
        outputs = dict(zip(best.outputs, best.values.tolist(), strict=True))
        objective = self.sign * self.value(found.x)[0]
        return Optimum(numbers, objective, outputs, self.runs, bool(found.success), str(found.message), best)

    def least_squares(self, start: np.ndarray, tolerance: float, max_runs: int) -> Any:
        """Reach the targets by the Gauss–Newton method."""
        from scipy.optimize import least_squares

        return least_squares(
            self.deviations, start, jac=self.deviation_slopes, bounds=(0.0, 1.0), x_scale="jac", xtol=tolerance,
            ftol=tolerance, gtol=tolerance, max_nfev=max_runs,
        )  # fmt: skip

    def minimize(self, start: np.ndarray, tolerance: float, max_runs: int) -> Any:
        """Minimise the objective, in units of its value at the start."""
        from scipy.optimize import minimize

        scale = abs(self.value(start)[0]) or 1.0

        def scaled(x: np.ndarray) -> tuple[float, np.ndarray]:
            value, slopes = self.value(x)
            return value / scale, slopes / scale

        bounds = [(0.0, 1.0)] * len(start)
        if not self.constraints:
            options = {"ftol": tolerance, "gtol": tolerance, "maxfun": max_runs}
            return minimize(scaled, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        options = {"ftol": tolerance, "maxiter": max_runs}
        conditions = [condition for name in self.constraints for condition in self.conditions(name)]
        return minimize(scaled, start, jac=True, method="SLSQP", bounds=bounds, constraints=conditions, options=options)

    def conditions(self, name: str) -> list[dict[str, Any]]:
        """Return the inequalities of a constraint for SciPy."""
        row, (low, high) = self.outputs.index(name), self.constraints[name]
        scale = max(abs(bound) for bound in (low, high) if math.isfinite(bound)) or 1.0

        def condition(bound: float, sign: float) -> dict[str, Any]:
            return {
                "type": "ineq",
                "fun": lambda x: sign * (self.evaluate(x).values[row] - bound) / scale,
                "jac": lambda x: sign * self.slopes(self.evaluate(x))[row] / scale,
            }

        return [condition(bound, sign) for bound, sign in ((low, 1.0), (high, -1.0)) if math.isfinite(bound)]


def targets_of(objective: Any) -> dict[str, float]:
    """Return the targets of an objective; empty if it is the name of an output."""
    if isinstance(objective, str):
        return {}
    if not isinstance(objective, Mapping) or not objective:
        raise ModelError(
            "optimize: objective must be the name of an output, or targets such as {'block.vx': 3.0}, got "
            f"{short_repr(objective)}"
        )
    return {str(name): finite_float("optimize", f"the target of {name}", value) for name, value in objective.items()}
