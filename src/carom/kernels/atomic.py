"""Numbers that several threads change at once, and a barrier at which they wait for each other."""

from __future__ import annotations

import ctypes
import sys

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom.kernels.address import INTS, offset
from carom.kernels.compile import jit
from carom.kernels.signatures import call_pause

# What threads share, each on a cache line of its own: how many have arrived, how often all have, which pieces of work
# are taken, whether to give up; then how many threads there are and the address of what gives the processor away.
LINE = 8
SHARED = 6 * LINE
ARRIVED, TURN, TAKEN, GIVE_UP, THREADS, PAUSE = (LINE * k for k in range(6))

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


@jit
def take(shared):
    """The next piece of work that nobody has taken."""
    one = 1
    return add_atomic(offset(shared, TAKEN), one)


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
        store_atomic(offset(shared, TAKEN), zero)
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
