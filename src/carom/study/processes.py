"""Tasks in other processes of this computer.

Every worker has a pipe of its own and answers each task when it is done, so it is known what a worker that dies was
doing: its other tasks go to others, that one is tried again. A worker may die through no fault of its task: the memory
that all tasks need together is too much, or somebody else ends it. A task that has lost `SHARED_TRIES` workers is
therefore put aside until all others are done. Then it runs alone, and is given up only after `TRIES` more deaths.

The first task is done by the first worker alone, which so compiles what the tasks need, or loads it; where processes
can be forked, the other workers are copies of that one.
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
from carom.study.executors import Done, Executor, attempt, one_thread

PATIENCE = 5.0
"""Seconds in which a worker without work ends."""
SHARED_TRIES = 2
"""Workers that a task may lose beside other tasks before it is put aside."""
TRIES = 5
"""How often a task that runs alone may take its worker with it, and how often a worker may fail to start."""
PORTION = 0.2
"""Seconds of work that a worker is given at a time."""
FUNCTION, TASKS, COPY = "function", "tasks", "copy"
"""What a worker is told."""


def can_fork() -> bool:
    """Whether a copy of this process would be sound: no other threads hold locks in it."""
    from numba.np.ufunc import parallel

    return sys.platform == "linux" and threading.active_count() == 1 and not parallel._is_initialized


@contextmanager
def sendable(what: str) -> Iterator[None]:
    try:
        yield
    except (PicklingError, AttributeError, TypeError) as error:
        hint = "define its functions at the top of a module, or take executor='serial'"
        raise ModelError(f"{what} cannot be sent to another process ({error}); {hint}") from error


@dataclass(eq=False)
class Worker:
    """One process, seen from here."""

    pipe: Any
    process: Any = None
    """None where another worker has made it."""
    pid: int | None = None
    """Known when it has said that it is there."""
    copies: bool = False
    """Whether it can make copies of itself."""
    tasks: deque[int] = field(default_factory=deque)
    """What it has been given and has not answered; it works on the first of these."""

    @property
    def idle(self) -> bool:
        return self.pid is not None and not self.tasks

    def leave(self) -> None:
        """Let it end: it does when its pipe is closed, unless it is at work."""
        self.pipe.close()
        if self.pid is not None and (self.tasks or self.process is None):
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGTERM)

    def bury(self) -> None:
        """When it has ended; one that does not is ended."""
        if self.process is not None:
            until = clock.monotonic() + PATIENCE
            while (
                self.process.exitcode is None and clock.monotonic() < until
            ):  # join(timeout) would wait for copies too
                clock.sleep(1e-3)
            self.process.kill()
            self.process.join()


class Job:
    """What is to be done in one `map`: tasks by their numbers."""

    def __init__(self, function: Callable[[Any], Any], tasks: Sequence[Any]):
        self.function, self.tasks = function, tasks
        self.waiting = deque(range(len(tasks)))
        self.left = len(tasks)
        self.deaths: dict[int, int] = {}
        """Workers that died, by the task they worked on."""
        self.suspects: deque[int] = deque()
        """Tasks that are put aside until all others are done, to run alone."""
        self.isolated: int | None = None
        """The one that runs alone."""
        self.seconds = PORTION
        """That a task takes, by those that were done last."""

    @property
    def begun(self) -> bool:
        """Whether something is done already."""
        return self.left < len(self.tasks)

    def isolate(self) -> bool:
        """Let one of the suspects run, when nothing else is left to do."""
        if self.isolated is None and self.left == len(self.suspects) > 0:
            self.isolated = self.suspects.popleft()
            self.waiting.append(self.isolated)
            return True
        return False

    def portion(self, workers: int) -> list[int]:
        """What to give to one of ``workers``: not more than its share, so that all end together."""
        share = len(self.waiting) // (2 * workers)
        count = max(1, min(int(PORTION / self.seconds), share)) if self.begun else 1
        return [self.waiting.popleft() for _ in range(min(count, len(self.waiting)))]

    def answered(self, seconds: float) -> None:
        self.left -= 1
        self.isolated = None
        self.seconds = max(0.7 * self.seconds + 0.3 * seconds, 1e-6)

    def lost(self, numbers: list[int]) -> list[int]:
        """Take the tasks of a worker that died at the first of them; return that if it is given up."""
        if not numbers:
            return []
        number = numbers[0]
        self.waiting.extendleft(reversed(numbers[1:]))
        self.isolated = None
        deaths = self.deaths[number] = self.deaths.get(number, 0) + 1
        if deaths >= SHARED_TRIES + TRIES:
            self.left -= 1
            return [number]
        (self.waiting if deaths < SHARED_TRIES else self.suspects).append(number)
        return []


class Processes(Executor):
    """``count`` processes, started when they are first used and kept until it is closed.

    Copies of this process know what it knew when they were made: another function begins with new ones.
    """

    def __init__(self, count: int):
        self.count = count
        self.workers: list[Worker] = []
        self.function: Callable[[Any], Any] | None = None
        self.stillborn = 0

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Done]]:
        if function is not self.function:
            self.close()
        self.function = function
        job = Job(function, tasks)
        try:
            while job.left:
                if job.isolate():
                    self._dismiss(self.workers[1:])  # they have no work
                self._staff(job)
                for worker in self.workers:
                    if worker.idle and job.waiting:
                        numbers = job.portion(len(self.workers))
                        with sendable("a task"):
                            self._give(worker, job, numbers)
                for pipe in connection.wait([worker.pipe for worker in self.workers]):
                    worker = next(one for one in self.workers if one.pipe is pipe)
                    yield from self._hear(worker, job)
        finally:
            self._dismiss([one for one in self.workers if one.tasks])  # nobody wants these any more

    def _give(self, worker: Worker, job: Job, numbers: list[int]) -> None:
        try:
            worker.pipe.send((TASKS, [(number, job.tasks[number]) for number in numbers]))
        except OSError:  # it has died without work, and is buried when it is heard
            job.waiting.extendleft(reversed(numbers))
        else:
            worker.tasks.extend(numbers)

    def close(self) -> None:
        self._dismiss(self.workers)
        self.function = None

    def _dismiss(self, workers: list[Worker]) -> None:
        for worker in workers:
            worker.leave()
        for worker in workers:
            worker.bury()
        self.workers = [one for one in self.workers if one not in workers]

    def _hear(self, worker: Worker, job: Job) -> Iterator[tuple[int, Done]]:
        """What a worker says: that it is there, how a task ended, or nothing more at all."""
        try:
            said = worker.pipe.recv()
        except (EOFError, OSError):
            yield from self._bury(worker, job)
            return
        if worker.pid is None:
            worker.pid, worker.copies, trouble = said
            if trouble is not None:
                raise ModelError(f"a task cannot be read in another process ({trouble}); take executor='serial'")
            self.stillborn = 0
        else:
            number, done, seconds, worker.copies = said
            worker.tasks.popleft()
            job.answered(seconds)
            yield number, done

    def _bury(self, worker: Worker, job: Job) -> Iterator[tuple[int, Done]]:
        self._dismiss([worker])
        if worker.pid is None:
            self.stillborn += 1
            if self.stillborn >= TRIES:
                guard = "a program that studies in processes needs its 'if __name__ == \"__main__\":'"
                raise ModelError(f"executor: worker processes end before they begin; {guard}, or executor='serial'")
        for number in job.lost(list(worker.tasks)):
            yield number, Done(error=f"its process died, {TRIES} times")
        worker.tasks.clear()

    def _staff(self, job: Job) -> None:
        """As many workers as are needed: one until something is done, then all."""
        wanted = min(self.count, job.left) if job.begun and job.isolated is None else 1
        while len(self.workers) < wanted:
            parent = next((one for one in self.workers if one.idle and one.copies), None)
            worker = None if parent is None else copied(parent)
            self.workers.append(self._start(job) if worker is None else worker)

    def _start(self, job: Job) -> Worker:
        """A new worker: a copy of this process where that is sound."""
        fork = can_fork()
        context: Any = get_context("fork" if fork else "spawn")
        ours, theirs = context.Pipe()
        strange = [*(worker.pipe for worker in self.workers), ours] if fork else []
        process = context.Process(target=work, args=(theirs, strange, job.function if fork else None), daemon=True)
        process.start()
        theirs.close()
        if not fork:
            with sendable(f"{job.function!r}"):
                ours.send((FUNCTION, job.function))
        return Worker(ours, process)


def copied(parent: Worker) -> Worker | None:
    """Return a copy of a worker, with all that it has compiled; None where it has died."""
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


def work(pipe: Any, strange: Sequence[Any], function: Callable[[Any], Any] | None) -> None:
    """The life of a worker; ``strange`` pipes are not its own, and would never seem closed if it kept them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asked
    one_thread()
    for other in strange:
        other.close()
    with suppress(EOFError, OSError):  # that process is gone
        if function is None:
            try:
                _, function = pipe.recv()
            except (AttributeError, ImportError, TypeError) as error:
                pipe.send((os.getpid(), False, str(error)))
                return
        serve(pipe, function)
    pipe.close()
    with suppress(ChildProcessError):  # its copies end as it does; nobody else could see them off
        while hasattr(os, "wait"):
            os.wait()


def serve(pipe: Any, function: Callable[[Any], Any]) -> None:
    """Tell that it is there, then do what it is told, until the pipe is closed."""
    pipe.send((os.getpid(), can_fork(), None))
    while True:
        kind, tasks = pipe.recv()
        if kind == COPY:
            handle = recv_handle(pipe)
            if os.fork() == 0:
                pipe.close()
                try:
                    work(connection.Connection(handle), (), function)
                finally:
                    os._exit(0)
            os.close(handle)
            continue
        for number, task in tasks:
            began = clock.perf_counter()
            done = attempt(function, task)
            seconds = clock.perf_counter() - began
            try:
                pipe.send((number, done, seconds, can_fork()))
            except (PicklingError, AttributeError, TypeError) as error:
                done = Done(error=f"what it returned cannot be sent back: {error}")
                pipe.send((number, done, seconds, can_fork()))
