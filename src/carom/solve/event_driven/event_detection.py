"""Where in a step an event lies: contacts that close, forces that vanish, sliding that ends, friction that gives way.

What is found here comes from the dense output; the state at the event is integrated to anew.
"""

from __future__ import annotations

from carom.kernels import PROJECT, STEP, call_rate, floats, ints, jit, kernel, offset
from carom.laws.impact_law import IMPACT_LAW_DATA
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.event_driven.records import (
    EVENT_DRIVEN,
    LAST_SAMPLE,
    NOISE,
    OPEN,
    SLIP_NEGATIVE,
    SLIP_POSITIVE,
    STICK,
    TOUCHING,
    WEAK,
)
from carom.solve.event_driven.rk_step import inside
from carom.solve.event_driven.smooth_dynamics import examine
from carom.solve.timestepping.active_contacts import direction, velocity
from carom.solve.timestepping.records import STEPPER

# What a look over a step tells.
NOTHING, EVENT, NO_NUMBER = range(3)

LONGEST, SHORTEST = 1.0 / 8.0, 1.0 / 512.0
"""Distance of two samples of the gaps, as part of a step: half of what the nearest contact needs to close, between
these."""

SAMPLES = 8
"""Places in a step at which the forces of closed contacts are looked at."""


@jit
def sample(t, h, theta, run):
    """GAPS, SPEEDS and BOUNDS at fraction ``theta`` of a step."""
    trial = floats(run.y_stage)
    inside(theta, h, 2 * STEPPER(run.stepper).n_velocities, run, trial)
    examine(t + theta * h, trial, run)


@jit
def set_out(t, run):
    """Begin a look at the state the step begins with; whether a flight begins there.

    Of a flight that begins the gap is the integral of the normal velocity: the gap itself would be rounding.
    """
    stepper = STEPPER(run.stepper)
    modes = ints(run.modes)
    gaps = floats(run.gaps)
    fresh = False
    examine(t, floats(run.y), run)
    for k in range(stepper.n_contacts):
        last = LAST_SAMPLE(run.last_samples, k)
        last.gap = max(gaps[k], 0.0)
        last.speed = floats(run.gamma)[k * stepper.rows_per_contact]
        last.bound = floats(run.gap_rate_bound)[k]
        last.starts_touching = 1 if gaps[k] < TOUCHING else 0
        if modes[k] == OPEN and last.starts_touching != 0:
            fresh = True
    return fresh


@jit
def reach(h, run):
    """How far to the next sample, as part of the step."""
    modes = ints(run.modes)
    part = LONGEST
    for k in range(STEPPER(run.stepper).n_contacts):
        last = LAST_SAMPLE(run.last_samples, k)
        if modes[k] == OPEN and last.bound > 0.0:
            part = min(part, 0.5 * last.gap / (last.bound * h))
    return max(part, SHORTEST)


@jit
def deepest(t, h, low, high, k, run):
    """Fraction at which the gap of contact ``k`` is smallest, between one where it falls and one where it rises."""
    speeds = floats(run.gamma)
    place = k * STEPPER(run.stepper).rows_per_contact
    for _ in range(45):
        middle = 0.5 * (low + high)
        sample(t, h, middle, run)
        if speeds[place] < 0.0:
            low = middle
        else:
            high = middle
    return high


@jit
def dips(last, gap, speed, length):
    """Whether the tangents at two samples, ``length`` seconds apart, meet below zero: then the gap may be, too."""
    if not (last.speed < 0.0 and speed > 0.0):
        return False
    s = (gap - last.gap - speed * length) / (last.speed - speed)
    return last.gap + last.speed * s < 0.0


