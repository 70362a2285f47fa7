"""Tasks on the workers of a Dask cluster.

A worker that dies is Dask's to replace: its tasks go to others, and a task that takes several workers with it is given
up (``distributed.scheduler.allowed-failures``).
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
        from distributed import as_completed

        call = Alone(function)
        # The first task alone: it fills the cache of compiled code for all workers that share it.
        waiting = {future: index for index, future in enumerate(self._submit(call, tasks[:1]))}
        try:
            for start in (0, 1):
                if start:
                    waiting = {future: 1 + index for index, future in enumerate(self._submit(call, tasks[1:]))}
                running = as_completed(list(waiting), loop=self.client.loop)
                for future in running:
                    if future.status in ("lost", "pending"):
                        running.add(future)  # its worker died before the value was fetched: it is computed again
                    else:
                        yield waiting.pop(future), ended(future)
        finally:
            self.client.cancel(list(waiting))

    def _submit(self, call: Callable[[Any], Done], tasks: Sequence[Any]) -> list[Any]:
        return self.client.map(call, list(tasks), pure=False) if tasks else []

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
