"""Slider-crank whose slider has play in its guide, in q = (θ1, θ2, θ3): event by event, and by Moreau's midpoint rule.

Flores, Leine & Glocker, Multibody Syst. Dyn. 23 (2010) 165–190, "N" below; d = 2 (b + c). Corners 1…4 of N are
(rear, top), (front, top), (rear, bottom), (front, bottom): signs SX along the guide and SY across it.
The crank is free (θ1 a coordinate) or driven: θ1 = 150 t, a crank of infinite inertia. Corners count from 0 here.

`event_driven` is the exact motion of N's model: smooth arcs by Runge–Kutta of order 8, impacts by Newton's law with
Coulomb friction at all closed corners at once, lasting contact with stick and slip. `moreau` is N's algorithm.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from scipy.integrate import DOP853

L1, L2, A, B, C = 0.153, 0.306, 0.05, 0.025, 0.001
M1, M2, M3, J1, J2, J3, GRAVITY = 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 2.7e-6, 9.81
SX, SY = np.array([-1.0, 1.0, -1.0, 1.0]), np.array([1.0, 1.0, -1.0, -1.0])
CRANK_SPEED, ROD_SPEED = 150.0, -75.0
OPEN, FORWARD, BACKWARD, STICK = 0, 1, 2, 3  # state of a corner; FORWARD: γ_T > 0
TABLEAU, WEIGHTS = np.ascontiguousarray(DOP853.A), np.ascontiguousarray(DOP853.B)
MERGED = 1e-12  # m: corners this near to the guide when another one strikes are struck with it
RESTING = 1e-9  # m/s: tangential speeds below are zero


@njit(cache=True)
def dynamics(q, u, driven):
    """M⁻¹ and M⁻¹ h, (90)–(97) of N; the driven crank is one of infinite inertia."""
    s1, c1, c2 = math.sin(q[0]), math.cos(q[0]), math.cos(q[1])
    s21 = math.sin(q[1]) * c1 - c2 * s1
    k = (0.5 * M2 + M3) * L1 * L2
    m11, m22 = J1 + (0.25 * M1 + M2 + M3) * L1 * L1, J2 + (0.25 * M2 + M3) * L2 * L2
    m12 = k * (math.sin(q[1]) * s1 + c2 * c1)
    h1 = k * s21 * u[1] * u[1] - (0.5 * M1 + M2 + M3) * GRAVITY * L1 * c1
    h2 = -k * s21 * u[0] * u[0] - (0.5 * M2 + M3) * GRAVITY * L2 * c2
    inverse, free = np.zeros((3, 3)), np.zeros(3)
    inverse[2, 2] = 1.0 / J3
    if driven:
        inverse[1, 1] = 1.0 / m22
        free[1] = h2 / m22
    else:
        det = m11 * m22 - m12 * m12
        inverse[0, 0], inverse[1, 1] = m22 / det, m11 / det
        inverse[0, 1] = inverse[1, 0] = -m12 / det
        free[0] = inverse[0, 0] * h1 + inverse[0, 1] * h2
        free[1] = inverse[1, 0] * h1 + inverse[1, 1] * h2
    return inverse, free


@njit(cache=True)
def corners(q, u):
    """Gaps g_N (4), directions (8, 3) with the rows w_N then w_T, and q̇ᵀ g_qq q̇ (8): (98)–(113) of N."""
    s1, s2, s3 = math.sin(q[0]), math.sin(q[1]), math.sin(q[2])
    c1, c2, c3 = math.cos(q[0]), math.cos(q[1]), math.cos(q[2])
    gap, w, bend = np.empty(4), np.empty((8, 3)), np.empty(8)
    for i in range(4):
        x, y = SX[i] * A, SY[i] * B
        gap[i] = B + C - SY[i] * (L1 * s1 + L2 * s2 + x * s3 + y * c3)
        w[i, 0], w[i, 1], w[i, 2] = -SY[i] * L1 * c1, -SY[i] * L2 * c2, -SY[i] * (x * c3 - y * s3)
        w[4 + i, 0], w[4 + i, 1], w[4 + i, 2] = -L1 * s1, -L2 * s2, -x * s3 - y * c3
        bend[i] = SY[i] * (L1 * s1 * u[0] ** 2 + L2 * s2 * u[1] ** 2 + (x * s3 + y * c3) * u[2] ** 2)
        bend[4 + i] = -L1 * c1 * u[0] ** 2 - L2 * c2 * u[1] ** 2 - (x * c3 - y * s3) * u[2] ** 2
    return gap, w, bend


@njit(cache=True)
def energy(q, u):
    """Kinetic and potential energy of crank, rod and slider."""
    cos21 = math.cos(q[1] - q[0])
    kinetic = 0.5 * (J1 + (0.25 * M1 + M2 + M3) * L1 * L1) * u[0] ** 2 + 0.5 * J3 * u[2] ** 2
    kinetic += 0.5 * (J2 + (0.25 * M2 + M3) * L2 * L2) * u[1] ** 2 + (0.5 * M2 + M3) * L1 * L2 * cos21 * u[0] * u[1]
    height = (0.5 * M1 + M2 + M3) * L1 * math.sin(q[0]) + (0.5 * M2 + M3) * L2 * math.sin(q[1])
    return kinetic + GRAVITY * height


@njit(cache=True)
def solve_linear(a, b):
    """x with a x = b by elimination with row pivots; where a has no full rank, the free unknowns are 0.

    Second value: False where b lies outside the range of a. Both arguments are overwritten.
    """
    n = b.size
    scale = np.max(np.abs(a)) if n else 0.0
    size = np.max(np.abs(b)) if n else 0.0
    column, row, lead = 0, 0, np.full(n, -1)
    while column < n and row < n:
        pivot = row + np.argmax(np.abs(a[row:, column]))
        if abs(a[pivot, column]) > 1e-11 * scale:
            for j in range(n):
                a[row, j], a[pivot, j] = a[pivot, j], a[row, j]
            b[row], b[pivot] = b[pivot], b[row]
            for i in range(n):
                if i != row:
                    factor = a[i, column] / a[row, column]
                    for j in range(column, n):
                        a[i, j] -= factor * a[row, j]
                    b[i] -= factor * b[row]
            lead[row] = column
            row += 1
        column += 1
    x = np.zeros(n)
    for i in range(row):
        x[lead[i]] = b[i] / a[i, lead[i]]
    consistent = True
    for i in range(row, n):
        consistent = consistent and abs(b[i]) <= 1e-9 * size
    return x, consistent


@njit(cache=True)
def impulses(g, b, mu, state):
    """Multipliers (normal, then tangential) of n corners in the given states: the rates g λ + b vanish where they must."""
    n = state.size
    index = np.full(2 * n, -1)
    m = 0
    for i in range(n):
        if state[i] != OPEN:
            index[i] = m
            m += 1
        if state[i] == STICK:
            index[n + i] = m
            m += 1
    a, c = np.zeros((m, m)), np.zeros(m)
    for i in range(2 * n):
        if index[i] >= 0:
            c[index[i]] = -b[i]
            for j in range(n):
                if state[j] != OPEN:
                    slope = -mu if state[j] == FORWARD else (mu if state[j] == BACKWARD else 0.0)
                    a[index[i], index[j]] += g[i, j] + slope * g[i, n + j]
                if state[j] == STICK:
                    a[index[i], index[n + j]] += g[i, n + j]
    x, consistent = solve_linear(a, c)
    force = np.zeros(2 * n)
    for i in range(n):
        if state[i] != OPEN:
            force[i] = x[index[i]]
        if state[i] == FORWARD:
            force[n + i] = -mu * force[i]
        elif state[i] == BACKWARD:
            force[n + i] = mu * force[i]
        elif state[i] == STICK:
            force[n + i] = x[index[n + i]]
    return force, consistent


@njit(cache=True)
def complementarity(g, b, mu, sliding):
    """0 ≤ λ_N ⟂ ξ_N ≥ 0, −λ_T ∈ μ λ_N Sgn(ξ_T), ξ = g λ + b: by trying all states of the n corners.

    `sliding[i]` = FORWARD or BACKWARD fixes the direction of the friction, 0 leaves it open. Returns λ, the states,
    and how many solutions there are (the first one counts).
    """
    n = sliding.size
    rate = 1e-11 * np.max(np.abs(b[:n])) + 1e-300
    rate_t = 1e-11 * np.max(np.abs(b)) + 1e-300
    push = rate / np.max(np.abs(g))
    best, states, solutions = np.zeros(2 * n), np.zeros(n, np.int64), 0
    state = np.zeros(n, np.int64)
    for code in range(4**n):
        rest, fits = code, True
        for i in range(n):
            state[i] = rest % 4
            rest //= 4
            fits = fits and (sliding[i] == 0 or state[i] == OPEN or state[i] == sliding[i])
        if not fits:
            continue
        force, fits = impulses(g, b, mu, state)
        if not fits:
            continue
        xi = g @ force + b
        for i in range(n):
            if state[i] == OPEN:
                fits = fits and xi[i] >= -rate
                continue
            fits = fits and force[i] >= -push
            if sliding[i] == 0 and state[i] == FORWARD:
                fits = fits and xi[n + i] >= -rate_t
            elif sliding[i] == 0 and state[i] == BACKWARD:
                fits = fits and xi[n + i] <= rate_t
            elif state[i] == STICK:
                fits = fits and abs(force[n + i]) <= mu * force[i] + push
        if fits:
            if solutions == 0:
                best[:] = force
                states[:] = state
            solutions += 1
    return best, states, solutions


@njit(cache=True)
def select(w, closed):
    """The rows w_N, then w_T, of the closed corners."""
    n = closed.size
    rows = np.empty((2 * n, 3))
    for k in range(n):
        rows[k], rows[n + k] = w[closed[k]], w[4 + closed[k]]
    return rows


# ---------------------------------------------------------------------------------------------- event by event


@njit(cache=True)
def accelerations(q, u, state, mu, driven):
    """u̇ with the corners held in their states, λ (8), gaps and the rates γ (8)."""
    inverse, free = dynamics(q, u, driven)
    gap, w, bend = corners(q, u)
    closed = np.flatnonzero(state != OPEN)
    force, n = np.zeros(8), closed.size
    if n:
        rows = select(w, closed)
        b = rows @ free
        for k in range(n):
            b[k] += bend[closed[k]]
            b[n + k] += bend[4 + closed[k]]
        found, _ = impulses(rows @ inverse @ rows.T, b, mu, state[closed])
        free = free + inverse @ (rows.T @ found)
        for k in range(n):
            force[closed[k]], force[4 + closed[k]] = found[k], found[n + k]
    return free, force, gap, w @ u


@njit(cache=True)
def advance(y, h, state, mu, driven):
    """One step of the eighth-order formula of Dormand & Prince."""
    k = np.empty((12, 6))
    for s in range(12):
        z = y.copy()
        for r in range(s):
            z += h * TABLEAU[s, r] * k[r]
        k[s, :3] = z[3:]
        k[s, 3:] = accelerations(z[:3], z[3:], state, mu, driven)[0]
    z = y.copy()
    for r in range(12):
        z += h * WEIGHTS[r] * k[r]
    return z


@njit(cache=True)
def margins(y, state, mu, driven):
    """What must stay positive, (8): gap or normal force of each corner, then sliding speed or friction in reserve."""
    _, force, gap, rate = accelerations(y[:3], y[3:], state, mu, driven)
    margin = np.full(8, np.inf)
    for i in range(4):
        margin[i] = gap[i] if state[i] == OPEN else force[i]
        if state[i] == STICK:
            margin[4 + i] = mu * force[i] - abs(force[4 + i])
        elif state[i] != OPEN:
            margin[4 + i] = rate[4 + i] if state[i] == FORWARD else -rate[4 + i]
    return margin, rate


@njit(cache=True)
def margin_after(y, h, k, fresh, state, mu, driven):
    """Margin k after h. A corner that starts on the guide: its mean speed of leaving, whose zero is the next touch."""
    z = advance(y, h, state, mu, driven)
    margin, rate = margins(z, state, mu, driven)
    if not fresh:
        return margin[k]
    if h > 1e-6:
        return margin[k] / h
    start, middle = margins(y, state, mu, driven)[1], advance(y, 0.5 * h, state, mu, driven)
    return (start[k] + 4.0 * margins(middle, state, mu, driven)[1][k] + rate[k]) / 6.0  # Simpson: free of g's round-off


@njit(cache=True)
def locate(y, low, high, k, fresh, state, mu, driven):
    """Where margin k falls through 0 in (low, high]: regula falsi with halved ends (Anderson & Björck)."""
    at_low, at_high = low, high
    f_low = margin_after(y, low, k, fresh, state, mu, driven)
    f_high = margin_after(y, high, k, fresh, state, mu, driven)
    if f_low <= 0.0:
        return low
    for _ in range(80):
        middle = at_high - f_high * (at_high - at_low) / (f_high - f_low)
        if not at_low < middle < at_high:
            middle = 0.5 * (at_low + at_high)
        f = margin_after(y, middle, k, fresh, state, mu, driven)
        if f <= 0.0:
            cut = 1.0 - f / f_high
            f_low *= cut if cut > 0.0 else 0.5
            at_high, f_high = middle, f
        else:
            cut = 1.0 - f / f_low
            f_high *= cut if cut > 0.0 else 0.5
            at_low, f_low = middle, f
        if f == 0.0 or at_high - at_low <= 4e-16 * at_high + 1e-19:
            break
    return at_high


@njit(cache=True)
def hold(y, state, mu, driven):
    """Closed corners onto the guide, by the smallest change weighed by the masses, and to rest across it (in stick along it
    too), by the normal and frictional impulses that do it."""
    q, u = y[:3].copy(), y[3:].copy()
    closed = np.flatnonzero(state != OPEN)
    for _ in range(2):
        inverse, _ = dynamics(q, u, driven)
        gap, w, _ = corners(q, u)
        rows = w[closed]
        x, _ = solve_linear(rows @ inverse @ rows.T, -gap[closed])
        q += inverse @ (rows.T @ x)
    inverse, _ = dynamics(q, u, driven)
    rows = select(corners(q, u)[1], closed)
    x, _ = impulses(rows @ inverse @ rows.T, rows @ u, mu, state[closed])
    u += inverse @ (rows.T @ x)
    return np.concatenate((q, u))


@njit(cache=True)
def settle(y, closed, forced, mu, driven, slow):
    """States of the corners from the complementarity of the accelerations; speeds of leaving below `slow` count as 0.

    `forced[i]`, if not 0, is the direction in which corner i starts to slide.
    """
    inverse, free = dynamics(y[:3], y[3:], driven)
    _, w, bend = corners(y[:3], y[3:])
    rate = w @ y[3:]
    near = closed[rate[closed] <= slow]
    state, n = np.zeros(4, np.int64), near.size
    if n == 0:
        return y, state, 1
    rows, sliding = select(w, near), np.zeros(n, np.int64)
    b = rows @ free
    for k in range(n):
        b[k] += bend[near[k]]
        b[n + k] += bend[4 + near[k]]
        speed = rate[4 + near[k]]
        if abs(speed) > RESTING:
            sliding[k] = FORWARD if speed > 0.0 else BACKWARD
        elif forced[near[k]] != 0:
            sliding[k] = forced[near[k]]
    _, found, solutions = complementarity(rows @ inverse @ rows.T, b, mu, sliding)
    for k in range(n):
        state[near[k]] = found[k]
    return hold(y, state, mu, driven), state, solutions


@njit(cache=True)
def strike(y, closed, epsilon, mu, driven):
    """Velocities after an impact of all closed corners: ξ_N = γ⁺ + ε γ⁻, ξ_T = γ_T⁺, (22), (32)–(35) of N."""
    inverse, _ = dynamics(y[:3], y[3:], driven)
    rows = select(corners(y[:3], y[3:])[1], closed)
    n = closed.size
    b = rows @ y[3:]
    b[:n] *= 1.0 + epsilon
    found, _, solutions = complementarity(rows @ inverse @ rows.T, b, mu, np.zeros(n, np.int64))
    z = y.copy()
    z[3:] += inverse @ (rows.T @ found)
    return z, solutions


@njit(cache=True)
def follow(y, epsilon, mu, driven, times, slow, longest, room):
    """States at the times, impacts (t, mask of corners, γ_N⁻, γ_N⁺), changes of contact (t, states); a count of faults:
    impacts or settlings without exactly one solution."""
    impacts, changes, states = np.empty((room, 10)), np.empty((room, 5)), np.empty((times.size, 6))
    hits, turns, faults, t, last = 0, 0, 0, 0.0, 0
    none = np.zeros(4, np.int64)
    gap, w, _ = corners(y[:3], y[3:])
    touching = np.flatnonzero(np.abs(gap) < MERGED)
    if touching.size and np.min((w @ y[3:])[touching]) < -slow:
        impacts[0, 0], impacts[0, 1] = t, np.sum(2**touching)
        impacts[0, 2:6] = (w @ y[3:])[:4]
        y, found = strike(y, touching, epsilon, mu, driven)
        impacts[0, 6:] = (w @ y[3:])[:4]
        faults += found != 1
        hits = 1
    y, state, found = settle(y, touching, none, mu, driven, slow)
    changes[0, 0], changes[0, 1:] = t, state
    turns = 1
    while last < times.size:
        h = min(longest, times[last] - t)
        if h <= 0.0:
            states[last] = y
            last += 1
            continue
        start, rate = margins(y, state, mu, driven)
        end = advance(y, h, state, mu, driven)
        after, rate_after = margins(end, state, mu, driven)
        event, whole = -1, h
        for k in range(8):
            fresh = k < 4 and state[k] == OPEN and start[k] < 1e-14
            if k < 4 and state[k] == OPEN and not fresh and rate[k] < 0.0 and after[k] >= 0.0 and rate_after[k] > 0.0:
                # a dip between the ends: the vertex of the parabola through both speeds
                dip = whole * rate[k] / (rate[k] - rate_after[k])
                if start[k] + 0.5 * dip * rate[k] < 1e-8 and margin_after(y, dip, k, False, state, mu, driven) < 0.0:
                    if dip < h or margin_after(y, h, k, False, state, mu, driven) < 0.0:
                        h, event = locate(y, 0.0, min(dip, h), k, False, state, mu, driven), k
                continue
            low = 0.0 if fresh or start[k] > 0.0 else 1e-12
            value = after[k] if event < 0 else margin_after(y, h, k, fresh, state, mu, driven)
            if value < 0.0:
                h, event = locate(y, low, h, k, fresh, state, mu, driven), k
        if event < 0:
            y, t = end, t + h
            continue
        y, t = advance(y, h, state, mu, driven), t + h
        gap, w, _ = corners(y[:3], y[3:])
        rate = w @ y[3:]
        forced, held = np.zeros(4, np.int64), state != OPEN
        if event < 4 and state[event] == OPEN:
            for i in range(4):
                held[i] = held[i] or i == event or (gap[i] < MERGED and rate[i] < 0.0)
            closed = np.flatnonzero(held)
            impacts[hits, 0], impacts[hits, 1], impacts[hits, 2:6] = t, np.sum(2**closed), rate[:4]
            y, found = strike(y, closed, epsilon, mu, driven)
            impacts[hits, 6:] = (w @ y[3:])[:4]
            hits += 1
            faults += found != 1
        else:
            if event < 4:  # on a flat face both normal forces vanish together: their ratio is fixed by the moments
                held[event] = False
                force = accelerations(y[:3], y[3:], state, mu, driven)[1]
                for i in range(4):
                    held[i] = held[i] and force[i] > 1e-9
            elif state[event - 4] == STICK:
                force = accelerations(y[:3], y[3:], state, mu, driven)[1]
                forced[event - 4] = BACKWARD if force[event] > 0.0 else FORWARD
            closed = np.flatnonzero(held)
        y, after_state, found = settle(y, closed, forced, mu, driven, slow)
        faults += found != 1
        if np.any(after_state != state):
            state = after_state
            changes[turns, 0], changes[turns, 1:] = t, state
            turns += 1
        if hits >= room or turns >= room:
            break
    return states[:last], impacts[:hits], changes[:turns], faults


def initial(slider_angle: float = 0.0, slider_speed: float = 0.0, rod_angle: float = 0.0) -> np.ndarray:
    """(q, u) at the start: crank outstretched at 150 rad/s, the slider's pin at rest across the guide (N: all angles 0)."""
    rod_speed = ROD_SPEED / math.cos(rod_angle)
    return np.array([0.0, rod_angle, slider_angle, CRANK_SPEED, rod_speed, slider_speed])


