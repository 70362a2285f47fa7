"""Contacts of a planar model: where bodies touch, the force it gives, and what a contact remembers.

The geometry is that of `carom.geometry.pairs`, in space; here a planar body is put into it and taken out again.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import CONTACT_POINT, GAP, NORMAL_AT
from carom.kernels import CONTACTS as ALL_CONTACTS
from carom.kernels import (
    GLANCE,
    LEVER,
    call_friction,
    call_lever,
    call_normal,
    call_pair,
    floats,
    ints,
    jit,
    kernel,
    offset,
)
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT
from carom.laws.friction.rolling_resistance import PARAMS as ROLLING_PARAMS
from carom.laws.friction.rolling_resistance import rolling_torque
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT, clear_input
from carom.mechanics.block import (
    BODIES,
    BODY_WIDTH,
    CONTACT_TABLE,
    CONTACTS,
    INVERSE_MASS,
    LEVER_KERNEL,
    LOCATED,
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
from carom.mechanics.planar import ANGLE, COS, DOF, OMEGA, SIN, STRIDE, VX, VY, X, Y

# Columns of CONTACT_TABLE.
CONTACT_COLUMNS = 15
(
    PAIR_KERNEL,
    LAW_KERNEL,  # 0: no force (a contact for non-smooth runs only)
    FRICTION_KERNEL,  # 0: frictionless
    FIRST_BODY,  # place of the pair's first body among the records
    SECOND_BODY,
    FIRST_HOME,  # its first velocity; −1 for the ground
    SECOND_HOME,
    PAIR_PAR,
    LAW_PAR,
    FRICTION_PAR,
    FIRST_MEMORY,
    OWN_STATE,  # place of the friction's state in y, counted from the end of the velocities; −1 without
    FLAGS,
    ROLLING_PAR,  # place of the numbers of the resistance to rolling; −1 without
    BOUNDS,  # place of the balls around the two shapes: centre and radius of each (in space only); −1 without
) = range(CONTACT_COLUMNS)
SWAPPED, UNLOADS, PULLS, WHIRLS = 1, 2, 4, 8
"""Flags: the pair has the shapes in the other order; the law unloads along another curve; it may pull; the gap changes
when a body turns about its centre of mass."""

# What a contact remembers. The first KEPT numbers are stored with every node of a run.
RECORD, KEPT = 21, 4
(
    MODE,
    APPROACH,  # speed that damping is measured by: the one it began with, or that of `resting_speed` [m/s]
    DEEPEST,  # indentation at the last turning point, for laws that unload along another curve [m]
    UNLOADING,
    START,  # time at which it began [s]
    FIRST_SPEED,  # rate of indentation it began with, zero where it separates [m/s]
    FIRST_DEPTH,  # indentation it began with: zero up to rounding where onsets are located [m]
    PEAK,  # largest force so far [N]
    LARGEST,  # largest indentation so far [m]
    SPEED,  # largest rate of indentation so far [m/s]
    DURATION,  # how long an impact like this takes, roughly [s]
    TURNS,  # compressions so far
    NORMAL_LOSS,  # what its quadratures showed when it began [J]
    FRICTION_LOSS,
    RELEASED,  # when and how fast the force last went to zero [s], [m/s]
    RELEASE_SPEED,
    LIGHTNESS,  # 1/m of the two bodies along the normal when it began [1/kg]
    LAST_INDENTATION,  # at the last node: what was seen there
    LAST_RATE,
    LAST_FORCE,
    LAST_BOUND,
) = range(RECORD)

# Modes: apart; pressing; still overlapping, but the law would pull; and by the present indentation alone (statics).
FREE, PRESSING, CLAMPED, PRESENT = range(4)

# What an evaluation sees of a contact: first what a result shows, then what solvers ask for.
SEEN_SIZE = 21
(
    INDENTATION,
    RATE,
    NORMAL_FORCE,
    FRICTION_FORCE,
    SLIDING,
    CONTACT_X,
    CONTACT_Y,
    NORMAL_X,
    NORMAL_Y,
    FORCE_X,
    FORCE_Y,
    CONTACT_Z,
    NORMAL_Z,
    FORCE_Z,
    ELASTIC_FORCE,
    STORED,
    PRESSURE,  # sign: whether the law pushes
    SPEED_BOUND,  # of the two points relative to each other [m/s]
    SLIP_X,  # in space: the sliding velocity of the pair's first body [m/s]
    SLIP_Y,
    SLIP_Z,
) = range(SEEN_SIZE)
SHOWN = 11
SHOWN_NAMES = (
    "indentation", "rate", "normal_force", "friction_force", "sliding_speed", "x", "y", "nx", "ny", "fx", "fy",
)  # fmt: skip
SHOWN_UNITS = ("m", "m/s", "N", "N", "m/s", "m", "m", "1", "1", "N", "N")
SHOWN_IN_SPACE = (*SHOWN_NAMES, "z", "nz", "fz")
UNITS_IN_SPACE = (*SHOWN_UNITS, "m", "1", "N")

# Places in SCRATCH.
POSE_A, POSE_B, OUT, LAW_STATE, LAW_OUT, FRICTION_IN, FRICTION_OUT = 0, 12, 24, 37, 43, 47, 52
BODY_A, BODY_B, LOOK, LEVER_OUT, SCRATCH_SIZE = 56, 92, 128, 152, 160

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
    pose[0] = body[X]
    pose[1] = body[Y]
    pose[2] = 0.0
    pose[3] = body[COS]
    pose[4] = -body[SIN]
    pose[5] = 0.0
    pose[6] = body[SIN]
    pose[7] = body[COS]
    pose[8] = 0.0
    pose[9] = 0.0
    pose[10] = 0.0
    pose[11] = 1.0


@jit
def meet(block, contact, a, b, seen):
    """Where bodies ``a`` and ``b`` (records) are closest, and how fast the indentation changes there."""
    scratch = floats(block[SCRATCH])
    out = offset(scratch, OUT)
    pose_a = offset(scratch, POSE_A)
    pose_b = offset(scratch, POSE_B)
    put_pose(a, pose_a)
    put_pose(b, pose_b)
    memory = offset(floats(block[MEMORY]), contact[FIRST_MEMORY])
    call_pair(contact[PAIR_KERNEL], pose_a, pose_b, offset(floats(block[PAR]), contact[PAIR_PAR]), memory, out)
    nx = out[NORMAL_AT]
    ny = out[NORMAL_AT + 1]
    px = out[CONTACT_POINT]
    py = out[CONTACT_POINT + 1]
    # Velocity of a relative to b at the contact point; the normal part is the same anywhere along the normal.
    vx = a[VX] - a[OMEGA] * (py - a[Y]) - b[VX] + b[OMEGA] * (py - b[Y])
    vy = a[VY] + a[OMEGA] * (px - a[X]) - b[VY] - b[OMEGA] * (px - b[X])
    seen[INDENTATION] = -out[GAP]
    seen[RATE] = -(nx * vx + ny * vy)
    seen[SLIDING] = -ny * vx + nx * vy
    seen[CONTACT_X] = px
    seen[CONTACT_Y] = py
    seen[NORMAL_X] = nx
    seen[NORMAL_Y] = ny
    seen[SPEED_BOUND] = math.sqrt(vx * vx + vy * vy)


@jit
def press(block, contact, record, seen):
    """Normal force, its elastic part, stored energy and the sign of the law, for what is ``seen``."""
    scratch = floats(block[SCRATCH])
    settings = floats(block[SETTINGS])
    law_input = LAW_INPUT(offset(scratch, LAW_STATE))
    law_output = LAW_OUTPUT(offset(scratch, LAW_OUT))
    mode = record[MODE]
    delta = seen[INDENTATION]
    seen[NORMAL_FORCE] = 0.0
    seen[ELASTIC_FORCE] = 0.0
    seen[STORED] = 0.0
    seen[PRESSURE] = 1.0
    if contact[LAW_KERNEL] == 0 or mode == FREE or (mode == PRESENT and delta <= 0.0):
        return
    law_input.delta = delta
    law_input.delta_dot = seen[RATE]
    approach = record[APPROACH]
    law_input.v_in = max(approach, FLOOR) if approach > AT_REST else 0.0
    law_input.delta_turn = record[DEEPEST]
    law_input.is_unloading = int(record[UNLOADING])
    law_input.stores_energy = int(settings[OBSERVING])
    call_normal(contact[LAW_KERNEL], offset(floats(block[PAR]), contact[LAW_PAR]), law_input, law_output)
    force = law_output.force
    if mode == CLAMPED:
        force = 0.0
    elif settings[LOCATED] == 0.0 or mode == PRESENT:
        if delta <= 0.0 or (force < 0.0 and not contact[FLAGS] & PULLS):
            force = 0.0
    seen[NORMAL_FORCE] = force
    seen[ELASTIC_FORCE] = law_output.elastic_force
    seen[STORED] = law_output.stored_energy
    seen[PRESSURE] = law_output.force_sign


@jit
def rub(block, contact, z, seen, z_rate):
    """Friction force along the tangent (−n_y, n_x), on the pair's first body, and the rate of its own state."""
    scratch = floats(block[SCRATCH])
    law_input = FRICTION_INPUT(offset(scratch, FRICTION_IN))
    law_output = FRICTION_OUTPUT(offset(scratch, FRICTION_OUT))
    law_input.normal_force = seen[NORMAL_FORCE]
    law_input.v_t = seen[SLIDING]
    law_input.v_s = 0.0
    law_input.z_t = 0.0
    law_input.z_s = 0.0
    states = contact[OWN_STATE] >= 0
    if states:
        law_input.z_t = z[contact[OWN_STATE]]
    call_friction(contact[FRICTION_KERNEL], offset(floats(block[PAR]), contact[FRICTION_PAR]), law_input, law_output)
    seen[FRICTION_FORCE] = law_output.force_t
    if states:
        z_rate[contact[OWN_STATE]] = law_output.z_dot_t


