"""The two decorators: ``@jit`` for helpers called by kernels, ``@kernel(SIGNATURE)`` for functions with an address."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba import types

from carom.kernels.interpreted import PLAIN, PlainKernel, array_address, c_type
from carom.kernels.numba_compat import (
    OPTIONS,
    cache_on_first_compilation,
    compile_callback,
    ignore_literals,
)
from carom.kernels.record import RecordType
from carom.kernels.signatures import RECORD

ADDRESSED = (types.CPointer, types.RawPointer, types.Record)
"""Arguments that are passed as addresses."""


class Helper:
    """A function that kernels call, compiled for the types they call it with.

    A call from Python needs wrappers that take a sixth of the time to compile, and most helpers are never called so.
    Those that are get compiled once more for it.
    """

    def __init__(self, function: Callable[..., Any], inline: bool = False):
        functools.update_wrapper(self, function)
        self.py_func = function
        self._options = {**OPTIONS, "forceinline": True} if inline else OPTIONS

    @functools.cached_property
    def _inside(self) -> Any:
        from carom.kernels.helper_compiler import HelperCompiler

        options = {**self._options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        inside = numba.njit(pipeline_class=HelperCompiler, **options)(self.py_func)
        cache_on_first_compilation(inside)
        ignore_literals(inside)
        return inside

    @functools.cached_property
    def _numba_type_(self) -> Any:
        """Type of this object in compiled code."""
        return types.Dispatcher(self._inside)

    @functools.cached_property
    def _from_python(self) -> Any:
        function = self.py_func
        called = FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        # Under another name: the cache knows functions by theirs.
        called.__module__, called.__qualname__ = function.__module__, f"{function.__qualname__}_from_python"
        outside = numba.njit(**OPTIONS)(called)
        cache_on_first_compilation(outside)
        return outside

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
        """True if the kernel is compiled or loaded from the cache."""
        return self._compiled is not None

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
        self._compiled = compile_callback(self.function, self.signature)

    @property
    def address(self) -> int:
        """Address of the machine code; valid while this object lives."""
        return int(self.compiled.address)

    def call(self, *arguments: Any) -> Any:
        """Call it from Python: arrays and tables are passed by the address of their data."""
        return self._entry(*[array_address(value) if isinstance(value, np.ndarray) else value for value in arguments])

    @functools.cached_property
    def _entry(self) -> Any:
        arguments = [types.voidptr if isinstance(kind, ADDRESSED) else kind for kind in self.signature.args]
        entry = c_type(self.signature.return_type(*arguments))(self.address)
        entry.kernel = self  # alive as long as what calls it
        return entry


def _type_of(record: Any) -> Any:
    return record.type if isinstance(record, RecordType) else record


def with_records(signature: Any, *records: Any) -> Any:
    """Return the signature of a family with `RECORD` replaced by these records."""
    kinds = iter(records)
    return signature.return_type(*(_type_of(next(kinds)) if kind == RECORD else kind for kind in signature.args))


def kernel(signature: Any, *records: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a function a kernel of a family; ``records`` replace `RECORD` in its signature, in order.

    A kernel that reads bare numbers instead of a record has a pointer type there.
    """
    return lambda function: Kernel(function, signature, records)
