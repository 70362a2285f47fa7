"""Definitions of the operations that only compiled code has (see `carom.kernels.intrinsic`), with llvmlite."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom.kernels.argument_types import INTS, VOID, is_pointer
from carom.kernels.numba_compat import allocate_on_stack, declare_function, numba_type

POINTERS = (types.CPointer, types.RawPointer)


def pointer_to(kind: Any) -> Any:
    """Return the conversion of an address to a pointer of this type."""
    pointer = numba_type(kind)

    def numbers_at(typingctx, address):
        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(pointer))

        return pointer(types.int64), codegen

    return intrinsic(numbers_at)


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
    """Return ``pointer`` without its type."""

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


def _stack_allocator(kind: Any) -> Any:
    """Return the implementation of an intrinsic that allocates numbers of this type on the stack."""

    def allocate(typingctx, count):
        size = count.literal_value

        def codegen(context, builder, signature, args):
            item = context.get_value_type(kind)
            pointer = allocate_on_stack(builder, item, ir.Constant(ir.IntType(64), size))
            return builder.bitcast(pointer, item.as_pointer())

        return types.CPointer(kind)(count), codegen

    return allocate


stack_floats = intrinsic(prefer_literal=True)(_stack_allocator(types.float64))
stack_complexes = intrinsic(prefer_literal=True)(_stack_allocator(types.complex128))


@intrinsic
def address_of(typingctx, row):
    """Return the address of a record or pointer."""

    def codegen(context, builder, signature, args):
        return builder.ptrtoint(args[0], ir.IntType(64))

    return types.int64(row), codegen


def row_of(record_type: Any) -> Any:
    """Return the call that makes a row of a table of records."""

    def row(typingctx: Any, table: Any, index: Any = None) -> Any:
        kind, size = numba_type(record_type), record_type.dtype.itemsize

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            target = context.get_value_type(kind)
            if index is None and not isinstance(signature.args[0], types.Integer):
                return builder.bitcast(args[0], target)
            int64 = ir.IntType(64)
            address = args[0] if isinstance(signature.args[0], types.Integer) else builder.ptrtoint(args[0], int64)
            if index is not None:
                address = builder.add(address, builder.mul(args[1], int64(size)))
            return builder.inttoptr(address, target)

        start = types.int64 if isinstance(table, types.Integer) else table
        return kind(start, types.none if index is None else types.int64), codegen

    return intrinsic(row)


def call_at(signature: Any) -> Any:
    """Return the call of a kernel of this signature: its address, then its arguments.

    Where the signature has a pointer, a record or an address may be passed as well.
    """
    arguments = [numba_type(kind) for kind in signature.arguments]
    result = numba_type(signature.result)

    def call(typingctx, address, *passed):
        kinds = [
            actual if is_pointer(kind) and isinstance(actual, (*POINTERS, types.Record)) else expected
            for actual, kind, expected in zip(passed, signature.arguments, arguments, strict=True)
        ]
        return result(types.int64, *kinds), codegen

    def codegen(context, builder, argument_types, args):
        llvm_types = [context.get_value_type(kind) for kind in arguments]
        returned = ir.VoidType() if signature.result == VOID else context.get_value_type(result)
        function = builder.inttoptr(args[0], ir.FunctionType(returned, llvm_types).as_pointer())
        values = [
            builder.bitcast(value, llvm_type) if is_pointer(kind) else value
            for value, llvm_type, kind in zip(args[1:], llvm_types, signature.arguments, strict=True)
        ]
        value = builder.call(function, values)
        return context.get_dummy_value() if signature.result == VOID else value

    names = ["typingctx", "address", *(f"argument{k}" for k in range(len(arguments)))]
    # Numba would otherwise pass the arguments as a tuple.
    call.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])  # type: ignore[attr-defined]
    return intrinsic(call)


@intrinsic
def add_atomic(typingctx, pointer, value):
    """Add to a number; return its value before."""

    def codegen(context, builder, signature, args):
        return builder.atomic_rmw("add", args[0], args[1], "seq_cst")

    return types.int64(numba_type(INTS), types.int64), codegen


@intrinsic
def load_atomic(typingctx, pointer):
    """Return a number as the other threads have written it."""

    def codegen(context, builder, signature, args):
        return builder.load_atomic(args[0], "seq_cst", 8, typ=ir.IntType(64))

    return types.int64(numba_type(INTS)), codegen


@intrinsic
def store_atomic(typingctx, pointer, value):
    """Store a number so that the other threads can read it."""

    def codegen(context, builder, signature, args):
        builder.store_atomic(args[1], args[0], "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(numba_type(INTS), types.int64), codegen
