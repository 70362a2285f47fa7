"""Outputs of a system: numbers that follow from its motion and signals."""

from __future__ import annotations

from collections.abc import Callable

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.init_arguments import InitArguments
from carom.kernels.user_functions import parameters_of
from carom.typing import CurrentState


class Output(InitArguments):
    """Output of a system: a number by name that a Python function computes from the current values.

    ``function`` has one argument: ``s["slider"].x`` and ``s["hinge"].fx`` are current values, with the names of the
    series of a result; ``s["motor torque"]`` is an input, ``s["reach"]`` an output that was added before, ``s.time``
    the time [s]. The result has the output at every node: ``result["slider force"].value``; a driven simulation
    has its current value: ``sim["slider force"]``. A function that raises an error, or returns what is not a number,
    gives NaN and one warning.

    Examples
    --------
    >>> case = cm.gallery.pendulum()
    >>> length = case.system.add(cm.Output("height", lambda s: s["bob"].y, unit="m"))
    >>> result = cm.simulate(case.system, 0.1)
    >>> bool(result["height"].value[-1] == result["bob"].y[-1])
    True
    """

    family = "outputs"

    def __init__(self, name: str, function: Callable[[CurrentState], float], unit: str = ""):
        if not isinstance(name, str) or not name:
            raise ModelError(f"Output: name must be a non-empty string, got {short_repr(name)}")
        self.name = name
        if not callable(function):
            raise ModelError(f"Output {name!r}: expected a function of the current values, got {short_repr(function)}")
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
