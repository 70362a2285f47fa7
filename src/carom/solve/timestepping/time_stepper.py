"""Time stepper: runs the compiled loop in chunks to report progress and write checkpoints."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from carom.compiled_model.stepping_data import SteppingData, impact_law_data
from carom.kernels import Kernel
from carom.kernels.background_compilation import compile_ahead
from carom.kernels.interpreted import address_of_argument, array_address
from carom.mechanics.contact_log import CONTACT_LOG_ENTRY, CONTACT_LOG_ROW
from carom.mechanics.contact_records import N_STORED
from carom.result.outcome import Outcome
from carom.solve.contact_problem.friction_limits import N_LEVERS
from carom.solve.contact_problem.records import CONTACT_PROBLEM, index_workspace_size, workspace_size
from carom.solve.contact_problem.registry import SOLVERS, solver_sequence
from carom.solve.method import Method, Progress
from carom.solve.node_batches import fill
from carom.solve.options import Nonsmooth
from carom.solve.run_output import RunOutput
from carom.solve.timestepping import records, stepping_loop
from carom.solve.timestepping.matrix_free_gauss_seidel import MAX_CONTACTS_FAILED
from carom.solve.timestepping.records import ENERGY_BALANCE, MOREAU_JEAN, STEP_CLOCK, STEP_COUNTS, STEPPER
from carom.solve.timestepping.schemes import SCHEMES

CHUNK_SECONDS = 0.05
"""Duration of a chunk of steps, between two reports of progress [s]."""
CHUNK_NUMBERS = 500_000
"""Numbers in the node buffer of a chunk."""
DRIVEN_NODES = 1024
"""Nodes in the buffer of a run that is driven."""
FIRST_BUDGET, MIN_BUDGET = 50, 2
"""Steps of the first chunk, and the least number of steps of a later one; steps may be slow."""
DENSE_LIMIT = 48
"""Closed contacts of free bodies from which the matrix-free solver replaces the Delassus matrix."""
ORDER_FOR_MANY_CONTACTS = ("alart-curnier", "pgs", "lemke", "enumeration")
"""Order in which solvers are tried for many contacts."""
FIRST_CAPACITY = 16
"""Closed contacts that arrays are allocated for at the start."""
LOG_CAPACITY = 256
"""Rows of the contact log that end a chunk; one step may add rows beyond it."""
TOLERANCE = 1e-12
"""Residual of a contact problem relative to its velocities [-]."""
SAVED_FIELDS = ("capacity", "dense_limit", "dense_limit_next", "accept_inexact", "solver_to_compile", "n_active")
"""Fields of the stepper in a checkpoint."""
FACTORS = slice(CONTACT_PROBLEM.index("factor_size"), CONTACT_PROBLEM.index("factor_rank") + 1)
"""Fields of the contact problem in a checkpoint."""
NOT_SAVED = (
    "solver_kernels", "solver_order", "velocity_indices", "impact_laws", "rotation_lengths", "node_t", "node_y",
)  # fmt: skip
"""Arrays that are not in a checkpoint: addresses, constants of the model, and nodes, which are saved separately."""
OUTCOMES = {
    records.NOT_FINITE: Outcome.NOT_FINITE,
    records.RANK_LOSS: Outcome.SINGULAR,
    records.NO_SOLUTION: Outcome.CONTACT_UNSOLVED,
    records.PROJECTION_FAILED: Outcome.NOT_CONVERGED,
    records.NOT_CONVERGED: Outcome.NOT_CONVERGED,
}


@dataclass
class SteppingRequest:
    """Model, options and stops of a run from ``start`` [s], with equal steps between two stops.

    ``stops`` are increasing [s], the last one is the end. ``breaks`` are the times at which prescribed motions are not
    smooth [s].
    """

    model: SteppingData
    options: Nonsmooth
    solver: str
    projection: bool
    stops: np.ndarray | tuple[float, ...]
    breaks: Sequence[float]
    record_steps: bool
    user_error: Callable[[], BaseException | None]
    output: RunOutput = field(default_factory=RunOutput)
    start: float = 0.0


def kernels_of(scheme: str, solver: str) -> list[Kernel]:
    """Return the kernels that a run needs."""
    return [SCHEMES[scheme].step, SOLVERS[solver], stepping_loop.run_chunk, stepping_loop.log_open_contacts]


class TimeStepper(Method):
    """Time stepping: the records of the compiled loop, and their Python side."""

    def __init__(self, request: SteppingRequest):
        self.request, self.model, self.output = request, request.model, request.output
        self.t_end = float(request.stops[-1])
        self.has_node_buffer = False
        self.build_records()

    def build_records(self) -> None:
        """Build the records of the compiled loop and their arrays."""
        model, request, options = self.model, self.request, self.request.options
        self.arrays: dict[str, np.ndarray] = {}
        self.problem = CONTACT_PROBLEM.new(rows_per_contact=model.rows_per_contact, tolerance=TOLERANCE)
        self.problem.has_rolling = model.has_rolling
        self.problem_arrays: dict[str, np.ndarray] = {}
        n, m, count = model.n_velocities, model.n_constraints, len(model.names)
        n_orientation = 0 if model.reference_orientation is None else model.reference_orientation.size
        scheme = SCHEMES[options.scheme]
        solvers = solver_sequence(request.solver, model.tangents_per_contact, model.has_rolling)
        self.solvers = solvers if count else []
        self.clock = STEP_CLOCK.new(min_step=options.min_step, step_fraction=1.0, t=request.start)
        self.counts = STEP_COUNTS.new(
            node_stride=request.record_steps, is_adaptive=options.adaptive, step_budget=FIRST_BUDGET
        )
        self.energy = ENERGY_BALANCE.new()
        self.scheme = MOREAU_JEAN.new(theta=options.theta)
        self.scheme_arrays: dict[str, np.ndarray] = {}
        self.stepper = STEPPER.new(
            n_velocities=n, n_constraints=m, n_contacts=count, has_slots=model.has_slots,
            rows_per_contact=model.rows_per_contact,
            tangents_per_contact=model.tangents_per_contact, bodies_per_contact=model.velocity_indices.shape[1],
            velocities_per_body=model.velocities_per_body, bodies_are_free=model.bodies_are_free,
            repeats_with_mean_velocity=scheme.repeats_with_mean_velocity, no_energy_gain=scheme.no_energy_gain,
            no_gyroscopic_forces=model.no_gyroscopic_forces, curvature_correction=scheme.curvature_correction,
            projects_positions=request.projection, dense_limit=self.dense_limit(), dense_limit_next=self.dense_limit(),
            log_capacity=LOG_CAPACITY, node_size=2 * n + n_orientation + 3 + 2 * count + m + N_STORED * count,
            n_orientation=n_orientation, n_solvers=len(self.solvers), **self.kernel_addresses(),
            reference_orientation=0 if model.reference_orientation is None else model.reference_orientation.ctypes.data,
            model=address_of_argument(model.record), problem=address_of_argument(self.problem),
            clock=address_of_argument(self.clock), counts=address_of_argument(self.counts),
            energy=address_of_argument(self.energy), scheme_workspace=address_of_argument(self.scheme),
        )  # fmt: skip
        order = ORDER_FOR_MANY_CONTACTS
        large = sorted(range(len(solvers)), key=lambda k: order.index(solvers[k]) if solvers[k] in order else -1)
        for name, array in {
            "velocity_indices": np.append(model.velocity_indices.ravel(), 0),
            "impact_laws": impact_law_data(model.impact_laws, model.rolling),
            "solver_kernels": np.zeros(max(len(self.solvers), 1), np.int64),
            "solver_order": np.array([*range(len(solvers)), *large], np.int64),
            "y": model.start.copy(), "y_mid": np.zeros(2 * n), "y_new": np.zeros(2 * n), "u_free": np.zeros(n),
            "h_mid": np.zeros(n), "delta_q": np.zeros(max(n, 6)), "joint_impulses": np.zeros(m + 1),
            "velocity_defect": np.zeros(m + 1), "last_P": np.zeros((count + 1) * model.rows_per_contact),
            "joint_friction": np.zeros((count + 1) * (model.velocity_indices.shape[1] * model.velocities_per_body + 2)),
            "contact_change": np.zeros(n), "contact_reactions": np.zeros(m + 1),
            "contact_status": np.zeros(count + 1, np.int64), "contact_losses": np.zeros(2 * count),
            "log_entries": np.zeros((count + 1, CONTACT_LOG_ENTRY.size)),
            "log": np.zeros((LOG_CAPACITY + 2 * count, CONTACT_LOG_ROW.size)),
        }.items():  # fmt: skip
            self.set_array(name, array)
        if scheme.is_implicit:
            vectors = ("force_begin", "force_end", "u_guess", "u_trial", "force_trial")
            self.scheme_arrays = {name: np.zeros(n) for name in vectors} | {"force_jacobian": np.zeros(n * n)}
            MOREAU_JEAN.connect(self.scheme, self.scheme_arrays)
            if model.forces_kernel is not None:
                model.use_implicit(self.scheme_arrays["force_jacobian"])
        self.allocate(min(count, FIRST_CAPACITY))
        self.compile_solver()

    def kernel_addresses(self) -> dict[str, int]:
        """Return the addresses of the kernels that the scheme needs, by field of the stepper."""
        model, scheme = self.model, SCHEMES[self.request.options.scheme]
        repeats = scheme.repeats_with_mean_velocity
        kernels = {
            "evaluate_kernel": model.evaluate_kernel, "gaps_kernel": model.gaps_kernel,
            "bodies_kernel": model.bodies_kernel, "gap_kernel": model.gap_kernel,
            "directions_kernel": model.directions_kernel, "step_kernel": scheme.step,
            "project_kernel": model.project_kernel, "update_orientation_kernel": model.update_orientation_kernel,
            "forces_kernel": model.forces_kernel if repeats or scheme.is_implicit else None,
            "constraints_kernel": model.constraints_kernel if repeats else None,
        }  # fmt: skip
        return {name: kernel.address for name, kernel in kernels.items() if kernel is not None}

    def dense_limit(self) -> int:
        """Return the number of closed contacts from which the matrix-free solver is used; never for Poisson's law."""
        if any(impact.law == "poisson" for impact in self.model.impact_laws):
            return len(self.model.names) + 1
        return 1 if self.request.solver == "pgs" else DENSE_LIMIT

    @property
    def closed(self) -> list[int]:
        """Indices of the contacts that are currently closed."""
        return [int(k) for k in self.arrays["active"][: self.stepper.n_active]]

    def compile_solver(self) -> None:
        """Compile the solver that the next step needs; most runs need the first one only."""
        if self.solvers:
            k = int(self.stepper.solver_to_compile)
            self.arrays["solver_kernels"][k] = SOLVERS[self.solvers[k]].address

    def set_array(self, name: str, array: np.ndarray) -> None:
        """Store an array and its address in the record of the stepper."""
        self.arrays[name] = array = np.ascontiguousarray(array)
        setattr(self.stepper, name, array_address(array))

    def allocate(self, capacity: int) -> None:
        """Allocate arrays for ``capacity`` closed contacts; for free bodies, G of at most ``dense_limit`` contacts."""
        model = self.model
        n, m, dim = model.n_velocities, model.n_constraints, model.rows_per_contact
        dense = min(capacity, int(self.stepper.dense_limit)) if model.bodies_are_free else capacity
        rows, dense_rows = max(capacity, 1) * dim, max(dense, 1) * dim
        for name, array in {
            "active": np.zeros(capacity + 1, np.int64), "active_gaps": np.zeros(capacity + 1),
            "curvature_terms": np.zeros((capacity + 1) * dim),
            "W": np.zeros((capacity + 1) * dim * (model.velocity_indices.shape[1] * model.velocities_per_body + 1)),
            "inv_M_W": np.zeros(dense_rows * n), "joint_impulse_per_unit": np.zeros(dense_rows * m + 1),
            "gamma_pre": np.zeros(rows), "eps_gamma": np.zeros(rows), "P": np.zeros(rows),
            "P_previous": np.zeros(rows), "search_direction": np.zeros(rows),
        }.items():  # fmt: skip
            self.set_array(name, array)
        self.problem_arrays = {
            "G": np.zeros(dense_rows**2), "b": np.zeros(rows), "mu": np.zeros(max(capacity, 1)),
            "levers": np.zeros(N_LEVERS * max(capacity, 1)),
            "p_offset": np.zeros(max(capacity, 1)), "P": np.zeros(rows),
            "workspace": np.zeros(workspace_size(max(dense, 1), dim)),
            "index_workspace": np.zeros(index_workspace_size(max(dense, 1), dim), np.int64),
        }  # fmt: skip
        CONTACT_PROBLEM.connect(self.problem, self.problem_arrays)
        self.stepper.capacity = capacity
        self.problem.factor_size = 0

    def call(self, kernel: Kernel) -> int:
        """Call a kernel with the record of the stepper; return its status."""
        return int(kernel.call(self.stepper))

    def first_node(self) -> np.ndarray:
        """Return the node at the start."""
        row = np.zeros((1, int(self.stepper.node_size)))
        start, reference = self.model.start, self.model.reference_orientation
        row[0, : len(start)] = start
        if reference is not None:
            row[0, len(start) : len(start) + reference.size] = reference.ravel()
        return row

    can_continue = True

    def continue_to(self, t: float) -> None:
        """Make ``t`` [s] the next stop and the end of the run, behind the breaks of motions before it."""
        breaks = self.request.breaks
        earlier = [stop for stop in breaks if self.time < stop < t] if breaks else []
        self.request.stops = np.array([*earlier, t]) if earlier else (t,)
        self.t_end, self.finished = t, False

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return float(self.clock.t)

    # ---- checkpoints

    def checkpoint(self) -> dict[str, np.ndarray]:
        """Return the arrays of a checkpoint."""
        saved = {f"stepper.{name}": array for name, array in self.arrays.items() if name not in NOT_SAVED}
        saved |= {f"scheme.{name}": array for name, array in self.scheme_arrays.items()}
        saved |= {"clock": STEP_CLOCK.numbers(self.clock), "counts": STEP_COUNTS.numbers(self.counts)}
        saved |= {"energy": ENERGY_BALANCE.numbers(self.energy), "max_velocity": MOREAU_JEAN.numbers(self.scheme)[1:2]}
        saved |= {f"problem.{name}": array for name, array in self.problem_arrays.items()}
        saved |= {"problem.factors": CONTACT_PROBLEM.numbers(self.problem)[FACTORS]}
        numbers = np.array([getattr(self.stepper, name) for name in SAVED_FIELDS])
        compiled = (self.arrays["solver_kernels"] != 0).astype(np.int64)
        return {**saved, "numbers": numbers, "compiled": compiled, **self.model.mutable_arrays()}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Restore a checkpoint of another run."""
        numbers = dict(zip(SAVED_FIELDS, state["numbers"].tolist(), strict=True))
        self.stepper.dense_limit = numbers["dense_limit"]
        self.allocate(numbers["capacity"])
        for k in np.flatnonzero(state["compiled"]):
            self.stepper.solver_to_compile = k
            self.compile_solver()
        for name, number in numbers.items():
            setattr(self.stepper, name, number)
        fill(self.checkpoint(), state)

    def contact_log(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that ended since the last call."""
        count = int(self.stepper.n_logged)
        if not count:
            return []
        self.stepper.n_logged = 0
        return [self.arrays["log"][:count].copy()]

    def open_contacts(self) -> list[np.ndarray]:
        """Return the log rows of the contacts that are not separated."""
        entries, log = self.arrays["log_entries"], self.arrays["log"]
        if not np.any(entries[:, CONTACT_LOG_ENTRY.index("is_open")]):
            return []
        before = entries.copy(), log.copy()
        self.call(stepping_loop.log_open_contacts)
        rows = self.contact_log()
        entries[:], log[:] = before
        return rows

    def update_counts(self) -> None:
        """Write the time reached and the numbers of steps and evaluations to the output."""
        output = self.output
        output.t_reached = float(self.clock.t)
        output.steps, output.rejected = int(self.counts.n_steps), int(self.counts.n_halved)
        output.evaluations = output.steps + output.rejected
        output.stride = int(self.counts.node_stride)

    @property
    def progress(self) -> Progress:
        """Progress to report."""
        return float(self.clock.t), self.request.options.step, None

    # ---- the run

    def prepare(self) -> None:
        """Store the first node, or restore the checkpoint of the output."""
        if self.output.resumed_state is None:
            self.output.add(np.array([self.request.start]), self.first_node())
        else:
            self.restore(self.output.resumed_state)
        self.finished = self.clock.t >= self.t_end

    def advance(self) -> None:
        """Step for about `CHUNK_SECONDS`, over several stops if they are close."""
        began = time.perf_counter()
        while True:
            status = self.advance_to_stop()
            if status != records.FINISHED or self.finished or time.perf_counter() - began > CHUNK_SECONDS:
                return

    def advance_to_stop(self) -> int:
        """Run a chunk of steps towards the next stop; return the status of the loop."""
        if self.counts.n_done == self.counts.n_planned:
            stops = self.request.stops
            stop = 0 if len(stops) == 1 else np.searchsorted(stops, self.clock.t, side="right")
            self.plan_steps(float(stops[stop]))
        if not self.has_node_buffer:
            self.create_node_buffer()
        status = self.run_chunk()
        if status == records.CHUNK_FULL:
            is_due = self.stepper.n_nodes >= self.stepper.node_capacity
        else:
            is_due = not self.output.is_driven
        if is_due:
            self.flush()
            self.thin_nodes()
        ended = status not in (records.FINISHED, records.CHUNK_FULL) or self.output.error is not None
        self.output.outcome = OUTCOMES.get(status, Outcome.FINISHED)
        self.finished = ended or (status == records.FINISHED and self.clock.t >= self.t_end)
        return status

    def plan_steps(self, end: float) -> None:
        """Plan equal steps to ``end`` [s]."""
        begin = float(self.clock.t)
        count = max(1, math.ceil((end - begin) / self.request.options.step * (1.0 - 1e-9)))
        self.clock.t_begin, self.clock.t_end, self.clock.h = begin, end, (end - begin) / count
        self.counts.n_done, self.counts.n_planned = 0, count

    def create_node_buffer(self) -> None:
        """Allocate the nodes of the remaining steps to the next stop, or as many as fit."""
        size, stride = int(self.stepper.node_size), int(self.counts.node_stride)
        left = int(self.counts.n_planned - self.counts.n_done)
        adaptive = self.request.options.adaptive
        n_nodes = left // stride + 2 if stride and not adaptive else 20_000 if stride else 2
        n_nodes = DRIVEN_NODES if self.output.is_driven else n_nodes
        capacity = min(max(CHUNK_NUMBERS // size, 64), n_nodes)
        self.set_array("node_t", np.empty(capacity))
        self.set_array("node_y", np.zeros((capacity, size)))
        self.stepper.n_nodes, self.stepper.node_capacity = 0, capacity
        self.has_node_buffer = True

    def flush(self, at_end: bool = False) -> None:
        """Pass the buffered nodes to the output."""
        nodes = int(self.stepper.n_nodes)
        if nodes:
            t, y = self.arrays["node_t"][:nodes], self.arrays["node_y"][:nodes]
            is_full = 2 * nodes > self.stepper.node_capacity  # otherwise a copy needs less memory
            self.output.add(*(t, y) if is_full else (t.copy(), y.copy()))
        self.stepper.n_nodes, self.has_node_buffer = 0, False

    def thin_nodes(self) -> None:
        """Drop every second node if there are too many, and store half as many from now on."""
        output = self.output
        if self.counts.node_stride and output.capacity is not None and output.n_numbers > output.capacity:
            output.thin()
            self.counts.node_stride *= 2

    def run_chunk(self) -> int:
        """Run the compiled loop, with more capacity or another solver if a step needs it; return its status."""
        while True:
            began, done = time.perf_counter(), int(self.counts.n_steps)
            status = self.call(stepping_loop.run_chunk)
            self.output.error = self.request.user_error()
            if status == records.CAPACITY_EXCEEDED:
                self.allocate(min(2 * int(self.stepper.capacity), int(self.stepper.n_contacts)))
            elif status == records.SOLVER_NOT_COMPILED:
                self.compile_solver()
            elif status == records.MATRIX_FREE_FAILED:
                self.stepper.dense_limit = MAX_CONTACTS_FAILED + 1
                self.allocate(int(self.stepper.capacity))
            elif status == records.NO_SOLUTION and self.stepper.dense_limit != self.stepper.dense_limit_next:
                self.stepper.dense_limit = self.stepper.dense_limit_next
                self.stepper.accept_inexact = 1
            else:
                if status == records.CHUNK_FULL:
                    steps_per_second = (int(self.counts.n_steps) - done) / max(time.perf_counter() - began, 1e-9)
                    budget = min(max(steps_per_second * CHUNK_SECONDS, MIN_BUDGET), 100_000_000)
                    self.counts.step_budget = int(budget)
                return status

    @property
    def gap_failed(self) -> bool:
        """True if a gap was NaN when the run ended."""
        return bool(np.isnan(self.model.gaps[int(self.counts.failed_contact)]))

    def statistics(self) -> dict[str, Any]:
        """Return the cost of the contact problems and the solvers used."""
        counts = self.counts
        calls = {name: int(counts.solver_calls[k]) for k, name in enumerate(self.solvers)}
        return {
            "contact_problems": int(counts.n_problems),
            "solver_iterations": int(counts.n_iterations),
            "solvers": {**calls, "sweeps": int(counts.n_matrix_free)},
            "fallbacks": sum(list(calls.values())[1:]),
            "inexact_solutions": int(counts.n_inexact),
            "energy_created": float(self.energy.created),
            "energy_creating_steps": int(counts.n_energy_gains),
            "projection_energy": float(self.energy.projection_work),
        }


def prepare(scheme: str, solver: str) -> None:
    """Compile the loop in another process while the model is compiled here, the first time."""
    compile_ahead(kernels_of(scheme, solver))
