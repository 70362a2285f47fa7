"""Body records, constraint rows and forces of a planar model, evaluated through its tables."""

from __future__ import annotations

import math

from carom.kernels import call_force, call_joint, call_motion, floats, ints, jit, offset
from carom.mechanics.block import (
    APPLIED,
    BODIES,
    BODY_COUNT,
    COLUMNS,
    DISSIPATED,
    FIRST_JAC,
    FIRST_MEMBER,
    FIRST_OUT,
    FIRST_PAR,
    FIRST_ROW,
    FORCE_TABLE,
    FORCES,
    GAMMA,
    JAC,
    JOINT_TABLE,
    JOINTS,
    KERNEL,
    LINK_TABLE,
    LINKS,
    MEMBER_COUNT,
    MEMBERS,
    MOTION_KERNEL,
    MOTION_PAR,
    NU,
    OUT,
    PAR,
    PHI,
    ROW_COUNT,
    TOP,
    VELOCITIES,
    WEIGHT,
)
from carom.mechanics.planar import ANGLE, COS, DOF, OMEGA, SIN, STRIDE, VX, VY, X, Y


@jit
def load_bodies(y, block):
    """Copy coordinates and velocities into the body records, with the sine and cosine of every angle."""
    bodies = floats(block[BODIES])
    count = block[BODY_COUNT]
    velocities = block[VELOCITIES]
    for i in range(count):
        b = (i + 1) * STRIDE
        q = i * DOF
        v = velocities + q
        bodies[b + X] = y[q]
        bodies[b + Y] = y[q + 1]
        bodies[b + ANGLE] = y[q + 2]
        bodies[b + VX] = y[v]
        bodies[b + VY] = y[v + 1]
        bodies[b + OMEGA] = y[v + 2]
        bodies[b + COS] = math.cos(y[q + 2])
        bodies[b + SIN] = math.sin(y[q + 2])


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
    out = floats(block[OUT])
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
            call_motion(joint[MOTION_KERNEL], t, offset(par, joint[MOTION_PAR]), out)
            phi[row] -= out[0]
            nu[row] = out[1]
            gamma[row] += out[2]
        else:
            for r in range(row, row + joint[ROW_COUNT]):
                nu[r] = 0.0


@jit
def load_forces(t, block, power):
    """Q of gravity and all force elements; ``power`` gets the rates of dissipation and of applied work."""
    bodies = floats(block[BODIES])
    members = ints(block[MEMBERS])
    par = floats(block[PAR])
    top = floats(block[TOP])
    weight = floats(block[WEIGHT])
    power[0] = 0.0
    power[1] = 0.0
    for i in range(block[VELOCITIES]):
        top[i] = weight[i]
    for k in range(block[FORCES]):
        force = offset(ints(block[FORCE_TABLE]), k * COLUMNS)
        who = offset(members, force[FIRST_MEMBER])
        out = offset(floats(block[OUT]), force[FIRST_OUT])
        call_force(force[KERNEL], t, bodies, who, offset(par, force[FIRST_PAR]), out)
        count = force[MEMBER_COUNT]
        for m in range(count):
            if who[m] > 0:  # the ground takes whatever comes
                v = (who[m] // STRIDE - 1) * DOF
                for d in range(DOF):
                    top[v + d] += out[DOF * m + d]
        power[0] += out[DOF * count + DISSIPATED]
        power[1] += out[DOF * count + APPLIED]


@jit
def rows_times(block, vector, result):
    """result += Φ_q vector."""
    jac = floats(block[JAC])
    links = ints(block[LINK_TABLE])
    for k in range(block[LINKS]):
        p = links[3 * k + 1]
        c = links[3 * k + 2]
        total = 0.0
        for d in range(DOF):
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
        for d in range(DOF):
            result[c + d] -= jac[p + d] * value
