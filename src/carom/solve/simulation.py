"""Public class `Simulation`: the driver of all runs, step by step."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from carom.argument_checks import finite_float, positive, short_repr
from carom.compiled_model.system_data import SystemData
from carom.errors import ModelError
from carom.model.generalized_system import GeneralizedSystem
from carom.model.output import Output
from carom.model.system import System
from carom.result.name_lookup import name_of, unknown_name
from carom.result.outcome import Outcome
from carom.result.result import Result, series_class
from carom.solve import run
from carom.solve.built_run import BuiltRun
from carom.solve.current_values import CurrentNode, CurrentValues
from carom.solve.initial_state import MAX_DURATION
from carom.solve.input_driver import DriverState, InputDriver
from carom.solve.method import Method
from carom.solve.model_digest import digest
from carom.solve.node_batches import NodeBatch, result_of
from carom.solve.node_view import PLAIN_FAMILIES, output_value
from carom.solve.options import Compliant, Nonsmooth
from carom.solve.run_output import DrivenOutput
from carom.solve.sensor_evaluator import sensor_facts
from carom.solve.simulate import requested_options, warn_unused
from carom.solve.wear_driver import WearDriver, WearDriverState, refuse_wear

NO_ACCELERATION = np.zeros((1, 0))
"""Accelerations of a series that has none."""


@dataclass(frozen=True)
class SimulationState:
    """State of a simulation at one time [s], with which it continues to the same bits."""

    time: float
    model: str
    """Digest of the model."""
    arrays: dict[str, np.ndarray] | None
    """Arrays of the method; None before the first step."""
    batches: tuple[tuple[np.ndarray, np.ndarray], ...]
    """Nodes so far."""
    contact_log: tuple[np.ndarray, ...]
    expected: tuple[float, ...]
    intervals: tuple[float, float, int]
    inner: tuple[float, ...]
    """Times of nodes that only controllers needed [s]."""
    driver: DriverState
    wear: WearDriverState | None

    def __repr__(self) -> str:
        return f"<SimulationState t = {self.time:.9g} s, {sum(len(t) for t, _ in self.batches)} nodes>"


class Simulation:
    """A simulation that is driven: advance, look, act, and continue exactly where it stopped.

    Advanced to some times, it has the bits of one `simulate` with ``output=`` these times, and `result` is that result.

    Parameters
    ----------
    system
        the model; it is not changed. Later changes of it have no effect.
    t_end
        end of the run [s], as in `simulate`; by default the run has no end. It sets limits of the steps: the
        longest implicit step and, of ``scheme="event-driven"``, the longest step are fractions of the run. Without an
        end, the intervals between the times are the limit, so choose them as short as a load that must not be missed.
    method, options
        as in `simulate`. The multistep integrators "adams" and "bdf" cannot be driven.

    ``sim[body]`` and ``sim[contact]`` are current values, with the names of the series of a result:
    ``sim["ball"].position``, ``sim["floor"].normal_force``.

    Examples
    --------
    >>> sim = cm.Simulation(cm.gallery.pendulum().system)
    >>> for _ in range(10):
    ...     sim.advance(0.01)
    ...
    >>> sim.time, len(sim.result.t)
    (0.1, 11)
    >>> state = sim.save_state()
    >>> sim.run_until(0.5)
    >>> sim.restore(state)
    >>> sim.time
    0.1
    """

    def __init__(
        self,
        system: System | GeneralizedSystem,
        *,
        t_end: float | None = None,
        method: Literal["compliant", "nonsmooth"] | Compliant | Nonsmooth = "compliant",
        **options: object,
    ):
        self.t_end = math.inf if t_end is None else positive("Simulation", "t_end", t_end)
        chosen = requested_options({"method": method, **options})
        warn_unused(system, chosen, {**run_defaults(), **options})
        self._start(run.RunRequest(system, self.t_end, chosen, output=()))

    @classmethod
    def of_request(cls, request: run.RunRequest) -> Simulation:
        """Return the simulation of the run that `simulate` was asked for."""
        self = cls.__new__(cls)
        self.t_end = request.t_end
        self._start(request)
        return self

    def _start(self, request: run.RunRequest) -> None:
        """Compile the model, and choose the method and its first step."""
        name, self._request = run.choose_method(request)
        system, entry = request.system, run.METHODS[name]
        self._method_class: Any = run.load_class(entry.method)
        refuse_wear(name, system)
        if not self._method_class.can_continue:
            label = getattr(self._request.options, "integrator", name)
            raise ModelError(f"Simulation: integrator {label!r} cannot be driven; use 'auto' or 'implicit'")
        self.time = 0.0
        """Time reached [s]."""
        self._began = time.perf_counter()
        self._built = BuiltRun(None, run.load_class(entry.problem), self._request)
        self._problem = self._built.problem
        self._latest = min(self.t_end, latest_time(system))
        evaluator = self._problem.evaluator
        option_bytes = np.frombuffer(repr(self._request.options).encode(), np.uint8)
        periods = [(controller.name, controller.period) for controller in getattr(system, "controllers", ())]
        period_bytes = np.frombuffer(repr(periods).encode(), np.uint8)
        values = [*self._problem.digest_values(), option_bytes, period_bytes, sensor_facts(system)]
        self._model = digest(evaluator.metadata, values)
        self._current = CurrentNode(evaluator)
        self._views: dict[str, CurrentValues] = {}
        self._last_node: Result | None = None
        self._last_motion: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self._body_index = {info.name: k for k, info in enumerate(evaluator.metadata.bodies)}
        self._plain = {info.name for info in evaluator.metadata.elements if info.family in PLAIN_FAMILIES}
        self._outputs = {output.name: output for output in getattr(system, "outputs", ())}
        tables = self._problem.tables
        self._driver = InputDriver(system, tables if isinstance(tables, SystemData) and tables.inputs else None)
        self._wear = WearDriver(tables if isinstance(tables, SystemData) and tables.wear else None, self.t_end)
        self._intervals = math.nan, 0.0, 0
        self._ended = ""
        self._begin(DrivenOutput(keeps_all=self._request.output is None))
        self._at_start = self.save_state()

    def _begin(self, output: DrivenOutput) -> None:
        """Start the method, or continue it from the state in ``output``."""
        self._output = output
        self._method: Method = self._method_class(self._problem.method_request(output, no_report))
        self._method.prepare()
        output.resumed = None
        self.time = self._method.time
        self._last_node = self._last_motion = None
        self._interrupted: float | None = None
        self._ended = "" if output.outcome.ok else run.end_message(self._problem, self._method)

    def advance(self, dt: float) -> None:
        """Advance by ``dt`` [s]. The rounding of equal intervals does not add up: n of them end at n · dt."""
        if not (type(dt) is float and 0.0 < dt < math.inf):
            dt = positive("Simulation", "dt", dt)
        interval, origin, count = self._intervals
        if dt != interval:
            origin, count = self.time, 0
        self._continue_to(origin + (count + 1) * dt)
        self._intervals = dt, origin, count + 1

    def run_until(self, t: float) -> None:
        """Advance to the time ``t`` [s], not earlier than the time reached."""
        t = finite_float("Simulation", "t", t)
        if t != self.time:
            self._continue_to(t)
            self._intervals = math.nan, 0.0, 0

    def _continue_to(self, t: float) -> None:
        """Advance to the time ``t`` [s]; raise if that is impossible, and what a function of the user raises."""
        output = self._output
        if self._ended:
            raise ModelError(f"Simulation: the run has ended. {self._ended} Use restore() or reset().")
        if not self.time < t <= self._latest:
            raise ModelError(self._refusal(t))
        if self._interrupted is not None:
            self._resume_interrupted(t)
            if t == self.time:
                return
        self.go_to(t)
        if output.error is not None or output.outcome is not Outcome.FINISHED:
            self._end(t)

    def go_to(self, t: float) -> None:
        """Advance to the time ``t`` [s], with what is due on the way, or to the end of a run that fails."""
        method, output = self._method, self._output
        while self.time < t and output.error is None and output.outcome is Outcome.FINISHED:
            driver = self._driver
            driver.leave(self.time, t, self, method)
            self._wear.leave(self.time, self, method)
            stop = self._wear.next_time(self.time, driver.next_time(self.time, t))
            output.expect(stop, stop != t)
            self._last_node = self._last_motion = None
            self._interrupted = t  # unless it is reached
            try:
                method.continue_to(stop)
                while not method.finished:
                    method.advance()
                    output.contact_log += method.contact_log()
            finally:
                self.time = method.time
            self._interrupted = None

    def _resume_interrupted(self, t: float) -> None:
        """Reach the time that Ctrl-C kept from being reached, on the way to ``t`` [s]."""
        goal = self._interrupted
        assert goal is not None
        if t < goal:
            raise ModelError(
                f"Simulation: Ctrl-C interrupted it on its way to {goal:.9g} s; advance to that time or a later one, "
                "or use restore() or reset()"
            )
        self._interrupted = None
        self._continue_to(goal)

    def _refusal(self, t: float) -> str:
        """Return why the simulation cannot advance to ``t`` [s]."""
        if not t > self.time:
            return f"Simulation: t must be later than the time reached, {self.time:.9g} s, got {t:.9g} s"
        reason = "t_end" if self._latest == self.t_end else "the end of the table of a motion"
        return f"Simulation: t must be at most {self._latest:.9g} s, {reason}, got {t:.9g} s"

    def _end(self, goal: float) -> None:
        """Keep the end of a run that failed on its way to ``goal`` [s], and raise its reason."""
        output = self._output
        if isinstance(output.error, KeyboardInterrupt):  # pressed in a function of the user
            output.error, output.outcome = None, Outcome.FINISHED
            self._interrupted = goal
            raise KeyboardInterrupt
        self._method.update_counts()
        self._ended = run.end_message(self._problem, self._method)
        if output.error is not None:
            output.raise_with(self.result)
        raise ModelError(f"Simulation: {self._ended}")

    def __getitem__(self, key: Any) -> Any:
        """Return the current values of a body or an element, given by its name or as an object with a name.

        For an input or an output it is a number.
        """
        name = name_of(key)
        if name in self._outputs:
            return output_value(self._outputs[name], self, partial(raise_output_error, self._outputs[name]))
        if name in self._driver.index:
            return self._driver.value(name, self.time)
        if name not in self._views:
            metadata = self._problem.evaluator.metadata
            known = [info.name for info in metadata.bodies] + [info.name for info in metadata.elements]
            if name not in known:
                raise unknown_name(self._request.system.name, name, known, "Simulation")
            self._views[name] = CurrentValues(self, name)
        return self._views[name]

    def __setitem__(self, key: Any, value: float) -> None:
        """Set an input, given by its name or as an object; it applies from the current time on."""
        if self._ended:
            raise ModelError(f"Simulation: the run has ended. {self._ended} Use restore() or reset().")
        self._driver.set(name_of(key), value, self.time)
        self._last_node = None

    def _node(self) -> Result:
        """Return the current node as a result."""
        if self._last_node is None:
            self._last_node = self._current.result(*self._nodes(), self._problem.impacts(self._method.open_contacts()))
        return self._last_node

    def elastic_energy(self) -> float:
        """Return the elastic energy of the contacts in the current state [J]."""
        self._last_node = None
        return float(self._node().energy.elastic[-1])

    def _motion(self, name: str) -> Any:
        """Return the series of a body at the current node, without accelerations; None if that needs an evaluation."""
        evaluator = self._problem.evaluator
        if name not in self._body_index or not hasattr(evaluator, "motion_at"):
            return None
        if self._last_motion is None:
            t, rows = next(batch for batch in reversed(self._nodes()[0]) if len(batch[0]))
            self._last_motion = (t[-1:], *evaluator.motion_at(rows[-1]))
        t, q, v = self._last_motion
        kind, k = series_class(evaluator.metadata.dim), self._body_index[name]
        coordinates = slice(k * kind.coordinates, (k + 1) * kind.coordinates)
        speeds = slice(k * kind.speeds, (k + 1) * kind.speeds)
        return kind(name, t, q[:, coordinates], v[:, speeds], NO_ACCELERATION)

    def _nodes(self) -> tuple[list[tuple[np.ndarray, np.ndarray]], int]:
        """Return the nodes so far in batches, and their number."""
        output = self._output
        self._method.flush()
        waiting = self._method.waiting_nodes()
        if waiting is None:
            return output.batches, output.n_nodes
        chosen = output.is_expected(waiting[0])
        return [*output.batches, (waiting[0][chosen], waiting[1][chosen])], output.n_nodes + int(chosen.sum())

    @property
    def system(self) -> System | GeneralizedSystem:
        """The model."""
        return self._request.system

    @property
    def node(self) -> Result:
        """Result with the current node only."""
        return self._node()

    @property
    def parts(self) -> tuple[Any, Method, DrivenOutput]:
        """Problem, method and output of the run."""
        return self._problem, self._method, self._output

    @property
    def result(self) -> Result:
        """Result so far, with a node at every time to which the simulation was advanced."""
        problem, method, output = self._problem, self._method, self._output
        method.update_counts()
        method.flush()
        if output.batches:
            output.nodes()  # in one piece from now on
        t, rows = (np.concatenate(arrays) for arrays in zip(*self._nodes()[0], strict=True))
        batch = requested(output, self._current.evaluate_all(t, rows))
        impacts = problem.impacts([*output.contact_log, *method.open_contacts()])
        stats = run.statistics_of(self._built, method, time.perf_counter() - self._began)
        settings = {**problem.settings, "t_end": self.time}
        message = run.end_message(problem, method)
        result = result_of(problem.evaluator.metadata, batch, stats, output.outcome, message, settings, impacts)
        result.wear = self._wear.records(self.time)
        return result

    def save_state(self) -> SimulationState:
        """Return the state: contacts, friction, memory of the integrator and nodes so far; see `restore`."""
        if self._ended:
            raise ModelError(f"Simulation: the run has ended. {self._ended} Use restore() or reset().")
        if self._interrupted is not None:
            raise ModelError(f"Simulation: Ctrl-C interrupted it; use run_until({self._interrupted!r}) first")
        output = self._output
        self._method.flush()
        arrays = {name: np.array(array) for name, array in self._method.checkpoint().items()}
        return SimulationState(
            self.time, self._model, arrays, tuple(output.batches), tuple(output.contact_log), tuple(output.expected),
            self._intervals, tuple(output.inner), self._driver.save(), self._wear.save(),
        )  # fmt: skip

    def restore(self, state: SimulationState) -> None:
        """Return to a saved state of this model; what follows has the same bits as what followed it."""
        if not isinstance(state, SimulationState):
            raise ModelError(f"Simulation: expected a state of save_state(), got {short_repr(state)}")
        if state.model != self._model:
            raise ModelError(
                f"Simulation: the state at t = {state.time:.9g} s belongs to another model or method; restore a state "
                f"that a simulation of this {self._request.system.name!r} has saved"
            )
        output = DrivenOutput(
            expected=list(state.expected), resumed=state.arrays, inner=set(state.inner),
            keeps_all=self._request.output is None,
        )  # fmt: skip
        output.n_nodes = sum(len(t) for t, _ in state.batches)
        output.batches, output.contact_log = list(state.batches), list(state.contact_log)
        self._driver.restore(state.driver)
        self._driver.restore_model(state.time)
        self._wear.restore(state.wear)
        self._begin(output)
        self._driver.restore_model(state.time)  # some of its arrays were restored
        self._current.forget()
        self._intervals = state.intervals

    def reset(self) -> None:
        """Return to the start."""
        self.restore(self._at_start)

    def __repr__(self) -> str:
        name = self._request.system.name
        return f"<Simulation {name!r}: t = {self.time:.9g} s, {self._ended or type(self._method).__name__}>"


def requested(output: DrivenOutput, batch: NodeBatch) -> NodeBatch:
    """Return the nodes that belong to the result."""
    if not output.inner:
        return batch
    chosen = output.is_requested(batch.t)
    return NodeBatch(*(getattr(batch, name)[chosen] for name in NodeBatch.names()))


def raise_output_error(output: Output, reason: str) -> None:
    """Raise for an output whose function has no value."""
    raise ModelError(f"{output.label}: no value {reason}")


def no_report(*_: Any) -> None:
    """Report no progress."""


def run_defaults() -> dict[str, Any]:
    """Return the options of `simulate` with their defaults."""
    from carom.solve.simulate import DEFAULTS

    return DEFAULTS


def latest_time(system: System | GeneralizedSystem) -> float:
    """Return the time up to which the tables of the motions reach, at most the longest run [s]."""
    joints = system.joints if isinstance(system, System) else []
    return min([MAX_DURATION, *(joint.motion.span[1] for joint in joints if joint.motion is not None)])
