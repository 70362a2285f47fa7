"""Acceleration bias ẇ·u + dw̃/dt of closed contacts: the part of dγ/dt that does not come from u̇.

It is the derivative of γ(q + s u, u, t + s) with respect to s, by central differences of sixth order. Directions may
rotate fast (a pin in a narrow bearing), so that the times s are chosen in every evaluation.
"""

from __future__ import annotations

from carom.kernels import call_directions, call_gaps, floats, ints, jit, offset
from carom.mechanics.linear_algebra import copy
from carom.mechanics.model_record import MODEL
from carom.solve.timestepping.active_contacts import contact_velocity, direction, normal_direction
from carom.solve.timestepping.records import STEPPER

MAX_DIFFERENCE_TIME, MIN_DIFFERENCE_TIME = 3e-5, 1e-12
"""Bounds of the time over which directions are differenced [s]."""

MAX_DIRECTION_CHANGE = 0.01
"""Relative change of w·u in that time: below it, differences of sixth order have an error of 1e-11 [-]."""


@jit
def shift_state(run, y, s):
    """Compute q + s u with unchanged velocities in ``y_shifted``, and return it."""
    n = STEPPER(run.stepper).n_velocities
    shifted = floats(run.y_shifted)
    for j in range(n):
        shifted[j] = y[j] + s * y[n + j]
        shifted[n + j] = y[n + j]
    # The coordinates of a rotation are relative to the orientation, which stays.
    copy(offset(y, 2 * n), STEPPER(run.stepper).n_orientation, offset(shifted, 2 * n))
    return shifted


@jit
def compute_contact_directions(stepper, k, i):
    """Compute the directions of contact ``k`` in the rows of the ``i``-th active contact, at the last gaps."""
    call_directions(stepper.directions_kernel, k, normal_direction(stepper, i), MODEL(stepper.model))
    if stepper.rotation_lengths != 0:
        length = floats(stepper.rotation_lengths)[k]
        first = 1 + stepper.tangents_per_contact
        size = stepper.bodies_per_contact * stepper.velocities_per_body + 1
        rows = direction(stepper, i, first)
        for j in range((stepper.rows_per_contact - first) * size):
            rows[j] *= length


@jit
def compute_directions(t, y, stepper):
    """Compute the directions W of the active contacts at a state."""
    active = ints(stepper.active)
    call_gaps(stepper.gaps_kernel, t, y, MODEL(stepper.model))
    for i in range(stepper.n_active):
        compute_contact_directions(stepper, active[i], i)


@jit
def direction_change(stepper, k, w, other, u):
    """Return the relative difference of w·u between two directions of contact ``k`` [-]."""
    size = stepper.velocities_per_body
    last = stepper.bodies_per_contact * size
    velocity_indices = offset(ints(stepper.velocity_indices), k * stepper.bodies_per_contact)
    difference = abs(w[last] - other[last])
    total = abs(w[last]) + abs(other[last])
    for b in range(stepper.bodies_per_contact):
        v = velocity_indices[b]
        if v >= 0:
            for j in range(size):
                difference += abs((w[b * size + j] - other[b * size + j]) * u[v + j])
                total += (abs(w[b * size + j]) + abs(other[b * size + j])) * abs(u[v + j])
    return 2.0 * difference / total if total > 0.0 else 0.0


@jit
def difference_velocities(t, y, delta, run):
    """Compute the bias from directions ``delta`` [s] apart; return the largest relative change of a direction [-].

    Stop as soon as that change is too large.
    """
    stepper = STEPPER(run.stepper)
    model = MODEL(stepper.model)
    active = ints(stepper.active)
    bias = floats(run.acceleration_bias)
    dim = stepper.rows_per_contact
    spare = stepper.capacity
    for row in range(stepper.n_active * dim):
        bias[row] = 0.0
    worst = 0.0
    for part in range(6):
        distance = part // 2 + 1
        side = 1.0 if part % 2 == 0 else -1.0
        weight = (45.0 if distance == 1 else -9.0 if distance == 2 else 1.0) * side / (60.0 * delta)
        s = side * distance * delta
        shifted = shift_state(run, y, s)
        call_gaps(stepper.gaps_kernel, t + s, shifted, model)
        u = offset(shifted, stepper.n_velocities)
        for i in range(stepper.n_active):
            compute_contact_directions(stepper, active[i], spare)
            for d in range(dim):
                w = direction(stepper, spare, d)
                bias[i * dim + d] += weight * contact_velocity(stepper, active[i], w, u)
                change = direction_change(stepper, active[i], w, direction(stepper, i, d), u)
                worst = max(worst, change / distance)
        if worst > MAX_DIRECTION_CHANGE:
            return worst
    return worst


@jit
def compute_acceleration_bias(t, y, run):
    """Compute the bias of the rows of the active contacts, with a time in which directions change little."""
    delta = min(2.0 * run.difference_time, MAX_DIFFERENCE_TIME)
    for _ in range(100):
        worst = difference_velocities(t, y, delta, run)
        if not worst > MAX_DIRECTION_CHANGE or delta < MIN_DIFFERENCE_TIME:
            break
        delta *= max(0.05, 0.7 * MAX_DIRECTION_CHANGE / worst)
    run.difference_time = delta
