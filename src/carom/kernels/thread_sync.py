"""Atomic counters of several threads, the distribution of work among them, and a barrier."""

from __future__ import annotations

import ctypes
import sys

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom.kernels import interpreted
from carom.kernels.decorators import jit
from carom.kernels.interpreted import PLAIN
from carom.kernels.pointers import INTS, offset
from carom.kernels.signatures import call_yield_thread

CACHE_LINE = 8
"""Numbers per cache line."""

# Offsets in the data that threads share. Each number has a cache line of its own, as several threads write to them:
# threads that wait at the barrier; barriers passed; 1 if the run is aborted; threads; address of the function that
# gives the processor to another thread; then one counter per thread of the chunks claimed from its part of the work.
N_WAITING, N_BARRIERS, ABORT, N_THREADS, YIELD_KERNEL, N_CLAIMED = (CACHE_LINE * k for k in range(6))

SPIN_COUNT = 2000
"""Checks of the barrier before a waiting thread gives its processor to another one."""


@intrinsic
def add_atomic(typingctx, pointer, value):
    """Add to a number; return its value before."""

    def codegen(context, builder, signature, args):
        return builder.atomic_rmw("add", args[0], args[1], "seq_cst")

    return types.int64(INTS, types.int64), codegen


@intrinsic
def load_atomic(typingctx, pointer):
    """Return a number as the other threads have written it."""

    def codegen(context, builder, signature, args):
        return builder.load_atomic(args[0], "seq_cst", 8, typ=ir.IntType(64))

    return types.int64(INTS), codegen


@intrinsic
def store_atomic(typingctx, pointer, value):
    """Store a number so that the other threads can read it."""

    def codegen(context, builder, signature, args):
        builder.store_atomic(args[1], args[0], "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(INTS, types.int64), codegen


if PLAIN:
    add_atomic, load_atomic, store_atomic = interpreted.add_atomic, interpreted.load_atomic, interpreted.store_atomic


def thread_data_size(threads: int) -> int:
    """Return the number of integers that threads share."""
    return N_CLAIMED + CACHE_LINE * threads


@jit
def claim_chunk(thread_data, thread, n_chunks):
    """Return a chunk of work that no thread has claimed, or ``n_chunks`` if none is left.

    A thread starts with the same part of the work each time, as its data are in the cache of its processor; then it
    helps the others.
    """
    n_threads = thread_data[N_THREADS]
    one = 1
    for k in range(n_threads):
        owner = (thread + k) % n_threads
        begin = owner * n_chunks // n_threads
        end = (owner + 1) * n_chunks // n_threads
        n_claimed = offset(thread_data, N_CLAIMED + CACHE_LINE * owner)
        if load_atomic(n_claimed) < end - begin:
            chunk = begin + add_atomic(n_claimed, one)
            if chunk < end:
                return chunk
    return n_chunks


@jit
def barrier(thread_data):
    """Wait for all threads and reset the work counters; return False if the run was aborted."""
    n_threads = thread_data[N_THREADS]
    zero = 0
    one = 1
    if n_threads == 1:
        thread_data[N_CLAIMED] = 0
        return True
    n_barriers = load_atomic(offset(thread_data, N_BARRIERS))
    if add_atomic(offset(thread_data, N_WAITING), one) == n_threads - 1:
        store_atomic(offset(thread_data, N_WAITING), zero)
        for thread in range(n_threads):
            store_atomic(offset(thread_data, N_CLAIMED + CACHE_LINE * thread), zero)
        add_atomic(offset(thread_data, N_BARRIERS), one)
        return True
    checks = 0
    while load_atomic(offset(thread_data, N_BARRIERS)) == n_barriers:
        if load_atomic(offset(thread_data, ABORT)) != 0:
            return False
        checks += 1
        if checks > SPIN_COUNT:
            call_yield_thread(thread_data[YIELD_KERNEL])
    return True


def yield_address() -> tuple[int, object]:
    """Return the address of the system function that yields the processor, and the object that keeps it alive."""
    library = ctypes.windll.kernel32 if sys.platform == "win32" else ctypes.CDLL(None)  # type: ignore[attr-defined]
    function = library.SwitchToThread if sys.platform == "win32" else library.sched_yield
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0), function
