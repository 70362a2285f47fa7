"""Arrays and kernels behind a record `MODEL`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from carom.kernels.interpreted import Row, array_address
from carom.kernels.user_functions import UserKernel
from carom.mechanics.model_record import MODEL, SETTINGS


class ModelData:
    """Record of a model, with the arrays and kernels that it points at; they live as long as this object."""

    def __init__(self) -> None:
        self.model: Row = MODEL.new()
        self.arrays: dict[str, np.ndarray] = {}
        self.kernels: list[Any] = []
        self.user_kernels: list[UserKernel] = []
        """Kernels of functions written by the user."""
        self.solver_arrays: dict[str, np.ndarray] = {}

    @property
    def settings(self) -> Row:
        """The record `SETTINGS` of the model."""
        return SETTINGS(self["settings"])

    def set_array(self, field: str, array: np.ndarray) -> np.ndarray:
        """Store an array and set its address in a field of the record."""
        self.arrays[field] = array = np.ascontiguousarray(array)
        setattr(self.model, field, array_address(array))
        return array

    def __getitem__(self, field: str) -> np.ndarray:
        """Return the array that a field points at."""
        return self.arrays[field]

    def address(self, kernel: Any) -> int:
        """Return the address of a kernel and keep it alive."""
        self.kernels.append(kernel)
        if isinstance(kernel, UserKernel):
            self.user_kernels.append(kernel)
        return int(kernel.address)

    def use_solver(self, solver: Any, fields: dict[str, Any]) -> None:
        """Set the linear solver: a module with two kernels and a record, and the values of its fields."""
        self.solver_arrays = {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
        table = solver.SOLVER_DATA.zeros()
        for name, value in fields.items():
            table[name] = array_address(value) if isinstance(value, np.ndarray) else value
        self.set_array("solver", table)
        self.model.factorise_kernel = self.address(solver.factorise)
        self.model.solve_kernel = self.address(solver.solve)


def take_user_error(kernels: Iterable[UserKernel]) -> BaseException | None:
    """Return the first exception of a user's function in compiled code, with a note on its owner, and clear it."""
    for kernel in kernels:
        error = kernel.error
        if error is not None:
            kernel.forget()
            error.add_note(f"raised in a function of {kernel.owner}")
            return error
    return None
