"""Non-smooth runs with many bodies: settings, compiled model, messages and warnings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.compiled_model.mutable_state import as_numbers, fingerprint
from carom.compiled_model.rigid_body_data import RigidBodyData
from carom.compiled_model.system_data import SystemData
from carom.errors import warn
from carom.model.system import System
from carom.result.impact_records import ImpactRecord
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.initial_state import check_length, output_times
from carom.solve.many_body.body_flow import BodyFlow, time_tolerance
from carom.solve.many_body.problem import MAX_NODES, MAX_NUMBERS, NUMBERS_PER_BODY
from carom.solve.many_body.rigid import RigidRequest, RigidStepper
from carom.solve.many_body.rigid_engine import RigidEngine, RigidSettings
from carom.solve.many_body.rigid_flow import RigidBodies
from carom.solve.many_body.rigid_mechanism_data import rigid_mechanism
from carom.solve.many_body.rigid_output import RigidNodeOutput
from carom.solve.many_body.stop_to_stop import Stops
from carom.solve.many_body_support import refuse_inputs
from carom.solve.options import Nonsmooth
from carom.solve.run import OutputTimes, RunRequest
from carom.solve.run_output import RunOutput
from carom.solve.timestepping.problem import MAX_CREATED, MAX_PROJECTED, MAX_PROJECTED_AT_REST
from carom.solve.timestepping.schemes import SCHEMES

MAX_RESIDUAL = 1e-2
"""Largest relative residual of a contact problem without a warning [-]."""


class RigidProblem:
    """A system with large groups of rigid contacts."""

    requested_times = None

    def __init__(self, request: RunRequest):
        system, t_end, options = request.system, request.t_end, request.options
        assert isinstance(options, Nonsmooth)
        assert isinstance(system, System)
        scheme = SCHEMES[options.scheme]
        projection = scheme.projects_positions if options.projection is None else bool(options.projection)
        self.system, self.options = system, options
        self.settings: dict[str, Any] = {
            "t_end": t_end, "method": options.method, **vars(options), "solver": "pgs", "projection": projection,
        }  # fmt: skip
        check_length(t_end, "step", options.step)
        self.step = min(options.step, t_end)
        self.times = node_times(request.output, t_end, self.step, len(system.bodies))
        self.model = RigidBodyData(system)
        self.mechanism = rigid_mechanism(system, t_end, scheme)
        refuse_inputs(system, self.mechanism is not None)
        breaks = [] if self.mechanism is None else self.mechanism.source.tables.breaks
        settings = RigidSettings(scheme, projection, options.tolerance, options.max_sweeps, options.sleeping)
        self.engine = RigidEngine(self.model, self.mechanism, settings)
        self.flow = BodyFlow(RigidBodies(self.engine), self.step) if system.boundaries else None
        checks = np.zeros(0) if self.flow is None or t_end == math.inf else self.flow.times(t_end)
        self.breaks = inside = np.array([t for t in breaks if 0.0 < t < t_end])
        self.stops = Stops.of(self.times, checks, time_tolerance(self.step, t_end)).with_times(inside)
        self.evaluator = RigidNodeOutput(self.engine, self.flow)

    def user_error(self) -> BaseException | None:
        """Return the exception of a user's function in compiled code, or None."""
        return None if self.mechanism is None else self.mechanism.source.user_error()

    @property
    def tables(self) -> SystemData | None:
        """Compiled model, in which inputs change the mechanism."""
        return None if self.mechanism is None else self.mechanism.source.tables

    def method_request(self, output: RunOutput, report: Callable[..., None]) -> RigidRequest:
        """Return the argument of the method."""
        return RigidRequest(
            self.engine, self.evaluator, self.stops, self.step, self.flow, self.user_error, output, report, self.breaks
        )

    def digest_values(self) -> list[Any]:
        """Return the numbers that identify the model."""
        values = [*self.model.body_values, self.model.parameters, self.system.gravity, as_numbers(self.model.laws)]
        flow = [] if self.flow is None else self.flow.fingerprint()
        mechanism = [] if self.mechanism is None else fingerprint(self.mechanism.source.tables)
        return [*values, *mechanism, *flow]

    def impacts(self, rows: Sequence[np.ndarray]) -> list[ImpactRecord]:
        """Return no impacts, as these runs have no contact log."""
        return []

    def statistics(self, method: RigidStepper) -> dict[str, Any]:
        """Return the cost and the accuracy of the contact problems."""
        return method.statistics()

    def message(self, method: RigidStepper) -> str:
        """Return a sentence about the end of the run."""
        output = method.output
        if output.outcome.ok:
            return str(output.outcome)
        details = "; reduce step" if output.outcome is Outcome.NOT_FINITE else ""
        return f"{str(output.outcome).rstrip('.')}: after t = {output.t_reached:.9g} s{details}."

    def warn_after(self, method: RigidStepper, result: Result) -> None:
        """Warn of energy that contacts or projection created, of inexact solutions and of bodies that wait."""
        stats, scale = result.stats, float(result.energy.scale)
        if self.flow is not None and result.outcome.ok:
            self.flow.warn_of_waiting_bodies(method.time)
        if stats["energy_created"] > MAX_CREATED * scale:
            warn(
                f"simulate: contacts created {stats['energy_created']:.3g} J in {stats['energy_creating_steps']} steps "
                f"({stats['energy_created'] / scale:.2g} of the energy in the run); Newton's restitution of several "
                "contacts at once can cause this: reduce restitution, friction or step"
            )
        floor = MAX_PROJECTED_AT_REST * float(np.abs(result.energy.potential).max())
        if stats["projection_energy"] > max(MAX_PROJECTED * scale, floor):
            warn(
                f"simulate: projection put {stats['projection_energy']:.3g} J into the motion, "
                f"{stats['projection_energy'] / scale:.2g} of the energy in it; reduce step or use projection=False"
            )
        if stats["residual"] > max(MAX_RESIDUAL, self.options.tolerance):
            warn(
                f"simulate: {stats['inexact_solutions']} of {stats['contact_problems']} contact problems did not reach "
                f"the tolerance {self.options.tolerance:g}; the residual is up to {stats['residual']:.2g} of the "
                f"largest contact velocity, {stats['mean_residual']:.2g} on average; increase max_sweeps or reduce "
                "step if this matters"
            )


def node_times(output: OutputTimes, t_end: float, step: float, n_bodies: int) -> np.ndarray:
    """Return the times of the nodes after the first one [s]: by default every n-th step."""
    if output is not None:
        return np.unique(np.append(output_times(output, t_end), t_end))
    max_nodes = min(MAX_NODES, max(MAX_NUMBERS // (NUMBERS_PER_BODY * n_bodies), 20))
    n_steps = max(1, math.ceil(t_end / step * (1.0 - 1e-9)))
    stride = -(-n_steps // max_nodes)
    count = n_steps // stride
    times = t_end / n_steps * stride * np.arange(1, count + 1)
    return np.unique(np.append(times[times < t_end * (1.0 - 1e-12)], t_end))
