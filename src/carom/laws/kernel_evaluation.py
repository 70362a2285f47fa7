"""Evaluation of a law's kernel from Python, for many states in one call."""

from __future__ import annotations

import numpy as np

from carom.kernels import Kernel
from carom.kernels.argument_types import Signature, c_function
from carom.kernels.user_functions import UserKernel
from carom.laws.base import raise_user_error


class KernelEvaluator:
    """Calls the kernel of a normal or friction law through its address, as the solvers do."""

    def __init__(self, family: Signature, kernel: Kernel | UserKernel, parameters: tuple[float, ...]):
        self.kernel = kernel
        self.function = c_function(family)(kernel.address)
        self.params = np.array([*parameters, 0.0])  # not empty, so that it has an address

    def __call__(self, inputs: np.ndarray, outputs: np.ndarray) -> np.ndarray:
        """Fill and return ``outputs``, one row per row of ``inputs``: contiguous tables of law records."""
        params, law_input, law_output = self.params.ctypes.data, inputs.ctypes.data, outputs.ctypes.data
        for k in range(len(inputs)):
            self.function(params, law_input + k * inputs.itemsize, law_output + k * outputs.itemsize)
        raise_user_error(self.kernel)
        return outputs
