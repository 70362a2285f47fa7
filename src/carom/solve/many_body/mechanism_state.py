"""Mechanism of a many-body run: compiled model, state and nodes of the bodies that joints and force elements act on."""

from __future__ import annotations

import math

import numpy as np

from carom.compiled_model.mechanism import mechanism_of
from carom.compiled_model.mutable_state import fingerprint, mutable_arrays
from carom.compiled_model.stepping_data import stepping_data
from carom.compiled_model.stiff_stops import effective_mass, evaluate_start, set_stiff_stops
from carom.kernels.interpreted import address_of_argument
from carom.mechanics import stepping
from carom.mechanics.contact_records import STORED_FORCE
from carom.mechanics.model_record import CONTACT_LOSS, QUADRATURES
from carom.model.joint_stop import PERIOD, JointStop
from carom.model.system import System
from carom.solve.analyses.mobility import examine
from carom.solve.initial_state import check_spans, consistent_start
from carom.solve.limits_at_start import check_limits
from carom.solve.many_body.default_step import STEPS_PER_CONTACT
from carom.solve.many_body.mechanism_friction import VerletFriction, mean_forces
from carom.solve.many_body.records import MECHANISM
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.node_batches import with_prefix
from carom.solve.postprocessing import SystemNodeEvaluator

STEPS_PER_PERIOD = 60
"""Steps in the shortest period of the mechanism on its springs."""
STEPS_PER_STOP = 120
"""Steps in the natural period of a stop without a law."""
DIFFERENCE_STEP = 1e-6
"""Difference step for derivatives of the forces, relative to a coordinate or velocity, or to 1 [-]."""


