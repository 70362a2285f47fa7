"""Largest values of contacts over a step: force, indentation, the error of their speed, how deep they began."""

from __future__ import annotations

from carom.kernels import WATCH, call_lever, floats, jit, kernel, offset
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE, LOADED, SEPARATED
from carom.mechanics.contacts import LEVER_OUT, note
from carom.mechanics.model_record import MODEL, contact_loss
from carom.solve.compliant.desk import (
    DEPTH,
    ERROR,
    FIRST_REQUEST,
    GUESS,
    LARGEST_FORCE,
    LARGEST_INDENTATION,
    MOST_REQUESTS,
    NUDGE,
    REQUESTS,
    TURN,
    WHAT,
    WHOSE,
)
from carom.solve.compliant.look import crossing, glance, view

SLOWEST, LASTING = 0.01, 0.05
"""Of the bodies' own speed, in an impact and in lasting contact: a smaller normal speed need not be known better."""


@jit
def force_slope(model, k, y0, f0, y1, f1, h, s):
    """Change of the normal force over a small part of the step."""
    low = max(s - 0.5 * NUDGE, 0.0)
    high = min(low + NUDGE, 1.0)
    low = high - NUDGE
    after = glance(model, k, y0, f0, y1, f1, h, high).normal_force
    return after - glance(model, k, y0, f0, y1, f1, h, low).normal_force


@jit
def request(desk, s, k, what):
    """Ask for the state at fraction ``s``, to read a largest value there."""
    count = int(desk[REQUESTS])
    if count < MOST_REQUESTS:
        place = FIRST_REQUEST + 3 * count
        desk[place] = s
        desk[place + 1] = k
        desk[place + 2] = what
        desk[REQUESTS] = count + 1


@jit
def find_peak(model, k, y0, f0, y1, f1, h, desk):
    """Ask for the state where the force is largest, if that is inside the step."""
    history = CONTACT_HISTORY(model.contact_history, k)
    low = 0.0
    high = 1.0
    rises = force_slope(model, k, y0, f0, y1, f1, h, low) > 0.0
    if not rises or force_slope(model, k, y0, f0, y1, f1, h, high) > 0.0:
        return
    for _ in range(40):
        middle = 0.5 * (low + high)
        if force_slope(model, k, y0, f0, y1, f1, h, middle) > 0.0:
            low = middle
        else:
            high = middle
    if glance(model, k, y0, f0, y1, f1, h, low).normal_force > 0.999 * history.peak_force:
        what = LARGEST_FORCE
        request(desk, low, k, what)


@jit
def may_peak(start, half, end):
    """Whether a force may have its largest value inside a step, given what it is at three places of it.

    It need not be looked at where it still rises at the end, or falls from the start, as steeply as on average.
    """
    first = half - start
    second = end - half
    rises = first > 0.0 and second > 0.5 * first
    falls = second < 0.0 and first < 0.5 * second
    return not (rises or falls)


@kernel(WATCH, MODEL)
def measure(t, h, y0, f0, y1, f1, model, desk):
    """Keep the largest values of every contact up to date; the desk gets the places where they lie inside the step.

    The last evaluation was that of ``y1``.
    """
    desk[REQUESTS] = 0.0
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        if history.mode == LOADED:
            history.peak_force = max(history.peak_force, contact_state.normal_force)
            history.max_indentation = max(history.max_indentation, contact_state.indentation)
            history.max_indentation_rate = max(history.max_indentation_rate, abs(contact_state.indentation_rate))
            if history.last_rate > 0.0 and contact_state.indentation_rate <= 0.0:
                history.n_compressions += 1.0
                turning = TURN
                s = crossing(model, k, turning, y0, f0, y1, f1, h, 0.0, 1.0)
                if glance(model, k, y0, f0, y1, f1, h, s).indentation > 0.999 * history.max_indentation:
                    what = LARGEST_INDENTATION
                    request(desk, s, k, what)
            half = glance(model, k, y0, f0, y1, f1, h, 0.5).normal_force
            if half > 0.9 * history.peak_force and may_peak(history.last_force, half, contact_state.normal_force):
                find_peak(model, k, y0, f0, y1, f1, h, desk)
        note(history, contact_state)
    return int(desk[REQUESTS])


@kernel(WATCH, MODEL)
def read(t, h, y0, f0, y1, f1, model, desk):
    """Take the largest value that was asked for from state ``y1``."""
    k = int(desk[WHOSE])
    history = CONTACT_HISTORY(model.contact_history, k)
    contact_state = view(model, k, y1)
    if desk[WHAT] == LARGEST_FORCE:
        history.peak_force = max(history.peak_force, contact_state.normal_force)
    else:
        history.max_indentation = max(history.max_indentation, contact_state.indentation)
    return 0


@kernel(WATCH, MODEL)
def weigh(t, h, y0, f0, y1, f1, model, desk):
    """Largest error of a contact: in its normal speed and in what it dissipates, relative to what they are.

    ``y0`` is the error of a step, ``f0`` the largest size every coordinate has had, ``t`` and ``h`` are the relative
    and the absolute tolerance; where the bodies meet is taken from the last evaluation.
    """
    lever = offset(floats(model.workspace), LEVER_OUT)
    width = model.velocities_per_body
    n = model.n_velocities
    worst = 0.0
    for k in range(model.n_contacts):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode == SEPARATED:
            continue
        contact_state = CONTACT_STATE(model.contact_state, k)
        total = 0.0
        fastest = 0.0
        for side in range(2):
            home = contact.velocity_a if side == 0 else contact.velocity_b
            if home >= 0:
                v = n + home
                call_lever(model.normal_direction_kernel, contact, side, contact_state, lever, model)
                for d in range(width):
                    total += lever[d] * y0[v + d]
                for d in range(model.dim):
                    fastest = max(fastest, f0[v + d])
        speed = max(history.max_indentation_rate, fastest * (SLOWEST if history.n_compressions < 2 else LASTING))
        worst = max(worst, abs(total) / (t * speed + SLOWEST * h))
        if history.inverse_effective_mass > 0.0:
            energy = 0.5 * speed * speed / history.inverse_effective_mass
            loss = contact_loss(model, k, y0)
            lost = abs(loss.normal) + abs(loss.friction)
            worst = max(worst, lost / (t * energy + SLOWEST * h))
    desk[ERROR] = worst
    return 0


@kernel(WATCH, MODEL)
def depth(t, h, y0, f0, y1, f1, model, desk):
    """Deepest indentation in ``y1`` of a contact that was apart, and the fraction (9) of paper T where it began."""
    desk[DEPTH] = 0.0
    desk[GUESS] = 2.0
    for k in range(model.n_contacts):
        history = CONTACT_HISTORY(model.contact_history, k)
        if history.mode == SEPARATED:
            after = glance(model, k, y0, f0, y1, f1, h, 1.0).indentation
            before = glance(model, k, y0, f0, y1, f1, h, 0.0).indentation
            if after > 0.0:
                desk[DEPTH] = max(desk[DEPTH], after)
                if before < 0.0:
                    desk[GUESS] = min(desk[GUESS], before / (before - after))
    return 0
