"""CVODE with a compiled right-hand side, one internal step or interpolation per call.

The library is called directly. Where it cannot be reached, the Python interface of scikit-sundae does the same, with a
call of Python per evaluation; both give the same bits.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from carom.kernels.interpreted import Row
from carom.solve.compliant.cvode_rhs import array_jacobian, array_rhs, vector_jacobian, vector_rhs
from carom.solve.compliant.sundials_library import SundialsLibrary, sundials_library

ADAMS, BDF = "adams", "bdf"
METHODS = {ADAMS: 1, BDF: 2}
"""Codes of the multistep methods in CVODE."""
MAX_ORDER = {ADAMS: 12, BDF: 5}
NORMAL, ONE_STEP = 1, 2
"""Tasks of CVODE: interpolate at a time; take one internal step towards it."""
MAX_STEPS = 100_000
"""Internal steps in one call."""
MAX_NONLINEAR_ITERATIONS, MAX_CONVERGENCE_FAILURES = 3, 10
"""Per step; the default of CVODE."""


@dataclass(frozen=True)
class CvodeOptions:
    """Settings of CVODE."""

    method: str
    rtol: float  # [-]
    atol: np.ndarray
    first_step: float  # [s]; 0: chosen by CVODE
    min_step: float  # [s]
    max_step: float  # [s]


class CvodeStep(NamedTuple):
    """State after a call of CVODE."""

    success: bool
    t: float  # [s]
    y: np.ndarray


class CvodeSolver(Protocol):
    """CVODE for a right-hand side and its options."""

    def restart(self, t: float, y: np.ndarray) -> None:
        """Start at ``y`` without a past."""

    def step(self, t: float, task: int, stop: float) -> CvodeStep:
        """Take a step towards ``t`` [s] or interpolate at it; a ``stop`` [s] that is not NaN is not passed."""


def cvode_solver(rhs: Row, options: CvodeOptions) -> CvodeSolver:
    """Return CVODE for a record `RHS`, which must stay alive."""
    library = sundials_library()
    return ScikitSundaeSolver(rhs, options) if library is None else DirectSolver(library, rhs, options)


class DirectSolver:
    """CVODE called through ctypes; it calls the compiled right-hand side by its address."""

    def __init__(self, library: SundialsLibrary, rhs: Row, options: CvodeOptions):
        self.library, self.rhs = library, rhs
        self.kernel = vector_rhs  # keeps the machine code alive
        rhs.array_pointer_function = library.address("N_VGetArrayPointer")
        self.context = ctypes.c_void_p()
        check("SUNContext_Create", library.SUNContext_Create(0, ctypes.byref(self.context)))
        library.SUNContext_ClearErrHandlers(self.context)  # failures are reported by the outcome of the run
        size = len(options.atol)
        self.y_vector, self.y = self.new_vector(size)
        atol_vector, atol = self.new_vector(size)
        atol[:] = options.atol
        self.memory = ctypes.c_void_p(library.CVodeCreate(METHODS[options.method], self.context))
        check("CVodeSetUserData", library.CVodeSetUserData(self.memory, rhs._address))
        check("CVodeInit", library.CVodeInit(self.memory, vector_rhs.address, 0.0, self.y_vector))
        check("CVodeSVtolerances", library.CVodeSVtolerances(self.memory, options.rtol, atol_vector))
        matrix = library.SUNDenseMatrix(size, size, self.context)
        linear_solver = library.SUNLinSol_Dense(self.y_vector, matrix, self.context)
        check("CVodeSetLinearSolver", library.CVodeSetLinearSolver(self.memory, linear_solver, matrix))
        if rhs.implicit_solver:
            self.jacobian_kernel = vector_jacobian
            rhs.matrix_data_function = library.address("SUNDenseMatrix_Data")
            check("CVodeSetJacFn", library.CVodeSetJacFn(self.memory, vector_jacobian.address))
        for name, value in (
            ("CVodeSetMaxNonlinIters", MAX_NONLINEAR_ITERATIONS),
            ("CVodeSetMaxConvFails", MAX_CONVERGENCE_FAILURES),
            ("CVodeSetInitStep", options.first_step),
            ("CVodeSetMinStep", options.min_step),
            ("CVodeSetMaxStep", options.max_step),
            ("CVodeSetMaxOrd", MAX_ORDER[options.method]),
            ("CVodeSetMaxNumSteps", MAX_STEPS),
        ):
            check(name, getattr(library, name)(self.memory, value))
        self.t = ctypes.c_double()
        vectors = (self.y_vector, atol_vector)
        weakref.finalize(self, free, library, self.memory, linear_solver, matrix, vectors, self.context)

    def new_vector(self, size: int) -> tuple[int, np.ndarray]:
        """Return a vector of SUNDIALS and its numbers."""
        vector = self.library.N_VNew_Serial(size, self.context)
        numbers = (ctypes.c_double * size).from_address(self.library.N_VGetArrayPointer(vector))
        return vector, np.ctypeslib.as_array(numbers)

    def connect(self, loop: Row) -> None:
        """Let the compiled loop `carom.solve.compliant.cvode_steps` call the library."""
        loop.solver, loop.y_vector, loop.y = self.memory.value, self.y_vector, self.y.ctypes.data
        loop.t_reached = ctypes.addressof(self.t)
        loop.step_function = self.library.address("CVode")
        loop.set_stop_function = self.library.address("CVodeSetStopTime")
        loop.clear_stop_function = self.library.address("CVodeClearStopTime")

    def restart(self, t: float, y: np.ndarray) -> None:
        """Restart the integration at a state."""
        self.y[:] = y
        check("CVodeReInit", self.library.CVodeReInit(self.memory, t, self.y_vector))

    def step(self, t: float, task: int, stop: float) -> CvodeStep:
        """Integrate to ``t``, or by one step, not beyond ``stop`` [s]."""
        library = self.library
        if not math.isnan(stop):
            check("CVodeSetStopTime", library.CVodeSetStopTime(self.memory, stop))
        status = library.CVode(self.memory, t, self.y_vector, self.t, task)
        library.CVodeClearStopTime(self.memory)
        return CvodeStep(status >= 0, self.t.value, self.y.copy())


def check(name: str, status: int) -> None:
    """Raise if a function of SUNDIALS failed."""
    if status < 0:
        raise RuntimeError(f"SUNDIALS: {name} failed with status {status}")


def free(
    library: SundialsLibrary,
    memory: ctypes.c_void_p,
    linear_solver: int,
    matrix: int,
    vectors: tuple[int, ...],
    context: ctypes.c_void_p,
) -> None:
    """Free the memory of a solver; the context is used by all others, so it is the last."""
    library.CVodeFree(memory)
    library.SUNLinSolFree(linear_solver)
    library.SUNMatDestroy(matrix)
    for vector in vectors:
        library.N_VDestroy(vector)
    library.SUNContext_Free(context)


class ScikitSundaeSolver:
    """CVODE called through scikit-sundae, for platforms where the library cannot be reached."""

    def __init__(self, rhs: Row, options: CvodeOptions):
        from sksundae.cvode import CVODE

        def evaluate(t: float, y: np.ndarray, ydot: np.ndarray) -> None:
            if array_rhs.call(t, y, ydot, rhs) < 0:
                raise StopIteration

        def jacobian(t: float, y: np.ndarray, ydot: np.ndarray, matrix: np.ndarray) -> None:
            columns = np.zeros_like(matrix)
            if array_jacobian.call(t, y, columns, rhs) < 0:
                raise StopIteration
            matrix[...] = columns.T

        self.solver = CVODE(
            evaluate,
            jacfn=jacobian if rhs.implicit_solver else None,
            method=options.method,
            rtol=options.rtol,
            atol=options.atol,
            first_step=options.first_step,
            min_step=options.min_step,
            max_step=options.max_step,
            max_num_steps=MAX_STEPS,
        )

    def restart(self, t: float, y: np.ndarray) -> None:
        """Restart the integration at a state."""
        self.solver.init_step(t, y)

    def step(self, t: float, task: int, stop: float) -> CvodeStep:
        """Integrate to ``t``, or by one step, not beyond ``stop`` [s]."""
        method = "onestep" if task == ONE_STEP else "normal"
        try:
            result = self.solver.step(t, method=method, tstop=None if math.isnan(stop) else stop)
        except StopIteration:
            return CvodeStep(False, math.nan, np.zeros(0))
        return CvodeStep(bool(result.success), float(np.ravel(result.t)[-1]), np.array(result.y, float).ravel())
