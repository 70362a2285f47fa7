"""Velocity-Verlet engine for many bodies: neighbour lists, chunks of steps, one or several threads."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from carom.compiled_model.many_body_data import ManyBodyData
from carom.compiled_model.many_body_records import aligned, aligned_table
from carom.compiled_model.model_data import take_user_error
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.geometry.rotation import matrix_of
from carom.kernels import thread_sync
from carom.kernels.interpreted import address_of_argument
from carom.kernels.threads import thread_count
from carom.kernels.user_functions import UserKernel
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT
from carom.result.outcome import Outcome
from carom.solve.many_body.candidate_search import CandidateSearch
from carom.solve.many_body.list_arrays import PAIR_TABLES, NeighbourList
from carom.solve.many_body.mechanism_motion import move_mechanism
from carom.solve.many_body.mechanism_state import Mechanism
from carom.solve.many_body.neighbour_list import build_list, sort_candidates
from carom.solve.many_body.records import (
    BODY_POSE,
    CHUNK_FULL,
    ENERGY_LOSSES,
    FINISHED,
    FROM_BODIES,
    FROM_PAIRS,
    GROUP_WORK,
    LIST_OUTDATED,
    LIST_UPDATE,
    MANY_BODY,
    STORE,
    VERLET_SETTINGS,
    WORKSPACE,
)
from carom.solve.many_body.single_contact_log import SingleContactLog
from carom.solve.many_body.thread_tuner import ThreadTuner
from carom.solve.many_body.verlet_loop import run_periodic_steps, run_steps
from carom.solve.node_batches import fill, with_prefix

CHUNK_SECONDS = 0.05
"""Wall time of one call of compiled code [s]."""
CHUNK_COUNT, MIN_CHUNK, MAX_CHUNK = 96, 8, 256
"""Intended number of chunks, and the limits of their size in bodies."""
BODIES_PER_THREAD = 200
"""Number of bodies below which another thread is not worth its cost."""
MAX_BODIES_WITH_SPARE = 50_000
"""Number of bodies up to which the arrays of the last neighbour list are kept for the next one; for more bodies their
memory is given back."""
PROGRESS = ("n_steps", "n_done", "stage", "list_is_outdated")
"""Fields of the run that change with its steps."""
WORKSPACE_RECORDS = {
    "pair_output": PAIR_OUTPUT, "law_input": LAW_INPUT, "law_output": LAW_OUTPUT, "friction_input": FRICTION_INPUT,
    "friction_output": FRICTION_OUTPUT, "image_pose": BODY_POSE,
}  # fmt: skip
WORKSPACE_SIZES = {name: 8 * math.ceil(kind.size / 8) for name, kind in WORKSPACE_RECORDS.items()}
"""Numbers per thread of each array of the workspace: whole cache lines."""


def bits(table: np.ndarray) -> np.ndarray:
    """Return a view of a table as integers, for checkpoints."""
    return table.view(np.int64)


class VerletEngine:
    """Velocity-Verlet integration of many bodies; results are bit-identical for any number of threads."""

    def __init__(self, model: ManyBodyData, threads: int | None = None, mechanism: Mechanism | None = None):
        self.model, self.mechanism = model, mechanism
        self.n_bodies = len(model.bodies)
        self.kernel = run_periodic_steps if model.is_periodic else run_steps
        default = min(thread_count(), max(self.n_bodies // BODIES_PER_THREAD, 1))
        self.threads = default if threads is None else threads
        self.tuner = ThreadTuner(self.threads if threads is None else 1)
        self.steps = self.rebuilds = 0
        self.before_rebuild: Callable[[], None] | None = None
        """Function that is called before the neighbour list changes."""
        self.last_report = time.perf_counter()
        self.table = MANY_BODY.zeros()
        self.many_body = MANY_BODY(self.table)
        self._create_tables()
        self._connect_mechanism()
        self.contact_log = SingleContactLog(model, self.table)
        self.search = CandidateSearch(model, self.table)
        self.pairs, self._spare = (NeighbourList(model, 1) for _ in range(2))
        self.pairs.store_addresses(self.table)
        self.rebuild()

    def _create_tables(self) -> None:
        """Create the tables of the run and store their addresses in `MANY_BODY`."""
        model = self.model
        chunk_size = min(max(self.n_bodies // CHUNK_COUNT, MIN_CHUNK), MAX_CHUNK)
        n_chunks = self.n_chunks = -(-self.n_bodies // chunk_size)
        self.thread_data = aligned(1, thread_sync.thread_data_size(self.threads)).view(np.int64)[0]
        self.thread_data[thread_sync.YIELD_KERNEL], self._yield = thread_sync.yield_address()
        self.poses = self._initial_poses()
        self.energy_losses = aligned_table(ENERGY_LOSSES, n_chunks)
        groups_per_chunk = 4 * math.ceil(len(model.groups) / 4)  # four rows per cache line
        self.group_work = aligned_table(GROUP_WORK, n_chunks * groups_per_chunk)
        self._settings_table = VERLET_SETTINGS.zeros()
        self._settings_table["gravity"][:, : model.system.dim] = model.system.gravity
        self.settings = VERLET_SETTINGS(self._settings_table)
        self.settings.list_displacement_limit = 0.5 * model.skin
        self._settings_table["period"] = model.domain.period
        self.workspaces = aligned_table(WORKSPACE, self.threads)
        self._workspace_arrays = {name: aligned(self.threads, size) for name, size in WORKSPACE_SIZES.items()}
        for name, array in self._workspace_arrays.items():
            self.workspaces[name] = [row.ctypes.data for row in array]
        arrays = {
            "thread_data": self.thread_data,
            "pair_data": model.pair_data,
            "motion_data": model.motion_data,
            "poses": self.poses,
            "pair_kinds": model.pair_kinds,
            "group_laws": model.group_laws,
            "workspaces": self.workspaces,
            "energy_losses": self.energy_losses,
            "group_work": self.group_work,
            "settings": self._settings_table,
        }
        for name, array in arrays.items():
            self.table[name] = array.ctypes.data
        self.table["n_bodies"], self.table["chunk_size"], self.table["n_chunks"] = self.n_bodies, chunk_size, n_chunks
        self.table["step_budget"] = 100
        self.table["groups_per_chunk"] = groups_per_chunk

    def _connect_mechanism(self) -> None:
        """Store the mechanism in `MANY_BODY`, and its bodies in the tables."""
        self.many_body.n_free_bodies = self.model.n_free
        if self.mechanism is not None:
            self.many_body.mechanism = address_of_argument(self.mechanism.record)
            self.many_body.mechanism_kernel = move_mechanism.address
            move_mechanism.call(self.table, STORE)

    def _initial_poses(self) -> np.ndarray:
        """Return the poses of all bodies at the start; those of centred spheres are not used."""
        poses = BODY_POSE.zeros(self.n_bodies + 1)
        poses["R"] = np.eye(3).ravel()
        for k in np.flatnonzero(self.model.motion_data["needs_pose"]):
            poses["r"][k] = self.model.pair_data["r"][k]
            quaternion = tuple(float(part) for part in self.model.motion_data["quaternion"][k])
            poses["R"][k] = matrix_of(quaternion).ravel()
        return poses

    def rebuild(self) -> None:
        """Build a new neighbour list for the current positions of the bodies."""
        if self.before_rebuild is not None:
            self.before_rebuild()
        if self.model.is_periodic:
            self.model.wrap_positions()
            self.poses["r"][1 : 1 + self.model.n_free] = self.model.pair_data["r"][1 : 1 + self.model.n_free]
        pairs = self.search.candidates()
        new = self._spare
        n_warm = self.model.count_warm_starts(pairs["group_or_kind"])
        if new.capacity < len(pairs) or len(new.warm_start) < n_warm:
            new = NeighbourList(self.model, int(1.2 * len(pairs)) + 64, int(1.2 * n_warm))
        old = self.table.copy()
        self.pairs.store_addresses(old)
        damping = self.pairs.wrenches["damping_force"][: self.n_pairs].copy()
        new.take_forces(self.pairs)
        new.store_addresses(self.table)
        next_index = np.zeros(self.n_bodies + 4, np.int64)
        update = LIST_UPDATE.new(
            new=self.table.ctypes.data,
            old=old.ctypes.data,
            pairs=pairs.ctypes.data,
            n_pairs=len(pairs),
            old_damping=damping.ctypes.data,
            next_index=next_index.ctypes.data,
        )
        sort_candidates.call(update)
        gives_memory_back = self.n_bodies > MAX_BODIES_WITH_SPARE
        if gives_memory_back:
            del pairs
            self.search.release()
        build_list.call(update)
        self.pairs, self._spare = new, NeighbourList(self.model, 1) if gives_memory_back else self.pairs
        self.rebuilds += 1

    @property
    def n_pairs(self) -> int:
        """Number of pairs in the neighbour list."""
        return int(self.pairs.first_entry[self.n_bodies + 1])

    @property
    def n_touching(self) -> int:
        """Number of pairs in contact."""
        return int(self.pairs.is_touching[: self.n_pairs].sum())

    @property
    def is_finite(self) -> bool:
        """True if all numbers of the bodies are finite."""
        mechanism_is_finite = self.mechanism is None or self.mechanism.is_finite
        return mechanism_is_finite and all(bool(np.isfinite(values).all()) for values in self.model.body_values)

    @property
    def mechanism_failed(self) -> bool:
        """True if the mechanism could not be moved."""
        return self.mechanism is not None and self.mechanism.failed

    @property
    def failure(self) -> Outcome:
        """Reason why the last call of `advance` failed."""
        if self.mechanism is not None and self.mechanism.failed and self.is_finite:
            return Outcome.SINGULAR if self.mechanism.record.is_singular else Outcome.NOT_CONVERGED
        return Outcome.NOT_FINITE

    @property
    def nodes_can_wait(self) -> bool:
        """True if nodes of a driven run can wait for their evaluation."""
        return self.threads == 1 and self.mechanism is None and not self.user_kernels

    @property
    def has_user_error(self) -> bool:
        """True if a function written by the user raised an exception."""
        return any(kernel.error for kernel in self.user_kernels)

    @property
    def user_kernels(self) -> list[UserKernel]:
        """Kernels of functions written by the user."""
        return [*self.model.user_kernels, *([] if self.mechanism is None else self.mechanism.tables.user_kernels)]

    def user_error(self) -> BaseException | None:
        """Return the exception of a user's function in compiled code, or None."""
        return take_user_error(self.user_kernels)

    def evaluate(self, step: float, t: float = 0.0) -> None:
        """Compute forces and accelerations at time ``t`` [s]; ``step`` is the length of the steps that follow [s]."""
        if self.many_body.list_is_outdated != 0:
            self.rebuild()
        self.settings.h, self.settings.h_friction, self.settings.h_damping = 0.0, 0.0, step
        self.settings.t = t
        self.many_body.n_steps, self.many_body.n_done, self.many_body.stage = 1, 0, FROM_PAIRS
        self._run_steps()

    def change_bodies(self) -> None:
        """Prepare a new neighbour list after bodies have appeared or left; it is built before the next forces."""
        self.search.select_present()
        self.many_body.list_is_outdated = 1

    def touching_pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the indices of the pairs in contact, and their first and second bodies."""
        pairs = self.pairs
        touching = np.flatnonzero(pairs.is_touching[: self.n_pairs])
        body_a = np.searchsorted(pairs.first_entry[: self.n_bodies + 1], touching, side="right") - 1
        return touching, body_a, pairs.entries["body_b"][touching]

    def shifts(self, pairs: np.ndarray) -> np.ndarray:
        """Return the vectors from the second bodies of pairs to their images next to the first bodies [m] (n × 3)."""
        return self.pairs.pair_shifts["r"][pairs] if self.model.is_periodic else np.zeros((len(pairs), 3))

    def mutable_state(self) -> dict[str, np.ndarray]:
        """Return the arrays changed by steps, by name; restoring them resumes a run bit for bit."""
        model, pairs = self.model, self.pairs
        arrays = {
            "pair_data": model.pair_data,
            "motion_data": model.motion_data,
            "poses": self.poses,
            "energy_losses": self.energy_losses,
            "group_work": self.group_work,
            "settings": self._settings_table,
            "single_contacts": self.contact_log.table,
            "first_entry": pairs.first_entry,
            "first_reverse_entry": pairs.first_reverse_entry,
            "warm_start": pairs.warm_start,
        } | {name: getattr(pairs, name)[: self.n_pairs] for name in PAIR_TABLES}
        progress = np.array([int(self.table[name][0]) for name in PROGRESS])
        counts = np.array([self.steps, self.rebuilds])
        if model.is_periodic:
            arrays["images"] = model.images
        state = {name: bits(array) for name, array in arrays.items()} | {"progress": progress, "counts": counts}
        if self.mechanism is not None:
            state |= with_prefix("mechanism", self.mechanism.mutable_arrays())
        return state

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from the `mutable_state` of another engine of the same model."""
        capacity = len(state["is_touching"]) + 64
        self.pairs = NeighbourList(self.model, capacity, len(state["warm_start"]))
        self.pairs.create_forces()
        self.pairs.store_addresses(self.table)
        self.pairs.first_entry[:] = state["first_entry"]
        fill(self.mutable_state(), state)
        for name, value in zip(PROGRESS, state["progress"].tolist(), strict=True):
            self.table[name] = value
        self.steps, self.rebuilds = state["counts"].tolist()
        if self.model.system.boundaries:
            self.search.select_present()

    def advance(
        self, duration: float, max_step: float, report: Callable[[float], Any] | None = None, t: float = 0.0
    ) -> bool:
        """Advance from ``t`` by ``duration`` [s] in equal steps of at most ``max_step`` [s]; return False if it fails.

        ``report`` is called at intervals with the elapsed time [s]; an exception in it ends the run between two steps.
        """
        count = max(math.ceil(duration / max_step * (1.0 - 1e-9)), 1)
        self.settings.h = self.settings.h_friction = self.settings.h_damping = duration / count
        self.settings.t_begin = t
        self.many_body.n_steps, self.many_body.n_done, self.many_body.stage = count, 0, FROM_BODIES
        if self.mechanism is not None:
            self.mechanism.record.t_begin, self.mechanism.record.n_started = t, 0
        return self.finish_segment(report)

    def finish_segment(self, report: Callable[[float], Any] | None = None, status: int | None = None) -> bool:
        """Complete the remaining steps of `advance`; ``status`` is that of the last call of the loop, if it began."""
        h = float(self.settings.h)
        began = status is not None
        if status is None:
            status = CHUNK_FULL if self.many_body.n_done < self.many_body.n_steps else FINISHED
        while status != FINISHED:
            n_before, start = self.many_body.n_done, time.perf_counter()
            if not began:
                status = self._run_steps()
            began = False
            n_done, now = self.many_body.n_done, time.perf_counter()
            n_new = n_done - n_before
            self.steps += n_new
            if n_new > 0:
                steps_per_second = n_new / max(now - start, 1e-9)
                self.many_body.step_budget = min(max(int(steps_per_second * CHUNK_SECONDS), 1), 1_000_000)
                self.tuner.add_measurement(now - start, n_new)
            if self.many_body.log_is_full != 0:
                self.contact_log.empty()
            if status == LIST_OUTDATED:
                if self.mechanism_failed or not self.is_finite:
                    return False
                self.rebuild()
            if report is not None and now - self.last_report > CHUNK_SECONDS:
                self.last_report = now
                report(n_done * h)
        return self.is_finite and not self.mechanism_failed

    def _run_steps(self) -> int:
        """Run the loop with all threads, or with one where that is faster; return its status."""
        n_threads = self.threads if self.tuner.parallel else 1
        self.thread_data[thread_sync.N_THREADS] = n_threads
        self.thread_data[thread_sync.N_CLAIMED :] = 0
        if n_threads == 1:
            return int(self.kernel.call(self.table, 0))
        self.thread_data[[thread_sync.N_WAITING, thread_sync.ABORT]] = 0
        self.kernel.address  # noqa: B018  (ready before several threads need it)
        pool = self._pool()
        others = [pool.submit(self.kernel.call, self.table, thread) for thread in range(1, self.threads)]
        try:
            status = int(self.kernel.call(self.table, 0))
            for other in others:
                other.result()
        except BaseException:  # for example Ctrl-C; the other threads must not wait for this one
            self.thread_data[thread_sync.ABORT] = 1
            raise
        return status

    def _pool(self) -> ThreadPoolExecutor:
        """Return the other threads, started on first use."""
        if not hasattr(self, "_threads"):
            self._threads = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="carom")
        return self._threads

    def close(self) -> None:
        """End the threads."""
        if hasattr(self, "_threads"):
            self._threads.shutdown()

    def __enter__(self) -> VerletEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
