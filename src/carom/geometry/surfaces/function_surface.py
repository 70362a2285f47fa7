"""Surface given by a user's function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.geometry.surfaces.base import OPEN, PERIODIC, ParametricSurface, checked_side
from carom.geometry.surfaces.function_kernel import SurfaceKernel, evaluate_in_python, interpreted
from carom.geometry.surfaces.parameter_range import ends_of, range_of
from carom.geometry.surfaces.surface_checks import Sample, facing
from carom.kernels.user_functions import name_of, parameters_of
from carom.typing import PointLike, RangeLike


class _OnFirstUse:
    """Kernel of a surface, compiled on first use."""

    def __get__(self, surface: Any, owner: Any = None) -> Any:
        return self if surface is None else surface.compiled()


class FunctionSurface(ParametricSurface):
    """Surface s(u, v) -> (x, y, z) [m], a Python ``function``, over the ranges ``u`` and ``v`` = (low, high).

    ``u_ends`` and ``v_ends`` are the types of their ends: "open", "periodic" (the surface continues at the other end)
    or "pole" (it is one point there, and the other parameter is periodic); one word, or two for the lower and the
    upper end. The function is compiled on first use, with the current values of its outer variables; a function that
    Numba cannot compile runs as Python. Its derivatives are found by complex steps or differences (see
    `carom.geometry.surfaces.function_kernel`), which do not leave open ends and poles.

    The normal points along s_u × s_v; with ``outward_from`` away from that point; ``inside`` reverses it.

    Examples
    --------
    >>> import carom as cm
    >>> surface = cm.surfaces.FunctionSurface(lambda u, v: (u, v, 0.1 * u * v), u=(0.0, 1.0), v=(0.0, 1.0))
    >>> surface.point(0.5, 0.5).round(6).tolist()
    [0.5, 0.5, 0.025]
    """

    kernel = _OnFirstUse()

    styles = {"function": (("u", "v"),)}

    def __init__(
        self,
        function: Callable[[float, float], PointLike],
        u: RangeLike,
        v: RangeLike,
        u_ends: str | tuple[str, str] = OPEN,
        v_ends: str | tuple[str, str] = OPEN,
        *,
        inside: bool = False,
        outward_from: PointLike | None = None,
    ):
        owner = f"{self.label} surface"
        if not callable(function):
            raise ModelError(f"{owner}: expected a function s(u, v) -> (x, y, z), got {short_repr(function)}")
        parameters_of(owner, function, (2,))
        self.function, self.inside, self.outward_from = function, inside, outward_from
        self.u = self.u_range = range_of(owner, "u", u)
        self.v = self.v_range = range_of(owner, "v", v)
        self.u_ends, self.v_ends = ends_of(owner, "u_ends", u_ends), ends_of(owner, "v_ends", v_ends)
        side = checked_side(owner, inside)
        self._kernel: SurfaceKernel | None = None
        sample = self._checked(owner)
        round_u, round_v = (float(ends[0] == PERIODIC) for ends in (self.u_ends, self.v_ends))
        self.parameters = (side * facing(sample, outward_from), *self.u, round_u, *self.v, round_v)

    @property
    def label(self) -> str:
        """Name of the surface and of its function in messages."""
        function = getattr(self, "function", None)
        return super().label if function is None else f"{super().label} {name_of(function)!r}"

    def _checked(self, owner: str) -> Sample:
        """Return a sample evaluated by Python, each end from its own side, so that a kink at a seam is detected."""
        plain = getattr(self.function, "py_func", self.function)

        def checked(u: float, v: float) -> Any:
            value = plain(u, v)
            try:
                x, y, z = (float(part) for part in value)
            except (TypeError, ValueError, OverflowError):
                raise ModelError(
                    f"{owner}: the function must return three numbers (x, y, z), got {short_repr(value)} at "
                    f"(u, v) = ({u:.6g}, {v:.6g})"
                ) from None
            if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
                raise ModelError(
                    f"{owner}: the function must return finite numbers, got ({x:g}, {y:g}, {z:g}) at "
                    f"(u, v) = ({u:.6g}, {v:.6g})"
                )
            return x, y, z

        kernel, parameters = interpreted(checked), (1.0, *self.u, 0.0, *self.v, 0.0)
        sample = Sample(owner, self, lambda u, v: evaluate_in_python(kernel, parameters, u, v))
        sample.check_ends()
        sample.check_regular()
        return sample

    def compiled(self) -> SurfaceKernel:
        """Return the kernel; compile it on first use."""
        if self._kernel is None:
            self._kernel = SurfaceKernel(f"{self.label} surface", self.function, self.parameters)
        return self._kernel

    def evaluate(self, u: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Return the output of the kernel; raise the error of the function, if any."""
        out = super().evaluate(u, v)
        kernel = self.compiled()
        error = kernel.error
        if error is not None:
            kernel.forget()
            raise error
        return out
