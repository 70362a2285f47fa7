"""Memory access in compiled code: addresses (integers) become pointers, indexed like arrays."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom.kernels import interpreted
from carom.kernels.interpreted import PLAIN
from carom.kernels.numba_compat import declare_function

FLOATS = types.CPointer(types.float64)
INTS = types.CPointer(types.int64)
COMPLEXES = types.CPointer(types.complex128)


def _as_pointer(kind: Any) -> Any:
    """Return the code generator of the conversion of an integer to a pointer."""

    def codegen(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(kind))

    return codegen


@intrinsic
def floats(typingctx, address):
    """Return a pointer to the float64 numbers at ``address``."""
    return FLOATS(types.int64), _as_pointer(FLOATS)


@intrinsic
def ints(typingctx, address):
    """Return a pointer to the int64 numbers at ``address``."""
    return INTS(types.int64), _as_pointer(INTS)


@intrinsic
def complexes(typingctx, address):
    """Return a pointer to the complex128 numbers at ``address``."""
    return COMPLEXES(types.int64), _as_pointer(COMPLEXES)


@intrinsic
def offset(typingctx, pointer, count):
    """Return ``pointer`` advanced by ``count`` items."""

    def codegen(context, builder, signature, args):
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), codegen


@intrinsic
def prefetch(typingctx, pointer):
    """Prefetch the cache line at ``pointer`` without waiting for it."""

    def codegen(context, builder, signature, args):
        line = builder.bitcast(args[0], ir.PointerType(ir.IntType(8)))
        int32 = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [line.type, int32, int32, int32])
        function = declare_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [line, int32(1), int32(3), int32(1)])  # to be written, kept in all caches, data
        return context.get_dummy_value()

    return types.void(pointer), codegen


@intrinsic
def untyped(typingctx, pointer):
    """Return ``pointer`` without its type, as ``numba.carray`` needs it to overlay a record."""

    def codegen(context, builder, signature, args):
        return builder.bitcast(args[0], context.get_value_type(types.voidptr))

    return types.voidptr(pointer), codegen


@intrinsic
def data_pointer(typingctx, array):
    """Return a pointer to the first item of a contiguous array."""
    pointer = types.CPointer(array.dtype)

    def codegen(context, builder, signature, args):
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return pointer(array), codegen


if PLAIN:
    floats, ints, complexes, offset, data_pointer, prefetch = (
        interpreted.floats,
        interpreted.ints,
        interpreted.complexes,
        interpreted.offset,
        interpreted.data_pointer,
        interpreted.prefetch,
    )
