"""Bodies of a mechanism in a non-smooth run with many bodies: joints, drivers and force elements.

The mechanism is a model of its own, stepped by the phases of `carom.solve.timestepping`. Its bodies take part in the
contacts with the responses of `carom.solve.many_body.mechanism_response`.
"""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import BODY_PAIR_DATA
from carom.kernels import call_gaps, call_load, call_project, floats, ints, jit, offset
from carom.mechanics.kkt import solve
from carom.mechanics.linear_algebra import add, copy, set_zero
from carom.mechanics.model_record import MODEL
from carom.mechanics.planar_body import PLANAR_BODY
from carom.mechanics.spatial_body import SPATIAL_BODY
from carom.solve.many_body.mechanism_response import PLANAR_DOF, SPATIAL_DOF, add_generalised_impulse, load_velocity
from carom.solve.many_body.records import BODY_POSE, MANY_BODY
from carom.solve.many_body.rigid_motion import store_inverse_inertia, to_principal
from carom.solve.many_body.rigid_records import (
    ANGLE,
    BODY_VELOCITY,
    CONTACT_ROW,
    FINISHED,
    PROJECTION_FAILED,
    RANK_LOSS,
    RIGID_BODY,
    ROW_DATA,
    ROW_IMPULSE,
)
from carom.solve.timestepping import records as timestepping
from carom.solve.timestepping.joint_friction import add_friction_work, expect_change
from carom.solve.timestepping.moreau_midpoint import compute_velocity_defect, forces_are_unchanged, update_end_position
from carom.solve.timestepping.records import STEPPER
from carom.solve.timestepping.step_phases import (
    add_applied_work,
    compute_free_velocity,
    evaluate_midpoint,
    project_joints,
)


@jit
def load_body(rigid, many_body, index):
    """Copy position, orientation and current velocities of a body of the mechanism; return its index.

    The body records of the mechanism must be current. The velocities are those of the records.
    """
    model = MODEL(STEPPER(rigid.stepper).model)
    k = ints(rigid.mechanism_bodies)[index]
    data = BODY_PAIR_DATA(many_body.pair_data, k)
    pose = BODY_POSE(many_body.poses, k)
    if rigid.is_planar != 0:
        planar = PLANAR_BODY(model.bodies, index + 1)
        data.r[0] = planar.x
        data.r[1] = planar.y
        data.r[2] = 0.0
        pose.R[0] = planar.cos
        pose.R[1] = -planar.sin
        pose.R[3] = planar.sin
        pose.R[4] = planar.cos
    else:
        spatial = SPATIAL_BODY(model.bodies, index + 1)
        data.r[0] = spatial.x
        data.r[1] = spatial.y
        data.r[2] = spatial.z
        for d in range(9):
            pose.R[d] = spatial.R[d]
    for d in range(3):
        pose.r[d] = data.r[d]
    return k


@jit
def load_free_velocities(rigid):
    """Store the free velocities of the mechanism at its current body records, those of the midpoint."""
    stepper = STEPPER(rigid.stepper)
    for index in range(rigid.n_mechanism_bodies):
        k = ints(rigid.mechanism_bodies)[index]
        load_velocity(rigid, index, floats(stepper.u_free), BODY_VELOCITY(rigid.free_velocities, k))


@jit
def start_mechanism(t, rigid):
    """Evaluate the mechanism at the midpoint; return a status and True if the neighbour list is outdated."""
    stepper = STEPPER(rigid.stepper)
    if evaluate_midpoint(t, rigid.h, stepper) != timestepping.FINISHED:
        return RANK_LOSS, False
    compute_free_velocity(rigid.h, stepper, False)
    load_free_velocities(rigid)
    u = offset(floats(stepper.y), stepper.n_velocities)
    is_outdated = False
    for index in range(rigid.n_mechanism_bodies):
        k = load_body(rigid, MANY_BODY(rigid.mid), index)
        body = RIGID_BODY(rigid.bodies, k)
        load_velocity(rigid, index, u, BODY_VELOCITY(rigid.initial_velocities, k))
        if rigid.is_planar == 0 and body.is_isotropic == 0:
            R = SPATIAL_BODY(MODEL(stepper.model).bodies, index + 1).R_principal
            store_inverse_inertia(rigid, k, R, body.inertia)
        r = BODY_PAIR_DATA(MANY_BODY(rigid.mid).pair_data, k).r
        square = 0.0
        for d in range(3):
            square += (r[d] - body.r_at_list[d]) ** 2
        w = body.omega
        turn = body.rotation_since_list + 0.5 * rigid.h * math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        is_outdated = is_outdated or not math.sqrt(square) + body.extent * turn < rigid.list_displacement_limit
    return FINISHED, is_outdated


