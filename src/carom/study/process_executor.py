"""Executor in several processes of this computer, on `concurrent.futures.ProcessPoolExecutor`.

If a worker dies, the pool is broken and does not report which of its tasks was the cause. The pool is therefore
replaced, and the tasks it had not finished are postponed until all others are finished. Then they run one by one, so
that the task of a worker that dies is known; it fails after `MAX_DEATHS` deaths. A worker may also die although its
task is correct, because all tasks together need too much memory, or because another program terminates it.

The first task runs alone: it fills the cache of compiled code for all workers.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from carom.errors import ModelError
from carom.kernels.threads import numba_threads_are_started, use_one_thread
from carom.study.executors import Executor, TaskOutcome, run_task

MAX_DEATHS = 5
"""Number of workers that a task running alone may lose, and of pools that may fail to start."""
TASKS_PER_WORKER = 2
"""Tasks submitted per worker: one runs, and the next one waits in the queue of the pool."""
MAX_WORKERS = 61 if sys.platform == "win32" else 10_000
"""Largest number of workers; Windows cannot wait for more processes."""

PICKLING_ERRORS = (pickle.PicklingError, AttributeError, TypeError)
"""Exceptions raised for an object that cannot be pickled."""


def can_fork() -> bool:
    """Return True if this process can be forked safely: no other thread can hold a lock."""
    return sys.platform == "linux" and threading.active_count() == 1 and not numba_threads_are_started()


@contextmanager
def pickling_errors(what: str) -> Iterator[None]:
    """Raise a `ModelError` if something cannot be pickled."""
    try:
        yield
    except PICKLING_ERRORS as error:
        hint = "define its functions at the top level of a module, or use executor='serial'"
        raise ModelError(f"executor: {what} cannot be sent to another process ({error}); {hint}") from error


class ProcessExecutor(Executor):
    """``count`` worker processes, started at the first use and kept until `close`.

    Workers know one function only, so another function needs new workers.
    """

    def __init__(self, count: int):
        self.count = min(count, MAX_WORKERS)
        self._pool: ProcessPoolExecutor | None = None
        self._function: Callable[[Any], Any] | None = None

    @property
    def pids(self) -> list[int]:
        """Process numbers of the workers."""
        return [] if self._pool is None else list(self._pool._processes or ())

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, TaskOutcome]]:
        """Call ``function`` with every task in the worker processes."""
        if function is not self._function:
            self.close()
        self._function = function
        waiting, postponed = deque(range(len(tasks))), deque[int]()
        running: dict[Future[bytes], int] = {}
        deaths: Counter[int] = Counter()
        n_finished = 0
        try:
            while waiting or postponed or running:
                runs_alone = n_finished == 0 or not waiting
                while len(running) < (1 if runs_alone else TASKS_PER_WORKER * self.count) and (waiting or postponed):
                    queue = waiting or postponed
                    future = self._submit(tasks[queue[0]], must_start=not running)
                    if future is None:  # The pool is broken; all its futures end with this error.
                        break
                    running[future] = queue.popleft()
                    runs_alone = runs_alone or not waiting
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                if any(isinstance(future.exception(), BrokenProcessPool) for future in done):
                    done, _ = wait(running)
                lost = []
                for future in done:
                    index = running.pop(future)
                    if isinstance(future.exception(), BrokenProcessPool):
                        lost.append(index)
                    else:
                        n_finished += 1
                        yield index, load_outcome(future)
                if not lost:
                    continue
                self._kill_workers()
                if len(lost) == 1:
                    deaths[lost[0]] += 1
                    if deaths[lost[0]] >= MAX_DEATHS:
                        n_finished += 1
                        yield lost.pop(), TaskOutcome(error=f"its process died {MAX_DEATHS} times")
                postponed.extendleft(sorted(lost, reverse=True))
        finally:
            if running:  # The caller has stopped iterating, so the remaining tasks are not needed.
                self._kill_workers()

    def _submit(self, task: Any, must_start: bool) -> Future[bytes] | None:
        """Submit a task; if the pool is broken, replace it, or return None unless the task ``must_start``."""
        with pickling_errors("a task"):
            payload = pickle.dumps(task)
        while True:
            try:
                return self._started_pool().submit(run_in_worker, payload)
            except BrokenProcessPool:
                if not must_start:
                    return None
                self._kill_workers()

    def _started_pool(self) -> ProcessPoolExecutor:
        """Return the pool; start it if necessary."""
        for _ in range(MAX_DEATHS):
            if self._pool is not None:
                return self._pool
            method = "fork" if can_fork() else "spawn"
            function: Any = self._function
            if method == "spawn":
                with pickling_errors(f"{function!r}"):
                    function = pickle.dumps(function)
            self._pool = ProcessPoolExecutor(
                self.count, multiprocessing.get_context(method), start_worker, (function, method)
            )
            try:
                error = self._pool.submit(loading_error).result()
            except BrokenProcessPool:
                self._kill_workers()
                continue
            except BaseException:
                self._kill_workers()
                raise
            if error is not None:
                self._kill_workers()
                raise ModelError(
                    f"executor: a task cannot be loaded in another process ({error}); use executor='serial'"
                )
        if self._pool is not None:
            return self._pool
        hint = "protect the main program by 'if __name__ == \"__main__\":', or use executor='serial'"
        raise ModelError(f"executor: worker processes end during their start; {hint}")

    def close(self) -> None:
        """Stop all workers."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
        self._function = None

    def _kill_workers(self) -> None:
        """Stop all workers at once, whatever they compute."""
        pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((pool._processes or {}).values()):
                process.kill()
            pool.shutdown(cancel_futures=True)


def load_outcome(future: Future[bytes]) -> TaskOutcome:
    """Return the outcome of a finished task; an outcome that cannot be loaded here is a failure."""
    try:
        outcome: TaskOutcome = pickle.loads(future.result())
        return outcome
    except Exception as error:  # noqa: BLE001  (the value may raise any exception)
        return TaskOutcome(error=f"its return value cannot be loaded: {type(error).__name__}: {error}")


# ---- In the worker processes

_function: Callable[[Any], Any] | None = None
_loading_error: str | None = None


def start_worker(function: Any, method: str) -> None:
    """Prepare a worker process; ``function`` is pickled unless the worker was forked."""
    global _function, _loading_error
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The main process handles Ctrl-C.
    threading.Thread(target=exit_with_parent, daemon=True).start()
    use_one_thread()
    try:
        _function = function if method == "fork" else pickle.loads(function)
    except (AttributeError, ImportError, TypeError) as error:
        _loading_error = str(error)


def exit_with_parent() -> None:
    """End this worker when the main process has been killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def loading_error() -> str | None:
    """Return the error of loading the function in this worker."""
    return _loading_error


def run_in_worker(payload: bytes) -> bytes:
    """Run a pickled task; return its pickled outcome."""
    if _function is None:
        return pickle.dumps(TaskOutcome(error=f"its function cannot be loaded: {_loading_error}"))
    outcome = run_task(_function, pickle.loads(payload))
    try:
        return pickle.dumps(outcome)
    except PICKLING_ERRORS as error:
        return pickle.dumps(TaskOutcome(error=f"its return value cannot be sent back: {error}"))
