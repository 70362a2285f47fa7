"""Compiled functions of a model as Python calls, for analyses that evaluate one state at a time."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from carom.argument_checks import short_repr
from carom.compiled_model.linear_solver import use_least_norm
from carom.compiled_model.mutable_state import copy_data
from carom.compiled_model.system_data import SystemData
from carom.errors import ModelError
from carom.mechanics import equations_of_motion as equations
from carom.mechanics import spatial_body
from carom.mechanics.contact_records import SEPARATED
from carom.mechanics.model_record import OK, TRIPLE
from carom.model.body import Body
from carom.model.system import System
from carom.solve.many_body_support import refuse_boundaries

LARGE = 400
"""Number of constraint equations above which analyses use sparse matrices."""


class ModelEvaluator:
    """Compiled form of a system with its kernels as methods.

    ``n`` is the number of velocities, ``m`` that of constraint equations, ``controlled`` the number of states in the
    error norm of integrators, and ``now`` the time of analyses of a system at rest [s].
    """

    def __init__(self, system: System, analysis: str = "analysis", rigid: bool = False, with_laws: bool = False):
        if not isinstance(system, System):
            raise ModelError(f"{analysis}: expected a System, got {short_repr(system)}")
        self.system = system
        self.tables = SystemData(system, rigid, with_laws)
        for kernel in self.tables.user_kernels:
            kernel.forget()  # an exception of an earlier run
        self.n = self.tables.n_velocities
        self.m = self.tables.n_constraints
        self.controlled = 2 * self.n + int(self.tables.model.n_extra_states)
        self.now = 0.0

    def copy(self) -> ModelEvaluator:
        """Return an evaluator of the same model with its own arrays."""
        other = copy(self)
        other.tables = copy_data(self.tables)
        return other

    def require_laws(self, analysis: str) -> None:
        """Raise unless all contacts have forces that the analysis supports."""
        refuse_boundaries(self.system, analysis)
        for group in self.system.groups:
            raise ModelError(
                f"{analysis}: {group.label} has {group.count} pairs, which exceeds the limit of 300; use simulate, "
                "where bodies come to rest, or groups of up to 300 pairs"
            )
        for contact in self.tables.contacts:
            if contact.law is None and contact.needs_law:
                raise ModelError(f"{analysis}: {contact.label}: no contact law; set law= for compliant contact")

    # ---- evaluation at a state

    def rate(self, t: float, y: np.ndarray) -> tuple[np.ndarray, int]:
        """Return y' = f(t, y) and the `Status` of the factorisation; raise the exception of a user's function."""
        ydot, status = self.evaluate(t, y)
        error = self.user_error()
        if error is not None:
            raise error
        return ydot, status

    def evaluate(self, t: float, y: np.ndarray) -> tuple[np.ndarray, int]:
        """Return y' = f(t, y) and the `Status` of the factorisation; exceptions are left to `user_error`."""
        ydot = np.zeros_like(y)
        return ydot, equations.rhs.call(t, y, ydot, self.tables.model)

    def rate_without_contacts(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return y' = f(t, y) without contact forces; the history of the contacts is not changed."""
        modes = self.tables["contact_history"]["mode"]
        before = modes.copy()
        modes[:] = SEPARATED
        ydot, _ = self.rate(t, y)
        modes[:] = before
        return ydot

    def project(self, t: float, y: np.ndarray) -> int:
        """Project ``y`` onto the constraints from a state close to them; return a `Status`."""
        return int(equations.project.call(t, y, self.tables.model))

    def assemble(self, t: float, y: np.ndarray) -> int:
        """Project ``y`` onto the constraints from any state; return a `Status`."""
        return int(equations.assemble.call(t, y, self.tables.model))

    def update_orientation(self, y: np.ndarray) -> None:
        """Move the rotation vectors of spatial bodies into their quaternions."""
        if self.tables.kind.n_orientation:
            spatial_body.update_orientation.call(y, self.tables.model)

    # ---- constraints

    def rows(self, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return Φ, ν and γ of the constraints at (t, y)."""
        self.rate(t, y)
        return tuple(self.tables[field][: self.m].copy() for field in ("Phi", "nu", "gamma_c"))  # type: ignore[return-value]

    def _entries(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rows, columns and values of Φ_q at the last evaluation."""
        blocks, in_block = self.tables["jacobian_blocks"], np.arange(TRIPLE)
        rows = np.repeat(blocks["row"], TRIPLE)
        columns = (blocks["velocity_index"][:, None] + in_block).ravel()
        return rows, columns, self.tables["Phi_q"][(blocks["jacobian_offset"][:, None] + in_block).ravel()]

    def jacobian(self, t: float, y: np.ndarray) -> Any:
        """Return Φ_q as a SciPy sparse matrix."""
        from scipy.sparse import csr_array

        self.rate(t, y)
        rows, columns, values = self._entries()
        return csr_array((values, (rows, columns)), shape=(self.m, self.n))

    def dense_jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return Φ_q as an array."""
        self.rate(t, y)
        rows, columns, values = self._entries()
        matrix = np.zeros((self.m, self.n))
        matrix[rows, columns] = values
        return matrix

    def matrix(self, t: float, y: np.ndarray) -> Any:
        """Return Φ_q as a sparse matrix for large systems, else as an array."""
        return self.jacobian(t, y) if self.large else self.dense_jacobian(t, y)

    @property
    def large(self) -> bool:
        """True if dense linear algebra outside compiled code would be slow."""
        return self.m > LARGE

    @property
    def redundant(self) -> bool:
        """True if the constraint equations depend on each other."""
        return self.tables.has_redundant_constraints

    def set_redundant(self, rank: int) -> None:
        """Set the number of independent constraint equations."""
        self.tables.use_rank(rank)

    def prepare_reactions(self) -> None:
        """Make evaluations return the multipliers of least norm."""
        if self.redundant and np.all(self.mass > 0.0):
            use_least_norm(self.tables)

    def multipliers(self) -> np.ndarray:
        """Return λ of the last evaluation."""
        return self.tables["lam"][: self.m].copy()

    def min_pivot_ratio(self, t: float, y: np.ndarray) -> float:
        """Return the smallest pivot of the factorisation at (t, y) relative to its row [-]; 1 for decoupled rows."""
        status = self.rate(t, y)[1]
        return float(self.tables.settings.min_pivot_ratio) if self.m and status == OK else float(not self.m)

    # ---- forces

    def indentations(self, y: np.ndarray) -> np.ndarray:
        """Return the indentation of every contact at rest in state ``y`` [m]; negative where it is open."""
        if not self.tables.contacts:
            return np.zeros(0)
        self.rate(self.now, y)
        return self.tables["contact_state"]["indentation"][: len(self.tables.contacts)].copy()

    def rounding(self, y: np.ndarray) -> float:
        """Return the error of the contact forces at the last evaluation by rounding of the coordinates [N]."""
        states = self.tables["contact_state"][: len(self.tables.contacts)]
        touching = states[states["indentation"] > 0.0]
        max_stiffness = np.max(touching["normal_force"] / touching["indentation"], initial=0.0)
        return float(2.0 * max_stiffness * np.spacing(np.abs(y[: self.n]).max()))

    def largest_force(self) -> float:
        """Return the largest component of gravity, forces, contact forces and multipliers at the last evaluation."""
        data = self.tables
        forces = [data["gravity_force"], data["lam"][: self.m]]
        for entry in data["forces"]:
            first = entry["output_offset"]
            forces.append(data["element_output"][first : first + data.kind.n_velocities * entry["n_bodies"]])
        forces.append(data["contact_state"]["normal_force"][: len(data.contacts)])
        return float(np.abs(np.concatenate(forces)).max(initial=0.0))

    # ---- velocities, bodies and joints

    @property
    def angles(self) -> np.ndarray:
        """True for each coordinate that is an angle."""
        return np.arange(self.n) % self.tables.kind.n_velocities >= self.system.dim

    def body(self, velocity_index: int) -> Body:
        """Return the body of a velocity."""
        return self.system.bodies[velocity_index // self.tables.kind.n_velocities]

    @property
    def mass(self) -> np.ndarray:
        """Diagonal of the mass matrix [kg, kg m²]."""
        return self.tables["mass"]

    def owner(self, row: int) -> str:
        """Return the name of the joint of a constraint equation."""
        return self.tables.row_owner(row).name or "joint"

    def owners(self, rows: Any) -> list[str]:
        """Return the names of the joints of constraint equations, each once, in order."""
        return list(dict.fromkeys(self.owner(int(row)) for row in rows))

    def user_error(self) -> BaseException | None:
        """Return the exception of a user's function in compiled code, with a note on its owner, or None."""
        return self.tables.user_error()
