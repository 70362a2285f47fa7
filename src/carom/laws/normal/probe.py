"""A law's kernel called from Python, on many states at once."""

from __future__ import annotations

import numpy as np

from carom.kernels import Kernel, call_normal, floats, jit, offset
from carom.kernels.user import UserKernel


@jit
def _evaluate(address, par, states, outs, count, width, depth):
    for k in range(count):
        call_normal(address, floats(par), offset(floats(states), k * width), offset(floats(outs), k * depth))


class Probe:
    """Calls a normal law's kernel through its address, as the solvers do."""

    def __init__(self, kernel: Kernel | UserKernel, parameters: tuple[float, ...]):
        self.kernel = kernel
        self.address = kernel.address
        self.par = np.array([*parameters, 0.0])

    def __call__(self, states: np.ndarray, outs: np.ndarray) -> np.ndarray:
        """``outs``, one row for each row of ``states``; both are contiguous."""
        count, width = states.shape
        par, state, out = self.par.ctypes.data, states.ctypes.data, outs.ctypes.data
        _evaluate(self.address, par, state, out, count, width, outs.shape[1])
        if isinstance(self.kernel, UserKernel) and self.kernel.error is not None:
            error = self.kernel.error
            self.kernel.forget()
            raise error
        return outs
