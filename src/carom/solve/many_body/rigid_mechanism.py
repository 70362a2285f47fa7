"""Bodies of a mechanism in a non-smooth run with many bodies: joints, drivers and force elements.

The mechanism is a model of its own, stepped by the phases of `carom.solve.timestepping`. An impulse of a contact on a
body with joints changes the velocities of all bodies that joints connect with it: the response M⁻¹ w subject to the
joints, which is computed once per contact and step.
"""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import BODY_PAIR_DATA
from carom.kernels import call_gaps, call_load, call_project, floats, ints, jit, offset
from carom.mechanics.kkt import solve
from carom.mechanics.linear_algebra import add, copy, set_zero
from carom.mechanics.model_record import MODEL
from carom.mechanics.planar_body import PLANAR_BODY
from carom.mechanics.spatial_body import SPATIAL_BODY, cross
from carom.solve.many_body.records import BODY_POSE, MANY_BODY
from carom.solve.many_body.rigid_motion import set_velocity, store_inverse_inertia, to_global, to_principal
from carom.solve.many_body.rigid_records import (
    BODY_VELOCITY,
    CONTACT_ROW,
    FINISHED,
    PROJECTION_FAILED,
    RANK_LOSS,
    RIGID_BODY,
    ROLLING,
    ROW_DATA,
    ROW_IMPULSE,
)
from carom.solve.timestepping import records as timestepping
from carom.solve.timestepping.moreau_midpoint import compute_velocity_defect, forces_are_unchanged, update_end_position
from carom.solve.timestepping.records import STEPPER
from carom.solve.timestepping.step_phases import (
    add_applied_work,
    compute_free_velocity,
    evaluate_midpoint,
    project_joints,
)

PLANAR_DOF, SPATIAL_DOF = 3, 6


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
def load_velocity(rigid, index, u, velocity):
    """Store the generalised velocities ``u`` of a body of the mechanism in global axes, at its current orientation."""
    if rigid.is_planar != 0:
        i = PLANAR_DOF * index
        set_velocity(velocity, u[i], u[i + 1], 0.0, 0.0, 0.0, u[i + 2])
        return
    R = SPATIAL_BODY(MODEL(STEPPER(rigid.stepper).model).bodies, index + 1).R_principal
    i = SPATIAL_DOF * index
    wx, wy, wz = to_global(R, u[i + 3], u[i + 4], u[i + 5])
    set_velocity(velocity, u[i], u[i + 1], u[i + 2], wx, wy, wz)


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


# ---- responses of bodies with joints


@jit
def add_generalised_impulse(rigid, k, sign, arm, px, py, pz, tx, ty, tz, rhs):
    """Add the impulse ``sign`` p at ``arm`` and the torque impulse ``sign`` T on a body to the generalised forces."""
    index = RIGID_BODY(rigid.bodies, k).mechanism_index
    cx, cy, cz = cross(arm[0], arm[1], arm[2], px, py, pz)
    if rigid.is_planar != 0:
        i = PLANAR_DOF * index
        rhs[i] += sign * px
        rhs[i + 1] += sign * py
        rhs[i + 2] += sign * (tz + cz)
        return
    R = SPATIAL_BODY(MODEL(STEPPER(rigid.stepper).model).bodies, index + 1).R_principal
    i = SPATIAL_DOF * index
    mx, my, mz = to_principal(R, tx + cx, ty + cy, tz + cz)
    rhs[i] += sign * px
    rhs[i + 1] += sign * py
    rhs[i + 2] += sign * pz
    rhs[i + 3] += sign * mx
    rhs[i + 4] += sign * my
    rhs[i + 5] += sign * mz


@jit
def store_component_response(rigid, component, column, n_columns, response):
    """Store the accelerations of the bodies of a component as one column of their responses; return the next one."""
    acceleration = floats(MODEL(STEPPER(rigid.stepper).model).acceleration)
    first = ints(rigid.component_first)
    velocity = BODY_VELOCITY(rigid.scratch)
    for index in range(first[component], first[component + 1]):
        k = ints(rigid.component_bodies)[index]
        load_velocity(rigid, RIGID_BODY(rigid.bodies, k).mechanism_index, acceleration, velocity)
        for d in range(3):
            response[6 * column + d] = velocity.v[d]
            response[6 * column + 3 + d] = velocity.omega[d]
        response = offset(response, 6 * n_columns)
    return response


@jit
def component_size(rigid, component):
    """Return the number of bodies of a component."""
    first = ints(rigid.component_first)
    return first[component + 1] - first[component] if component >= 0 else 0


@jit
def unit(d, e):
    """Return 1 for equal indices, else 0."""
    return 1.0 if d == e else 0.0


