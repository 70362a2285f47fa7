"""Number of threads of a run with many bodies: all cores, unless a variable, Numba's setting or a worker limits it."""

from __future__ import annotations

import os
import sys


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def numba_threads_are_started() -> bool:
    """Return whether Numba has started its threads."""
    if "numba.np.ufunc.parallel" not in sys.modules:
        return False
    from carom.kernels.numba_compat import threads_are_started

    return threads_are_started()


def thread_count() -> int:
    """Return the number of threads for a run: that of ``numba.set_num_threads``, ``NUMBA_NUM_THREADS`` or all cores."""
    if numba_threads_are_started():
        import numba

        return int(numba.get_num_threads())
    configured = os.environ.get("NUMBA_NUM_THREADS", "").strip()
    return int(configured) if configured.isdecimal() and int(configured) > 0 else available_cores()


def use_one_thread() -> None:
    """Limit runs to one thread in this process."""
    os.environ["NUMBA_NUM_THREADS"] = "1"
    if "numba" in sys.modules:
        from carom.kernels import numba_compat

        numba_compat.use_one_thread()
