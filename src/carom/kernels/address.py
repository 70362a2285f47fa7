"""Plain memory in compiled code: integers that are addresses become pointers that are indexed like arrays."""

from __future__ import annotations

from numba import types
from numba.extending import intrinsic

FLOATS = types.CPointer(types.float64)
INTS = types.CPointer(types.int64)


def _as_pointer(kind):
    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(kind))

    return codegen


@intrinsic
def floats(typingctx, address):
    """The float64 numbers that start at ``address``."""
    return FLOATS(types.int64), _as_pointer(FLOATS)


@intrinsic
def ints(typingctx, address):
    """The int64 numbers that start at ``address``."""
    return INTS(types.int64), _as_pointer(INTS)


@intrinsic
def offset(typingctx, pointer, count):
    """``pointer`` moved on by ``count`` items."""

    def codegen(context, builder, signature, args):
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), codegen


@intrinsic
def untyped(typingctx, pointer):
    """``pointer`` without its type, as ``numba.carray`` wants it to overlay a record."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.voidptr))

    return types.voidptr(pointer), codegen


@intrinsic
def first(typingctx, array):
    """Pointer to the first item of a contiguous array."""
    pointer = types.CPointer(array.dtype)

    def codegen(context, builder, signature, args):
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return pointer(array), codegen
