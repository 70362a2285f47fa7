"""Where the runs of a study are made: here, in other processes, or on a Dask cluster.

>>> with executor("processes") as pool:
...     for index, done in pool.map(function, tasks):  # as they finish
...         done.value, done.error

What a task raises is its error and stops no other. Every executor gives the same bits.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from carom.errors import ModelError, shown

ADDRESSES = ("tcp://", "tls://", "ws://", "wss://", "ucx://", "inproc://")
"""How the address of a Dask scheduler begins."""


@dataclass(frozen=True)
class Done:
    """How a task ended: the value that it returned, or what it raised."""

    value: Any = None
    error: str | None = None

    @property
    def ok(self) -> bool:
        return self.error is None


def attempt(function: Callable[[Any], Any], task: Any) -> Done:
    """Call ``function`` with ``task``; what it raises is kept as text."""
    try:
        return Done(function(task))
    except Exception as error:  # noqa: BLE001  (whatever it raises is how it ended)
        return Done(error=f"{type(error).__name__}: {error}")


class Executor(ABC):
    """Something that runs tasks."""

    @abstractmethod
    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Done]]:
        """``function`` of every task: the task's place in ``tasks`` and how it ended, as they finish."""

    @abstractmethod
    def close(self) -> None:
        """Give back what it holds."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Serial(Executor):
    """One task after the other, in this process."""

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, Done]]:
        for index, task in enumerate(tasks):
            yield index, attempt(function, task)

    def close(self) -> None:
        """It holds nothing."""


def executor(spec: Any = None) -> Executor:
    """The executor that ``spec`` says.

    "processes" (also None): as many as there are cores; a whole number: that many; "serial" (also 1): here; the
    address of a Dask scheduler ("tcp://…") or a ``distributed.Client``: its workers.
    """
    from carom.study.processes import Processes

    if isinstance(spec, Executor):
        return spec
    if spec is None or spec == "processes":
        spec = cores()
    if spec == "serial":
        return Serial()
    if isinstance(spec, int) and not isinstance(spec, bool) and spec >= 1:
        return Serial() if spec == 1 else Processes(spec)
    if (isinstance(spec, str) and spec.startswith(ADDRESSES)) or hasattr(spec, "scheduler_info"):
        from carom.study.cluster import Cluster

        return Cluster(spec)
    kinds = "'serial', 'processes', a number of processes, the address of a Dask scheduler ('tcp://…') or its Client"
    raise ModelError(f"executor must be {kinds}, got {shown(spec)}")


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def one_thread() -> None:
    """This process is one of many: it computes with one thread."""
    import numba
    from numba.np.ufunc import parallel

    os.environ["NUMBA_NUM_THREADS"] = "1"
    if parallel._is_initialized:
        numba.set_num_threads(1)
    else:
        numba.config.NUMBA_NUM_THREADS = parallel.NUM_THREADS = 1  # it starts no others
