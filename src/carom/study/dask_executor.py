"""Executor on the workers of a Dask cluster.

Dask replaces a worker that dies and assigns its tasks to others. Dask gives up a task after several of its workers have
died (``distributed.scheduler.allowed-failures``), even if the task was only queued in them. Such a task is postponed
and runs alone after all others; it fails only if Dask gives it up once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from carom.errors import ModelError
from carom.study.executors import Executor, TaskOutcome, run_task

CONNECT_TIMEOUT = 30.0
"""Longest wait for a scheduler [s]."""


class DaskExecutor(Executor):
    """Workers of a Dask scheduler, from its address or from a client; a client of the user stays open."""

    runs_ensembles = True

    @property
    def n_workers(self) -> int:
        """Number of workers that are known now, at least 1."""
        return max(len(self.client.scheduler_info()["workers"]), 1)

    def __init__(self, spec: Any):
        try:
            from distributed import Client
        except ImportError as error:
            raise ImportError("a Dask cluster needs distributed: pip install carom[cluster]") from error
        self.owns_client = isinstance(spec, str)
        try:
            self.client: Any = Client(spec, set_as_default=False, timeout=CONNECT_TIMEOUT) if self.owns_client else spec
        except OSError as error:
            raise ModelError(f"executor: no Dask scheduler found at {spec}: {error}") from error

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, TaskOutcome]]:
        """Call ``function`` with every task on the workers."""
        call = SingleThreaded(function)
        postponed: list[int] = []
        # The first task runs alone: it fills the cache of compiled code for all workers that share it.
        for group in (range(min(1, len(tasks))), range(1, len(tasks))):
            for index, outcome in self._run(call, tasks, group):
                if outcome is None:
                    postponed.append(index)
                else:
                    yield index, outcome
        for postponed_index in postponed:
            for index, outcome in self._run(call, tasks, [postponed_index]):
                failure = TaskOutcome(error="its workers died, also when it ran alone")
                yield index, failure if outcome is None else outcome

    def _run(
        self, call: Callable[[Any], TaskOutcome], tasks: Sequence[Any], indices: Sequence[int]
    ) -> Iterator[tuple[int, TaskOutcome | None]]:
        """Run some of the tasks; yield None for a task that Dask gave up because workers died."""
        from distributed import KilledWorker, as_completed

        if not indices:
            return
        futures = self.client.map(call, [tasks[index] for index in indices], pure=False)
        waiting = dict(zip(futures, indices, strict=True))
        try:
            running = as_completed(list(waiting), loop=self.client.loop)
            for future in running:
                if future.status in ("lost", "pending"):
                    # The worker died before its value was fetched, so Dask computes the value again.
                    running.add(future)
                    continue
                killed = future.status == "error" and isinstance(future.exception(), KilledWorker)
                yield waiting.pop(future), None if killed else future_outcome(future)
        finally:
            self.client.cancel(list(waiting))

    def close(self) -> None:
        """Close the client unless it belongs to the user."""
        if self.owns_client:
            self.client.close()


class SingleThreaded:
    """Calls a function on a worker with one Numba thread per task."""

    def __init__(self, function: Callable[[Any], Any]):
        self.function = function

    def __call__(self, task: Any) -> TaskOutcome:
        """Return the outcome of a task."""
        import numba

        numba.set_num_threads(1)  # This applies to the calling thread of the worker only.
        return run_task(self.function, task)


def future_outcome(future: Any) -> TaskOutcome:
    """Return the outcome of a finished future, including a cancellation or a lost worker."""
    if future.status == "cancelled":
        return TaskOutcome(error="cancelled by the cluster")
    fetched = run_task(lambda future: future.result(), future)
    return fetched.value if fetched.ok else fetched