class Mechanism:
    """State of the mechanism of a system, and the record that compiled code moves it by."""

    def __init__(self, mechanism: System, t_end: float):
        self.evaluator = ModelEvaluator(mechanism, "simulate", rigid=True, with_laws=True)
        self.tables = self.evaluator.tables
        self.stops = [stop for stop in self.tables.contacts if isinstance(stop, JointStop)]
        check_spans(self.evaluator, t_end)
        y = consistent_start(self.evaluator)
        examine(self.evaluator, y)
        stepping.compute_gaps.call(0.0, y, self.tables.model)
        check_limits(self.stops, (-self.tables["gaps"]).tolist(), rigid=False)
        n, m = self.evaluator.n, self.evaluator.m
        self.arrays = {
            "y": y[: 2 * n].copy(),
            "acceleration": np.zeros(n),
            "multipliers": np.zeros(m + 1),
            "u_middle": np.zeros(n),
            "stop_powers": np.zeros(CONTACT_LOSS.size * len(self.stops)),
            "stop_damping": np.zeros(len(self.stops)),
            "stop_rates": np.zeros(len(self.stops)),
            "stop_losses": np.zeros(CONTACT_LOSS.size * len(self.stops)),
        }
        self.record = MECHANISM.new(model=address_of_argument(self.tables.model))
        self._connect_friction(y)
        if self.stops:
            self.record.stops_kernel = self.tables.address(self.tables.kind.contact_kernels.contact_forces)
            self.tables.settings.stores_energy = 1
        MECHANISM.connect(self.record, self.arrays)

    def _connect_friction(self, y: np.ndarray) -> None:
        """Create the stepper of the friction of joints, if there is any."""
        self.friction: VerletFriction | None = None
        if self.tables.model.n_joint_frictions > 0:
            self.friction = VerletFriction(stepping_data(self.tables, y))
            self.record.friction_stepper = self.friction.address
            self.arrays["friction_acceleration"] = np.zeros(self.evaluator.n)

    @property
    def failed(self) -> bool:
        """True if the mechanism could not be moved."""
        return bool(self.record.joints_failed) or bool(self.record.is_singular)

    @property
    def is_finite(self) -> bool:
        """True if all coordinates and velocities are finite."""
        return bool(np.isfinite(self.arrays["y"]).all())

    def node_evaluator(self) -> SystemNodeEvaluator:
        """Return an evaluator of the rows of `node`."""
        return SystemNodeEvaluator(self.evaluator.copy(), accelerating=True)

    def node(self) -> np.ndarray:
        """Return the current node: coordinates, velocities, orientations, works, multipliers, accelerations."""
        work = [getattr(self.record, name) for name in QUADRATURES]
        orientation = self.tables["reference_orientation"].ravel() if self.tables.n_orientation else np.zeros(0)
        forces = STORED_FORCE.zeros(len(self.stops))
        forces["mean_normal_force"] = self.tables["contact_state"]["normal_force"][: len(self.stops)]
        losses, multipliers, acceleration = (
            self.arrays[name] for name in ("stop_losses", "multipliers", "acceleration")
        )
        if self.friction is not None:
            duration, arrays = float(self.record.friction_duration), self.friction.arrays
            losses = np.concatenate([losses, arrays["contact_losses"][len(losses) : -CONTACT_LOSS.size]])
            of_frictions = mean_forces(arrays["last_P"], self.friction.model, len(self.stops), duration)
            forces = np.concatenate([forces, of_frictions])
            acceleration = acceleration + self.arrays["friction_acceleration"]
            if duration > 0.0:
                multipliers = arrays["joint_impulses"] / duration
        return np.concatenate([
            self.arrays["y"], orientation, work, losses, multipliers[:-1], forces.view(float), acceleration,
        ])  # fmt: skip

    @property
    def elastic_energy(self) -> float:
        """Energy that the stops store [J]."""
        return float(self.tables["contact_state"]["stored_energy"][: len(self.stops)].sum())

    def mutable_arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays changed by steps; restoring them resumes a run bit for bit."""
        numbers = MECHANISM.numbers(self.record)[MECHANISM.index("friction_duration") :]
        friction = {} if self.friction is None else with_prefix("friction", self.friction.arrays)
        return {**self.arrays, **friction, "numbers": numbers, **with_prefix("model", mutable_arrays(self.tables))}

    def fingerprint(self) -> list[np.ndarray]:
        """Return the arrays that distinguish one mechanism from another."""
        return fingerprint(self.tables)

    def longest_step(self) -> float:
        """Return the longest step that resolves the motion on springs, dampers and stops at the start [s]."""
        return min(self._longest_step_of_forces(), self._longest_step_of_stops())

    def set_stop_period(self, step: float) -> None:
        """Make the natural period of stops without a law long enough for steps of ``step`` [s]."""
        set_stiff_stops(self.tables, max(PERIOD, STEPS_PER_STOP * step))

    def _longest_step_of_stops(self) -> float:
        """Return the longest step that resolves the impacts of stops with a law at 1 m/s or 1 rad/s [s]."""
        own = [k for k, stop in enumerate(self.stops) if stop.has_own_law]
        if not own:
            return math.inf
        evaluate_start(self.tables)
        durations = []
        for k in own:
            law = self.stops[k].law
            assert law is not None
            durations.append(law.impact(effective_mass(self.tables, k), 1.0).duration)
        return min(durations) / STEPS_PER_CONTACT

    def _longest_step_of_forces(self) -> float:
        """Return the longest step that resolves the motion on springs and dampers at the start [s]."""
        if not self.tables.forces:
            return math.inf
        n, y = self.evaluator.n, self.arrays["y"]
        derivatives = np.zeros((2 * n, n))
        for k in range(2 * n):
            step = DIFFERENCE_STEP * max(abs(y[k]), 1.0)
            ends = []
            for sign in (1.0, -1.0):
                moved = y.copy()
                moved[k] += sign * step
                stepping.evaluate_forces.call(0.0, moved, self.tables.model)
                ends.append(self.tables["rhs_motion"].copy())
            derivatives[k] = (ends[0] - ends[1]) / (2.0 * step)
        inverse_mass = self.tables["inverse_mass"]
        stiffness, damping = (np.abs(np.linalg.eigvals(part.T * inverse_mass[:, None])).max()
                              for part in (derivatives[:n], derivatives[n:]))  # fmt: skip
        limits = [math.inf]
        if stiffness > 0.0:
            limits.append(2.0 * math.pi / math.sqrt(stiffness) / STEPS_PER_PERIOD)
        if damping > 0.0:
            limits.append(2.0 * math.pi / damping / STEPS_PER_PERIOD)
        return min(limits)


def create_mechanism(system: System, t_end: float) -> Mechanism | None:
    """Return the mechanism of a system, or None if all of its bodies are free."""
    mechanism = mechanism_of(system)
    return None if mechanism is None else Mechanism(mechanism, t_end)
