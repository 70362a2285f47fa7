"""Propagators: carry a state of a system from any time to a later one, for analyses of neighbouring motions.

The model is compiled and its motions are anchored once, at the start of the system. A later state is resumed at its own
time, and closed contacts keep what they remember, so that a run that is cut into pieces is the run itself.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.geometry.rotation import product
from carom.mechanics.contact_records import N_STORED, SEPARATED, STORED_HISTORY, STORED_PLACE
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.solve.compliant.problem import integration_request, treat_constraints
from carom.solve.compliant.problem import message as compliant_message
from carom.solve.compliant.registry import INTEGRATORS
from carom.solve.event_driven.event_driven_run import EventDriven
from carom.solve.initial_state import check_spans, consistent_start
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.options import VERLET, Compliant, Nonsmooth, option_names
from carom.solve.run import advance_to_end
from carom.solve.run_output import RunOutput
from carom.solve.timestepping.problem import create_source
from carom.solve.timestepping.problem import message as nonsmooth_message
from carom.solve.timestepping.time_stepper import SteppingRequest

MODE = STORED_HISTORY.index("mode")
REMEMBERED = [STORED_HISTORY.index("approach_speed"), STORED_HISTORY.index("delta_turn")]
"""Numbers in the memory of a closed contact that differ between neighbouring motions."""

MIN_STEPS = 8
"""Steps in a piece of an event-driven run; a whole run has more."""


def nothing_stored(count: int) -> np.ndarray:
    """Return the memory of ``count`` contacts before a run: separated, and spots without a place."""
    memory = np.zeros((count, N_STORED))
    memory[:, [STORED_HISTORY.index(name) for name in STORED_PLACE]] = math.nan
    return memory.ravel()


def silent(*_: Any) -> None:
    """Report no progress."""


class Propagator(ABC):
    """A system with the options of its run; ``n`` is the number of its velocities, ``first`` its state at time 0."""

    n: int
    first: np.ndarray

    @abstractmethod
    def advance(self, t: float, state: np.ndarray, times: Iterable[float]) -> tuple[np.ndarray, Any]:
        """Return the states at ``times`` [s], and the contacts that distinguish one motion from another there."""

    @abstractmethod
    def difference(self, state: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return coordinates, velocities and memory of ``other`` relative to ``state``."""

    @abstractmethod
    def displaced(self, t: float, state: np.ndarray, difference: np.ndarray) -> np.ndarray:
        """Return the state that differs by ``difference``, moved onto the joints."""

    @abstractmethod
    def closed(self, state: np.ndarray) -> bool:
        """Return whether a contact is closed."""


