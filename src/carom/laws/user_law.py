"""User-defined laws: a plain Python function, compiled on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.kernels import Kernel, record
from carom.kernels.captured_values import identity
from carom.kernels.user_functions import UserKernel, name_of, parameters_of
from carom.laws.base import Law


class UserLaw(Law):
    """Law around a user's ``function``; ``wrap`` builds the kernel from it."""

    reference = "the user's function"
    arguments = ("function", "name")
    params = record()
    signature: ClassVar[Any]
    """Signature of the kernel with its records."""

    def __init__(self, owner: str, function: Callable[..., float], name: str | None, counts: tuple[int, ...]):
        if not callable(function):
            raise ModelError(f"{owner}: function must be a Python function, got {short_repr(function)}")
        self.count = parameters_of(owner, function, counts)
        self.function = function
        if name is not None and not isinstance(name, str):
            raise ModelError(f"{owner}: name must be a string, got {short_repr(name)}")
        self.name = name or name_of(function)
        self._kernels: dict[Any, UserKernel] = {}

    def compiled(self, label: str, body_dtype: np.dtype) -> Kernel | UserKernel:
        """Return the kernel; it is compiled again when the function, or a value that it captures, has changed."""
        key = identity(self.function)
        if key in self._kernels:
            return self._kernels[key]
        kernel = UserKernel(label, self.function, self.signature, self.wrap, body_dtype)
        if key is not None:
            self._kernels[key] = kernel
        return kernel

    def wrap(self, f: Any, view: Any) -> Any:
        """Return the kernel that calls the user's function ``f``, compiled or interpreted."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UserLaw) and type(other) is type(self) and other.function == self.function

    def __hash__(self) -> int:
        return hash((type(self), self.function))
