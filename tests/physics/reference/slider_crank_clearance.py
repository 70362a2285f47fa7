"""Slider-crank whose slider has play in its guide, in q = (θ1, θ2, θ3): event by event, and by Moreau's midpoint rule.

Flores, Leine & Glocker, Multibody Syst. Dyn. 23 (2010) 165–190, "N" below; d = 2 (b + c). Corners 1…4 of N are
(rear, top), (front, top), (rear, bottom), (front, bottom): signs SX along the guide, SY across it; here from 0 on.
The crank is free (θ1 a coordinate) or driven: θ1 = 150 t, a crank of infinite inertia.

`event_driven` is the exact motion of N's model: smooth arcs by Runge–Kutta of order 8, impacts by Newton's law with
Coulomb friction at all closed corners at once, lasting contact with stick and slip. `moreau` is N's algorithm.
Vectors of eight hold the four normal, then the four tangential directions.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from scipy.integrate import DOP853
from scipy.optimize import brentq

L1, L2, A, B, C = 0.153, 0.306, 0.05, 0.025, 0.001
M1, M2, M3, J1, J2, J3, GRAVITY = 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 2.7e-6, 9.81
SX, SY = (-1.0, 1.0, -1.0, 1.0), (1.0, 1.0, -1.0, -1.0)
CRANK_SPEED, ROD_SPEED = 150.0, -75.0
OPEN, FORWARD, BACKWARD, STICK = 0, 1, 2, 3  # state of a corner; FORWARD: γ_T > 0
TABLEAU, WEIGHTS = np.ascontiguousarray(DOP853.A[:12, :12]), np.ascontiguousarray(DOP853.B[:12])
MERGED = 1e-12  # m: corners this near to the guide when another one strikes are struck with it
RESTING = 1e-9  # m/s: tangential speeds below are zero


@njit(cache=True)
def dynamics(q, u, driven):
    """M⁻¹ and M⁻¹ h, (90)–(97) of N; the driven crank is one of infinite inertia."""
    s1, c1, s2, c2 = math.sin(q[0]), math.cos(q[0]), math.sin(q[1]), math.cos(q[1])
    k = (0.5 * M2 + M3) * L1 * L2
    m11, m22 = J1 + (0.25 * M1 + M2 + M3) * L1 * L1, J2 + (0.25 * M2 + M3) * L2 * L2
    m12, turn = k * (s2 * s1 + c2 * c1), k * (s2 * c1 - c2 * s1)
    h1 = turn * u[1] * u[1] - (0.5 * M1 + M2 + M3) * GRAVITY * L1 * c1
    h2 = -turn * u[0] * u[0] - (0.5 * M2 + M3) * GRAVITY * L2 * c2
    inverse, free = np.zeros((3, 3)), np.zeros(3)
    inverse[2, 2] = 1.0 / J3
    if driven:
        inverse[1, 1] = 1.0 / m22
        free[1] = h2 / m22
    else:
        det = m11 * m22 - m12 * m12
        inverse[0, 0], inverse[1, 1] = m22 / det, m11 / det
        inverse[0, 1] = inverse[1, 0] = -m12 / det
        free[0] = (m22 * h1 - m12 * h2) / det
        free[1] = (m11 * h2 - m12 * h1) / det
    return inverse, free


@njit(cache=True)
def corners(q, u):
    """Gaps g_N (4), directions w_N and w_T (8, 3) and q̇ᵀ g_qq q̇ (8): (98)–(113) of N."""
    s1, s2, s3 = math.sin(q[0]), math.sin(q[1]), math.sin(q[2])
    c1, c2, c3 = math.cos(q[0]), math.cos(q[1]), math.cos(q[2])
    gap, w, bend = np.empty(4), np.empty((8, 3)), np.empty(8)
    for i in range(4):
        x, y, sign = SX[i] * A, SY[i] * B, SY[i]
        gap[i] = B + C - sign * (L1 * s1 + L2 * s2 + x * s3 + y * c3)
        w[i, 0], w[i, 1], w[i, 2] = -sign * L1 * c1, -sign * L2 * c2, -sign * (x * c3 - y * s3)
        w[4 + i, 0], w[4 + i, 1], w[4 + i, 2] = -L1 * s1, -L2 * s2, -x * s3 - y * c3
        bend[i] = sign * (L1 * s1 * u[0] ** 2 + L2 * s2 * u[1] ** 2 + (x * s3 + y * c3) * u[2] ** 2)
        bend[4 + i] = -L1 * c1 * u[0] ** 2 - L2 * c2 * u[1] ** 2 - (x * c3 - y * s3) * u[2] ** 2
    return gap, w, bend


@njit(cache=True)
def along(w, x):
    """w x."""
    y = np.zeros(8)
    for i in range(8):
        for c in range(3):
            y[i] += w[i, c] * x[c]
    return y


@njit(cache=True)
def response(inverse, w, force):
    """M⁻¹ wᵀ λ."""
    x = np.zeros(3)
    for r in range(3):
        for c in range(3):
            for i in range(8):
                x[r] += inverse[r, c] * w[i, c] * force[i]
    return x


@njit(cache=True)
def delassus(inverse, w):
    """w M⁻¹ wᵀ."""
    g = np.zeros((8, 8))
    for i in range(8):
        for r in range(3):
            for c in range(3):
                for j in range(8):
                    g[i, j] += w[i, r] * inverse[r, c] * w[j, c]
    return g


@njit(cache=True)
def eliminate(a, b, n):
    """x with a x = b (n unknowns, arguments overwritten); where a lacks rank the free unknowns are 0. False: none."""
    x, lead, used = np.zeros(8), np.full(8, -1), np.zeros(8, np.bool_)
    scale, size = np.max(np.abs(a)), np.max(np.abs(b))
    for column in range(n):
        pivot = -1
        for i in range(n):
            if not used[i] and (pivot < 0 or abs(a[i, column]) > abs(a[pivot, column])):
                pivot = i
        if pivot < 0 or abs(a[pivot, column]) <= 1e-11 * scale:
            continue
        used[pivot], lead[column] = True, pivot
        for i in range(n):
            if i != pivot:
                factor = a[i, column] / a[pivot, column]
                b[i] -= factor * b[pivot]
                for j in range(column, n):
                    a[i, j] -= factor * a[pivot, j]
    consistent = True
    for i in range(n):
        if lead[i] >= 0:
            x[i] = b[lead[i]] / a[lead[i], i]
        consistent = consistent and (used[i] or abs(b[i]) <= 1e-9 * size)
    return x, consistent


@njit(cache=True)
def multipliers(g, b, mu, state):
    """λ (8) of the corners in the given states: g λ + b vanishes across closed corners, and along those that stick."""
    index, n = np.full(8, -1), 0
    for i in range(4):
        if state[i] != OPEN:
            index[i] = n
            n += 1
        if state[i] == STICK:
            index[4 + i] = n
            n += 1
    a, c = np.zeros((8, 8)), np.zeros(8)
    for i in range(8):
        if index[i] >= 0:
            c[index[i]] = -b[i]
            for j in range(4):
                if state[j] != OPEN:
                    slope = -mu if state[j] == FORWARD else (mu if state[j] == BACKWARD else 0.0)
                    a[index[i], index[j]] = g[i, j] + slope * g[i, 4 + j]
                if state[j] == STICK:
                    a[index[i], index[4 + j]] = g[i, 4 + j]
    x, consistent = eliminate(a, c, n)
    force = np.zeros(8)
    for i in range(4):
        if state[i] != OPEN:
            force[i] = x[index[i]]
            if state[i] == STICK:
                force[4 + i] = x[index[4 + i]]
            else:
                force[4 + i] = mu * force[i] * (-1.0 if state[i] == FORWARD else 1.0)
    return force, consistent


@njit(cache=True)
def complementarity(g, b, mu, closed, sliding):
    """0 ≤ λ_N ⟂ ξ_N ≥ 0, −λ_T ∈ μ λ_N Sgn(ξ_T), ξ = g λ + b, for the closed corners: by trying all their states.

    `sliding[i]` = FORWARD or BACKWARD fixes the direction of the friction, 0 leaves it open. Returns λ, the states and
    how many motions ξ solve it; the first one counts.
    """
    size, size_t, stiff, combinations = 1e-300, 1e-300, 0.0, 1
    for i in range(4):
        if closed[i]:
            size, size_t = max(size, abs(b[i])), max(size_t, abs(b[4 + i]))
            stiff = max(stiff, g[i, i])
            combinations *= 4
    rate, rate_t = 1e-11 * size, 1e-11 * max(size, size_t)
    best, states, motion, solutions = np.zeros(8), np.zeros(4, np.int64), b, 0
    for code in range(combinations):
        rest, fits, state = code, True, np.zeros(4, np.int64)
        for i in range(4):
            if closed[i]:
                state[i] = rest % 4
                rest //= 4
                fits = fits and (sliding[i] == 0 or state[i] == OPEN or state[i] == sliding[i])
        if not fits:
            continue
        force, fits = multipliers(g, b, mu, state)
        xi = b.copy()
        for i in range(8):
            for j in range(8):
                xi[i] += g[i, j] * force[j]
        for i in range(4):
            if closed[i] and state[i] == OPEN:
                fits = fits and xi[i] >= -rate
            elif closed[i]:
                fits = fits and force[i] >= -rate / stiff
                if state[i] == STICK:
                    fits = fits and abs(force[4 + i]) <= mu * force[i] + rate / stiff
                elif sliding[i] == 0:
                    fits = fits and (xi[4 + i] if state[i] == FORWARD else -xi[4 + i]) >= -rate_t
        if fits and (solutions == 0 or np.max(np.abs(xi - motion)) > 1e3 * rate_t):
            if solutions == 0:
                best, states, motion = force, state, xi
            solutions += 1
    return best, states, solutions


@njit(cache=True)
def accelerations(q, u, state, mu, driven):
    """u̇ with the corners held in their states, λ, the gaps and the rates γ."""
    inverse, rate = dynamics(q, u, driven)
    gap, w, bend = corners(q, u)
    force = np.zeros(8)
    if state[0] + state[1] + state[2] + state[3] > 0:
        force, _ = multipliers(delassus(inverse, w), along(w, rate) + bend, mu, state)
        rate += response(inverse, w, force)
    return rate, force, gap, along(w, u)


@njit(cache=True)
def advance(y, h, state, mu, driven):
    """One step of the eighth-order formula of Dormand & Prince."""
    k, z = np.empty((12, 6)), y.copy()
    for s in range(13):
        for j in range(6):
            z[j] = y[j]
            for r in range(min(s, 12)):
                z[j] += h * (TABLEAU[s, r] if s < 12 else WEIGHTS[r]) * k[r, j]
        if s < 12:
            rate = accelerations(z[:3], z[3:], state, mu, driven)[0]
            for j in range(3):
                k[s, j], k[s, 3 + j] = z[3 + j], rate[j]
    return z


@njit(cache=True)
def margins(y, h, state, mu, driven):
    """State after h; what must stay positive: gap or normal force of each corner, sliding speed or spare friction."""
    z = advance(y, h, state, mu, driven) if h > 0.0 else y
    _, force, gap, rate = accelerations(z[:3], z[3:], state, mu, driven)
    margin = np.full(8, np.inf)
    for i in range(4):
        margin[i] = gap[i] if state[i] == OPEN else force[i]
        if state[i] == STICK:
            margin[4 + i] = mu * force[i] - abs(force[4 + i])
        elif state[i] != OPEN and not (abs(rate[4 + i]) < RESTING and np.max(state) == STICK):  # the other holds it
            margin[4 + i] = rate[4 + i] if state[i] == FORWARD else -rate[4 + i]
    return z, margin, rate


class Motion:
    """State y = (q, u), states of the corners, and how they go on from event to event."""

    def __init__(self, y, epsilon, mu, driven, slow, tilt):
        self.y, self.t, self.epsilon, self.mu, self.driven = y, 0.0, epsilon, mu, driven
        self.slow, self.tilt = slow, tilt
        self.state, self.faults, self.impacts, self.changes = np.zeros(4, np.int64), 0, [], []
        gap, w, _ = corners(y[:3], y[3:])
        closed = np.abs(gap) < MERGED
        if np.any((w @ y[3:])[:4][closed] < -slow):
            self.strike(closed)
        self.settle(closed, np.zeros(4, np.int64))

    def after(self, h):
        return margins(self.y, h, self.state, self.mu, self.driven)

    def margin(self, h, k, fresh):
        """Margin k after h. A corner that starts on the guide: its mean speed of leaving, zero at the next touch."""
        _, margin, rate = self.after(h)
        if not fresh:
            return margin[k]
        if h > 1e-6:
            return margin[k] / h
        # Simpson's rule is free of the round-off of the gap
        return (self.after(0.0)[2][k] + 4.0 * self.after(0.5 * h)[2][k] + rate[k]) / 6.0

    def step(self, whole):
        """To the first margin that falls through 0, which is dealt with, or by the whole step."""
        _, start, rate = self.after(0.0)
        z, end, rate_end = self.after(whole)
        h, event = whole, None
        for k in range(8):
            leaving = k < 4 and self.state[k] == OPEN
            fresh, high = leaving and start[k] < 1e-14, h
            if leaving and not fresh and rate[k] < 0.0 < rate_end[k] and end[k] >= 0.0:
                # a touch between the ends: look at the vertex of the parabola that has both speeds
                vertex = whole * rate[k] / (rate[k] - rate_end[k])
                if start[k] + 0.5 * vertex * rate[k] > 1e-8:
                    continue
                high = min(vertex, h)
            elif event is None and end[k] >= 0.0:
                continue
            if self.margin(high, k, fresh) < 0.0:
                h, event = 0.0, k
                if self.margin(0.0, k, fresh) > 0.0:
                    h = brentq(self.margin, 0.0, high, (k, fresh), xtol=1e-19, rtol=8.9e-16)
        self.y, self.t = (z if h == whole else self.after(h)[0]), self.t + h
        if event is not None:
            self.deal_with(event)

    def deal_with(self, event):
        """Impact, release, end of sliding or end of stick."""
        closed, forced, corner = self.state != OPEN, np.zeros(4, np.int64), event % 4
        if self.state[corner] == OPEN:
            gap, w, _ = corners(self.y[:3], self.y[3:])
            closed |= (gap < MERGED) & ((w @ self.y[3:])[:4] < 0.0)
            closed[corner] = True
            self.strike(closed)
        elif event < 4:  # on a flat face both normal forces vanish together: the moments fix their ratio
            together = self.after(0.0)[1][:4] < 1e-9
            together[corner] = True
            if np.sum(closed & together) == 2:
                self.y[2] += self.tilt
                gap, w, _ = corners(self.y[:3], self.y[3:])  # the rod lifts the corner that now penetrates
                self.y[1] -= gap[np.argmin(gap)] / w[np.argmin(gap), 1]
            closed &= ~together
        elif self.state[corner] == STICK:
            force = accelerations(self.y[:3], self.y[3:], self.state, self.mu, self.driven)[1][4 + corner]
            forced[corner] = BACKWARD if force > 0.0 else FORWARD
        self.settle(closed, forced)

    def strike(self, closed):
        """Impact of all closed corners: ξ_N = γ⁺ + ε γ⁻, ξ_T = γ_T⁺, (22), (32)–(35) of N."""
        inverse, _ = dynamics(self.y[:3], self.y[3:], self.driven)
        _, w, _ = corners(self.y[:3], self.y[3:])
        before = w @ self.y[3:]
        b = before * np.repeat([1.0 + self.epsilon, 1.0], 4)
        force, _, solutions = complementarity(delassus(inverse, w), b, self.mu, closed, np.zeros(4, np.int64))
        self.y[3:] += inverse @ (w.T @ force)
        self.faults += solutions != 1
        self.impacts.append((self.t, tuple(np.flatnonzero(closed).tolist()), before[:4], (w @ self.y[3:])[:4]))

    def settle(self, closed, forced):
        """States of the corners from the complementarity of the accelerations; speeds of leaving below `slow` count as
        0. `forced[i]`, if not 0, is the direction in which corner i starts to slide."""
        inverse, free = dynamics(self.y[:3], self.y[3:], self.driven)
        _, w, bend = corners(self.y[:3], self.y[3:])
        across, tangential = np.split(w @ self.y[3:], 2)
        sliding = np.select([tangential > RESTING, tangential < -RESTING], [FORWARD, BACKWARD], forced)
        closed = closed & (across <= self.slow)
        _, state, solutions = complementarity(delassus(inverse, w), w @ free + bend, self.mu, closed, sliding)
        self.faults += solutions != 1
        if not solutions:
            raise RuntimeError(f"no accelerations at {self.t}: friction too large (Painlevé)")
        if not self.changes or np.any(state != self.state):
            self.changes.append((self.t, *state))
        self.state = state
        self.hold()

    def hold(self):
        """Closed corners onto the guide, by the smallest change weighed by the masses, and to rest across it (in stick
        along it too), by the normal and frictional impulses that do it."""
        q, u = self.y[:3], self.y[3:]
        for _ in range(2):
            inverse, _ = dynamics(q, u, self.driven)
            gap, w, _ = corners(q, u)
            force, _ = multipliers(delassus(inverse, w), np.append(gap, gap), 0.0, np.minimum(self.state, FORWARD))
            q += inverse @ (w.T @ force)
        inverse, _ = dynamics(q, u, self.driven)
        _, w, _ = corners(q, u)
        force, _ = multipliers(delassus(inverse, w), w @ u, self.mu, self.state)
        u += inverse @ (w.T @ force)


def initial(slider_angle: float = 0.0, slider_speed: float = 0.0, rod_angle: float = 0.0) -> np.ndarray:
    """(q, u) at the start: crank outstretched at 150 rad/s, the slider's pin at rest across the guide (N: angles 0)."""
    return np.array([0.0, rod_angle, slider_angle, CRANK_SPEED, ROD_SPEED / math.cos(rod_angle), slider_speed])


