"""Detection of events in a step: contacts that close, forces that vanish, sliding that ends, sticking that ends.

Rolling and spinning begin and end as sliding does, within limits of their own.

Events are bracketed on the dense output; the state at an event is integrated anew.
"""

from __future__ import annotations

import math

from carom.kernels import PROJECT, STEP, call_rate, floats, ints, jit, kernel, offset
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.event_driven.contact_forces import slip_direction
from carom.solve.event_driven.contact_limits import is_open, limit_force, limit_mode, limit_ratio, limit_velocity
from carom.solve.event_driven.records import (
    EVENT_DRIVEN,
    LAST_SAMPLE,
    NOISE,
    SLIP,
    STICK,
    TOUCHING,
    WEAK,
)
from carom.solve.event_driven.smooth_dynamics import compute_gaps_and_velocities
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.runge_kutta.stages import interpolate
from carom.solve.timestepping.records import STEPPER

NO_EVENT, EVENT, NOT_FINITE = range(3)
"""Results of a detection."""

MAX_SAMPLE_DISTANCE, MIN_SAMPLE_DISTANCE = 1.0 / 8.0, 1.0 / 512.0
"""Bounds of the distance of two samples of the gaps, as fractions of the step; between them it is half of the distance
in which the nearest contact can close."""

N_FORCE_SAMPLES = 8
"""Samples of the forces of closed contacts in a step."""


@jit
def sample_contacts(t, h, theta, run):
    """Compute gaps, velocities and bounds of the gap rates at fraction ``theta`` of a step."""
    rk = RUNGE_KUTTA(run.rk)
    y = floats(rk.y_stage)
    stepper = STEPPER(run.stepper)
    interpolate(rk, theta, h, 2 * stepper.n_velocities + stepper.n_orientation, y)
    compute_gaps_and_velocities(t + theta * h, y, run)


@jit
def start_sampling(t, run):
    """Store the first sample, at the start of the step; return whether a contact opens there.

    The gap of a contact that opens is then the integral of its normal velocity: the gap itself would be rounding.
    """
    stepper = STEPPER(run.stepper)
    gaps = floats(run.gaps)
    opens = False
    compute_gaps_and_velocities(t, floats(RUNGE_KUTTA(run.rk).y), run)
    for k in range(stepper.n_contacts):
        last = LAST_SAMPLE(run.last_samples, k)
        last.gap = max(gaps[k], 0.0)
        last.speed = floats(run.gamma)[k * stepper.rows_per_contact]
        last.bound = floats(run.gap_rate_bound)[k]
        last.starts_touching = 1 if gaps[k] < TOUCHING else 0
        if is_open(run, k) and last.starts_touching != 0:
            opens = True
    return opens


@jit
def sample_distance(h, run):
    """Return the distance of the next sample as a fraction of the step [-]."""
    fraction = MAX_SAMPLE_DISTANCE
    for k in range(STEPPER(run.stepper).n_contacts):
        last = LAST_SAMPLE(run.last_samples, k)
        if is_open(run, k) and last.bound > 0.0:
            fraction = min(fraction, 0.5 * last.gap / (last.bound * h))
    return max(fraction, MIN_SAMPLE_DISTANCE)


@jit
def locate_smallest_gap(t, h, low, high, k, run):
    """Return the fraction of the step at which the gap of contact ``k`` is smallest, and evaluate the contacts there.

    The gap falls at fraction ``low`` and rises at ``high``.
    """
    gamma = floats(run.gamma)
    row = k * STEPPER(run.stepper).rows_per_contact
    for _ in range(45):
        midpoint = 0.5 * (low + high)
        sample_contacts(t, h, midpoint, run)
        if gamma[row] < 0.0:
            low = midpoint
        else:
            high = midpoint
    return high


@jit
def may_close_between(last, gap, speed, duration):
    """Return whether the tangents of the gap at two samples, ``duration`` [s] apart, intersect below zero."""
    if not (last.speed < 0.0 and speed > 0.0):
        return False
    s = (gap - last.gap - speed * duration) / (last.speed - speed)
    return last.gap + last.speed * s < 0.0


@jit
def store_next_gaps(h, theta, theta_next, run):
    """Store the gaps of the sample at ``theta_next``; return the fraction at which a contact is closed.

    The fraction is 2 if no contact is closed, and NaN if a gap is not a number.
    """
    stepper = STEPPER(run.stepper)
    gaps = floats(run.gaps)
    gamma = floats(run.gamma)
    max_gap_rate = floats(run.max_gap_rate)
    duration = (theta_next - theta) * h
    closed = 2.0
    for k in range(stepper.n_contacts):
        last = LAST_SAMPLE(run.last_samples, k)
        last.next_gap = gaps[k]
        if not is_open(run, k):
            continue
        if gaps[k] != gaps[k]:
            return gaps[k]
        rounding = 0.0
        if last.starts_touching != 0:  # Simpson's rule
            mean = (last.speed + 4.0 * last.mid_speed + gamma[k * stepper.rows_per_contact]) / 6.0
            last.next_gap = last.gap + duration * mean
            rounding = NOISE * max_gap_rate[k] * theta_next * h
        if last.next_gap < -rounding:
            closed = min(closed, theta_next)
    return closed


@jit
def detect_short_closing(t, h, theta, theta_next, closed, run):
    """Return the fraction at which a contact is closed, also of contacts that are open at both samples."""
    stepper = STEPPER(run.stepper)
    gaps = floats(run.gaps)
    duration = (theta_next - theta) * h
    for k in range(stepper.n_contacts):
        last = LAST_SAMPLE(run.last_samples, k)
        last.mid_speed = floats(run.gamma)[k * stepper.rows_per_contact]  # `locate_smallest_gap` overwrites it
        last.bound = floats(run.gap_rate_bound)[k]
    for k in range(stepper.n_contacts):
        last = LAST_SAMPLE(run.last_samples, k)
        if is_open(run, k) and last.starts_touching == 0 and last.next_gap >= 0.0:
            if may_close_between(last, last.next_gap, last.mid_speed, duration):
                lowest = locate_smallest_gap(t, h, theta, theta_next, k, run)
                if gaps[k] < 0.0:
                    closed = min(closed, lowest)
    return closed


