"""Smooth phase of an event-driven run: steps, states inside them, and contacts, as Python calls of compiled kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.kernels import Kernel
from carom.kernels.background_compilation import compile_ahead
from carom.kernels.interpreted import address_of_argument
from carom.result.outcome import Outcome
from carom.solve.contact_problem.friction_limits import limit_rows
from carom.solve.event_driven import event_detection, rk_step, slip_references, smooth_dynamics
from carom.solve.event_driven.acceleration_bias import MAX_DIFFERENCE_TIME
from carom.solve.event_driven.records import EVENT_DRIVEN, LAST_SAMPLE, OPEN, SLIP_DIRECTION, SLIP_REFERENCE
from carom.solve.runge_kutta.dop853 import DOP853
from carom.solve.runge_kutta.method_arrays import coefficient_arrays, method_counts, step_arrays
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.timestepping.time_stepper import TimeStepper

SAVED_FIELDS = (
    "step_error", "step_factor", "t_latest", "difference_time", "is_redundant", "event_begin", "event_end",
    "first_sample",
)  # fmt: skip
"""Fields of the record in a checkpoint."""
N_QUADRATURES = 3
"""Quadratures of the energy balance behind (q, u) and the orientations of spatial bodies; two losses and the normal
impulse of each contact follow."""


SLOW_TIME = 1e-6
"""Fraction of a run within which friction stops a contact that slides slowly [-]."""


class RunEnded(Exception):
    """End of a run before its last stop: its outcome, and the error that a user's function raised."""

    def __init__(self, outcome: Outcome, error: BaseException | None = None):
        super().__init__(str(outcome))
        self.outcome, self.error = outcome, error