def touching_angle() -> float:
    """Slider angle > 0 at which, centred in the guide, its corners 2 and 3 of N touch: a sin θ + b cos θ = b + c."""
    return math.asin((B + C) / math.hypot(A, B)) - math.atan2(B, A)


def touching_rod_angle(slider_angle: float) -> float:
    """Rod angle at which, with the crank at 0, the lowest corner alone touches."""
    return math.asin(-(B + C - A * abs(math.sin(slider_angle)) - B * math.cos(slider_angle)) / L2)


def event_driven(
    restitution, friction=0.01, crank="free", t_end=0.2, times=(), slow=1e-6, longest=2e-5, tilt=0.0, **start
) -> dict:
    """The motion, event by event, in steps of at most `longest`, from `initial(**start)`. `states`: (q, u) at `times`,
    after an impact at that moment; `final`: at t_end.

    Accumulating impacts end when a corner leaves slower than `slow` (m/s) against an acceleration a that brings it
    back: then it stays. The bounces left out last 2 v/(a (1 − ε)); their whole impulse is what stops v and then carries
    a, so what is neglected is v times that time. `impacts`: time, corners, γ_N of all corners before and after;
    `contacts`: times and states of all corners from then on; `faults`, impacts and settlings that had not exactly one
    solution, must be 0.

    Two corners that strike together do not move on like two that strike one after the other, however soon. A face that
    has lain on the guide leaves it without angle and strikes with both corners; `tilt` (rad) is added to θ3 there.
    """
    motion = Motion(initial(**start), restitution, friction, crank == "driven", slow, tilt)
    states = []
    for t in (*times, t_end):
        while motion.t < t:
            motion.step(min(longest, t - motion.t))
        states.append(motion.y.copy())
    t, struck, before, after = zip(*motion.impacts) if motion.impacts else ((), (), (), ())
    changes = np.array(motion.changes)
    return {
        "states": np.array(states[:-1]),
        "final": states[-1],
        "impacts": {"t": np.array(t), "corners": struck, "before": np.array(before), "after": np.array(after)},
        "contacts": {"t": changes[:, 0], "states": changes[:, 1:].astype(int)},
        "faults": motion.faults,
    }


