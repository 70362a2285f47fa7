"""Multistep methods of SUNDIALS (CVODE, through scikit-sundae): Adams for smooth motion, BDF for stiff.

A multistep method may not have its past changed, so the state is not projected between steps. Instead the right-hand
side is taken at the projected state, f(P(y)): it is the same on the constraints, and no drift can build up. Nodes are
projected as they are recorded.
"""

from __future__ import annotations

import numpy as np

from carom.errors import ModelError
from carom.mechanics import block as slot
from carom.result.outcome import Outcome
from carom.solve.compliant.loop import NEAR_SINGULAR
from carom.solve.compliant.request import Answer, Request

PULL = 0.05
"""Rate at which the state is drawn to the constraints, in units of one over the step: well inside stability."""

FINEST = 1e-12
"""Relative tolerance below which CVODE's error test only sees rounding."""

SMALLEST = 1e-14
"""Of the length of the run: a step that has to be shorter ends it."""

NAMES = {"adams": "Adams", "bdf": "BDF"}


def integrate(name: str, request: Request) -> Answer:
    """Run CVODE over a request, one internal step at a time; Ctrl-C keeps what there is."""
    try:
        from sksundae.cvode import CVODE
    except ImportError:
        raise ModelError(f"integrator {name!r} needs SUNDIALS: pip install scikit-sundae") from None

    mechanism = request.mechanism
    projecting = request.projecting and mechanism.m > 0
    calls = 0
    pull = 0.0
    weakest = 1.0  # smallest pivot since the last step
    stop = float(request.stops[0])

    def rate(t, y, yp):
        nonlocal calls, weakest
        calls += 1
        state = np.array(y)
        if t >= stop:
            t = float(np.nextafter(stop, 0.0))  # what holds before the stop, should something change there
        if projecting:
            mechanism.project(t, state)
        yp[:] = mechanism.evaluate(t, state)[0] + pull * (state - y)
        weakest = min(weakest, float(mechanism.tables[slot.SETTINGS][slot.WEAKEST]))

    answer = Answer([(np.zeros(1), request.y[None].copy())])
    if not np.all(np.isfinite(mechanism.rate(0.0, request.y.copy())[0])):
        answer.outcome = Outcome.NOT_FINITE
        return answer
    tolerance = np.full(len(request.y), request.atol)
    tolerance[2 * mechanism.n :] = 1e30  # quadratures follow, they do not steer
    longest = min(request.max_step, float(request.stops[-1]))
    solver = CVODE(
        rate,
        method=NAMES[name],
        rtol=max(request.rtol, FINEST),
        atol=tolerance,
        min_step=SMALLEST * float(request.stops[-1]),
        max_step=longest,
        max_num_steps=100_000,
    )
    node = request.y.copy()
    solver.init_step(0.0, node)
    t = 0.0
    try:
        for goal, jump in zip(request.stops.tolist(), request.jumps, strict=True):
            stop = goal
            if 0.0 < stop - t <= SMALLEST * float(request.stops[-1]):  # two stops a rounding apart
                t = stop
                answer.add(np.array([t]), node[None].copy())
            while t < stop and answer.outcome is Outcome.FINISHED:
                step = solver.step(stop, method="onestep", tstop=stop)
                node = np.array(step.y, float).ravel()
                answer.error = mechanism.user_error()
                if answer.error is not None or not np.all(np.isfinite(node)):
                    answer.outcome = Outcome.NOT_FINITE
                elif not step.success:
                    # It does not pass a singular position; the last trial states show whether it met one.
                    answer.outcome = Outcome.SINGULAR if weakest < NEAR_SINGULAR else Outcome.STEP_UNDERFLOW
                else:
                    before, t = t, float(np.ravel(step.t)[-1])
                    if t > before:
                        pull = PULL / (t - before)
                    if stop - t <= 1e-14 * abs(stop):
                        t = stop
                    if projecting:
                        mechanism.project(t, node)
                    answer.steps += 1
                    weakest = 1.0
                    if request.record_steps or t == stop:
                        answer.add(np.array([t]), node[None])
                    request.report(t)
            if jump and answer.outcome is Outcome.FINISHED:
                answer.add(np.array([t]), node[None].copy())
                stop = np.inf
                solver.init_step(t, node)
    except KeyboardInterrupt:
        answer.outcome = Outcome.INTERRUPTED
    answer.end = t
    answer.evaluations = calls
    return answer
