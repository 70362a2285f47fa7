"""Wear over a run: updates of the worn geometry at the ends of intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.compiled_model.model_wear import WearState, WornJoint
from carom.errors import ModelError
from carom.result.wear_record import WearRecord
from carom.solve.input_driver import earlier, is_due
from carom.solve.method import Method

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData

METHODS_WITH_WEAR = ("runge-kutta", "time-stepping")
"""Methods that accumulate the work of contacts that wear, by their names in `carom.solve.run`."""
INTERVALS = 50
"""Updates of a run whose laws of wear have no interval."""


@dataclass(frozen=True)
class WearDriverState:
    """History of the wear at one time, with which a run continues to the same bits."""

    times: tuple[float, ...]
    states: tuple[WearState, ...]
    count: int


class WearDriver:
    """Updates of the worn geometry in one run; ``data`` is the compiled model of the run, None without wear."""

    def __init__(self, data: SystemData | None, t_end: float):
        self.data = data
        self.count = 0
        """Updates so far."""
        self.interval = math.inf if data is None else common_interval(data, t_end)

    def save(self) -> WearDriverState | None:
        """Return the history so far; None without wear."""
        if self.data is None:
            return None
        wear = self.data.wear
        assert wear is not None
        return WearDriverState(tuple(wear.times), tuple(wear.states), self.count)

    def restore(self, state: WearDriverState | None) -> None:
        """Return to a saved history, and set the geometry of the compiled model."""
        if self.data is None or state is None:
            return
        wear = self.data.wear
        assert wear is not None
        wear.restore(state.times, state.states)
        self.count = state.count
        self.data.wear_state = None
        wear.apply(self.data, wear.states[-1])

    def next_time(self, t: float, goal: float) -> float:
        """Return the time of the next update after ``t`` [s], at most ``goal`` [s]."""
        return goal if self.data is None else earlier((self.count + 1) * self.interval, goal)

    def leave(self, t: float, simulation: Any, method: Method) -> None:
        """Update the geometry if that is due at time ``t`` [s], before the run goes on."""
        if self.data is None or not is_due((self.count + 1) * self.interval, t):
            return
        data, wear = self.data, self.data.wear
        assert wear is not None
        before = simulation.elastic_energy()
        state = wear.after(data["wear_work"], t)
        data["wear_work"][:] = 0.0
        self.count += 1
        wear.times.append(t)
        wear.states.append(state)
        wear.apply(data, state)
        loss = before - simulation.elastic_energy() if before > 0.0 else 0.0
        wear.states[-1] = data.wear_state = WearState(state.depths, state.seen, state.volumes, state.energy_loss + loss)
        method.inputs_changed()

    def records(self, t: float) -> dict[str, WearRecord]:
        """Return the wear of all contacts up to time ``t`` [s], with that of the interval that has not ended."""
        if self.data is None:
            return {}
        wear = self.data.wear
        assert wear is not None
        times, states = [0.0, *wear.times[1:]], list(wear.states)
        if t > times[-1]:
            times.append(t)
            states.append(wear.after(self.data["wear_work"], t))
        return {joint.contact.name: record(joint, k, times, states) for k, joint in enumerate(wear.joints)}


def record(joint: WornJoint, k: int, times: list[float], states: list[WearState]) -> WearRecord:
    """Return the wear of one contact over time."""
    radii = tuple(surface.radius for surface in joint.surfaces)
    depths = np.array([state.depths[k] for state in states])
    return WearRecord(
        joint.contact.name, np.array(times), depths[:, 0], depths[:, 1], np.array([s.volumes[k] for s in states]),
        joint.law.density, radii, joint.law.cycle_factor,
    )  # fmt: skip


def common_interval(data: SystemData, t_end: float) -> float:
    """Return the interval of the updates [s], the shortest of all laws of wear."""
    assert data.wear is not None
    chosen = [joint.law.interval for joint in data.wear.joints if joint.law.interval is not None]
    if chosen:
        return min(chosen)
    if not math.isfinite(t_end):
        label = data.wear.joints[0].contact.label
        raise ModelError(f"{label}: a simulation without an end needs the interval of its wear; set interval= of it")
    return t_end / INTERVALS


def refuse_wear(method: str, system: Any) -> None:
    """Raise if a contact wears, which the method does not support."""
    worn = [contact for contact in getattr(system, "contacts", ()) if getattr(contact, "wear", None) is not None]
    if worn and method not in METHODS_WITH_WEAR:
        raise ModelError(
            f"{worn[0].label}: a run by {method!r} has no wear; use method='compliant' with a Runge–Kutta or implicit "
            "integrator, or method='nonsmooth' with a time-stepping scheme"
        )