@jit
def show_force(contact, seen):
    """Force on the first body given, and the normal towards it; the pair's own order may be the other one."""
    nx = seen[NORMAL_X]
    ny = seen[NORMAL_Y]
    fx = seen[NORMAL_FORCE] * nx - seen[FRICTION_FORCE] * ny
    fy = seen[NORMAL_FORCE] * ny + seen[FRICTION_FORCE] * nx
    sign = -1.0 if contact[FLAGS] & SWAPPED else 1.0
    seen[NORMAL_X] = sign * nx
    seen[NORMAL_Y] = sign * ny
    seen[FORCE_X] = sign * fx
    seen[FORCE_Y] = sign * fy


@kernel(ALL_CONTACTS)
def load_contacts(z, z_rate, losses, block):
    """Forces of all contacts into Q; rates of the friction's states and of what each contact dissipates."""
    bodies = floats(block[BODIES])
    top = floats(block[TOP])
    for k in range(block[CONTACTS]):
        contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
        record = offset(floats(block[RECORDS]), k * RECORD)
        seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
        a = offset(bodies, contact[FIRST_BODY])
        b = offset(bodies, contact[SECOND_BODY])
        meet(block, contact, a, b, seen)
        press(block, contact, record, seen)
        seen[FRICTION_FORCE] = 0.0
        if contact[OWN_STATE] >= 0:
            z_rate[contact[OWN_STATE]] = 0.0
        force = seen[NORMAL_FORCE]
        nx = seen[NORMAL_X]
        ny = seen[NORMAL_Y]
        if contact[FRICTION_KERNEL] != 0 and force > 0.0:
            rub(block, contact, z, seen, z_rate)
        show_force(contact, seen)
        along = seen[FRICTION_FORCE]
        fx = force * nx - along * ny
        fy = force * ny + along * nx
        px = seen[CONTACT_X]
        py = seen[CONTACT_Y]
        if contact[FIRST_HOME] >= 0:
            v = contact[FIRST_HOME]
            top[v] += fx
            top[v + 1] += fy
            top[v + 2] += (px - a[X]) * fy - (py - a[Y]) * fx
        if contact[SECOND_HOME] >= 0:
            v = contact[SECOND_HOME]
            top[v] -= fx
            top[v + 1] -= fy
            top[v + 2] -= (px - b[X]) * fy - (py - b[Y]) * fx
        losses[LOSSES * k] = (force - seen[ELASTIC_FORCE]) * seen[RATE]
        losses[LOSSES * k + 1] = -along * seen[SLIDING]
        if contact[ROLLING_PAR] >= 0 and force > 0.0:
            spin = a[OMEGA] - b[OMEGA]
            torque = force * rolling_torque(ROLLING_PARAMS(offset(floats(block[PAR]), contact[ROLLING_PAR])), abs(spin))
            torque = -torque if spin > 0.0 else torque
            losses[LOSSES * k + 1] -= torque * spin
            if contact[FIRST_HOME] >= 0:
                top[contact[FIRST_HOME] + 2] += torque
            if contact[SECOND_HOME] >= 0:
                top[contact[SECOND_HOME] + 2] -= torque


