"""Contacts of a spatial model: as `carom.mechanics.contacts`, with two directions of friction.

Its records begin with the pose that the kernels of pairs read. What friction remembers (z) is a vector in global axes:
the tangents it is given along may turn from one evaluation to the next.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import CONTACT_POINT, GAP, NORMAL_AT
from carom.kernels import CONTACTS as ALL_CONTACTS
from carom.kernels import GLANCE, LEVER, call_friction, call_pair, floats, ints, jit, kernel, offset
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT
from carom.laws.friction.rolling_resistance import PARAMS as ROLLING_PARAMS
from carom.laws.friction.rolling_resistance import rolling_torque
from carom.mechanics.block import (
    BODIES,
    CONTACT_TABLE,
    CONTACTS,
    LOSSES,
    MEMORY,
    OBSERVING,
    PAR,
    RECORDS,
    SCRATCH,
    SEEN,
    SETTINGS,
    TOP,
    VELOCITIES,
)
from carom.mechanics.contacts import (
    BODY_A,
    BODY_B,
    BOUNDS,
    CONTACT_COLUMNS,
    CONTACT_X,
    CONTACT_Y,
    CONTACT_Z,
    ELASTIC_FORCE,
    FIRST_BODY,
    FIRST_HOME,
    FIRST_MEMORY,
    FLAGS,
    FORCE_X,
    FORCE_Y,
    FORCE_Z,
    FRICTION_FORCE,
    FRICTION_IN,
    FRICTION_KERNEL,
    FRICTION_OUT,
    FRICTION_PAR,
    INDENTATION,
    LOOK,
    MODE,
    NORMAL_FORCE,
    NORMAL_X,
    NORMAL_Y,
    NORMAL_Z,
    OUT,
    OWN_STATE,
    PAIR_KERNEL,
    PAIR_PAR,
    PRESSING,
    PRESSURE,
    RATE,
    RECORD,
    ROLLING_PAR,
    SECOND_BODY,
    SECOND_HOME,
    SEEN_SIZE,
    SLIDING,
    SLIP_X,
    SLIP_Y,
    SLIP_Z,
    SPEED_BOUND,
    STORED,
    SWAPPED,
    press,
)
from carom.mechanics.spatial import (
    SPIN_SPEED,
    VX,
    VY,
    VZ,
    WX,
    WY,
    WZ,
    P,
    X,
    Y,
    Z,
    cross,
    turn,
)
from carom.mechanics.spatial_between import between

FRICTION_STATES = 3
"""Numbers in y of a friction law with a state: z in global axes."""


@jit
def far_apart(block, contact, a, b, seen):
    """Whether the balls around two shapes are apart; if so, a lower bound of the gap, and what else is asked of it.

    Not while a result is made, which shows the gap itself.
    """
    if contact[BOUNDS] < 0 or floats(block[SETTINGS])[OBSERVING] != 0.0:
        return False
    ball = offset(floats(block[PAR]), contact[BOUNDS])
    place = 0
    ax, ay, az = turn(a, place, ball[0], ball[1], ball[2])
    bx, by, bz = turn(b, place, ball[4], ball[5], ball[6])
    dx = a[X] + ax - b[X] - bx
    dy = a[Y] + ay - b[Y] - by
    dz = a[Z] + az - b[Z] - bz
    reach = ball[3] + ball[7]
    square = dx * dx + dy * dy + dz * dz
    if square <= reach * reach:
        return False
    ux, uy, uz = cross(a[WX], a[WY], a[WZ], ax, ay, az)
    wx, wy, wz = cross(b[WX], b[WY], b[WZ], bx, by, bz)
    vx = a[VX] + ux - b[VX] - wx
    vy = a[VY] + uy - b[VY] - wy
    vz = a[VZ] + uz - b[VZ] - wz
    distance = math.sqrt(square)
    seen[INDENTATION] = reach - distance
    seen[RATE] = -(dx * vx + dy * vy + dz * vz) / distance
    seen[NORMAL_X] = dx / distance
    seen[NORMAL_Y] = dy / distance
    seen[NORMAL_Z] = dz / distance
    seen[CONTACT_X] = b[X] + bx
    seen[CONTACT_Y] = b[Y] + by
    seen[CONTACT_Z] = b[Z] + bz
    seen[SPEED_BOUND] = math.sqrt(vx * vx + vy * vy + vz * vz) + a[SPIN_SPEED] * ball[3] + b[SPIN_SPEED] * ball[7]
    return True


@jit
def meet(block, contact, a, b, seen):
    """Where bodies ``a`` and ``b`` (records) are closest, and how fast the indentation changes there."""
    if far_apart(block, contact, a, b, seen):
        return
    out = offset(floats(block[SCRATCH]), OUT)
    memory = offset(floats(block[MEMORY]), contact[FIRST_MEMORY])
    call_pair(contact[PAIR_KERNEL], a, b, offset(floats(block[PAR]), contact[PAIR_PAR]), memory, out)
    nx = out[NORMAL_AT]
    ny = out[NORMAL_AT + 1]
    nz = out[NORMAL_AT + 2]
    px = out[CONTACT_POINT]
    py = out[CONTACT_POINT + 1]
    pz = out[CONTACT_POINT + 2]
    # Velocity of a relative to b at the contact point; the normal part is the same anywhere along the normal.
    ax, ay, az = cross(a[WX], a[WY], a[WZ], px - a[X], py - a[Y], pz - a[Z])
    bx, by, bz = cross(b[WX], b[WY], b[WZ], px - b[X], py - b[Y], pz - b[Z])
    vx = a[VX] + ax - b[VX] - bx
    vy = a[VY] + ay - b[VY] - by
    vz = a[VZ] + az - b[VZ] - bz
    along = nx * vx + ny * vy + nz * vz
    seen[INDENTATION] = -out[GAP]
    seen[RATE] = -along
    seen[SLIP_X] = vx - along * nx
    seen[SLIP_Y] = vy - along * ny
    seen[SLIP_Z] = vz - along * nz
    seen[SLIDING] = math.sqrt(seen[SLIP_X] ** 2 + seen[SLIP_Y] ** 2 + seen[SLIP_Z] ** 2)
    seen[CONTACT_X] = px
    seen[CONTACT_Y] = py
    seen[CONTACT_Z] = pz
    seen[NORMAL_X] = nx
    seen[NORMAL_Y] = ny
    seen[NORMAL_Z] = nz
    seen[SPEED_BOUND] = math.sqrt(vx * vx + vy * vy + vz * vz)


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
def rub(block, contact, z, seen, force, z_rate):
    """Friction on the pair's first body, in global axes, and the rate of the law's own state."""
    scratch = floats(block[SCRATCH])
    law_input = FRICTION_INPUT(offset(scratch, FRICTION_IN))
    law_output = FRICTION_OUTPUT(offset(scratch, FRICTION_OUT))
    nx = seen[NORMAL_X]
    ny = seen[NORMAL_Y]
    nz = seen[NORMAL_Z]
    speed = seen[SLIDING]
    if speed > 0.0:
        tx = seen[SLIP_X] / speed
        ty = seen[SLIP_Y] / speed
        tz = seen[SLIP_Z] / speed
    else:
        tx, ty, tz = across(nx, ny, nz)
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    law_input.normal_force = seen[NORMAL_FORCE]
    law_input.v_t = speed
    law_input.v_s = 0.0
    law_input.z_t = 0.0
    law_input.z_s = 0.0
    place = contact[OWN_STATE]
    if place >= 0:
        law_input.z_t = z[place] * tx + z[place + 1] * ty + z[place + 2] * tz
        law_input.z_s = z[place] * sx + z[place + 1] * sy + z[place + 2] * sz
    call_friction(contact[FRICTION_KERNEL], offset(floats(block[PAR]), contact[FRICTION_PAR]), law_input, law_output)
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
def show_force(contact, seen, fx, fy, fz):
    """Force on the first body given, and the normal towards it; the pair's own order may be the other one."""
    sign = -1.0 if contact[FLAGS] & SWAPPED else 1.0
    force = seen[NORMAL_FORCE]
    seen[FORCE_X] = sign * (force * seen[NORMAL_X] + fx)
    seen[FORCE_Y] = sign * (force * seen[NORMAL_Y] + fy)
    seen[FORCE_Z] = sign * (force * seen[NORMAL_Z] + fz)
    seen[NORMAL_X] *= sign
    seen[NORMAL_Y] *= sign
    seen[NORMAL_Z] *= sign


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
def resist(block, contact, a, b, seen):
    """The torques against rolling into Q; the power they take."""
    top = floats(block[TOP])
    wx = a[WX] - b[WX]
    wy = a[WY] - b[WY]
    wz = a[WZ] - b[WZ]
    about = wx * seen[NORMAL_X] + wy * seen[NORMAL_Y] + wz * seen[NORMAL_Z]
    wx -= about * seen[NORMAL_X]
    wy -= about * seen[NORMAL_Y]
    wz -= about * seen[NORMAL_Z]
    spin = math.sqrt(wx * wx + wy * wy + wz * wz)
    if spin == 0.0:
        return 0.0
    torque = seen[NORMAL_FORCE] * rolling_torque(ROLLING_PARAMS(offset(floats(block[PAR]), contact[ROLLING_PAR])), spin)
    share = -torque / spin
    for side in range(2):
        home = contact[FIRST_HOME] if side == 0 else contact[SECOND_HOME]
        if home >= 0:
            top[home + 3] += share * wx
            top[home + 4] += share * wy
            top[home + 5] += share * wz
        share = -share
    return torque * spin