@kernel(STEP, EVENT_DRIVEN)
def detect_closing(t, h, run):
    """Detect the first contact that closes in a step, between the fractions ``event_begin`` and ``event_end``."""
    stepper = STEPPER(run.stepper)
    dim = stepper.rows_per_contact
    opens = start_sampling(t, run)
    theta = 0.0
    while theta < 1.0:
        theta_next = min(theta + sample_distance(h, run), 1.0)
        if opens:
            sample_contacts(t, h, 0.5 * (theta + theta_next), run)
            for k in range(stepper.n_contacts):
                LAST_SAMPLE(run.last_samples, k).mid_speed = floats(run.gamma)[k * dim]
        sample_contacts(t, h, theta_next, run)
        closed = store_next_gaps(h, theta, theta_next, run)
        if closed != closed:
            return NOT_FINITE
        closed = detect_short_closing(t, h, theta, theta_next, closed, run)
        if closed < 2.0:
            run.event_begin = theta
            run.event_end = closed
            return EVENT
        for k in range(stepper.n_contacts):
            last = LAST_SAMPLE(run.last_samples, k)
            last.gap = last.next_gap
            last.speed = last.mid_speed
        theta = theta_next
    return NO_EVENT


@jit
def compute_margins(y, run):
    """Compute the margins of the active contacts after an evaluation at ``y``.

    There is the normal force, and per limit the reserve of a contact that sticks or the speed of one that slides, along
    its reference direction.
    """
    stepper = STEPPER(run.stepper)
    active = ints(stepper.active)
    lam = floats(run.lam)
    dim = stepper.rows_per_contact
    u = offset(y, stepper.n_velocities)
    for i in range(stepper.n_active):
        k = active[i]
        margins = offset(floats(run.margins), (1 + run.n_limits) * i)
        margins[0] = lam[i * dim]
        for limit in range(run.n_limits):
            mode = limit_mode(run, k, limit)
            margins[1 + limit] = 1e300
            if mode == STICK:
                force_t, force_s = limit_force(run, i, limit)
                margins[1 + limit] = limit_ratio(stepper, k, limit) * lam[i * dim] - math.hypot(force_t, force_s)
            elif mode == SLIP:
                slip = slip_direction(run, i, limit)
                gamma_t, gamma_s = limit_velocity(run, i, limit, u)
                margins[1 + limit] = slip.reference_t * gamma_t + slip.reference_s * gamma_s


@jit
def force_scale(run):
    """Return the largest force of the active contacts, or the force that would stop their accelerations [N]."""
    stepper = STEPPER(run.stepper)
    lam = floats(run.lam)
    gamma_dot_free = floats(run.gamma_dot_free)
    G = floats(CONTACT_PROBLEM(stepper.problem).G)
    size = stepper.n_active * stepper.rows_per_contact
    largest = 0.0
    for row in range(size):
        largest = max(largest, abs(lam[row]))
        if G[row * size + row] > 0.0:
            largest = max(largest, abs(gamma_dot_free[row]) / G[row * size + row])
    return largest


@kernel(PROJECT, EVENT_DRIVEN)
def evaluate_margins(t, y, run):
    """Compute the margins at a state, and behind them the resolutions to which rounding limits them."""
    rk = RUNGE_KUTTA(run.rk)
    stepper = STEPPER(run.stepper)
    active = ints(stepper.active)
    max_gap_rate = floats(run.max_gap_rate)
    n_margins = 1 + run.n_limits
    status = call_rate(rk.rhs_kernel, t, y, floats(rk.rhs_new), run)
    compute_margins(y, run)
    resolutions = offset(floats(run.margins), n_margins * stepper.n_active)
    weak = WEAK * force_scale(run)
    for i in range(stepper.n_active):
        k = active[i]
        resolutions[n_margins * i] = weak
        for limit in range(run.n_limits):
            is_force = limit_mode(run, k, limit) == STICK
            resolutions[n_margins * i + 1 + limit] = weak if is_force else NOISE * max_gap_rate[k]
    return status


@kernel(STEP, EVENT_DRIVEN)
def detect_negative_margin(t, h, run):
    """Detect the first negative margin in a step from ``first_sample`` on, after `evaluate_margins` at its start.

    It lies between the fractions ``event_begin`` and ``event_end``; ``first_sample`` becomes the sample behind it.
    """
    rk = RUNGE_KUTTA(run.rk)
    n_margins = (1 + run.n_limits) * STEPPER(run.stepper).n_active
    margins = floats(run.margins)
    resolutions = offset(margins, n_margins)
    y = floats(rk.y_stage)
    for i in range(run.first_sample, N_FORCE_SAMPLES + 1):
        theta = i / N_FORCE_SAMPLES
        interpolate(rk, theta, h, rk.n_states, y)
        call_rate(rk.rhs_kernel, min(t + theta * h, run.t_latest), y, floats(rk.rhs_new), run)
        compute_margins(y, run)
        is_negative = False
        for j in range(n_margins):
            if margins[j] != margins[j]:
                return NOT_FINITE
            is_negative = is_negative or margins[j] < -resolutions[j]
        if is_negative:
            run.event_begin = (i - 1.0) / N_FORCE_SAMPLES
            run.event_end = theta
            run.first_sample = i
            return EVENT
    return NO_EVENT