@jit
def between(first, n, y0, f0, y1, f1, h, s, body):
    """The record of a body at fraction ``s`` of a step, on the quintic through position, velocity, acceleration.

    ``first`` is its first velocity, −1 for the ground.
    """
    if first < 0:
        for i in range(STRIDE):
            body[i] = 0.0
        body[COS] = 1.0
        return
    for d in range(DOF):
        i = first + d
        if s == 0.0:
            body[d] = y0[i]
            body[DOF + d] = y0[n + i]
            continue
        v0 = y0[n + i]
        a0 = f0[n + i]
        d0 = y1[i] - y0[i] - h * (v0 + 0.5 * h * a0)
        d1 = h * (y1[n + i] - v0 - h * a0)
        d2 = h * h * (f1[n + i] - a0)
        c3 = 10.0 * d0 - 4.0 * d1 + 0.5 * d2
        c4 = -15.0 * d0 + 7.0 * d1 - d2
        c5 = 6.0 * d0 - 3.0 * d1 + 0.5 * d2
        body[d] = y0[i] + s * h * (v0 + 0.5 * s * h * a0) + s * s * s * (c3 + s * (c4 + s * c5))
        body[DOF + d] = v0 + s * h * a0 + s * s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)) / h
    body[COS] = math.cos(body[ANGLE])
    body[SIN] = math.sin(body[ANGLE])


