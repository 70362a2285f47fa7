"""Contacts of a spatial model: as `carom.mechanics.planar_contacts`, with two directions of friction.

Its records begin with the pose that the kernels of pairs read. What friction remembers (z) is a vector in global axes:
the tangents it is given along may turn from one evaluation to the next.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.kernels import CONTACTS as ALL_CONTACTS
from carom.kernels import GLANCE, LEVER, call_friction, call_pair, floats, jit, kernel, offset
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT
from carom.laws.friction.rolling_resistance import PARAMS as ROLLING_PARAMS
from carom.laws.friction.rolling_resistance import rolling_torque
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE, LOADED
from carom.mechanics.model_record import CONTACT_LOSS, MODEL, SETTINGS
from carom.mechanics.planar_contacts import BODY_A, BODY_B, FRICTION_IN, FRICTION_OUT, LOOK, OUT, press
from carom.mechanics.spatial_body import body_at, cross, rotate
from carom.mechanics.spatial_interpolation import between

FRICTION_STATES = 3
"""Numbers in y of a friction law with a state: z in global axes."""


@jit
def far_apart(model, contact, a, b, contact_state):
    """Whether the balls around two shapes are apart; if so, a lower bound of the gap, and what else is asked of it.

    Not while a result is made, which shows the gap itself.
    """
    if contact.bounding_spheres < 0 or SETTINGS(model.settings).stores_energy != 0.0:
        return False
    ball = offset(floats(model.params), contact.bounding_spheres)
    ax, ay, az = rotate(a, ball[0], ball[1], ball[2])
    bx, by, bz = rotate(b, ball[4], ball[5], ball[6])
    dx = a.x + ax - b.x - bx
    dy = a.y + ay - b.y - by
    dz = a.z + az - b.z - bz
    reach = ball[3] + ball[7]
    square = dx * dx + dy * dy + dz * dz
    if square <= reach * reach:
        return False
    ux, uy, uz = cross(a.wx, a.wy, a.wz, ax, ay, az)
    wx, wy, wz = cross(b.wx, b.wy, b.wz, bx, by, bz)
    vx = a.vx + ux - b.vx - wx
    vy = a.vy + uy - b.vy - wy
    vz = a.vz + uz - b.vz - wz
    distance = math.sqrt(square)
    contact_state.indentation = reach - distance
    contact_state.indentation_rate = -(dx * vx + dy * vy + dz * vz) / distance
    contact_state.nx = dx / distance
    contact_state.ny = dy / distance
    contact_state.nz = dz / distance
    contact_state.x = b.x + bx
    contact_state.y = b.y + by
    contact_state.z = b.z + bz
    contact_state.speed_bound = math.sqrt(vx * vx + vy * vy + vz * vz) + a.omega_norm * ball[3] + b.omega_norm * ball[7]
    return True


@jit
def meet(model, contact, a, b, contact_state):
    """Where bodies ``a`` and ``b`` (records) are closest, and how fast the indentation changes there."""
    if far_apart(model, contact, a, b, contact_state):
        return
    out = PAIR_OUTPUT(offset(floats(model.workspace), OUT))
    warm_start = offset(floats(model.warm_start), contact.warm_start_offset)
    call_pair(contact.pair_kernel, a, b, offset(floats(model.params), contact.pair_params), warm_start, out)
    nx = out.normal[0]
    ny = out.normal[1]
    nz = out.normal[2]
    px = out.force_point[0]
    py = out.force_point[1]
    pz = out.force_point[2]
    # Velocity of a relative to b at the contact point; the normal part is the same anywhere along the normal.
    ax, ay, az = cross(a.wx, a.wy, a.wz, px - a.x, py - a.y, pz - a.z)
    bx, by, bz = cross(b.wx, b.wy, b.wz, px - b.x, py - b.y, pz - b.z)
    vx = a.vx + ax - b.vx - bx
    vy = a.vy + ay - b.vy - by
    vz = a.vz + az - b.vz - bz
    along = nx * vx + ny * vy + nz * vz
    contact_state.indentation = -out.gap
    contact_state.indentation_rate = -along
    contact_state.sliding_x = vx - along * nx
    contact_state.sliding_y = vy - along * ny
    contact_state.sliding_z = vz - along * nz
    contact_state.sliding_speed = math.sqrt(
        contact_state.sliding_x**2 + contact_state.sliding_y**2 + contact_state.sliding_z**2
    )
    contact_state.x = px
    contact_state.y = py
    contact_state.z = pz
    contact_state.nx = nx
    contact_state.ny = ny
    contact_state.nz = nz
    contact_state.speed_bound = math.sqrt(vx * vx + vy * vy + vz * vz)


@jit
def across(nx, ny, nz):
    """A unit vector across a unit normal, the same for the same normal."""
    if abs(nx) <= abs(ny) and abs(nx) <= abs(nz):
        tx = 0.0
        ty = -nz
        tz = ny
    elif abs(ny) <= abs(nz):
        tx = nz
        ty = 0.0
        tz = -nx
    else:
        tx = -ny
        ty = nx
        tz = 0.0
    length = math.sqrt(tx * tx + ty * ty + tz * tz)
    return tx / length, ty / length, tz / length


@jit
def rub(model, contact, z, contact_state, force, z_rate):
    """Friction on the pair's first body, in global axes, and the rate of the law's own state."""
    scratch = floats(model.workspace)
    law_input = FRICTION_INPUT(offset(scratch, FRICTION_IN))
    law_output = FRICTION_OUTPUT(offset(scratch, FRICTION_OUT))
    nx = contact_state.nx
    ny = contact_state.ny
    nz = contact_state.nz
    speed = contact_state.sliding_speed
    if speed > 0.0:
        tx = contact_state.sliding_x / speed
        ty = contact_state.sliding_y / speed
        tz = contact_state.sliding_z / speed
    else:
        tx, ty, tz = across(nx, ny, nz)
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    law_input.normal_force = contact_state.normal_force
    law_input.v_t = speed
    law_input.v_s = 0.0
    law_input.z_t = 0.0
    law_input.z_s = 0.0
    place = contact.friction_state_offset
    if place >= 0:
        law_input.z_t = z[place] * tx + z[place + 1] * ty + z[place + 2] * tz
        law_input.z_s = z[place] * sx + z[place + 1] * sy + z[place + 2] * sz
    par = offset(floats(model.params), contact.friction_params)
    call_friction(contact.friction_kernel, par, law_input, law_output)
    force_t = law_output.force_t
    force_s = law_output.force_s
    force[0] = force_t * tx + force_s * sx
    force[1] = force_t * ty + force_s * sy
    force[2] = force_t * tz + force_s * sz
    if place >= 0:
        z_dot_t = law_output.z_dot_t
        z_dot_s = law_output.z_dot_s
        z_rate[place] = z_dot_t * tx + z_dot_s * sx
        z_rate[place + 1] = z_dot_t * ty + z_dot_s * sy
        z_rate[place + 2] = z_dot_t * tz + z_dot_s * sz


@jit
def show_force(contact, contact_state, fx, fy, fz):
    """Force on the first body given, and the normal towards it; the pair's own order may be the other one."""
    sign = -1.0 if contact.is_swapped else 1.0
    force = contact_state.normal_force
    contact_state.fx = sign * (force * contact_state.nx + fx)
    contact_state.fy = sign * (force * contact_state.ny + fy)
    contact_state.fz = sign * (force * contact_state.nz + fz)
    contact_state.nx *= sign
    contact_state.ny *= sign
    contact_state.nz *= sign


