"""What a result shows of a run: signals of joints and forces, and the energies, at every node."""

from __future__ import annotations

from carom.kernels import call_joint, call_rate, floats, ints, jit, offset
from carom.kernels.address import first
from carom.mechanics import planar_body, spatial_body
from carom.mechanics.block import (
    BODIES,
    BODY_WIDTH,
    COLUMNS,
    CONTACTS,
    DIM,
    FIRST_JAC,
    FIRST_MEMBER,
    FIRST_OUT,
    FIRST_PAR,
    FIRST_ROW,
    FORCE_TABLE,
    FORCES,
    JAC,
    JOINT_TABLE,
    MEMBER_COUNT,
    MEMBERS,
    MULTIPLIERS,
    NU,
    OBSERVING,
    OUT,
    PAR,
    RECORDS,
    ROW_COUNT,
    SEEN,
    SETTINGS,
    VELOCITIES,
    WEIGHT,
)
from carom.mechanics.contacts import KEPT, RECORD, SEEN_SIZE, STORED
from carom.mechanics.element_output import FORCE_OUTPUT, N_FORCE_OUTPUT

# What an observer looks at: a free coordinate and its rate, the reaction of a joint, the effort and power of a driver,
# the signals of a force or of a contact. Columns of its table: kind, element, place among the signals, kernel or count.
OBSERVER_COLUMNS = 4
COORDINATE, REACTION, EFFORT, FORCE_SIGNALS, CONTACT_SIGNALS = range(5)


@jit
def coordinate(block, joint, address, moving, signals):
    """Value and rate of a coordinate, through the joint's members and parameters.

    ``moving`` is where a body's velocities are in its record.
    """
    bodies = floats(block[BODIES])
    members = offset(ints(block[MEMBERS]), joint[FIRST_MEMBER])
    out = floats(block[OUT])  # scratch: value, γ, then the Jacobian
    jac = offset(out, 2)
    par = offset(floats(block[PAR]), joint[FIRST_PAR])
    call_joint(address, bodies, members, par, out, jac, offset(out, 1))
    rate = 0.0
    width = block[BODY_WIDTH]
    for k in range(joint[MEMBER_COUNT]):
        v = members[k] + moving
        for d in range(width):
            rate += jac[width * k + d] * bodies[v + d]
    signals[0] = out[0]
    signals[1] = rate


@jit
def reaction(block, joint, point, signals):
    """Force and torque, in global axes, on the second member (the first when it is alone), at its ``point``."""
    bodies = floats(block[BODIES])
    jac = offset(floats(block[JAC]), joint[FIRST_JAC])
    multipliers = offset(floats(block[MULTIPLIERS]), joint[FIRST_ROW])
    members = offset(ints(block[MEMBERS]), joint[FIRST_MEMBER])
    width = block[BODY_WIDTH]
    count = joint[MEMBER_COUNT]
    which = min(count - 1, 1)
    for d in range(width):
        signals[d] = 0.0
    for r in range(joint[ROW_COUNT]):
        for d in range(width):
            signals[d] -= multipliers[r] * jac[(r * count + which) * width + d]
    body_offset = members[which]
    if block[DIM] == 2:
        px, py = planar_body.rotate(planar_body.body_at(bodies, body_offset), point[0], point[1])
        signals[2] -= px * signals[1] - py * signals[0]
        return
    body = spatial_body.body_at(bodies, body_offset)
    if body_offset > 0:  # The rows of the ground are not transformed to principal axes.
        p = body.R_principal
        x = signals[3]
        y = signals[4]
        z = signals[5]
        for d in range(3):
            signals[3 + d] = p[3 * d] * x + p[3 * d + 1] * y + p[3 * d + 2] * z
    px, py, pz = spatial_body.rotate(body, point[0], point[1], point[2])
    x, y, z = spatial_body.cross(px, py, pz, signals[0], signals[1], signals[2])
    signals[3] -= x
    signals[4] -= y
    signals[5] -= z


@jit
def observe(t, y, remembered, ydot, rate_address, table, mass, moving, observers, points, signals, energies):
    """For every node: y', the signals (through ``observers``), kinetic, potential and elastic energy.

    ``remembered`` is what the contacts had to remember at the nodes.
    """
    block = first(table)
    n = block[VELOCITIES]
    width = block[BODY_WIDTH]
    weight = floats(block[WEIGHT])
    joints = ints(block[JOINT_TABLE])
    forces = ints(block[FORCE_TABLE])
    nu = floats(block[NU])
    lam = floats(block[MULTIPLIERS])
    out = floats(block[OUT])
    seen = floats(block[SEEN])
    records = floats(block[RECORDS])
    floats(block[SETTINGS])[OBSERVING] = 1.0
    for node in range(t.shape[0]):
        state = first(y[node])
        for k in range(min(block[CONTACTS], remembered.shape[1] // KEPT)):
            for i in range(KEPT):
                records[k * RECORD + i] = remembered[node, k * KEPT + i]
        call_rate(rate_address, t[node], state, first(ydot[node]), block)
        kinetic = 0.0
        potential = 0.0
        for i in range(n):
            kinetic += 0.5 * mass[i] * state[n + i] * state[n + i]
            potential -= weight[i] * state[i]
        for k in range(block[FORCES]):
            force = offset(forces, k * COLUMNS)
            potential += FORCE_OUTPUT(offset(out, force[FIRST_OUT] + width * force[MEMBER_COUNT]), 0).potential
        elastic = 0.0
        for k in range(block[CONTACTS]):
            elastic += seen[k * SEEN_SIZE + STORED]
        energies[node, 0] = kinetic
        energies[node, 1] = potential
        energies[node, 2] = elastic
        for k in range(observers.shape[0]):
            kind = observers[k, 0]
            element = observers[k, 1]
            show = offset(first(signals[node]), observers[k, 2])
            if kind == FORCE_SIGNALS:
                force = offset(forces, element * COLUMNS)
                place = force[FIRST_OUT] + width * force[MEMBER_COUNT] + N_FORCE_OUTPUT
                for s in range(observers[k, 3]):
                    show[s] = out[place + s]
            elif kind == CONTACT_SIGNALS:
                for s in range(observers[k, 3]):
                    show[s] = seen[element * SEEN_SIZE + s]
            elif kind == REACTION:
                reaction(block, offset(joints, element * COLUMNS), first(points[element]), show)
            elif kind == EFFORT:
                row = joints[element * COLUMNS + FIRST_ROW]
                show[0] = -lam[row]
                show[1] = -lam[row] * nu[row]
        for k in range(observers.shape[0]):  # last, for it overwrites OUT
            if observers[k, 0] == COORDINATE:
                show = offset(first(signals[node]), observers[k, 2])
                coordinate(block, offset(joints, observers[k, 1] * COLUMNS), observers[k, 3], moving, show)
    floats(block[SETTINGS])[OBSERVING] = 0.0
