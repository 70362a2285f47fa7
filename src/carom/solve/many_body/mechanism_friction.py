"""Friction of joints in a mechanism among many bodies: set-valued, so that a joint sticks at rest.

In compliant runs each half of a velocity Verlet step changes the velocities by its forces, then by the friction that
they allow. The impulses are those of time stepping (`carom.solve.timestepping.joint_friction`).
"""

from __future__ import annotations

import numpy as np

from carom.compiled_model.stepping_data import SteppingData
from carom.kernels import floats, jit, offset
from carom.kernels.interpreted import Row, address_of_argument, array_address
from carom.mechanics.contact_records import STORED_FORCE
from carom.mechanics.linear_algebra import copy
from carom.mechanics.model_record import CONTACT_LOSS, MODEL
from carom.solve.timestepping.active_contacts import contact_velocity
from carom.solve.timestepping.joint_friction import apply_joint_friction, first_friction, friction_impulse
from carom.solve.timestepping.records import STEPPER


def connect_friction(stepper: Row, model: SteppingData) -> dict[str, np.ndarray]:
    """Set the fields of a stepper that the friction of joints needs; return their arrays, which must be kept."""
    count, per_body = len(model.names), model.velocities_per_body
    n_bodies, dim = model.velocity_indices.shape[1], model.rows_per_contact
    assert model.gap_kernel is not None
    stepper.n_contacts, stepper.rows_per_contact = count, dim
    stepper.bodies_per_contact, stepper.velocities_per_body = n_bodies, per_body
    stepper.gap_kernel, stepper.directions_kernel = model.gap_kernel.address, model.directions_kernel.address
    arrays = {
        "velocity_indices": np.append(model.velocity_indices.ravel(), 0),
        "W": np.zeros(dim * (n_bodies * per_body + 1)),
        "joint_friction": np.zeros((count + 1) * (n_bodies * per_body + 2)),
        "contact_change": np.zeros(model.n_velocities),
        "contact_reactions": np.zeros(model.n_constraints + 1),
        "last_P": np.zeros((count + 1) * dim),
        "contact_losses": np.zeros(CONTACT_LOSS.size * (count + 1)),
    }
    for name, array in arrays.items():
        setattr(stepper, name, array_address(array))
    return arrays


def mean_forces(last_P: np.ndarray, model: SteppingData, n_stops: int, duration: float) -> np.ndarray:
    """Return `STORED_FORCE` of every friction, from the impulses of the last step; 0 before the first one."""
    forces = STORED_FORCE.zeros(len(model.names) - n_stops)
    if duration > 0.0:
        impulses = last_P.reshape(-1, model.rows_per_contact)[n_stops : len(model.names), 1]
        forces["mean_friction_force"] = impulses / duration
    return forces


class VerletFriction:
    """Stepper of the friction of joints in a compliant run, for velocities ``u_free`` that it changes."""

    def __init__(self, model: SteppingData):
        self.model = model
        n, m = model.n_velocities, model.n_constraints
        self.stepper = STEPPER.new(model=address_of_argument(model.record), n_velocities=n, n_constraints=m)
        self.arrays = connect_friction(self.stepper, model)
        for name, array in {"u_free": np.zeros(n), "joint_impulses": np.zeros(m + 1)}.items():
            self.arrays[name] = array
            setattr(self.stepper, name, array_address(array))

    @property
    def address(self) -> int:
        """Address of the stepper."""
        return address_of_argument(self.stepper)


@jit
def add_friction_impulses(half, velocities, mechanism, model):
    """Change ``velocities`` by the friction of the joints over half a step of length ``half`` [s].

    The limits of friction follow from the multipliers of the last evaluation. Those of the friction are added to the
    joint impulses of the stepper.
    """
    stepper = STEPPER(mechanism.friction_stepper)
    n = model.n_velocities
    m = model.n_constraints
    joint_impulses = floats(stepper.joint_impulses)
    copy(velocities, n, floats(stepper.u_free))
    for r in range(m):
        joint_impulses[r] = half * floats(mechanism.multipliers)[r]
    apply_joint_friction(half, stepper)
    copy(floats(stepper.u_free), n, velocities)


@jit
def add_friction_losses(velocities, stepper):
    """Add the losses of the last impulses of friction at ``velocities``, those in the middle of the step."""
    for k in range(first_friction(stepper), stepper.n_contacts):
        impulse = friction_impulse(stepper, k)
        floats(stepper.last_P)[k * stepper.rows_per_contact + 1] = impulse[0]
        velocity = contact_velocity(stepper, k, offset(impulse, 1), velocities)
        CONTACT_LOSS(stepper.contact_losses, k).friction -= impulse[0] * velocity


@jit
def start_with_friction(half, mechanism):
    """Add friction to the velocities in the middle of a step, at its beginning."""
    model = MODEL(mechanism.model)
    u = offset(floats(mechanism.y), model.n_velocities)
    add_friction_impulses(half, u, mechanism, model)
    add_friction_losses(u, STEPPER(mechanism.friction_stepper))


@jit
def finish_with_friction(half, mechanism):
    """Add friction to the velocities at the end of a step, and store its accelerations and joint reactions."""
    model = MODEL(mechanism.model)
    stepper = STEPPER(mechanism.friction_stepper)
    n = model.n_velocities
    u = offset(floats(mechanism.y), n)
    acceleration = floats(mechanism.friction_acceleration)
    mechanism.friction_duration = half
    for i in range(n):
        acceleration[i] = -u[i] / half
    add_friction_impulses(half, u, mechanism, model)
    for i in range(n):
        acceleration[i] += u[i] / half
    add_friction_losses(floats(mechanism.u_middle), stepper)
