"""The compiled side of an event-driven run as Python calls: steps, states inside them, contacts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.kernels.background_compilation import compile_ahead
from carom.kernels.interpreted import address_of_argument
from carom.solve.compliant.dop853 import DOP853
from carom.solve.event_driven import event_detection as watching
from carom.solve.event_driven import rk_step as steps
from carom.solve.event_driven import smooth_dynamics as motion
from carom.solve.event_driven.acceleration_bias import LONGEST_SHIFT
from carom.solve.event_driven.records import EVENT_DRIVEN, LAST_SAMPLE
from carom.solve.timestepping.time_stepper import TimeStepper

TABLEAU = ("a", "c", "error_weights", "error_weights_3", "dense_a", "dense_c", "dense_weights")
SAVED_FIELDS = (
    "step_error", "t_latest", "difference_time", "is_redundant", "event_begin", "event_end", "first_sample",
)  # fmt: skip
"""Arrays that are constants, and fields of the record in a checkpoint."""
ADDED = 3
"""Quadratures of the ledger behind (q, u); two losses and the normal impulse of each contact follow."""


class Flight:
    """The state of a run, and what may become of it until the next event."""

    def __init__(self, march: TimeStepper, rtol: float, atol: float):
        model = march.model
        self.march = march
        self.n, self.m, self.count, self.dim = (
            model.n_velocities,
            model.n_constraints,
            len(model.names),
            model.rows_per_contact,
        )
        n, count, dim = self.n, self.count, self.dim
        size = 2 * n + ADDED + 3 * count
        rows = max(count * dim, 1)
        self.size = size
        self.arrays: dict[str, np.ndarray] = {}
        stages, extra = DOP853.stages, len(DOP853.extra_c)
        compile_ahead([motion.hold, motion.look, watching.scan])
        self.run_record = EVENT_DRIVEN.new(
            stepper=address_of_argument(march.stepper), rhs_kernel=motion.rate.address, n_states=size, n_stages=stages,
            n_dense_stages=extra, dense_order=DOP853.dense.shape[1], rtol=rtol, atol=atol,
            difference_time=LONGEST_SHIFT,
        )  # fmt: skip
        assert DOP853.error is not None
        assert DOP853.error_3 is not None
        for name, array in {
            "a": DOP853.a, "c": DOP853.c, "error_weights": DOP853.error, "error_weights_3": DOP853.error_3,
            "dense_a": DOP853.extra_a, "dense_c": DOP853.extra_c, "dense_weights": DOP853.dense,
            "y": np.zeros(size), "stages": np.zeros((stages + extra, size)), "y_new": np.zeros(size),
            "y_stage": np.zeros(size), "rhs_new": np.zeros(size), "error_scale": np.zeros(2 * n),
            "modes": np.zeros(count + 1, np.int64),
            "lam": np.zeros(rows), "acceleration_bias": np.zeros(rows), "gamma_dot_free": np.zeros(rows),
            "force_matrix": np.zeros(rows**2), "force_factors": np.zeros(rows**2 + 3 * rows),
            "force_rows": np.zeros(2 * rows, np.int64), "y_shifted": np.zeros(2 * n),
            "gaps": np.zeros(count + 1), "gamma": np.zeros(rows), "gap_rate_bound": np.zeros(count + 1),
            "max_gap_rate": np.zeros(count + 1), "last_samples": np.zeros((count + 1) * LAST_SAMPLE.size),
            "margins": np.zeros(4 * count + 1),
        }.items():  # fmt: skip
            self.put(name, array)
        self.y[: 2 * n] = model.start
        self.gaps, self.fastest = self.arrays["gaps"][:count], self.arrays["max_gap_rate"][:count]
        self.speeds = self.arrays["gamma"][: count * dim].reshape(count, dim)
        self.arrived = np.zeros(size)
        self.evaluations = 0
        self.cap = np.full(2 * n, math.inf)
        self.cap[:n] = 1.0  # a coordinate counts no more than a metre or radian, however far it went

    def put(self, name: str, array: np.ndarray) -> None:
        self.arrays[name] = array = np.ascontiguousarray(array)
        setattr(self.run_record, name, array.ctypes.data)

    @property
    def y(self) -> np.ndarray:
        """The present state."""
        return self.arrays["y"]

    def carried(self) -> dict[str, np.ndarray]:
        """Return the arrays and fields that a checkpoint contains."""
        arrays = {f"smooth_phase.{name}": array for name, array in self.arrays.items() if name not in TABLEAU}
        fields = {f"smooth_phase.{name}": np.array(getattr(self.run_record, name)) for name in SAVED_FIELDS}
        return {**arrays, **fields, "arrived": self.arrived}

    def go_on(self, carried: dict[str, np.ndarray]) -> None:
        """Restore the fields of a checkpoint; the arrays are restored by the stepper."""
        for name in SAVED_FIELDS:
            setattr(self.run_record, name, carried[f"smooth_phase.{name}"].item())

    @property
    def modes(self) -> np.ndarray:
        """Of every contact."""
        return self.arrays["modes"][: self.count]

    @property
    def active(self) -> np.ndarray:
        """Contacts whose forces and directions are found."""
        return self.march.arrays["active"][: self.march.stepper.n_active]

    def set_active(self, contacts: Sequence[int]) -> None:
        if len(contacts) > self.march.stepper.capacity:
            self.march.make_room(len(contacts))
        self.march.arrays["active"][: len(contacts)] = contacts
        self.march.stepper.n_active = len(contacts)

    # ---- motion

    def _at(self, kernel: Any, t: float, y: np.ndarray) -> int:
        return int(kernel.call(t, y, self.run_record))

    def _over(self, kernel: Any, t: float, h: float) -> int:
        return int(kernel.call(t, h, self.run_record))

    def rate(self, t: float, y: np.ndarray, slope: np.ndarray) -> int:
        """``slope`` = y'; leaves forces, reactions and matrix of the active contacts."""
        self.evaluations += 1
        return int(motion.rate.call(t, y, slope, self.run_record))

    def attempt(self, t: float, h: float) -> tuple[int, float]:
        """A step of length ``h`` from the present state; its status and error."""
        self.evaluations += DOP853.stages - 1
        status = self._over(steps.attempt, t, h)
        return status, float(self.run_record.step_error)

    def land(self, t: float) -> int:
        """`arrived`: where the last attempt leads, moved onto joints and closed contacts."""
        self.arrived[:] = self.arrays["y_new"]
        return self.hold(t, self.arrived)

    def arrive(self, t: float, h: float) -> int:
        """`arrived`: the state after ``h``, on joints and closed contacts."""
        status, _ = self.attempt(t, h)
        return max(status, self.land(min(t + h, float(self.run_record.t_latest))))

    def hold(self, t: float, y: np.ndarray) -> int:
        return self._at(motion.hold, t, y)

    def extend(self, t: float, h: float) -> None:
        """Make states inside the last attempt known."""
        self.evaluations += len(DOP853.extra_c)
        self._over(steps.extend, t, h)

    def inside(self, theta: float, h: float) -> np.ndarray:
        """The state at fraction ``theta`` of the last attempt."""
        self._over(steps.interpolate, theta, h)
        return self.arrays["y_stage"].copy()

    def start(self, t: float) -> int:
        """Make the present state the one that steps begin with."""
        n = self.n
        largest = self.arrays["error_scale"]
        np.maximum(largest, np.minimum(np.abs(self.y[: 2 * n]), self.cap), out=largest)
        self.evaluations += 1
        return self._at(steps.depart, t, self.y)

    # ---- contacts

    def look(self, t: float, y: np.ndarray) -> None:
        """`gaps` and `speeds` at a state."""
        self._at(motion.look, t, y)

    def scan(self, t: float, h: float) -> int:
        return self._over(watching.scan, t, h)

    def watch(self, t: float, h: float, first: int) -> int:
        self.run_record.first_sample = first
        self.evaluations += watching.SAMPLES
        return self._over(watching.watch, t, h)

    def measure(self, t: float, y: np.ndarray) -> None:
        """Find `margins` at a state."""
        self.evaluations += 1
        self._at(watching.measure, t, y)

    def margins(self) -> tuple[np.ndarray, np.ndarray]:
        """What must not become negative of the active contacts, two numbers each, and what of it is rounding."""
        size = 2 * len(self.active)
        margins = self.arrays["margins"]
        return margins[:size].copy(), margins[size : 2 * size].copy()

    def problem(self) -> tuple[np.ndarray, np.ndarray]:
        """Delassus matrix and dγ/dt without forces of the active contacts, after `rate`."""
        size = len(self.active) * self.dim
        matrix = self.march.problem_arrays["G"][: size * size].reshape(size, size).copy()
        return matrix, self.arrays["gamma_dot_free"][:size].copy()

    def forces(self) -> np.ndarray:
        """λ of every contact, after `rate`, a row each [N]."""
        result = np.zeros((self.count, self.dim))
        active = self.active
        result[active] = self.arrays["lam"][: len(active) * self.dim].reshape(-1, self.dim)
        return result