@jit
def add_wrench(top, sign, fx, fy, fz, rx, ry, rz):
    """A force and its moment about the centre of mass, in global axes."""
    top[0] += sign * fx
    top[1] += sign * fy
    top[2] += sign * fz
    tx, ty, tz = cross(rx, ry, rz, fx, fy, fz)
    top[3] += sign * tx
    top[4] += sign * ty
    top[5] += sign * tz


@jit
def resist(model, contact, a, b, contact_state):
    """The torques against rolling into Q; the power they take."""
    top = floats(model.rhs_motion)
    wx = a.wx - b.wx
    wy = a.wy - b.wy
    wz = a.wz - b.wz
    about = wx * contact_state.nx + wy * contact_state.ny + wz * contact_state.nz
    wx -= about * contact_state.nx
    wy -= about * contact_state.ny
    wz -= about * contact_state.nz
    spin = math.sqrt(wx * wx + wy * wy + wz * wz)
    if spin == 0.0:
        return 0.0
    rolling = ROLLING_PARAMS(offset(floats(model.params), contact.rolling_params))
    torque = contact_state.normal_force * rolling_torque(rolling, spin)
    share = -torque / spin
    for side in range(2):
        home = contact.velocity_a if side == 0 else contact.velocity_b
        if home >= 0:
            top[home + 3] += share * wx
            top[home + 4] += share * wy
            top[home + 5] += share * wz
        share = -share
    return torque * spin