class CompliantPropagator(Propagator):
    """Integration with contact forces; a state is a node of such a run, with the memory of the contacts."""

    def __init__(self, system: System, settings: Mapping[str, Any], t_end: float):
        self.options = Compliant(**{name: settings[name] for name in option_names("compliant")})
        self.mechanism = ModelEvaluator(system, "simulate")
        check_spans(self.mechanism, t_end)
        y = consistent_start(self.mechanism)
        treat_constraints(self.mechanism, y, self.options)
        tables = self.mechanism.tables
        self.n, self.size, self.count = self.mechanism.n, tables.size, len(tables.contacts)
        self.first = np.concatenate([y, nothing_stored(self.count)])
        self.inner = slice(2 * self.n + tables.n_orientation, tables.quadrature_offset)  # states of friction laws
        velocities = np.arange(self.n).reshape(-1, tables.kind.n_velocities)
        rotating = velocities[:, 3:] if tables.n_orientation else np.zeros((0, 3), int)
        self.rotating = rotating.astype(int)

    def advance(self, t: float, state: np.ndarray, times: Iterable[float]) -> tuple[np.ndarray, Any]:
        """Return the states at ``times`` [s], and the contacts that distinguish one motion from another there."""
        wanted = np.array(list(times))
        jumps = [stop for stop in self.mechanism.tables.breaks if t < stop < wanted[-1]]
        stops = np.array(sorted({*wanted.tolist(), *jumps}))
        output = RunOutput(np.array([t, *wanted]))
        request = integration_request(
            self.mechanism, self.options, state[: self.size].copy(), stops, np.isin(stops, jumps), output,
            record_steps=False, start=t, memory=state[self.size :],
        )  # fmt: skip
        advance_to_end(INTEGRATORS[self.options.integrator](request), silent)
        if output.error is not None:
            raise output.error
        if not output.outcome.ok:
            raise ModelError(compliant_message(self.mechanism, output))
        states = output.nodes()[1][-len(wanted) :]
        return states, tuple(self.memory(states[-1])[:, MODE] != SEPARATED)

    def memory(self, state: np.ndarray) -> np.ndarray:
        """Return what the contacts remember, one row per contact."""
        return state[self.size :].reshape(-1, N_STORED)

    def closed(self, state: np.ndarray) -> bool:
        """Return whether a contact is closed."""
        return bool(np.any(self.memory(state)[:, MODE] != SEPARATED))

    def orientations(self, state: np.ndarray) -> np.ndarray:
        """Return the unit quaternions of spatial bodies, one row per body."""
        own = self.mechanism.tables.kind.n_orientation
        return state[2 * self.n : 2 * self.n + own * len(self.rotating)].reshape(-1, max(own, 1))[:, :4]

    def difference(self, state: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return coordinates, velocities and memory of ``other`` relative to ``state``."""
        n, away = self.n, other - state
        if len(self.rotating):
            turned = np.array(product(self.orientations(state).T * [[1], [-1], [-1], [-1]], self.orientations(other).T))
            away[self.rotating] = (2.0 * np.sign(turned[0]) * turned[1:]).T
        both = (self.memory(state)[:, MODE] != SEPARATED) & (self.memory(other)[:, MODE] != SEPARATED)
        remembered = self.memory(away)[:, REMEMBERED] * both[:, None]
        return np.concatenate([away[: 2 * n], away[self.inner], remembered.ravel()])

    def displaced(self, t: float, state: np.ndarray, difference: np.ndarray) -> np.ndarray:
        """Return the state that differs by ``difference``, moved onto the joints."""
        n, other = self.n, state.copy()
        width = self.inner.stop - self.inner.start
        other[: 2 * n] += difference[: 2 * n]
        other[self.inner] += difference[2 * n : 2 * n + width]
        self.memory(other)[:, REMEMBERED] += difference[2 * n + width :].reshape(-1, len(REMEMBERED))
        y = other[: self.size].copy()
        self.mechanism.update_orientation(y)
        if self.mechanism.m:
            self.mechanism.project(t, y)
        other[: self.size] = y
        return other


class EventDrivenPropagator(Propagator):
    """Integration from impact to impact; a state is coordinates and velocities."""

    def __init__(self, system: System | GeneralizedSystem, settings: Mapping[str, Any], t_end: float):
        self.settings = settings
        values = {name: settings[name] for name in option_names("nonsmooth")}
        self.options = Nonsmooth(**{**values, "scheme": "event-driven", "adaptive": False})
        self.source: Any = create_source(system, t_end, Nonsmooth(scheme="event-driven"))
        self.model = self.source.model
        self.n, self.first = self.model.n_velocities, self.model.start.copy()
        self.touching = False

    def advance(self, t: float, state: np.ndarray, times: Iterable[float]) -> tuple[np.ndarray, Any]:
        """Return the states at ``times`` [s], and the contacts that distinguish one motion from another there."""
        wanted = np.array(list(times))
        breaks = [stop for stop in self.source.breaks if t < stop < wanted[-1]]
        output = RunOutput(np.array([t, *wanted]))
        request = SteppingRequest(
            model=replace(self.model, start=state.copy()), options=self.options, solver=self.settings["solver"],
            projection=self.settings["projection"], stops=np.array(sorted({*wanted.tolist(), *breaks})), breaks=breaks,
            record_steps=False, user_error=self.source.user_error, output=output, start=t,
        )  # fmt: skip
        run = EventDriven(request)
        run.max_step = run.h = (float(wanted[-1]) - t) / MIN_STEPS
        advance_to_end(run, silent)
        if output.error is not None:
            raise output.error
        if not output.outcome.ok:
            raise ModelError(nonsmooth_message(run))
        self.touching = bool(np.any(run.phase.modes != 0))
        reached, nodes = output.nodes()
        last = np.searchsorted(reached, wanted, side="right") - 1  # after an impact at that time
        return nodes[last, : 2 * self.n], run.handler.n_impacts

    def closed(self, state: np.ndarray) -> bool:
        """Return whether a contact is closed."""
        return self.touching

    def difference(self, state: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return coordinates, velocities and memory of ``other`` relative to ``state``."""
        return other - state

    def displaced(self, t: float, state: np.ndarray, difference: np.ndarray) -> np.ndarray:
        """Return the state that differs by ``difference``, moved onto the joints."""
        other = state + difference
        mechanism = getattr(self.source, "mechanism", None)
        if mechanism is not None and mechanism.m:
            y = mechanism.tables.y0.copy()
            y[: 2 * self.n] = other
            mechanism.project(t, y)
            other = y[: 2 * self.n]
        return other


def propagator(system: System | GeneralizedSystem, settings: Mapping[str, Any], t_end: float) -> Propagator:
    """Return the propagator for the ``settings`` of a result; ``t_end`` [s] is the latest time it is asked for."""
    if settings["method"] == "nonsmooth":
        return EventDrivenPropagator(system, settings, t_end)
    if settings["integrator"] == VERLET or isinstance(system, GeneralizedSystem):  # the latter has no compliant runs
        raise ModelError(f"System {system.name!r}: integrator {VERLET!r} cannot start from the state of another run")
    return CompliantPropagator(system, settings, t_end)
