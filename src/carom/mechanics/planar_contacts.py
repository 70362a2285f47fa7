"""Contacts of a planar model: where bodies touch, the force it gives, and what a contact remembers.

The geometry is that of `carom.geometry.pairs`, in space; here a planar body is put into it and taken out again.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.kernels import CONTACTS as ALL_CONTACTS
from carom.kernels import (
    GLANCE,
    LEVER,
    address_of,
    call_friction,
    call_lever,
    call_normal,
    call_pair,
    floats,
    jit,
    kernel,
    offset,
)
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT
from carom.laws.friction.rolling_resistance import PARAMS as ROLLING_PARAMS
from carom.laws.friction.rolling_resistance import rolling_torque
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, clear_input
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE, FORCE_FREE, SEPARATED, STATIC
from carom.mechanics.model_record import CONTACT_LOSS, MODEL, SETTINGS
from carom.mechanics.planar_body import DOF, PLANAR_BODY, body_at

# Places in SCRATCH.
POSE_A, POSE_B, OUT, LAW_STATE, LAW_OUT, FRICTION_IN, FRICTION_OUT = 0, 12, 24, 37, 43, 47, 52
BODY_A, BODY_B, LOOK, LEVER_OUT, SCRATCH_SIZE = 56, 92, 128, 152, 160

N_BODY = PLANAR_BODY.size
"""Numbers in the record of a body."""

FRICTION_STATES = 1
"""Numbers in y of a friction law with a state: z along the tangent."""

FLOOR, AT_REST = 1e-5, 1e-9
"""Approach speed [m/s] that damping is measured by at least: below it a law of impact would be endlessly stiff; and the
one below which a contact begins at rest: its damping is measured by `resting_speed`, or it is elastic."""
GROWTH = 1.5
"""Factor between the indentations that are tried until a law gives a force."""


@jit
def put_pose(body, pose):
    """A planar body as a pose in space."""
    pose[0] = body.x
    pose[1] = body.y
    pose[2] = 0.0
    pose[3] = body.cos
    pose[4] = -body.sin
    pose[5] = 0.0
    pose[6] = body.sin
    pose[7] = body.cos
    pose[8] = 0.0
    pose[9] = 0.0
    pose[10] = 0.0
    pose[11] = 1.0


@jit
def meet(model, contact, a, b, contact_state):
    """Where bodies ``a`` and ``b`` (records) are closest, and how fast the indentation changes there."""
    scratch = floats(model.workspace)
    out = PAIR_OUTPUT(offset(scratch, OUT))
    pose_a = offset(scratch, POSE_A)
    pose_b = offset(scratch, POSE_B)
    put_pose(a, pose_a)
    put_pose(b, pose_b)
    warm_start = offset(floats(model.warm_start), contact.warm_start_offset)
    call_pair(contact.pair_kernel, pose_a, pose_b, offset(floats(model.params), contact.pair_params), warm_start, out)
    nx = out.normal[0]
    ny = out.normal[1]
    px = out.force_point[0]
    py = out.force_point[1]
    # Velocity of a relative to b at the contact point; the normal part is the same anywhere along the normal.
    vx = a.vx - a.omega * (py - a.y) - b.vx + b.omega * (py - b.y)
    vy = a.vy + a.omega * (px - a.x) - b.vy - b.omega * (px - b.x)
    contact_state.indentation = -out.gap
    contact_state.indentation_rate = -(nx * vx + ny * vy)
    contact_state.sliding_speed = -ny * vx + nx * vy
    contact_state.x = px
    contact_state.y = py
    contact_state.nx = nx
    contact_state.ny = ny
    contact_state.speed_bound = math.sqrt(vx * vx + vy * vy)


@jit
def press(model, contact, history, contact_state):
    """Normal force, its elastic part, stored energy and the sign of the law, for what is ``seen``."""
    scratch = floats(model.workspace)
    settings = SETTINGS(model.settings)
    law_input = LAW_INPUT(offset(scratch, LAW_STATE))
    law_output = LAW_OUTPUT(offset(scratch, LAW_OUT))
    mode = history.mode
    delta = contact_state.indentation
    contact_state.normal_force = 0.0
    contact_state.elastic_force = 0.0
    contact_state.stored_energy = 0.0
    contact_state.force_sign = 1.0
    if contact.law_kernel == 0 or mode == SEPARATED or (mode == STATIC and delta <= 0.0):
        return
    law_input.delta = delta
    law_input.delta_dot = contact_state.indentation_rate
    approach = history.approach_speed
    law_input.v_in = max(approach, FLOOR) if approach > AT_REST else 0.0
    law_input.delta_turn = history.delta_turn
    law_input.is_unloading = history.is_unloading
    law_input.stores_energy = settings.stores_energy
    call_normal(contact.law_kernel, offset(floats(model.params), contact.law_params), law_input, law_output)
    force = law_output.force
    if mode == FORCE_FREE:
        force = 0.0
    elif settings.locates_events == 0 or mode == STATIC:
        if delta <= 0.0 or (force < 0.0 and not contact.is_adhesive):
            force = 0.0
    contact_state.normal_force = force
    contact_state.elastic_force = law_output.elastic_force
    contact_state.stored_energy = law_output.stored_energy
    contact_state.force_sign = law_output.force_sign


@jit
def rub(model, contact, z, contact_state, z_rate):
    """Friction force along the tangent (−n_y, n_x), on the pair's first body, and the rate of its own state."""
    scratch = floats(model.workspace)
    law_input = FRICTION_INPUT(offset(scratch, FRICTION_IN))
    law_output = FRICTION_OUTPUT(offset(scratch, FRICTION_OUT))
    law_input.normal_force = contact_state.normal_force
    law_input.v_t = contact_state.sliding_speed
    law_input.v_s = 0.0
    law_input.z_t = 0.0
    law_input.z_s = 0.0
    states = contact.friction_state_offset >= 0
    if states:
        law_input.z_t = z[contact.friction_state_offset]
    par = offset(floats(model.params), contact.friction_params)
    call_friction(contact.friction_kernel, par, law_input, law_output)
    contact_state.friction_force = law_output.force_t
    if states:
        z_rate[contact.friction_state_offset] = law_output.z_dot_t


