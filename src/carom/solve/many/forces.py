"""Forces of all pairs in a piece of work.

Forces are those at the end of a step, the velocities of the bodies those in its middle; the relative velocity at the
end is foreseen from those in the middles of this step and the one before. Damping that would stop more than a share of
the relative motion in one step is cut to that share, by which it stays stable however stiff it is. The work of a step
is that of the mean of the forces at its ends at the velocity in its middle, as in the motion.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import CONTACT_POINT, GAP, NORMAL_AT
from carom.kernels import call_friction, call_normal, call_pair, floats, ints, jit, offset
from carom.kernels.address import prefetch
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT
from carom.laws.friction.coulomb import PARAMS as COULOMB_PARAMS
from carom.laws.friction.coulomb import drag
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT
from carom.laws.normal.power_law import PARAMS as POWER_LAW_PARAMS
from carom.laws.normal.power_law import damping_ratio, power
from carom.mechanics.contacts import AT_REST, FLOOR, resting_speed
from carom.mechanics.spatial_contacts import across
from carom.solve.many import layout as at

NORMAL_SHARE, SLIDING_SHARE = 0.25, 0.25
"""Of the relative motion of two bodies: what damping and friction of one contact may take in one step. A body has
several contacts."""
AHEAD = 16
"""Pairs whose memory is asked for before their turn comes."""


@jit
def pose_of(plan, body, centred):
    """The pose of a body. Of a ball about its origin only the position matters, what follows is multiplied by zero."""
    if centred:
        return offset(floats(plan[at.HOT_AT]), body * at.HOT)
    return offset(floats(plan[at.POSES_AT]), body * at.POSE)


@jit
def look(plan, i, j, k, kind, scratch):
    """Where the shapes of a pair are closest, by the kernel of their kinds; answers the sign of the normal."""
    row = offset(ints(plan[at.KINDS_AT]), kind * at.KIND)
    a = i
    b = j
    sign = 1.0
    if row[at.SWAPPED] != 0:
        a = j
        b = i
        sign = -1.0
    pose_a = pose_of(plan, a, row[at.CENTRED] & 1 != 0)
    pose_b = pose_of(plan, b, row[at.CENTRED] & 2 != 0)
    memory = offset(floats(plan[at.MEMORY_AT]), k * plan[at.MEMORY_SIZE])
    par = offset(floats(plan[at.PAR_AT]), row[at.PAIR_PAR])
    call_pair(row[at.PAIR_KERNEL], pose_a, pose_b, par, memory, offset(scratch, at.PAIR_OUT))
    return sign


@jit
def begin(record, memory, wrench, rate, gx, gy, gz):
    """A contact begins, with this rate of indentation and this sliding velocity."""
    record[at.APPROACH] = max(rate, 0.0)
    memory[at.DEEPEST] = 0.0
    memory[at.UNLOADING] = 0.0
    memory[at.LARGEST] = 0.0
    record[at.RATE] = rate
    record[at.SLID] = gx
    record[at.SLID + 1] = gy
    record[at.SLID + 2] = gz
    wrench[at.DAMPED] = 0.0
    for d in range(3):
        record[at.RUBBED + d] = 0.0
        memory[at.SLIP + d] = 0.0


@jit
def turn_back(memory, delta, rate):
    """Of a law that unloads along another curve: where it turned, and when it is back there."""
    if memory[at.UNLOADING] == 0.0 and rate < 0.0:
        memory[at.DEEPEST] = max(delta, memory[at.LARGEST])
        memory[at.UNLOADING] = 1.0
    elif memory[at.UNLOADING] != 0.0 and delta > memory[at.DEEPEST]:
        memory[at.UNLOADING] = 0.0
    memory[at.LARGEST] = max(delta, memory[at.LARGEST])


@jit
def rub_with_state(group, par, force, speed, tx, ty, tz, nx, ny, nz, record, memory, h, most, scratch):
    """Friction of a law with a state, along t and s = n × t; the state is taken on by ``h``.

    ż = v − w(v) z at the velocity in the middle of the step. The kernel gives both sides of it: the step is implicit
    in z, as w may be large.
    """
    law_input = FRICTION_INPUT(offset(scratch, at.FRICTION_IN))
    law_output = FRICTION_OUTPUT(offset(scratch, at.FRICTION_OUT))
    address = group[at.FRICTION]
    zx = memory[at.SLIP]
    zy = memory[at.SLIP + 1]
    zz = memory[at.SLIP + 2]
    sx = ny * tz - nz * ty
    sy = nz * tx - nx * tz
    sz = nx * ty - ny * tx
    one = zx * tx + zy * ty + zz * tz
    two = zx * sx + zy * sy + zz * sz
    gx = record[at.SLID]
    gy = record[at.SLID + 1]
    gz = record[at.SLID + 2]
    law_input.normal_force = force
    law_input.v_t = gx * tx + gy * ty + gz * tz
    law_input.v_s = gx * sx + gy * sy + gz * sz
    law_input.z_t = 0.0
    law_input.z_s = 0.0
    call_friction(address, par, law_input, law_output)
    free_one = law_output.z_dot_t
    free_two = law_output.z_dot_s
    law_input.z_t = one
    law_input.z_s = two
    call_friction(address, par, law_input, law_output)
    size = math.sqrt(one * one + two * two)
    fading = 0.0
    if size > 0.0:
        fading = math.sqrt((free_one - law_output.z_dot_t) ** 2 + (free_two - law_output.z_dot_s) ** 2) / size
    one = (one + h * free_one) / (1.0 + h * fading)
    two = (two + h * free_two) / (1.0 + h * fading)
    memory[at.SLIP] = one * tx + two * sx
    memory[at.SLIP + 1] = one * ty + two * sy
    memory[at.SLIP + 2] = one * tz + two * sz
    law_input.z_t = one
    law_input.z_s = two
    law_input.v_t = speed
    law_input.v_s = 0.0
    call_friction(address, par, law_input, law_output)
    along = law_output.force_t
    side = law_output.force_s
    law_input.v_t = 0.0
    call_friction(address, par, law_input, law_output)
    # What the velocity adds to the pull of the bristles is damping.
    more_along = along - law_output.force_t
    more_side = side - law_output.force_s
    size = math.sqrt(more_along * more_along + more_side * more_side)
    if size > most:
        more_along *= most / size
        more_side *= most / size
    return law_output.force_t + more_along, law_output.force_s + more_side, sx, sy, sz


@jit
def close_balls(body, other):
    """Two balls: indentation, normal, and the levers from both centres to the point midway between the skins.

    The indentation is zero where they do not touch.
    """
    nx = body[at.X] - other[at.X]
    ny = body[at.X + 1] - other[at.X + 1]
    nz = body[at.X + 2] - other[at.X + 2]
    square = nx * nx + ny * ny + nz * nz
    reach = body[at.RADIUS] + other[at.RADIUS]
    if square >= reach * reach:
        return 0.0, nx, ny, nz, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    distance = math.sqrt(square)
    delta = reach - distance
    if distance > 0.0:
        share = 1.0 / distance
        nx *= share
        ny *= share
        nz *= share
    else:
        nx = 1.0
    a = 0.5 * delta - body[at.RADIUS]
    b = other[at.RADIUS] - 0.5 * delta
    return delta, nx, ny, nz, a * nx, a * ny, a * nz, b * nx, b * ny, b * nz


@jit
def close_shapes(plan, i, j, k, kind, body, other, scratch):
    """The same of two shapes that have a kernel."""
    sign = look(plan, i, j, k, kind, scratch)
    pair = offset(scratch, at.PAIR_OUT)
    px = pair[CONTACT_POINT]
    py = pair[CONTACT_POINT + 1]
    pz = pair[CONTACT_POINT + 2]
    nx = sign * pair[NORMAL_AT]
    ny = sign * pair[NORMAL_AT + 1]
    nz = sign * pair[NORMAL_AT + 2]
    return (
        max(-pair[GAP], 0.0), nx, ny, nz, px - body[at.X], py - body[at.X + 1], pz - body[at.X + 2],
        px - other[at.X], py - other[at.X + 1], pz - other[at.X + 2],
    )  # fmt: skip


@jit
def turning_share(nimble, ax, ay, az, nx, ny, nz):
    """What a body's rotation adds to 1/m at a lever a along n: (a × n)²/I."""
    cx = ay * nz - az * ny
    cy = az * nx - ax * nz
    cz = ax * ny - ay * nx
    return nimble * (cx * cx + cy * cy + cz * cz)


