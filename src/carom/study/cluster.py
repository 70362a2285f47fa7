"""Tasks on the workers of a Dask cluster.

A worker that dies is Dask's to replace: its tasks go to others. Dask gives a task up that several workers have died
with (``distributed.scheduler.allowed-failures``), also where it only waited in them. Such a task is put aside and runs
alone when all others are done; it is given up only when Dask gives it up once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from carom.errors import ModelError
from carom.study.executors import Done, Executor, attempt

PATIENCE = 30.0
"""Seconds to wait for a scheduler."""


class Cluster(Executor):
    """The workers of a scheduler, by its address, or by a client, which is left open."""

    def __init__(self, spec: Any):
        try:
            from distributed import Client
        except ImportError as error:
            raise ImportError("a Dask cluster needs distributed: pip install carom[cluster]") from error
        self.own = isinstance(spec, str)
        try:
            self.client: Any = Client(spec, set_as_default=False, timeout=PATIENCE) if self.own else spec
        except OSError as error:
            raise ModelError(f"executor: no Dask scheduler answers at {spec}: {error}") from error

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Done]]:
        call = Alone(function)
        suspects: list[int] = []
        # The first task alone: it fills the cache of compiled code for all workers that share it.
        for group in (range(min(1, len(tasks))), range(1, len(tasks))):
            for index, done in self._run(call, tasks, group):
                if done is None:
                    suspects.append(index)
                else:
                    yield index, done
        for suspect in suspects:
            for index, done in self._run(call, tasks, [suspect]):
                yield index, Done(error="its workers died, also when it ran alone") if done is None else done

    def _run(
        self, call: Callable[[Any], Done], tasks: Sequence[Any], indices: Sequence[int]
    ) -> Iterator[tuple[int, Done | None]]:
        """Run some of the tasks; None where Dask gave one up because workers died."""
        from distributed import KilledWorker, as_completed

        if not indices:
            return
        futures = self.client.map(call, [tasks[index] for index in indices], pure=False)
        waiting = dict(zip(futures, indices, strict=True))
        try:
            running = as_completed(list(waiting), loop=self.client.loop)
            for future in running:
                if future.status in ("lost", "pending"):
                    running.add(future)  # its worker died before the value was fetched: it is computed again
                    continue
                killed = future.status == "error" and isinstance(future.exception(), KilledWorker)
                yield waiting.pop(future), None if killed else ended(future)
        finally:
            self.client.cancel(list(waiting))

    def close(self) -> None:
        if self.own:
            self.client.close()


class Alone:
    """Calls a function in a worker that computes with one thread for each of its tasks."""

    def __init__(self, function: Callable[[Any], Any]):
        self.function = function

    def __call__(self, task: Any) -> Done:
        import numba

        numba.set_num_threads(1)  # of the worker's thread that calls it
        return attempt(self.function, task)


def ended(future: Any) -> Done:
    """How a task ended that returns how it ended, unless something happened to its worker."""
    if future.status == "cancelled":
        return Done(error="the cluster has cancelled it")
    fetched = attempt(lambda future: future.result(), future)
    return fetched.value if fetched.ok else fetched
