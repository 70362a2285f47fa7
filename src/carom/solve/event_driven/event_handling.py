"""Handling of events: impacts, and the modes of the contacts after an event."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from carom.result.outcome import Outcome
from carom.solve.event_driven.contact_modes import ContactModes, solve_contact_modes
from carom.solve.event_driven.event_output import EventOutput
from carom.solve.event_driven.impact_equations import solve_impact_equations
from carom.solve.event_driven.records import (
    FRICTIONLESS,
    NOISE,
    OPEN,
    SLIP,
    SLOWEST,
    STICK,
    TOUCHING,
)
from carom.solve.event_driven.smooth_phase import N_QUADRATURES, RunEnded, SmoothPhase
from carom.solve.timestepping.records import FINISHED, SOLVER_NOT_COMPILED
from carom.solve.timestepping.time_stepper import OUTCOMES, TimeStepper

PERSISTENT_SPEED = 1e-8
"""Ratio to the largest speed of a contact so far below which a separating contact stays closed if its acceleration
brings it back [-]."""

MAX_IMPACTS = 1000
"""Impacts at one time, each of which makes other contacts approach."""

MAX_APPROACH = 1e-6
"""Ratio to the largest speed before an impact with which contacts may still approach after it [-]."""

STOPPING_CLUSTER, MAX_STOPPING_FACTOR = 8, 100.0
"""Number of events at one time from which contacts stop that slide ten times as fast, and so on for its multiples, up
to this factor [-]."""

STOPPING_SPEED = 10.0
"""Ratio to the tolerance and the largest speed of a contact below which its sliding in 3D ends if it can stick [-]."""

MAX_JAMMED_IMPACTS = 3
"""Impacts without collision at one time."""

TRIAL_APPROACH, MIN_TRIAL_APPROACH = 1e-9, 1e-13
"""Approach speed with which an impact without collision is tried, relative to the fastest sliding and to the largest
speed of the contact [-]."""

MIN_RESPONSE = 1e3
"""Ratio of the change of the velocities by an impact without collision to the trial approach [-]."""


Limit = tuple[int, int]
"""A contact and one of its limits: friction, rolling or spinning."""


class EventHandler:
    """Effects of events on the state and the contacts of a smooth phase."""

    def __init__(self, time_stepper: TimeStepper, smooth_phase: SmoothPhase, output: EventOutput):
        self.time_stepper, self.smooth_phase, self.output = time_stepper, smooth_phase, output
        laws = time_stepper.arrays["impact_laws"][: smooth_phase.n_contacts]
        ratios = [laws[name] for name in ("mu", "rolling_lever", "spinning_lever")]
        self.limit_ratios = np.column_stack(ratios)[:, : smooth_phase.n_limits]
        """Largest force in each limit of each contact relative to the normal force [-]."""
        self.n_impacts = 0

    def persistent_speeds(self) -> np.ndarray:
        """Return the speeds of all contacts below which they may stay closed [m/s]."""
        return np.maximum(PERSISTENT_SPEED * self.smooth_phase.max_gap_rate, SLOWEST)

    def approaching_contacts(self, t: float) -> list[int]:
        """Return the contacts without a gap that approach in the current state."""
        phase = self.smooth_phase
        phase.evaluate_contacts(t, phase.y)
        touching = (phase.gaps < TOUCHING) | phase.is_closed
        return np.flatnonzero(touching & (phase.gamma[:, 0] < -NOISE * phase.max_gap_rate)).tolist()

    # ---- impacts

    def close_gaps(self, t: float, contacts: list[int]) -> None:
        """Move the bodies until the gaps of ``contacts`` are zero, with unchanged velocities."""
        phase, n = self.smooth_phase, self.smooth_phase.n
        modes, active, velocities = phase.modes.copy(), phase.active.tolist(), phase.y[n : 2 * n].copy()
        phase.modes[contacts] = FRICTIONLESS
        phase.set_active(np.flatnonzero(phase.is_closed).tolist())
        phase.project_state(t, phase.y)
        phase.modes[:] = modes
        phase.set_active(active)
        phase.y[n : 2 * n] = velocities

    def apply_impact(self, t: float, contacts: Iterable[int]) -> None:
        """Apply an impact at ``contacts``, together with all others that have no gap and do not open."""
        phase = self.smooth_phase
        impacting = list(contacts)
        self.close_gaps(t, impacting)
        for _ in range(MAX_IMPACTS):
            phase.evaluate_contacts(t, phase.y)
            closed = (phase.gaps < TOUCHING) & (phase.gamma[:, 0] <= self.persistent_speeds())
            closed |= phase.is_closed
            closed[impacting] = True
            self.solve_impact(t, np.flatnonzero(closed).tolist())
            impacting = self.approaching_contacts(t)
            if not impacting:
                return
        self.time_stepper.counts.failed_contact = impacting[0]
        raise RunEnded(Outcome.CONTACT_UNSOLVED)

    def solve_impact(self, t: float, contacts: list[int]) -> None:
        """Compute the velocities after an impact of ``contacts``, and update the energy balance."""
        stepper, phase = self.time_stepper, self.smooth_phase
        n, dim, y, first = phase.n, phase.dim, phase.y, phase.quadrature_offset + N_QUADRATURES
        phase.set_active(contacts)
        stepper.arrays["y"][:] = y[: phase.quadrature_offset]
        stepper.arrays["y_new"][:] = stepper.arrays["y"]
        stepper.arrays["curvature_terms"][:] = 0.0
        driver_work, losses = float(stepper.energy.driver_work), stepper.arrays["contact_losses"].copy()
        while True:
            status = int(solve_impact_equations.call(t, 0.0, stepper.stepper))
            if status != SOLVER_NOT_COMPILED:
                break
            stepper.compile_solver()
        if status != FINISHED:
            raise RunEnded(OUTCOMES[status])
        self.check_impact(t, contacts)
        impulses = stepper.arrays["last_P"][: phase.n_contacts * dim].reshape(-1, dim)[:, 0]
        for i, k in enumerate(contacts):
            if impulses[k] > 0.0:
                self.output.start_contact(t, k, -stepper.arrays["gamma_pre"][i * dim])
        y[n : 2 * n] = stepper.arrays["y_new"][n : 2 * n]
        y[first - 1] += float(stepper.energy.driver_work) - driver_work
        y[first : first + 2 * phase.n_contacts] += stepper.arrays["contact_losses"] - losses
        y[first + 2 * phase.n_contacts :] += impulses
        self.n_impacts += 1

    def check_impact(self, t: float, contacts: list[int]) -> None:
        """End the run, in the state before the impact, if a contact still approaches after it.

        Dependent directions of a wedged contact let solvers return impulses whose effects cancel.
        """
        stepper, phase = self.time_stepper, self.smooth_phase
        gamma_pre = stepper.arrays["gamma_pre"][: len(contacts) * phase.dim]
        allowed = self.persistent_speeds()[contacts] + MAX_APPROACH * float(np.abs(gamma_pre).max())
        phase.evaluate_contacts(t, stepper.arrays["y_new"])
        approach = -phase.gamma[contacts, 0] - allowed
        if not np.all(approach <= 0.0):
            stepper.counts.failed_contact = contacts[int(np.argmax(approach))]
            raise RunEnded(Outcome.CONTACT_UNSOLVED)

    def apply_impact_without_collision(self, t: float, contacts: list[int]) -> None:
        """Stop the sliding of ``contacts`` by an impact, where no forces keep them closed (Painlevé's paradox).

        A vanishing approach speed makes the impact problem find it; if the response vanishes, too, there is none.
        """
        stepper, phase = self.time_stepper, self.smooth_phase
        n, dim = phase.n, phase.dim
        stepper.counts.failed_contact = contacts[0]
        G, _ = phase.contact_problem()
        responses = stepper.arrays["inv_M_W"].reshape(-1, n)
        velocities = phase.y[n : 2 * n].copy()
        sliding = float(np.abs(phase.gamma[contacts, 1:]).max(initial=0.0))
        for i, k in enumerate(contacts):
            approach = max(TRIAL_APPROACH * sliding, MIN_TRIAL_APPROACH * phase.max_gap_rate[k])
            phase.y[n : 2 * n] -= approach * responses[i * dim] / G[i * dim, i * dim]
        trial = phase.y[n : 2 * n].copy()
        self.solve_impact(t, contacts)
        if np.abs(phase.y[n : 2 * n] - trial).max() < MIN_RESPONSE * np.abs(trial - velocities).max():
            raise RunEnded(Outcome.CONTACT_UNSOLVED)

    # ---- margins and forces

    def negative_margins(self) -> list[int]:
        """Return the negative margins at the state of the last `SmoothPhase.evaluate_margins`.

        Where forces are not unique, the computed ones may be impossible while others are not: then they do not count.
        """
        phase = self.smooth_phase
        margins, resolutions = phase.margins_and_resolutions()
        negative = np.flatnonzero(margins < -resolutions).tolist()
        if negative and phase.is_redundant:
            sliding = [j for j in negative if self.is_sliding_speed(j)]
            return negative if len(sliding) < len(negative) and self.modes_must_change() else sliding
        return negative

    def contact_and_limit(self, j: int) -> Limit:
        """Return contact and limit of margin ``j``; the limit of a normal force is −1."""
        phase = self.smooth_phase
        i, limit = divmod(j, 1 + phase.n_limits)
        return int(phase.active[i]), limit - 1

    def is_sliding_speed(self, j: int) -> bool:
        """Return whether margin ``j`` is the speed of a contact that slides, rolls or spins."""
        k, limit = self.contact_and_limit(j)
        return limit >= 0 and int(self.smooth_phase.modes[k, limit]) == SLIP

    def contact_forces(self) -> np.ndarray:
        """Return the forces of all contacts at the last evaluation [N]; where they are not unique, possible ones."""
        phase = self.smooth_phase
        forces = phase.contact_forces()
        if phase.is_redundant and len(phase.active):
            closed = phase.active.tolist()
            impossible = forces[closed, 0] < 0.0
            for limit, rows in enumerate(phase.limit_rows):
                tangential = np.linalg.norm(forces[closed, rows], axis=1)
                impossible |= tangential > self.limit_ratios[closed, limit] * forces[closed, 0]
            contact_modes = self.solve_modes(closed, self.current_directions()) if np.any(impossible) else None
            if contact_modes is not None:
                forces[closed] = contact_modes.forces
        return forces

    # ---- modes

    def sliding_speeds(self) -> np.ndarray:
        """Return the speeds |γ_T| in all limits of all contacts at the last evaluated state [m/s]."""
        phase = self.smooth_phase
        speeds = np.empty((phase.n_contacts, phase.n_limits))
        for limit, rows in enumerate(phase.limit_rows):
            speeds[:, limit] = np.linalg.norm(phase.gamma[:, rows], axis=1)
        return speeds

    def sliding_directions(self, contacts: list[int], stopped: Iterable[Limit] = ()) -> np.ndarray:
        """Return the unit vectors γ_T/|γ_T| at the last evaluated state; zero at rest and for ``stopped`` limits."""
        phase, speeds = self.smooth_phase, self.sliding_speeds()
        directions = np.zeros((len(contacts), max(phase.dim - 1, 1)))
        for direction, k in zip(directions, contacts, strict=True):
            for limit, columns in enumerate(phase.limit_columns):
                if (k, limit) not in stopped and speeds[k, limit] > NOISE * phase.max_gap_rate[k]:
                    direction[columns] = phase.gamma[k, 1:][columns] / speeds[k, limit]
        return directions

    def current_directions(self) -> np.ndarray:
        """Return the sliding directions of the closed contacts at the last evaluation; zero where they do not slide."""
        phase = self.smooth_phase
        directions = np.zeros((len(phase.active), max(phase.dim - 1, 1)))
        slides = phase.modes[phase.active] == SLIP
        slip = phase.slip_directions(len(phase.active))
        for limit, columns in enumerate(phase.limit_columns):
            moving = slides[:, limit]
            directions[moving, columns] = slip[moving, limit, : columns.stop - columns.start]
        return directions

    def turns(self, t: float, sliding: Limit, h: float) -> bool:
        """Return whether a contact has only turned its sliding direction, and still slides, after a step [s]."""
        phase = self.smooth_phase
        if not phase.is_disc[sliding[1]]:
            return False
        phase.step_and_project(t, h)
        phase.evaluate_contacts(t + h, phase.y_projected)
        return bool(self.sliding_speeds()[sliding] > self.persistent_speeds()[sliding[0]])

    def solve_modes(self, contacts: list[int], directions: np.ndarray) -> ContactModes | None:
        """Return modes and forces of the active ``contacts`` at the last evaluated state, or None without solution."""
        G, gamma_dot = self.smooth_phase.contact_problem()
        return solve_contact_modes(G, gamma_dot, self.limit_ratios[contacts], directions, self.smooth_phase.dim)

    def modes_must_change(self) -> bool:
        """Return whether the modes of the closed contacts are impossible at the last evaluated state."""
        closed = self.smooth_phase.active.tolist()
        contact_modes = self.solve_modes(closed, self.current_directions())
        return contact_modes is None or bool(np.any(contact_modes.modes != self.smooth_phase.modes[closed]))

    def modes_after(self, t: float, h: float) -> ContactModes | None:
        """Return the modes of the closed contacts after a step of length ``h`` with the current modes."""
        phase = self.smooth_phase
        phase.step_and_project(t, h)
        phase.evaluate_margins(t + h, phase.y_projected)
        return self.solve_modes(phase.active.tolist(), self.current_directions())

    def ending_contacts(self, t: float, rtol: float) -> list[Limit]:
        """Return the limits whose motion slows down, is below the resolution of tolerance ``rtol``, and can end.

        They have two rows. The derivative at the current state must have been evaluated.
        """
        phase, closed = self.smooth_phase, self.smooth_phase.active.tolist()
        slides = (phase.modes[closed] == SLIP) & phase.is_disc
        if not np.any(slides):
            return []
        phase.evaluate_contacts(t, phase.y)
        slow = self.sliding_speeds()[closed] <= STOPPING_SPEED * rtol * phase.max_gap_rate[closed, None]
        ending = slow & slides
        if not np.any(ending):
            return []
        G, gamma_dot = phase.contact_problem()
        directions, forces = self.current_directions(), phase.contact_forces()[closed]
        acceleration = (gamma_dot + G @ forces.ravel()).reshape(-1, phase.dim)
        for limit, columns in enumerate(phase.limit_columns):
            slope = np.sum(acceleration[:, 1:][:, columns] * directions[:, columns], axis=1)
            ending[:, limit] &= slope < 0.0
        if not np.any(ending):
            return []
        for limit, columns in enumerate(phase.limit_columns):
            directions[ending[:, limit], columns] = 0.0
        contact_modes = solve_contact_modes(G, gamma_dot, self.limit_ratios[closed], directions, phase.dim)
        if contact_modes is None or np.any(contact_modes.modes[ending] != STICK):
            return []
        return [(closed[i], limit) for i, limit in np.argwhere(ending).tolist()]

    def stop_sliding(self, t: float, sliding: list[Limit], cluster: int) -> list[Limit]:
        """Stop the motion in the limits ``sliding``, and in others that have all but ended it; return all of them.

        Contacts of one body often stop together. With two tangents the sliding velocity of a located end is small, but
        not zero: it is removed, so that sliding can start anew in any direction. ``cluster`` is the number of events at
        this time so far: where it is large, faster contacts stop, too.
        """
        phase = self.smooth_phase
        if phase.tangents < 2 and cluster < STOPPING_CLUSTER:
            return sliding
        factor = min(10.0 ** (cluster // STOPPING_CLUSTER), MAX_STOPPING_FACTOR)
        phase.evaluate_contacts(t, phase.y)
        speeds = self.sliding_speeds()
        fastest = max(speeds[limit] for limit in sliding)
        slow = speeds <= np.maximum(factor * self.persistent_speeds(), 2.0 * fastest)[:, None]
        stopped = sorted({*sliding, *((k, limit) for k, limit in np.argwhere(slow & (phase.modes == SLIP)).tolist())})
        for limit in stopped:
            phase.modes[limit] = STICK
        phase.project_state(t, phase.y)
        return stopped

    def update_modes(self, t: float, stopped: Iterable[Limit] = ()) -> None:
        """Determine the modes of all contacts in the current state; motion in ``stopped`` limits has just ended."""
        phase = self.smooth_phase
        stopped = list(stopped)
        for _ in range(MAX_JAMMED_IMPACTS):
            phase.evaluate_contacts(t, phase.y)
            closed = (phase.gaps < TOUCHING) | phase.is_closed
            contacts = np.flatnonzero(closed & (phase.gamma[:, 0] <= self.persistent_speeds())).tolist()
            directions = self.sliding_directions(contacts, stopped)
            phase.modes[:] = OPEN
            phase.set_active(contacts)
            phase.evaluate_first_stage(t)
            none = ContactModes(np.zeros((0, phase.n_limits), int), np.zeros((0, phase.dim)), directions)
            contact_modes = self.solve_modes(contacts, directions) if contacts else none
            if contact_modes is None:  # sliding that slow ends at once, by an impact that changes nothing else
                is_slow = self.sliding_speeds() <= self.persistent_speeds()[:, None]
                slow = [(k, limit) for k in contacts for limit in range(phase.n_limits) if is_slow[k, limit]]
                contact_modes = self.solve_modes(contacts, self.sliding_directions(contacts, [*stopped, *slow]))
            if contact_modes is not None:
                self.set_modes(t, contacts, contact_modes)
                return
            self.apply_impact_without_collision(t, contacts)
            stopped = []
        raise RunEnded(Outcome.CONTACT_UNSOLVED)

    def set_modes(self, t: float, contacts: list[int], contact_modes: ContactModes) -> None:
        """Set the modes of ``contacts``, open all others, and project the state onto the closed ones."""
        phase, output = self.smooth_phase, self.output
        phase.modes[:] = OPEN
        phase.modes[contacts] = contact_modes.modes
        phase.set_active(contacts)
        phase.set_slip_directions(t, contact_modes.slip)
        closed = np.flatnonzero(phase.is_closed).tolist()
        phase.set_active(closed)
        if phase.project_state(t, phase.y):
            raise RunEnded(Outcome.NOT_CONVERGED)
        phase.evaluate_contacts(t, phase.y)
        for k in closed:
            output.start_contact(t, k)
            output.mark_persistent(k)
        for k in set(output.log_entries) - set(closed):
            output.end_contact(t, k, float(phase.gamma[k, 0]))
