"""Friction in joints: a force or torque along the free direction, which depends on the reaction of the joint.

Each is an entry in the table of contacts that never touches: its pair kernel gives the direction, its losses are those
of friction, and implicit methods find its damping with that of the contacts. The reaction depends on the friction, so
both are found together by iteration: the friction for the current multipliers, the multipliers for this friction.
"""

from __future__ import annotations

import math

from carom.kernels import address_of, call_normal_direction, floats, jit, offset
from carom.mechanics.contact import pair_kinematics
from carom.mechanics.contact_friction import call_friction_law
from carom.mechanics.contact_records import CONTACT, CONTACT_STATE, CONTACT_WORKSPACE
from carom.mechanics.kkt import solve
from carom.mechanics.model_record import CONTACT_LOSS, JOINT_ELEMENT, NOT_CONVERGED, OK
from carom.mechanics.planar_body import body_at as planar_body_at
from carom.mechanics.planar_body import embed_body
from carom.mechanics.spatial_body import body_at as spatial_body_at

MAX_ITERATIONS = 200
"""Iterations of friction and reaction."""
ACCURACY = 1e-13
"""Change of the friction in the last iteration, relative to the friction [-]."""
RIGID_SLIP = 1e-3
"""Smallest sliding speed at which a law gives the limit of friction in non-smooth runs [m/s]."""


@jit
def reaction_load(model, contact, multipliers):
    """Return the normal force that a friction law reads, from the multipliers of the joint [N]."""
    if contact.fixed_load >= 0.0:
        return contact.fixed_load
    lam = offset(multipliers, JOINT_ELEMENT(model.joints, contact.joint).first_row)
    force = 0.0
    for r in range(contact.force_rows):
        force += lam[r] * lam[r]
    force = math.sqrt(force)
    if contact.guide_length > 0.0:
        moment = 0.0
        for r in range(contact.moment_row, contact.moment_row + contact.moment_rows):
            moment += lam[r] * lam[r]
        force = max(force, 2.0 * math.sqrt(moment) / contact.guide_length)
    return force


@jit
def friction_kinematics(model, contact, contact_state):
    """Store direction, point and relative velocity along the direction at the current body records."""
    bodies = floats(model.bodies)
    workspace = CONTACT_WORKSPACE(model.workspace)
    if model.dim == 2:
        a = workspace.body_a
        b = workspace.body_b
        embed_body(planar_body_at(bodies, contact.body_a), a)
        embed_body(planar_body_at(bodies, contact.body_b), b)
        pair_kinematics(model, contact, a, b, contact_state)
    else:
        a = spatial_body_at(bodies, contact.body_a)
        b = spatial_body_at(bodies, contact.body_b)
        pair_kinematics(model, contact, a, b, contact_state)
    contact_state.elastic_force = 0.0
    contact_state.stored_energy = 0.0
    contact_state.friction_energy = 0.0
    contact_state.force_sign = 1.0


@jit
def friction_along(model, contact, load, velocity):
    """Return the friction force or torque on body a along the direction, for the relative velocity of a along it."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    zero = 0.0
    call_friction_law(
        contact.friction_kernel, offset(floats(model.params), contact.friction_params), workspace.friction_input,
        workspace.friction_output, load, contact.radius * velocity, zero, zero, zero,
    )  # fmt: skip
    return contact.radius * workspace.friction_output.force_t


@jit
def add_along(model, contact, contact_state, factor, result):
    """Add ``factor`` times the generalised direction of a contact to ``result``."""
    direction = floats(address_of(CONTACT_WORKSPACE(model.workspace).direction))
    for side in range(2):
        v = contact.velocity_a if side == 0 else contact.velocity_b
        if v >= 0:
            call_normal_direction(model.normal_direction_kernel, contact, side, contact_state, direction, model)
            for d in range(model.velocities_per_body):
                result[v + d] += factor * direction[d]


@jit
def add_joint_friction(losses, model):
    """Add the friction of all joints to the solved equations of motion; return a status.

    ``losses`` receive the powers of the friction [W].
    """
    first = model.n_contacts - model.n_joint_frictions
    multipliers = floats(model.lam)
    for k in range(first, model.n_contacts):
        contact_state = CONTACT_STATE(model.contact_state, k)
        friction_kinematics(model, CONTACT(model.contacts, k), contact_state)
        contact_state.friction_force = 0.0
    status = NOT_CONVERGED
    for _ in range(MAX_ITERATIONS):
        change = 0.0
        largest = 0.0
        for k in range(first, model.n_contacts):
            contact = CONTACT(model.contacts, k)
            contact_state = CONTACT_STATE(model.contact_state, k)
            contact_state.normal_force = reaction_load(model, contact, multipliers)
            force = friction_along(model, contact, contact_state.normal_force, -contact_state.indentation_rate)
            difference = force - contact_state.friction_force
            if difference != 0.0:
                add_along(model, contact, contact_state, difference, floats(model.rhs_motion))
            contact_state.friction_force = force
            change = max(change, abs(difference))
            largest = max(largest, abs(force))
        if change <= ACCURACY * largest:
            status = OK
            break
        solve(model)
    for k in range(first, model.n_contacts):
        contact_state = CONTACT_STATE(model.contact_state, k)
        CONTACT_LOSS(losses, k).friction = contact_state.friction_force * contact_state.indentation_rate
    return status
