"""Numbers that several threads change at once, and a barrier at which they wait for each other."""

from __future__ import annotations

import ctypes
import sys

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom.kernels import plain
from carom.kernels.address import INTS, offset
from carom.kernels.compile import jit
from carom.kernels.plain import PLAIN
from carom.kernels.signatures import call_pause

# What threads share, each on a cache line of its own: how many have arrived, how often all have, whether to give up;
# how many threads there are and the address of what gives the processor away; then, for every thread, how many pieces
# of its part of the work are taken.
LINE = 8
ARRIVED, TURN, GIVE_UP, THREADS, PAUSE, TAKEN = (LINE * k for k in range(6))

PATIENCE = 2000
"""Looks at the others before a thread that waits gives its processor away."""


@intrinsic
def add_atomic(typingctx, pointer, value):
    """Add to the number there; answers what it was."""

    def codegen(context, builder, signature, args):
        return builder.atomic_rmw("add", args[0], args[1], "seq_cst")

    return types.int64(INTS, types.int64), codegen


@intrinsic
def load_atomic(typingctx, pointer):
    """The number there, as the other threads left it."""

    def codegen(context, builder, signature, args):
        return builder.load_atomic(args[0], "seq_cst", 8, typ=ir.IntType(64))

    return types.int64(INTS), codegen


@intrinsic
def store_atomic(typingctx, pointer, value):
    def codegen(context, builder, signature, args):
        builder.store_atomic(args[1], args[0], "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(INTS, types.int64), codegen


if PLAIN:
    add_atomic, load_atomic, store_atomic = plain.add_atomic, plain.load_atomic, plain.store_atomic


def room_for(threads: int) -> int:
    """How many numbers threads share."""
    return TAKEN + LINE * threads


@jit
def take(shared, thread, pieces):
    """A piece of work that nobody has taken, or ``pieces`` when there is none.

    A thread has the same part of the work each time, whose numbers are in the cache of its processor; then it helps
    the others.
    """
    threads = shared[THREADS]
    one = 1
    for k in range(threads):
        owner = (thread + k) % threads
        begin = owner * pieces // threads
        end = (owner + 1) * pieces // threads
        taken = offset(shared, TAKEN + LINE * owner)
        if load_atomic(taken) < end - begin:
            piece = begin + add_atomic(taken, one)
            if piece < end:
                return piece
    return pieces


@jit
def meet(shared):
    """Wait until all threads are here; then all work is to be taken anew. Answers whether to go on."""
    count = shared[THREADS]
    zero = 0
    one = 1
    if count == 1:
        shared[TAKEN] = 0
        return True
    turn = load_atomic(offset(shared, TURN))
    if add_atomic(offset(shared, ARRIVED), one) == count - 1:
        store_atomic(offset(shared, ARRIVED), zero)
        for thread in range(count):
            store_atomic(offset(shared, TAKEN + LINE * thread), zero)
        add_atomic(offset(shared, TURN), one)
        return True
    looks = 0
    while load_atomic(offset(shared, TURN)) == turn:
        if load_atomic(offset(shared, GIVE_UP)) != 0:
            return False
        looks += 1
        if looks > PATIENCE:
            call_pause(shared[PAUSE])
    return True


def pause_address() -> tuple[int, object]:
    """Address of the system's function that gives the processor to another thread, and what keeps it alive."""
    library = ctypes.windll.kernel32 if sys.platform == "win32" else ctypes.CDLL(None)  # type: ignore[attr-defined]
    function = library.SwitchToThread if sys.platform == "win32" else library.sched_yield
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0), function
