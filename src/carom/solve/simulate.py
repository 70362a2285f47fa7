"""Dynamics: the motion of a system from its start."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carom.errors import ModelError, choice, notify, number, positive
from carom.mechanics import block as slot
from carom.model.system import System
from carom.result.impacts import Impact
from carom.result.outcome import Outcome
from carom.result.result import Result
from carom.solve.assembly import solve_positions, solve_velocities
from carom.solve.compliant.registry import INTEGRATORS, TABLEAUS
from carom.solve.compliant.request import Answer, Request
from carom.solve.compliant.watchers import ONSETS, prepare_run
from carom.solve.mechanism import Mechanism
from carom.solve.mobility import examine
from carom.solve.observe import impacts_of, make_result
from carom.solve.progress import Progress

TIGHT, FLOOR = 1e-2, 2e-14
"""A step is allowed this part of rtol and atol, so that the error of a whole run stays near them; never below FLOOR."""

CONSTRAINTS = ("projection", "baumgarte", "augmented")
METHODS = ("compliant",)
CONSISTENT = 1e-15
"""Of the sizes of coordinates and velocities: a start that misses the joints by less satisfies them."""
OVERLAP = 1e-12
"""Indentation [m] at the start that is more than rounding."""
PENALTY, SWEEPS = 1e-6, 3
"""Of the augmented Lagrangian: the penalty 1/ε (relative to the mobility of each row) and its iterations."""


def simulate(
    system: System,
    t_end: float,
    *,
    method: str = "compliant",
    integrator: str = "dopri5",
    rtol: float = 1e-8,
    atol: float = 1e-10,
    onset: str = "event",
    max_step: float | None = None,
    min_step: float = 1e-7,
    penetration_tolerance: float = 1e-6,
    constraints: str = "projection",
    alpha: float = 50.0,
    beta: float = 50.0,
    progress: bool | Callable[[float], Any] | None = None,
    output: float | Sequence[float] | None = None,
) -> Result:
    """Integrate the equations of motion from the system's present state, time 0, to ``t_end`` [s].

    ``integrator``: "dopri5", "dop853", "tsit5" (adaptive), "rk4" (fixed step ``max_step``), "adams", "bdf" (SUNDIALS).
    ``constraints``: "projection" (positions and velocities exact after every step), "baumgarte" (feedback with
    ``alpha``, ``beta`` [1/s]), "augmented" (augmented Lagrangian with the same feedback; passes singular positions).
    ``onset``: how the beginning of a contact is found. "event": as a root, to rounding; so are its end and the points
    where its force vanishes. For comparison: "reject" (a step that would begin a contact deeper than
    ``penetration_tolerance`` [m] is halved, down to ``min_step`` [s]), "interpolate" (it is cut linearly), "none".
    ``rtol``, ``atol``: what the error of the whole run should be like, relative and absolute.
    ``output``: None keeps every step (of a very long run every second, fourth …: ``result.stats["stride"]``), a number
    is the interval [s] between nodes, a list gives their times.
    ``progress``: None shows a bar on long runs in a terminal; True, False or a function of the fraction done.
    The system is not changed. Ctrl-C, a blow-up or a lock-up return what was computed, and the `Outcome` says so; what
    a function of yours raises is raised again, with the result up to then as its attribute ``result``.
    """
    t_end = positive("simulate", "t_end", t_end)
    choice("simulate", "method", method, METHODS)
    choice("simulate", "integrator", integrator, tuple(INTEGRATORS))
    choice("simulate", "constraints", constraints, CONSTRAINTS)
    choice("simulate", "onset", onset, tuple(ONSETS))
    rtol, atol = positive("simulate", "rtol", rtol), positive("simulate", "atol", atol)
    if max_step is not None:
        positive("simulate", "max_step", max_step)
    elif integrator in TABLEAUS and not TABLEAUS[integrator].adaptive:
        raise ModelError(f"simulate: {integrator!r} takes fixed steps; give max_step=, its step size in seconds")
    settings: dict[str, Any] = {
        "t_end": t_end, "method": method, "integrator": integrator, "rtol": rtol, "atol": atol, "max_step": max_step,
        "onset": onset, "min_step": positive("simulate", "min_step", min_step),
        "penetration_tolerance": positive("simulate", "penetration_tolerance", penetration_tolerance),
        "constraints": constraints, "alpha": number("simulate", "alpha", alpha),
        "beta": number("simulate", "beta", beta),
    }  # fmt: skip
    began = clock.perf_counter()
    outputs = output_times(output, t_end)
    if isinstance(system, System):
        prepare_run(system, onset, integrator in TABLEAUS)
    mechanism = Mechanism(system, "simulate")
    check_spans(mechanism, t_end)
    y = consistent_start(mechanism)
    treat_constraints(mechanism, y, settings)
    jumps = [t for t in mechanism.tables.breaks if 0.0 < t < t_end]
    stops = np.array(sorted({t_end, *outputs.tolist(), *jumps}))
    with Progress(system.name, t_end, progress) as report:
        request = Request(
            mechanism=mechanism, y=y, stops=stops, jumps=np.isin(stops, jumps), record_steps=output is None,
            projecting=constraints == "projection", rtol=max(TIGHT * rtol, FLOOR),
            atol=max(TIGHT * atol, FLOOR), max_step=math.inf if max_step is None else max_step,
            onset=onset, min_step=settings["min_step"], depth=settings["penetration_tolerance"], report=report,
        )  # fmt: skip
        answer = INTEGRATORS[integrator](request)
    t, nodes = answer.nodes()
    if output is not None:
        kept = np.isin(t, np.concatenate([[0.0], outputs, [t_end]]))
        t, nodes = t[kept], nodes[kept]
    stats = {
        "steps": answer.steps, "rejected": answer.rejected, "evaluations": answer.evaluations,
        "wall_time": clock.perf_counter() - began, "stride": answer.stride,
    }  # fmt: skip
    if mechanism.tables.contacts:
        stats["events"] = answer.events
    text = message(mechanism, answer, nodes[-1][: mechanism.tables.size])
    impacts = impacts_of(mechanism, answer.touches)
    warn_of_contacts(impacts, answer, settings)
    result = make_result(mechanism, t, nodes, stats, answer.outcome, text, settings, impacts)
    if answer.error is not None and not isinstance(answer.error, KeyboardInterrupt):
        answer.error.add_note(f"at t = {answer.end:.9g} s; what was computed up to then is this exception's .result")
        answer.error.result = result  # type: ignore[attr-defined]
        raise answer.error
    return result


def warn_of_contacts(impacts: Sequence[Impact], answer: Answer, settings: dict[str, Any]) -> None:
    """Say what was not as it should be when contacts began."""
    for impact in impacts:
        if impact.t_start == 0.0 and impact.initial_indentation > OVERLAP:
            notify(
                f"Contact {impact.contact!r}: the shapes overlap by {impact.initial_indentation:.3g} m at the start "
                f"(approach speed {impact.approach_speed:.3g} m/s); the force begins with that indentation. Move the "
                "bodies apart if that is not meant"
            )
    if answer.too_deep:
        notify(
            f"simulate: {answer.too_deep} steps of min_step = {settings['min_step']:g} s began a contact deeper than "
            f"penetration_tolerance = {settings['penetration_tolerance']:g} m; take a smaller min_step or onset='event'"
        )


def check_spans(mechanism: Mechanism, t_end: float) -> None:
    """A motion given by a table must cover the run."""
    for joint in mechanism.tables.joints:
        if joint.motion is not None and not joint.motion.span[0] <= 0.0 <= t_end <= joint.motion.span[1]:
            low, high = joint.motion.span
            raise ModelError(f"{joint.label}: its table covers {low:g} s to {high:g} s, the run needs 0 to {t_end:g} s")


def consistent_start(mechanism: Mechanism) -> np.ndarray:
    """The system's state, moved onto the constraints; says so when it had to move visibly."""
    y = mechanism.tables.y0.copy()
    if mechanism.m == 0:
        return y
    n = mechanism.n
    jacobian = mechanism.matrix(0.0, y)
    phi, nu = (mechanism.tables[place][: mechanism.m].copy() for place in (slot.PHI, slot.NU))
    size = 1.0 + np.abs(y[:n]).max()
    speed = 1.0 + np.abs(y[n : 2 * n]).max()
    if np.abs(phi).max() <= CONSISTENT * size and np.abs(jacobian @ y[n : 2 * n] - nu).max() <= CONSISTENT * speed:
        return y
    before = y.copy()
    solve_positions(mechanism, y, [])
    solve_velocities(mechanism, y, [])
    moved, turned = np.abs(y[:n] - before[:n]).max(), np.abs(y[n : 2 * n] - before[n : 2 * n]).max()
    if moved > 1e-9 * size or turned > 1e-9 * speed:
        gaps = np.abs(phi) / size if moved > 1e-9 * size else velocity_gaps(mechanism, before) / speed
        open_rows = np.flatnonzero(gaps > 1e-10)
        if all(mechanism.tables.row_owner(int(row)).motion is not None for row in open_rows):
            return y  # a driver sets its system in motion: that is what it is for
        names = ", ".join(repr(name) for name in mechanism.owners(open_rows))
        notify(
            f"System {mechanism.system.name!r}: the start does not satisfy {names}; positions moved by {moved:.3g}, "
            f"velocities by {turned:.3g}. Call system.assemble(keep=[...]) to choose what stays"
        )
    return y