@jit
def store_current_state(rigid):
    """Copy the current state of the mechanism to the bodies, and to the configuration ``other``."""
    stepper = STEPPER(rigid.stepper)
    y = floats(stepper.y)
    call_gaps(stepper.bodies_kernel, 0.0, y, MODEL(stepper.model))
    for index in range(rigid.n_mechanism_bodies):
        k = load_body(rigid, MANY_BODY(rigid.other), index)
        body = RIGID_BODY(rigid.bodies, k)
        velocity = BODY_VELOCITY(rigid.velocities, k)
        load_velocity(rigid, index, offset(y, stepper.n_velocities), velocity)
        r = BODY_PAIR_DATA(MANY_BODY(rigid.other).pair_data, k).r
        for d in range(3):
            body.r[d] = r[d]
            body.v[d] = velocity.v[d]
            body.omega[d] = velocity.omega[d]


@jit
def apply_impulses(rigid):
    """Compute velocities and joint impulses of the mechanism from the impulses of the contacts; return True if any."""
    stepper = STEPPER(rigid.stepper)
    model = MODEL(stepper.model)
    n = stepper.n_velocities
    rhs = floats(model.rhs_motion)
    u_new = offset(floats(stepper.y_new), n)
    set_zero(rhs, n)
    set_zero(floats(model.rhs_constraint), stepper.n_constraints)
    has_impulse = False
    for index in range(rigid.n_active):
        row = CONTACT_ROW(rigid.rows, index)
        on_a = RIGID_BODY(rigid.bodies, row.body_a).mechanism_index >= 0
        on_b = RIGID_BODY(rigid.bodies, row.body_b).mechanism_index >= 0
        if on_a or on_b:
            P = ROW_IMPULSE(rigid.impulses, index).P
            T = ROW_DATA(rigid.row_data, index).T
            has_impulse = has_impulse or P[0] != 0.0 or P[1] != 0.0 or P[2] != 0.0
            px, py, pz, tx, ty, tz = P[0], P[1], P[2], T[0], T[1], T[2]
            if row.kind & ANGLE != 0:
                px, py, pz = 0.0, 0.0, 0.0
                tx, ty, tz = row.arm_a * P[0], row.arm_a * P[1], row.arm_a * P[2]
            if on_a:
                add_generalised_impulse(rigid, row.body_a, 1.0, row.a, px, py, pz, tx, ty, tz, rhs)
            if on_b:
                add_generalised_impulse(rigid, row.body_b, -1.0, row.b, px, py, pz, tx, ty, tz, rhs)
    copy(floats(stepper.u_free), n, u_new)
    if model.n_joint_frictions > 0:
        set_zero(floats(stepper.contact_reactions), stepper.n_constraints)
    if has_impulse:
        solve(model)
        add(floats(model.acceleration), n, u_new)
        add(floats(model.lam), stepper.n_constraints, floats(stepper.joint_impulses))
        if model.n_joint_frictions > 0:
            copy(floats(model.lam), stepper.n_constraints, floats(stepper.contact_reactions))
    for index in range(rigid.n_mechanism_bodies):
        k = ints(rigid.mechanism_bodies)[index]
        load_velocity(rigid, index, u_new, BODY_VELOCITY(rigid.velocities, k))
    return has_impulse


@jit
def expect_contacts(rigid):
    """Let the friction of joints expect the contacts of the step in the next one."""
    stepper = STEPPER(rigid.stepper)
    if MODEL(stepper.model).n_joint_frictions > 0:
        expect_change(stepper)