@jit
def be_open(contact, contact_state, z_rate, loss):
    """What a contact far apart shows and does: nothing."""
    loss.normal = 0.0
    loss.friction = 0.0
    contact_state.normal_force = 0.0
    contact_state.friction_force = 0.0
    contact_state.elastic_force = 0.0
    contact_state.stored_energy = 0.0
    contact_state.force_sign = 1.0
    if contact.friction_state_offset >= 0:
        for d in range(3):
            z_rate[contact.friction_state_offset + d] = 0.0


@kernel(ALL_CONTACTS, CONTACT_LOSS, MODEL)
def load_contacts(z, z_rate, losses, model):
    """Forces of all contacts into Q; rates of the friction's states and of what each contact dissipates."""
    bodies = floats(model.bodies)
    top = floats(model.rhs_motion)
    friction = offset(floats(model.workspace), BODY_A)
    plus = 1.0
    minus = -1.0
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        a = body_at(bodies, contact.body_a)
        b = body_at(bodies, contact.body_b)
        loss = CONTACT_LOSS(losses, k)
        if history.mode != LOADED and far_apart(model, contact, a, b, contact_state):
            be_open(contact, contact_state, z_rate, loss)
            continue
        meet(model, contact, a, b, contact_state)
        press(model, contact, history, contact_state)
        for d in range(3):
            friction[d] = 0.0
            if contact.friction_state_offset >= 0:
                z_rate[contact.friction_state_offset + d] = 0.0
        force = contact_state.normal_force
        if contact.friction_kernel != 0 and force > 0.0:
            rub(model, contact, z, contact_state, friction, z_rate)
        contact_state.friction_force = math.sqrt(friction[0] ** 2 + friction[1] ** 2 + friction[2] ** 2)
        loss.normal = (force - contact_state.elastic_force) * contact_state.indentation_rate
        loss.friction = -(
            friction[0] * contact_state.sliding_x
            + friction[1] * contact_state.sliding_y
            + friction[2] * contact_state.sliding_z
        )
        if force != 0.0:
            fx = force * contact_state.nx + friction[0]
            fy = force * contact_state.ny + friction[1]
            fz = force * contact_state.nz + friction[2]
            px = contact_state.x
            py = contact_state.y
            pz = contact_state.z
            if contact.velocity_a >= 0:
                add_wrench(offset(top, contact.velocity_a), plus, fx, fy, fz, px - a.x, py - a.y, pz - a.z)
            if contact.velocity_b >= 0:
                add_wrench(offset(top, contact.velocity_b), minus, fx, fy, fz, px - b.x, py - b.y, pz - b.z)
        if contact.rolling_params >= 0 and force > 0.0:
            loss.friction += resist(model, contact, a, b, contact_state)
        show_force(contact, contact_state, friction[0], friction[1], friction[2])


@kernel(LEVER, CONTACT, CONTACT_STATE, MODEL)
def lever(contact, side, contact_state, out, model):
    bodies = floats(model.bodies)
    body = body_at(bodies, contact.body_a if side == 0 else contact.body_b)
    sign = 1.0 if side == 0 else -1.0
    put_direction(body, sign, contact_state, contact_state.nx, contact_state.ny, contact_state.nz, out)


@jit
def put_direction(body, sign, contact_state, x, y, z, out):
    """The generalised direction of a unit force along (x, y, z) at the contact point of a body."""
    out[0] = sign * x
    out[1] = sign * y
    out[2] = sign * z
    rx, ry, rz = cross(
        contact_state.x - body.x, contact_state.y - body.y, contact_state.z - body.z, sign * x, sign * y, sign * z
    )
    p = body.R_principal
    for d in range(3):
        out[3 + d] = p[d] * rx + p[3 + d] * ry + p[6 + d] * rz


@kernel(GLANCE, MODEL)
def glance(k, h, s, y0, f0, y1, f1, model):
    """Look at contact ``k`` at fraction ``s`` of a step from y0 to y1 with slopes f0 and f1, into SCRATCH."""
    scratch = floats(model.workspace)
    contact = CONTACT(model.contacts, k)
    a = body_at(scratch, BODY_A)
    b = body_at(scratch, BODY_B)
    contact_state = CONTACT_STATE(offset(scratch, LOOK))
    n = model.n_velocities
    between(contact.velocity_a, n, y0, f0, y1, f1, h, s, model, a)
    between(contact.velocity_b, n, y0, f0, y1, f1, h, s, model, b)
    meet(model, contact, a, b, contact_state)
    press(model, contact, CONTACT_HISTORY(model.contact_history, k), contact_state)