@jit
def show_force(contact, contact_state):
    """Force on the first body given, and the normal towards it; the pair's own order may be the other one."""
    nx = contact_state.nx
    ny = contact_state.ny
    fx = contact_state.normal_force * nx - contact_state.friction_force * ny
    fy = contact_state.normal_force * ny + contact_state.friction_force * nx
    sign = -1.0 if contact.is_swapped else 1.0
    contact_state.nx = sign * nx
    contact_state.ny = sign * ny
    contact_state.fx = sign * fx
    contact_state.fy = sign * fy


@kernel(ALL_CONTACTS, CONTACT_LOSS, MODEL)
def load_contacts(z, z_rate, losses, model):
    """Forces of all contacts into Q; rates of the friction's states and of what each contact dissipates."""
    bodies = floats(model.bodies)
    top = floats(model.rhs_motion)
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        a = body_at(bodies, contact.body_a)
        b = body_at(bodies, contact.body_b)
        loss = CONTACT_LOSS(losses, k)
        meet(model, contact, a, b, contact_state)
        press(model, contact, history, contact_state)
        contact_state.friction_force = 0.0
        if contact.friction_state_offset >= 0:
            z_rate[contact.friction_state_offset] = 0.0
        force = contact_state.normal_force
        nx = contact_state.nx
        ny = contact_state.ny
        if contact.friction_kernel != 0 and force > 0.0:
            rub(model, contact, z, contact_state, z_rate)
        show_force(contact, contact_state)
        along = contact_state.friction_force
        fx = force * nx - along * ny
        fy = force * ny + along * nx
        px = contact_state.x
        py = contact_state.y
        if contact.velocity_a >= 0:
            v = contact.velocity_a
            top[v] += fx
            top[v + 1] += fy
            top[v + 2] += (px - a.x) * fy - (py - a.y) * fx
        if contact.velocity_b >= 0:
            v = contact.velocity_b
            top[v] -= fx
            top[v + 1] -= fy
            top[v + 2] -= (px - b.x) * fy - (py - b.y) * fx
        loss.normal = (force - contact_state.elastic_force) * contact_state.indentation_rate
        loss.friction = -along * contact_state.sliding_speed
        if contact.rolling_params >= 0 and force > 0.0:
            spin = a.omega - b.omega
            rolling = ROLLING_PARAMS(offset(floats(model.params), contact.rolling_params))
            torque = force * rolling_torque(rolling, abs(spin))
            torque = -torque if spin > 0.0 else torque
            loss.friction -= torque * spin
            if contact.velocity_a >= 0:
                top[contact.velocity_a + 2] += torque
            if contact.velocity_b >= 0:
                top[contact.velocity_b + 2] -= torque


@jit
def between(first, n, y0, f0, y1, f1, h, s, body):
    """The record of a body at fraction ``s`` of a step, on the quintic through position, velocity, acceleration.

    ``first`` is its first velocity, −1 for the ground.
    """
    numbers = floats(address_of(body))  # coordinates, then velocities
    if first < 0:
        for i in range(N_BODY):
            numbers[i] = 0.0
        body.cos = 1.0
        return
    for d in range(DOF):
        i = first + d
        if s == 0.0:
            numbers[d] = y0[i]
            numbers[DOF + d] = y0[n + i]
            continue
        v0 = y0[n + i]
        a0 = f0[n + i]
        d0 = y1[i] - y0[i] - h * (v0 + 0.5 * h * a0)
        d1 = h * (y1[n + i] - v0 - h * a0)
        d2 = h * h * (f1[n + i] - a0)
        c3 = 10.0 * d0 - 4.0 * d1 + 0.5 * d2
        c4 = -15.0 * d0 + 7.0 * d1 - d2
        c5 = 6.0 * d0 - 3.0 * d1 + 0.5 * d2
        numbers[d] = y0[i] + s * h * (v0 + 0.5 * s * h * a0) + s * s * s * (c3 + s * (c4 + s * c5))
        numbers[DOF + d] = v0 + s * h * a0 + s * s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)) / h
    body.cos = math.cos(body.angle)
    body.sin = math.sin(body.angle)


