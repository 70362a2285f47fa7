"""Types of the arguments of kernels, which need no compiler: `carom.kernels.numba_compat` translates them for Numba."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Number:
    """A number, or nothing as the result of a function; called with types of arguments it returns a signature."""

    name: str
    c_type: Any

    def __call__(self, *arguments: Any) -> Signature:
        """Return the signature of a function with this result."""
        return Signature(self, arguments)

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class PointerTo:
    """The address of numbers."""

    item: Number

    def __repr__(self) -> str:
        return f"{self.item}*"


@dataclass(frozen=True)
class Address:
    """The address of anything."""

    def __repr__(self) -> str:
        return "address"


@dataclass(frozen=True)
class Signature:
    """Types of the result and of the arguments of a kernel; a record (`carom.kernels.record`) is passed by address."""

    result: Number
    arguments: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"{self.result}({', '.join(map(repr, self.arguments))})"


VOID = Number("void", None)
FLOAT64 = Number("float64", ctypes.c_double)
INT64 = Number("int64", ctypes.c_int64)
INT32 = Number("int32", ctypes.c_int32)
COMPLEX128 = Number("complex128", None)

FLOATS, INTS, COMPLEXES = PointerTo(FLOAT64), PointerTo(INT64), PointerTo(COMPLEX128)
RECORD = Address()
"""Placeholder for a record in the signature of a family; every kernel of the family names the record it reads."""


def is_pointer(kind: Any) -> bool:
    """Return whether an argument is the address of numbers or of anything; False for records."""
    return isinstance(kind, PointerTo | Address)


def is_record(kind: Any) -> bool:
    """Return whether an argument is a record."""
    return not isinstance(kind, Number | PointerTo | Address)


def c_type(kind: Any) -> Any:
    """Return the type of ctypes of an argument or result."""
    if isinstance(kind, Number):
        return kind.c_type
    return ctypes.POINTER(kind.item.c_type) if isinstance(kind, PointerTo) else ctypes.c_void_p


def c_function(signature: Signature, pointer: Any = None) -> Any:
    """Return the type of ctypes of a function; addresses are passed as ``pointer``, by default with their types."""
    kinds = [pointer if pointer is not None and not isinstance(kind, Number) else c_type(kind)
             for kind in signature.arguments]  # fmt: skip
    return ctypes.CFUNCTYPE(c_type(signature.result), *kinds)
