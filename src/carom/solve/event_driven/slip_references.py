"""Reference directions of contacts that slide, roll or spin, at the start of every step, and the error of slow motion.

Sliding and friction stand for rolling and its resistance here, too: both are limits with two rows in 3D.
"""

from __future__ import annotations

import math

from carom.kernels import PROJECT, call_gaps, call_rate, floats, ints, jit, kernel, offset
from carom.mechanics.model_record import MODEL, OK
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.event_driven.acceleration_bias import compute_directions
from carom.solve.event_driven.contact_forces import (
    slides_slowly,
    slip_direction,
    slip_reference,
    store_reference,
)
from carom.solve.event_driven.contact_limits import (
    first_row,
    is_disc,
    limit_force,
    limit_mode,
    limit_ratio,
    limit_velocity,
)
from carom.solve.event_driven.records import EVENT_DRIVEN, NOISE, SLIP
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.timestepping.records import STEPPER

MAX_DIRECTION_ERROR = 10.0
"""Ratio to the relative tolerance and the largest speed of a contact of the error by a constant direction [-]."""

MIN_ANGLE, MAX_ANGLE = 1e-6, 1e-4
"""Angle of the friction to the sliding direction below which a slow contact keeps its direction, and the largest one in
a step: friction is larger than its limit by half of the square [rad]."""

MIN_DIRECTION_ERROR = 1e-3
"""Smallest error by a constant direction that is resolved, relative to the speed of slow sliding [-]."""


@jit
def slow_speed(run, i, limit):
    """Return the speed of the ``i``-th active contact below which it slides slowly [m/s], after an evaluation."""
    stepper = STEPPER(run.stepper)
    dim = stepper.rows_per_contact
    size = stepper.n_active * dim
    row = i * dim + first_row(stepper, limit)
    G = floats(CONTACT_PROBLEM(stepper.problem).G)
    friction = limit_ratio(stepper, ints(stepper.active)[i], limit) * max(floats(run.lam)[i * dim], 0.0)
    return run.slow_time * friction * max(G[row * size + row], G[(row + 1) * size + row + 1])


@jit
def friction_angle(run, i, limit):
    """Return the sine of the angle between friction and sliding direction of the ``i``-th active contact [-]."""
    force_t, force_s = limit_force(run, i, limit)
    slip = slip_direction(run, i, limit)
    friction = math.hypot(force_t, force_s)
    return abs(slip.t * force_s - slip.s * force_t) / friction if friction > 0.0 else 0.0


@jit
def slides(run, i, limit):
    """Return whether the ``i``-th active contact slides, or moves in the rows of another limit."""
    return limit_mode(run, ints(STEPPER(run.stepper).active)[i], limit) == SLIP


@kernel(PROJECT, EVENT_DRIVEN)
def update_slip_references(t, y, run):
    """Set the reference directions of contacts with two tangents at the start of a step.

    They are the sliding directions; for slow contacts those of their friction, which the sliding follows at once. A
    contact is slow from its onset until it is faster; one that slows down has a direction of its own.
    """
    stepper = STEPPER(run.stepper)
    model = MODEL(stepper.model)
    active = ints(stepper.active)
    any_slides = False
    for i in range(stepper.n_active):
        for limit in range(run.n_limits):
            any_slides = any_slides or (is_disc(stepper, limit) and slides(run, i, limit))
    if not any_slides:
        return OK
    status = call_rate(RUNGE_KUTTA(run.rk).rhs_kernel, t, y, floats(RUNGE_KUTTA(run.rk).rhs_new), run)
    call_gaps(stepper.gaps_kernel, t, y, model)
    for i in range(stepper.n_active):
        for limit in range(run.n_limits):
            if is_disc(stepper, limit) and slides(run, i, limit):
                k = active[i]
                gamma_t, gamma_s = limit_velocity(run, i, limit, offset(y, stepper.n_velocities))
                speed = math.hypot(gamma_t, gamma_s)
                is_slow = slides_slowly(run, i, limit) and speed <= slow_speed(run, i, limit)
                if is_slow:
                    force_t, force_s = limit_force(run, i, limit)
                    friction = math.hypot(force_t, force_s)
                    if friction_angle(run, i, limit) > MIN_ANGLE:
                        store_reference(run, k, limit, -force_t / friction, -force_s / friction)
                elif speed > NOISE * floats(run.max_gap_rate)[k]:
                    store_reference(run, k, limit, gamma_t / speed, gamma_s / speed)
                slip_reference(run, k, limit).is_slow = 1.0 if is_slow else 0.0
    return status


@kernel(PROJECT, EVENT_DRIVEN)
def store_slip_references(t, y, run):
    """Store the reference directions of the active contacts that slide, from ``slip``; those at rest slide slowly."""
    stepper = STEPPER(run.stepper)
    active = ints(stepper.active)
    if stepper.n_active > 0:
        compute_directions(t, y, stepper)
    for i in range(stepper.n_active):
        for limit in range(run.n_limits):
            if slides(run, i, limit):
                k = active[i]
                slip = slip_direction(run, i, limit)
                store_reference(run, k, limit, slip.t, slip.s)
                slip_reference(run, k, limit).is_slow = 0.0
                if is_disc(stepper, limit):
                    gamma_t, gamma_s = limit_velocity(run, i, limit, offset(y, stepper.n_velocities))
                    at_rest = math.hypot(gamma_t, gamma_s) <= NOISE * floats(run.max_gap_rate)[k]
                    slip_reference(run, k, limit).is_slow = 1.0 if at_rest else 0.0
    return OK


@jit
def direction_error(t, y, run):
    """Return the error by the constant directions of slow contacts at the end of a step, in units of the tolerance.

    The sliding direction would have turned by the angle of the friction, and the velocity with it.
    """
    stepper = STEPPER(run.stepper)
    rk = RUNGE_KUTTA(run.rk)
    any_slow = False
    for i in range(stepper.n_active):
        for limit in range(run.n_limits):
            any_slow = any_slow or slides_slowly(run, i, limit)
    if not any_slow:
        return 0.0
    call_rate(rk.rhs_kernel, t, y, floats(rk.rhs_new), run)
    worst = 0.0
    for i in range(stepper.n_active):
        for limit in range(run.n_limits):
            if slides_slowly(run, i, limit):
                gamma_t, gamma_s = limit_velocity(run, i, limit, offset(y, stepper.n_velocities))
                allowed = MAX_DIRECTION_ERROR * rk.rtol * floats(run.max_gap_rate)[ints(stepper.active)[i]]
                allowed = max(allowed, MIN_DIRECTION_ERROR * slow_speed(run, i, limit))
                angle = friction_angle(run, i, limit)
                worst = max(worst, angle / MAX_ANGLE)
                if allowed > 0.0:
                    worst = max(worst, math.hypot(gamma_t, gamma_s) * angle / allowed)
    return worst