@jit
def store_responses(rigid, row, data):
    """Store the responses of the mechanism to unit impulses of a contact; return False if there is no space."""
    component_a = RIGID_BODY(rigid.bodies, row.body_a).component
    component_b = RIGID_BODY(rigid.bodies, row.body_b).component
    n_columns = 6 if row.kind & ROLLING != 0 else 3
    size = component_size(rigid, component_a)
    if component_b != component_a:
        size += component_size(rigid, component_b)
    data.response = rigid.response_size
    data.n_columns = n_columns
    rigid.response_size += 6 * n_columns * size
    if rigid.response_size > rigid.response_capacity:
        data.response = 0
        return False
    model = MODEL(STEPPER(rigid.stepper).model)
    rhs = floats(model.rhs_motion)
    for column in range(n_columns):
        set_zero(rhs, model.n_velocities)
        set_zero(floats(model.rhs_constraint), model.n_constraints)
        px = unit(column, 0)
        py = unit(column, 1)
        pz = unit(column, 2)
        tx = unit(column, 3)
        ty = unit(column, 4)
        tz = unit(column, 5)
        if component_a >= 0:
            add_generalised_impulse(rigid, row.body_a, 1.0, row.a, px, py, pz, tx, ty, tz, rhs)
        if component_b >= 0:
            add_generalised_impulse(rigid, row.body_b, -1.0, row.b, px, py, pz, tx, ty, tz, rhs)
        solve(model)
        response = offset(floats(rigid.responses), data.response)
        if component_a >= 0:
            response = store_component_response(rigid, component_a, column, n_columns, response)
        if component_b >= 0 and component_b != component_a:
            store_component_response(rigid, component_b, column, n_columns, response)
    return True


@jit
def find_response(rigid, component, body, n_columns, response):
    """Return the response of one body of a component."""
    first = ints(rigid.component_first)
    for index in range(first[component], first[component + 1]):
        if ints(rigid.component_bodies)[index] == body:
            break
        response = offset(response, 6 * n_columns)
    return response


@jit
def add_response(sign, arm, response, n_columns, K, J):
    """Add the response of a body at the contact point to K, and its rotation to J."""
    for column in range(n_columns):
        u = offset(response, 6 * column)
        cx, cy, cz = cross(u[3], u[4], u[5], arm[0], arm[1], arm[2])
        if column == 0:
            K[0] += sign * (u[0] + cx)
        elif column == 1:
            K[1] += sign * (u[0] + cx)
            K[3] += sign * (u[1] + cy)
        elif column == 2:
            K[2] += sign * (u[0] + cx)
            K[4] += sign * (u[1] + cy)
            K[5] += sign * (u[2] + cz)
        elif column == 3:
            J[0] += sign * u[3]
        elif column == 4:
            J[1] += sign * u[3]
            J[3] += sign * u[4]
        else:
            J[2] += sign * u[3]
            J[4] += sign * u[4]
            J[5] += sign * u[5]


@jit
def add_component_mass(rigid, row, data, K, J):
    """Add the inverse effective masses of the bodies with joints to the symmetric matrices K and J of a contact."""
    component_a = RIGID_BODY(rigid.bodies, row.body_a).component
    component_b = RIGID_BODY(rigid.bodies, row.body_b).component
    response = offset(floats(rigid.responses), data.response)
    n_columns = data.n_columns
    if component_a >= 0:
        add_response(1.0, row.a, find_response(rigid, component_a, row.body_a, n_columns, response), n_columns, K, J)
    if component_b >= 0:
        if component_b != component_a:
            response = offset(response, 6 * n_columns * component_size(rigid, component_a))
        add_response(-1.0, row.b, find_response(rigid, component_b, row.body_b, n_columns, response), n_columns, K, J)


# ---- phases of a step after the contacts


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
            if on_a:
                add_generalised_impulse(rigid, row.body_a, 1.0, row.a, P[0], P[1], P[2], T[0], T[1], T[2], rhs)
            if on_b:
                add_generalised_impulse(rigid, row.body_b, -1.0, row.b, P[0], P[1], P[2], T[0], T[1], T[2], rhs)
    copy(floats(stepper.u_free), n, u_new)
    if has_impulse:
        solve(model)
        add(floats(model.acceleration), n, u_new)
        add(floats(model.lam), stepper.n_constraints, floats(stepper.joint_impulses))
    for index in range(rigid.n_mechanism_bodies):
        k = ints(rigid.mechanism_bodies)[index]
        load_velocity(rigid, index, u_new, BODY_VELOCITY(rigid.velocities, k))
    return has_impulse


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
    if stepper.forces_kernel == 0 and not with_defect:
        return False
    if with_defect:
        compute_velocity_defect(t, rigid.h, stepper)
    if stepper.forces_kernel != 0:
        for i in range(n):
            y_mid[n + i] = 0.5 * (y[n + i] + y_new[n + i])
        call_project(stepper.forces_kernel, t + 0.5 * rigid.h, y_mid, model)
        if not with_defect and forces_are_unchanged(stepper):
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
def move_mechanism(t, rigid, displacements):
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