@jit
def law_force(law_row, par, record, memory, delta, rate, final, scratch):
    """Normal force and its elastic part; ``final``: what the law stores is in LAW_OUT."""
    flags = law_row[at.FLAGS]
    if flags & at.UNLOADS:
        turn_back(memory, delta, rate)
    approach = record[at.APPROACH]
    approach = max(approach, FLOOR) if approach > AT_REST else 0.0
    law_par = offset(par, law_row[at.LAW_PAR])
    if flags & at.POWER and not final:
        p = POWER_LAW_PARAMS(law_par)
        elastic = p.stiffness * power(delta, p.exponent)
        return elastic * damping_ratio(p, rate, approach), elastic
    law_input = LAW_INPUT(offset(scratch, at.LAW_STATE))
    law_output = LAW_OUTPUT(offset(scratch, at.LAW_OUT))
    law_input.delta = delta
    law_input.delta_dot = rate
    law_input.v_in = approach
    law_input.delta_turn = memory[at.DEEPEST]
    law_input.is_unloading = int(memory[at.UNLOADING])
    call_normal(law_row[at.LAW], law_par, law_input, law_output)
    return law_output.force, law_output.elastic_force


@jit
def within(force, elastic, nimble, most):
    """The force, its damping cut so that it changes the relative velocity by ``most`` [m/s²] at 1/m = ``nimble``."""
    if (force - elastic) * nimble > most:
        return elastic + most / nimble
    if (elastic - force) * nimble > most:
        return elastic - most / nimble
    return force


