"""Events of contacts: impacts, and the modes that contacts have after an event."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from carom.result.outcome import Outcome
from carom.solve.event_driven import records as at
from carom.solve.event_driven.contact_modes import EITHER, NO_FRICTION, Outlook, outlook
from carom.solve.event_driven.endings import Ended
from carom.solve.event_driven.event_output import Record
from carom.solve.event_driven.impact_equations import collide
from carom.solve.event_driven.smooth_phase import ADDED, Flight
from carom.solve.timestepping import records as status
from carom.solve.timestepping.time_stepper import OUTCOMES, TimeStepper

SLOW = 1e-8
"""Speed below which a contact that comes back at once is taken to stay (or at.SLOWEST): of the largest it has had."""

MOST_BLOWS = 1000
"""Impacts at one moment, each of which makes contacts approach that it did not act on."""

UNSOLVED = 1e-6
"""Fraction of the largest speed before an impact by which contacts may still approach after it."""

MOST_JAMS = 3

NUDGE, LEAST_NUDGE, SUDDEN = 1e-9, 1e-13, 1e3
"""Where no forces keep contacts closed: approach speed with which an impact is tried, as a fraction of the fastest
sliding and of the largest speed; and by how much it must be answered."""

WAYS = {at.FRICTIONLESS: NO_FRICTION, at.STICK: EITHER, at.SLIP_POSITIVE: 1, at.SLIP_NEGATIVE: -1}


class Changes:
    """What events do to the state and the contacts of a flight."""

    def __init__(self, march: TimeStepper, flight: Flight, record: Record):
        self.march, self.flight, self.record = march, flight, record
        self.friction = np.array([impact.friction for impact in march.model.impact_laws])
        self.impacts = 0

    def slow(self) -> np.ndarray:
        """Of every contact, see SLOW."""
        return np.maximum(SLOW * self.flight.fastest, at.SLOWEST)

    def approaching(self, t: float) -> list[int]:
        """Contacts that touch and approach."""
        flight = self.flight
        flight.look(t, flight.y)
        touching = (flight.gaps < at.TOUCHING) | (flight.modes != at.OPEN)
        return np.flatnonzero(touching & (flight.speeds[:, 0] < -at.NOISE * flight.fastest)).tolist()

    # ---- impacts

    def place(self, t: float, contacts: list[int]) -> None:
        """Move the bodies until the gaps of ``contacts`` are zero; their velocities stay."""
        flight, n = self.flight, self.flight.n
        modes, active, velocities = flight.modes.copy(), flight.active.tolist(), flight.y[n : 2 * n].copy()
        flight.modes[contacts] = at.FRICTIONLESS
        flight.set_active(np.flatnonzero(flight.modes != at.OPEN).tolist())
        flight.hold(t, flight.y)
        flight.modes[:] = modes
        flight.set_active(active)
        flight.y[n : 2 * n] = velocities

    def strike(self, t: float, struck: Iterable[int]) -> None:
        """Impact at the contacts ``struck``, together with all others that touch and do not open."""
        flight = self.flight
        struck = list(struck)
        self.place(t, struck)
        for _ in range(MOST_BLOWS):
            flight.look(t, flight.y)
            near = (flight.gaps < at.TOUCHING) & (flight.speeds[:, 0] <= self.slow())
            near |= flight.modes != at.OPEN
            near[struck] = True
            self.blow(t, np.flatnonzero(near).tolist())
            struck = self.approaching(t)
            if not struck:
                return
        self.march.counts.failed_contact = struck[0]
        raise Ended(Outcome.NO_IMPULSES)

    def blow(self, t: float, contacts: list[int]) -> None:
        """The velocities after an impact, and its books."""
        march, flight = self.march, self.flight
        n, dim, y = flight.n, flight.dim, flight.y
        flight.set_active(contacts)
        march.arrays["y"][:] = y[: 2 * n]
        march.arrays["curvature_terms"][:] = 0.0
        driver_work, losses = float(march.energy.driver_work), march.arrays["contact_losses"].copy()
        while True:
            ending = int(collide.call(t, 0.0, march.stepper))
            if ending != status.SOLVER_NOT_COMPILED:
                break
            march.next_solver()
        if ending != status.FINISHED:
            raise Ended(OUTCOMES[ending])
        self.check_impact(t, contacts)
        impulses = march.arrays["last_P"][: flight.count * dim].reshape(-1, dim)[:, 0]
        for i, k in enumerate(contacts):
            if impulses[k] > 0.0:
                self.record.begin(t, k, -march.arrays["gamma_pre"][i * dim])
        first = 2 * n + ADDED
        y[n : 2 * n] = march.arrays["y_new"][n:]
        y[2 * n + ADDED - 1] += float(march.energy.driver_work) - driver_work
        y[first : first + 2 * flight.count] += march.arrays["contact_losses"] - losses
        y[first + 2 * flight.count :] += impulses
        self.impacts += 1

    def check_impact(self, t: float, contacts: list[int]) -> None:
        """End the run where a contact still approaches after the impact, before which the state is kept.

        Dependent directions of a wedged contact let solvers answer with impulses whose effects cancel.
        """
        march, flight = self.march, self.flight
        before = march.arrays["gamma_pre"][: len(contacts) * flight.dim]
        allowed = self.slow()[contacts] + UNSOLVED * float(np.abs(before).max())
        flight.look(t, march.arrays["y_new"])
        approach = -flight.speeds[contacts, 0] - allowed
        if not np.all(approach <= 0.0):
            march.counts.failed_contact = contacts[int(np.argmax(approach))]
            raise Ended(Outcome.NO_IMPULSES)

    # ---- modes

    def ways(self, contacts: list[int], at_rest: Iterable[int] = ()) -> list[int]:
        """Which way contacts slide in the state looked at last; those ``at_rest`` neither."""
        flight = self.flight
        ways = []
        for k in contacts:
            if flight.dim == 1 or self.friction[k] == 0.0:
                ways.append(NO_FRICTION)
            else:
                slips = k not in at_rest and abs(flight.speeds[k, 1]) > at.NOISE * flight.fastest[k]
                ways.append(int(np.sign(flight.speeds[k, 1])) if slips else EITHER)
        return ways

    def present_ways(self) -> list[int]:
        """Which way the closed contacts slide, by their modes."""
        return [WAYS[int(mode)] for mode in self.flight.modes[self.flight.active]]

    def forecast(self, contacts: list[int], ways: list[int]) -> Outlook | None:
        """Modes and forces of ``contacts``, the active ones, after an evaluation."""
        matrix, rates = self.flight.problem()
        return outlook(matrix, rates, self.friction[contacts], ways, self.flight.dim)

    def breaches(self) -> list[int]:
        """Margins (see `Flight.measure`) that are negative, at the state measured last.

        Where forces are not unique, those at hand may be impossible while others are not: then they do not count.
        """
        flight = self.flight
        margins, rounding = flight.margins()
        below = np.flatnonzero(margins < -rounding).tolist()
        if below and flight.run_record.is_redundant:
            sliding = [j for j in below if self.sliding(j)]
            return below if len(sliding) < len(below) and self.changes() else sliding
        return below

    def sliding(self, j: int) -> bool:
        """Whether margin ``j`` is a speed of sliding."""
        return j % 2 == 1 and int(self.flight.modes[self.flight.active[j // 2]]) in (at.SLIP_POSITIVE, at.SLIP_NEGATIVE)

    def forces(self) -> np.ndarray:
        """Of all contacts at the state evaluated last [N]; where they are not unique, some that are possible."""
        flight = self.flight
        forces = flight.forces()
        closed = flight.active.tolist()
        if flight.run_record.is_redundant and closed:
            beyond = forces[closed, 0] < 0.0
            if flight.dim > 1:
                beyond |= np.abs(forces[closed, 1]) > self.friction[closed] * forces[closed, 0]
            ahead = self.forecast(closed, self.present_ways()) if np.any(beyond) else None
            if ahead is not None:
                forces[closed] = ahead.forces[:, : flight.dim]
        return forces

    def changes(self) -> bool:
        """Whether the closed contacts, at the state evaluated last, cannot go on as they are."""
        closed = self.flight.active.tolist()
        ahead = self.forecast(closed, self.present_ways())
        return ahead is None or ahead.modes != self.flight.modes[closed].tolist()

    def ahead(self, t: float, h: float) -> Outlook | None:
        """What the closed contacts do at the state after ``h``, to which they are led as they are now."""
        flight = self.flight
        flight.arrive(t, h)
        flight.measure(t + h, flight.arrived)
        return self.forecast(flight.active.tolist(), self.present_ways())

    def decide(self, t: float, at_rest: Iterable[int] = ()) -> None:
        """New modes of all contacts that touch and do not open; those ``at_rest`` have just stopped sliding."""
        flight = self.flight
        at_rest = list(at_rest)
        for _ in range(MOST_JAMS):
            flight.look(t, flight.y)
            near = (flight.gaps < at.TOUCHING) | (flight.modes != at.OPEN)
            contacts = np.flatnonzero(near & (flight.speeds[:, 0] <= self.slow())).tolist()
            ways = self.ways(contacts, at_rest)
            flight.modes[:] = at.OPEN
            flight.set_active(contacts)
            flight.start(t)
            ahead = self.forecast(contacts, ways) if contacts else Outlook([], np.zeros((0, 2)))
            if ahead is None:  # sliding that slow ends at once, by an impact that changes nothing else
                slow = [k for k in contacts if flight.dim > 1 and abs(flight.speeds[k, 1]) <= self.slow()[k]]
                ahead = self.forecast(contacts, self.ways(contacts, [*at_rest, *slow]))
            if ahead is not None:
                self.adopt(t, contacts, ahead.modes)
                return
            self.jam(t, contacts)
            at_rest = []
        raise Ended(Outcome.NO_IMPULSES)

    def adopt(self, t: float, contacts: list[int], modes: list[int]) -> None:
        """Give ``contacts`` these modes, all others are open; the state is moved onto what is closed."""
        flight, record = self.flight, self.record
        flight.modes[:] = at.OPEN
        flight.modes[contacts] = modes
        closed = np.flatnonzero(flight.modes != at.OPEN).tolist()
        flight.set_active(closed)
        if flight.hold(t, flight.y):
            raise Ended(Outcome.NOT_CONVERGED)
        flight.look(t, flight.y)
        for k in closed:
            record.begin(t, k)
            record.last(k)
        for k in set(record.episodes) - set(closed):
            record.end(t, k, float(flight.speeds[k, 0]))

    def jam(self, t: float, contacts: list[int]) -> None:
        """No forces keep ``contacts`` closed (Painlevé): an impact without approach takes away the sliding.

        A vanishing approach speed makes the impact problem find it; where the answer vanishes with it there is none.
        """
        march, flight = self.march, self.flight
        n, dim = flight.n, flight.dim
        march.counts.failed_contact = contacts[0]
        matrix, _ = flight.problem()
        responses = march.arrays["inv_M_W"].reshape(-1, n)
        velocities = flight.y[n : 2 * n].copy()
        sliding = float(np.abs(flight.speeds[contacts, 1:]).max(initial=0.0))
        for i, k in enumerate(contacts):
            nudge = max(NUDGE * sliding, LEAST_NUDGE * flight.fastest[k])
            flight.y[n : 2 * n] -= nudge * responses[i * dim] / matrix[i * dim, i * dim]
        nudged = flight.y[n : 2 * n].copy()
        self.blow(t, contacts)
        if np.abs(flight.y[n : 2 * n] - nudged).max() < SUDDEN * np.abs(nudged - velocities).max():
            raise Ended(Outcome.NO_IMPULSES)
