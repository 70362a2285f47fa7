"""What a result shows of a run: signals of joints and forces, and the energies, at every node."""

from __future__ import annotations

from carom.kernels import address_of, call_joint, call_rate, floats, ints, jit, offset
from carom.kernels.pointers import first
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
from carom.mechanics.model_record import FORCE_ELEMENT, JOINT_ELEMENT, MODEL, SETTINGS

# What an observer looks at: a free coordinate and its rate, the reaction of a joint, the effort and power of a driver,
# the signals of a force or of a contact. Columns of its table: kind, element, place among the signals, kernel or count.
OBSERVER_COLUMNS = 4
COORDINATE, REACTION, EFFORT, FORCE_SIGNALS, CONTACT_SIGNALS = range(5)


@jit
def coordinate(model, joint, address, velocity_offset, signals):
    """Store value and rate of a coordinate of a joint.

    ``velocity_offset`` is the index of the velocities in the record of a body.
    """
    bodies = floats(model.bodies)
    body_offsets = offset(ints(model.body_offsets), joint.first_body)
    out = floats(model.element_output)  # used as workspace: value, γ, then the Jacobian
    Phi_q = offset(out, 2)
    params = offset(floats(model.params), joint.params_offset)
    call_joint(address, bodies, body_offsets, params, out, Phi_q, offset(out, 1))
    rate = 0.0
    width = model.velocities_per_body
    for k in range(joint.n_bodies):
        v = body_offsets[k] + velocity_offset
        for d in range(width):
            rate += Phi_q[width * k + d] * bodies[v + d]
    signals[0] = out[0]
    signals[1] = rate


@jit
def reaction(model, joint, point, signals):
    """Store force and torque in global axes on the second body (on the first if it is the only one), at ``point``."""
    bodies = floats(model.bodies)
    Phi_q = offset(floats(model.Phi_q), joint.jacobian_offset)
    multipliers = offset(floats(model.lam), joint.first_row)
    body_offsets = offset(ints(model.body_offsets), joint.first_body)
    width = model.velocities_per_body
    count = joint.n_bodies
    which = min(count - 1, 1)
    for d in range(width):
        signals[d] = 0.0
    for r in range(joint.n_rows):
        for d in range(width):
            signals[d] -= multipliers[r] * Phi_q[(r * count + which) * width + d]
    body_offset = body_offsets[which]
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
def observe(t, y, remembered, ydot, rate_address, model_address, mass, moving, observers, points, signals, energies):
    """For every node: y', the signals (through ``observers``), kinetic, potential and elastic energy.

    ``remembered`` is what the contacts had to remember at the nodes.
    """
    model = MODEL(model_address)
    n = model.n_velocities
    width = model.velocities_per_body
    weight = floats(model.gravity_force)
    nu = floats(model.nu)
    lam = floats(model.lam)
    out = floats(model.element_output)
    SETTINGS(model.settings).stores_energy = 1
    for node in range(t.shape[0]):
        state = first(y[node])
        for k in range(min(model.n_contacts, remembered.shape[1] // N_STORED)):
            history = CONTACT_HISTORY(model.contact_history, k)
            if model.contact_forces_kernel != 0:
                restore_history(STORED_HISTORY(first(remembered[node]), k), history)
            else:
                restore_forces(STORED_FORCE(first(remembered[node]), k), history)
        call_rate(rate_address, t[node], state, first(ydot[node]), model)
        kinetic = 0.0
        potential = 0.0
        for i in range(n):
            kinetic += 0.5 * mass[i] * state[n + i] * state[n + i]
            potential -= weight[i] * state[i]
        for k in range(model.n_forces):
            force = FORCE_ELEMENT(model.forces, k)
            potential += FORCE_OUTPUT(offset(out, force.output_offset + width * force.n_bodies)).potential
        elastic = 0.0
        for k in range(model.n_contacts):
            elastic += CONTACT_STATE(model.contact_state, k).stored_energy
        energies[node, 0] = kinetic
        energies[node, 1] = potential
        energies[node, 2] = elastic
        for k in range(observers.shape[0]):
            kind = observers[k, 0]
            element = observers[k, 1]
            show = offset(first(signals[node]), observers[k, 2])
            if kind == FORCE_SIGNALS:
                force = FORCE_ELEMENT(model.forces, element)
                place = force.output_offset + width * force.n_bodies + N_FORCE_OUTPUT
                for s in range(observers[k, 3]):
                    show[s] = out[place + s]
            elif kind == CONTACT_SIGNALS:
                values = floats(address_of(CONTACT_STATE(model.contact_state, element)))
                for s in range(observers[k, 3]):  # the first fields are the signals
                    show[s] = values[s]
            elif kind == REACTION:
                reaction(model, JOINT_ELEMENT(model.joints, element), first(points[element]), show)
            elif kind == EFFORT:
                row = JOINT_ELEMENT(model.joints, element).first_row
                show[0] = -lam[row]
                show[1] = -lam[row] * nu[row]
        for k in range(observers.shape[0]):  # last, for it overwrites OUT
            if observers[k, 0] == COORDINATE:
                show = offset(first(signals[node]), observers[k, 2])
                coordinate(model, JOINT_ELEMENT(model.joints, observers[k, 1]), observers[k, 3], moving, show)
    SETTINGS(model.settings).stores_energy = 0