@jit
def rub(law_row, par, force, gx, gy, gz, nx, ny, nz, nimble, most, h_slip, record, memory, scratch):
    """Friction for the sliding velocity g in the middle of the step, cut to ``most`` [1/s] of it at 1/m = nimble."""
    tx = 1.5 * gx - 0.5 * record[at.SLID]
    ty = 1.5 * gy - 0.5 * record[at.SLID + 1]
    tz = 1.5 * gz - 0.5 * record[at.SLID + 2]
    record[at.SLID] = gx
    record[at.SLID + 1] = gy
    record[at.SLID + 2] = gz
    along = tx * nx + ty * ny + tz * nz
    tx -= along * nx
    ty -= along * ny
    tz -= along * nz
    speed = math.sqrt(tx * tx + ty * ty + tz * tz)
    flags = law_row[at.FLAGS]
    friction_par = offset(par, law_row[at.FRICTION_PAR])
    if force <= 0.0:
        for d in range(3):
            memory[at.SLIP + d] = 0.0
        return 0.0, 0.0, 0.0
    if flags & at.STATES:
        if speed > 0.0:
            tx /= speed
            ty /= speed
            tz /= speed
        else:
            tx, ty, tz = across(nx, ny, nz)
        ahead, side, sx, sy, sz = rub_with_state(
            law_row, friction_par, force, speed, tx, ty, tz, nx, ny, nz, record, memory, h_slip,
            most * speed / nimble, scratch,
        )  # fmt: skip
        return ahead * tx + side * sx, ahead * ty + side * sy, ahead * tz + side * sz
    if speed == 0.0:
        return 0.0, 0.0, 0.0
    if flags & at.PLAIN:
        ahead = -drag(COULOMB_PARAMS(friction_par), force, speed)
    else:
        law_input = FRICTION_INPUT(offset(scratch, at.FRICTION_IN))
        law_output = FRICTION_OUTPUT(offset(scratch, at.FRICTION_OUT))
        law_input.normal_force = force
        law_input.v_t = speed
        law_input.v_s = 0.0
        law_input.z_t = 0.0
        law_input.z_s = 0.0
        call_friction(law_row[at.FRICTION], friction_par, law_input, law_output)
        ahead = law_output.force_t / speed
    if -ahead * nimble > most:
        ahead = -most / nimble
    return ahead * tx, ahead * ty, ahead * tz


