"""Number whose value is that of an input of a simulation, now or later: ``factor · input + offset``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from carom.errors import ModelError

MAX_COMPONENTS = 12
"""Length of the longest list that is searched for inputs."""


class Source(Protocol):
    """An input, as numbers that follow it see it."""

    name: str
    hold: str
    initial: float
    function: Callable[[float], float] | None

    @property
    def label(self) -> str:
        """Class and name, for messages."""

    @property
    def varies(self) -> bool:
        """True if it changes between the times at which it is set."""


class InputValue(float):
    """Number ``factor · input + offset``: a float with the initial value, where a number is enough.

    Objects that record their arguments follow the input in a run. Other operations than +, −, · and / with numbers
    would lose the input, and are refused.
    """

    input: Source
    factor: float
    offset: float

    def _of_input(self, factor: float, offset: float) -> InputValue:
        """Return ``factor · input + offset`` of the same input."""
        value = float.__new__(InputValue, factor * self.input.initial + offset)
        value.input, value.factor, value.offset = self.input, factor, offset
        return value

    def _number(self, other: Any, operation: str) -> float:
        """Return the other operand; raise unless it is a plain number."""
        if isinstance(other, InputValue) or not isinstance(other, (int, float)):
            raise ModelError(
                f"Input {self.input.name!r}: {operation} requires a number; use a function of the state instead, with "
                f"s[{self.input.name!r}].value"
            )
        return float(other)

    def __neg__(self) -> InputValue:
        return self._of_input(-self.factor, -self.offset)

    def __pos__(self) -> InputValue:
        return self

    def __add__(self, other: Any) -> InputValue:
        return self._of_input(self.factor, self.offset + self._number(other, "+"))

    def __sub__(self, other: Any) -> InputValue:
        return self._of_input(self.factor, self.offset - self._number(other, "-"))

    def __rsub__(self, other: Any) -> InputValue:
        return self._of_input(-self.factor, self._number(other, "-") - self.offset)

    def __mul__(self, other: Any) -> InputValue:
        number = self._number(other, "*")
        return self._of_input(self.factor * number, self.offset * number)

    def __truediv__(self, other: Any) -> InputValue:
        return self * (1.0 / self._number(other, "/"))

    __radd__, __rmul__ = __add__, __mul__

    def _refuse(self, *_: Any) -> Any:
        raise ModelError(
            f"Input {self.input.name!r}: only +, -, * and / with numbers are possible; use a function of the state "
            f"instead, with s[{self.input.name!r}].value"
        )

    __pow__ = __rpow__ = __rtruediv__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __abs__ = _refuse

    def at(self, value: float) -> float:
        """Return the number for a value of the input."""
        return self.factor * value + self.offset

    def __hash__(self) -> int:
        return float.__hash__(self)

    def __eq__(self, other: object) -> bool:
        return float.__eq__(self, other) is True

    def __repr__(self) -> str:
        return f"{self.factor:g} * <Input {self.input.name!r}> + {self.offset:g}"

    def __reduce__(self) -> Any:
        return _rebuilt, (self.input, self.factor, self.offset)


def _rebuilt(source: Any, factor: float, offset: float) -> InputValue:
    """Return a number that follows an input; for pickling and copies."""
    value: InputValue = source._of_input(factor, offset)
    return value


def inputs_in(value: Any) -> list[InputValue]:
    """Return the numbers that follow inputs in an argument: a number, or a short list of numbers."""
    if isinstance(value, InputValue):
        return [value]
    if isinstance(value, (tuple, list)) and len(value) <= MAX_COMPONENTS:
        return [item for item in value if isinstance(item, InputValue)]
    return []
