"""Records as structures of ctypes, for kernels that the interpreter runs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from carom.kernels.argument_types import is_record


def with_structures(function: Callable[..., None], kinds: Sequence[Any]) -> Any:
    """Return a function that accepts addresses where ``kinds`` has records, and passes structures with named fields.

    The call is written out for the number of arguments, as it is made in every evaluation of a contact.
    """
    structures = {f"s{k}": structure(kind.dtype) for k, kind in enumerate(kinds) if is_record(kind)}
    if not structures:
        return function
    names = [f"a{k}" for k in range(len(kinds))]
    passed = [f"s{k}({name})" if f"s{k}" in structures else name for k, name in enumerate(names)]
    scope = {"function": function, **{name: kind.from_address for name, kind in structures.items()}}
    return eval(f"lambda {', '.join(names)}: function({', '.join(passed)})", scope)


@lru_cache(100)
def structure(record: np.dtype) -> Any:
    """Return the structure with the fields of a record, which Python reads and writes faster than a `Row`."""
    kinds: dict[str, Any] = {"f": ctypes.c_double, "i": ctypes.c_int64}
    fields: list[tuple[str, Any]] = []
    for name, (field, *_) in (record.fields or {}).items():
        kind = kinds[field.base.kind]
        fields.append((name, kind * int(np.prod(field.shape)) if field.shape else kind))
    # Without slots an assignment to an unknown field would not raise an error.
    return type("Structure", (ctypes.Structure,), {"_fields_": fields, "__slots__": ()})
