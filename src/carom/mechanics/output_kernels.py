"""Signals of joints, forces and contacts, and energies, at the nodes of a result."""

from __future__ import annotations

from carom.kernels import address_of, call_joint, call_rate, floats, ints, jit, offset
from carom.kernels.pointers import data_pointer
from carom.mechanics import planar_body, spatial_body
from carom.mechanics.contact_records import (
    CONTACT_HISTORY,
    CONTACT_STATE,
    N_STORED,
    STORED_FORCE,
    STORED_HISTORY,
    restore_forces,
    restore_history,
)
from carom.mechanics.element_output import FORCE_OUTPUT, N_FORCE_OUTPUT
from carom.mechanics.linear_algebra import copy
from carom.mechanics.model_record import FORCE_ELEMENT, JOINT_ELEMENT, MODEL, SETTINGS

OBSERVER_COLUMNS = 4
"""Columns of the table of observers: kind, element, index of its first signal, and its kernel or number of signals."""

COORDINATE, REACTION, EFFORT, FORCE_SIGNALS, CONTACT_SIGNALS = range(5)
"""Kinds of observers: a free coordinate and its rate, the reaction of a joint, the effort and power of a driver, the
signals of a force or of a contact."""


@jit
def coordinate(model, joint, address, velocity_offset, signals):
    """Store value and rate of a coordinate of a joint.

    ``velocity_offset`` is the index of the velocities in the record of a body.
    """
    bodies = floats(model.bodies)
    body_offsets = offset(ints(model.body_offsets), joint.first_body)
    out = floats(model.element_output)  # Used as workspace: value, γ, then the Jacobian.
    Phi_q = offset(out, 2)
    params = offset(floats(model.params), joint.params_offset)
    call_joint(address, bodies, body_offsets, params, out, Phi_q, offset(out, 1))
    rate = 0.0
    size = model.velocities_per_body
    for k in range(joint.n_bodies):
        v = body_offsets[k] + velocity_offset
        for d in range(size):
            rate += Phi_q[size * k + d] * bodies[v + d]
    signals[0] = out[0]
    signals[1] = rate


@jit
def reaction(model, joint, point, signals):
    """Store force and torque in global axes on the second body (on the first if it is the only one), at ``point``."""
    bodies = floats(model.bodies)
    Phi_q = offset(floats(model.Phi_q), joint.jacobian_offset)
    lam = offset(floats(model.lam), joint.first_row)
    body_offsets = offset(ints(model.body_offsets), joint.first_body)
    size = model.velocities_per_body
    count = joint.n_bodies
    body_index = min(count - 1, 1)
    for d in range(size):
        signals[d] = 0.0
    for r in range(joint.n_rows):
        for d in range(size):
            signals[d] -= lam[r] * Phi_q[(r * count + body_index) * size + d]
    body_offset = body_offsets[body_index]
    if model.dim == 2:
        px, py = planar_body.rotate(planar_body.body_at(bodies, body_offset), point[0], point[1])
        signals[2] -= px * signals[1] - py * signals[0]
        return
    body = spatial_body.body_at(bodies, body_offset)
    if body_offset > 0:  # The rows of the ground are not transformed to principal axes.
        p = body.R_principal
        x = signals[3]
        y = signals[4]
        z = signals[5]
        for d in range(3):
            signals[3 + d] = p[3 * d] * x + p[3 * d + 1] * y + p[3 * d + 2] * z
    px, py, pz = spatial_body.rotate(body, point[0], point[1], point[2])
    x, y, z = spatial_body.cross(px, py, pz, signals[0], signals[1], signals[2])
    signals[3] -= x
    signals[4] -= y
    signals[5] -= z


@jit
def store_energies(model, y, mass, energies):
    """Store kinetic, potential and elastic energy at an evaluated state [J]."""
    n = model.n_velocities
    gravity_force = floats(model.gravity_force)
    output = floats(model.element_output)
    kinetic = 0.0
    potential = 0.0
    for i in range(n):
        kinetic += 0.5 * mass[i] * y[n + i] * y[n + i]
        potential -= gravity_force[i] * y[i]
    for k in range(model.n_forces):
        force = FORCE_ELEMENT(model.forces, k)
        force_offset = force.output_offset + model.velocities_per_body * force.n_bodies
        potential += FORCE_OUTPUT(offset(output, force_offset)).potential
    elastic = 0.0
    for k in range(model.n_contacts):
        contact_state = CONTACT_STATE(model.contact_state, k)
        elastic += contact_state.stored_energy + contact_state.friction_energy
    energies[0] = kinetic
    energies[1] = potential
    energies[2] = elastic


@jit
def store_element_signals(model, kind, element, count, points, signals):
    """Store the signals of a force, a contact, a reaction or a driver at an evaluated state; no coordinates."""
    if kind == FORCE_SIGNALS:
        force = FORCE_ELEMENT(model.forces, element)
        first_signal = force.output_offset + model.velocities_per_body * force.n_bodies + N_FORCE_OUTPUT
        copy(offset(floats(model.element_output), first_signal), count, signals)
    elif kind == CONTACT_SIGNALS:  # The first fields of the record are the signals.
        copy(floats(address_of(CONTACT_STATE(model.contact_state, element))), count, signals)
    elif kind == REACTION:
        reaction(model, JOINT_ELEMENT(model.joints, element), data_pointer(points[element]), signals)
    elif kind == EFFORT:
        row = JOINT_ELEMENT(model.joints, element).first_row
        effort = -floats(model.lam)[row]
        signals[0] = effort
        signals[1] = effort * floats(model.nu)[row]


@jit
def restore_contacts(model, n_stored, stored):
    """Restore the histories of the contacts that are stored with a node, or their forces in time stepping."""
    for k in range(n_stored):
        history = CONTACT_HISTORY(model.contact_history, k)
        if model.contact_forces_kernel != 0:
            restore_history(STORED_HISTORY(stored, k), history)
        else:
            restore_forces(STORED_FORCE(stored, k), history)


@jit
def evaluate_nodes(
    t, y, stored, ydot, rhs_address, model_address, mass, velocity_offset, observers, points, signals, energies
):
    """Evaluate y', the signals (through ``observers``) and kinetic, potential and elastic energy at every node.

    ``stored`` are the histories of the contacts at the nodes; without them it has no columns.
    """
    model = MODEL(model_address)
    n_stored = min(model.n_contacts, stored.shape[1] // N_STORED)
    SETTINGS(model.settings).stores_energy = 1
    for node in range(t.shape[0]):
        if n_stored > 0:
            restore_contacts(model, n_stored, data_pointer(stored[node]))
        call_rate(rhs_address, t[node], data_pointer(y[node]), data_pointer(ydot[node]), model)
        store_energies(model, data_pointer(y[node]), mass, data_pointer(energies[node]))
        for k in range(observers.shape[0]):
            observed = offset(data_pointer(signals[node]), observers[k, 2])
            store_element_signals(model, observers[k, 0], observers[k, 1], observers[k, 3], points, observed)
        for k in range(observers.shape[0]):  # Coordinates come last, because they overwrite ``element_output``.
            if observers[k, 0] == COORDINATE:
                observed = offset(data_pointer(signals[node]), observers[k, 2])
                joint = JOINT_ELEMENT(model.joints, observers[k, 1])
                coordinate(model, joint, observers[k, 3], velocity_offset, observed)
    SETTINGS(model.settings).stores_energy = 0
