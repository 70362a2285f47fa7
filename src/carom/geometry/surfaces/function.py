"""Surfaces given by a user's function."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from carom.errors import ModelError, shown
from carom.geometry.surfaces.base import OPEN, PERIODIC, ParametricSurface, checked_side
from carom.geometry.surfaces.checks import Sample, facing
from carom.geometry.surfaces.parts import ends_of, range_of
from carom.geometry.surfaces.written import SurfaceKernel, interpreted, sampled
from carom.kernels.user import name_of, parameters_of


class _OnFirstUse:
    """The kernel of a surface, compiled when it is first asked for."""

    def __get__(self, surface: Any, owner: Any = None) -> Any:
        return self if surface is None else surface.compiled()


class Function(ParametricSurface):
    """s(u, v) -> (x, y, z) [m], a plain Python ``function``, over the ranges ``u`` and ``v`` = (low, high).

    ``u_ends`` and ``v_ends`` say what happens at the ends of each: "open", "periodic" (the surface goes on at the other
    end) or "pole" (it is one point there, and the other parameter is periodic); one word, or two for the lower and the
    upper end. The function is compiled on first use, with the outer values it then has; one that Numba cannot compile
    runs as plain Python. Its derivatives are found by complex steps or differences (see
    `carom.geometry.surfaces.written`); it is never asked beyond open ends and poles for them.

    The normal looks along s_u × s_v; with ``outward_from`` away from that point; ``inside`` turns it.
    """

    kernel = _OnFirstUse()

    styles = {"function": (("u", "v"),)}

    def __init__(
        self,
        function: Callable[[float, float], Any],
        u: tuple[float, float],
        v: tuple[float, float],
        u_ends: Any = OPEN,
        v_ends: Any = OPEN,
        *,
        inside: bool = False,
        outward_from: Any = None,
    ):
        owner = f"{self.label} surface"
        if not callable(function):
            raise ModelError(f"{owner}: expected a function s(u, v) -> (x, y, z), got {shown(function)}")
        parameters_of(owner, function, (2,))
        self.function, self.inside, self.outward_from = function, inside, outward_from
        self.u = self.u_range = range_of(owner, "u", u)
        self.v = self.v_range = range_of(owner, "v", v)
        self.u_ends, self.v_ends = ends_of(owner, "u_ends", u_ends), ends_of(owner, "v_ends", v_ends)
        side = checked_side(owner, inside)
        self._kernel: SurfaceKernel | None = None
        sample = self._checked(owner)
        round_u, round_v = (float(ends[0] == PERIODIC) for ends in (self.u_ends, self.v_ends))
        self.numbers = (side * facing(sample, outward_from), *self.u, round_u, *self.v, round_v)

    @property
    def label(self) -> str:
        function = getattr(self, "function", None)
        return type(self).__name__ if function is None else f"{type(self).__name__} {name_of(function)!r}"

    def _checked(self, owner: str) -> Sample:
        """A sample as Python finds it, each end from its own side: so a kink at a seam is seen."""
        plain = getattr(self.function, "py_func", self.function)

        def asked(u: float, v: float) -> Any:
            value = plain(u, v)
            try:
                x, y, z = (float(part) for part in value)
            except (TypeError, ValueError, OverflowError):
                raise ModelError(
                    f"{owner}: the function must give three numbers (x, y, z), got {shown(value)} at "
                    f"(u, v) = ({u:.6g}, {v:.6g})"
                ) from None
            if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
                raise ModelError(
                    f"{owner}: the function must give finite numbers, got ({x:g}, {y:g}, {z:g}) at "
                    f"(u, v) = ({u:.6g}, {v:.6g})"
                )
            return x, y, z

        kernel, numbers = interpreted(asked), (1.0, *self.u, 0.0, *self.v, 0.0)
        sample = Sample(owner, self, lambda u, v: sampled(kernel, numbers, u, v))
        sample.check_ends()
        sample.check_regular()
        return sample

    def compiled(self) -> SurfaceKernel:
        if self._kernel is None:
            self._kernel = SurfaceKernel(f"{self.label} surface", self.function, self.numbers)
        return self._kernel

    def evaluate(self, u: Any, v: Any) -> np.ndarray:
        """All that the kernel gives; raises what the function raised."""
        out = super().evaluate(u, v)
        kernel = self.compiled()
        error = kernel.error
        if error is not None:
            kernel.forget()
            raise error
        return out
