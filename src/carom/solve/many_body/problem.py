"""Runs with many bodies: settings, compiled model and messages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.argument_checks import positive, short_repr
from carom.compiled_model.many_body_data import ManyBodyData
from carom.compiled_model.single_contacts import single_groups
from carom.compiled_model.system_data import SystemData
from carom.errors import ModelError
from carom.model.system import System
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.contact_log import impacts_of
from carom.solve.initial_state import check_length, output_times
from carom.solve.many_body.body_flow import BodyFlow, time_tolerance
from carom.solve.many_body.creep_warning import warn_of_creep
from carom.solve.many_body.default_step import default_step
from carom.solve.many_body.mechanism_state import create_mechanism
from carom.solve.many_body.memory import MemoryEstimate, check_memory, memory_of_run
from carom.solve.many_body.node_output import NodeOutput
from carom.solve.many_body.stop_to_stop import Stops
from carom.solve.many_body.verlet import Verlet, VerletRequest
from carom.solve.many_body.verlet_engine import VerletEngine
from carom.solve.many_body.verlet_flow import VerletBodies
from carom.solve.many_body_support import refuse_inputs
from carom.solve.options import Compliant
from carom.solve.run import OutputTimes, RunRequest
from carom.solve.run_output import RunOutput

MAX_NODES, MAX_NUMBERS = 1000, 8_000_000
"""Limits of a run without requested output times: nodes, and numbers of the motion in all nodes."""
NUMBERS_PER_BODY = 19
"""Coordinates, velocities and accelerations of a body at a node."""


class ManyBodyProblem:
    """A system with large groups of contacts, for the integrator "verlet"."""

    requested_times = None

    def __init__(self, request: RunRequest):
        system, t_end, options = request.system, request.t_end, request.options
        assert isinstance(options, Compliant)
        if not isinstance(system, System):
            raise ModelError(f"simulate: expected a System, got {short_repr(system)}")
        self.system = system
        is_streamed = request.checkpoint is not None
        # At least two nodes: what does not fit with these is refused before the model is compiled.
        check_memory(memory_of_run(system, 2, is_streamed), is_streamed)
        self.model = ManyBodyData(system)
        max_step = options.max_step
        self.settings: dict[str, Any] = {
            "t_end": t_end, "method": "compliant", "integrator": "verlet", "max_step": max_step,
        }  # fmt: skip
        self.mechanism = create_mechanism(system, t_end)
        refuse_inputs(system, self.mechanism is not None)
        if max_step is None:
            max_step, speed = default_step(system, self.model.groups)
            origin = f"1/30 of the shortest contact at {speed:.3g} m/s"
            resolved = math.inf if self.mechanism is None else self.mechanism.longest_step()
            if resolved < max_step:
                max_step, origin = resolved, "the shortest motion of the mechanism on its springs, dampers and stops"
            self.settings |= {"max_step": max_step, "step_from": origin}
        self.step = min(max_step, t_end)
        check_length(t_end, "max_step", self.step)
        if self.mechanism is not None:
            self.mechanism.set_stop_period(self.step)
        self.times = node_times(request.output, t_end, self.step, len(system.bodies))
        self.memory: MemoryEstimate = memory_of_run(system, len(self.times) + 1, is_streamed)
        check_memory(self.memory, is_streamed)
        self.settings["nodes"] = self.memory.n_nodes
        if request.output is None and len(self.times) < min(MAX_NODES, max(int(t_end / self.step), 1)):
            self.settings["nodes_from"] = f"{8 * MAX_NUMBERS / 1e6:g} MB of motion; set output= for more nodes"
        for kernel in self.model.user_kernels:
            kernel.forget()
        self.engine = VerletEngine(self.model, mechanism=self.mechanism)
        self.flow = BodyFlow(VerletBodies(self.engine), self.step) if system.boundaries else None
        checks = np.zeros(0) if self.flow is None or t_end == math.inf else self.flow.times(t_end)
        self.stops = Stops.of(self.times, checks, time_tolerance(self.step, t_end))
        self.evaluator = NodeOutput(self.engine, self.flow)

    @property
    def tables(self) -> SystemData | None:
        """Compiled model, in which inputs change the mechanism."""
        return None if self.mechanism is None else self.mechanism.tables

    def method_request(self, output: RunOutput, report: Callable[..., None]) -> VerletRequest:
        """Return the argument of the method."""
        return VerletRequest(self.engine, self.evaluator, self.stops, self.step, self.flow, output, report)

    def digest_values(self) -> list[Any]:
        """Return the numbers that identify the model."""
        mechanism = [] if self.mechanism is None else self.mechanism.fingerprint()
        flow = [] if self.flow is None else self.flow.fingerprint()
        return [*self.model.body_values, self.model.parameters, self.system.gravity, *mechanism, *flow]

    def impacts(self, rows: Sequence[np.ndarray]) -> list[ImpactRecord]:
        """Return the log of the single contacts; groups have none."""
        assert self.model.singles is not None
        return impacts_of([contact.name or "" for contact in self.model.singles.contacts], rows)

    def statistics(self, method: Verlet) -> dict[str, Any]:
        """Return the numbers of contacts, neighbour lists and threads, and the estimated memory [bytes]."""
        return {
            "contacts": method.contacts, "rebuilds": self.engine.rebuilds, "threads": self.engine.threads,
            "memory": self.memory.total,
        }  # fmt: skip

    def message(self, method: Verlet) -> str:
        """Return a sentence about the end of the run."""
        output = method.output
        if output.outcome.ok:
            return str(output.outcome)
        details = non_finite_bodies(self.model) if output.outcome is Outcome.NOT_FINITE else ""
        return f"{str(output.outcome).rstrip('.')}: after t = {output.t_reached:.9g} s{details}."

    def warn_after(self, method: Verlet, result: Result) -> None:
        """Warn of bodies that still wait for a free place, and of those that creep at rest."""
        if not result.outcome.ok:
            return
        warn_of_creep(self.system, result)
        if self.flow is not None:
            self.flow.warn_of_waiting_bodies(method.time)


def estimate_memory(
    system: System,
    t_end: float,
    output: OutputTimes = None,
    stream: bool = False,
    max_step: float | None = None,
) -> MemoryEstimate:
    """Return the memory that a run of many bodies needs beside the system itself [bytes], without running it.

    ``t_end``, ``output`` and ``max_step`` are those of `simulate`; ``stream`` is True for a run that is written to a
    file. A run that needs more than the machine has available is refused when it starts.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.gallery.box_of_spheres(balls=1000).system
    >>> print(cm.estimate_memory(system, t_end=1.0, output=0.01))
    93.7 MB (bodies 61.1 MB, pairs 1.93 MB, 101 nodes 30.7 MB)
    >>> cm.estimate_memory(system, t_end=1.0, output=0.01, stream=True).nodes
    12456168
    """
    if not isinstance(system, System):
        raise ModelError(f"estimate_memory: expected a System, got {short_repr(system)}")
    end = positive("estimate_memory", "t_end", t_end)
    step = end
    if output is None:
        groups = [*system.groups, *system.small_groups, *single_groups(system)]
        step = default_step(system, groups)[0] if max_step is None else positive("simulate", "max_step", max_step)
    return memory_of_run(system, len(node_times(output, end, step, len(system.bodies))) + 1, bool(stream))


def node_times(output: OutputTimes, t_end: float, step: float, n_bodies: int) -> np.ndarray:
    """Return the times of the nodes after the first one [s]."""
    if output is not None:
        return np.unique(np.append(output_times(output, t_end), t_end))
    max_nodes = max(MAX_NUMBERS // (NUMBERS_PER_BODY * n_bodies), 20)
    count = min(MAX_NODES, max_nodes, max(int(t_end / step), 1))
    return np.linspace(0.0, t_end, count + 1)[1:]


def non_finite_bodies(model: ManyBodyData) -> str:
    """Return which bodies have numbers that are not finite, and what to do."""
    wrong = np.flatnonzero(~np.isfinite(model.body_values[0][1:]).all(axis=1))
    names = f" at body {model.bodies[wrong[0]].name!r} and {len(wrong) - 1} others" if len(wrong) else ""
    return f"{names}; the step may be too long for the contacts; reduce max_step"
