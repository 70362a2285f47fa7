"""Many bodies moved on in time: lists kept up to date, steps taken by one thread or several."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np

from carom.kernels import atomic
from carom.kernels.compile import Kernel
from carom.solve.many_body import aabb_tree, cell_grid, neighbour_list, verlet_loop
from carom.solve.many_body import pair_search as looking
from carom.solve.many_body import records as at
from carom.solve.many_body.model_arrays import GroupSearch, ManyBodyModel, aligned
from carom.solve.pieces import fill

_WHOLE = ctypes.POINTER(ctypes.c_int64)

CHUNK_SECONDS = 0.05
"""How long compiled code runs until Python may look."""
PIECES, SMALLEST, LARGEST = 96, 8, 256
"""Pieces of work there should be, and how many bodies one has."""
TRIAL_SECONDS, SETTLED_SECONDS = 0.1, 2.0
"""How long one thread and several are tried, and how long the faster of them then works."""
PAIRED = ("entries", "touching", "arrivals", "wrenches", "records", "states", "memory", "seen")
"""What a list has for every pair."""
DONE = (at.STEPS, at.DONE, at.STAGE, at.MOVED)
"""Of the plan: how far it is."""
BODIES_PER_THREAD = 200
"""Fewer are not worth another thread."""


def call(kernel: Kernel, table: np.ndarray, *more: int) -> int:
    return int(kernel.compiled.ctypes(table.ctypes.data_as(_WHOLE), *more))


class NeighbourList:
    """The arrays of one neighbour list, with room for a number of pairs."""

    def __init__(self, bodies: int, room: int, memory: int):
        self.room = room
        self.first, self.arrivals_first = (np.zeros(bodies + 3, np.int64) for _ in range(2))
        self.entries = np.zeros((room, at.ENTRY), np.int64)
        self.touching, self.arrivals = (np.zeros(room, np.int64) for _ in range(2))
        self.wrenches, self.records, self.states = (aligned(room, w) for w in (at.WRENCH, at.RECORD, at.STATE))
        self.memory = np.zeros((room, max(memory, 1)))
        self.seen = np.zeros((room, at.SEEN))

    def put(self, plan: np.ndarray) -> None:
        for place, array in (
            (at.FIRST_AT, self.first),
            (at.ARRIVALS_FIRST_AT, self.arrivals_first),
            (at.ENTRIES_AT, self.entries),
            (at.TOUCHING_AT, self.touching),
            (at.ARRIVALS_AT, self.arrivals),
            (at.WRENCHES_AT, self.wrenches),
            (at.RECORDS_AT, self.records),
            (at.STATES_AT, self.states),
            (at.MEMORY_AT, self.memory),
            (at.SEEN_AT, self.seen),
        ):
            plan[place] = array.ctypes.data


class ThreadTuner:
    """Whether several threads are faster than one: on a busy machine they wait for each other. Tried now and then."""

    def __init__(self, threads: int):
        self.trying = threads > 1
        self.together = True
        self._spent = {True: 0.0, False: 0.0}
        self._steps = {True: 0, False: 0}
        self._until = TRIAL_SECONDS

    def note(self, seconds: float, steps: int) -> None:
        """What the last call took."""
        if not self.trying:
            return
        self._spent[self.together] += seconds
        self._steps[self.together] += steps
        if self._spent[self.together] < self._until:
            return
        if not self._steps[not self.together]:  # now the other way
            self.together, self._until = not self.together, TRIAL_SECONDS
            return
        speeds = {way: self._steps[way] / self._spent[way] for way in (True, False)}
        self.together, self._until = speeds[True] >= speeds[False], SETTLED_SECONDS
        self._spent, self._steps = {True: 0.0, False: 0.0}, {True: 0, False: 0}


class VerletEngine:
    """A scene in motion. ``threads`` changes how fast it is, not a single bit of what comes out."""

    def __init__(self, scene: ManyBodyModel, threads: int | None = None):
        self.scene = scene
        self.bodies = len(scene.bodies)
        wanted = min(numba.get_num_threads(), max(self.bodies // BODIES_PER_THREAD, 1))
        self.threads = wanted if threads is None else threads
        self.pace = ThreadTuner(self.threads if threads is None else 1)
        self.steps = self.rebuilds = 0
        self.looked = time.perf_counter()
        self.chunk = min(max(self.bodies // PIECES, SMALLEST), LARGEST)
        self.chunks = -(-self.bodies // self.chunk)
        self._start_plan()
        self.searches = [self._start_search(search) for search in scene.searches]
        self.found = np.zeros((0, looking.TRIPLE), np.int64)
        self.list = NeighbourList(self.bodies, 1, scene.memory)
        self.rebuild()

    def _start_plan(self) -> None:
        scene = self.scene
        self.plan = np.zeros(at.PLAN, np.int64)
        self.shared = aligned(1, atomic.room_for(self.threads)).view(np.int64)[0]
        self.shared[atomic.THREADS] = self.threads
        self.shared[atomic.PAUSE], self._pause = atomic.pause_address()
        self.poses = np.zeros((self.bodies + 1, at.POSE))
        self.poses[:, 3:] = np.eye(3).ravel()
        self.scratch = aligned(self.threads, at.SCRATCH)
        self.losses = aligned(self.chunks, at.LOSS)
        self.numbers = np.zeros(at.NUMBERS)
        self.numbers[at.GRAVITY : at.GRAVITY + 3] = scene.system.gravity
        self.numbers[at.LIMIT] = 0.5 * scene.skin
        for place, array in (
            (at.SHARED_AT, self.shared),
            (at.HOT_AT, scene.hot),
            (at.COLD_AT, scene.cold),
            (at.POSES_AT, self.poses),
            (at.KINDS_AT, scene.kind_table),
            (at.GROUPS_AT, scene.laws),
            (at.PAR_AT, scene.parameters),
            (at.SCRATCH_AT, self.scratch),
            (at.LOSSES_AT, self.losses),
            (at.NUMBERS_AT, self.numbers),
        ):
            self.plan[place] = array.ctypes.data
        self.plan[[at.BODIES, at.CHUNK, at.CHUNKS]] = self.bodies, self.chunk, self.chunks
        self.plan[[at.MEMORY_SIZE, at.BUDGET]] = scene.memory, 100
        self._put_poses()

    def _put_poses(self) -> None:
        from carom.geometry.rotation import matrix_of

        for k in np.flatnonzero(self.scene.cold[:, at.POSED]):
            self.poses[k, :3] = self.scene.hot[k, at.X : at.X + 3]
            turned = self.scene.cold[k, at.TURNED : at.TURNED + 4]
            self.poses[k, 3:] = matrix_of(tuple(float(part) for part in turned)).ravel()

    def _start_search(self, search: GroupSearch) -> tuple[Kernel, np.ndarray, list[np.ndarray]]:
        """The kernel that finds the pairs of a group, its table, and the arrays of that."""
        table = np.zeros(looking.SEARCH, np.int64)
        n = len(search.among)
        numbers = np.zeros(16)
        numbers[0] = self.scene.skin
        arrays = {
            looking.PLAN_AT: self.plan,
            looking.SHAPES_AT: search.shapes,
            looking.EXTENTS_AT: search.extents,
            looking.BOXES_AT: np.zeros_like(search.extents),
            looking.AMONG_KINDS_AT: search.among_kinds,
            looking.AGAINST_KINDS_AT: search.against_kinds,
            looking.SKIN_AT: numbers,
            looking.WORK_AT: np.zeros((cell_grid if search.by_cells else aabb_tree).room_for(n), np.int64),
            looking.ANSWER_AT: np.zeros(looking.PAIR_OUT + looking.PAIR_MEMORY),
            looking.TREE_AT: np.zeros((2 * n, looking.EXTENT)),
            looking.LINKS_AT: np.full((2 * n, aabb_tree.LINK), aabb_tree.NONE, np.int64),
        }
        for place, array in arrays.items():
            table[place] = array.ctypes.data
        index = self.scene.groups.index(search.group)
        table[[looking.GROUP, looking.AMONG, looking.AGAINST]] = index, n, len(search.against)
        table[[looking.TYPES, looking.AGAINST_TYPES]] = search.types, search.against_types
        table[[looking.ROOT, looking.EACH_OTHER]] = aabb_tree.NONE, search.each_other
        kernel = cell_grid.search_cells if search.by_cells else aabb_tree.search_tree
        return kernel, table, list(arrays.values())

    def candidates(self) -> np.ndarray:
        """First body, second body and code of all pairs that are close."""
        count = 0
        for kernel, table, _ in self.searches:
            while True:
                table[looking.FOUND_AT] = self.found[count:].ctypes.data
                table[looking.ROOM] = len(self.found) - count
                new = call(kernel, table)
                if count + new <= len(self.found):
                    break
                grown = np.zeros((int(1.3 * (count + new)) + 64, looking.TRIPLE), np.int64)
                grown[:count] = self.found[:count]
                self.found = grown
            count += new
        return self.found[:count]

    def rebuild(self) -> None:
        """A new list of pairs, for where the bodies are now."""
        found = self.candidates()
        spare = getattr(self, "spare", None)
        if spare is None or spare.room < len(found):
            spare = NeighbourList(self.bodies, int(1.2 * len(found)) + 64, self.scene.memory)
        old = self.plan.copy()
        self.list.put(old)
        spare.put(self.plan)
        work = np.zeros(self.bodies + 4, np.int64)
        table = np.zeros(neighbour_list.LISTS, np.int64)
        table[neighbour_list.NEW_AT], table[neighbour_list.OLD_AT] = self.plan.ctypes.data, old.ctypes.data
        table[neighbour_list.PAIRS_AT], table[neighbour_list.PLACES_AT] = found.ctypes.data, work.ctypes.data
        table[neighbour_list.COUNT] = len(found)
        call(neighbour_list.make_list, table)
        self.list, self.spare = spare, self.list
        self.rebuilds += 1

    @property
    def pairs(self) -> int:
        """How many pairs the list has."""
        return int(self.list.first[self.bodies + 1])

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self.scene.hot).all() and np.isfinite(self.scene.cold).all())

    def evaluate(self, step: float) -> None:
        """Forces and accelerations at the start; ``step`` [s] is that of the steps to come."""
        self.numbers[[at.H, at.H_SLIP, at.H_LIMIT]] = 0.0, 0.0, step
        self.plan[[at.STEPS, at.DONE, at.STAGE]] = 1, 0, at.FROM_PAIRS
        self._team()

    def carried(self) -> dict[str, np.ndarray]:
        """All that changes, by name: with it, another engine for the same scene goes on as this one would."""
        scene, pairs = self.scene, self.list
        found = {"hot": scene.hot, "cold": scene.cold, "poses": self.poses, "losses": self.losses,
                 "numbers": self.numbers, "first": pairs.first, "arrivals_first": pairs.arrivals_first}  # fmt: skip
        found |= {name: getattr(pairs, name)[: self.pairs] for name in PAIRED}
        return found | {"done": self.plan[list(DONE)], "counted": np.array([self.steps, self.rebuilds])}

    def go_on(self, carried: dict[str, np.ndarray]) -> None:
        """From where another engine was."""
        self.list = NeighbourList(self.bodies, len(carried["entries"]) + 64, self.scene.memory)
        self.list.put(self.plan)
        self.list.first[:] = carried["first"]
        fill(self.carried(), carried)
        self.plan[list(DONE)] = carried["done"]
        self.steps, self.rebuilds = carried["counted"].tolist()

    def advance(self, duration: float, longest: float, watch: Callable[[float], Any] | None = None) -> bool:
        """Move on by ``duration`` [s] in equal steps of ``longest`` [s] at most; answers whether all stayed finite.

        ``watch`` is called now and then with the time passed; what it raises ends the run between two steps.
        """
        count = max(math.ceil(duration / longest * (1.0 - 1e-9)), 1)
        self.numbers[[at.H, at.H_SLIP, at.H_LIMIT]] = duration / count
        self.plan[[at.STEPS, at.DONE, at.STAGE]] = count, 0, at.FROM_BODIES
        return self.arrive(watch)

    def arrive(self, watch: Callable[[float], Any] | None = None) -> bool:
        """Take what is left of the steps of `advance`."""
        h = float(self.numbers[at.H])
        ending = at.MORE if self.plan[at.DONE] < self.plan[at.STEPS] else at.FINISHED
        while ending != at.FINISHED:
            before, began = int(self.plan[at.DONE]), time.perf_counter()
            ending = self._team()
            done, now = int(self.plan[at.DONE]), time.perf_counter()
            self.steps += done - before
            if done > before:
                pace = (done - before) / max(now - began, 1e-9)
                self.plan[at.BUDGET] = min(max(int(pace * CHUNK_SECONDS), 1), 1_000_000)
                self.pace.note(now - began, done - before)
            if ending == at.STALE:
                if not self.finite:
                    return False
                self.rebuild()
            if watch is not None and now - self.looked > CHUNK_SECONDS:
                self.looked = now
                watch(done * h)
        return self.finite

    def _team(self) -> int:
        """Run the loop with all threads, or with one where that is faster."""
        count = self.threads if self.pace.together else 1
        self.shared[atomic.THREADS] = count
        self.shared[atomic.TAKEN :] = 0
        if count == 1:
            return call(verlet_loop.run, self.plan, 0)
        self.shared[[atomic.ARRIVED, atomic.GIVE_UP]] = 0
        verlet_loop.run.compiled  # noqa: B018  (compiled before the threads want it)
        pool = self._pool()
        others = [pool.submit(call, verlet_loop.run, self.plan, thread) for thread in range(1, self.threads)]
        try:
            ending = call(verlet_loop.run, self.plan, 0)
            for other in others:
                other.result()
        except BaseException:  # Ctrl-C above all: the others must not wait for this thread
            self.shared[atomic.GIVE_UP] = 1
            raise
        return ending

    def _pool(self) -> ThreadPoolExecutor:
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
