"""Atomic counters of several threads, the distribution of work among them, and a barrier."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from carom.kernels import interpreted
from carom.kernels.decorators import jit
from carom.kernels.interpreted import PLAIN
from carom.kernels.intrinsic import Intrinsic
from carom.kernels.pointers import offset
from carom.kernels.signatures import call_yield_thread

CACHE_LINE = 8
"""Numbers per cache line."""

# Offsets in the data that threads share. Each number has a cache line of its own, as several threads write to them:
# threads that wait at the barrier; barriers passed; 1 if the run is aborted; threads; address of the function that
# gives the processor to another thread; then one counter per thread of the chunks claimed from its part of the work.
N_WAITING, N_BARRIERS, ABORT, N_THREADS, YIELD_KERNEL, N_CLAIMED = (CACHE_LINE * k for k in range(6))

SPIN_COUNT = 2000
"""Checks of the barrier before a waiting thread gives its processor to another one."""


add_atomic: Any = interpreted.add_atomic if PLAIN else Intrinsic("add_atomic")
"""``add_atomic(pointer, value)`` adds to a number and returns its value before."""
load_atomic: Any = interpreted.load_atomic if PLAIN else Intrinsic("load_atomic")
"""``load_atomic(pointer)`` returns a number as the other threads have written it."""
store_atomic: Any = interpreted.store_atomic if PLAIN else Intrinsic("store_atomic")
"""``store_atomic(pointer, value)`` stores a number so that the other threads can read it."""


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
