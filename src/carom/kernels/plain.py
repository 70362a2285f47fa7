"""Kernels as plain Python, under ``NUMBA_DISABLE_JIT=1``: slow, but a debugger steps through them.

Everything keeps its place: tables hold addresses of kernels and of numbers. Here an address of a kernel is looked up,
and numbers behind an address are read and written one at a time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types

PLAIN = bool(numba.config.DISABLE_JIT)
"""Whether nothing is compiled."""

SIZE = 8
"""Bytes of a number."""

_KINDS: dict[Any, Any] = {types.float64: ctypes.c_double, types.int64: ctypes.c_int64, types.int32: ctypes.c_int32}
_kernels: dict[int, Callable[..., Any]] = {}


class Pointer:
    """Numbers that start at an address, indexed like an array; real ones divide as those of compiled code do."""

    __slots__ = ("address", "kind")

    def __init__(self, address: int, kind: Any):
        self.address, self.kind = address, kind

    def __getitem__(self, place: int) -> Any:
        value = self.kind.from_address(self.address + SIZE * int(place)).value
        return np.float64(value) if self.kind is ctypes.c_double else value

    def __setitem__(self, place: int, value: Any) -> None:
        number = float(value) if self.kind is ctypes.c_double else int(value)
        self.kind.from_address(self.address + SIZE * int(place)).value = number

    @property
    def _as_parameter_(self) -> Any:
        """What a C function is given."""
        return ctypes.cast(self.address, ctypes.POINTER(self.kind))


def floats(address: int) -> Pointer:
    return Pointer(int(address), ctypes.c_double)


def ints(address: int) -> Pointer:
    return Pointer(int(address), ctypes.c_int64)


def offset(pointer: Any, count: int) -> Any:
    if isinstance(pointer, np.ndarray):
        return pointer[count:]
    if not isinstance(pointer, Pointer):  # one of ctypes, in what a user's function is called by
        pointer = Pointer(ctypes.cast(pointer, ctypes.c_void_p).value or 0, pointer._type_)
    return Pointer(pointer.address + SIZE * int(count), pointer.kind)


def first(array: np.ndarray) -> Pointer:
    return Pointer(array.ctypes.data, ctypes.c_double if array.dtype.kind == "f" else ctypes.c_int64)


def prefetch(pointer: Any) -> None:
    """Nothing is faster for it."""


def add_atomic(pointer: Any, value: int) -> int:
    """One thread runs at a time."""
    before = pointer[0]
    pointer[0] = before + value
    return int(before)


def load_atomic(pointer: Any) -> int:
    return int(pointer[0])


def store_atomic(pointer: Any, value: int) -> None:
    pointer[0] = value


class PlainKernel:
    """What stands for the machine code of a kernel: ``address`` and ``ctypes``, as Numba's has them."""

    def __init__(self, function: Callable[..., Any], signature: Any):
        self.function, self.signature = function, signature
        self._callback = _c_type(signature.return_type, signature.args)(self.ctypes)
        self.address = int(ctypes.cast(self._callback, ctypes.c_void_p).value or 0)
        _kernels[self.address] = function

    def ctypes(self, *given: Any) -> Any:
        """Call it with numbers and pointers of ctypes."""
        with np.errstate(all="ignore"):  # as compiled code
            return self.function(*(_taken(value, kind) for value, kind in zip(given, self.signature.args, strict=True)))


def _taken(value: Any, kind: Any) -> Any:
    """An argument, as kernels use it."""
    if isinstance(kind, types.CPointer):
        if isinstance(value, Pointer):
            return value
        address = ctypes.cast(value, ctypes.c_void_p).value
        return Pointer(address or 0, _KINDS[kind.dtype])
    plain = getattr(value, "value", value)
    return np.float64(plain) if kind == types.float64 else int(plain)


def _c_type(result: Any, arguments: Any) -> Any:
    """The type that C has for a function of these."""
    kinds = [ctypes.POINTER(_KINDS[a.dtype]) if isinstance(a, types.CPointer) else _KINDS[a] for a in arguments]
    return ctypes.CFUNCTYPE(None if result == types.void else _KINDS[result], *kinds)


def caller(define: Callable[..., Any]) -> Callable[..., Any]:
    """The call of an address that ``define`` describes to Numba."""
    count = define.__code__.co_argcount
    signature = define(*[None] * count)[0]
    result, arguments = signature.return_type, signature.args[1:]

    def call(address: int, *given: Any) -> Any:
        kernel = _kernels.get(int(address))
        if kernel is not None:
            return kernel(*given)
        return _c_type(result, arguments)(int(address))(*given)

    call.__name__ = define.__name__
    return call