def velocity_gaps(mechanism: Mechanism, y: np.ndarray) -> np.ndarray:
    n = mechanism.n
    return np.abs(mechanism.matrix(0.0, y) @ y[n : 2 * n] - mechanism.rows(0.0, y)[1])


def treat_constraints(mechanism: Mechanism, y: np.ndarray, settings: dict[str, Any]) -> None:
    examine(mechanism, y)
    if settings["constraints"] != "projection":
        mechanism.tables.stabilise(settings["alpha"], settings["beta"])
    if settings["constraints"] == "augmented":
        mechanism.prepare_reactions()  # all rows, redundant ones too, share the penalty
        mechanism.tables.regularise(PENALTY, SWEEPS)


def output_times(output: float | Sequence[float] | None, t_end: float) -> np.ndarray:
    if output is None:
        return np.zeros(0)
    if np.ndim(output) == 0:
        interval = positive("simulate", "output", output)
        count = math.floor(t_end / interval * (1.0 + 1e-12))
        times = interval * np.arange(1, count + 1)
        return np.where(times > t_end * (1.0 - 1e-12), t_end, times)
    times = np.array([number("simulate", "output", value) for value in output])  # type: ignore[union-attr]
    if np.any(times < 0.0) or np.any(times > t_end * (1.0 + 1e-12)):
        raise ModelError(
            f"simulate: output times must lie between 0 and t_end = {t_end:g} s, got {times.min():g} to {times.max():g}"
        )
    return np.unique(np.minimum(times[times > 0.0], t_end))


