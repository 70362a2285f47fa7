"""The compiled side of an event-driven run as Python calls: steps, states inside them, contacts."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.kernels.background_compilation import compile_ahead
from carom.solve.compliant.dop853 import DOP853
from carom.solve.nonsmooth import desk
from carom.solve.nonsmooth import problem as of
from carom.solve.nonsmooth.events import rate as motion
from carom.solve.nonsmooth.events import step as steps
from carom.solve.nonsmooth.events import table as at
from carom.solve.nonsmooth.events import watching
from carom.solve.nonsmooth.events.bias import LONGEST_SHIFT
from carom.solve.nonsmooth.march import March

REAL, WHOLE = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int64)
ADDED = 3
"""Quadratures of the ledger behind (q, u); two losses and the normal impulse of each contact follow."""


class Flight:
    """The state of a run, and what may become of it until the next event."""

    def __init__(self, march: March, rtol: float, atol: float):
        model = march.model
        self.march = march
        self.n, self.m, self.count, self.dim = model.velocities, model.rows, len(model.names), model.dim
        n, count, dim = self.n, self.count, self.dim
        size = 2 * n + ADDED + 3 * count
        rows = max(count * dim, 1)
        self.size = size
        self.table = np.zeros(at.SIZE, np.int64)
        self.arrays: dict[int, np.ndarray] = {}
        stages, extra = DOP853.stages, len(DOP853.extra_c)
        self.table[[at.STATES, at.STAGES, at.EXTRA]] = size, stages, extra
        self.table[at.DENSE_ORDER] = DOP853.dense.shape[1]
        self.table[at.DESK] = march.desk.ctypes.data
        compile_ahead([motion.hold, motion.look, watching.scan])
        self.table[at.RATE] = motion.rate.address
        assert DOP853.error is not None
        assert DOP853.error_3 is not None
        for place, array in {
            at.A: DOP853.a, at.C: DOP853.c, at.ERROR: DOP853.error, at.ERROR_3: DOP853.error_3,
            at.EXTRA_A: DOP853.extra_a, at.EXTRA_C: DOP853.extra_c, at.DENSE: DOP853.dense,
            at.Y: np.zeros(size), at.K: np.zeros((stages + extra, size)), at.NEW: np.zeros(size),
            at.TRIAL: np.zeros(size), at.SLOPE: np.zeros(size), at.LARGEST: np.zeros(2 * n),
            at.NUMBERS: np.zeros(at.NUMBER_COUNT), at.MODES: np.zeros(count + 1, np.int64),
            at.FORCES: np.zeros(rows), at.BIAS: np.zeros(rows), at.FREE_RATES: np.zeros(rows),
            at.SYSTEM: np.zeros(rows**2), at.FACTORS: np.zeros(rows**2 + 3 * rows),
            at.ROWS_OF_SYSTEM: np.zeros(2 * rows, np.int64), at.SHIFTED: np.zeros(2 * n),
            at.GAPS: np.zeros(count + 1), at.SPEEDS: np.zeros(rows), at.BOUNDS: np.zeros(count + 1),
            at.FASTEST: np.zeros(count + 1), at.MEMO: np.zeros((count + 1) * at.MEMO_SIZE),
            at.MARGINS: np.zeros(4 * count + 1),
        }.items():  # fmt: skip
            self.put(place, array)
        self.numbers[[at.RTOL, at.ATOL]] = rtol, atol
        self.numbers[at.SHIFT_TIME] = LONGEST_SHIFT
        self.y[: 2 * n] = model.start
        self.gaps, self.fastest = self.arrays[at.GAPS][:count], self.arrays[at.FASTEST][:count]
        self.speeds = self.arrays[at.SPEEDS][: count * dim].reshape(count, dim)
        self.arrived = np.zeros(size)
        self.evaluations = 0
        self._table = self.table.ctypes.data_as(WHOLE)
        self.kernels = {
            kernel: kernel.compiled.ctypes
            for kernel in (steps.depart, steps.attempt, steps.extend, steps.interpolate, motion.rate, motion.hold,
                           motion.look, watching.scan, watching.watch, watching.measure)
        }  # fmt: skip
        self.cap = np.full(2 * n, math.inf)
        self.cap[:n] = 1.0  # a coordinate counts no more than a metre or radian, however far it went

    def put(self, place: int, array: np.ndarray) -> None:
        self.arrays[place] = array = np.ascontiguousarray(array)
        self.table[place] = array.ctypes.data

    @property
    def y(self) -> np.ndarray:
        """The present state."""
        return self.arrays[at.Y]

    @property
    def numbers(self) -> np.ndarray:
        return self.arrays[at.NUMBERS]

    @property
    def modes(self) -> np.ndarray:
        """Of every contact."""
        return self.arrays[at.MODES][: self.count]

    @property
    def active(self) -> np.ndarray:
        """Contacts whose forces and directions are found."""
        return self.march.arrays[desk.ACTIVE][: self.march.desk[desk.ACTIVE_COUNT]]

    def set_active(self, contacts: Sequence[int]) -> None:
        if len(contacts) > self.march.desk[desk.ROOM]:
            self.march.make_room(len(contacts))
        self.march.arrays[desk.ACTIVE][: len(contacts)] = contacts
        self.march.desk[desk.ACTIVE_COUNT] = len(contacts)

    # ---- motion

    def _at(self, kernel: Any, t: float, y: np.ndarray) -> int:
        return int(self.kernels[kernel](t, y.ctypes.data_as(REAL), self._table))

    def _over(self, kernel: Any, t: float, h: float) -> int:
        return int(self.kernels[kernel](t, h, self._table))

    def rate(self, t: float, y: np.ndarray, slope: np.ndarray) -> int:
        """``slope`` = y'; leaves forces, reactions and matrix of the active contacts."""
        self.evaluations += 1
        return int(self.kernels[motion.rate](t, y.ctypes.data_as(REAL), slope.ctypes.data_as(REAL), self._table))

    def attempt(self, t: float, h: float) -> tuple[int, float]:
        """A step of length ``h`` from the present state; its status and error."""
        self.evaluations += DOP853.stages - 1
        status = self._over(steps.attempt, t, h)
        return status, float(self.numbers[at.STEP_ERROR])

    def land(self, t: float) -> int:
        """`arrived`: where the last attempt leads, moved onto joints and closed contacts."""
        self.arrived[:] = self.arrays[at.NEW]
        return self.hold(t, self.arrived)

    def arrive(self, t: float, h: float) -> int:
        """`arrived`: the state after ``h``, on joints and closed contacts."""
        status, _ = self.attempt(t, h)
        return max(status, self.land(min(t + h, float(self.numbers[at.LATEST]))))

    def hold(self, t: float, y: np.ndarray) -> int:
        return self._at(motion.hold, t, y)

    def extend(self, t: float, h: float) -> None:
        """Make states inside the last attempt known."""
        self.evaluations += len(DOP853.extra_c)
        self._over(steps.extend, t, h)

    def inside(self, theta: float, h: float) -> np.ndarray:
        """The state at fraction ``theta`` of the last attempt."""
        self._over(steps.interpolate, theta, h)
        return self.arrays[at.TRIAL].copy()

    def start(self, t: float) -> int:
        """Make the present state the one that steps begin with."""
        n = self.n
        largest = self.arrays[at.LARGEST]
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
        self.numbers[at.SAMPLE] = first
        self.evaluations += watching.SAMPLES
        return self._over(watching.watch, t, h)

    def measure(self, t: float, y: np.ndarray) -> None:
        """Find `margins` at a state."""
        self.evaluations += 1
        self._at(watching.measure, t, y)

    def margins(self) -> tuple[np.ndarray, np.ndarray]:
        """What must not become negative of the active contacts, two numbers each, and what of it is rounding."""
        size = 2 * len(self.active)
        margins = self.arrays[at.MARGINS]
        return margins[:size].copy(), margins[size : 2 * size].copy()

    def problem(self) -> tuple[np.ndarray, np.ndarray]:
        """Delassus matrix and dγ/dt without forces of the active contacts, after `rate`."""
        size = len(self.active) * self.dim
        matrix = self.march.problem_arrays[of.MATRIX][: size * size].reshape(size, size).copy()
        return matrix, self.arrays[at.FREE_RATES][:size].copy()

    def forces(self) -> np.ndarray:
        """λ of every contact, after `rate`, a row each [N]."""
        result = np.zeros((self.count, self.dim))
        active = self.active
        result[active] = self.arrays[at.FORCES][: len(active) * self.dim].reshape(-1, self.dim)
        return result