def touching_angle() -> float:
    """Slider angle > 0 at which, centred in the guide, its corners 2 and 3 of N touch: a sin θ + b cos θ = b + c."""
    return math.asin((B + C) / math.hypot(A, B)) - math.atan2(B, A)


def touching_rod_angle(slider_angle: float) -> float:
    """Rod angle at which the lowest corner alone touches with the crank at 0."""
    return math.asin(-(B + C - A * abs(math.sin(slider_angle)) - B * math.cos(slider_angle)) / L2)


def event_driven(
    restitution: float,
    friction: float = 0.01,
    crank: str = "free",
    slider_angle: float = 0.0,
    slider_speed: float = 0.0,
    t_end: float = 0.2,
    times=(),
    rod_angle: float = 0.0,
    slow: float = 1e-6,
    longest: float = 2e-5,
    disturbance=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    room: int = 200_000,
) -> dict:
    """The motion, event by event. `states`: (q, u) at `times`, after an impact at that moment; `final`: at t_end.

    Accumulating impacts end when a corner leaves slower than `slow` (m/s) towards a guide that would stop it: then it
    stays. The bounces left out last 2 v/(A (1 − ε)) at the approach acceleration A; what they would have changed is of
    second order, v times that time. `impacts`: time, corners, γ_N of all corners before and after; `contacts`: times
    and states (OPEN, FORWARD, BACKWARD, STICK) of all corners from then on; `faults` must be 0.
    """
    at = np.append(np.asarray(times, float), t_end)
    start = initial(slider_angle, slider_speed, rod_angle) + np.asarray(disturbance)
    states, impacts, changes, faults = follow(
        start, restitution, friction, crank == "driven", at, slow, longest, room
    )
    if len(states) < len(at):
        raise RuntimeError(f"more than {room} impacts or changes of contact")
    struck = [tuple(i for i in range(4) if int(mask) >> i & 1) for mask in impacts[:, 1]]
    return {
        "states": states[:-1],
        "final": states[-1],
        "impacts": {"t": impacts[:, 0], "corners": struck, "before": impacts[:, 2:6], "after": impacts[:, 6:]},
        "contacts": {"t": changes[:, 0], "states": changes[:, 1:].astype(int)},
        "faults": int(faults),
    }


