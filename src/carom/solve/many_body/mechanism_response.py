"""Responses of the bodies of a mechanism to contact impulses in a non-smooth run with many bodies.

An impulse of a contact on a body with joints changes the velocities of all bodies that joints connect with it: the
response M⁻¹ w subject to the joints, which is computed once per contact and step.
"""

from __future__ import annotations

from carom.kernels import floats, ints, jit, offset
from carom.mechanics.kkt import solve
from carom.mechanics.linear_algebra import set_zero
from carom.mechanics.model_record import MODEL
from carom.mechanics.spatial_body import SPATIAL_BODY, cross
from carom.solve.many_body.rigid_motion import set_velocity, to_global, to_principal
from carom.solve.many_body.rigid_records import ANGLE, BODY_VELOCITY, RIGID_BODY, ROLLING
from carom.solve.timestepping.records import STEPPER

PLANAR_DOF, SPATIAL_DOF = 3, 6


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
    n_columns = 6 if row.kind & (ROLLING | ANGLE) != 0 else 3
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
