"""Base class of prescribed motions, functions of time with two derivatives.

`prescribed_motion` contains the built-in motions and their registry, `function_motion` the motion by a Python function.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from carom.init_arguments import Sealed
from carom.input_value import InputValue
from carom.kernels import Kernel
from carom.kernels.user_functions import UserKernel


class Motion(Sealed):
    """Function of time with two derivatives: a ``kernel`` and its ``parameters``, named by the kernel's record.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> hinge = system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0)))
    >>> isinstance(system.add(cm.Driver(hinge, lambda t: 0.1 * t)).motion, cm.Motion)
    True
    """

    kernel: ClassVar[Kernel]
    input: InputValue | None = None
    """Input that it follows, or that its speed follows."""
    breaks: tuple[float, ...] = ()
    """Times at which the second derivative is discontinuous; integration steps end there [s]."""
    is_polynomial: ClassVar[bool] = False
    """True if the motion is a polynomial of time between its breaks."""
    span: tuple[float, float] = (-math.inf, math.inf)
    """First and last time at which the motion is defined [s]."""
    styles: ClassVar[Mapping[str, tuple[tuple[str, ...], ...]]] = {}
    """Argument lists that functions passed to the constructor may have."""

    @property
    def shortest_change(self) -> float:
        """Shortest time in which the motion changes between its breaks [s]: infinite for a polynomial, 0 if unknown."""
        return math.inf if self.is_polynomial else 0.0

    def parameters(self, current_value: float) -> Sequence[float]:
        """Return the parameters of the kernel, for a coordinate with the current value ``current_value``."""
        raise NotImplementedError

    def compiled(self, owner: str, body_dtype: np.dtype) -> Kernel | UserKernel:
        """Return the kernel; ``owner`` and ``body_dtype`` are used by functions of users only."""
        return self.kernel

    def keywords(self) -> dict[str, Any]:
        """Return the constructor arguments of this motion, without those that are None."""
        arguments = {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
        return {name: value for name, value in arguments.items() if value is not None}

    @property
    def shown(self) -> dict[str, Any]:
        """Attributes in its representation."""
        return {key: value for key, value in vars(self).items() if key[0] != "_" and key != "input"}

    def __repr__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in self.shown.items())
        return f"{type(self).__name__}({inside})"
