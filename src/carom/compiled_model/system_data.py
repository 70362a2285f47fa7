"""Compiled form of a System: the arrays and kernel addresses that compiled code reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from carom.compiled_model.body_kind import KINDS
from carom.compiled_model.contact_table import set_contacts
from carom.compiled_model.linear_solver import choose_solver, use_rank
from carom.compiled_model.model_data import ModelData, take_user_error
from carom.compiled_model.model_inputs import ModelInputs
from carom.compiled_model.model_wear import ModelWear, WearState
from carom.compiled_model.output_columns import OutputLayout, output_point
from carom.compiled_model.stiff_stops import set_stiff_stops
from carom.errors import ModelError
from carom.forces.base import Force
from carom.geometry.element import Element
from carom.joints.base import Joint
from carom.joints.prescribed_motion import ConstantSpeed
from carom.kernels import MOTION
from carom.kernels.argument_types import c_function
from carom.mechanics import equations_of_motion as equations
from carom.mechanics import spatial_body, stepping
from carom.mechanics.element_output import MOTION_OUTPUT, N_FORCE_OUTPUT
from carom.mechanics.model_record import (
    CONTACT_LOSS,
    FORCE_ELEMENT,
    JACOBIAN_BLOCK,
    JOINT_ELEMENT,
    QUADRATURES,
    SETTINGS,
    TRIPLE,
)
from carom.model.compound import Compound
from carom.model.contact import Contact
from carom.model.joint_friction import JointFriction
from carom.model.system import System

WORKSPACE_SIZE = 64
"""Numbers at the start of ``element_output`` that every model has, for motions and coordinates."""


class SystemData(ModelData):
    """Compiled form of a System; ``model`` is the record that kernels receive.

    With ``rigid``, contacts are gaps without forces, for non-smooth methods, and y ends with the multipliers of the
    joints. ``has_redundant_constraints`` is set by an analysis of the rows, see `use_rank`.
    """

    def __init__(self, system: System, rigid: bool = False, with_laws: bool = False):
        if not system.bodies:
            raise ModelError(f"System {system.name!r} has no body; add one with system.add(Body(...))")
        self.system = system
        self.rigid, self.with_laws = rigid, with_laws or not rigid
        self.has_redundant_constraints = False
        super().__init__()
        self.kind = KINDS[system.dim]
        self.record_offsets = {id(system.ground): 0, id(None): 0}
        self.record_offsets |= {id(body): (k + 1) * self.kind.record_size for k, body in enumerate(system.bodies)}
        names = ["ground", *(body.name for body in system.bodies)]
        inputs = [(u.name, input_dtype(self.kind.record_size)) for u in system.inputs]
        self.body_dtype = np.dtype([*((name, self.kind.body_dtype) for name in names), *inputs])
        self.n_velocities = self.kind.n_velocities * len(system.bodies)
        self.kind.set_kernels(self)
        self.joints: list[Joint] = list(system.joints)
        self.forces: list[Force] = list(system.forces)
        # Friction of joints comes last.
        self.contacts: list[Contact] = sorted(system.contacts, key=lambda contact: isinstance(contact, JointFriction))
        self.compounds: list[Compound | Contact] = list(system.compounds)
        self.elements: list[Element] = [*self.joints, *self.forces, *self.contacts, *self.compounds]
        self._set_initial_state()
        self._body_offsets: list[int] = []
        self._velocity_indices: list[int] = []
        self._params: list[float] = []
        self._set_elements()
        set_contacts(self)
        self._set_masses()
        self._set_jacobian_blocks()
        self.output = OutputLayout(self)
        joint_points = [output_point(joint) for joint in self.joints]
        self.joint_points = np.array(joint_points, float).reshape(-1, system.dim)
        self._allocate_workspace()
        self.set_array("settings", SETTINGS.zeros())
        self.settings.proximal_iterations, self.settings.min_pivot_ratio = 1, 1.0
        self._set_motion_parameters()
        choose_solver(self)
        set_stiff_stops(self)
        self.input_state: np.ndarray | None = None
        self.input_values: list[float] | None = None
        self.inputs = ModelInputs(self) if system.inputs else None
        self.wear_state: WearState | None = None
        self.wear = ModelWear(self) if any(contact.wear is not None for contact in self.contacts) else None

    # ---- state vector

    def _set_initial_state(self) -> None:
        """Set y0 and the sizes of its parts: coordinates, velocities, extra states, quadratures, multipliers."""
        parts = [self.kind.initial_values(body) for body in self.system.bodies]
        q, v, orientation = ([value for part in parts for value in part[k]] for k in range(3))
        self.n_orientation = len(orientation)
        n_laws = sum(contact.friction is not None and contact.friction.has_state for contact in self.contacts)
        n_friction = 0 if self.rigid else self.kind.contact_kernels.FRICTION_STATES * n_laws
        extra = [*orientation, *[0.0] * n_friction]
        n_multipliers = sum(joint.rows for joint in self.joints) if self.rigid else 0
        self.quadrature_offset = 2 * len(q) + len(extra)
        n_quadratures = QUADRATURES.size + CONTACT_LOSS.size * len(self.contacts)
        self.y0 = np.zeros(self.quadrature_offset + n_quadratures + n_multipliers)
        self.y0[: self.quadrature_offset] = [*q, *v, *extra]
        self.size = len(self.y0)
        self.model.n_extra_states = len(extra)
        self.model.n_states = self.size

    def write_back(self, y: np.ndarray) -> None:
        """Set the positions and velocities of the bodies to those of ``y``."""
        n, n_body, n_orientation = self.n_velocities, self.kind.n_velocities, self.kind.n_orientation
        if n_orientation:
            spatial_body.update_orientation.call(y, self.model)
        for k, body in enumerate(self.system.bodies):
            local = slice(n_body * k, n_body * (k + 1))
            orientation = y[2 * n + n_orientation * k : 2 * n + n_orientation * (k + 1)]
            self.kind.write_back(body, y[:n][local], y[n : 2 * n][local], orientation)

    # ---- arrays

    def _set_elements(self) -> None:
        """Set the tables of joints and forces, and the sizes that follow from them."""
        joints = JOINT_ELEMENT.zeros(len(self.joints))
        forces = FORCE_ELEMENT.zeros(len(self.forces))
        row = jacobian_offset = 0
        output_offset = WORKSPACE_SIZE
        for entry, joint in zip(joints, self.joints, strict=True):
            entry["kernel"] = self.address(joint.kernel)
            self._set_common(entry, joint)
            entry["first_row"] = row
            entry["n_rows"] = joint.rows
            entry["jacobian_offset"] = jacobian_offset
            row += joint.rows
            jacobian_offset += joint.rows * len(joint.members) * self.kind.n_velocities
            if joint.motion is not None:
                entry["motion_kernel"] = self.address(joint.motion.compiled(joint.label, self.body_dtype))
                entry["is_angle"] = joint.drives_periodic_angle
        for entry, force in zip(forces, self.forces, strict=True):
            entry["kernel"] = self.address(force.kernel)
            self._set_common(entry, force)
            entry["output_offset"] = output_offset
            output_offset += self.kind.n_velocities * len(force.members) + N_FORCE_OUTPUT + len(force.signals)
            function = force.compiled_function(self.body_dtype)
            self._body_offsets.append(0 if function is None else self.address(function))
            self._velocity_indices.append(-1)
        self.n_constraints = row
        self.jacobian_size = jacobian_offset
        self.output_size = output_offset
        self.set_array("joints", joints)
        self.set_array("forces", forces)
        counts = {"n_bodies": len(self.system.bodies), "n_velocities": self.n_velocities, "n_constraints": row}
        counts |= {"n_joints": len(joints), "n_forces": len(forces)}
        for field, count in counts.items():
            setattr(self.model, field, count)

    def add_parameters(self, values: Iterable[float]) -> int:
        """Append parameters of an element; return their offset."""
        offset = len(self._params)
        self._params += [float(value) for value in values]
        return offset

    def _set_common(self, entry: np.ndarray, element: Element) -> None:
        """Set the fields that joints and forces share: bodies and parameters."""
        entry["first_body"] = len(self._body_offsets)
        entry["n_bodies"] = len(element.members)
        entry["params_offset"] = self.add_parameters(element.parameters)
        self._body_offsets += [self.record_offsets[id(body)] for body in element.members]
        self._velocity_indices += [self.velocity_index(body) for body in element.members]

    def velocity_index(self, body: Any) -> int:
        """Return the index of the first velocity of a body; −1 for the ground."""
        start = self.record_offsets[id(body)]
        return (start // self.kind.record_size - 1) * self.kind.n_velocities if start else -1

    def _set_masses(self) -> None:
        """Set masses, inverse masses and gravity forces."""
        mass = np.array([m for body in self.system.bodies for m in self.kind.mass_diagonal(body)])
        self.mass = mass.copy()  # The solver may add inertia to point masses that nothing rotates.
        self.set_array("mass", mass)
        self.set_array("inverse_mass", np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0))
        gravity = self.system.gravity
        forces = [force for body in self.system.bodies for force in self.kind.gravity_force(body, gravity)]
        self.set_array("gravity_force", np.array(forces))

    def _set_jacobian_blocks(self) -> None:
        """Set the table of 1×3 blocks of Φ_q, one for each moving body of a row in 2D and two in 3D."""
        blocks = []
        triples = range(0, self.kind.n_velocities, TRIPLE)
        first_body = self["joints"]["first_body"].tolist()
        jac = row = 0
        for start, joint in zip(first_body, self.joints, strict=True):
            indices = self._velocity_indices[start : start + len(joint.members)]
            for _ in range(joint.rows):
                for velocity_index in indices:
                    if velocity_index >= 0:
                        blocks += [(row, jac + d, velocity_index + d) for d in triples]
                    jac += self.kind.n_velocities
                row += 1
        self.set_array("jacobian_blocks", np.array(blocks, JACOBIAN_BLOCK.dtype))
        self.model.n_jacobian_blocks = len(blocks)

    def _allocate_workspace(self) -> None:
        """Set the arrays that evaluations write."""
        n, m = self.n_velocities, max(self.n_constraints, 1)
        bodies = np.zeros((len(self.system.bodies) + 1 + len(self.system.inputs), self.kind.record_size))
        bodies[0] = self.kind.ground_record()
        self.set_array("bodies", bodies)
        self.model.input_record_size = self.kind.record_size
        for field in ("Phi", "nu", "gamma_c", "rhs_constraint", "lam", "residual_constraint",
                      "projection_impulses"):  # fmt: skip
            self.set_array(field, np.zeros(m))
        for field in ("rhs_motion", "acceleration", "residual_motion"):
            self.set_array(field, np.zeros(n))
        self.set_array("Phi_q", np.zeros(max(self.jacobian_size, 1)))
        self.set_array("element_output", np.zeros(self.output_size))
        self.set_array("trial_state", np.zeros(self.size))
        self.set_array("force_power", np.zeros(2))

    def _set_motion_parameters(self) -> None:
        """Set the parameters of the motions, which may start from the current value of their coordinate."""
        self.set_array("body_offsets", np.array(self._body_offsets, np.int64))
        self.set_array("velocity_indices", np.array(self._velocity_indices, np.int64))
        self.set_array("params", np.array(self._params, float))
        motion_params: list[float] = []
        for entry, joint in zip(self["joints"], self.joints, strict=True):
            if joint.motion is not None:
                entry["motion_params_offset"] = len(self._params) + len(motion_params)
                params = [float(value) for value in joint.motion.parameters(self.coordinate_at_start(entry))]
                motion_params += params + [0.0] * (2 - len(params))  # `freeze` stores two numbers.
        self.set_array("params", np.array([*self._params, *motion_params], float))

    def coordinate_at_start(self, entry: np.ndarray) -> float:
        """Return the current value of the coordinate that a motion drives."""
        equations.evaluate_bodies.call(self.y0, self.model)
        bodies = self["bodies"]
        out = np.zeros(2 + 3 * self.kind.n_velocities)
        kernel = next(k for k in self.kernels if k.address == entry["kernel"])
        offsets, params = self["body_offsets"][entry["first_body"] :], self["params"][entry["params_offset"] :]
        kernel.call(bodies, offsets, params, out, out[2:], out[1:])
        return float(out[0])

    # ---- kernels and settings of the solvers

    @property
    def rhs_kernel(self) -> int:
        """Kernel of y' = f(t, y)."""
        return self.address(equations.rhs)

    @property
    def node_kernel(self) -> int:
        """Kernel that evaluates the model at a node of a result."""
        return self.address(stepping.evaluate_node if self.rigid else equations.rhs)

    @property
    def projected_rhs_kernel(self) -> int:
        """Kernel of y' = f(t, P(y)), where P projects a state onto the constraints."""
        return self.address(equations.projected_rhs)

    @property
    def tangential_kernel(self) -> int:
        """Kernel that projects velocities onto the constraints."""
        return self.address(equations.tangential_part)

    @property
    def project_kernel(self) -> int:
        """Kernel that projects a state onto the constraints."""
        return self.address(equations.project)

    @property
    def normalise_kernel(self) -> int:
        """Kernel that normalises the orientations of spatial bodies."""
        return self.address(equations.normalise)

    @property
    def breaks(self) -> list[float]:
        """Times at which prescribed motions, or functions of forces, are not smooth [s]."""
        moved = [joint.motion for joint in self.joints if joint.motion is not None]
        loads = [force.function for force in self.forces if force.function is not None]
        breaks = [motion.breaks for motion in moved] + [load.breaks for load in loads]
        breaks += [u.breaks for u in self.system.inputs]
        return sorted({t for times in breaks for t in times})

    @property
    def shortest_change(self) -> float | None:
        """Shortest time in which motions and loads change between their breaks [s].

        0 if it is not known, as of a function of the user or an input; None if nothing depends on time.
        """
        functions = [force.function for force in self.forces if force.function is not None]
        if self.system.inputs or any("t" in function.style for function in functions):
            return 0.0
        return min((joint.motion.shortest_change for joint in self.joints if joint.motion is not None), default=None)

    def freeze(self, t: float) -> None:
        """Hold every prescribed motion at its value at time ``t``, for analyses of a system at rest."""
        for entry, joint in zip(self["joints"], self.joints, strict=True):
            if joint.motion is not None:
                value = self.prescribed(joint, np.array([t]))[0]
                entry["motion_kernel"] = self.address(ConstantSpeed.kernel)
                self["params"][entry["motion_params_offset"] :][:2] = value, 0.0

    def prescribed(self, joint: Joint, times: np.ndarray) -> np.ndarray:
        """Return the prescribed coordinate of a joint or driver at ``times`` [s]."""
        entry = self["joints"][next(k for k, known in enumerate(self.joints) if known is joint)]
        params, outputs = self["params"][entry["motion_params_offset"] :], MOTION_OUTPUT.zeros(len(times))
        motion = c_function(MOTION)(int(entry["motion_kernel"]))
        for k, t in enumerate(times):
            motion(t, params.ctypes.data, outputs[k : k + 1].ctypes.data)
        return outputs["value"].copy()

    def use_rank(self, rank: int) -> None:
        """Use the solver of redundant constraints, of which ``rank`` rows are independent."""
        self.has_redundant_constraints = True
        use_rank(self, rank)

    def user_error(self) -> BaseException | None:
        """Return the exception of a user's function in compiled code, or None."""
        return take_user_error(self.user_kernels)

    def stabilise(self, alpha: float, beta: float) -> None:
        """Set the factors of Baumgarte's stabilisation [1/s]."""
        self.settings.baumgarte_alpha, self.settings.baumgarte_beta = alpha, beta

    def regularise(self, proximal: float, iterations: int) -> None:
        """Set the proximal term on the multipliers [-] and the number of its iterations."""
        self.settings.proximal, self.settings.proximal_iterations = proximal, iterations

    def row_owner(self, row: int) -> Joint:
        """Return the joint of a constraint equation."""
        starts = self["joints"]["first_row"]
        ends = starts + self["joints"]["n_rows"]
        return self.joints[int(np.flatnonzero((starts <= row) & (row < ends))[0])]


def input_dtype(record_size: int) -> np.dtype:
    """Return the record of an input behind those of the bodies, as functions written by users read it."""
    return np.dtype({"names": ["value"], "formats": [np.float64], "itemsize": 8 * record_size})
