"""Motion of the mechanism among many bodies: velocity Verlet with constraints (RATTLE), in the steps of all bodies.

From time t to t + h: u(t + h/2) = u + h a/2, q(t + h) = q + h u(t + h/2), moved onto the joints by impulses at time t,
which also change u(t + h/2); contact forces and accelerations there, u(t + h) = u(t + h/2) + h a/2, moved onto the
joints at t + h. Forces that depend on velocities use u(t + h/2) + h a(t)/2.

H. C. Andersen, Rattle: a "velocity" version of the Shake algorithm for molecular dynamics calculations, Journal of
Computational Physics 52 (1983) 24–34.
"""

from __future__ import annotations

import math

from carom.compiled_model.many_body_records import BODY_MOTION_DATA, BODY_PAIR_DATA
from carom.kernels import THREADED_RUN, floats, jit, kernel, offset
from carom.mechanics.contact_records import CONTACT_WORKSPACE
from carom.mechanics.element_evaluation import (
    to_velocity_axes,
    update_body_records,
    update_constraints,
    update_forces,
)
from carom.mechanics.equations_of_motion import (
    MAX_ITERATIONS,
    MAX_RESIDUAL,
    SMALL_RESIDUAL,
    correct_positions,
    correct_velocities,
    store_constraint_rhs,
    update_orientations,
)
from carom.mechanics.kkt import factorise, solve
from carom.mechanics.linear_algebra import add, add_scaled, copy, max_abs, negate, set_zero
from carom.mechanics.model_record import FORCE_POWER, MODEL, NOT_CONVERGED, OK
from carom.mechanics.planar_body import PLANAR_BODY, embed_body
from carom.mechanics.spatial_body import SPATIAL_BODY
from carom.solve.many_body.mechanism_friction import finish_with_friction, start_with_friction
from carom.solve.many_body.mechanism_stops import add_stop_forces, finish_stop_losses, start_stop_losses
from carom.solve.many_body.records import BODY_POSE, FINISH, MANY_BODY, MECHANISM, START, STORE, VERLET_SETTINGS
from carom.solve.many_body.verlet_motion import contact_wrench, has_left_list


@jit
def move_onto_joints(t, h, mechanism, model):
    """Correct coordinates and velocities to satisfy the joints at time ``t``, with the factors before the step.

    The corrections of the velocities are summed on their own: the difference of coordinates would have rounding errors
    of the coordinates, divided by the step.
    """
    n = model.n_velocities
    m = model.n_constraints
    y = floats(mechanism.y)
    Phi = floats(model.Phi)
    rhs_constraint = floats(model.rhs_constraint)
    acceleration = floats(model.acceleration)
    small = SMALL_RESIDUAL * (1.0 + max_abs(y, n))
    update_body_records(y, model)
    update_constraints(t, model)
    last_residual = max_abs(Phi, m)
    for _ in range(MAX_ITERATIONS):
        if last_residual <= small:
            return
        set_zero(floats(model.rhs_motion), n)
        copy(Phi, m, rhs_constraint)
        negate(rhs_constraint, m)
        solve(model)
        add(acceleration, n, y)
        add_scaled(1.0 / h, acceleration, n, offset(y, n))
        update_body_records(y, model)
        update_constraints(t, model)
        residual = max_abs(Phi, m)
        if not residual < 0.5 * last_residual:
            break
        last_residual = residual
    if max_abs(Phi, m) <= MAX_RESIDUAL * (1.0 + max_abs(y, n)):
        return
    factorise(model)
    if correct_positions(t, y, model, True, MAX_ITERATIONS) == NOT_CONVERGED:
        mechanism.joints_failed = 1


@jit
def store_in_tables(h, many_body, mechanism, model):
    """Store poses and velocities of the bodies for the contacts; return True if a body has left the range of the list.

    The bodies of the mechanism are the last ones of the tables.
    """
    workspace = CONTACT_WORKSPACE(model.workspace)
    has_left = False
    for k in range(model.n_bodies):
        i = many_body.n_free_bodies + 1 + k
        in_space = workspace.body_a
        if model.dim == 3:
            in_space = SPATIAL_BODY(model.bodies, k + 1)
        else:
            embed_body(PLANAR_BODY(model.bodies, k + 1), in_space)
        body = BODY_PAIR_DATA(many_body.pair_data, i)
        motion = BODY_MOTION_DATA(many_body.motion_data, i)
        pose = BODY_POSE(many_body.poses, i)
        body.r[0] = in_space.x
        body.r[1] = in_space.y
        body.r[2] = in_space.z
        body.v_half[0] = in_space.vx
        body.v_half[1] = in_space.vy
        body.v_half[2] = in_space.vz
        body.omega_half[0] = in_space.wx
        body.omega_half[1] = in_space.wy
        body.omega_half[2] = in_space.wz
        square = 0.0
        for d in range(3):
            pose.r[d] = body.r[d]
            square += (body.r[d] - motion.r_at_list[d]) ** 2
        for d in range(9):
            pose.R[d] = in_space.R[d]
        speed = math.sqrt(in_space.wx**2 + in_space.wy**2 + in_space.wz**2)
        motion.rotation_since_list += h * speed
        if has_left_list(many_body, motion, square):
            has_left = True
    return has_left


