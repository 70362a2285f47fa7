"""Error of a step of an explicit Runge–Kutta method, in units of the tolerance."""

from __future__ import annotations

import math

from carom.kernels import call_contact_event, call_project, floats, jit
from carom.mechanics.model_record import MODEL
from carom.solve.compliant.records import EVENTS
from carom.solve.runge_kutta.stages import combine


@jit
def error_norm(rk, vector, tangential_kernel, h):
    """Return an error in units of the tolerance: root mean square of the states, or that of a contact if larger.

    States are scaled by their largest size so far.
    """
    model = MODEL(rk.model)
    error_scale = floats(rk.error_scale)
    if tangential_kernel != 0:
        call_project(tangential_kernel, h, vector, model)
    total = 0.0
    for j in range(rk.n_controlled):
        part = vector[j] / (rk.atol + rk.rtol * error_scale[j])
        total += part * part
    error = math.sqrt(total / rk.n_controlled)
    if rk.contact_error_kernel != 0:
        events = EVENTS(rk.events)
        call_contact_event(
            rk.contact_error_kernel, rk.rtol, rk.atol, vector, error_scale, vector, vector, model, events
        )
        error = max(error, events.contact_error)
    return error


@jit
def estimate_error(rk, h, tangential_kernel):
    """Return the estimated error of the step in units of the tolerance, along the constraints if a kernel is given.

    The normal speed of a contact is controlled, too: it may be much smaller than the other velocities. A method without
    an estimate gives 0, or NaN if the new state is not finite.
    """
    vector = floats(rk.y_probe)
    stages = floats(rk.stages)
    size = rk.n_states
    if rk.error_weights == 0:
        y_new = floats(rk.y_new)
        for j in range(rk.n_controlled):
            if not math.isfinite(y_new[j]):
                return math.nan
        return 0.0
    count = rk.n_controlled if rk.contact_error_kernel == 0 else size
    combine(stages, size, floats(rk.error_weights), rk.n_stages, h, count, vector)
    error = error_norm(rk, vector, tangential_kernel, h)
    if rk.error_weights_3 != 0 and error > 0.0:  # the eighth-order pair blends two estimates (Hairer, II.10)
        combine(stages, size, floats(rk.error_weights_3), rk.n_stages, h, count, vector)
        error_3 = error_norm(rk, vector, tangential_kernel, h)
        error = error * error / math.sqrt(error * error + 0.01 * error_3 * error_3)
    return error
