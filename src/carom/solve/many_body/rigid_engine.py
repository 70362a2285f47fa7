"""Engine of non-smooth runs with many bodies: tables, neighbour lists, chunks of steps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.compiled_model.many_body_records import BODY_PAIR_DATA, aligned_table
from carom.compiled_model.rigid_body_data import RigidBodyData
from carom.geometry.rotation import matrix_of
from carom.kernels.interpreted import address_of_argument
from carom.solve.many_body.candidate_search import PAIR_OUTPUT_SIZE, CandidateSearch
from carom.solve.many_body.records import (
    BODY_POSE,
    LIST_UPDATE,
    MANY_BODY,
    NEIGHBOUR_ENTRY,
    PAIR_SHIFT,
    VERLET_SETTINGS,
    WORKSPACE,
)
from carom.solve.many_body.rigid_list import build_rigid_list
from carom.solve.many_body.rigid_mechanism_data import RigidMechanism
from carom.solve.many_body.rigid_records import (
    BODY_VELOCITY,
    CAPACITY_EXCEEDED,
    CHUNK_FULL,
    CONTACT_ROW,
    DETECTED_CONTACT,
    FINISHED,
    INVERSE_INERTIA,
    ISLAND,
    LIST_OUTDATED,
    NOT_FINITE,
    PAIR_IMPULSE,
    RIGID,
    RIGID_BODY,
    RIGID_COUNTS,
    RIGID_ENERGY,
    RIGID_GROUP_WORK,
    RIGID_LIST_UPDATE,
    ROW_DATA,
    ROW_IMPULSE,
    ROW_RUN,
)
from carom.solve.many_body.rigid_step import load_mechanism, measure_start_gaps, run_rigid_steps, store_start
from carom.solve.many_body.sphere_batches import MIN_LANES, SPHERE_BATCH
from carom.solve.node_batches import fill
from carom.solve.timestepping.schemes import Scheme

CHUNK_SECONDS = 0.05
"""Wall time of one call of compiled code [s]."""
MAX_ITERATIONS, MIN_ITERATIONS, SWEEP_BUDGET = 1000, 110, 300_000
"""Limits of the sweeps over a small and over a large island in a step, and contacts times sweeps between them."""
PENETRATION_LIMIT = 1e-6
"""Penetration that is not removed, relative to the smallest shape [-]."""
QUIET_SPEED = 1e-3
"""Speed below which a body may fall asleep, relative to that of a fall by the size of the smallest shape [-]."""
N_QUIET_STEPS = 100
"""Steps below this speed until bodies fall asleep."""
PROGRESS = ("n_done", "n_planned", "list_is_new", "n_active", "n_islands")
"""Fields of the run that change with its steps, beside the clock."""
CLOCK = ("h", "t_begin")
"""Numbers of the clock."""
PAIR_TABLES = ("entries", "pairs", "warm_start_offsets", "pair_shifts")
"""Arrays of a neighbour list with one row per pair."""


@dataclass(frozen=True)
class RigidSettings:
    """Options of the engine: scheme, projection of positions, tolerance [-] and largest number of sweeps, sleeping."""

    scheme: Scheme
    projection: bool
    tolerance: float
    max_sweeps: int | None
    sleeping: bool


class RigidList:
    """Arrays of a neighbour list with capacity for a number of pairs, and of the contacts that it may contain.

    Its warm starts have ``n_warm`` numbers.
    """

    def __init__(self, n_bodies: int, capacity: int, n_warm: int, is_periodic: bool):
        self.capacity = capacity
        self.first_entry = np.zeros(n_bodies + 3, np.int64)
        self.entries = NEIGHBOUR_ENTRY.zeros(capacity)
        self.pairs = PAIR_IMPULSE.zeros(capacity)
        self.pair_shifts = PAIR_SHIFT.zeros(capacity if is_periodic else 0)
        self.warm_start = np.zeros(n_warm)
        self.warm_start_offsets = np.zeros(capacity if n_warm else 0, np.int64)


class RigidEngine:
    """Time stepping of many rigid bodies; see `carom.solve.many_body.rigid_step`."""

    def __init__(self, model: RigidBodyData, mechanism: RigidMechanism | None, settings: RigidSettings):
        self.model, self.mechanism, self.settings = model, mechanism, settings
        self.n_bodies = len(model.bodies)
        self.rebuilds = 0
        self.before_rebuild: Callable[[], None] | None = None
        """Function that is called before the neighbour list changes."""
        self.last_report = time.perf_counter()
        self.tables = {name: MANY_BODY.zeros() for name in ("mid", "other")}
        self.counts, self.energy = RIGID_COUNTS.new(), RIGID_ENERGY.new()
        self.rigid = RIGID.new()
        self.arrays: dict[str, np.ndarray] = {}
        self._create_bodies()
        self._create_run()
        self.search = CandidateSearch(model, self.tables["mid"])
        self.list = RigidList(self.n_bodies, 1, 0, model.is_periodic)
        self._use_list(self.list)
        if mechanism is not None:
            load_mechanism.call(self.rigid)

    def _set(self, name: str, array: np.ndarray) -> np.ndarray:
        """Store an array and its address in the record of the run."""
        self.arrays[name] = array
        setattr(self.rigid, name, array.ctypes.data)
        return array

    def _create_bodies(self) -> None:
        """Create the tables of bodies."""
        model, count = self.model, self.n_bodies + 1
        bodies = self._set("bodies", aligned_table(RIGID_BODY, count))
        for name, column in model.state.items():
            bodies[name] = column
        bodies["r_at_list"] = bodies["r"]
        mass, inertia = bodies["mass"], bodies["inertia"][:, 0]
        for name in ("velocities", "initial_velocities", "free_velocities", "previous_velocities"):
            table = self._set(name, aligned_table(BODY_VELOCITY, count))
            np.divide(1.0, mass, out=table["inverse_mass"], where=mass > 0.0)
            isotropic = (bodies["is_isotropic"] != 0) & (inertia > 0.0)
            np.divide(1.0, inertia, out=table["inverse_inertia"], where=isotropic)
        self._set("inverse_inertias", aligned_table(INVERSE_INERTIA, count))
        for name in ("parents", "colours", "island_of_body", "island_bodies"):
            self._set(name, np.zeros(count, np.int64))
        self._set("mechanism_bodies", np.array([*model.mechanism_rows, 0], np.int64))
        self._set("component_first", np.cumsum([0, *(len(part) for part in model.components)]))
        self._set("component_bodies", np.array([*(k for part in model.components for k in part), 0], np.int64))
        self.rigid.n_components = len(model.components)
        self.rigid.n_mechanism_bodies = len(model.mechanism_rows)
        free = bodies["mechanism_index"][1:] < 0
        self.rigid.has_general_inertia = int(np.any((bodies["is_isotropic"][1:] == 0) & free))

    def _create_run(self) -> None:
        """Create the record of the run and the configurations that pair kernels read."""
        model, rigid, settings = self.model, self.rigid, self.settings
        self.configurations: list[np.ndarray] = []
        self._verlet_settings = VERLET_SETTINGS.zeros()  # the search for pairs reads the periods
        self._verlet_settings["period"] = model.domain.period
        for name, table in self.tables.items():
            pair_data = model.pair_data if name == "mid" else aligned_table_like(model.pair_data)
            poses = self._initial_poses()
            self.configurations += [pair_data, poses]
            for field, array in {"pair_data": pair_data, "poses": poses, "pair_kinds": model.pair_kinds}.items():
                table[field] = array.ctypes.data
            table["n_bodies"], table["n_free_bodies"] = self.n_bodies, model.n_free
            table["settings"] = self._verlet_settings.ctypes.data
        self._pair_output = np.zeros(PAIR_OUTPUT_SIZE)
        self._workspace = WORKSPACE.zeros()
        self._workspace["pair_output"] = self._pair_output.ctypes.data
        self._image_pose = np.zeros(BODY_POSE.size)
        self._workspace["image_pose"] = self._image_pose.ctypes.data
        self._set("workspace", self._workspace)
        self._set("laws", model.laws)
        self._set("group_work", RIGID_GROUP_WORK.zeros(len(model.laws)))
        rigid.first_stop_law = len(model.groups)
        if self.mechanism is not None:
            rigid.n_stops = len(self.mechanism.stops)
            self._set("stops", self.mechanism.stop_table(model.body_index))
            self._set("stop_pairs", self.mechanism.stop_pairs)
        self._set("scratch", np.zeros(16))
        self._set("responses", np.zeros(1))
        gravity = np.zeros(3)
        gravity[: len(model.system.gravity)] = model.system.gravity
        size, g = model.smallest_size, float(np.linalg.norm(gravity))
        values: dict[str, Any] = {
            "mid": address_of_argument(self.tables["mid"]), "other": address_of_argument(self.tables["other"]),
            "stepper": 0 if self.mechanism is None else self.mechanism.address,
            "counts": address_of_argument(self.counts), "energy": address_of_argument(self.energy),
            "n_bodies": self.n_bodies, "is_planar": int(model.system.dim == 2), "response_capacity": 1,
            "list_displacement_limit": 0.5 * model.skin, "tolerance": settings.tolerance,
            "max_iterations": settings.max_sweeps or MAX_ITERATIONS,
            "min_iterations": settings.max_sweeps or MIN_ITERATIONS, "sweep_budget": SWEEP_BUDGET,
            "penetration_limit": PENETRATION_LIMIT * size,
            "repeats_with_mean_velocity": settings.scheme.repeats_with_mean_velocity,
            "curvature_correction": settings.scheme.curvature_correction,
            "no_energy_gain": settings.scheme.no_energy_gain, "projects_positions": settings.projection,
            "quiet_speed": QUIET_SPEED * math.sqrt(g * size) if settings.sleeping else 0.0,
            "n_quiet_steps": N_QUIET_STEPS, "step_budget": 10,
        }  # fmt: skip
        for name, value in values.items():
            setattr(rigid, name, value)
        for k in range(3):
            rigid.gravity[k] = gravity[k]

    def _initial_poses(self) -> np.ndarray:
        """Return the poses of all bodies at the start."""
        poses = BODY_POSE.zeros(self.n_bodies + 1)
        poses["R"] = np.eye(3).ravel()
        for k, body in enumerate(self.model.bodies, start=1):
            poses["r"][k] = self.model.state["r"][k]
            if self.model.system.dim == 3:
                poses["R"][k] = np.asarray(matrix_of(body.orientation)).ravel()
        return poses

    # ---- neighbour lists

    def _use_list(self, pairs: RigidList) -> None:
        """Use the arrays of a neighbour list, with rows for as many contacts."""
        for table in self.tables.values():
            for name in ("first_entry", "entries", "warm_start", "warm_start_offsets", "pair_shifts"):
                array = getattr(pairs, name)
                table[name] = array.ctypes.data if array.size else 0
        self._set("pairs", pairs.pairs)
        self.list = pairs
        capacity = pairs.capacity + int(self.rigid.n_stops)
        if len(self.arrays.get("order", ())) < capacity:
            for name, layout in {
                "contacts": DETECTED_CONTACT, "rows": CONTACT_ROW, "impulses": ROW_IMPULSE, "row_data": ROW_DATA,
                "islands": ISLAND, "row_runs": ROW_RUN,
            }.items():  # fmt: skip
                self._set(name, aligned_table(layout, capacity))
            self._set("batches", aligned_table(SPHERE_BATCH, capacity // MIN_LANES + 1))
            for name in ("order", "order_workspace"):
                self._set(name, np.zeros(capacity, np.int64))

    def rebuild(self) -> None:
        """Build a new neighbour list for the midpoint positions of the bodies."""
        if self.before_rebuild is not None:
            self.before_rebuild()
        self.wrap_positions()
        candidates, old = self.search.candidates(), self.list
        n_warm = self.model.count_warm_starts(candidates["group_or_kind"])
        new = RigidList(self.n_bodies, int(1.2 * len(candidates)) + 64, n_warm, self.model.is_periodic)
        self._use_list(new)
        next_index = np.zeros(self.n_bodies + 4, np.int64)
        inner = LIST_UPDATE.new(
            pairs=candidates.ctypes.data, n_pairs=len(candidates), next_index=next_index.ctypes.data
        )
        update = RIGID_LIST_UPDATE.new(
            mid=address_of_argument(self.tables["mid"]), update=address_of_argument(inner),
            old_first_entry=old.first_entry.ctypes.data, old_entries=old.entries.ctypes.data,
            old_pairs=old.pairs.ctypes.data, old_warm_start=old.warm_start.ctypes.data,
            old_warm_start_offsets=old.warm_start_offsets.ctypes.data, pairs=new.pairs.ctypes.data,
            bodies=self.arrays["bodies"].ctypes.data,
        )  # fmt: skip
        build_rigid_list.call(update)
        self.rigid.list_is_new = 1
        self.rebuilds += 1

    def wrap_positions(self) -> None:
        """Move the free bodies whose midpoints have left the periodic domain back into it, by whole periods."""
        model = self.model
        if not model.is_periodic:
            return
        free = slice(1, 1 + model.n_free)
        moved = model.domain.images(self.configurations[0]["r"][free])
        model.images[free] += moved
        for table in (self.arrays["bodies"], *self.configurations):
            table["r"][free] -= moved * model.domain.period

    @property
    def n_pairs(self) -> int:
        """Number of pairs in the neighbour list."""
        return int(self.list.first_entry[self.n_bodies + 1])

    @property
    def is_finite(self) -> bool:
        """True if positions and velocities of all bodies are finite."""
        bodies = self.arrays["bodies"]
        return all(bool(np.isfinite(bodies[name]).all()) for name in ("r", "v", "omega"))

    # ---- steps

    def start(self, step: float) -> None:
        """Build the first neighbour list for steps of the length ``step`` [s]."""
        self.rigid.h, self.rigid.t_begin = step, 0.0
        store_start.call(self.rigid)
        self.rebuild()

    def start_overlaps(self) -> np.ndarray:
        """Return the overlaps of pairs of shapes at the start [m]."""
        measure_start_gaps.call(self.rigid)
        gaps = self.list.pairs["gap"][: self.n_pairs]
        return -gaps[gaps < 0.0]

    def plan(self, begin: float, end: float, max_step: float) -> None:
        """Plan equal steps of at most ``max_step`` [s] from ``begin`` to ``end`` [s]."""
        count = max(1, math.ceil((end - begin) / max_step * (1.0 - 1e-9)))
        self.rigid.t_begin, self.rigid.h = begin, (end - begin) / count
        self.rigid.n_done, self.rigid.n_planned = 0, count

    def finish_segment(self, report: Callable[[float], Any] | None = None, status: int | None = None) -> int:
        """Make the planned steps that are left; return a status.

        ``report`` is called at intervals with the time reached [s]; an exception in it ends the run between two steps.
        ``status`` is that of the last call of the loop, if it began.
        """
        rigid = self.rigid
        first_status = status
        while True:
            n_before, began = int(rigid.n_done), time.perf_counter()
            status = int(run_rigid_steps.call(rigid)) if first_status is None else first_status
            first_status = None
            now = time.perf_counter()
            n_new = int(rigid.n_done) - n_before
            if n_new > 0:
                rigid.step_budget = min(max(int(n_new / max(now - began, 1e-9) * CHUNK_SECONDS), 1), 1_000_000)
            if status == LIST_OUTDATED:
                if not self.is_finite:
                    return NOT_FINITE
                self.rebuild()
            elif status == CAPACITY_EXCEEDED:
                self._set("responses", np.zeros(int(1.5 * rigid.response_size)))
                rigid.response_capacity = len(self.arrays["responses"])
                rigid.list_is_new = 1  # the list is that of this step
            elif status != CHUNK_FULL:
                return status if status != FINISHED or self.is_finite else NOT_FINITE
            if report is not None and now - self.last_report > CHUNK_SECONDS:
                self.last_report = now
                report(float(rigid.t_begin + rigid.n_done * rigid.h))

    # ---- checkpoints

    def mutable_state(self) -> dict[str, np.ndarray]:
        """Return the arrays changed by steps, by name; restoring them resumes a run bit for bit."""
        rigid, n = self.rigid, self.n_pairs
        state = {
            "bodies": self.arrays["bodies"].view(np.int64),
            "first_entry": self.list.first_entry,
            **{name: getattr(self.list, name)[:n].view(np.int64) for name in PAIR_TABLES},
            "warm_start": self.list.warm_start,
            "counts": RIGID_COUNTS.numbers(self.counts),
            "energy": RIGID_ENERGY.numbers(self.energy),
            "progress": np.array([int(getattr(rigid, name)) for name in PROGRESS]),
            "clock": np.array([float(getattr(rigid, name)) for name in CLOCK]),
            "rebuilds": np.array([self.rebuilds]),
        }
        for name, table in zip(("mid", "mid_poses", "other", "other_poses"), self.configurations, strict=True):
            state[name] = table.view(np.int64)
        for name in ("velocities", "initial_velocities", "free_velocities", "group_work"):
            state[name] = self.arrays[name].view(np.int64)
        if self.model.is_periodic:
            state["images"] = self.model.images
        if self.model.system.boundaries:
            state["absence"] = self.model.absence
        return state | ({} if self.mechanism is None else self.mechanism.mutable_state())

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from the `mutable_state` of another engine of the same model."""
        capacity = len(state["pairs"]) // PAIR_IMPULSE.size + 64
        self._use_list(RigidList(self.n_bodies, capacity, len(state["warm_start"]), self.model.is_periodic))
        self.list.first_entry[:] = state["first_entry"]
        fill(self.mutable_state(), state)
        for names, key in ((PROGRESS, "progress"), (CLOCK, "clock")):
            for name, value in zip(names, state[key].tolist(), strict=True):
                setattr(self.rigid, name, value)
        self.rebuilds = int(state["rebuilds"][0])
        if self.model.inlets or self.model.outlets:
            self.search.select_present()


def aligned_table_like(table: np.ndarray) -> np.ndarray:
    """Return a copy of a table of bodies that starts on a cache line."""
    copy = aligned_table(BODY_PAIR_DATA, len(table))
    copy[:] = table
    return copy
