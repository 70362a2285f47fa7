"""Stops of joints in non-smooth runs with many bodies: closed ones are rows of the contact problem, without friction.

The gap of a displacement acts as that of a contact at the point of the stop. That of an angle acts through torques; a
length ℓ, the radius of gyration of the bodies, gives its row the units of the others (see `ANGLE`).
"""

from __future__ import annotations

from carom.compiled_model.many_body_records import BODY_PAIR_DATA
from carom.kernels import jit
from carom.mechanics.model_record import MODEL
from carom.mechanics.stepping import contact_kinematics
from carom.solve.many_body.records import MANY_BODY
from carom.solve.many_body.rigid_records import (
    BODY_VELOCITY,
    DETECTED_CONTACT,
    FINISHED,
    JOINT_STOP,
    NOT_FINITE,
    PAIR_IMPULSE,
    RIGID_BODY,
)
from carom.solve.timestepping.records import STEPPER


@jit
def impulse_of_contact(rigid, contact):
    """Return the `PAIR_IMPULSE` of a closed contact, that of a pair or a stop."""
    if contact.pair < 0:
        return PAIR_IMPULSE(rigid.stop_pairs, -1 - contact.pair)
    return PAIR_IMPULSE(rigid.pairs, contact.pair)


@jit
def open_pair(pair):
    """Clear the impulses of a pair that is not closed any more."""
    if pair.status != 0 or pair.P_N != 0.0:
        pair.status = 0
        pair.P_N = 0.0
        for d in range(3):
            pair.P[d] = 0.0
            pair.T[d] = 0.0


@jit
def stop_gap(rigid, k):
    """Return the gap of stop ``k`` at the current records of the bodies; ℓ times the angle for an angle [m]."""
    gap = -contact_kinematics(MODEL(STEPPER(rigid.stepper).model), k).indentation
    length = JOINT_STOP(rigid.stops, k).length
    return gap * length if length > 0.0 else gap


@jit
def change_of_velocity(rigid, k, length, n):
    """Return a bound of the change of the velocity of a stop by the forces on body ``k`` in the step [m/s]."""
    initial = BODY_VELOCITY(rigid.initial_velocities, k)
    free = BODY_VELOCITY(rigid.free_velocities, k)
    change = 0.0
    for d in range(3):
        if length > 0.0:
            change += length * abs(n[d] * (free.omega[d] - initial.omega[d]))
        else:
            change += abs(n[d] * (free.v[d] - initial.v[d]))
            change += RIGID_BODY(rigid.bodies, k).extent * abs(free.omega[d] - initial.omega[d])
    return change


@jit
def add_closed_stops(rigid, max_gap):
    """List the closed stops at the midpoint behind the closed contacts; return a status.

    The records of the mechanism are those of the midpoint.
    """
    model = MODEL(STEPPER(rigid.stepper).model)
    count = rigid.n_active
    for k in range(rigid.n_stops):
        stop = JOINT_STOP(rigid.stops, k)
        pair = PAIR_IMPULSE(rigid.stop_pairs, k)
        gap = stop_gap(rigid, k)
        if gap != gap:
            return NOT_FINITE
        state = contact_kinematics(model, k)
        n = (stop.sign * state.nx, stop.sign * state.ny, stop.sign * state.nz)
        limit = 0.0
        if gap > 0.0 and pair.status == 0:
            change = change_of_velocity(rigid, stop.body_a, stop.length, n)
            limit = 0.5 * rigid.h * (change + change_of_velocity(rigid, stop.body_b, stop.length, n))
        if gap > max_gap or (pair.status == 0 and gap > limit):
            open_pair(pair)
            continue
        store_stop(rigid, DETECTED_CONTACT(rigid.contacts, count), k, state, gap, n)
        count += 1
    rigid.n_active = count
    return FINISHED


@jit
def store_stop(rigid, contact, k, state, gap, n):
    """Store the closed stop ``k`` as a closed contact; lever arms lead to its point."""
    stop = JOINT_STOP(rigid.stops, k)
    pair_data = MANY_BODY(rigid.mid).pair_data
    a = BODY_PAIR_DATA(pair_data, stop.body_a).r
    b = BODY_PAIR_DATA(pair_data, stop.body_b).r
    point = (state.x, state.y, state.z)
    contact.pair = -1 - k
    contact.body_a = stop.body_a
    contact.body_b = stop.body_b
    contact.group = rigid.first_stop_law + k
    contact.gap = gap
    for d in range(3):
        contact.n[d] = n[d]
        contact.a[d] = point[d] - a[d]
        contact.b[d] = point[d] - b[d]