@jit
def start_mechanism(many_body, mechanism, model):
    """Move to the end of the next step; return True if a body has left the range of the neighbour list."""
    h = VERLET_SETTINGS(many_body.settings).h
    n = model.n_velocities
    y = floats(mechanism.y)
    mechanism.n_started += 1
    add_scaled(0.5 * h, floats(mechanism.acceleration), n, offset(y, n))
    if mechanism.friction_stepper != 0:
        start_with_friction(0.5 * h, mechanism)
    add_scaled(h, offset(y, n), n, y)
    if model.n_constraints > 0:
        move_onto_joints(mechanism.t_begin + mechanism.n_started * h, h, mechanism, model)
    update_orientations(y, model)
    update_body_records(y, model)
    return store_in_tables(h, many_body, mechanism, model)


@jit
def add_contact_wrenches(many_body, model):
    """Add the contact forces to the forces of the mechanism, in global axes."""
    rhs_motion = floats(model.rhs_motion)
    size = model.velocities_per_body
    for k in range(model.n_bodies):
        i = many_body.n_free_bodies + 1 + k
        fx, fy, fz, mx, my, mz = contact_wrench(many_body, i, BODY_MOTION_DATA(many_body.motion_data, i))
        forces = offset(rhs_motion, size * k)
        forces[0] += fx
        forces[1] += fy
        if model.dim == 3:
            forces[2] += fz
            forces[3] += mx
            forces[4] += my
            forces[5] += mz
        else:
            forces[2] += mz


@jit
def evaluate_mechanism(t, many_body, mechanism, model):
    """Compute accelerations, multipliers and powers at the state y, with the current contact forces."""
    y = floats(mechanism.y)
    nu = floats(model.nu)
    lam = floats(model.lam)
    power = FORCE_POWER(model.force_power)
    update_body_records(y, model)
    update_forces(t, model, power)
    add_contact_wrenches(many_body, model)
    add_stop_forces(mechanism, model)
    to_velocity_axes(model)
    update_constraints(t, model)
    store_constraint_rhs(y, model)
    if factorise(model) != OK:
        mechanism.is_singular = 1
    solve(model)
    copy(floats(model.acceleration), model.n_velocities, floats(mechanism.acceleration))
    copy(lam, model.n_constraints, floats(mechanism.multipliers))
    mechanism.dissipated_power = power.dissipated
    mechanism.applied_power = power.applied
    driver_power = 0.0
    for r in range(model.n_constraints):
        driver_power -= lam[r] * nu[r]
    mechanism.driver_power = driver_power


@jit
def add_work(half, mechanism):
    """Add the work of force elements and drivers over half a step of length ``half`` [s] with the current powers."""
    mechanism.dissipated += half * mechanism.dissipated_power
    mechanism.applied_work += half * mechanism.applied_power
    mechanism.driver_work += half * mechanism.driver_power


@jit
def finish_mechanism(many_body, mechanism, model):
    """Complete the velocities of a step with the contact forces at its end."""
    h = VERLET_SETTINGS(many_body.settings).h
    n = model.n_velocities
    u = offset(floats(mechanism.y), n)
    u_middle = floats(mechanism.u_middle)
    acceleration = floats(mechanism.acceleration)
    copy(u, n, u_middle)
    if mechanism.stops_kernel != 0:
        update_body_records(floats(mechanism.y), model)
        start_stop_losses(0.5 * h, mechanism, model)
    add_work(0.5 * h, mechanism)
    add_scaled(0.5 * h, acceleration, n, u)
    evaluate_mechanism(mechanism.t_begin + mechanism.n_started * h, many_body, mechanism, model)
    add_work(0.5 * h, mechanism)
    if mechanism.stops_kernel != 0:
        finish_stop_losses(0.5 * h, mechanism, model)
    copy(u_middle, n, u)
    add_scaled(0.5 * h, acceleration, n, u)
    if mechanism.friction_stepper != 0 and h > 0.0:
        finish_with_friction(0.5 * h, mechanism)
    if model.n_constraints > 0:
        correct_velocities(floats(mechanism.y), model)


@kernel(THREADED_RUN, MANY_BODY)
def move_mechanism(many_body, parts):
    """Execute the ``parts`` of a step of the mechanism; return 1 if the list is outdated or a part failed."""
    mechanism = MECHANISM(many_body.mechanism)
    model = MODEL(mechanism.model)
    has_left = False
    if parts & FINISH != 0:
        finish_mechanism(many_body, mechanism, model)
    if parts & START != 0:
        has_left = start_mechanism(many_body, mechanism, model)
    if parts & STORE != 0:
        update_body_records(floats(mechanism.y), model)
        store_in_tables(0.0, many_body, mechanism, model)
    return 1 if has_left or mechanism.joints_failed != 0 or mechanism.is_singular != 0 else 0
