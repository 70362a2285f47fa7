"""Kernels as plain Python under ``NUMBA_DISABLE_JIT=1``: slow, but a debugger can step through them.

Records hold the addresses of kernels and arrays as in compiled code. Here the address of a kernel is looked up in a
dictionary, and numbers at an address are read and written one at a time.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from carom.kernels.argument_types import FLOAT64, Number, PointerTo, c_function, is_record

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")
"""True if nothing is compiled."""

NUMBER_BYTES = 8
"""Size of a number [byte]."""

_kernels: dict[int, PlainKernel] = {}


class Pointer:
    """Numbers that start at an address, indexed like an array; real ones divide as those of compiled code do."""

    __slots__ = ("address", "kind")

    def __init__(self, address: int, kind: Any):
        self.address, self.kind = address, kind

    def __getitem__(self, index: int) -> Any:
        value = self.kind.from_address(self.address + NUMBER_BYTES * int(index)).value
        return np.float64(value) if self.kind is ctypes.c_double else value

    def __setitem__(self, index: int, value: Any) -> None:
        number = float(value) if self.kind is ctypes.c_double else int(value)
        self.kind.from_address(self.address + NUMBER_BYTES * int(index)).value = number

    def advanced(self, count: int) -> Pointer:
        """Return the pointer ``count`` items ahead."""
        return Pointer(self.address + NUMBER_BYTES * int(count), self.kind)

    @property
    def _as_parameter_(self) -> Any:
        """Argument of a C function."""
        return ctypes.cast(self.address, ctypes.POINTER(self.kind))


class ComplexPointer(Pointer):
    """Complex numbers that start at an address: pairs of real and imaginary part."""

    __slots__ = ()

    def __init__(self, address: int):
        super().__init__(address, ctypes.c_double)

    def __getitem__(self, index: int) -> Any:
        return np.complex128(super().__getitem__(2 * index), super().__getitem__(2 * index + 1))

    def __setitem__(self, index: int, value: Any) -> None:
        super().__setitem__(2 * index, value.real)
        super().__setitem__(2 * index + 1, value.imag)

    def advanced(self, count: int) -> Pointer:
        """Return the pointer ``count`` items ahead."""
        return ComplexPointer(self.address + 2 * NUMBER_BYTES * int(count))


class Row:
    """A row of a record in Python: its fields by name, read from memory and written through; see `row_class`."""

    __slots__ = ("_address", "_owner")
    _dtype: ClassVar[np.dtype]

    def __init__(self, address: int, owner: Any = None):
        self._address = address
        self._owner = owner  # keeps the memory alive

    def __getattr__(self, name: str) -> Any:
        """Raise for an unknown field."""
        raise AttributeError(f"record has no field {name!r}; it has {', '.join(self._dtype.names or ())}")

    if TYPE_CHECKING:  # fields are properties of a class per record

        def __setattr__(self, name: str, value: Any) -> None: ...

    @property
    def _as_parameter_(self) -> Any:
        """Argument of a C function."""
        return ctypes.c_void_p(self._address)


@cache
def row_class(dtype: np.dtype) -> type[Row]:
    """Return the class of the rows of a record, with a property for each field."""
    fields = dtype.fields
    assert fields is not None
    properties = {name: _field_property(entry[0], entry[1]) for name, entry in fields.items()}
    return type("Row", (Row,), {"__slots__": (), "_dtype": dtype, **properties})


def _field_property(kind: np.dtype, offset: int) -> property:
    """Return the property of a field at ``offset`` [bytes]: a number, several numbers, or a record."""
    if kind.fields is not None:
        nested = row_class(kind)
        return property(lambda row: nested(row._address + offset, row._owner))
    is_real = kind.base.kind == "f"
    number = ctypes.c_double if is_real else ctypes.c_int64
    if kind.shape:
        return property(lambda row: Pointer(row._address + offset, number))
    from_address, convert = number.from_address, float if is_real else int

    def read(row: Row) -> Any:
        value = from_address(row._address + offset).value
        return np.float64(value) if is_real else value

    def write(row: Row, value: Any) -> None:
        from_address(row._address + offset).value = convert(value)

    return property(read, write)


class OwnPointer(Pointer):
    """Numbers with memory of their own."""

    __slots__ = ("memory",)

    def __init__(self, memory: np.ndarray):
        super().__init__(array_address(memory), ctypes.c_double)
        self.memory = memory


def stack_floats(count: int) -> Pointer:
    """Return a pointer to ``count`` new numbers."""
    return OwnPointer(np.zeros(count))


def floats(address: int) -> Pointer:
    """Return a pointer to float64 numbers."""
    return Pointer(int(address), ctypes.c_double)


def ints(address: int) -> Pointer:
    """Return a pointer to int64 numbers."""
    return Pointer(int(address), ctypes.c_int64)


def complexes(address: int) -> ComplexPointer:
    """Return a pointer to complex128 numbers."""
    return ComplexPointer(int(address))


def offset(pointer: Any, count: int) -> Any:
    """Return ``pointer`` advanced by ``count`` items."""
    if isinstance(pointer, np.ndarray):
        return pointer[count:]
    if not isinstance(pointer, Pointer):  # one of ctypes, in what a user's function is called by
        pointer = Pointer(ctypes.cast(pointer, ctypes.c_void_p).value or 0, pointer._type_)
    return pointer.advanced(count)


def data_pointer(array: np.ndarray) -> Pointer:
    """Return a pointer to the first item of an array."""
    return Pointer(array.ctypes.data, ctypes.c_double if array.dtype.kind == "f" else ctypes.c_int64)


def array_address(array: np.ndarray) -> int:
    """Return the address of the first number of an array."""
    if array.dtype.names is not None:  # the buffer of a table describes all fields, which takes longer
        return int(array.ctypes.data)
    try:  # three times faster than ``array.ctypes.data``
        return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):  # read-only, empty, or not contiguous
        return int(array.ctypes.data)


def address_of_argument(value: Any) -> int:
    """Return the address that an argument of a kernel stands for: an integer, an array, a pointer or a record."""
    if isinstance(value, np.ndarray):
        return array_address(value)
    if isinstance(value, Pointer):
        return value.address
    if isinstance(value, Row):
        return int(value._address)
    if isinstance(value, ctypes._Pointer | ctypes._SimpleCData):
        return int(ctypes.cast(value, ctypes.c_void_p).value or 0)
    return int(value)


def prefetch(pointer: Any) -> None:
    """Do nothing: prefetching has no effect in Python."""


def add_atomic(pointer: Any, value: int) -> int:
    """Add to a number; return its value before. Only one thread runs at a time."""
    before = pointer[0]
    pointer[0] = before + value
    return int(before)


def load_atomic(pointer: Any) -> int:
    """Return a number."""
    return int(pointer[0])


def store_atomic(pointer: Any, value: int) -> None:
    """Store a number."""
    pointer[0] = value


class PlainKernel:
    """Interpreted kernel with the attributes ``address`` and ``ctypes`` of Numba's compiled callback."""

    def __init__(self, function: Callable[..., Any], signature: Any):
        self.function, self.signature = function, signature
        self._callback = c_function(signature)(self.ctypes)
        self.address = int(ctypes.cast(self._callback, ctypes.c_void_p).value or 0)
        _kernels[self.address] = self

    def run(self, *arguments: Any) -> Any:
        """Call the function with arguments converted to those of compiled code."""
        kinds = self.signature.arguments
        return self.function(*(as_kernel_argument(value, kind) for value, kind in zip(arguments, kinds, strict=True)))

    def ctypes(self, *arguments: Any) -> Any:
        """Call it with numbers, arrays and pointers of ctypes."""
        with np.errstate(all="ignore"):  # as compiled code
            return self.run(*arguments)


def as_kernel_argument(value: Any, kind: Any) -> Any:
    """Return an argument as the body of a kernel uses it: a number, a pointer or a row of a record."""
    if is_record(kind):
        return row_class(kind.dtype)(address_of_argument(value))
    if isinstance(kind, PointerTo):
        return value if isinstance(value, Pointer) else Pointer(address_of_argument(value), kind.item.c_type)
    if not isinstance(kind, Number):
        return address_of_argument(value)
    plain = getattr(value, "value", value)
    return np.float64(plain) if kind == FLOAT64 else int(plain)


def caller(signature: Any) -> Callable[..., Any]:
    """Return the call of a kernel of this signature by its address."""

    def call(address: int, *arguments: Any) -> Any:
        kernel = _kernels.get(int(address))
        if kernel is not None:
            return kernel.run(*arguments)
        passed = [as_kernel_argument(value, kind) for value, kind in zip(arguments, signature.arguments, strict=True)]
        return c_function(signature)(int(address))(*passed)

    return call