# ---------------------------------------------------------------------------------------------- Moreau's midpoint rule


@njit(cache=True)
def push_out(q, driven):
    """Smallest change of q, weighed by the masses, after which no corner penetrates."""
    q = q.copy()
    for _ in range(4):
        gap, w, _ = corners(q, q)
        deep = np.flatnonzero(gap < 0.0)
        n = deep.size
        if n == 0:
            break
        inverse, _ = dynamics(q, q, driven)
        rows = select(w, deep)
        b = np.zeros(2 * n)
        b[:n] = gap[deep]
        found, _, _ = complementarity(rows @ inverse @ rows.T, b, 0.0, np.ones(n, np.int64))
        q += inverse @ (rows.T @ found)
    return q


@njit(cache=True)
def step_on(y, epsilon, mu, driven, step, steps, every, projection, safe, curvature, rounds):
    """States after every so many steps, and the diagnosis: deepest g_N at a step's end, how often P_N > 0 meets γ_A > 0,
    the largest and the whole work of such impulses, the largest work of all contact impulses in a step, steps unsolved."""
    q, u = y[:3].copy(), y[3:].copy()
    states = np.empty((steps // every, 6))
    diagnosis = np.zeros(6)
    for k in range(steps):
        middle = q + 0.5 * step * u
        if driven:
            middle[0] = CRANK_SPEED * (k + 0.5) * step
        gap, w, bend = corners(middle, u)
        active = np.flatnonzero(gap <= 0.0)
        n = active.size
        rows = select(w, active)
        speed, after = u, u
        for _ in range(1 + rounds):
            inverse, free = dynamics(middle, speed, driven)
            after = u + step * free
            if n:
                b, past = rows @ after, rows @ u
                for i in range(n):
                    turn = 0.5 * step * bend[active[i]] if curvature else 0.0
                    past[i] -= turn
                    b[i] += turn + (1.0 if safe and past[i] > 0.0 else epsilon) * past[i]
                found, _, solutions = complementarity(rows @ inverse @ rows.T, b, mu, np.zeros(n, np.int64))
                after = after + inverse @ (rows.T @ found)
            speed = 0.5 * (u + after)
        if n:
            mean, work = rows @ (0.5 * (u + after)), 0.0
            for i in range(n):
                if found[i] > 0.0 and past[i] > 1e-12:
                    diagnosis[1] += 1.0
                    work += found[i] * mean[i]
            diagnosis[2] = max(diagnosis[2], work)
            diagnosis[3] += work
            diagnosis[4] = max(diagnosis[4], np.sum(found * mean))
            diagnosis[5] += solutions == 0
        q, u = middle + 0.5 * step * after, after
        if driven:
            q[0] = CRANK_SPEED * (k + 1) * step
        if projection:
            q = push_out(q, driven)
        diagnosis[0] = min(diagnosis[0], np.min(corners(q, u)[0]))
        if (k + 1) % every == 0:
            states[(k + 1) // every - 1, :3], states[(k + 1) // every - 1, 3:] = q, u
    return states, diagnosis


def moreau(
    restitution: float,
    friction: float = 0.01,
    crank: str = "free",
    slider_angle: float = 0.0,
    slider_speed: float = 0.0,
    t_end: float = 0.2,
    step: float = 1e-5,
    rod_angle: float = 0.0,
    every: int = 1,
    projection: bool = False,
    safe: bool = False,
    curvature: bool = False,
    rounds: int = 0,
    disturbance=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
) -> dict:
    """N's algorithm, section 5.3, in steps of `step`; `states`: (q, u) after every `every` steps, at `times`.

    Not in N: `projection` removes the penetration left at the end of each step; `safe` takes ε = 1 where a closed corner
    separates already (γ_A > 0), so that no corner does work; `curvature` moves γ_A and γ_E from the directions at q_M to
    those at the two ends, ± (h/2) q̇ᵀ g_qq q̇, so that lasting contact does not drift; `rounds` > 0 repeats the step with
    h(q_M, (u_A + u_E)/2) for h(q_M, u_A), which makes the smooth motion second order.
    """
    steps = round(t_end / step)
    start = initial(slider_angle, slider_speed, rod_angle) + np.asarray(disturbance)
    states, diagnosis = step_on(
        start, restitution, friction, crank == "driven", step, steps, every, projection, safe, curvature, rounds
    )
    deepest, count, work, total, gain, unsolved = diagnosis.tolist()
    return {
        "times": np.arange(every, steps + 1, every) * step,
        "states": states,
        "final": states[-1],
        "penetration": -deepest,
        "pulled_back": int(count),
        "largest_work": work,
        "total_work": total,
        "largest_gain": gain,
        "unsolved": int(unsolved),
    }
