"""Evaluation of a contact: kinematics from the pair of shapes, forces from the laws, for all systems, in 3D.

Bodies are records of spatial bodies; planar ones are embedded in space. `carom.mechanics.planar_contacts` and
`spatial_contacts` loop over the contacts of a model and add the forces to the right-hand side; they differ in the
tangent (see `carom.mechanics.contact_friction`) and in the number of generalised forces. They are two kernels, and not
one with branches, so that a model compiles only what it uses.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.overlap import OVERLAP
from carom.kernels import call_normal, call_pair, floats, jit, offset
from carom.mechanics.contact_friction import rolling_resistance, spinning_resistance
from carom.mechanics.contact_records import (
    BOUNDING_SPHERES,
    CONTACT_WORKSPACE,
    FORCE_FREE,
    SEPARATED,
    STATIC,
)
from carom.mechanics.model_record import SETTINGS
from carom.mechanics.spatial_body import cross, rotate

MIN_APPROACH_SPEED, MAX_RESTING_SPEED = 1e-5, 1e-9
"""Smallest approach speed that scales damping [m/s]: below it a law of impact would be infinitely stiff; and the speed
up to which a contact begins at rest: `resting_speed` then scales its damping, or it is elastic."""


# ---- kinematics


@jit
def is_far_apart(model, contact, a, b, contact_state):
    """Return whether the bounding spheres of two shapes are separated; if so, store a lower bound of the gap.

    Not while a result is made, which shows the gap itself.
    """
    if contact.bounding_spheres < 0 or SETTINGS(model.settings).stores_energy != 0:
        return False
    spheres = BOUNDING_SPHERES(offset(floats(model.params), contact.bounding_spheres))
    ax, ay, az = rotate(a, spheres.ax, spheres.ay, spheres.az)
    bx, by, bz = rotate(b, spheres.bx, spheres.by, spheres.bz)
    dx = a.x + ax - b.x - bx
    dy = a.y + ay - b.y - by
    dz = a.z + az - b.z - bz
    sum_of_radii = spheres.radius_a + spheres.radius_b
    square = dx * dx + dy * dy + dz * dz
    if square <= sum_of_radii * sum_of_radii:
        return False
    ux, uy, uz = cross(a.wx, a.wy, a.wz, ax, ay, az)
    wx, wy, wz = cross(b.wx, b.wy, b.wz, bx, by, bz)
    vx = a.vx + ux - b.vx - wx
    vy = a.vy + uy - b.vy - wy
    vz = a.vz + uz - b.vz - wz
    distance = math.sqrt(square)
    contact_state.indentation = sum_of_radii - distance
    contact_state.indentation_rate = -(dx * vx + dy * vy + dz * vz) / distance
    contact_state.nx = dx / distance
    contact_state.ny = dy / distance
    contact_state.nz = dz / distance
    contact_state.x = b.x + bx
    contact_state.y = b.y + by
    contact_state.z = b.z + bz
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    contact_state.speed_bound = speed + a.omega_norm * spheres.radius_a + b.omega_norm * spheres.radius_b
    contact_state.volume = 0.0
    contact_state.squares = 0.0
    contact_state.contact_area = 0.0
    return True


@jit
def store_overlap(warm_start, a, b, contact_state):
    """Store the integrals of the overlap of a distributed contact; the rate is the mean, weighted by the depth."""
    overlap = OVERLAP(warm_start)
    contact_state.volume = overlap.volume
    contact_state.squares = overlap.squares
    contact_state.contact_area = overlap.area
    contact_state.moment_x = overlap.moment[0]
    contact_state.moment_y = overlap.moment[1]
    contact_state.moment_z = overlap.moment[2]
    contact_state.indentation_rate -= (
        overlap.moment[0] * (a.wx - b.wx) + overlap.moment[1] * (a.wy - b.wy) + overlap.moment[2] * (a.wz - b.wz)
    )


@jit
def pair_kinematics(model, contact, a, b, contact_state):
    """Store the closest points of two shapes by their pair kernel, and the relative velocity there."""
    out = CONTACT_WORKSPACE(model.workspace).pair_output
    warm_start = offset(floats(model.warm_start), contact.warm_start_offset)
    call_pair(contact.pair_kernel, a, b, offset(floats(model.params), contact.pair_params), warm_start, out)
    nx = out.normal[0]
    ny = out.normal[1]
    nz = out.normal[2]
    px = out.force_point[0]
    py = out.force_point[1]
    pz = out.force_point[2]
    if contact.is_rotational:
        vx = a.wx - b.wx
        vy = a.wy - b.wy
        vz = a.wz - b.wz
    else:
        # Velocity of a relative to b at the contact point; the normal part is the same anywhere along the normal.
        ax, ay, az = cross(a.wx, a.wy, a.wz, px - a.x, py - a.y, pz - a.z)
        bx, by, bz = cross(b.wx, b.wy, b.wz, px - b.x, py - b.y, pz - b.z)
        vx = a.vx + ax - b.vx - bx
        vy = a.vy + ay - b.vy - by
        vz = a.vz + az - b.vz - bz
    normal_velocity = nx * vx + ny * vy + nz * vz
    contact_state.indentation = -out.gap
    contact_state.indentation_rate = -normal_velocity
    contact_state.x = px
    contact_state.y = py
    contact_state.z = pz
    contact_state.nx = nx
    contact_state.ny = ny
    contact_state.nz = nz
    contact_state.speed_bound = math.sqrt(vx * vx + vy * vy + vz * vz)
    if contact.is_distributed:
        store_overlap(warm_start, a, b, contact_state)
    if model.dim == 2:
        contact_state.sliding_speed = -ny * vx + nx * vy
        return
    gx = vx - normal_velocity * nx
    gy = vy - normal_velocity * ny
    gz = vz - normal_velocity * nz
    contact_state.sliding_x = gx
    contact_state.sliding_y = gy
    contact_state.sliding_z = gz
    contact_state.sliding_speed = math.sqrt(gx * gx + gy * gy + gz * gz)


@jit
def evaluate_kinematics(model, contact, a, b, contact_state):
    """Store gap, normal, contact point and relative velocity of bodies ``a`` and ``b``."""
    if not is_far_apart(model, contact, a, b, contact_state):
        pair_kinematics(model, contact, a, b, contact_state)


# ---- forces


@jit
def damping_speed(approach_speed):
    """Return the approach speed that scales the damping of a law [m/s]; 0: the law is elastic."""
    return max(approach_speed, MIN_APPROACH_SPEED) if approach_speed > MAX_RESTING_SPEED else 0.0


@jit
def store_law_input(law_input, delta, delta_dot, approach_speed, delta_turn, is_unloading):
    """Store the arguments of a normal law, except for the request of the stored energy."""
    law_input.delta = delta
    law_input.delta_dot = delta_dot
    law_input.v_in = damping_speed(approach_speed)
    law_input.delta_turn = delta_turn
    law_input.is_unloading = is_unloading


@jit
def start_loading(history):
    """Let a contact follow the loading curve of its law, without a turning point."""
    history.delta_turn = 0.0
    history.is_unloading = 0


@jit
def start_unloading(history, delta):
    """Let a contact follow the unloading curve of its law from the indentation ``delta`` [m]."""
    history.delta_turn = delta
    history.is_unloading = 1


@jit
def update_turning_point(history, delta, rate):
    """Start or end the unloading of a law with an unloading curve; return the number of changes, 0 or 1."""
    if history.is_unloading == 0 and rate < 0.0:
        start_unloading(history, max(delta, history.max_indentation))
        return 1
    if history.is_unloading != 0 and delta > history.delta_turn:
        history.is_unloading = 0
        return 1
    return 0


@jit
def integrate_pressure(contact, contact_state, law_output):
    """Integrate a law of the pressure over the overlap, from its output for 1 m of depth of all elements."""
    volume = contact_state.volume / contact.element_area
    law_output.force *= volume
    law_output.elastic_force *= volume
    law_output.damping *= volume
    law_output.stored_energy *= contact_state.squares / contact.element_area
    law_output.stiffness *= contact_state.contact_area / contact.element_area


@jit
def normal_force(model, contact, history, contact_state):
    """Store normal force, its elastic part, stored energy and the sign of the law for the given kinematics."""
    mode = history.mode
    delta = contact_state.indentation
    contact_state.normal_force = 0.0
    contact_state.elastic_force = 0.0
    contact_state.stored_energy = 0.0
    contact_state.force_sign = 1.0
    if contact.law_kernel == 0 or mode == SEPARATED or (mode == STATIC and delta <= 0.0):
        return
    workspace = CONTACT_WORKSPACE(model.workspace)
    settings = SETTINGS(model.settings)
    law_input = workspace.law_input
    law_output = workspace.law_output
    rate = contact_state.indentation_rate
    store_law_input(law_input, delta, rate, history.approach_speed, history.delta_turn, history.is_unloading)
    law_input.stores_energy = settings.stores_energy
    if contact.is_distributed:
        law_input.delta = 1.0
    call_normal(contact.law_kernel, offset(floats(model.params), contact.law_params), law_input, law_output)
    if contact.is_distributed:
        integrate_pressure(contact, contact_state, law_output)
    force = law_output.force
    if mode == FORCE_FREE:
        force = 0.0
    elif settings.locates_events == 0 or mode == STATIC:
        if delta <= 0.0 or (force < 0.0 and not contact.is_adhesive):
            force = 0.0
    contact_state.normal_force = force
    contact_state.max_pressure = 0.0
    if contact_state.volume > 0.0 and contact.is_distributed:
        contact_state.max_pressure = force * max(delta, 0.0) / contact_state.volume
    contact_state.elastic_force = law_output.elastic_force
    contact_state.stored_energy = law_output.stored_energy
    contact_state.force_sign = law_output.force_sign


@jit
def store_force(contact, contact_state, workspace):
    """Store the contact force on the first body of the pair, and normal and force on the first shape of the user.

    The pair may have the shapes in the other order.
    """
    sign = -1.0 if contact.is_swapped else 1.0
    force = contact_state.normal_force
    fx = force * contact_state.nx + workspace.friction[0]
    fy = force * contact_state.ny + workspace.friction[1]
    fz = force * contact_state.nz + workspace.friction[2]
    workspace.force[0] = fx
    workspace.force[1] = fy
    workspace.force[2] = fz
    if contact.is_distributed:
        workspace.moment[0] = force * contact_state.moment_x
        workspace.moment[1] = force * contact_state.moment_y
        workspace.moment[2] = force * contact_state.moment_z
        contact_state.moment_x *= sign
        contact_state.moment_y *= sign
        contact_state.moment_z *= sign
    contact_state.fx = sign * fx
    contact_state.fy = sign * fy
    contact_state.fz = sign * fz
    contact_state.nx *= sign
    contact_state.ny *= sign
    contact_state.nz *= sign


@jit
def finish_evaluation(model, contact, a, b, contact_state, friction_power, loss):
    """Store rolling resistance, force vector and dissipated powers of a contact with known normal force and friction.

    ``friction_power`` is the power that friction dissipates [W].
    """
    force = contact_state.normal_force
    loss.normal = (force - contact_state.elastic_force) * contact_state.indentation_rate
    loss.friction = friction_power
    if contact.rolling_params >= 0 and force > 0.0:
        loss.friction += rolling_resistance(model, contact, a, b, contact_state)
        loss.friction += spinning_resistance(model, contact, a, b, contact_state)
    store_force(contact, contact_state, CONTACT_WORKSPACE(model.workspace))
