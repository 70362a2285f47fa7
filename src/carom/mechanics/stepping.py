"""Evaluations of a planar or spatial model for time stepping: forces, joints, gaps, and nodes of a result."""

from __future__ import annotations

from carom.kernels import DIRECTIONS, GAPS, PROJECT, RATE, floats, jit, kernel, offset
from carom.mechanics import planar_body, spatial_body
from carom.mechanics.contact import evaluate_kinematics, store_force
from carom.mechanics.contact_friction import perpendicular, store_planar_friction, store_tangential
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE, CONTACT_WORKSPACE
from carom.mechanics.element_evaluation import (
    subtract_Phi_q_T,
    to_velocity_axes,
    update_body_records,
    update_constraints,
    update_forces,
)
from carom.mechanics.equations_of_motion import MAX_ITERATIONS, correct_positions, correct_velocities
from carom.mechanics.kkt import factorise, solve
from carom.mechanics.linear_algebra import copy, negate, set_zero
from carom.mechanics.model_record import FORCE_POWER, MODEL, NOT_CONVERGED, OK, SETTINGS
from carom.mechanics.spatial_body import cross


@jit
def update_bodies_and_forces(t, y, model):
    """Compute body records and forces at (t, y)."""
    update_body_records(y, model)
    update_forces(t, model, FORCE_POWER(model.force_power))
    to_velocity_axes(model)


@kernel(PROJECT, MODEL)
def evaluate_and_factorise(t, y, model):
    """Compute forces, their powers, constraint rows and the factorised matrix at (t, y); return a status."""
    update_bodies_and_forces(t, y, model)
    update_constraints(t, model)
    return factorise(model)


@kernel(PROJECT, MODEL)
def evaluate_forces(t, y, model):
    """Compute the forces alone, at other velocities."""
    update_bodies_and_forces(t, y, model)
    return OK


@kernel(PROJECT, MODEL)
def evaluate_constraints(t, y, model):
    """Compute the constraint rows alone, at other velocities."""
    update_body_records(y, model)
    update_constraints(t, model)
    return OK


@kernel(PROJECT, MODEL)
def project_onto_joints(t, y, model):
    """Project y onto the joints with the factors half a step away, or with new ones if that fails; return a status."""
    if model.n_constraints == 0:
        return OK
    update_body_records(y, model)
    update_constraints(t, model)
    if correct_positions(t, y, model, False, MAX_ITERATIONS) == NOT_CONVERGED:
        factorise(model)
        if correct_positions(t, y, model, True, MAX_ITERATIONS) == NOT_CONVERGED:
            return NOT_CONVERGED
    correct_velocities(y, model)
    return OK


@jit
def body_in_space(model, body_offset, embedded):
    """Return the record of a body as a spatial body; ``embedded`` receives the planar ones."""
    bodies = floats(model.bodies)
    if model.dim == 3:
        return spatial_body.body_at(bodies, body_offset)
    planar_body.embed_body(planar_body.body_at(bodies, body_offset), embedded)
    return embedded


@jit
def contact_kinematics(model, k):
    """Evaluate the kinematics of contact ``k`` for the current body records; return its state."""
    workspace = CONTACT_WORKSPACE(model.workspace)
    contact = CONTACT(model.contacts, k)
    contact_state = CONTACT_STATE(model.contact_state, k)
    a = body_in_space(model, contact.body_a, workspace.body_a)
    b = body_in_space(model, contact.body_b, workspace.body_b)
    evaluate_kinematics(model, contact, a, b, contact_state)
    return contact_state


@kernel(GAPS, MODEL)
def compute_gaps(t, y, model):
    """Compute the gaps of all contacts."""
    update_body_records(y, model)
    gaps = floats(model.gaps)
    for k in range(model.n_contacts):
        gaps[k] = -contact_kinematics(model, k).indentation


@kernel(GAPS, MODEL)
def update_bodies(t, y, model):
    """Compute the body records at a state, for gaps of single contacts."""
    update_body_records(y, model)


@kernel(DIRECTIONS, MODEL)
def compute_gap(k, out, model):
    """Compute the gap of contact ``k`` for the current body records; ``out`` is not used."""
    floats(model.gaps)[k] = -contact_kinematics(model, k).indentation


@jit
def reduce_multipliers(model):
    """Replace the multipliers by the smallest ones with the same Φ_qᵀ λ: for redundant joints, by the proximal term."""
    n = model.n_velocities
    rhs_motion = floats(model.rhs_motion)
    set_zero(rhs_motion, n)
    subtract_Phi_q_T(model, floats(model.lam), rhs_motion)
    negate(rhs_motion, n)
    set_zero(floats(model.rhs_constraint), model.n_constraints)
    factorise(model)
    solve(model)


@jit
def evaluate_joints(t, y, ydot, model):
    """Compute forces, constraint rows and multipliers of a node; its rates are unknown and set to zero."""
    set_zero(ydot, 2 * model.n_velocities)
    update_bodies_and_forces(t, y, model)
    update_constraints(t, model)
    copy(offset(y, model.n_states - model.n_constraints), model.n_constraints, floats(model.lam))
    if SETTINGS(model.settings).proximal != 0.0:
        reduce_multipliers(model)


@jit
def store_mean_friction(model, history, contact_state, friction):
    """Store the mean friction force of the step that ended at a node."""
    if model.dim == 2:
        store_planar_friction(contact_state, history.mean_friction_force, friction)
        return
    tx, ty, tz = perpendicular(contact_state.nx, contact_state.ny, contact_state.nz)
    sx, sy, sz = cross(contact_state.nx, contact_state.ny, contact_state.nz, tx, ty, tz)
    along_t = history.mean_friction_force
    along_s = history.mean_friction_force_2
    contact_state.friction_force = (along_t * along_t + along_s * along_s) ** 0.5
    store_tangential(friction, along_t, along_s, tx, ty, tz, sx, sy, sz)


@kernel(RATE, MODEL)
def evaluate_node(t, y, ydot, model):
    """Evaluate a node of a result: the multipliers are at the end of y, the contact forces in the histories."""
    evaluate_joints(t, y, ydot, model)
    workspace = CONTACT_WORKSPACE(model.workspace)
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = contact_kinematics(model, k)
        contact_state.normal_force = history.mean_normal_force
        store_mean_friction(model, history, contact_state, workspace.friction)
        if k >= model.n_contacts - model.n_joint_frictions:
            contact_state.friction_force = history.mean_friction_force
        contact_state.elastic_force = 0.0
        contact_state.stored_energy = 0.0
        store_force(CONTACT(model.contacts, k), contact_state, workspace)
    return OK
