"""The two decorators: ``@jit`` for helpers called by kernels, ``@kernel(SIGNATURE)`` for what has an address."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numba

from carom.kernels.cache import in_folder
from carom.kernels.plain import PLAIN, PlainKernel

OPTIONS = {"error_model": "numpy", "nogil": True}
"""Division by zero gives inf or nan, as in the formulas; the interpreter lock is released."""


def jit(function: Callable[..., Any]) -> Any:
    """A helper, compiled for the types it is first called with.

    Pass it variables, not literals: a literal argument compiles it a second time.
    """
    helper = numba.njit(**OPTIONS)(function)
    if not PLAIN:
        _cache_when_compiled(helper)
    return helper


def _cache_when_compiled(helper: Any) -> None:
    """Cached from its first compilation on: opening its cache touches the disk, and most helpers are never compiled."""

    def compile_first(signature: Any) -> Any:
        if helper.__dict__.pop("compile", None) is not None:  # else another thread was first
            with in_folder() as cached:
                if cached:
                    helper.enable_caching()
        return helper.compile(signature)

    helper.compile = compile_first


_one_at_a_time = threading.RLock()
"""Threads that want the same kernel must get the same one: its address is what it is known by."""


class Kernel:
    """A function with one fixed signature, compiled when its address is first asked for."""

    def __init__(self, function: Callable[..., Any], signature: Any):
        self.function = function
        self.signature = signature
        self.__module__ = function.__module__
        self.wait: Callable[[], None] | None = None  # until another process has compiled it
        self._compiled: Any = None

    def __repr__(self) -> str:
        return f"<kernel {self.function.__module__}.{self.function.__qualname__}>"

    def __reduce__(self) -> str:
        """Copies and pickles have the kernel itself, by its name."""
        return self.function.__qualname__

    @property
    def ready(self) -> bool:
        """Whether it is compiled, or loaded from the cache."""
        return self._compiled is not None

    @property
    def compiled(self) -> Any:
        if self._compiled is None:
            with _one_at_a_time:
                self._compile()
        return self._compiled

    def _compile(self) -> None:
        if self._compiled is not None:  # by another thread, meanwhile
            return
        if PLAIN:
            self._compiled = PlainKernel(self.function, self.signature)
            return
        if self.wait is not None:
            self.wait()
            self.wait = None
        with in_folder() as cached:
            self._compiled = numba.cfunc(
                self.signature, cache=cached, error_model=OPTIONS["error_model"]
            )(self.function)

    @property
    def address(self) -> int:
        """Address of the machine code; valid while this object lives."""
        return int(self.compiled.address)


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Kernel]:
    return lambda function: Kernel(function, signature)
