"""The two decorators: ``@jit`` for helpers called by kernels, ``@kernel(SIGNATURE)`` for functions with an address."""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from carom.kernels.argument_types import RECORD, Signature, c_function
from carom.kernels.interpreted import PLAIN, PlainKernel, array_address
from carom.kernels.prebuilt import address_of
from carom.kernels.record import RecordType


class Helper:
    """A function that kernels call, compiled for the types they call it with.

    A call from Python needs wrappers that take a sixth of the time to compile, and most helpers are never called so.
    Those that are get compiled once more for it.
    """

    def __init__(self, function: Callable[..., Any], inline: bool = False):
        functools.update_wrapper(self, function)
        self.py_func = function
        self._inline = inline

    @functools.cached_property
    def _inside(self) -> Any:
        from carom.kernels.helper_compiler import helper_dispatcher

        return helper_dispatcher(self.py_func, self._inline)

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """Type of this object in compiled code."""
        from carom.kernels.numba_compat import type_of_dispatcher

        return type_of_dispatcher(self._inside)

    @functools.cached_property
    def _from_python(self) -> Any:
        function = self.py_func
        called = FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        # Under another name: the cache knows functions by theirs.
        called.__module__, called.__qualname__ = function.__module__, f"{function.__qualname__}_from_python"
        from carom.kernels.numba_compat import dispatcher

        return dispatcher(called, cached=True)

    def __call__(self, *arguments: Any) -> Any:
        """Call the function from Python."""
        return self._from_python(*arguments)

    def __repr__(self) -> str:
        return f"<compiled {self.py_func.__module__}.{self.py_func.__qualname__}>"

    def __reduce__(self) -> str:
        """Return the name of the function: copies and pickles refer to it by name."""
        return self.py_func.__qualname__


def jit(function: Callable[..., Any] | None = None, *, inline: bool = False) -> Any:
    """Make a function a helper, compiled for the types it is first called with; see `Helper`.

    With ``inline`` its code becomes a part of its callers, also where the compiler would consider it too long.
    """
    if function is None:
        return functools.partial(jit, inline=inline)
    return function if PLAIN else Helper(function, inline)


_one_at_a_time = threading.RLock()
"""Threads that want the same kernel must get the same one: its address is what it is known by."""


class Kernel:
    """A function with one fixed signature, compiled when its address is first asked for."""

    def __init__(self, function: Callable[..., Any], family: Any, records: tuple[RecordType, ...] = ()):
        self.function = function
        self.family = family
        self.records = records
        self.__module__ = function.__module__
        self.wait: Callable[[], None] | None = None  # until another process has compiled it
        self.is_known_in_cache = False
        self._compiled: Any = None
        self._address: int | None = None

    def __repr__(self) -> str:
        return f"<kernel {self.function.__module__}.{self.function.__qualname__}>"

    def __reduce__(self) -> str:
        """Return the name of the kernel: copies and pickles refer to it by name."""
        return self.function.__qualname__

    @functools.cached_property
    def signature(self) -> Any:
        """Signature of the family with the records of this kernel."""
        return with_records(self.family, *self.records)

    @property
    def ready(self) -> bool:
        """True if the kernel needs no compilation: it is compiled, loaded from the cache, or in the library."""
        return self._compiled is not None or self._prebuilt_address is not None

    @property
    def compiled(self) -> Any:
        """Compiled form; compiled, or loaded from the cache, on first use."""
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
        from carom.kernels.numba_compat import compile_callback

        self._compiled = compile_callback(self.function, self.signature)

    @property
    def address(self) -> int:
        """Address of the machine code, from the library of this installation if possible; valid with this object."""
        if self._address is None:
            prebuilt = self._prebuilt_address
            self._address = int(self.compiled.address) if prebuilt is None else prebuilt
        return self._address

    @functools.cached_property
    def _prebuilt_address(self) -> int | None:
        return address_of(self.function, self.signature)

    def call(self, *arguments: Any) -> Any:
        """Call it from Python: arrays and tables are passed by the address of their data."""
        return self._entry(*[array_address(value) if isinstance(value, np.ndarray) else value for value in arguments])

    @functools.cached_property
    def _entry(self) -> Any:
        entry = c_function(self.signature, ctypes.c_void_p)(self.address)
        entry.kernel = self  # alive as long as what calls it
        return entry


def with_records(signature: Signature, *records: Any) -> Signature:
    """Return the signature of a family with `RECORD` replaced by these records."""
    kinds = iter(records)
    return Signature(signature.result, tuple(next(kinds) if kind == RECORD else kind for kind in signature.arguments))


def kernel(signature: Any, *records: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a function a kernel of a family; ``records`` replace `RECORD` in its signature, in order.

    A kernel that reads bare numbers instead of a record has a pointer type there.
    """
    return lambda function: Kernel(function, signature, records)
