"""Time stepping seen from Python: the compiled loop, run in pieces so that Python can watch."""

from __future__ import annotations

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
from carom.mechanics.contact_log import CONTACT_LOG_ENTRY, CONTACT_LOG_ROW
from carom.mechanics.contact_records import N_STORED
from carom.result.outcome import Outcome
from carom.solve.contact_problem.records import CONTACT_PROBLEM, index_workspace_size, workspace_size
from carom.solve.contact_problem.registry import FALLBACKS, SOLVERS
from carom.solve.node_batches import fill
from carom.solve.run_output import RunOutput
from carom.solve.timestepping import matrix_free_gauss_seidel as sweeps
from carom.solve.timestepping import records as at
from carom.solve.timestepping import stepping_loop as loop
from carom.solve.timestepping.records import (
    ENERGY_BALANCE,
    IMPACT_LAW_DATA,
    MOREAU_JEAN,
    STEP_CLOCK,
    STEP_COUNTS,
    STEPPER,
)
from carom.solve.timestepping.schemes import SCHEMES
from carom.solve.timestepping.stepping_model import Stepping

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
SAVED_FIELDS = ("capacity", "dense_limit", "dense_limit_next", "accept_inexact", "solver_to_compile", "n_active")
"""Fields of the stepper in a checkpoint."""
NOT_SAVED = ("solver_kernels", "solver_order", "velocity_indices", "impact_laws", "node_t", "node_y")
"""Addresses, constants of the model, and nodes, which are kept by themselves."""
OUTCOMES = {
    at.NOT_FINITE: Outcome.NOT_FINITE,
    at.RANK_LOSS: Outcome.SINGULAR,
    at.NO_SOLUTION: Outcome.NO_IMPULSES,
    at.PROJECTION_FAILED: Outcome.NOT_CONVERGED,
    at.NOT_CONVERGED: Outcome.NOT_CONVERGED,
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
    """One run: the records of the compiled loop, and their Python side."""

    def __init__(self, model: Stepping, orders: Orders):
        self.model, self.orders = model, orders
        self.arrays: dict[str, np.ndarray] = {}
        self.problem = CONTACT_PROBLEM.new(rows_per_contact=model.dim, tolerance=TOLERANCE)
        self.problem_arrays: dict[str, np.ndarray] = {}
        n, m, count = model.velocities, model.rows, len(model.names)
        turning = 0 if model.reference is None else model.reference.size
        scheme = SCHEMES[orders.scheme]
        solvers = [orders.solver, *FALLBACKS.get(orders.solver, ())]
        self.solvers = solvers if count else []
        self.clock = STEP_CLOCK.new(min_step=orders.min_step, step_fraction=1.0, t=orders.start)
        self.counts = STEP_COUNTS.new(
            node_stride=orders.record_steps, is_adaptive=orders.adaptive, step_budget=FIRST_BUDGET
        )
        self.energy = ENERGY_BALANCE.new()
        self.scheme = MOREAU_JEAN.new(theta=orders.theta)
        self.scheme_arrays: dict[str, np.ndarray] = {}
        self.stepper = STEPPER.new(
            n_velocities=n, n_constraints=m, n_contacts=count, rows_per_contact=model.dim,
            bodies_per_contact=model.places.shape[1], velocities_per_body=model.width,
            no_gyroscopic_forces=model.plain_forces, bodies_are_free=model.free_bodies,
            repeats_with_mean_velocity=scheme.renewed, curvature_correction=scheme.curved, no_energy_gain=scheme.safe,
            projects_positions=orders.projection, dense_limit=self.many(), dense_limit_next=self.many(),
            log_capacity=256, node_size=2 * n + turning + 3 + 2 * count + m + N_STORED * count, n_orientation=turning,
            n_solvers=len(self.solvers), **self.kernel_addresses(),
            reference_orientation=0 if model.reference is None else model.reference.ctypes.data,
            model=address_of_argument(model.record), problem=address_of_argument(self.problem),
            clock=address_of_argument(self.clock), counts=address_of_argument(self.counts),
            energy=address_of_argument(self.energy), scheme_workspace=address_of_argument(self.scheme),
        )  # fmt: skip
        large = sorted(
            range(len(solvers)), key=lambda k: FOR_LARGE.index(solvers[k]) if solvers[k] in FOR_LARGE else -1
        )
        for name, array in {
            "velocity_indices": np.append(model.places.ravel(), 0), "impact_laws": impact_law_data(model.impacts),
            "solver_kernels": np.zeros(max(len(self.solvers), 1), np.int64),
            "solver_order": np.array([*range(len(solvers)), *large], np.int64),
            "y": model.start.copy(), "y_mid": np.zeros(2 * n), "y_new": np.zeros(2 * n), "u_free": np.zeros(n),
            "h_mid": np.zeros(n), "delta_q": np.zeros(max(n, 4)), "joint_impulses": np.zeros(m + 1),
            "velocity_defect": np.zeros(m + 1), "last_P": np.zeros((count + 1) * model.dim),
            "contact_status": np.zeros(count + 1, np.int64), "contact_losses": np.zeros(2 * count),
            "log_entries": np.zeros((count + 1, CONTACT_LOG_ENTRY.size)),
            "log": np.zeros((256 + 2 * count, CONTACT_LOG_ROW.size)),
        }.items():  # fmt: skip
            self.put(name, array)
        if scheme.implicit:
            vectors = ("force_begin", "force_end", "u_guess", "u_trial", "force_trial")
            self.scheme_arrays = {name: np.zeros(n) for name in vectors} | {"force_jacobian": np.zeros(n * n)}
            for name, array in self.scheme_arrays.items():
                setattr(self.scheme, name, array.ctypes.data)
            if model.refresh is not None:
                model.use_implicit(self.scheme_arrays["force_jacobian"])
        self.make_room(min(count, FIRST_ROOM))
        self.next_solver()

    def kernel_addresses(self) -> dict[str, int]:
        """Return the addresses of the kernels that the scheme needs, by field of the stepper."""
        model, scheme = self.model, SCHEMES[self.orders.scheme]
        kernels = {
            "evaluate_kernel": model.prepare, "gaps_kernel": model.survey, "directions_kernel": model.direct,
            "step_kernel": scheme.step, "project_kernel": model.settle, "update_orientation_kernel": model.absorb,
            "forces_kernel": model.refresh if scheme.renewed or scheme.implicit else None,
            "constraints_kernel": model.rerow if scheme.renewed else None,
        }  # fmt: skip
        return {name: kernel.address for name, kernel in kernels.items() if kernel is not None}

    def many(self) -> int:
        """Closed contacts from which sweeps over the bodies are taken; none for Poisson's law, which has two phases."""
        if any(impact.law == "poisson" for impact in self.model.impacts):
            return len(self.model.names) + 1
        return 1 if self.orders.solver == "pgs" else MANY

    @property
    def closed(self) -> list[int]:
        """Indices of the contacts that are closed at present."""
        return [int(k) for k in self.arrays["active"][: self.stepper.n_active]]

    def next_solver(self) -> None:
        """Compile the solver that is wanted: most runs need the first only."""
        if self.solvers:
            wanted = int(self.stepper.solver_to_compile)
            self.arrays["solver_kernels"][wanted] = SOLVERS[self.solvers[wanted]].address

    def put(self, name: str, array: np.ndarray) -> None:
        self.arrays[name] = array = np.ascontiguousarray(array)
        setattr(self.stepper, name, array.ctypes.data)

    def make_room(self, room: int) -> None:
        """Arrays for ``room`` closed contacts; for many contacts of free bodies without the matrix between them."""
        model = self.model
        n, m, dim = model.velocities, model.rows, model.dim
        dense = min(room, int(self.stepper.dense_limit)) if model.free_bodies else room
        rows, dense_rows = max(room, 1) * dim, max(dense, 1) * dim
        for name, array in {
            "active": np.zeros(room + 1, np.int64), "active_gaps": np.zeros(room + 1),
            "curvature_terms": np.zeros((room + 1) * dim),
            "W": np.zeros((room + 1) * dim * (model.places.shape[1] * model.width + 1)),
            "inv_M_W": np.zeros(dense_rows * n), "joint_impulse_per_unit": np.zeros(dense_rows * m + 1),
            "gamma_pre": np.zeros(rows), "eps_gamma": np.zeros(rows), "P": np.zeros(rows),
            "P_previous": np.zeros(rows), "search_direction": np.zeros(rows),
        }.items():  # fmt: skip
            self.put(name, array)
        self.problem_arrays = {
            "G": np.zeros(dense_rows**2), "b": np.zeros(rows), "mu": np.zeros(max(room, 1)),
            "p_offset": np.zeros(max(room, 1)), "P": np.zeros(rows),
            "workspace": np.zeros(workspace_size(max(dense, 1), dim)),
            "index_workspace": np.zeros(index_workspace_size(max(dense, 1), dim), np.int64),
        }  # fmt: skip
        for name, array in self.problem_arrays.items():
            setattr(self.problem, name, array.ctypes.data)
        self.stepper.capacity = room

    def call(self, kernel: Kernel) -> int:
        return int(kernel.call(self.stepper))

    def first_node(self) -> np.ndarray:
        row = np.zeros((1, int(self.stepper.node_size)))
        start, reference = self.model.start, self.model.reference
        row[0, : len(start)] = start
        if reference is not None:
            row[0, len(start) : len(start) + reference.size] = reference.ravel()
        return row

    # ---- what an interrupted run goes on with

    def carried(self) -> dict[str, np.ndarray]:
        kept = {f"stepper.{name}": array for name, array in self.arrays.items() if name not in NOT_SAVED}
        kept |= {f"scheme.{name}": array for name, array in self.scheme_arrays.items()}
        kept |= {"clock": STEP_CLOCK.numbers(self.clock), "counts": STEP_COUNTS.numbers(self.counts)}
        kept |= {"energy": ENERGY_BALANCE.numbers(self.energy), "max_velocity": MOREAU_JEAN.numbers(self.scheme)[1:2]}
        kept |= {f"problem.{name}": array for name, array in self.problem_arrays.items()}
        numbers = np.array([getattr(self.stepper, name) for name in SAVED_FIELDS])
        compiled = (self.arrays["solver_kernels"] != 0).astype(np.int64)
        return {**kept, "numbers": numbers, "compiled": compiled, **self.model.carried()}

    def go_on(self, carried: dict[str, np.ndarray]) -> None:
        """From where another run was."""
        numbers = dict(zip(SAVED_FIELDS, carried["numbers"].tolist(), strict=True))
        self.stepper.dense_limit = numbers["dense_limit"]
        self.make_room(numbers["capacity"])
        for wanted in np.flatnonzero(carried["compiled"]):
            self.stepper.solver_to_compile = wanted
            self.next_solver()
        for name, number in numbers.items():
            setattr(self.stepper, name, number)
        fill(self.carried(), carried)

    def open_touches(self) -> list[np.ndarray]:
        if not self.stepper.n_contacts:
            return []
        before = {name: array.copy() for name, array in self.carried().items()}
        self.call(loop.finish)
        rows = self.logged()
        fill(self.carried(), before)
        return rows

    def tell(self, answer: RunOutput) -> None:
        answer.end = float(self.clock.t)
        answer.steps, answer.rejected = int(self.counts.n_steps), int(self.counts.n_halved)
        answer.evaluations = answer.steps + answer.rejected
        answer.stride = int(self.counts.node_stride)

    # ---- the run

    def run(self) -> RunOutput:
        """Step through all stretches; Ctrl-C keeps what there is."""
        answer = self.orders.answer
        if answer.resumed is None:
            answer.add(np.array([self.orders.start]), self.first_node())
        else:
            self.go_on(answer.resumed)
        ending = at.FINISHED
        told = time.perf_counter()
        try:
            for stop in self.orders.stops.tolist():
                while self.clock.t < stop and ending == at.FINISHED and answer.error is None:
                    if self.counts.n_done == self.counts.n_planned:
                        self.set_out(stop)
                    ending = self.stretch(answer)
                if ending != at.FINISHED or answer.error is not None:
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
        if self.stepper.n_contacts:
            self.call(loop.finish)
            self.drain(answer)
        self.tell(answer)
        return answer

    def set_out(self, end: float) -> None:
        """Towards ``end`` in equal steps from here."""
        begin = float(self.clock.t)
        count = max(1, math.ceil((end - begin) / self.orders.step * (1.0 - 1e-9)))
        self.clock.t_begin, self.clock.t_end, self.clock.h = begin, end, (end - begin) / count
        self.counts.n_done, self.counts.n_planned = 0, count

    def stretch(self, answer: RunOutput) -> int:
        """What is left of the steps to the next stop; how it ended."""
        while True:
            width = int(self.stepper.node_size)
            stride = int(self.counts.node_stride)
            left = int(self.counts.n_planned - self.counts.n_done)
            wanted = left // stride + 2 if stride and not self.orders.adaptive else 20_000 if stride else 2
            room = min(max(CHUNK_NUMBERS // width, 64), wanted)
            self.put("node_t", np.empty(room))
            self.put("node_y", np.empty((room, width)))
            self.stepper.n_nodes, self.stepper.node_capacity = 0, room
            ending = self.fill(answer)
            self.hand_over(answer)
            if stride and answer.room is not None and answer.numbers() > answer.room:
                answer.thin()
                self.counts.node_stride *= 2
            if ending != at.CHUNK_FULL or answer.error is not None:
                return ending
            if answer.due:
                answer.keep(self)

    def hand_over(self, answer: RunOutput) -> None:
        """Give the nodes away; their room is free again."""
        nodes = int(self.stepper.n_nodes)
        if nodes:
            answer.add(self.arrays["node_t"][:nodes].copy(), self.arrays["node_y"][:nodes].copy())
            self.stepper.n_nodes = 0

    def fill(self, answer: RunOutput) -> int:
        """Step until the room for nodes is full, a checkpoint is due or the stretch is over."""
        while True:
            began, done = time.perf_counter(), int(self.counts.n_steps)
            ending = self.call(loop.run)
            self.drain(answer)
            answer.error = self.orders.user_error()
            if ending == at.CAPACITY_EXCEEDED:
                self.make_room(min(2 * int(self.stepper.capacity), int(self.stepper.n_contacts)))
                continue
            if ending == at.SOLVER_NOT_COMPILED:
                self.next_solver()
                continue
            if ending == at.MATRIX_FREE_FAILED:
                self.stepper.dense_limit = sweeps.DENSE + 1
                self.make_room(int(self.stepper.capacity))
                continue
            if ending == at.NO_SOLUTION and self.stepper.dense_limit != self.stepper.dense_limit_next:
                self.stepper.dense_limit = self.stepper.dense_limit_next
                self.stepper.accept_inexact = 1
                continue
            if ending != at.CHUNK_FULL or answer.error is not None:
                return ending
            pace = (int(self.counts.n_steps) - done) / max(time.perf_counter() - began, 1e-9)
            self.counts.step_budget = int(min(max(pace * CHUNK_SECONDS, LEAST_BUDGET), 100_000_000))
            self.orders.report(float(self.clock.t), self.orders.step)
            if answer.due or self.stepper.n_nodes >= self.stepper.node_capacity:
                return ending

    def drain(self, answer: RunOutput) -> None:
        """Take what was logged since the last time."""
        answer.touches += self.logged()

    def logged(self) -> list[np.ndarray]:
        """The same, by itself."""
        count = int(self.stepper.n_logged)
        self.stepper.n_logged = 0
        return [self.arrays["log"][:count].copy()] if count else []

    @property
    def gap_failed(self) -> bool:
        """Whether a gap was no number when the run ended."""
        return bool(np.isnan(self.model.gaps[int(self.counts.failed_contact)]))

    def stats(self) -> dict[str, Any]:
        """What the contact problems cost, and which solvers were asked."""
        counts = self.counts
        asked = {name: int(counts.solver_calls[k]) for k, name in enumerate(self.solvers)}
        return {
            "contact_problems": int(counts.n_problems),
            "solver_iterations": int(counts.n_iterations),
            "solvers": {**asked, "sweeps": int(counts.n_matrix_free)},
            "fallbacks": sum(list(asked.values())[1:]),
            "unsolved": int(counts.n_inexact),
            "energy_created": float(self.energy.created),
            "energy_creating_steps": int(counts.n_energy_gains),
            "projection_energy": float(self.energy.projection_work),
        }


def impact_law_data(impacts: Sequence[ImpactLaw]) -> np.ndarray:
    """Return the table of `IMPACT_LAW_DATA`, with one more row of zeros."""
    table = IMPACT_LAW_DATA.zeros(len(impacts) + 1)
    for row, impact in zip(table, impacts, strict=False):
        row["eps_N"], row["mu"], row["eps_T"] = impact.restitution, impact.friction, impact.tangential_restitution
        row["is_poisson"] = impact.law == "poisson"
    return table


def prepare(scheme: str, solver: str) -> None:
    """Have the loop compiled by another process while the model is compiled here, the first time."""
    compile_ahead(kernels_of(scheme, solver))