# deepest −g_N at the end of a step; how often P_N > 0 meets γ_A > 0, the largest work of such impulses in a step and
# their whole work; the largest work of all contact impulses of a step; steps without exactly one solution
DIAGNOSIS = ("penetration", "pulled_back", "largest_work", "total_work", "largest_gain", "faults")


@njit(cache=True)
def push_out(q, driven):
    """Smallest change of q, weighed by the masses, after which no corner penetrates."""
    z, b = q.copy(), np.zeros(8)
    for _ in range(4):
        gap, w, _ = corners(z, z)
        if np.min(gap) >= 0.0:
            break
        inverse, _ = dynamics(z, z, driven)
        b[:4] = gap
        force, _, _ = complementarity(delassus(inverse, w), b, 0.0, gap < 0.0, np.ones(4, np.int64))
        z += response(inverse, w, force)
    return z


@njit(cache=True)
def step_on(y, epsilon, mu, driven, step, steps, every, projection, safe, curvature, rounds):
    """States after every so many steps, and the numbers of DIAGNOSIS."""
    q, u = y[:3].copy(), y[3:].copy()
    states, diagnosis, either = np.empty((steps // every, 6)), np.zeros(6), np.zeros(4, np.int64)
    for k in range(steps):
        middle = q + 0.5 * step * u
        gap, w, bend = corners(middle, u)
        some, past = np.min(gap) <= 0.0, along(w, u)
        if curvature:
            past[:4] -= 0.5 * step * bend[:4]
        speed, after, force, solutions = u, u, np.zeros(8), 1
        for _ in range(1 + rounds):
            inverse, free = dynamics(middle, speed, driven)
            after = u + step * free
            if some:
                b = along(w, after)
                for i in range(4):
                    b[i] += (1.0 if safe and past[i] > 0.0 else epsilon) * past[i]
                    b[i] += 0.5 * step * bend[i] if curvature else 0.0
                force, _, solutions = complementarity(delassus(inverse, w), b, mu, gap <= 0.0, either)
                after += response(inverse, w, force)
            speed = 0.5 * (u + after)
        if some:
            mean, work = along(w, speed), 0.0
            for i in range(4):
                if force[i] > 0.0 and past[i] > 1e-12:
                    diagnosis[1] += 1.0
                    work += force[i] * mean[i]
            diagnosis[2] = max(diagnosis[2], work)
            diagnosis[3] += work
            diagnosis[4] = max(diagnosis[4], np.sum(force * mean))
            diagnosis[5] += solutions != 1
        q, u = middle + 0.5 * step * after, after
        if projection:
            q = push_out(q, driven)
        gap, _, _ = corners(q, u)
        diagnosis[0] = max(diagnosis[0], -np.min(gap))
        if (k + 1) % every == 0:
            states[k // every, :3], states[k // every, 3:] = q, u
    return states, diagnosis


def moreau(
    restitution,
    friction=0.01,
    crank="free",
    t_end=0.2,
    step=1e-5,
    every=1,
    projection=False,
    safe=False,
    curvature=False,
    rounds=0,
    **start,
) -> dict:
    """N's algorithm, section 5.3, from `initial(**start)`; `states`: (q, u) after every `every` steps, at `times`.

    Not in N: `projection` removes the penetration left at the end of each step; `safe` takes ε = 1 where a closed
    corner separates already (γ_A > 0), so that its normal impulse does no work; `curvature` moves γ_A and γ_E from the
    directions at q_M to those at the two ends, ∓ (h/2) q̇ᵀ g_qq q̇, so that lasting contact does not drift; `rounds` > 0
    repeats the step with h(q_M, (u_A + u_E)/2) for h(q_M, u_A): the smooth motion becomes second order.
    """
    steps = round(t_end / step)
    system, variant = (restitution, friction, crank == "driven"), (projection, safe, curvature, rounds)
    states, diagnosis = step_on(initial(**start), *system, step, steps, every, *variant)
    times = np.arange(every, steps + 1, every) * step
    return {"times": times, "states": states, "final": states[-1], **dict(zip(DIAGNOSIS, diagnosis.tolist()))}
