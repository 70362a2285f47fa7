"""Named records: rows of tables that Python fills and compiled code reads and writes by field name.

A table is declared once, with a comment on every field::

    CONTACT = record(
        law_kernel=ADDRESS,  # normal force law
        body_a=INT,  # offset of the body record
        stiffness=FLOAT,  # [N/m]
    )

Python makes its rows, ``contacts = CONTACT.zeros(n)``, and fills them, ``contacts["stiffness"] = 1e5``. In compiled
code ``contact = CONTACT(model.contacts, k)`` is row ``k`` of the table that starts at an address, and
``contact.stiffness`` a field of it. Records are passed to helpers and kernels as they are. An unknown field is an error
when the code is compiled. Named fields are as fast as bare offsets.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from carom.kernels.interpreted import PLAIN, OwnPointer, Row, address_of_argument, array_address, row_class
from carom.kernels.intrinsic import Intrinsic

INT = ADDRESS = np.int64
"""A count, an index or a flag; the address of an array or of a kernel."""
FLOAT = np.float64


class RecordType:
    """Layout of one row of a table; its types in Numba and Python are made on first use, to keep the import fast."""

    def __init__(self, fields: dict[str, Any]):
        kinds = [(name, kind.dtype if isinstance(kind, RecordType) else kind) for name, kind in fields.items()]
        self.dtype: np.dtype = np.dtype(kinds, align=True)
        self.names: tuple[str, ...] = tuple(fields)
        self._row = Intrinsic("row_of", self)

    def __repr__(self) -> str:
        return f"{self.dtype.descr}"

    @cached_property
    def row_class(self) -> Callable[..., Row]:
        """Class of the rows in Python."""
        return row_class(self.dtype)

    @cached_property
    def _index(self) -> dict[str, int]:
        """Positions of the fields among the 8-byte numbers of a row."""
        return {name: int(place[1]) // 8 for name, place in (self.dtype.fields or {}).items()}

    @property
    def _numba_type_(self) -> Any:
        """Type of this object in compiled code: a function that returns a row."""
        return self._row._numba_type_

    def __call__(self, table: Any, index: int = 0) -> Any:
        """Return a row of the table that starts at an address, in Python."""
        owner = table if isinstance(table, (np.ndarray, OwnPointer)) else None
        return self.row_class(address_of_argument(table) + int(index) * self.dtype.itemsize, owner)

    def new(self, **values: Any) -> Row:
        """Return one row with memory of its own; fields that are not given are zero."""
        numbers = np.zeros(self.size, np.int64)
        row = self.row_class(array_address(numbers), numbers)
        for name, value in values.items():
            setattr(row, name, value)
        return row

    def connect(self, row: Row, arrays: Mapping[str, np.ndarray]) -> None:
        """Store the addresses of ``arrays``, which must stay alive, in the fields of the same names."""
        numbers = (ctypes.c_int64 * self.size).from_address(row._address)
        for name, array in arrays.items():
            numbers[self._index[name]] = array_address(array)

    def copy(self, row: Row) -> Row:
        """Return a copy of a row with memory of its own."""
        other = self.new()
        ctypes.memmove(other._address, row._address, self.dtype.itemsize)
        return other

    def numbers(self, row: Row) -> np.ndarray:
        """Return a view of the memory of a row as integers, to be saved and restored bit by bit."""
        memory = (ctypes.c_int64 * self.size).from_address(row._address)
        return np.ctypeslib.as_array(memory)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def zeros(self, count: int = 1) -> np.ndarray:
        """Return a table of ``count`` rows."""
        return np.zeros(count, self.dtype)

    def pack(self, **values: Any) -> tuple[float, ...]:
        """Return the numbers of a row of floats in the order of its fields; raise if names or counts differ."""
        if set(values) != set(self.names):
            raise TypeError(f"record has the fields {', '.join(self.names)}, got {', '.join(values)}")
        columns = [np.atleast_1d(np.asarray(values[name], float)) for name in self.names]
        for name, column in zip(self.names, columns, strict=True):
            expected = self.dtype[name].shape or (1,)
            if column.shape != expected:
                raise TypeError(f"field {name!r} has {expected[0]} numbers, got {column.size}")
        return tuple(float(number) for column in columns for number in column)

    def unpack(self, numbers: Any) -> np.void:
        """Return the row of floats that ``numbers`` begin with, as `pack` makes it: ``row["stiffness"]``."""
        return np.array(numbers[: self.size], float).view(self.dtype)[0]

    def index(self, name: str) -> int:
        """Return the position of a field among the 8-byte numbers of a row."""
        return self._index[name]

    @property
    def size(self) -> int:
        """Number of 8-byte numbers in a row."""
        return self.dtype.itemsize // 8


def record(floats: str = "", **fields: Any) -> RecordType:
    """Declare a record: names of float fields in one string, then fields with their types, `INT`, `FLOAT`, `ADDRESS`.

    A field with several numbers has a type and a count: ``normal=(FLOAT, 3)``. A field may be a record itself:
    ``sphere=SPHERE``.
    """
    return RecordType(dict.fromkeys(floats.split(), FLOAT) | fields)


address_of: Any = address_of_argument if PLAIN else Intrinsic("address_of")
"""Address of a record or pointer."""
