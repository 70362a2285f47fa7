"""A law's kernel called from Python, on many states at once."""

from __future__ import annotations

import ctypes

import numpy as np

from carom.kernels import Kernel
from carom.kernels.user import UserKernel

_NORMAL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class KernelEvaluator:
    """Calls a normal law's kernel through its address, as the solvers do."""

    def __init__(self, kernel: Kernel | UserKernel, parameters: tuple[float, ...]):
        self.kernel = kernel
        self.function = _NORMAL(kernel.address)
        self.par = np.array([*parameters, 0.0])

    def __call__(self, states: np.ndarray, outs: np.ndarray) -> np.ndarray:
        """``outs``, one row for each row of ``states``; both are contiguous."""
        par, state, out = self.par.ctypes.data, states.ctypes.data, outs.ctypes.data
        for k in range(len(states)):
            self.function(par, state + k * states.strides[0], out + k * outs.strides[0])
        if isinstance(self.kernel, UserKernel) and self.kernel.error is not None:
            error = self.kernel.error
            self.kernel.forget()
            raise error
        return outs
