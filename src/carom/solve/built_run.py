"""Problem and method that are built before a run, kept for the next run of an equal request.

A system keeps the problem and the method of its last run. Another run of an equal request takes them instead of
compiling the model again, if neither a model nor a function of the user has changed since, and has the bits of the
first one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carom.errors import count_of_warnings
from carom.init_arguments import model_revision
from carom.model.system import System
from carom.solve import run_warnings
from carom.solve.node_batches import Snapshot
from carom.solve.output_evaluator import OutputEvaluator
from carom.solve.sensor_evaluator import SensorEvaluator

if TYPE_CHECKING:
    from carom.solve.method import Method
    from carom.solve.run import Problem, RunRequest

ATTRIBUTE = "_built_run"
"""Attribute of a system that holds what its last run has built."""


class BuiltRun:
    """Problem of a run, and its method once there is one."""

    def __init__(self, key: tuple[Any, ...] | None, problem_class: type[Problem], request: RunRequest):
        self.key, self.counts = key, counts()
        if request.checkpoint is None or request.checkpoint.state is None:  # resumed runs have been checked
            run_warnings.before(request.system)
        self.problem = problem_class(request)
        if isinstance(request.system, System) and request.system.sensors:
            self.problem.evaluator = SensorEvaluator(self.problem.evaluator, request.system)
        outputs = getattr(request.system, "outputs", [])
        if outputs:
            self.problem.evaluator = OutputEvaluator(self.problem.evaluator, outputs)
        self.method: Method | None = None
        self.reference_energy = run_warnings.reference_energy(request.system)
        self.evaluator = None if key is None else Snapshot(self.problem.evaluator.mutable_arrays().values())

    def keep(self, method: Method, system: Any) -> None:
        """Let the system keep this, if a run that ended well can begin again.

        A run whose building issued warnings is built again, so that they are issued again.
        """
        if self.key is not None and method.can_restart and self.counts == counts():
            self.method = method
            vars(system)[ATTRIBUTE] = self


def counts() -> tuple[int, int]:
    """Return the numbers of changes of models and of warnings in this process."""
    return model_revision(), count_of_warnings()


def key_of(name: str, request: RunRequest) -> tuple[Any, ...] | None:
    """Return what distinguishes the requests of a system; None if a run of this request cannot begin again."""
    if request.checkpoint is not None or request.recorder is not None or not isinstance(request.system, System):
        return None
    if request.output is not None and not isinstance(request.output, float):
        return None
    return name, request.t_end, request.options, request.output


def build(name: str, problem_class: type[Problem], request: RunRequest) -> BuiltRun:
    """Return what the last run of the system has built, if it fits the request; otherwise build it."""
    key = key_of(name, request)
    last: BuiltRun | None = None if key is None else vars(request.system).pop(ATTRIBUTE, None)
    if last is None or last.key != key or last.counts[0] != model_revision() or last.evaluator is None:
        return BuiltRun(key, problem_class, request)
    if last.method is None or not last.method.can_restart:
        return BuiltRun(key, problem_class, request)
    last.evaluator.restore()
    last.counts = counts()
    return last