def trouble(mechanism: Mechanism, t: float, y: np.ndarray) -> str:
    """The body with the largest acceleration where the run ended, or just after it where the last state is healthy."""
    n = mechanism.n
    for ahead in (0.0, 1e-12, 1e-9, 1e-6, 1e-3):
        h = ahead * max(t, 1e-3)
        slope, _ = mechanism.evaluate(t, y.copy())
        rates = np.abs(mechanism.evaluate(t + h, y + h * np.nan_to_num(slope))[0][n : 2 * n])
        if not np.all(np.isfinite(rates)):
            break
    rates[~np.isfinite(rates)] = np.inf
    body = mechanism.system.bodies[int(np.argmax(rates)) // 3]
    return f", at body {body.name!r} (largest acceleration {rates.max():.3g})"


def message(mechanism: Mechanism, answer: Answer, last: np.ndarray) -> str:
    """One sentence: what ended the run, when, and where."""
    if answer.outcome.ok:
        return str(answer.outcome)
    where = ""
    if answer.outcome in (Outcome.NOT_FINITE, Outcome.STEP_UNDERFLOW):
        where = trouble(mechanism, answer.end, last)
    if answer.outcome is Outcome.SINGULAR:
        from carom.solve.mobility import mobility

        involved = mobility(mechanism, answer.end, last.copy()).involved or range(mechanism.m)
        where = f", in joints {', '.join(repr(name) for name in mechanism.owners(involved))}"
    return f"{str(answer.outcome).rstrip('.')}: t = {answer.end:.9g} s{where}."