@jit
def repeat_mechanism(t, rigid, has_impulse):
    """Compute the free velocities with forces and joints at the mean velocities; return False if they are unchanged.

    See `carom.solve.timestepping.moreau_midpoint.repeat_with_mean_velocity`.
    """
    stepper = STEPPER(rigid.stepper)
    model = MODEL(stepper.model)
    n = stepper.n_velocities
    y = floats(stepper.y)
    y_mid = floats(stepper.y_mid)
    y_new = floats(stepper.y_new)
    with_defect = stepper.constraints_kernel != 0 and has_impulse
    with_friction = model.n_joint_frictions > 0 and expect_change(stepper)
    if stepper.forces_kernel == 0 and not with_defect and not with_friction:
        return False
    if with_defect:
        compute_velocity_defect(t, rigid.h, stepper)
    if stepper.forces_kernel != 0:
        for i in range(n):
            y_mid[n + i] = 0.5 * (y[n + i] + y_new[n + i])
        call_project(stepper.forces_kernel, t + 0.5 * rigid.h, y_mid, model)
        if not with_defect and not with_friction and forces_are_unchanged(stepper):
            return False
    else:
        copy(floats(stepper.h_mid), n, floats(model.rhs_motion))
    compute_free_velocity(rigid.h, stepper, with_defect)
    load_free_velocities(rigid)
    return True


@jit
def finish_mechanism(t, rigid):
    """Move the mechanism to the end of the step and onto its joints; return a status."""
    stepper = STEPPER(rigid.stepper)
    update_end_position(rigid.h, stepper)
    if MODEL(stepper.model).n_joint_frictions > 0:
        add_friction_work(stepper)
    add_applied_work(rigid.h, stepper)
    if project_joints(t + rigid.h, stepper) != timestepping.FINISHED:
        return PROJECTION_FAILED
    accept_state(rigid)
    return FINISHED


@jit
def accept_state(rigid):
    """Make ``y_new`` the state of the mechanism and copy it to the bodies."""
    stepper = STEPPER(rigid.stepper)
    y = floats(stepper.y)
    y_new = floats(stepper.y_new)
    for i in range(2 * stepper.n_velocities):
        y[i] = y_new[i]
    if stepper.update_orientation_kernel != 0:
        call_load(stepper.update_orientation_kernel, y, MODEL(stepper.model))
    for index in range(rigid.n_mechanism_bodies):
        body = RIGID_BODY(rigid.bodies, ints(rigid.mechanism_bodies)[index])
        w = body.omega
        body.rotation_since_list += rigid.h * math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    store_current_state(rigid)


@jit
def displace_mechanism(t, rigid, displacements):
    """Move the mechanism by the displacements of the position projection; return their work against the forces [J]."""
    stepper = STEPPER(rigid.stepper)
    y_new = floats(stepper.y_new)
    forces = floats(stepper.h_mid)
    work = 0.0
    for index in range(rigid.n_mechanism_bodies):
        change = BODY_VELOCITY(displacements, ints(rigid.mechanism_bodies)[index])
        if rigid.is_planar != 0:
            i = PLANAR_DOF * index
            y_new[i] += change.v[0]
            y_new[i + 1] += change.v[1]
            y_new[i + 2] += change.omega[2]
            work -= forces[i] * change.v[0] + forces[i + 1] * change.v[1] + forces[i + 2] * change.omega[2]
        else:
            i = SPATIAL_DOF * index
            R = SPATIAL_BODY(MODEL(stepper.model).bodies, index + 1).R_principal
            wx, wy, wz = to_principal(R, change.omega[0], change.omega[1], change.omega[2])
            for d in range(3):
                y_new[i + d] += change.v[d]
                work -= forces[i + d] * change.v[d]
            y_new[i + 3] += wx
            y_new[i + 4] += wy
            y_new[i + 5] += wz
            work -= forces[i + 3] * wx + forces[i + 4] * wy + forces[i + 5] * wz
    if stepper.project_kernel != 0:  # The change satisfies the constraints of the joints to first order only.
        call_project(stepper.project_kernel, t, y_new, MODEL(stepper.model))
    accept_state(rigid)
    return work
