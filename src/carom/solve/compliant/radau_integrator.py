"""Implicit steps, seen from Python: records, arrays and kernels, built when a run first takes one."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.compiled_model.implicit_solver import implicit_solver
from carom.kernels.background_compilation import compile_ahead
from carom.kernels.interpreted import Row, address_of_argument, array_address
from carom.mechanics import implicit_matrix, implicit_solution
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.radau.coefficients import N_STAGES
from carom.solve.radau.radau_step import radau_step
from carom.solve.radau.records import RADAU, RADAU_MEMORY

STATES, INDENTATION, POWER = 2.0, 50.0, 0.85
"""Tolerances of implicit steps, from those of explicit ones as 2 rtol^0.85, and as 50 rtol^0.85 for the indentation
of loaded contacts: the error estimate is of lower order than the method, and contacts damp the error of a step."""
KERNELS = {
    "factorise_real_kernel": implicit_matrix.factorise_real,
    "factorise_complex_kernel": implicit_matrix.factorise_complex,
    "solve_real_kernel": implicit_solution.solve_real,
    "solve_complex_kernel": implicit_solution.solve_complex,
}
"""Kernels of the linear systems, by the fields of `IMPLICIT_SOLVER`."""
SAVED = ("jacobians", "real_values", "complex_values", "last_increments")
"""Arrays that the next step needs."""


class ImplicitSteps:
    """Record `RADAU` of a run with its arrays; ``rk`` is the record `RUNGE_KUTTA` of the run."""

    def __init__(self, request: IntegrationRequest, rk: Row):
        tables = request.mechanism.tables
        size, n_states = request.mechanism.controlled, len(request.y)
        compile_ahead([implicit_solution.solve_real, implicit_solution.solve_complex])
        self.step_kernel = tables.address(radau_step)
        self.arrays: dict[str, np.ndarray] = {
            "transformed": np.zeros((N_STAGES, size)), "increments": np.zeros((N_STAGES, size)),
            "last_increments": np.zeros((N_STAGES, size)), "stage_rhs": np.zeros((N_STAGES, n_states)),
            "y_stage": np.zeros(n_states), "real_residual": np.zeros(n_states),
            "complex_residual": np.zeros(n_states, complex), "change": np.zeros(n_states),
        }  # fmt: skip
        self.solver = implicit_solver(tables)
        for name, kernel in KERNELS.items():
            setattr(self.solver.record, name, tables.address(kernel))
        self.record = RADAU.new(
            rk=address_of_argument(rk), solver=address_of_argument(self.solver.record),
            jacobians_kernel=tables.address(tables.kind.jacobians_kernel) if tables.contacts else 0,
            rtol=STATES * request.rtol**POWER, atol=STATES * request.atol**POWER,
            indentation_rtol=INDENTATION * request.rtol**POWER,
        )  # fmt: skip
        for name, array in self.arrays.items():
            setattr(self.record, name, array_address(array))
        self.memory = self.record.memory
        self.memory.needs_jacobian = 1

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        arrays = {**self.arrays, **self.solver.arrays}
        saved: dict[str, Any] = {f"implicit {name}": arrays[name] for name in SAVED}
        saved["implicit jacobians"] = saved["implicit jacobians"].view(np.int64)
        saved["implicit complex_values"] = saved["implicit complex_values"].view(float)
        return {**saved, "implicit memory": RADAU_MEMORY.numbers(self.memory)}
