"""Time stepping seen from Python: the compiled loop, run in pieces so that Python can watch."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carom.kernels import Kernel
from carom.kernels.background_compilation import compile_ahead
from carom.kernels.interpreted import address_of_argument
from carom.laws.impact_law import ImpactLaw
from carom.mechanics.contact_records import N_STORED
from carom.result.outcome import Outcome
from carom.solve.node_batches import fill
from carom.solve.nonsmooth import desk as at
from carom.solve.nonsmooth import loop, sweeps, theta
from carom.solve.nonsmooth import problem as of
from carom.solve.nonsmooth.episodes import EPISODE
from carom.solve.nonsmooth.registry import FALLBACKS, SOLVERS
from carom.solve.nonsmooth.schemes import SCHEMES
from carom.solve.nonsmooth.stepping import Stepping
from carom.solve.run_output import RunOutput

CHUNK_SECONDS = 0.05
CHUNK_NUMBERS = 500_000
FIRST_BUDGET, LEAST_BUDGET = 50, 2
"""Steps before Python is asked for the first time, and later at least; they may be slow."""
MANY = 48
"""Closed contacts of free bodies from which sweeps over the bodies replace the Delassus matrix."""
FOR_LARGE = ("alart-curnier", "pgs", "lemke", "enumeration")
"""The order in which solvers are tried where there are many contacts."""
FIRST_ROOM = 16
TOLERANCE = 1e-12
"""Of a contact problem: its residual, relative to the velocities in it."""
NUMBERS = (at.ROOM, at.MANY, at.MANY_AGAIN, at.ROUGHLY, at.MISSING, at.ACTIVE_COUNT)
"""On the desk, of what a run goes on with."""
NOT_CARRIED = (at.SOLVERS, at.ORDER, at.PLACES, at.IMPACT, at.OUT_T, at.OUT_Y)
"""Addresses, constants of the model, and nodes, which are kept by themselves."""
OUTCOMES = {
    at.NOT_FINITE: Outcome.NOT_FINITE,
    at.LOST_RANK: Outcome.SINGULAR,
    at.NO_SOLUTION: Outcome.NO_IMPULSES,
    at.OPEN_JOINTS: Outcome.NOT_CONVERGED,
    at.NOT_SETTLED: Outcome.NOT_CONVERGED,
}


@dataclass
class Orders:
    """Step from ``start`` through all ``stops`` [s] (rising, the last is the end) with steps of at most ``step``."""

    stops: np.ndarray
    step: float
    scheme: str
    solver: str
    projection: bool
    theta: float
    adaptive: bool
    min_step: float
    record_steps: bool
    report: Callable[..., None]
    user_error: Callable[[], BaseException | None]
    answer: RunOutput = field(default_factory=RunOutput)
    start: float = 0.0


def kernels_of(scheme: str, solver: str) -> list[Kernel]:
    """What a run needs compiled."""
    return [SCHEMES[scheme].step, SOLVERS[solver], loop.run, loop.finish]


class March:
    """One run: its desk, and what Python sees of it."""

    def __init__(self, model: Stepping, orders: Orders):
        self.model, self.orders = model, orders
        self.arrays: dict[int, np.ndarray] = {}
        self.desk = np.zeros(at.SIZE, np.int64)
        self.problem = np.zeros(of.SIZE, np.int64)
        self.problem_arrays: dict[int, np.ndarray] = {}
        n, m, count = model.velocities, model.rows, len(model.names)
        turning = 0 if model.reference is None else model.reference.size
        scheme = SCHEMES[orders.scheme]
        sizes = {
            at.VELOCITIES: n, at.ROWS: m, at.CONTACTS: count, at.DIM: model.dim, at.BLOCKS: model.places.shape[1],
            at.WIDTH: model.width, at.PLAIN_FORCES: model.plain_forces,
            at.FREE_BODIES: model.free_bodies, at.RENEWED: scheme.renewed,
            at.CURVED: scheme.curved, at.SAFE: scheme.safe, at.PROJECTED: orders.projection,
            at.MANY: self.many(), at.MANY_AGAIN: self.many(), at.LOG_ROOM: 256,
            at.NODE_WIDTH: 2 * n + turning + 3 + 2 * count + m + N_STORED * count, at.TURNING: turning,
        }  # fmt: skip
        for place, value in sizes.items():
            self.desk[place] = value
        solvers = [orders.solver, *FALLBACKS[orders.solver]]
        kernels = {at.PREPARE: model.prepare, at.SURVEY: model.survey, at.DIRECT: model.direct,
                   at.STEP: scheme.step}  # fmt: skip
        if model.settle is not None:
            kernels[at.SETTLE] = model.settle
        if model.refresh is not None and (scheme.renewed or scheme.implicit):
            kernels[at.REFRESH] = model.refresh
        if model.rerow is not None and scheme.renewed:
            kernels[at.REROW] = model.rerow
        if model.absorb is not None:
            kernels[at.ABSORB] = model.absorb
        for place, kernel in kernels.items():
            self.desk[place] = kernel.address
        if model.reference is not None:
            self.desk[at.REFERENCE] = model.reference.ctypes.data
        self.desk[at.BLOCK] = address_of_argument(model.record)
        self.desk[at.PROBLEM] = self.problem.ctypes.data
        self.clock, self.counts = np.zeros(at.CLOCK_SIZE), np.zeros(at.COUNT_SIZE, np.int64)
        self.clock[[at.SMALLEST, at.FRACTION, at.NOW]] = orders.min_step, 1.0, orders.start
        self.counts[[at.STRIDE, at.ADAPTIVE, at.BUDGET]] = orders.record_steps, orders.adaptive, FIRST_BUDGET
        self.solvers = solvers if count else []
        arrays = {
            at.PLACES: np.append(model.places.ravel(), 0), at.IMPACT: impact_numbers(model.impacts),
            at.SOLVERS: np.zeros(max(len(self.solvers), 1), np.int64),
            at.STATE: model.start.copy(), at.MIDDLE: np.zeros(2 * n), at.NEW: np.zeros(2 * n), at.FREE: np.zeros(n),
            at.FORCES: np.zeros(n), at.SHIFT: np.zeros(max(n, 4)), at.JOINT_IMPULSES: np.zeros(m + 1),
            at.AIM: np.zeros(m + 1),
            at.SCHEME: np.zeros(theta.size(n) if scheme.implicit else 1),
            at.IMPULSES: np.zeros((count + 1) * model.dim),
            at.CLOSED: np.zeros(count + 1, np.int64), at.BOOKS: np.zeros(at.FIRST_LOSS + 2 * count),
            at.EPISODES: np.zeros((count + 1) * EPISODE), at.LOG: np.zeros((256 + 2 * count) * EPISODE),
            at.CLOCK: self.clock, at.COUNTS: self.counts,
        }  # fmt: skip
        self.desk[at.SOLVER_COUNT] = len(self.solvers)
        large = sorted(range(len(solvers)), key=lambda k: FOR_LARGE.index(solvers[k]))
        self.put(at.ORDER, np.array([*range(len(solvers)), *large], np.int64))
        for place, array in arrays.items():
            self.put(place, array)
        self.arrays[at.SCHEME][0] = orders.theta
        if scheme.implicit and model.refresh is not None:
            model.use_implicit(self.arrays[at.SCHEME][-n * n :])
        self.make_room(min(count, FIRST_ROOM))
        self.next_solver()

    def many(self) -> int:
        """Closed contacts from which sweeps over the bodies are taken; none for Poisson's law, which has two phases."""
        if any(impact.law == "poisson" for impact in self.model.impacts):
            return len(self.model.names) + 1
        return 1 if self.orders.solver == "pgs" else MANY

    @property
    def closed(self) -> list[int]:
        """Indices of the contacts that are closed at present."""
        return [int(k) for k in self.arrays[at.ACTIVE][: self.desk[at.ACTIVE_COUNT]]]

    def next_solver(self) -> None:
        """Compile the solver that is wanted: most runs need the first only."""
        if self.solvers:
            wanted = int(self.desk[at.MISSING])
            self.arrays[at.SOLVERS][wanted] = SOLVERS[self.solvers[wanted]].address

    def put(self, place: int, array: np.ndarray) -> None:
        self.arrays[place] = array = np.ascontiguousarray(array)
        self.desk[place] = array.ctypes.data

    def make_room(self, room: int) -> None:
        """Arrays for ``room`` closed contacts; for many contacts of free bodies without the matrix between them."""
        model = self.model
        n, m, dim = model.velocities, model.rows, model.dim
        dense = min(room, int(self.desk[at.MANY])) if model.free_bodies else room
        rows, dense_rows = max(room, 1) * dim, max(dense, 1) * dim
        for place, array in {
            at.ACTIVE: np.zeros(room + 1, np.int64), at.ACTIVE_GAPS: np.zeros(room + 1),
            at.BENDS: np.zeros((room + 1) * dim),
            at.DIRECTIONS: np.zeros((room + 1) * dim * (model.places.shape[1] * model.width + 1)),
            at.RESPONSES: np.zeros(dense_rows * n), at.JOINT_RESPONSES: np.zeros(dense_rows * m + 1),
            at.BEFORE: np.zeros(rows), at.TARGET: np.zeros(rows), at.TOTAL: np.zeros(rows),
            at.EARLIER: np.zeros(rows), at.HEADING: np.zeros(rows),
        }.items():  # fmt: skip
            self.put(place, array)
        self.problem_arrays = {
            of.MATRIX: np.zeros(dense_rows**2), of.VECTOR: np.zeros(rows), of.FRICTION: np.zeros(max(room, 1)),
            of.OFFSET: np.zeros(max(room, 1)), of.IMPULSE: np.zeros(rows), of.NUMBERS: np.array([TOLERANCE, 0.0]),
            of.WORK: np.zeros(of.work_size(max(dense, 1), dim)),
            of.PLACES: np.zeros(of.places_size(max(dense, 1), dim), np.int64),
        }  # fmt: skip
        for place, array in self.problem_arrays.items():
            self.problem[place] = array.ctypes.data
        self.problem[of.DIM] = dim
        self.desk[at.ROOM] = room

    def call(self, kernel: Kernel) -> int:
        return int(kernel.compiled.ctypes(self.desk.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))))

    def first_node(self) -> np.ndarray:
        row = np.zeros((1, int(self.desk[at.NODE_WIDTH])))
        start, reference = self.model.start, self.model.reference
        row[0, : len(start)] = start
        if reference is not None:
            row[0, len(start) : len(start) + reference.size] = reference.ravel()
        return row

    # ---- what an interrupted run goes on with

    def carried(self) -> dict[str, np.ndarray]:
        kept = {f"desk {place}": array for place, array in self.arrays.items() if place not in NOT_CARRIED}
        kept |= {f"problem {place}": array for place, array in self.problem_arrays.items()}
        numbers, compiled = self.desk[list(NUMBERS)], (self.arrays[at.SOLVERS] != 0).astype(np.int64)
        return {**kept, "numbers": numbers, "compiled": compiled, **self.model.carried()}

    def go_on(self, carried: dict[str, np.ndarray]) -> None:
        """From where another run was."""
        numbers = dict(zip(NUMBERS, carried["numbers"].tolist(), strict=True))
        self.desk[at.MANY] = numbers[at.MANY]
        self.make_room(numbers[at.ROOM])
        for wanted in np.flatnonzero(carried["compiled"]):
            self.desk[at.MISSING] = wanted
            self.next_solver()
        for place, number in numbers.items():
            self.desk[place] = number
        fill(self.carried(), carried)

    def open_touches(self) -> list[np.ndarray]:
        if not self.desk[at.CONTACTS]:
            return []
        before = {name: array.copy() for name, array in self.carried().items()}
        self.call(loop.finish)
        rows = self.logged()
        fill(self.carried(), before)
        return rows

    def tell(self, answer: RunOutput) -> None:
        answer.end = float(self.clock[at.NOW])
        answer.steps, answer.rejected = int(self.counts[at.STEPS]), int(self.counts[at.HALVED])
        answer.evaluations = answer.steps + answer.rejected
        answer.stride = int(self.counts[at.STRIDE])

    # ---- the run

    def run(self) -> RunOutput:
        """Step through all stretches; Ctrl-C keeps what there is."""
        answer = self.orders.answer
        if answer.resumed is None:
            answer.add(np.array([self.orders.start]), self.first_node())
        else:
            self.go_on(answer.resumed)
        ending = at.DONE_ALL
        told = time.perf_counter()
        try:
            for stop in self.orders.stops.tolist():
                while self.clock[at.NOW] < stop and ending == at.DONE_ALL and answer.error is None:
                    if self.counts[at.DONE] == self.counts[at.WANTED]:
                        self.set_out(stop)
                    ending = self.stretch(answer)
                if ending != at.DONE_ALL or answer.error is not None:
                    break
                if time.perf_counter() - told > CHUNK_SECONDS:
                    self.orders.report(stop)
                    told = time.perf_counter()
                if answer.due:
                    answer.keep(self)
            answer.outcome = OUTCOMES.get(ending, Outcome.FINISHED)
            if answer.outcome.ok and answer.error is None:
                answer.keep(self)
        except KeyboardInterrupt:
            answer.outcome = Outcome.INTERRUPTED
        if isinstance(answer.error, KeyboardInterrupt):
            answer.outcome = Outcome.INTERRUPTED
        self.hand_over(answer)
        self.drain(answer)
        if self.desk[at.CONTACTS]:
            self.call(loop.finish)
            self.drain(answer)
        self.tell(answer)
        return answer

    def set_out(self, end: float) -> None:
        """Towards ``end`` in equal steps from here."""
        begin = float(self.clock[at.NOW])
        count = max(1, math.ceil((end - begin) / self.orders.step * (1.0 - 1e-9)))
        self.clock[[at.BEGIN, at.END, at.LENGTH, at.NOW]] = begin, end, (end - begin) / count, begin
        self.counts[[at.DONE, at.WANTED]] = 0, count

    def stretch(self, answer: RunOutput) -> int:
        """What is left of the steps to the next stop; how it ended."""
        while True:
            width = int(self.desk[at.NODE_WIDTH])
            stride = int(self.counts[at.STRIDE])
            left = int(self.counts[at.WANTED] - self.counts[at.DONE])
            wanted = left // stride + 2 if stride and not self.orders.adaptive else 20_000 if stride else 2
            room = min(max(CHUNK_NUMBERS // width, 64), wanted)
            self.put(at.OUT_T, np.empty(room))
            self.put(at.OUT_Y, np.empty((room, width)))
            self.desk[[at.NODES, at.NODE_ROOM]] = 0, room
            ending = self.fill(answer)
            self.hand_over(answer)
            if stride and answer.room is not None and answer.numbers() > answer.room:
                answer.thin()
                self.counts[at.STRIDE] *= 2
            if ending != at.MORE or answer.error is not None:
                return ending
            if answer.due:
                answer.keep(self)

    def hand_over(self, answer: RunOutput) -> None:
        """Give the nodes away; their room is free again."""
        nodes = int(self.desk[at.NODES])
        if nodes:
            answer.add(self.arrays[at.OUT_T][:nodes].copy(), self.arrays[at.OUT_Y][:nodes].copy())
            self.desk[at.NODES] = 0

    def fill(self, answer: RunOutput) -> int:
        """Step until the room for nodes is full, a checkpoint is due or the stretch is over."""
        while True:
            began, done = time.perf_counter(), int(self.counts[at.STEPS])
            ending = self.call(loop.run)
            self.drain(answer)
            answer.error = self.orders.user_error()
            if ending == at.NO_ROOM:
                self.make_room(min(2 * int(self.desk[at.ROOM]), int(self.desk[at.CONTACTS])))
                continue
            if ending == at.NO_SOLVER:
                self.next_solver()
                continue
            if ending == at.NOT_SWEPT:
                self.desk[at.MANY] = sweeps.DENSE + 1
                self.make_room(int(self.desk[at.ROOM]))
                continue
            if ending == at.NO_SOLUTION and self.desk[at.MANY] != self.desk[at.MANY_AGAIN]:
                self.desk[at.MANY] = self.desk[at.MANY_AGAIN]
                self.desk[at.ROUGHLY] = 1
                continue
            if ending != at.MORE or answer.error is not None:
                return ending
            pace = (int(self.counts[at.STEPS]) - done) / max(time.perf_counter() - began, 1e-9)
            self.counts[at.BUDGET] = int(min(max(pace * CHUNK_SECONDS, LEAST_BUDGET), 100_000_000))
            self.orders.report(float(self.clock[at.NOW]), self.orders.step)
            if answer.due or self.desk[at.NODES] >= self.desk[at.NODE_ROOM]:
                return ending

    def drain(self, answer: RunOutput) -> None:
        """Take what was logged since the last time."""
        answer.touches += self.logged()

    def logged(self) -> list[np.ndarray]:
        """The same, by itself."""
        count = int(self.desk[at.LOGGED])
        self.desk[at.LOGGED] = 0
        return [self.arrays[at.LOG][: count * EPISODE].reshape(count, EPISODE).copy()] if count else []

    @property
    def gap_failed(self) -> bool:
        """Whether a gap was no number when the run ended."""
        return bool(np.isnan(self.model.gaps[int(self.counts[at.CULPRIT])]))

    def stats(self) -> dict[str, Any]:
        """What the contact problems cost, and which solvers were asked."""
        counts, books = self.counts, self.arrays[at.BOOKS]
        asked = {name: int(counts[at.ASKED + k]) for k, name in enumerate(self.solvers)}
        return {
            "contact_problems": int(counts[at.SOLVES]),
            "solver_iterations": int(counts[at.ITERATIONS]),
            "solvers": {**asked, "sweeps": int(counts[at.SWEPT])},
            "fallbacks": sum(list(asked.values())[1:]),
            "unsolved": int(counts[at.LOOSE]),
            "energy_created": float(books[at.CREATED]),
            "energy_creating_steps": int(counts[at.CREATING]),
            "projection_energy": float(books[at.LIFTED]),
        }


def impact_numbers(impacts: Sequence[ImpactLaw]) -> np.ndarray:
    """What the loop knows of the impact laws, and a row of zeros."""
    rows = [(i.restitution, i.friction, i.tangential_restitution, i.law == "poisson") for i in impacts]
    return np.array([*rows, (0.0,) * at.IMPACT_NUMBERS], float)


def prepare(scheme: str, solver: str) -> None:
    """Have the loop compiled by another process while the model is compiled here, the first time."""
    compile_ahead(kernels_of(scheme, solver))
