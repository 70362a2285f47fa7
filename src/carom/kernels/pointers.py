"""Memory access in compiled code: addresses (integers) become pointers, indexed like arrays.

``floats(address)``, ``ints(address)`` and ``complexes(address)`` return a pointer to numbers;
``offset(pointer, count)`` returns the pointer advanced by ``count`` numbers, ``untyped(pointer)`` the pointer without
its type, as ``numba.carray`` needs it, and ``data_pointer(array)`` a pointer to the first number of a contiguous array.
``stack_floats(count)`` and ``stack_complexes(count)`` are memory for so many numbers, a constant, on the stack of the
function. ``prefetch(pointer)`` loads a cache line without waiting for it.
"""

from __future__ import annotations

from typing import Any

from carom.kernels import interpreted
from carom.kernels.argument_types import COMPLEXES, FLOATS, INTS
from carom.kernels.interpreted import PLAIN
from carom.kernels.intrinsic import Intrinsic

__all__ = [
    "COMPLEXES",
    "FLOATS",
    "INTS",
    "complexes",
    "data_pointer",
    "floats",
    "ints",
    "offset",
    "prefetch",
    "stack_complexes",
    "stack_floats",
    "untyped",
]


def _pointer_to(kind: Any, plain: Any) -> Any:
    return plain if PLAIN else Intrinsic("pointer_to", kind)


floats = _pointer_to(FLOATS, interpreted.floats)
ints = _pointer_to(INTS, interpreted.ints)
complexes = _pointer_to(COMPLEXES, interpreted.complexes)
offset: Any = interpreted.offset if PLAIN else Intrinsic("offset")
prefetch: Any = interpreted.prefetch if PLAIN else Intrinsic("prefetch")
data_pointer: Any = interpreted.data_pointer if PLAIN else Intrinsic("data_pointer")
untyped: Any = Intrinsic("untyped")
stack_floats: Any = interpreted.stack_floats if PLAIN else Intrinsic("stack_floats")
stack_complexes: Any = Intrinsic("stack_complexes")
