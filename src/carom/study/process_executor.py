"""Executor in several processes of this computer.

Every worker has its own pipe and reports each finished task, so that the task of a worker that dies is known: the other
tasks of this worker go to other workers, and the task itself is repeated. A worker may die although its task is
correct, because all tasks together need too much memory, or because another program terminates it. A task that has lost
`MAX_SHARED_DEATHS` workers is therefore postponed until all others are finished. Then it runs alone, and fails only
after `MAX_DEATHS` further deaths.

The first worker runs the first task alone and thereby compiles or loads the kernels that the tasks need. Where
processes can be forked, the other workers are copies of the first one.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time as clock
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from multiprocessing.reduction import recv_handle, send_handle
from pickle import PicklingError
from typing import Any

from carom.errors import ModelError
from carom.study.executors import Executor, TaskOutcome, run_task, use_one_thread

STOP_TIMEOUT = 5.0
"""Time [s] in which a worker without tasks must end."""
MAX_SHARED_DEATHS = 2
"""Number of workers that a task may lose beside other tasks before it is postponed."""
MAX_DEATHS = 5
"""Number of workers that a task running alone may lose, and of workers that may fail to start."""
BATCH_SECONDS = 0.2
"""Computing time [s] of the tasks that a worker receives at once."""
FUNCTION, TASKS, COPY = "function", "tasks", "copy"
"""Kinds of messages to a worker."""


def can_fork() -> bool:
    """Return True if this process can be forked safely: no other thread can hold a lock."""
    from numba.np.ufunc import parallel

    return sys.platform == "linux" and threading.active_count() == 1 and not parallel._is_initialized


@contextmanager
def pickling_errors(what: str) -> Iterator[None]:
    """Raise a `ModelError` if something cannot be pickled."""
    try:
        yield
    except (PicklingError, AttributeError, TypeError) as error:
        hint = "define its functions at the top level of a module, or use executor='serial'"
        raise ModelError(f"executor: {what} cannot be sent to another process ({error}); {hint}") from error


@dataclass(eq=False)
class Worker:
    """A worker process as seen by the main process."""

    pipe: Any
    process: Any = None
    """Process object; None if another worker forked it."""
    pid: int | None = None
    """Process number; None until the worker has reported its start."""
    can_copy: bool = False
    """True if the worker can fork itself."""
    tasks: deque[int] = field(default_factory=deque)
    """Indices of the tasks that were sent and are not finished; the worker runs the first one."""

    @property
    def idle(self) -> bool:
        """True if the worker has started and has no tasks."""
        return self.pid is not None and not self.tasks

    def request_stop(self) -> None:
        """Close the pipe, at which an idle worker ends; terminate a busy or forked one."""
        self.pipe.close()
        if self.pid is not None and (self.tasks or self.process is None):
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def join(self) -> None:
        """Join the worker process; terminate it after a timeout."""
        if self.process is not None:
            deadline = clock.monotonic() + STOP_TIMEOUT
            # join(timeout) would also wait for the copies of the process.
            while self.process.exitcode is None and clock.monotonic() < deadline:
                clock.sleep(1e-3)
            self.process.kill()
            self.process.join()


class TaskQueue:
    """Tasks of one `map` by their index, with the deaths of workers they caused."""

    def __init__(self, function: Callable[[Any], Any], tasks: Sequence[Any]):
        self.function, self.tasks = function, tasks
        self.waiting = deque(range(len(tasks)))
        self.n_unfinished = len(tasks)
        self.deaths: dict[int, int] = {}
        """Number of workers that died, by the task they were running."""
        self.postponed: deque[int] = deque()
        """Tasks that run alone after all others."""
        self.isolated: int | None = None
        """Task that currently runs alone."""
        self.seconds = BATCH_SECONDS
        """Moving average of the computing time of a task [s]."""

    @property
    def has_finished_task(self) -> bool:
        """True if at least one task is finished."""
        return self.n_unfinished < len(self.tasks)

    def isolate(self) -> bool:
        """Release one postponed task if no other tasks remain; return True if there is one."""
        if self.isolated is None and self.n_unfinished == len(self.postponed) > 0:
            self.isolated = self.postponed.popleft()
            self.waiting.append(self.isolated)
            return True
        return False

    def next_batch(self, n_workers: int) -> list[int]:
        """Remove the next tasks for one of ``n_workers``, few enough that all workers end at the same time."""
        limit = len(self.waiting) // (2 * n_workers)
        count = max(1, min(int(BATCH_SECONDS / self.seconds), limit)) if self.has_finished_task else 1
        return [self.waiting.popleft() for _ in range(min(count, len(self.waiting)))]

    def finish(self, seconds: float) -> None:
        """Count a finished task and its computing time [s]."""
        self.n_unfinished -= 1
        self.isolated = None
        self.seconds = max(0.7 * self.seconds + 0.3 * seconds, 1e-6)

    def return_tasks(self, indices: list[int]) -> list[int]:
        """Return the tasks of a dead worker to the queue; return the one it was running if that has failed."""
        if not indices:
            return []
        index = indices[0]
        self.waiting.extendleft(reversed(indices[1:]))
        self.isolated = None
        deaths = self.deaths[index] = self.deaths.get(index, 0) + 1
        if deaths >= MAX_SHARED_DEATHS + MAX_DEATHS:
            self.n_unfinished -= 1
            return [index]
        (self.waiting if deaths < MAX_SHARED_DEATHS else self.postponed).append(index)
        return []


class ProcessExecutor(Executor):
    """``count`` worker processes, started at the first use and kept until `close`.

    Forked workers know only what this process knew at the time of the fork, so another function needs new workers.
    """

    def __init__(self, count: int):
        self.count = count
        self.workers: list[Worker] = []
        self.function: Callable[[Any], Any] | None = None
        self.n_failed_starts = 0

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, TaskOutcome]]:
        """Call ``function`` with every task in the worker processes."""
        if function is not self.function:
            self.close()
        self.function = function
        queue = TaskQueue(function, tasks)
        try:
            while queue.n_unfinished:
                if queue.isolate():
                    self._stop_workers(self.workers[1:])  # They have no tasks.
                self._start_workers(queue)
                for worker in self.workers:
                    if worker.idle and queue.waiting:
                        indices = queue.next_batch(len(self.workers))
                        with pickling_errors("a task"):
                            self._send(worker, queue, indices)
                for pipe in connection.wait([worker.pipe for worker in self.workers]):
                    worker = next(worker for worker in self.workers if worker.pipe is pipe)
                    yield from self._receive(worker, queue)
        finally:
            # The caller has stopped iterating, so the remaining tasks are not needed.
            self._stop_workers([worker for worker in self.workers if worker.tasks])

    def _send(self, worker: Worker, queue: TaskQueue, indices: list[int]) -> None:
        """Send tasks to a worker."""
        try:
            worker.pipe.send((TASKS, [(index, queue.tasks[index]) for index in indices]))
        except OSError:  # The worker died without a task; `_receive` will remove it.
            queue.waiting.extendleft(reversed(indices))
        else:
            worker.tasks.extend(indices)

    def close(self) -> None:
        """Stop all workers."""
        self._stop_workers(self.workers)
        self.function = None

    def _stop_workers(self, workers: list[Worker]) -> None:
        """Stop some of the workers and remove them."""
        for worker in workers:
            worker.request_stop()
        for worker in workers:
            worker.join()
        self.workers = [worker for worker in self.workers if worker not in workers]

    def _receive(self, worker: Worker, queue: TaskQueue) -> Iterator[tuple[int, TaskOutcome]]:
        """Receive one message of a worker: its start, the outcome of a task, or the end of its pipe."""
        try:
            message = worker.pipe.recv()
        except (EOFError, OSError):
            yield from self._remove_dead_worker(worker, queue)
            return
        if worker.pid is None:
            worker.pid, worker.can_copy, error = message
            if error is not None:
                raise ModelError(
                    f"executor: a task cannot be loaded in another process ({error}); use executor='serial'"
                )
            self.n_failed_starts = 0
        else:
            index, outcome, seconds, worker.can_copy = message
            worker.tasks.popleft()
            queue.finish(seconds)
            yield index, outcome

    def _remove_dead_worker(self, worker: Worker, queue: TaskQueue) -> Iterator[tuple[int, TaskOutcome]]:
        """Remove a worker that died, and yield the failure of its task if it was the last attempt."""
        self._stop_workers([worker])
        if worker.pid is None:
            self.n_failed_starts += 1
            if self.n_failed_starts >= MAX_DEATHS:
                hint = "protect the main program by 'if __name__ == \"__main__\":', or use executor='serial'"
                raise ModelError(f"executor: worker processes end during their start; {hint}")
        for index in queue.return_tasks(list(worker.tasks)):
            yield index, TaskOutcome(error=f"its process died {MAX_DEATHS} times")
        worker.tasks.clear()

    def _start_workers(self, queue: TaskQueue) -> None:
        """Start the required workers: one until the first task is finished, then all."""
        parallel = queue.has_finished_task and queue.isolated is None
        n_required = min(self.count, queue.n_unfinished) if parallel else 1
        while len(self.workers) < n_required:
            parent = next((worker for worker in self.workers if worker.idle and worker.can_copy), None)
            worker = None if parent is None else copy_worker(parent)
            self.workers.append(self._start(queue) if worker is None else worker)

    def _start(self, queue: TaskQueue) -> Worker:
        """Start a new worker, as a copy of this process if it can be forked safely."""
        fork = can_fork()
        context: Any = get_context("fork" if fork else "spawn")
        ours, theirs = context.Pipe()
        foreign_pipes = [*(worker.pipe for worker in self.workers), ours] if fork else []
        arguments = (theirs, foreign_pipes, queue.function if fork else None)
        process = context.Process(target=run_worker, args=arguments, daemon=True)
        process.start()
        theirs.close()
        if not fork:
            with pickling_errors(f"{queue.function!r}"):
                ours.send((FUNCTION, queue.function))
        return Worker(ours, process)


def copy_worker(parent: Worker) -> Worker | None:
    """Return a forked copy of a worker with all its compiled code, or None if the worker has died."""
    ours, theirs = connection.Pipe()
    try:
        parent.pipe.send((COPY, None))
        send_handle(parent.pipe, theirs.fileno(), parent.pid)
    except OSError:
        ours.close()
        return None
    finally:
        theirs.close()
    return Worker(ours)


def run_worker(pipe: Any, foreign_pipes: Sequence[Any], function: Callable[[Any], Any] | None) -> None:
    """Run a worker process until its pipe is closed.

    ``foreign_pipes`` belong to other processes. They are closed here, because a pipe with an open copy never reports
    its end.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The main process handles Ctrl-C.
    use_one_thread()
    for other in foreign_pipes:
        other.close()
    with suppress(EOFError, OSError):  # The main process has ended.
        if function is None:
            try:
                _, function = pipe.recv()
            except (AttributeError, ImportError, TypeError) as error:
                pipe.send((os.getpid(), False, str(error)))
                return
        process_messages(pipe, function)
    pipe.close()
    with suppress(ChildProcessError):  # Only this process can wait for its copies, which end as it does.
        while hasattr(os, "wait"):
            os.wait()


def process_messages(pipe: Any, function: Callable[[Any], Any]) -> None:
    """Report the start of a worker, then run tasks and make copies on request until the pipe is closed."""
    pipe.send((os.getpid(), can_fork(), None))
    while True:
        kind, tasks = pipe.recv()
        if kind == COPY:
            handle = recv_handle(pipe)
            if os.fork() == 0:
                pipe.close()
                try:
                    run_worker(connection.Connection(handle), (), function)
                finally:
                    os._exit(0)
            os.close(handle)
            continue
        for index, task in tasks:
            start = clock.perf_counter()
            outcome = run_task(function, task)
            seconds = clock.perf_counter() - start
            try:
                pipe.send((index, outcome, seconds, can_fork()))
            except (PicklingError, AttributeError, TypeError) as error:
                outcome = TaskOutcome(error=f"its return value cannot be sent back: {error}")
                pipe.send((index, outcome, seconds, can_fork()))