@kernel(STEP, EVENT_DRIVEN)
def scan(t, h, run):
    """FROM and TO, between which a contact first closes; gaps are looked at often enough not to miss one."""
    stepper = STEPPER(run.stepper)
    modes = ints(run.modes)
    gaps = floats(run.gaps)
    speeds = floats(run.gamma)
    bounds = floats(run.gap_rate_bound)
    fastest = floats(run.max_gap_rate)
    count = stepper.n_contacts
    dim = stepper.rows_per_contact
    fresh = set_out(t, run)
    theta = 0.0
    while theta < 1.0:
        following = min(theta + reach(h, run), 1.0)
        length = (following - theta) * h
        if fresh:
            half = 0.5 * (theta + following)
            sample(t, h, half, run)
            for k in range(count):
                LAST_SAMPLE(run.last_samples, k).mid_speed = speeds[k * dim]
        sample(t, h, following, run)
        end = 2.0
        for k in range(count):
            last = LAST_SAMPLE(run.last_samples, k)
            last.next_gap = gaps[k]
            if modes[k] != OPEN:
                continue
            if gaps[k] != gaps[k]:
                return NO_NUMBER
            allowed = 0.0
            if last.starts_touching != 0:  # Simpson's rule
                mean = (last.speed + 4.0 * last.mid_speed + speeds[k * dim]) / 6.0
                last.next_gap = last.gap + length * mean
                allowed = NOISE * fastest[k] * following * h
            if last.next_gap < -allowed:
                end = min(end, following)
        for k in range(count):
            last = LAST_SAMPLE(run.last_samples, k)
            last.mid_speed = speeds[k * dim]  # `deepest` goes elsewhere
            last.bound = bounds[k]
        for k in range(count):
            last = LAST_SAMPLE(run.last_samples, k)
            if modes[k] == OPEN and last.starts_touching == 0 and last.next_gap >= 0.0:
                if dips(last, last.next_gap, last.mid_speed, length):
                    low = deepest(t, h, theta, following, k, run)
                    if gaps[k] < 0.0:
                        end = min(end, low)
        if end < 2.0:
            run.event_begin = theta
            run.event_end = end
            return EVENT
        for k in range(count):
            last = LAST_SAMPLE(run.last_samples, k)
            last.gap = last.next_gap
            last.speed = last.mid_speed
        theta = following
    return NOTHING


@jit
def take_margins(y, run):
    """MARGINS of the active contacts after an evaluation at ``y``: normal force, spare friction or speed of sliding."""
    stepper = STEPPER(run.stepper)
    active = ints(stepper.active)
    modes = ints(run.modes)
    forces = floats(run.lam)
    margins = floats(run.margins)
    dim = stepper.rows_per_contact
    u = offset(y, stepper.n_velocities)
    one = dim // dim
    for i in range(stepper.n_active):
        k = active[i]
        margins[2 * i] = forces[i * dim]
        margins[2 * i + 1] = 1e300
        if modes[k] == STICK:
            limit = IMPACT_LAW_DATA(stepper.impact_laws, k).mu * forces[i * dim]
            margins[2 * i + 1] = limit - abs(forces[i * dim + 1])
        elif modes[k] == SLIP_POSITIVE:
            margins[2 * i + 1] = velocity(stepper, k, direction(stepper, i, one), u)
        elif modes[k] == SLIP_NEGATIVE:
            margins[2 * i + 1] = -velocity(stepper, k, direction(stepper, i, one), u)


@jit
def force_size(run):
    """Largest force in the active contacts, or what it would take to stop what happens there without forces."""
    stepper = STEPPER(run.stepper)
    forces = floats(run.lam)
    rates = floats(run.gamma_dot_free)
    matrix = floats(CONTACT_PROBLEM(stepper.problem).G)
    size = stepper.n_active * stepper.rows_per_contact
    largest = 0.0
    for row in range(size):
        largest = max(largest, abs(forces[row]))
        if matrix[row * size + row] > 0.0:
            largest = max(largest, abs(rates[row]) / matrix[row * size + row])
    return largest


@kernel(PROJECT, EVENT_DRIVEN)
def measure(t, y, run):
    """MARGINS at a state, and (behind them) below what they are rounding."""
    stepper = STEPPER(run.stepper)
    active = ints(stepper.active)
    modes = ints(run.modes)
    margins = floats(run.margins)
    fastest = floats(run.max_gap_rate)
    count = stepper.n_active
    status = call_rate(run.rhs_kernel, t, y, floats(run.rhs_new), run)
    take_margins(y, run)
    weak = WEAK * force_size(run)
    for i in range(count):
        k = active[i]
        rounding = offset(margins, 2 * count + 2 * i)
        rounding[0] = weak
        rounding[1] = weak if modes[k] == STICK else NOISE * fastest[k]
    return status


@kernel(STEP, EVENT_DRIVEN)
def watch(t, h, run):
    """FROM and TO, between which a margin first becomes negative beyond doubt, from SAMPLE on; after `measure`."""
    stepper = STEPPER(run.stepper)
    margins = floats(run.margins)
    count = stepper.n_active
    trial = floats(run.y_stage)
    rounding = offset(margins, 2 * count)
    first = run.first_sample
    for part in range(first, SAMPLES + 1):
        theta = part / SAMPLES
        inside(theta, h, run.n_states, run, trial)
        call_rate(run.rhs_kernel, min(t + theta * h, run.t_latest), trial, floats(run.rhs_new), run)
        take_margins(trial, run)
        found = False
        for j in range(2 * count):
            if margins[j] != margins[j]:
                return NO_NUMBER
            found = found or margins[j] < -rounding[j]
        if found:
            run.event_begin = (part - 1.0) / SAMPLES
            run.event_end = theta
            run.first_sample = part
            return EVENT
    return NOTHING
