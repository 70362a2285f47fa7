"""Wear in a compiled model: worn surfaces of its contacts, their history over a run, and how the tables follow.

The geometry is constant between two updates. A run and the evaluation of its nodes have models of their own, with one
history of states.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import ModelError, warn
from carom.geometry.pairs.worn_journal import PARAMS, TABLE_OFFSET
from carom.laws.wear.base import WearLaw
from carom.mechanics.wear import WEAR
from carom.model.wear import worn_surfaces

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData

MAX_CHANGE = 0.1
"""Depth that one update removes, relative to the clearance, above which a warning is issued [-]."""


@dataclass(frozen=True)
class WearState:
    """Worn geometry from one time on."""

    depths: tuple[np.ndarray, ...]
    """Depths of both surfaces of each contact [m], shape (2, sites)."""
    seen: tuple[np.ndarray, ...]
    """Parameters that the pairs of the contacts read."""
    volumes: np.ndarray
    """Removed volumes [m³], a row for each contact, a column for each surface."""
    energy_loss: float = 0.0
    """Elastic energy that updates have removed with the material so far [J]."""


class WornJoint:
    """Journal and bearing of one joint, whose depths follow the work of its contact."""

    def __init__(self, contact: Any, index: int, params_offset: int, work_offset: int):
        law: WearLaw = contact.wear
        self.contact, self.law, self.index, self.work_offset = contact, law, index, work_offset
        self.params = slice(params_offset + PARAMS.index("is_worn"), params_offset + TABLE_OFFSET + 2 * law.sectors)
        self.length = 2.0 * contact.journal_radius if law.length is None else law.length
        self.wall = 0.5 * contact.journal_radius if law.wall is None else law.wall
        self.surfaces = worn_surfaces(contact)
        self.shares = (law.share, 1.0 - law.share)

    @property
    def numbers(self) -> np.ndarray:
        """Parameters of the pair that change: whether it is worn, the number of sectors and the two splines."""
        first, second = (surface.seen for surface in self.surfaces)
        return np.array([float(bool(first.any() or second.any())), len(first), *first, *second])

    def set_depths(self, depths: np.ndarray) -> None:
        """Set the depths of both surfaces [m]."""
        for surface, depth in zip(self.surfaces, depths, strict=True):
            if not np.array_equal(surface.depth, depth):
                surface.set_depth(depth)

    def remove(self, work: np.ndarray) -> None:
        """Remove the material of the work and its overlap at the sectors, shape (2, 2, sectors)."""
        for surface, share, (amount, moment) in zip(self.surfaces, self.shares, work, strict=True):
            if share > 0.0 and amount.any():
                overlap = np.divide(moment, amount, out=np.zeros_like(moment), where=amount > 0.0)
                area = share * self.law.cycle_factor * self.law.removed_volume(amount) / self.length
                surface.remove(area, overlap)

    def volumes(self) -> list[float]:
        """Return the volumes that both surfaces have lost [m³]."""
        return [surface.removed_area * self.length for surface in self.surfaces]


class ModelWear:
    """Worn contacts of a model, and the history of their states."""

    def __init__(self, data: SystemData):
        self.joints: list[WornJoint] = []
        count = 0
        table = []
        for k, contact in enumerate(data.contacts):
            if contact.wear is not None:
                n = contact.wear.sectors
                self.joints.append(WornJoint(contact, k, int(data["contacts"][k]["pair_params"]), count))
                table.append((k, n, count))
                count += 4 * n
        data.set_array("wear", np.array(table, WEAR.dtype))
        data.set_array("wear_work", np.zeros(count))
        data.model.n_wear = len(table)
        initial = self.state(0.0)
        self.times: list[float] = [-math.inf]
        self.states: list[WearState] = [initial]
        self.apply(data, initial)

    def state(self, energy_loss: float) -> WearState:
        """Return the state of the surfaces."""
        return WearState(
            tuple(np.array([surface.depth for surface in joint.surfaces]) for joint in self.joints),
            tuple(joint.numbers for joint in self.joints),
            np.array([joint.volumes() for joint in self.joints]),
            energy_loss,
        )

    def state_at(self, t: float) -> WearState:
        """Return the state from time ``t`` [s] on."""
        return self.states[bisect_right(self.times, t) - 1]

    def parts(self, t: np.ndarray) -> Iterator[tuple[slice, WearState]]:
        """Yield the parts of not decreasing times ``t`` [s] with one state each."""
        places = np.searchsorted(self.times, t, side="right") - 1
        ends = [*(np.flatnonzero(np.diff(places)) + 1).tolist(), len(t)]
        begin = 0
        for end in ends:
            yield slice(begin, end), self.states[places[begin]]
            begin = end

    def energy_losses(self, t: np.ndarray) -> np.ndarray:
        """Return the elastic energy removed up to times ``t`` [s], in [J]."""
        losses = np.array([state.energy_loss for state in self.states])
        return losses[np.searchsorted(self.times, t, side="right") - 1]

    def apply(self, data: SystemData, state: WearState) -> None:
        """Set the parameters of the pairs in a compiled model."""
        if data.wear_state is state:
            return
        params = data["params"]
        for joint, numbers in zip(self.joints, state.seen, strict=True):
            params[joint.params] = numbers
        data.wear_state = state

    def after(self, work: np.ndarray, t: float) -> WearState:
        """Return the state after the latest one with the material removed by ``work`` [J] at time ``t`` [s]."""
        last = self.states[-1]
        for joint, before in zip(self.joints, last.depths, strict=True):
            joint.set_depths(before)
            n = joint.law.sectors
            joint.remove(work[joint.work_offset : joint.work_offset + 4 * n].reshape(2, 2, n))
            check_depth(joint, before, t)
        return self.state(last.energy_loss)

    def restore(self, times: tuple[float, ...], states: tuple[WearState, ...]) -> None:
        """Return to a saved history."""
        self.times[:], self.states[:] = times, states


def check_depth(joint: WornJoint, before: np.ndarray, t: float) -> None:
    """Raise if the wall is worn through; warn of a change of the geometry that one interval should not make."""
    after = np.array([surface.depth for surface in joint.surfaces])
    deepest, change = float(after.max()), float((after - before).max())
    label, law, clearance = joint.contact.label, joint.law, joint.contact.clearance
    if not deepest <= joint.wall:
        raise ModelError(
            f"{label}: wear of {deepest:.3g} m at t = {t:.6g} s exceeds the wall of {joint.wall:.3g} m; reduce "
            f"cycle_factor (now {law.cycle_factor:g}) or the length of the run, or set wall="
        )
    if change > MAX_CHANGE * clearance:
        warn(
            f"{label}: wear removes {change:.3g} m at t = {t:.6g} s in one interval, {change / clearance:.2g} of the "
            f"clearance; reduce cycle_factor (now {law.cycle_factor:g}) or interval"
        )