@kernel(GLANCE)
def glance(k, h, s, y0, f0, y1, f1, block):
    """Look at contact ``k`` at fraction ``s`` of a step from y0 to y1 with slopes f0 and f1, into SCRATCH."""
    scratch = floats(block[SCRATCH])
    contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
    a = offset(scratch, BODY_A)
    b = offset(scratch, BODY_B)
    seen = offset(scratch, LOOK)
    n = block[VELOCITIES]
    between(contact[FIRST_HOME], n, y0, f0, y1, f1, h, s, a)
    between(contact[SECOND_HOME], n, y0, f0, y1, f1, h, s, b)
    meet(block, contact, a, b, seen)
    press(block, contact, offset(floats(block[RECORDS]), k * RECORD), seen)


@jit
def note(record, seen):
    """Keep what was seen at a node for the step that begins there."""
    record[LAST_INDENTATION] = seen[INDENTATION]
    record[LAST_RATE] = seen[RATE]
    record[LAST_FORCE] = seen[NORMAL_FORCE]
    record[LAST_BOUND] = seen[SPEED_BOUND]


@kernel(LEVER)
def lever(contact, side, seen, out, block):
    bodies = floats(block[BODIES])
    place = contact[FIRST_BODY] if side == 0 else contact[SECOND_BODY]
    sign = 1.0 if side == 0 else -1.0
    nx = sign * seen[NORMAL_X]
    ny = sign * seen[NORMAL_Y]
    out[0] = nx
    out[1] = ny
    out[2] = (seen[CONTACT_X] - bodies[place + X]) * ny - (seen[CONTACT_Y] - bodies[place + Y]) * nx


@jit
def mobility(block, contact, seen):
    """1/m of the two bodies along the normal, as if nothing else held them [1/kg]."""
    inverse = floats(block[INVERSE_MASS])
    out = offset(floats(block[SCRATCH]), LEVER_OUT)
    total = 0.0
    for side in range(2):
        v = contact[FIRST_HOME] if side == 0 else contact[SECOND_HOME]
        if v >= 0:
            call_lever(block[LEVER_KERNEL], contact, side, seen, out, block)
            for d in range(block[BODY_WIDTH]):
                total += inverse[v + d] * out[d] * out[d]
    return total


@jit
def typical_duration(block, contact, record, seen):
    """How long an impact of these two bodies takes, roughly [s]: half a period of the law's secant stiffness.

    The indentation is that which stores the energy of approach, or the present one where that is larger. Joints make
    bodies heavier, never lighter: the true duration is not much shorter.
    """
    scratch = floats(block[SCRATCH])
    law_input = LAW_INPUT(offset(scratch, LAW_STATE))
    law_output = LAW_OUTPUT(offset(scratch, LAW_OUT))
    record[LIGHTNESS] = mobility(block, contact, seen)
    compliance = record[LIGHTNESS]
    speed = record[APPROACH]
    if not compliance > 0.0:
        return math.inf
    energy = 0.5 * speed * speed / compliance
    clear_input(law_input)
    par = offset(floats(block[PAR]), contact[LAW_PAR])
    depth = max(seen[INDENTATION], 1e-15)
    force = 0.0
    for _ in range(120):
        law_input.delta = depth
        call_normal(contact[LAW_KERNEL], par, law_input, law_output)
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
def pull_along(block, contact, seen, accelerations):
    """Return the larger acceleration of the two bodies at the contact point along the normal [m/s²]."""
    out = offset(floats(block[SCRATCH]), LEVER_OUT)
    pull = 0.0
    for side in range(2):
        v = contact[FIRST_HOME] if side == 0 else contact[SECOND_HOME]
        if v >= 0:
            call_lever(block[LEVER_KERNEL], contact, side, seen, out, block)
            along = 0.0
            for d in range(block[BODY_WIDTH]):
                along += accelerations[v + d] * out[d]
            pull = max(pull, abs(along))
    return pull