@jit
def press_pieces(c, plan, thread, final):
    """Forces of the pairs whose first bodies are in piece ``c``, and in place of their accelerations the sums of them.

    ``final``: at a node, for which is written down what is seen.
    """
    hot = floats(plan[at.HOT_AT])
    first = ints(plan[at.FIRST_AT])
    entries = ints(plan[at.ENTRIES_AT])
    touching = ints(plan[at.TOUCHING_AT])
    wrenches = floats(plan[at.WRENCHES_AT])
    records = floats(plan[at.RECORDS_AT])
    states = floats(plan[at.STATES_AT])
    groups = ints(plan[at.GROUPS_AT])
    kinds = ints(plan[at.KINDS_AT])
    par = floats(plan[at.PAR_AT])
    numbers = floats(plan[at.NUMBERS_AT])
    scratch = offset(floats(plan[at.SCRATCH_AT]), thread * at.SCRATCH)
    law_input = LAW_INPUT(offset(scratch, at.LAW_STATE))
    law_output = LAW_OUTPUT(offset(scratch, at.LAW_OUT))
    law_input.stores_energy = 1 if final else 0
    gravity = offset(numbers, at.GRAVITY)
    per_step = 1.0 / numbers[at.H_LIMIT]
    half = 0.5 * numbers[at.H]
    dissipating = 0.0
    rubbing = 0.0
    for i in range(1 + c * plan[at.CHUNK], 1 + min((c + 1) * plan[at.CHUNK], plan[at.BODIES])):
        body = offset(hot, i * at.HOT)
        fx = 0.0
        fy = 0.0
        fz = 0.0
        mx = 0.0
        my = 0.0
        mz = 0.0
        for k in range(first[i], first[i + 1]):
            prefetch(offset(records, (k + AHEAD) * at.RECORD))
            prefetch(offset(wrenches, (k + AHEAD) * at.WRENCH))
            j = entries[at.ENTRY * k]
            code = entries[at.ENTRY * k + 1]
            other = offset(hot, j * at.HOT)
            # Indentation, normal, levers of the contact point.
            if code >= 0:
                delta, nx, ny, nz, ax, ay, az, bx, by, bz = close_balls(body, other)
                group = code
            else:
                kind = -1 - code
                delta, nx, ny, nz, ax, ay, az, bx, by, bz = close_shapes(plan, i, j, k, kind, body, other, scratch)
                group = kinds[kind * at.KIND + at.GROUP]
            if not delta > 0.0:
                touching[k] = 0
                continue
            law_row = offset(groups, group * at.LAWS)
            flags = law_row[at.FLAGS]
            record = offset(records, k * at.RECORD)
            memory = offset(states, k * at.STATE)
            wrench = offset(wrenches, k * at.WRENCH)
            # Velocity of the first body relative to the second one at the contact point.
            ux = body[at.V] + body[at.W + 1] * az - body[at.W + 2] * ay
            uy = body[at.V + 1] + body[at.W + 2] * ax - body[at.W] * az
            uz = body[at.V + 2] + body[at.W] * ay - body[at.W + 1] * ax
            ux -= other[at.V] + other[at.W + 1] * bz - other[at.W + 2] * by
            uy -= other[at.V + 1] + other[at.W + 2] * bx - other[at.W] * bz
            uz -= other[at.V + 2] + other[at.W] * by - other[at.W + 1] * bx
            along = ux * nx + uy * ny + uz * nz
            middle = -along
            gx = ux - along * nx
            gy = uy - along * ny
            gz = uz - along * nz
            if touching[k] == 0:
                touching[k] = 1
                begin(record, memory, wrench, middle, gx, gy, gz)
                if abs(middle) <= AT_REST:
                    pull = abs(gravity[0] * nx + gravity[1] * ny + gravity[2] * nz)
                    record[at.APPROACH] = resting_speed(
                        law_row[at.LAW], offset(par, law_row[at.LAW_PAR]), law_input, law_output,
                        delta, pull, body[at.LIGHT] + other[at.LIGHT],
                    )  # fmt: skip
                    law_input.stores_energy = 1 if final else 0
            rate = 1.5 * middle - 0.5 * record[at.RATE]
            record[at.RATE] = middle
            force, elastic = law_force(law_row, par, record, memory, delta, rate, final, scratch)
            light = body[at.LIGHT] + other[at.LIGHT]
            if not flags & at.UNLOADS:
                resting = light
                if code < 0:
                    resting += turning_share(body[at.NIMBLE], ax, ay, az, nx, ny, nz)
                    resting += turning_share(other[at.NIMBLE], bx, by, bz, nx, ny, nz)
                force = within(force, elastic, resting, NORMAL_SHARE * per_step * abs(rate))
            if force < 0.0 and not flags & at.PULLS:
                force = 0.0
            dissipating += (force - elastic + wrench[at.DAMPED]) * middle
            wrench[at.DAMPED] = force - elastic
            px = force * nx
            py = force * ny
            pz = force * nz
            if law_row[at.FRICTION] != 0:
                rubbed = offset(record, at.RUBBED)
                rubbing -= rubbed[0] * gx + rubbed[1] * gy + rubbed[2] * gz
                nimble = light + body[at.NIMBLE] * (ax * ax + ay * ay + az * az)
                nimble += other[at.NIMBLE] * (bx * bx + by * by + bz * bz)
                qx, qy, qz = rub(law_row, par, force, gx, gy, gz, nx, ny, nz, nimble,
                                 SLIDING_SHARE * per_step, numbers[at.H_SLIP], record, memory, scratch)  # fmt: skip
                rubbing -= qx * gx + qy * gy + qz * gz
                rubbed[0] = qx
                rubbed[1] = qy
                rubbed[2] = qz
                px += qx
                py += qy
                pz += qz
            fx += px
            fy += py
            fz += pz
            mx += ay * pz - az * py
            my += az * px - ax * pz
            mz += ax * py - ay * px
            wrench[0] = -px
            wrench[1] = -py
            wrench[2] = -pz
            wrench[3] = bz * py - by * pz
            wrench[4] = bx * pz - bz * px
            wrench[5] = by * px - bx * py
            if final:
                seen = offset(floats(plan[at.SEEN_AT]), k * at.SEEN)
                seen[at.INDENTATION] = delta
                seen[at.NORMAL_FORCE] = force
                seen[at.STORED] = law_output.stored_energy
        cold = offset(floats(plan[at.COLD_AT]), i * at.COLD)
        cold[at.ACCELERATION] = fx
        cold[at.ACCELERATION + 1] = fy
        cold[at.ACCELERATION + 2] = fz
        cold[at.TORQUE] = mx
        cold[at.TORQUE + 1] = my
        cold[at.TORQUE + 2] = mz
    loss = offset(floats(plan[at.LOSSES_AT]), c * at.LOSS)
    loss[at.DISSIPATED] += half * dissipating
    loss[at.RUBBED_AWAY] += half * rubbing
