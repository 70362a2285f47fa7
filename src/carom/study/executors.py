"""Executors of the runs of a study: serial, in processes, or on a Dask cluster.

>>> with executor("processes") as pool:
...     for index, outcome in pool.map(function, tasks):  # in the order in which they finish
...         outcome.value, outcome.error

An exception of a task is stored as its error and does not stop other tasks. Results are bit-identical for all
executors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.kernels.threads import available_cores

ADDRESS_PREFIXES = ("tcp://", "tls://", "ws://", "wss://", "ucx://", "inproc://")
"""Beginnings of the address of a Dask scheduler."""


@dataclass(frozen=True)
class TaskOutcome:
    """Outcome of a task: its return value, or the text of its exception."""

    value: Any = None
    error: str | None = None

    @property
    def ok(self) -> bool:
        """True if the task raised no exception."""
        return self.error is None


def run_task(function: Callable[[Any], Any], task: Any) -> TaskOutcome:
    """Call ``function`` with ``task``; store an exception as text."""
    try:
        return TaskOutcome(function(task))
    except Exception as error:  # noqa: BLE001  (any exception is the outcome of the task)
        return TaskOutcome(error=f"{type(error).__name__}: {error}")


class Executor(ABC):
    """Base class of executors."""

    runs_ensembles: ClassVar[bool] = False
    """True if a worker should run many points in compiled code, not one point per task."""

    @property
    def n_workers(self) -> int:
        """Number of workers."""
        return 1

    @abstractmethod
    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, TaskOutcome]]:
        """Call ``function`` with every task; yield the index and the outcome of each task as it finishes."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Serial(Executor):
    """Runs one task after the other in this process."""

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[tuple[int, TaskOutcome]]:
        """Call ``function`` with every task in order."""
        for index, task in enumerate(tasks):
            yield index, run_task(function, task)

    def close(self) -> None:
        """Do nothing: there are no resources."""


def executor(spec: Any = None) -> Executor:
    """Return an executor.

    ``spec`` is "processes" or None (one process per core), a number of processes, "serial" or 1 (this process), or the
    address of a Dask scheduler ("tcp://…") or a ``distributed.Client`` (its workers).

    Examples
    --------
    >>> import carom as cm
    >>> with cm.study.executor("serial") as serial:
    ...     outcomes = [outcome.value for _, outcome in serial.map(abs, [-1, -2])]
    ...
    >>> outcomes
    [1, 2]
    """
    from carom.study.process_executor import ProcessExecutor

    if isinstance(spec, Executor):
        return spec
    if spec is None or spec == "processes":
        spec = available_cores()
    if spec == "serial":
        return Serial()
    if isinstance(spec, int) and not isinstance(spec, bool) and spec >= 1:
        return Serial() if spec == 1 else ProcessExecutor(spec)
    if (isinstance(spec, str) and spec.startswith(ADDRESS_PREFIXES)) or hasattr(spec, "scheduler_info"):
        from carom.study.dask_executor import DaskExecutor

        return DaskExecutor(spec)
    kinds = "'serial', 'processes', a number of processes, the address of a Dask scheduler ('tcp://…') or its Client"
    raise ModelError(f"executor must be {kinds}, got {short_repr(spec)}")
