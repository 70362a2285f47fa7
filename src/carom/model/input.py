"""Inputs of a system: numbers that change during a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

from carom.argument_checks import finite_float, one_of, short_repr, vector
from carom.errors import ModelError
from carom.input_value import InputValue
from carom.kernels.expression_breaks import declared_breaks
from carom.kernels.user_functions import parameters_of

HOLDS = ("zero-order", "linear")
"""Course of an input between the times at which it is set."""


class Input(InputValue):
    """Input of a system: a number that changes during a run, by the user, a controller or another program.

    Parameters
    ----------
    name
        name of the input; ``sim[name] = 3.2`` sets it in a `Simulation`, and ``result[name].value`` is its series.
    unit
        its unit, for results.
    value
        initial value; or a function of time [s]; or a table (times, values), which ``hold`` interpolates.
    hold
        "zero-order" holds a value until the next one; "linear" changes to it evenly during the next ``advance``,
        or during the period of the controller that sets it.

    An input is used where a number is expected: in forces, torques, tensions and other parameters of force elements, in
    normal and friction laws, as the speed of a `ConstantSpeed`, and, with ``hold="linear"``, as the motion of a
    `Driver`; also ``-u`` or ``0.5 * u + 2.0``. Functions of the state read ``s["motor torque"].value``, formulas
    ``"motor torque".value``. A change of a parameter of a spring or law in contact changes the stored energy at once.

    Examples
    --------
    >>> system = cm.System()
    >>> rotor = system.add(cm.Body("rotor", mass=1.0, inertia=0.5))
    >>> u = system.add(cm.Input("motor torque", unit="N m"))
    >>> motor = system.add(cm.Torque(rotor, u))
    >>> sim = cm.Simulation(system)
    >>> sim["motor torque"] = 2.0
    >>> sim.advance(0.5)
    >>> round(sim["rotor"].omega, 9), sim["motor torque"]
    (2.0, 2.0)
    """

    family = "inputs"

    def __new__(
        cls,
        name: str,
        unit: str = "",
        value: float | Callable[[float], float] | Sequence[Sequence[float]] = 0.0,
        hold: Literal["zero-order", "linear"] = "zero-order",
    ) -> Input:
        """Return an input; it is a float with the initial value."""
        if not isinstance(name, str) or not name:
            raise ModelError(f"Input: name must be a non-empty string, got {short_repr(name)}")
        owner = f"Input {name!r}"
        if not isinstance(unit, str):
            raise ModelError(f"{owner}: unit must be a text, got {short_repr(unit)}")
        function, table = None, None
        if callable(value):
            parameters_of(owner, value, (1,))
            function, initial = value, finite_float(owner, "value at t = 0", value(0.0))
        elif isinstance(value, (tuple, list)):
            table = checked_table(owner, value)
            initial = table[1][0]
        else:
            initial = finite_float(owner, "value", value)
        self = float.__new__(cls, initial)
        self.name, self.unit, self.initial, self.function, self.table = name, unit, initial, function, table
        self.value = value
        self.hold = one_of(owner, "hold", hold, HOLDS)
        self.input, self.factor, self.offset = self, 1.0, 0.0
        return self

    name: str
    unit: str
    hold: str
    initial: float
    """Value at t = 0."""
    function: Callable[[float], float] | None
    """Function of time that it follows until it is set; None if there is none."""
    table: tuple[tuple[float, ...], tuple[float, ...]] | None
    """Times [s] and values that it follows until it is set; None if there are none."""
    value: Any
    """The argument ``value``."""

    @property
    def label(self) -> str:
        """Class and name, for messages."""
        return f"Input {self.name!r}"

    @property
    def varies(self) -> bool:
        """True if it changes between the times at which it is set."""
        return self.function is not None or self.hold == "linear"

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which its function of time is not smooth [s]."""
        return () if self.function is None else tuple(declared_breaks(self.label, self.function))

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments of an equal input."""
        return {"name": self.name, "unit": self.unit, "value": self.value, "hold": self.hold}

    def __repr__(self) -> str:
        return f"<Input {self.name!r}: {f'{self.initial:g} {self.unit}'.rstrip()}, {self.hold}>"

    def __reduce__(self) -> Any:
        return type(self), (self.name, self.unit, self.value, self.hold)


def checked_table(owner: str, table: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return times [s] and values of a table; raise unless the times rise from 0 or later."""
    if len(table) != 2:
        raise ModelError(f"{owner}: value must be a number, a function of time or (times, values)")
    times, values = vector(owner, "times", table[0]), vector(owner, "values", table[1])
    if len(times) != len(values) or not times:
        raise ModelError(f"{owner}: times and values must have the same length, got {len(times)} and {len(values)}")
    if times[0] < 0.0 or any(not a < b for a, b in zip(times, (*times[1:], math.inf), strict=True)):
        raise ModelError(f"{owner}: times must be positive or zero, and rise, got {short_repr(times)}")
    return times, values
