"""How the velocities γ of closed contacts change where the velocities u do not: ẇ·u + dw̃/dt, by differences.

It is the change of γ(q + s u, u, t + s) with s. Directions may turn fast (a pin in a narrow bearing): the times s
are chosen anew in every evaluation.
"""

from __future__ import annotations

from carom.kernels import call_directions, call_gaps, floats, ints, jit, offset
from carom.mechanics.model_record import MODEL
from carom.solve.timestepping.active_contacts import direction, normal, velocity
from carom.solve.timestepping.records import STEPPER

LONGEST_SHIFT, SHORTEST_SHIFT = 3e-5, 1e-12
"""Time [s] over which directions are differenced at most and at least."""

TURN = 0.01
"""Part by which what u does along a direction may change in that time: then the sixth order leaves 1e-11 of it."""


@jit
def shift(run, y, s):
    """SHIFTED: q + s u, with the same velocities."""
    stepper = STEPPER(run.stepper)
    n = stepper.n_velocities
    shifted = floats(run.y_shifted)
    for j in range(n):
        shifted[j] = y[j] + s * y[n + j]
        shifted[n + j] = y[n + j]
    return shifted


@jit
def find_directions(t, y, stepper):
    """DIRECTIONS of the active contacts at (t, y)."""
    model = MODEL(stepper.model)
    active = ints(stepper.active)
    call_gaps(stepper.gaps_kernel, t, y, model)
    for i in range(stepper.n_active):
        call_directions(stepper.directions_kernel, active[i], normal(stepper, i), model)


@jit
def turned(stepper, k, one, other, u):
    """By which part u does something else along direction ``one`` of contact ``k`` than along ``other``."""
    width = stepper.velocities_per_body
    last = stepper.bodies_per_contact * width
    places = offset(ints(stepper.velocity_indices), k * stepper.bodies_per_contact)
    difference = abs(one[last] - other[last])
    size = abs(one[last]) + abs(other[last])
    for b in range(stepper.bodies_per_contact):
        v = places[b]
        if v >= 0:
            for j in range(width):
                difference += abs((one[b * width + j] - other[b * width + j]) * u[v + j])
                size += (abs(one[b * width + j]) + abs(other[b * width + j])) * abs(u[v + j])
    return 2.0 * difference / size if size > 0.0 else 0.0


@jit
def add_differences(t, y, delta, run):
    """BIAS, with directions ``delta`` seconds apart; by which part they turn in that time."""
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
        away = part // 2 + 1
        side = 1.0 if part % 2 == 0 else -1.0
        weight = (45.0 if away == 1 else -9.0 if away == 2 else 1.0) * side / (60.0 * delta)
        s = side * away * delta
        shifted = shift(run, y, s)
        call_gaps(stepper.gaps_kernel, t + s, shifted, model)
        u = offset(shifted, stepper.n_velocities)
        for i in range(stepper.n_active):
            call_directions(stepper.directions_kernel, active[i], normal(stepper, spare), model)
            for d in range(dim):
                w = direction(stepper, spare, d)
                bias[i * dim + d] += weight * velocity(stepper, active[i], w, u)
                worst = max(worst, turned(stepper, active[i], w, direction(stepper, i, d), u) / away)
        if worst > TURN:
            return worst
    return worst


@jit
def find_bias(t, y, run):
    """BIAS of the rows of the active contacts; SHIFT_TIME is kept short beside the time in which directions turn."""
    delta = min(2.0 * run.difference_time, LONGEST_SHIFT)
    for _ in range(100):
        worst = add_differences(t, y, delta, run)
        if not worst > TURN or delta < SHORTEST_SHIFT:
            break
        delta *= max(0.05, 0.7 * TURN / worst)
    run.difference_time = delta
