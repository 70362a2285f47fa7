"""Laws written by users: the plain Python function is compiled on first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from carom.errors import ModelError, shown
from carom.kernels import Kernel
from carom.kernels.user import UserKernel, captured, name_of, parameters_of
from carom.laws.base import Law


class UserLaw(Law):
    """A law around a user's ``function``; ``wrap`` makes it the kernel of its family."""

    reference = "the user's function"
    arguments = ("function", "name")
    signature: ClassVar[Any]
    sizes: ClassVar[tuple[int | None, ...]]
    """How many numbers stand behind each argument of the kernel but the last (None for a plain number)."""

    def __init__(self, owner: str, function: Callable[..., float], name: str | None, counts: tuple[int, ...]):
        if not callable(function):
            raise ModelError(f"{owner}: expected a function, got {shown(function)}")
        self.count = parameters_of(owner, function, counts)
        self.function = function
        if name is not None and not isinstance(name, str):
            raise ModelError(f"{owner}: name must be a text, got {shown(name)}")
        self.name = name or name_of(function)
        self.parameters = ()
        self._kernels: dict[Any, UserKernel] = {}

    def compiled(self, label: str, record: np.dtype) -> Kernel | UserKernel:
        """The kernel; kept while the values that the function captured stay the same."""
        key = captured(self.function)
        if key in self._kernels:
            return self._kernels[key]
        kernel = UserKernel(label, self.function, self.signature, self.wrap, record, self.sizes)
        if key is not None:
            self._kernels[key] = kernel
        return kernel

    def wrap(self, f: Any, view: Any) -> Any:
        """The kernel around ``f``, the user's function, compiled or not."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UserLaw) and type(other) is type(self) and other.function == self.function

    def __hash__(self) -> int:
        return hash((type(self), self.function))
