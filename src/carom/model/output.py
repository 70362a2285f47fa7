"""Outputs of a system: numbers that follow from its motion and signals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.init_arguments import InitArguments
from carom.kernels.expression import expression
from carom.kernels.user_functions import parameters_of
from carom.typing import CurrentState


class Output(InitArguments):
    """Output of a system: a number by name that follows from the current values, by a Python function or a formula.

    ``function`` has one argument: ``s["slider"].x`` and ``s["hinge"].fx`` are current values, with the names of the
    series of a result; ``s["motor torque"]`` is an input, ``s["reach"]`` an output that was added before, ``s.time``
    the time [s]. The result has the output at every node: ``result["slider force"].value``; a driven simulation
    has its current value: ``sim["slider force"]``. A function that raises an error, or returns what is not a number,
    gives NaN and one warning.

    A formula is a text: "0.5 * slider.x", "hinge.fx * slider.vx", with ``"motor torque".value`` for an input or output
    and ``t`` for the time. It can be written in model files and FMUs; Python functions cannot.

    Examples
    --------
    >>> case = cm.gallery.pendulum()
    >>> length = case.system.add(cm.Output("height", lambda s: s["bob"].y, unit="m"))
    >>> twice = case.system.add(cm.Output("twice", "2 * height.value", unit="m"))
    >>> result = cm.simulate(case.system, 0.1)
    >>> bool(result["height"].value[-1] == result["bob"].y[-1])
    True
    >>> bool(result["twice"].value[-1] == 2 * result["bob"].y[-1])
    True
    """

    family = "outputs"

    def __init__(self, name: str, function: Callable[[CurrentState], float] | str, unit: str = ""):
        if not isinstance(name, str) or not name:
            raise ModelError(f"Output: name must be a non-empty string, got {short_repr(name)}")
        self.name = name
        self.formula: str | None = None
        """Text of the formula; None for a Python function."""
        if isinstance(function, str):
            function = formula_output(f"Output {name!r}", function)
            self.formula = function.formula
        if not callable(function):
            raise ModelError(
                f"Output {name!r}: expected a function of the current values or a formula, got {short_repr(function)}"
            )
        parameters_of(f"Output {name!r}", function, (1,))
        if not isinstance(unit, str):
            raise ModelError(f"Output {name!r}: unit must be a text, got {short_repr(unit)}")
        self.function, self.unit = function, unit

    @property
    def label(self) -> str:
        """Class and name, for messages."""
        return f"Output {vars(self).get('name', '')!r}"

    def __repr__(self) -> str:
        return f"<{self.label}{f' [{self.unit}]' if self.unit else ''}>"


class FormulaOutput:
    """Function of the current values that a formula describes."""

    def __init__(self, text: str):
        self.function = expression(text, ("t", "state"))
        """Function of time [s] and state."""
        self.formula: str = self.function.formula  # type: ignore[attr-defined]

    def __call__(self, s: CurrentState) -> float:
        """Return the value of the formula."""
        return float(self.function(s.time, ValuesByField(s)))

    def __reduce__(self) -> Any:
        return type(self), (self.formula,)


class ValuesByField:
    """Current values as formulas read them: numbers of inputs and outputs are their field ``value``."""

    def __init__(self, state: CurrentState):
        self._state = state

    def __getitem__(self, name: str) -> Any:
        item = self._state[name]
        return NumberField(item) if isinstance(item, float) else item


class NumberField:
    """Number with the name ``value``."""

    def __init__(self, value: float):
        self.value = value


def formula_output(owner: str, text: str) -> FormulaOutput:
    """Return the function of a formula; name the owner in its errors."""
    try:
        return FormulaOutput(text)
    except ModelError as error:
        raise ModelError(f"{owner}: {error}") from None
