"""A model's compiled functions as Python calls, for analyses that work a state at a time."""

from __future__ import annotations

import ctypes
from copy import copy
from typing import Any

import numpy as np

from carom.argument_checks import short_repr
from carom.compiled_model.linear_solver import DENSE_RANKED, EPSILON, SWEEPS, use_independent_rows, use_least_norm
from carom.compiled_model.mutable_state import twin
from carom.compiled_model.system_data import SystemData
from carom.errors import ModelError
from carom.mechanics import equations_of_motion as equations
from carom.mechanics import model_record as slot
from carom.mechanics import spatial_body
from carom.mechanics.contact_records import SEPARATED
from carom.model.body import Body
from carom.model.system import System

LARGE = 400
"""Constraint equations above which analyses use sparse matrices."""

_REAL = ctypes.POINTER(ctypes.c_double)
_WHOLE = ctypes.POINTER(ctypes.c_int64)


def _real(array: np.ndarray) -> Any:
    return array.ctypes.data_as(_REAL)


class ModelEvaluator:
    """Tables of a system, and the questions an analysis asks of them."""

    def __init__(self, system: System, analysis: str = "analysis", rigid: bool = False):
        if not isinstance(system, System):
            raise ModelError(f"{analysis}: expected a System, got {short_repr(system)}")
        self.system = system
        self.tables = SystemData(system, rigid)
        for kernel in self.tables.user_kernels:
            kernel.forget()  # what it may have raised in an earlier run
        self.n = self.tables.n_velocities
        self.m = self.tables.n_constraints
        self.controlled = 2 * self.n + int(self.tables.model.n_extra_states)  # what an integrator's error counts
        self.redundant = False
        self.now = 0.0  # the time at which analyses of a system at rest look at it

    def twin(self) -> ModelEvaluator:
        """The same mechanism with arrays of its own: evaluations of one do not disturb the other."""
        other = copy(self)
        other.tables = twin(self.tables)
        return other

    def require_laws(self, analysis: str) -> None:
        """For analyses that need the forces of contacts."""
        for group in self.system.groups:
            raise ModelError(
                f"{analysis}: {group.label} has {group.count} pairs; only simulate knows groups of more than 300"
            )
        for contact in self.tables.contacts:
            if contact.law is None:
                raise ModelError(f"{analysis}: {contact.label} has no law; give it law= for compliant analyses")

    def rate(self, t: float, y: np.ndarray) -> tuple[np.ndarray, int]:
        """y' = f(t, y), and the status of the factorisation; raises what a user's function raised."""
        answer = self.evaluate(t, y)
        error = self.user_error()
        if error is not None:
            raise error
        return answer

    def rate_without_contacts(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return y' = f(t, y) as if no contact pressed; what contacts remember is left as it was."""
        modes = self.tables["contact_history"]["mode"]
        before = modes.copy()
        modes[:] = SEPARATED
        slope, _ = self.rate(t, y)
        modes[:] = before
        return slope

    def evaluate(self, t: float, y: np.ndarray) -> tuple[np.ndarray, int]:
        """The same, errors of users' functions left to `user_error`."""
        ydot = np.zeros_like(y)
        return ydot, equations.rate.call(t, y, ydot, self.tables.model)

    def project(self, t: float, y: np.ndarray) -> int:
        """Move ``y`` onto the constraints, from close by."""
        return int(equations.project.call(t, y, self.tables.model))

    def assemble(self, t: float, y: np.ndarray) -> int:
        """Move ``y`` onto the constraints, from afar."""
        return int(equations.assemble.call(t, y, self.tables.model))

    def absorb(self, y: np.ndarray) -> None:
        """Corrections of the coordinates of spatial bodies become part of their orientation."""
        if self.tables.kind.n_orientation:
            spatial_body.update_orientation.call(y, self.tables.model)

    def rows(self, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Φ, ν and γ at (t, y)."""
        self.rate(t, y)
        return tuple(self.tables[place][: self.m].copy() for place in ("Phi", "nu", "gamma_c"))  # type: ignore[return-value]

    def _entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, columns and values of Φ_q in the last evaluation."""
        blocks, three = self.tables["jacobian_blocks"], np.arange(slot.TRIPLE)
        rows = np.repeat(blocks["row"], slot.TRIPLE)
        columns = (blocks["velocity_index"][:, None] + three).ravel()
        return rows, columns, self.tables["Phi_q"][(blocks["jacobian_offset"][:, None] + three).ravel()]

    def jacobian(self, t: float, y: np.ndarray) -> Any:
        """Φ_q as a SciPy sparse matrix."""
        from scipy.sparse import csr_array

        self.rate(t, y)
        rows, columns, values = self._entries()
        return csr_array((values, (rows, columns)), shape=(self.m, self.n))

    def dense_jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """Φ_q as an array."""
        self.rate(t, y)
        rows, columns, values = self._entries()
        matrix = np.zeros((self.m, self.n))
        matrix[rows, columns] = values
        return matrix

    def matrix(self, t: float, y: np.ndarray) -> Any:
        """Φ_q in the form that suits its size."""
        return self.jacobian(t, y) if self.large else self.dense_jacobian(t, y)

    @property
    def large(self) -> bool:
        """Whether dense linear algebra outside compiled code would take long."""
        return self.m > LARGE

    def set_redundant(self, rank: int) -> None:
        """Only ``rank`` of the rows are independent."""
        self.redundant = True
        if self.m <= DENSE_RANKED and np.all(self.mass > 0.0):
            use_independent_rows(self.tables, rank)
        else:
            self.tables.regularise(EPSILON, SWEEPS)

    def prepare_reactions(self) -> None:
        """From here on, evaluations give the multipliers of least norm."""
        if self.redundant and np.all(self.mass > 0.0):
            use_least_norm(self.tables)

    def multipliers(self) -> np.ndarray:
        """λ of the last evaluation."""
        return self.tables["lam"][: self.m].copy()

    def weakest(self, t: float, y: np.ndarray) -> float:
        """Smallest pivot of the factorisation at (t, y), in units of its row: 1 where no row depends on another."""
        status = self.rate(t, y)[1]
        return float(self.tables.settings.min_pivot_ratio) if self.m and status == slot.OK else float(not self.m)

    def indentations(self, y: np.ndarray) -> np.ndarray:
        """Of every contact in state ``y`` [m]; negative where it is open."""
        if not self.tables.contacts:
            return np.zeros(0)
        self.rate(self.now, y)
        return self.tables["contact_state"]["indentation"][: len(self.tables.contacts)].copy()

    def rounding(self, y: np.ndarray) -> float:
        """What rounding of the coordinates may make of the contact forces in the last evaluation [N]."""
        seen = self.tables["contact_state"][: len(self.tables.contacts)]
        touching = seen[seen["indentation"] > 0.0]
        stiffest = np.max(touching["normal_force"] / touching["indentation"], initial=0.0)
        return float(2.0 * stiffest * np.spacing(np.abs(y[: self.n]).max()))

    def largest_force(self) -> float:
        """Largest component of weight, of a force element, of a contact or of a multiplier, in the last evaluation."""
        tables = self.tables
        width = tables.kind.n_velocities
        sizes = [tables["gravity_force"], tables["lam"][: self.m]]
        for entry in tables["forces"]:
            first = entry["output_offset"]
            sizes.append(tables["element_output"][first : first + width * entry["n_bodies"]])
        sizes.append(tables["contact_state"]["normal_force"][: len(tables.contacts)])
        return float(np.abs(np.concatenate(sizes)).max(initial=0.0))

    @property
    def angles(self) -> np.ndarray:
        """Which coordinates are angles, not lengths."""
        return np.arange(self.n) % self.tables.kind.n_velocities >= self.system.dim

    def body(self, place: int) -> Body:
        """The body that a velocity belongs to."""
        return self.system.bodies[place // self.tables.kind.n_velocities]

    @property
    def mass(self) -> np.ndarray:
        return self.tables["mass"]

    def owner(self, row: int) -> str:
        return self.tables.row_owner(row).name or "joint"

    def owners(self, rows: Any) -> list[str]:
        """Names of the joints that own ``rows``, each once, in order."""
        return list(dict.fromkeys(self.owner(int(row)) for row in rows))

    def user_error(self) -> BaseException | None:
        """What a user's function raised inside compiled code, if one did; it says whose function it was."""
        for kernel in self.tables.user_kernels:
            error = kernel.error
            if error is not None:
                kernel.forget()
                error.add_note(f"raised in a function of {kernel.owner}")
                return error
        return None