@kernel(GLANCE, MODEL)
def glance(k, h, s, y0, f0, y1, f1, model):
    """Look at contact ``k`` at fraction ``s`` of a step from y0 to y1 with slopes f0 and f1, into SCRATCH."""
    scratch = floats(model.workspace)
    contact = CONTACT(model.contacts, k)
    a = body_at(scratch, BODY_A)
    b = body_at(scratch, BODY_B)
    contact_state = CONTACT_STATE(offset(scratch, LOOK))
    n = model.n_velocities
    between(contact.velocity_a, n, y0, f0, y1, f1, h, s, a)
    between(contact.velocity_b, n, y0, f0, y1, f1, h, s, b)
    meet(model, contact, a, b, contact_state)
    press(model, contact, CONTACT_HISTORY(model.contact_history, k), contact_state)


@jit
def store_last_state(history, contact_state):
    """Keep what was seen at a node for the step that begins there."""
    history.last_indentation = contact_state.indentation
    history.last_rate = contact_state.indentation_rate
    history.last_force = contact_state.normal_force
    history.last_speed_bound = contact_state.speed_bound


@kernel(LEVER, CONTACT, CONTACT_STATE, MODEL)
def lever(contact, side, contact_state, out, model):
    bodies = floats(model.bodies)
    body = body_at(bodies, contact.body_a if side == 0 else contact.body_b)
    sign = 1.0 if side == 0 else -1.0
    nx = sign * contact_state.nx
    ny = sign * contact_state.ny
    out[0] = nx
    out[1] = ny
    out[2] = (contact_state.x - body.x) * ny - (contact_state.y - body.y) * nx


@jit
def mobility(model, contact, contact_state):
    """1/m of the two bodies along the normal, as if nothing else held them [1/kg]."""
    inverse = floats(model.inverse_mass)
    out = offset(floats(model.workspace), LEVER_OUT)
    total = 0.0
    for side in range(2):
        v = contact.velocity_a if side == 0 else contact.velocity_b
        if v >= 0:
            call_lever(model.normal_direction_kernel, contact, side, contact_state, out, model)
            for d in range(model.velocities_per_body):
                total += inverse[v + d] * out[d] * out[d]
    return total


@jit
def typical_duration(model, contact, history, contact_state):
    """How long an impact of these two bodies takes, roughly [s]: half a period of the law's secant stiffness.

    The indentation is that which stores the energy of approach, or the present one where that is larger. Joints make
    bodies heavier, never lighter: the true duration is not much shorter.
    """
    scratch = floats(model.workspace)
    law_input = LAW_INPUT(offset(scratch, LAW_STATE))
    law_output = LAW_OUTPUT(offset(scratch, LAW_OUT))
    history.inverse_effective_mass = mobility(model, contact, contact_state)
    compliance = history.inverse_effective_mass
    speed = history.approach_speed
    if not compliance > 0.0:
        return math.inf
    energy = 0.5 * speed * speed / compliance
    clear_input(law_input)
    par = offset(floats(model.params), contact.law_params)
    depth = max(contact_state.indentation, 1e-15)
    force = 0.0
    for _ in range(120):
        law_input.delta = depth
        call_normal(contact.law_kernel, par, law_input, law_output)
        force = law_output.force
        if force > 0.0 and 0.4 * force * depth >= energy:  # about what a power law stores
            break
        depth *= GROWTH
    if not force > 0.0:
        return math.inf
    return math.pi * math.sqrt(depth / (force * compliance))


@jit
def resting_speed(kernel, par, law_input, law_output, depth, pull, lightness):
    """Return the approach speed that measures the damping of a contact which begins at rest [m/s].

    It is √(F δ/m) at the indentation δ_s under the load, F(δ_s) = m a, or at the present ``depth`` [m] where that is
    larger: about the speed at which the bodies pass δ_s when they are let go. ``pull`` is a [m/s²], ``lightness`` 1/m
    [1/kg]; zero without load and indentation.
    """
    clear_input(law_input)
    below = 0.0
    delta = max(depth, 1e-15)
    for _ in range(120):
        law_input.delta = delta
        call_normal(kernel, par, law_input, law_output)
        force = law_output.force * lightness
        if force >= pull and force > 0.0:
            if below > 0.0 and force > below:  # a power law between the last two, with F = m a
                delta *= (pull / force) ** (math.log(GROWTH) / math.log(force / below))
                force = pull
            return math.sqrt(force * delta)
        below = force
        delta *= GROWTH
    return 0.0


@jit
def pull_along(model, contact, contact_state, accelerations):
    """Return the larger acceleration of the two bodies at the contact point along the normal [m/s²]."""
    out = offset(floats(model.workspace), LEVER_OUT)
    pull = 0.0
    for side in range(2):
        v = contact.velocity_a if side == 0 else contact.velocity_b
        if v >= 0:
            call_lever(model.normal_direction_kernel, contact, side, contact_state, out, model)
            along = 0.0
            for d in range(model.velocities_per_body):
                along += accelerations[v + d] * out[d]
            pull = max(pull, abs(along))
    return pull
