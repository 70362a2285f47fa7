"""Body records, constraint rows and forces of a model, evaluated through its tables."""

from __future__ import annotations

import math

from carom.kernels import call_finish, call_force, call_joint, call_load, call_motion, floats, ints, jit, offset
from carom.mechanics.block import (
    BODIES,
    BODY_COUNT,
    BODY_WIDTH,
    COLUMNS,
    FIRST_JAC,
    FIRST_MEMBER,
    FIRST_OUT,
    FIRST_PAR,
    FIRST_ROW,
    FORCE_TABLE,
    FORCES,
    GAMMA,
    HOMES,
    JAC,
    JOINT_TABLE,
    JOINTS,
    KERNEL,
    LINK_TABLE,
    LINKS,
    LOAD_KERNEL,
    MEMBER_COUNT,
    MEMBERS,
    MOTION_KERNEL,
    MOTION_PAR,
    NU,
    OUT,
    PAR,
    PERIODIC,
    PHI,
    ROW_COUNT,
    TOP,
    TRIPLE,
    TURN_FORCES,
    TURN_ROWS,
    VELOCITIES,
    WEIGHT,
)
from carom.mechanics.element_output import FORCE_OUTPUT, MOTION_OUTPUT
from carom.mechanics.planar_body import DOF, PLANAR_BODY

TURN = 2.0 * math.pi


@jit
def load_bodies(y, block):
    """Copy coordinates and velocities into the body records, with the sine and cosine of every angle."""
    if block[LOAD_KERNEL] != 0:
        call_load(block[LOAD_KERNEL], y, block)
        return
    bodies = floats(block[BODIES])
    count = block[BODY_COUNT]
    velocities = block[VELOCITIES]
    for i in range(count):
        body = PLANAR_BODY(bodies, i + 1)
        q = i * DOF
        v = velocities + q
        body.x = y[q]
        body.y = y[q + 1]
        body.angle = y[q + 2]
        body.vx = y[v]
        body.vy = y[v + 1]
        body.omega = y[v + 2]
        body.cos = math.cos(y[q + 2])
        body.sin = math.sin(y[q + 2])


@jit
def load_rows(t, block):
    """Φ, Φ_q, ν = −Φ_t and γ of every joint and driver at the present body records."""
    bodies = floats(block[BODIES])
    members = ints(block[MEMBERS])
    par = floats(block[PAR])
    phi = floats(block[PHI])
    nu = floats(block[NU])
    gamma = floats(block[GAMMA])
    jac = floats(block[JAC])
    motion = MOTION_OUTPUT(block[OUT], 0)
    for k in range(block[JOINTS]):
        joint = offset(ints(block[JOINT_TABLE]), k * COLUMNS)
        row = joint[FIRST_ROW]
        call_joint(
            joint[KERNEL],
            bodies,
            offset(members, joint[FIRST_MEMBER]),
            offset(par, joint[FIRST_PAR]),
            offset(phi, row),
            offset(jac, joint[FIRST_JAC]),
            offset(gamma, row),
        )
        if joint[MOTION_KERNEL] != 0:
            call_motion(joint[MOTION_KERNEL], t, offset(par, joint[MOTION_PAR]), motion)
            phi[row] -= motion.value
            if joint[PERIODIC] != 0:  # to the nearest turn
                phi[row] -= TURN * math.floor(phi[row] / TURN + 0.5)
            nu[row] = motion.rate
            gamma[row] += motion.acceleration
        else:
            for r in range(row, row + joint[ROW_COUNT]):
                nu[r] = 0.0
    if block[TURN_ROWS] != 0:
        call_finish(block[TURN_ROWS], block)


@jit
def load_forces(t, block, power):
    """Q of gravity and all force elements in global axes; ``power`` gets the rates of dissipation and applied work."""
    bodies = floats(block[BODIES])
    members = ints(block[MEMBERS])
    par = floats(block[PAR])
    top = floats(block[TOP])
    weight = floats(block[WEIGHT])
    width = block[BODY_WIDTH]
    power[0] = 0.0
    power[1] = 0.0
    for i in range(block[VELOCITIES]):
        top[i] = weight[i]
    for k in range(block[FORCES]):
        force = offset(ints(block[FORCE_TABLE]), k * COLUMNS)
        who = offset(members, force[FIRST_MEMBER])
        homes = offset(ints(block[HOMES]), force[FIRST_MEMBER])
        out = offset(floats(block[OUT]), force[FIRST_OUT])
        count = force[MEMBER_COUNT]
        output = FORCE_OUTPUT(offset(out, width * count), 0)
        call_force(force[KERNEL], t, bodies, who, offset(par, force[FIRST_PAR]), out, output)
        for m in range(count):
            v = homes[m]
            if v >= 0:  # the ground takes whatever comes
                for d in range(width):
                    top[v + d] += out[width * m + d]
        power[0] += output.dissipated_power
        power[1] += output.applied_power


@jit
def finish_forces(block):
    """After the last force has been added to TOP: from global axes to those of the velocities."""
    if block[TURN_FORCES] != 0:
        call_finish(block[TURN_FORCES], block)


@jit
def rows_times(block, vector, result):
    """result += Φ_q vector."""
    jac = floats(block[JAC])
    links = ints(block[LINK_TABLE])
    for k in range(block[LINKS]):
        p = links[3 * k + 1]
        c = links[3 * k + 2]
        total = 0.0
        for d in range(TRIPLE):
            total += jac[p + d] * vector[c + d]
        result[links[3 * k]] += total


@jit
def subtract_transposed(block, multipliers, result):
    """result −= Φ_qᵀ multipliers."""
    jac = floats(block[JAC])
    links = ints(block[LINK_TABLE])
    for k in range(block[LINKS]):
        p = links[3 * k + 1]
        c = links[3 * k + 2]
        value = multipliers[links[3 * k]]
        for d in range(TRIPLE):
            result[c + d] -= jac[p + d] * value