@jit
def be_open(contact, seen, z_rate, losses):
    """What a contact far apart shows and does: nothing."""
    losses[0] = 0.0
    losses[1] = 0.0
    seen[NORMAL_FORCE] = 0.0
    seen[FRICTION_FORCE] = 0.0
    seen[ELASTIC_FORCE] = 0.0
    seen[STORED] = 0.0
    seen[PRESSURE] = 1.0
    if contact[OWN_STATE] >= 0:
        for d in range(3):
            z_rate[contact[OWN_STATE] + d] = 0.0


@kernel(ALL_CONTACTS)
def load_contacts(z, z_rate, losses, block):
    """Forces of all contacts into Q; rates of the friction's states and of what each contact dissipates."""
    bodies = floats(block[BODIES])
    top = floats(block[TOP])
    friction = offset(floats(block[SCRATCH]), BODY_A)
    plus = 1.0
    minus = -1.0
    for k in range(block[CONTACTS]):
        contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
        record = offset(floats(block[RECORDS]), k * RECORD)
        seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
        a = offset(bodies, contact[FIRST_BODY])
        b = offset(bodies, contact[SECOND_BODY])
        if record[MODE] != PRESSING and far_apart(block, contact, a, b, seen):
            be_open(contact, seen, z_rate, offset(losses, LOSSES * k))
            continue
        meet(block, contact, a, b, seen)
        press(block, contact, record, seen)
        for d in range(3):
            friction[d] = 0.0
            if contact[OWN_STATE] >= 0:
                z_rate[contact[OWN_STATE] + d] = 0.0
        force = seen[NORMAL_FORCE]
        if contact[FRICTION_KERNEL] != 0 and force > 0.0:
            rub(block, contact, z, seen, friction, z_rate)
        seen[FRICTION_FORCE] = math.sqrt(friction[0] ** 2 + friction[1] ** 2 + friction[2] ** 2)
        losses[LOSSES * k] = (force - seen[ELASTIC_FORCE]) * seen[RATE]
        losses[LOSSES * k + 1] = -(friction[0] * seen[SLIP_X] + friction[1] * seen[SLIP_Y] + friction[2] * seen[SLIP_Z])
        if force != 0.0:
            fx = force * seen[NORMAL_X] + friction[0]
            fy = force * seen[NORMAL_Y] + friction[1]
            fz = force * seen[NORMAL_Z] + friction[2]
            px = seen[CONTACT_X]
            py = seen[CONTACT_Y]
            pz = seen[CONTACT_Z]
            if contact[FIRST_HOME] >= 0:
                add_wrench(offset(top, contact[FIRST_HOME]), plus, fx, fy, fz, px - a[X], py - a[Y], pz - a[Z])
            if contact[SECOND_HOME] >= 0:
                add_wrench(offset(top, contact[SECOND_HOME]), minus, fx, fy, fz, px - b[X], py - b[Y], pz - b[Z])
        if contact[ROLLING_PAR] >= 0 and force > 0.0:
            losses[LOSSES * k + 1] += resist(block, contact, a, b, seen)
        show_force(contact, seen, friction[0], friction[1], friction[2])


