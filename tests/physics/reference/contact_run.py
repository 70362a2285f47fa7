"""Motion with intermittent contacts: every onset, separation and change of a force law is a point where steps end.

Contact forces behave as δ^1.5 where a contact begins and ends, which spoils the order of any integrator in time. There
the run goes over to w = √δ as independent variable (dt = 2w dw/δ̇): the motion is analytic in w, starts at w = 0 and
ends at w = 0 with no root to find.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from .contact_problem import Impact, Problem
from .extrapolation import root, step

OPEN, PUSHING, SLACK = 0, 1, 2  # SLACK: indented, but the law asks for a pull and the force is cut to zero


class Run:
    """One run; `impacts` and `states` (at the times asked for) fill up as it goes."""

    def __init__(
        self, problem: Problem, state, *, tolerance: float, columns: int, real=np.longdouble, measure: bool = True
    ):
        self.problem, self.real, self.measuring = problem, real, measure
        self.t, self.y = real(0), np.array(state, dtype=real)
        self.tolerance, self.columns = tolerance, columns
        count = len(problem.laws)
        self.mode = [OPEN] * count
        self.deep = [False] * count  # past the bend of its law
        self.approach = [real(1)] * count
        self.open_impact: list[Impact | None] = [None] * count
        self.impacts: list[Impact] = []
        self.states: list[np.ndarray] = []
        self.forces: list[list] = []
        self.size = real(problem.max_step)
        self.evaluations = self.steps = 0
        self.sides = [1 if mark > 0 else -1 for mark in problem.marks(self.t, self.y)] if problem.marks else []

    # derivatives; a frame holds the modes and approach speeds a step was begun with

    def frame(self):
        return tuple(self.mode), tuple(self.approach)

    def contact_forces(self, t, y, frame, fixed=None, depth=None):
        forces = []
        for (delta, rate), mode, approach, law, i in zip(
            self.problem.touch(t, y), *frame, self.problem.laws, range(len(self.mode)), strict=True
        ):
            delta = depth if i == fixed else max(delta, self.real(0))
            forces.append(law.force(delta, rate, approach) if mode == PUSHING else self.real(0))
        return forces

    def in_time(self, size):
        """A step as a function of the fraction taken: (t, y, error estimate)."""
        t, y, frame = self.t, self.y, self.frame()

        def rates(t, y):
            self.evaluations += 1
            return self.problem.rates(t, y, self.contact_forces(t, y, frame))

        def part(fraction):
            end, difference = step(rates, t, y, size * fraction, self.columns)
            return t + size * fraction, end, difference

        return part

    def in_root(self, i: int, start, stop):
        """Integrate with w = √δ_i from start to stop as the variable; the state contains the time."""
        z, frame = np.append(self.y, self.t), self.frame()

        def rates(w, z):
            self.evaluations += 1
            y, t = z[:-1], z[-1]
            pace = 2 * w / self.problem.touch(t, y)[i][1]
            return np.append(self.problem.rates(t, y, self.contact_forces(t, y, frame, i, w * w)), self.real(1)) * pace

        def part(fraction):
            end, difference = step(rates, start, z, (stop - start) * fraction, self.columns)
            return end[-1], end[:-1], difference[:-1]

        return part

    def error(self, difference) -> float:
        """Estimated error over what is allowed: the tolerance, or what rounding leaves of the state."""
        floor = 64 * np.finfo(self.real).eps * np.abs(self.y)
        return float(np.max(np.abs(difference) / (self.tolerance * self.problem.scale + floor)))

    # events

    def watch(self, i: int, t, y) -> dict:
        """Return the possible next events of contact i: functions that become positive there, and known slopes."""
        if i == len(self.mode):
            marks = self.problem.marks(t, y) if self.problem.marks else []
            return {
                f"mark{n}": (-side * mark, None) for n, (mark, side) in enumerate(zip(marks, self.sides, strict=True))
            }
        delta, rate = self.problem.touch(t, y)[i]
        law = self.problem.laws[i]
        if self.mode[i] == OPEN:
            return {"surface": (delta, rate)}
        watched = {"surface": (-delta, -rate)}
        if getattr(law, "cut", False):
            push = law.push(max(delta, self.real(0)), rate, self.approach[i])
            watched["cut"] = (-push if self.mode[i] == PUSHING else push, None)
        if hasattr(law, "bend"):
            way = -1 if self.deep[i] else 1
            watched["bend"] = (way * (delta - law.bend), way * rate)
        return watched

    def crossing(self, part, i: int, kind: str, end):
        """Fraction of the step where contact i passes an event of this kind, or None."""

        def value(fraction):
            t, y = (self.t, self.y) if fraction == 0 else part(fraction)[:2]
            return self.watch(i, t, y)[kind]

        (before, slope), (after, slope_after) = value(self.real(0)), self.watch(i, *end)[kind]
        low, high = self.real(0), self.real(1)
        if after <= 0:
            if slope is None or not (slope > 0 and slope_after < 0):
                return None
            inside = root(lambda x: -value(x)[1], low, high)  # largest value within the step
            if value(inside)[0] <= 0:
                return None
            high = inside
        if before >= 0:  # just left the same boundary
            low = self.real(2) ** -20
            while value(low)[0] > 0 and low < high / 2:
                low *= 2
            if value(low)[0] > 0:
                return None if slope is not None and slope <= 0 else self.real(0)
        return root(lambda x: value(x)[0], low, high)

    def first_event(self, part, end, skip=None):
        """(fraction, contact, kind) of the first event inside a step, or None."""
        found = [
            (self.crossing(part, i, kind, end), i, kind)
            for i in range(len(self.mode) + 1)
            for kind in self.watch(i, *end)
            if (i, kind) != skip
        ]
        return min((event for event in found if event[0] is not None), key=lambda event: event[0], default=None)

    def switch(self, i: int, kind: str):
        """Contact i passes an event."""
        if kind.startswith("mark"):
            self.sides[int(kind[4:])] *= -1
        elif kind == "bend":
            self.deep[i] = not self.deep[i]
        elif kind == "cut":
            self.mode[i] = SLACK if self.mode[i] == PUSHING else PUSHING
            self.open_impact[i].cuts.append(self.t)
        elif self.mode[i] == OPEN:
            rate = self.problem.touch(self.t, self.y)[i][1]
            self.mode[i], self.approach[i] = PUSHING, rate
            self.open_impact[i] = Impact(i, self.t, rate)
            self.impacts.append(self.open_impact[i])
            self.leave_surface(i)
        else:
            impact = self.open_impact[i]
            impact.t_end, impact.separation_speed = self.t, -self.problem.touch(self.t, self.y)[i][1]
            self.mode[i], self.open_impact[i] = OPEN, None
            if self.measuring:
                self.measure(impact)

    def leave_surface(self, i: int):
        """First step of a new contact, in w from 0."""
        stop = np.sqrt(self.approach[i] * self.problem.contact_time)
        while True:
            part = self.in_root(i, self.real(0), stop)
            t, y, difference = part(self.real(1))
            error = self.error(difference)
            sound = np.isfinite(error) and error <= 1 and t > self.t
            if sound and t <= self.limit and self.first_event(part, (t, y), skip=(i, "surface")) is None:
                self.accept(part, t, y)
                self.size = min(self.size, 2 * (t - self.impacts[-1].t_start))
                return
            stop = stop / 2

    def accept(self, part, t, y, share=1):
        for i, impact in enumerate(self.open_impact):
            if impact is not None and self.measuring:
                impact.steps.append((part, share, (self.t, self.y), (t, y), self.approach[i]))
        self.t, self.y = t, y
        self.steps += 1

    # the loop

    def to(self, t_end):
        """Go on to t_end and keep the state there."""
        self.limit = self.real(t_end)
        while self.t < self.limit:
            if not self.end_of_contact():
                self.time_step()
        self.states.append(self.y.copy())
        self.forces.append(self.contact_forces(self.t, self.y, self.frame()))
        return self

    def end_of_contact(self) -> bool:
        """The last step of a contact, in w down to 0, when it comes next and is accurate."""
        nearest = None
        for i, (delta, rate) in enumerate(self.problem.touch(self.t, self.y)):
            if self.mode[i] == PUSHING and rate < 0 and 0 < delta < -rate * self.size:
                if nearest is None or -delta / rate < nearest[0]:
                    nearest = (-delta / rate, i, delta)
        if nearest is None:
            return False
        reach, i, delta = nearest
        part = self.in_root(i, np.sqrt(delta), self.real(0))
        t, y, difference = part(self.real(1))
        error = self.error(difference)
        if not (np.isfinite(error) and error <= 1 and self.t < t <= self.limit):
            self.size = reach / 2
            return False
        found = self.first_event(part, (t, y), skip=(i, "surface"))
        if found is not None:
            fraction, other, kind = found
            t, y, _ = part(fraction)
            self.accept(part, t, y, fraction)
            self.switch(other, kind)
            return True
        self.accept(part, t, y)
        self.switch(i, "surface")
        self.size = self.real(self.problem.contact_time)
        return True

    def time_step(self):
        left = self.limit - self.t
        size = min(self.size, self.real(self.problem.max_step))
        last = size > left * (1 - self.real(1e-6))
        size = left if last else size
        part = self.in_time(size)
        t, y, difference = part(self.real(1))
        error = self.error(difference)
        if not np.isfinite(error) or error > 1:
            factor = 0.2 if not np.isfinite(error) else max(0.2, 0.9 * error ** (-1 / (2 * self.columns - 1)))
            self.size = size * self.real(factor)
            if self.size < 1e-25:
                raise ArithmeticError(f"step vanishes at t = {self.t}")
            return
        t = self.limit if last else t
        found = self.first_event(part, (t, y))
        if found is not None:
            fraction, i, kind = found
            if fraction > 0:
                t, y, _ = part(fraction)
                self.accept(part, t, y, fraction)
            self.switch(i, kind)
            return
        self.accept(part, t, y)
        factor = self.real(min(3.0, 0.9 * max(error, 1e-12) ** (-1 / (2 * self.columns - 1))))
        self.size = max(self.size, size * factor) if size < self.size else size * factor

    def table(self) -> list[dict]:
        """The impacts as plain numbers; None for the end of one that is not over, its peaks are those so far."""
        for impact in self.open_impact:
            if impact is not None and self.measuring:
                self.measure(impact)
        names = ("contact", "t_start", "t_end", "approach_speed", "separation_speed", "peak_force", "max_indentation")
        rows = [{name: getattr(impact, name) for name in names} for impact in self.impacts]
        return [{n: float(v) if isinstance(v, np.floating) else v for n, v in row.items()} for row in rows]

    def measure(self, impact: Impact):
        """Largest indentation and force of an impact that is over, each inside the step where it lies."""
        i, steps = impact.contact, impact.steps
        law, touch = self.problem.laws[i], self.problem.touch

        def force(t, y, approach):
            delta, rate = touch(t, y)[i]
            return law.force(max(delta, self.real(0)), rate, approach)

        impact.max_indentation = max(touch(*end)[i][0] for _, _, _, end, _ in steps)
        for part, share, begin, end, _ in steps:
            if touch(*begin)[i][1] > 0 >= touch(*end)[i][1]:
                top = root(lambda x, p=part: -touch(*p(x)[:2])[i][1], self.real(0), self.real(share))
                impact.max_indentation = max(impact.max_indentation, touch(*part(top)[:2])[i][0])
        best = int(np.argmax([force(*end, approach) for _, _, _, end, approach in steps]))
        for part, share, _, end, approach in steps[best : best + 2]:
            low = minimize_scalar(
                lambda x, p=part, a=approach: -float(force(*p(self.real(x))[:2], a)),
                bounds=(0.0, float(share)),
                method="bounded",
                options={"xatol": 1e-8},
            )
            impact.peak_force = max(impact.peak_force, -low.fun, force(*end, approach))
        if impact.t_end is not None:
            impact.steps = []
