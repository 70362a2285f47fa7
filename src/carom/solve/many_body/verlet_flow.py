"""Bodies that appear and leave in a run with the integrator "verlet", and the contacts of those that leave."""

from __future__ import annotations

import numpy as np

from carom.compiled_model.many_body_data import ManyBodyData
from carom.geometry.rotation import matrix_of
from carom.solve.many_body.body_flow import FlowBodies
from carom.solve.many_body.mechanism_motion import move_mechanism
from carom.solve.many_body.records import FINISH
from carom.solve.many_body.verlet_engine import VerletEngine


class VerletBodies(FlowBodies):
    """Bodies of a `VerletEngine`."""

    steps_per_check = 100

    def __init__(self, engine: VerletEngine):
        super().__init__(engine.model, engine.table)
        self.engine = engine

    @property
    def positions(self) -> np.ndarray:
        """Current positions of ground and bodies [m] (n × 3), in the periodic domain."""
        return self.model.wrapped_positions

    @property
    def masses(self) -> np.ndarray:
        """Masses of ground and bodies [kg]."""
        masses: np.ndarray = self.model.motion_data["mass"]
        return masses

    def remove(self, bodies: np.ndarray, t: float) -> float:
        """Stop ``bodies`` and end their contacts at the time ``t`` [s]; return their energy [J]."""
        energy = kinetic_energy(self.model, bodies) + remove_contacts(self.engine, bodies, t)
        for table, names in (
            (self.model.pair_data, ("v_half", "omega_half")),
            (self.model.motion_data, ("v", "angular_momentum", "acceleration", "torque")),
        ):
            for name in names:
                table[name][bodies] = 0.0
        return energy

    def insert(self, entering: np.ndarray, bodies: np.ndarray) -> float:
        """Give ``bodies`` their velocities; return their energy [J]."""
        pair_rows, motion_rows = self.model.entry_rows
        self.model.pair_data[bodies], self.model.motion_data[bodies] = pair_rows[entering], motion_rows[entering]
        return kinetic_energy(self.model, bodies)

    def update_list(self) -> None:
        """Prepare a new neighbour list after bodies have appeared or left."""
        self.engine.change_bodies()

    def entry_values(self) -> list[np.ndarray]:
        """Return the numbers of the waiting bodies that distinguish one model from another."""
        return [row.view(np.float64) for row in self.model.entry_rows]


def kinetic_energy(model: ManyBodyData, bodies: np.ndarray) -> float:
    """Return the kinetic energy of some bodies [J]."""
    motion = model.motion_data[bodies]
    momentum = np.einsum("nji,nj->ni", matrix_of(motion["quaternion"]), motion["angular_momentum"])
    inertia = motion["inertia"]
    rotation = np.divide(momentum**2, inertia, out=np.zeros_like(inertia), where=inertia > 0.0)
    return 0.5 * float(np.sum(motion["mass"][:, None] * motion["v"] ** 2) + np.sum(rotation))


def remove_contacts(engine: VerletEngine, bodies: np.ndarray, t: float) -> float:
    """End all contacts of ``bodies`` at the end of a segment, time ``t`` [s]; return their elastic energy [J].

    The forces of these contacts are removed from the accelerations of the other bodies.
    """
    is_removed = np.zeros(engine.n_bodies + 1, bool)
    is_removed[bodies] = True
    touching, body_a, body_b = engine.touching_pairs()
    chosen = is_removed[body_a] | is_removed[body_b]
    touching, body_a, body_b = touching[chosen], body_a[chosen], body_b[chosen]
    r, motion = engine.model.pair_data["r"], engine.model.motion_data
    for k, a, b, shift in zip(touching, body_a, body_b, engine.shifts(touching), strict=True):
        force, torque = engine.pairs.wrenches["force"][k], engine.pairs.wrenches["torque"][k]
        subtract_wrench(engine, b, force, torque)
        # Action and reaction: T_a = −T_b − (r_b − r_a) × F_b.
        reaction = -force, -torque - np.cross(r[b] + shift - r[a], force)
        subtract_wrench(engine, a, *reaction)
        if a > engine.model.n_free:  # the mechanism reads the sums of the pairs in which its body is the first one
            motion["force"][a] -= reaction[0]
            motion["torque"][a] -= reaction[1]
    engine.pairs.is_touching[touching] = 0
    engine.contact_log.end(engine.pairs.entries["group_or_kind"][touching], t)
    if engine.mechanism is not None and max(body_a.max(initial=0), body_b.max(initial=0)) > engine.model.n_free:
        evaluate_mechanism(engine, t)
    return float(engine.pairs.output["stored_energy"][touching].sum())


def subtract_wrench(engine: VerletEngine, body: int, force: np.ndarray, torque: np.ndarray) -> None:
    """Subtract a force [N] and a torque [N m] from those that act on a free body."""
    if 0 < body <= engine.model.n_free:
        motion = engine.model.motion_data
        motion["acceleration"][body] -= engine.model.pair_data["inverse_mass"][body] * force
        motion["torque"][body] -= torque


def evaluate_mechanism(engine: VerletEngine, t: float) -> None:
    """Compute the accelerations of the mechanism at time ``t`` [s] again, after contacts were removed."""
    assert engine.mechanism is not None
    engine.mechanism.record.t_begin, engine.mechanism.record.n_started = t, 0
    h, engine.settings.h = engine.settings.h, 0.0
    move_mechanism.call(engine.table, FINISH)
    engine.settings.h = h