@kernel(LEVER)
def lever(contact, side, seen, out, block):
    bodies = floats(block[BODIES])
    place = contact[FIRST_BODY] if side == 0 else contact[SECOND_BODY]
    sign = 1.0 if side == 0 else -1.0
    put_direction(offset(bodies, place), sign, seen, seen[NORMAL_X], seen[NORMAL_Y], seen[NORMAL_Z], out)


@jit
def put_direction(body, sign, seen, x, y, z, out):
    """The generalised direction of a unit force along (x, y, z) at the contact point of a body."""
    out[0] = sign * x
    out[1] = sign * y
    out[2] = sign * z
    rx, ry, rz = cross(
        seen[CONTACT_X] - body[X], seen[CONTACT_Y] - body[Y], seen[CONTACT_Z] - body[Z], sign * x, sign * y, sign * z
    )
    p = offset(body, P)
    for d in range(3):
        out[3 + d] = p[d] * rx + p[3 + d] * ry + p[6 + d] * rz


@kernel(GLANCE)
def glance(k, h, s, y0, f0, y1, f1, block):
    """Look at contact ``k`` at fraction ``s`` of a step from y0 to y1 with slopes f0 and f1, into SCRATCH."""
    scratch = floats(block[SCRATCH])
    contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
    a = offset(scratch, BODY_A)
    b = offset(scratch, BODY_B)
    seen = offset(scratch, LOOK)
    n = block[VELOCITIES]
    between(contact[FIRST_HOME], n, y0, f0, y1, f1, h, s, block, a)
    between(contact[SECOND_HOME], n, y0, f0, y1, f1, h, s, block, b)
    meet(block, contact, a, b, seen)
    press(block, contact, offset(floats(block[RECORDS]), k * RECORD), seen)
