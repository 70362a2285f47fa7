"""Signals of joints, forces and contacts, and energies, at the nodes of a result."""

from __future__ import annotations

from carom.kernels import (
    ADDRESS,
    EVALUATION,
    INT,
    address_of,
    call_joint,
    call_rate,
    floats,
    ints,
    jit,
    kernel,
    offset,
    record,
)
from carom.mechanics import planar_body, spatial_body
from carom.mechanics.contact_records import (
    CONTACT_HISTORY,
    CONTACT_STATE,
    STORED_FORCE,
    STORED_HISTORY,
    restore_forces,
    restore_history,
)
from carom.mechanics.contact_slots import restore_place
from carom.mechanics.element_output import FORCE_OUTPUT, N_FORCE_OUTPUT
from carom.mechanics.linear_algebra import copy
from carom.mechanics.model_record import FORCE_ELEMENT, JOINT_ELEMENT, MODEL, SETTINGS

OBSERVER = record(
    kind=INT,  # COORDINATE, REACTION …
    element=INT,  # index of the joint, force or contact
    first_signal=INT,  # index of its first signal
    detail=ADDRESS,  # kernel of a coordinate, number of signals of any other kind
)
NODES = record(
    n_nodes=INT,
    n_states=INT,  # numbers of a state
    n_signals=INT,
    n_observers=INT,
    n_stored_contacts=INT,  # contacts whose history is stored with a node
    stored_size=INT,  # numbers that are stored with a node
    velocity_offset=INT,  # of the velocities in the record of a body
    rate_kernel=ADDRESS,  # y' = f(t, y)
    model=ADDRESS,  # MODEL
    # tables, one row per node
    t=ADDRESS,  # [s]
    y=ADDRESS,
    stored=ADDRESS,  # histories of the contacts
    ydot=ADDRESS,
    signals=ADDRESS,
    energies=ADDRESS,  # kinetic, potential and elastic energy [J]
    # tables of the model
    mass=ADDRESS,  # one number per velocity [kg, kg m²]
    observers=ADDRESS,  # OBSERVER
    points=ADDRESS,  # where the reaction of every joint acts, in body axes, as many numbers as dimensions [m]
)
N_ENERGIES = 3

COORDINATE, REACTION, EFFORT, FORCE_SIGNALS, CONTACT_SIGNALS, JOINT_FRICTION = range(6)
"""Kinds of observers: a free coordinate and its rate, the reaction of a joint, the effort and power of a driver, the
signals of a force or of a contact, the friction of a joint."""


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
def store_element_signals(model, observer, points, signals):
    """Store the signals of a force, a contact, a reaction or a driver at an evaluated state; no coordinates."""
    kind = observer.kind
    element = observer.element
    count = observer.detail
    if kind == FORCE_SIGNALS:
        force = FORCE_ELEMENT(model.forces, element)
        first_signal = force.output_offset + model.velocities_per_body * force.n_bodies + N_FORCE_OUTPUT
        copy(offset(floats(model.element_output), first_signal), count, signals)
    elif kind == CONTACT_SIGNALS:  # The first fields of the record are the signals.
        copy(floats(address_of(CONTACT_STATE(model.contact_state, element))), count, signals)
    elif kind == JOINT_FRICTION:  # on b; the contact has that on a
        signals[0] = -CONTACT_STATE(model.contact_state, element).friction_force
    elif kind == REACTION:
        reaction(model, JOINT_ELEMENT(model.joints, element), offset(points, model.dim * element), signals)
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
            restore_place(model, k, STORED_HISTORY(stored, k))
        else:
            restore_forces(STORED_FORCE(stored, k), history)
            restore_place(model, k, STORED_FORCE(stored, k))


@kernel(EVALUATION, NODES)
def evaluate_nodes(nodes):
    """Evaluate y', the signals (through the observers) and kinetic, potential and elastic energy at every node."""
    model = MODEL(nodes.model)
    SETTINGS(model.settings).stores_energy = 1
    for node in range(nodes.n_nodes):
        if nodes.n_stored_contacts > 0:
            restore_contacts(model, nodes.n_stored_contacts, offset(floats(nodes.stored), node * nodes.stored_size))
        y = offset(floats(nodes.y), node * nodes.n_states)
        signals = offset(floats(nodes.signals), node * nodes.n_signals)
        call_rate(nodes.rate_kernel, floats(nodes.t)[node], y, offset(floats(nodes.ydot), node * nodes.n_states), model)
        store_energies(model, y, floats(nodes.mass), offset(floats(nodes.energies), N_ENERGIES * node))
        for k in range(nodes.n_observers):
            observer = OBSERVER(nodes.observers, k)
            store_element_signals(model, observer, floats(nodes.points), offset(signals, observer.first_signal))
        for k in range(nodes.n_observers):  # Coordinates come last, because they overwrite ``element_output``.
            observer = OBSERVER(nodes.observers, k)
            if observer.kind == COORDINATE:
                observed = offset(signals, observer.first_signal)
                joint = JOINT_ELEMENT(model.joints, observer.element)
                coordinate(model, joint, observer.detail, nodes.velocity_offset, observed)
    SETTINGS(model.settings).stores_energy = 0
