"""Functions of a `GeneralizedSystem`, checked by an evaluation in its initial state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.kernels.state_functions import Function
from carom.kernels.user_functions import name_of
from carom.model.generalized_checks import as_array, constant_function, shape_text, used_arguments


@dataclass(frozen=True)
class InitialState:
    """Initial state q0, u0 of the system ``label`` at t = 0, in which every function must have valid values."""

    label: str
    q0: tuple[float, ...]
    u0: tuple[float, ...]

    def functions(self, what: str, value: Any, allowed: str) -> list[Function]:
        """Return the functions of gaps or tangential directions: one for all contacts, or one per contact."""
        if callable(value):
            return [self.function(what, value, allowed, None)]
        if not isinstance(value, (list, tuple)) or not all(callable(function) for function in value) or not value:
            raise ModelError(f"{self.label}: {what} must be a function or a list of functions, got {short_repr(value)}")
        shapes = [(), (1,)] if what == "gaps" else [(), (1,), (2,)]
        return [self.function(f"{what}[{k}]", function, allowed, shapes) for k, function in enumerate(value)]

    def function(self, what: str, value: Any, allowed: str, shapes: Sequence[tuple[int, ...]] | None) -> Function:
        """Return a function of some of q, u and t, or a constant array, after an evaluation in the initial state."""
        owner = f"{self.label}: {what}"
        is_constant = not callable(value)
        if is_constant:
            value = constant_function(as_array(owner, value))
        used = used_arguments(owner, value, allowed)
        state = {"q": _read_only(self.q0), "u": _read_only(self.u0), "t": 0.0}
        try:
            sample = getattr(value, "py_func", value)(**{key: state[key] for key in used})
        except Exception as error:
            raise ModelError(f"{owner}: {name_of(value)!r} raised {type(error).__name__} in the initial state (q0, u0, "
                             f"t = 0): {error}") from error  # fmt: skip
        shape = as_array(owner, sample).shape
        if shapes is None:
            shapes = [shape] if len(shape) < 2 or (len(shape) == 2 and what == "tangential") else [(shape[0],)]
        if shape not in shapes or 0 in shape:
            expected = " or ".join(shape_text(shape) for shape in shapes)
            raise ModelError(f"{owner}: must return {expected}, got {shape_text(shape)}: {sample!r}")
        return Function(self.label, value, used, sample, len(self.q0), is_constant)

    def values(self, function: Function) -> np.ndarray:
        """Return the values of a function in the initial state."""
        return function.evaluate(np.array(self.q0), np.array(self.u0), 0.0)

    def check_finite(self, what: str, function: Function, names: Sequence[str]) -> None:
        """Raise unless all values of a function are finite in the initial state."""
        for value, name in zip(self.values(function), names, strict=False):
            if not np.isfinite(value):
                raise ModelError(f"{self.label}: {what}{f' of {name!r}' if name else ''} must be finite, got {value} "
                                 "in the initial state (q0, u0, t = 0)")  # fmt: skip


def _read_only(values: Sequence[float]) -> np.ndarray:
    """Return a state that user functions cannot change."""
    array = np.array(values)
    array.flags.writeable = False
    return array
