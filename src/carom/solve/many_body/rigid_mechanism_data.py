"""Mechanism of a non-smooth run with many bodies: its model, its stepper and its nodes."""

from __future__ import annotations

import numpy as np

from carom.compiled_model.mechanism import mechanism_of
from carom.compiled_model.stepping_data import SteppingData, rotation_lengths, stepping_data
from carom.kernels.interpreted import address_of_argument, array_address
from carom.mechanics import stepping
from carom.mechanics.contact_records import STORED_FORCE
from carom.mechanics.model_record import CONTACT_LOSS
from carom.model.joint_stop import JointStop
from carom.model.system import System
from carom.solve.analyses.mobility import examine
from carom.solve.initial_state import check_spans, consistent_start
from carom.solve.limits_at_start import check_limits
from carom.solve.many_body.mechanism_friction import connect_friction, mean_forces
from carom.solve.many_body.rigid_records import JOINT_STOP, PAIR_IMPULSE
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.postprocessing import SystemNodeEvaluator
from carom.solve.timestepping.records import ENERGY_BALANCE, STEP_CLOCK, STEP_COUNTS, STEPPER
from carom.solve.timestepping.schemes import Scheme


class RigidMechanism:
    """Stepper of the bodies that joints, drivers or force elements act on; contacts are those of the whole system."""

    def __init__(self, system: System, t_end: float, scheme: Scheme):
        self.source = ModelEvaluator(system, "simulate", rigid=True)
        check_spans(self.source, t_end)
        y = consistent_start(self.source)
        examine(self.source, y)
        self.stops = [stop for stop in self.source.tables.contacts if isinstance(stop, JointStop)]
        self.model: SteppingData = stepping_data(self.source.tables, y)
        stepping.compute_gaps.call(0.0, self.model.start, self.model.record)
        check_limits(self.stops, (-self.model.gaps).tolist(), rigid=True)
        lengths = rotation_lengths(self.source.tables, self.model.velocity_indices)
        is_angle = np.array([stop.is_rotational for stop in self.stops], bool)
        self.stop_lengths = np.where(is_angle, lengths, 0.0)
        self.stop_pairs = PAIR_IMPULSE.zeros(max(len(self.stops), 1))
        self.evaluator = SystemNodeEvaluator(self.source.copy())
        self._create_stepper(scheme)

    def _create_stepper(self, scheme: Scheme) -> None:
        """Create the record `STEPPER` without contacts, and its arrays."""
        model = self.model
        n, m = model.n_velocities, model.n_constraints
        reference = model.reference_orientation
        repeats = scheme.repeats_with_mean_velocity
        kernels = {
            "evaluate_kernel": model.evaluate_kernel, "bodies_kernel": model.bodies_kernel,
            "project_kernel": model.project_kernel, "update_orientation_kernel": model.update_orientation_kernel,
            "forces_kernel": model.forces_kernel if repeats else None,
            "constraints_kernel": model.constraints_kernel if repeats else None,
        }  # fmt: skip
        self.energy, self.clock, self.counts = ENERGY_BALANCE.new(), STEP_CLOCK.new(), STEP_COUNTS.new()
        self.stepper = STEPPER.new(
            model=address_of_argument(model.record), energy=address_of_argument(self.energy),
            clock=address_of_argument(self.clock), counts=address_of_argument(self.counts),
            n_velocities=n, n_constraints=m, n_orientation=0 if reference is None else reference.size,
            reference_orientation=0 if reference is None else reference.ctypes.data,
            repeats_with_mean_velocity=repeats, no_gyroscopic_forces=model.no_gyroscopic_forces,
            **{name: kernel.address for name, kernel in kernels.items() if kernel is not None},
        )  # fmt: skip
        self.arrays = {
            "y": model.start.copy(), "y_mid": np.zeros(2 * n), "y_new": np.zeros(2 * n), "u_free": np.zeros(n),
            "h_mid": np.zeros(n), "joint_impulses": np.zeros(m + 1), "velocity_defect": np.zeros(m + 1),
        }  # fmt: skip
        for name, array in self.arrays.items():
            setattr(self.stepper, name, array_address(array))
        if model.record.n_joint_frictions > 0:
            self.arrays |= connect_friction(self.stepper, model)

    def stop_table(self, body_index: dict[int, int]) -> np.ndarray:
        """Return the table of `JOINT_STOP`; ``body_index`` has the rows of the bodies by their identity."""
        table = JOINT_STOP.zeros(max(len(self.stops), 1))
        table["length"][: len(self.stops)] = self.stop_lengths
        for row, stop in zip(table, self.stops, strict=False):
            body_a, body_b = (body_index[id(side.body)] for side in stop.shapes)
            row["sign"] = -1.0 if body_a == 0 else 1.0
            row["body_a"], row["body_b"] = (body_b, body_a) if body_a == 0 else (body_a, body_b)
        return table

    @property
    def address(self) -> int:
        """Address of the stepper."""
        return address_of_argument(self.stepper)

    def node(self, h: float) -> np.ndarray:
        """Return the current node: state, energies and joint reactions (impulses divided by the step ``h`` [s])."""
        energy, reference = self.energy, self.model.reference_orientation
        orientations = np.zeros(0) if reference is None else np.asarray(reference).ravel()
        impulses = self.arrays["joint_impulses"][: self.model.n_constraints]
        rate = 1.0 / h if h > 0.0 else 0.0
        losses = np.zeros(CONTACT_LOSS.size * len(self.stops))  # the energy of the contacts contains those of stops
        forces = STORED_FORCE.zeros(len(self.stops))
        factors = rate * np.where(self.stop_lengths > 0.0, self.stop_lengths, 1.0)
        forces["mean_normal_force"] = factors * self.stop_pairs["P_N"][: len(self.stops)]
        if self.model.record.n_joint_frictions > 0:
            of_frictions = self.arrays["contact_losses"][len(losses) : -CONTACT_LOSS.size]
            losses = np.concatenate([losses, of_frictions])
            forces = np.concatenate([forces, mean_forces(self.arrays["last_P"], self.model, len(self.stops), h)])
        return np.concatenate([
            self.arrays["y"], orientations, [energy.dissipated, energy.applied_work, energy.driver_work],
            losses, rate * impulses, forces.view(float),
        ])  # fmt: skip

    def mutable_state(self) -> dict[str, np.ndarray]:
        """Return the arrays changed by steps, by name."""
        arrays = {**self.arrays, "energy": ENERGY_BALANCE.numbers(self.energy)}
        arrays |= {f"model {name}": array for name, array in self.model.mutable_arrays().items()}
        arrays["stop_pairs"] = self.stop_pairs.view(np.int64)
        return {f"mechanism {name}": array for name, array in arrays.items()}


def rigid_mechanism(system: System, t_end: float, scheme: Scheme) -> RigidMechanism | None:
    """Return the mechanism of a system, or None if all its bodies are free."""
    mechanism = mechanism_of(system)
    return None if mechanism is None else RigidMechanism(mechanism, t_end, scheme)