class SmoothPhase:
    """Current state of a run, steps from it, and the contacts at any state."""

    def __init__(self, time_stepper: TimeStepper, rtol: float, atol: float):
        model = time_stepper.model
        self.time_stepper = time_stepper
        scale_rotations(time_stepper)
        n, n_contacts, dim = model.n_velocities, len(model.names), model.rows_per_contact
        self.n, self.m, self.n_contacts, self.dim = n, model.n_constraints, n_contacts, dim
        self.tangents = model.tangents_per_contact
        self.source_with_slots = model.source if model.has_slots else None
        self.n_limits = 1 if not model.has_rolling else 2 if self.tangents == 1 else 3
        self.limit_rows = limit_rows(self.tangents, self.n_limits)
        """Rows of each limit (friction, rolling, spinning) among those of a contact."""
        self.limit_columns = [slice(rows.start - 1, rows.stop - 1) for rows in self.limit_rows]
        """Columns of each limit in an array without normal rows."""
        self.is_disc = np.array([rows.stop - rows.start == 2 for rows in self.limit_rows])
        """True for each limit with two rows."""
        self.quadrature_offset = 2 * n + int(time_stepper.stepper.n_orientation)
        self.n_states = self.quadrature_offset + N_QUADRATURES + 3 * n_contacts
        compile_ahead(
            [smooth_dynamics.project_state, smooth_dynamics.evaluate_contacts, event_detection.detect_closing]
        )
        self.rk_record = RUNGE_KUTTA.new(
            rhs_kernel=smooth_dynamics.smooth_rhs.address, model=time_stepper.stepper.model, n_states=self.n_states,
            n_controlled=self.quadrature_offset, rtol=rtol, atol=atol, **method_counts(DOP853),
        )  # fmt: skip
        self.run_record = EVENT_DRIVEN.new(
            stepper=address_of_argument(time_stepper.stepper), rk=address_of_argument(self.rk_record),
            difference_time=MAX_DIFFERENCE_TIME, n_limits=self.n_limits,
            slow_time=SLOW_TIME * (float(time_stepper.request.stops[-1]) - time_stepper.request.start),
        )  # fmt: skip
        self.rk_record.rhs_data = address_of_argument(self.run_record)
        self.coefficients = coefficient_arrays(DOP853)
        step = {**step_arrays(DOP853, self.n_states), "error_scale": np.zeros(self.quadrature_offset)}
        contacts = contact_arrays(self.quadrature_offset, n_contacts, dim, self.n_limits)
        RUNGE_KUTTA.connect(self.rk_record, {**self.coefficients, **step})
        EVENT_DRIVEN.connect(self.run_record, contacts)
        self.arrays = {**step, **contacts}
        self.y[: self.quadrature_offset] = time_stepper.arrays["y"]
        self.gaps, self.max_gap_rate = self.arrays["gaps"][:n_contacts], self.arrays["max_gap_rate"][:n_contacts]
        self.gamma = self.arrays["gamma"][: n_contacts * dim].reshape(n_contacts, dim)
        self.y_projected = np.zeros(self.n_states)
        """State at the end of a step, on joints and closed contacts."""
        self.n_evaluations = 0
        self.error_scale_max = np.full(self.quadrature_offset, 1.0)
        self.error_scale_max[n : 2 * n] = math.inf  # others count no more than a metre or radian, however far they went

    @property
    def y(self) -> np.ndarray:
        """Current state."""
        return self.arrays["y"]

    @property
    def derivative(self) -> np.ndarray:
        """Derivative y' at the current state, after `evaluate_first_stage`."""
        return self.arrays["stages"][0]

    @property
    def modes(self) -> np.ndarray:
        """Modes of all contacts, one column per limit."""
        return self.arrays["modes"].reshape(-1, self.n_limits)[: self.n_contacts]

    @property
    def is_closed(self) -> np.ndarray:
        """True for each contact that is closed."""
        closed: np.ndarray = self.modes[:, 0] != OPEN
        return closed

    @property
    def active(self) -> np.ndarray:
        """Contacts whose forces and directions are computed."""
        stepper = self.time_stepper
        return stepper.arrays["active"][: stepper.stepper.n_active]

    def set_active(self, contacts: Sequence[int]) -> None:
        """Set the contacts whose forces and directions are computed."""
        if len(contacts) > self.time_stepper.stepper.capacity:
            self.time_stepper.allocate(len(contacts))
        self.time_stepper.arrays["active"][: len(contacts)] = contacts
        self.time_stepper.stepper.n_active = len(contacts)

    # ---- checkpoints

    def mutable_state(self) -> dict[str, np.ndarray]:
        """Return the arrays and fields that a checkpoint contains."""
        arrays = {f"smooth_phase.{name}": array for name, array in self.arrays.items()}
        fields = {f"smooth_phase.{name}": np.array(getattr(self.run_record, name)) for name in SAVED_FIELDS}
        return {**arrays, **fields, "smooth_phase.y_projected": self.y_projected}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Restore the fields of a checkpoint; the arrays are restored by the time stepper."""
        for name in SAVED_FIELDS:
            setattr(self.run_record, name, state[f"smooth_phase.{name}"].item())

    # ---- steps

    def _call_at(self, kernel: Kernel, t: float, y: np.ndarray) -> int:
        """Call a kernel of a state; return its status."""
        return int(kernel.call(t, y, self.run_record))

    def _call_over(self, kernel: Kernel, t: float, h: float) -> int:
        """Call a kernel of a step; return its status."""
        return int(kernel.call(t, h, self.run_record))

    def evaluate_rhs(self, t: float, y: np.ndarray, derivative: np.ndarray) -> int:
        """Compute y'; leave forces, reactions and Delassus matrix of the active contacts. Return a `Status`."""
        self.n_evaluations += 1
        return int(smooth_dynamics.smooth_rhs.call(t, y, derivative, self.run_record))

    def evaluate_first_stage(self, t: float) -> int:
        """Start steps from the current state: update the scale of the error, compute y'. Return a `Status`."""
        error_scale = self.arrays["error_scale"]
        np.maximum(
            error_scale, np.minimum(np.abs(self.y[: self.quadrature_offset]), self.error_scale_max), out=error_scale
        )
        self.n_evaluations += 1
        return self._call_at(rk_step.evaluate_first_stage, t, self.y)

    def try_step(self, t: float, h: float) -> tuple[int, float]:
        """Compute a step of length ``h`` from the current state; return its status and error."""
        self.n_evaluations += DOP853.stages - 1
        status = self._call_over(rk_step.try_step, t, h)
        return status, float(self.run_record.step_error)

    @property
    def step_factor(self) -> float:
        """Factor from the length of the last step to that of the next, by the error [-]."""
        return float(self.run_record.step_factor)

    def project_new_state(self, t: float) -> int:
        """Compute `y_projected` from the end of the last step; return a `Status`."""
        self.y_projected[:] = self.arrays["y_new"]
        return self.project_state(t, self.y_projected)

    def step_and_project(self, t: float, h: float) -> int:
        """Compute `y_projected` after a step of length ``h`` from the current state; return a `Status`."""
        status, _ = self.try_step(t, h)
        return max(status, self.project_new_state(min(t + h, float(self.run_record.t_latest))))

    def project_state(self, t: float, y: np.ndarray) -> int:
        """Project a state onto joints and closed contacts; return a `Status`."""
        return self._call_at(smooth_dynamics.project_state, t, y)

    def compute_dense_stages(self, t: float, h: float) -> None:
        """Prepare the dense output of the last step."""
        self.n_evaluations += len(DOP853.extra_c)
        self._call_over(rk_step.compute_dense_stages, t, h)

    def interpolate(self, theta: float, h: float) -> np.ndarray:
        """Return the state at fraction ``theta`` of the last step, from the dense output."""
        self._call_over(rk_step.interpolate, theta, h)
        return self.arrays["y_stage"].copy()

    # ---- contacts

    def set_slip_directions(self, t: float, slip: np.ndarray) -> None:
        """Set the reference directions of the active contacts that slide, given by row behind the normal."""
        directions = self.slip_directions(len(slip))
        for limit, columns in enumerate(self.limit_columns):
            directions[:, limit, : columns.stop - columns.start] = slip[:, columns]
        self._call_at(slip_references.store_slip_references, t, self.y)

    def slip_directions(self, count: int) -> np.ndarray:
        """Return the records SLIP_DIRECTION of the first ``count`` active contacts as an array, by limit."""
        return self.arrays["slip"].reshape(-1, self.n_limits, SLIP_DIRECTION.size)[:count]

    def follow_slow_sliding(self, t: float) -> None:
        """Let slow contacts turn their sliding direction within a step, where constant directions are not possible."""
        self.arrays["slip_reference"].reshape(-1, SLIP_REFERENCE.size)[:, SLIP_REFERENCE.index("is_slow")] = 0.0
        self.evaluate_first_stage(t)

    def update_slip_directions(self, t: float) -> None:
        """Set the reference directions to the sliding directions at the current state."""
        self._call_at(slip_references.update_slip_references, t, self.y)

    def evaluate_contacts(self, t: float, y: np.ndarray) -> None:
        """Compute `gaps` and `gamma` at a state."""
        self._call_at(smooth_dynamics.evaluate_contacts, t, y)

    def detect_closing(self, t: float, h: float) -> int:
        """Detect the first contact that closes in the last step; return NO_EVENT, EVENT or NOT_FINITE."""
        return self._call_over(event_detection.detect_closing, t, h)

    def detect_negative_margin(self, t: float, h: float, first_sample: int) -> int:
        """Detect the first negative margin in the last step; return NO_EVENT, EVENT or NOT_FINITE."""
        self.run_record.first_sample = first_sample
        self.n_evaluations += event_detection.N_FORCE_SAMPLES
        return self._call_over(event_detection.detect_negative_margin, t, h)

    @property
    def event_bracket(self) -> tuple[float, float]:
        """Fractions of the step between which the last event was detected [-]."""
        return float(self.run_record.event_begin), float(self.run_record.event_end)

    def evaluate_margins(self, t: float, y: np.ndarray) -> None:
        """Compute the margins of the active contacts at a state."""
        self.n_evaluations += 1
        self._call_at(event_detection.evaluate_margins, t, y)

    def margins_and_resolutions(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the margins of the active contacts, 1 + `n_limits` per contact, and their resolutions by rounding."""
        size = (1 + self.n_limits) * len(self.active)
        margins = self.arrays["margins"]
        return margins[:size].copy(), margins[size : 2 * size].copy()

    @property
    def is_redundant(self) -> bool:
        """True if closed contacts depend on each other, so that their forces are not unique."""
        return bool(self.run_record.is_redundant)

    def contact_problem(self) -> tuple[np.ndarray, np.ndarray]:
        """Return Delassus matrix and dγ/dt without forces of the active contacts, after an evaluation."""
        size = len(self.active) * self.dim
        G = self.time_stepper.problem_arrays["G"][: size * size].reshape(size, size).copy()
        return G, self.arrays["gamma_dot_free"][:size].copy()

    def contact_forces(self) -> np.ndarray:
        """Return the forces of all contacts after an evaluation, one row per contact [N]."""
        forces = np.zeros((self.n_contacts, self.dim))
        active = self.active
        if len(active):
            forces[active] = self.arrays["lam"][: len(active) * self.dim].reshape(-1, self.dim)
        return forces


def scale_rotations(time_stepper: TimeStepper) -> None:
    """Make the rows of relative rotation velocities [m/s], and the levers of their limits ratios of forces [-]."""
    lengths = time_stepper.model.rotation_lengths
    if lengths is not None:
        time_stepper.set_array("rotation_lengths", lengths)
        laws = time_stepper.arrays["impact_laws"]
        for name in ("rolling_lever", "spinning_lever"):
            laws[name][: len(lengths)] /= lengths


def contact_arrays(state_size: int, n_contacts: int, dim: int, n_limits: int) -> dict[str, np.ndarray]:
    """Return new arrays of the record `EVENT_DRIVEN` by field, for states of ``state_size`` without quadratures."""
    rows = max(n_contacts * dim, 1)
    limits = (n_contacts + 1) * n_limits
    sizes: dict[str, Any] = {
        "lam": rows, "acceleration_bias": rows, "gamma_dot_free": rows, "force_matrix": rows**2,
        "force_factors": rows**2 + 3 * rows, "y_shifted": state_size, "gaps": n_contacts + 1, "gamma": rows,
        "gap_rate_bound": n_contacts + 1, "max_gap_rate": n_contacts + 1,
        "last_samples": (n_contacts + 1) * LAST_SAMPLE.size, "margins": 2 * (1 + n_limits) * n_contacts + 1,
        "slip_reference": limits * SLIP_REFERENCE.size, "slip": limits * SLIP_DIRECTION.size,
    }  # fmt: skip
    counts = {"modes": np.zeros(limits, np.int64), "force_rows": np.zeros(2 * rows, np.int64)}
    return {**counts, **{name: np.zeros(size) for name, size in sizes.items()}}
