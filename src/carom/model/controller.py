"""Controllers: Python functions that are called at exact times in a run and set inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from carom.argument_checks import is_list, object_label, positive, short_repr
from carom.errors import ModelError
from carom.init_arguments import InitArguments
from carom.kernels.user_functions import parameters_of
from carom.model.input import Input
from carom.model.output import Output
from carom.typing import CurrentState


class Controller(InitArguments):
    """Controller: a function of measured values that is called at equal intervals and sets inputs.

    Parameters
    ----------
    period
        time between two calls [s], the first of which is at t = 0. Steps end at these times.
    function
        ``function(t, y)``, or ``function(t, y, state)`` if there is a state. ``y`` is an array of the measured
        values in the order of ``inputs``. It returns the values of the ``outputs``: a number, several in their order, a
        dictionary by name, or None to hold the last ones. It may be compiled with Numba.
    inputs
        what is measured: "cart.x" (a body or element, and one of its signals), the name of an output, a sensor or
        an input, or a function of the current values, as in `Output`.
    outputs
        inputs of the system that the controller sets, or their names.
    state
        object that belongs to the controller, which the function changes in place: an array, a dictionary, an
        object. Every run begins with a copy of it, and saved states of a simulation contain it.

    A controller acts before the step that begins at its time: it measures the values at that time, and its outputs
    apply from there on. Controllers with the same time measure the same values. An exception, or an output that is not
    a finite number, ends the call with an error that names the controller; a driven simulation stays at that time.

    Examples
    --------
    >>> system = cm.System()
    >>> cart = system.add(cm.Body("cart", mass=2.0, inertia=0.1))
    >>> push = system.add(cm.Input("push", unit="N"))
    >>> motor = system.add(cm.PointForce(cart, (push, 0.0)))
    >>> pd = lambda t, y: -20.0 * (y[0] - 0.1) - 8.0 * y[1]
    >>> _ = system.add(cm.Controller(1e-3, pd, inputs=["cart.x", "cart.vx"], outputs=[push]))
    >>> round(float(cm.simulate(system, t_end=5.0, output=0.1)["cart"].x[-1]), 4)
    0.1
    """

    family = "controllers"
    takes_inputs = True

    def __init__(
        self,
        period: float,
        function: Callable[..., object],
        inputs: Sequence[str | Input | Output | Callable[[CurrentState], float]] = (),
        outputs: Sequence[Input | str] = (),
        state: object = None,
        *,
        name: str | None = None,
    ):
        if not callable(function):
            raise ModelError(f"Controller: function must be callable, got {short_repr(function)}")
        self.name: str = name or getattr(function, "__name__", None) or "controller"
        object_label("Controller", self.name)
        self.period = positive(self.label, "period", period)
        self.function, self.state = function, state
        parameters_of(self.label, getattr(function, "py_func", function), (2,) if state is None else (3,))
        for key, value in (("inputs", inputs), ("outputs", outputs)):
            if isinstance(value, str) or not is_list(value):
                raise ModelError(f"{self.label}: {key} must be a list, got {short_repr(value)}")
        self.inputs, self.outputs = tuple(inputs), tuple(output_name(self.label, output) for output in outputs)

    @property
    def label(self) -> str:
        """Class and name, for messages."""
        return f"Controller {vars(self).get('name', '')!r}"

    def __repr__(self) -> str:
        return f"<{self.label}: every {self.period:g} s, sets {', '.join(self.outputs) or 'nothing'}>"


def output_name(owner: str, output: Any) -> str:
    """Return the name of an input that a controller sets."""
    name = output if isinstance(output, str) else getattr(output, "name", None)
    if not isinstance(name, str) or not (isinstance(output, (str, Input))):
        raise ModelError(f"{owner}: outputs must be inputs of the system or their names, got {short_repr(output)}")
    return name
