"""The non-smooth references against second methods: other coordinates, energy, quadrature, brute-force stepping."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import nnls

from physics.reference import nonsmooth_closed_forms as closed
from physics.reference import slider_crank_clearance as mechanism
from physics.reference.slider_crank_clearance import BACKWARD, FORWARD, OPEN, STICK
from quick import each

G = 9.81
STATES = [
    np.array([0.7, -0.4, 0.013, 120.0, -60.0, 15.0]),
    np.array([4.0, 0.3, -0.008, -80.0, 35.0, -40.0]),
]


def event(function, direction=-1.0, terminal=True):
    function.direction, function.terminal = direction, terminal
    return function


def cartesian(q):
    """Centres of crank, rod and slider, and the slider's corners in the order of the reference."""
    crank = 0.153 * np.array([np.cos(q[0]), np.sin(q[0])])
    rod = 0.306 * np.array([np.cos(q[1]), np.sin(q[1])])
    turn = np.array([[np.cos(q[2]), -np.sin(q[2])], [np.sin(q[2]), np.cos(q[2])]])
    slider = crank + rod
    points = [slider + turn @ np.array([x, y]) for y in (0.025, -0.025) for x in (-0.05, 0.05)]
    return np.array([0.5 * crank, crank + 0.5 * rod, slider]), np.array(points)


def energy(y):
    """From the velocities of the bodies, by central differences along q̇."""
    q, u, h = y[:3], y[3:], 1e-6
    v = (cartesian(q + h * u)[0] - cartesian(q - h * u)[0]) / (2.0 * h)
    m, j = np.array([0.038, 0.038, 0.076]), np.array([7.4e-5, 5.9e-4, 2.7e-6])
    return 0.5 * m @ np.sum(v**2, 1) + 0.5 * j @ u**2 + G * m @ cartesian(q)[0][:, 1]


@each("y", STATES)
def test_gaps_directions_and_curvatures_are_those_of_the_corners(y):
    q, u, h = y[:3], y[3:], 1e-7
    gap, w, bend = mechanism.corners(q, u)
    points = cartesian(q)[1]
    np.testing.assert_allclose(gap, 0.026 - np.array([1, 1, -1, -1]) * points[:, 1], atol=1e-16)

    def place(t):
        p = cartesian(q + t * u)[1]
        return np.concatenate((-np.array([1, 1, -1, -1]) * p[:, 1], p[:, 0]))

    np.testing.assert_allclose(w @ u, (place(h) - place(-h)) / (2.0 * h), rtol=1e-6)
    h = 1e-4 / np.max(np.abs(u))
    np.testing.assert_allclose(bend, (place(h) - 2.0 * place(0.0) + place(-h)) / h**2, rtol=1e-5)


@each("driven", [False, True])
@each("y", STATES)
def test_accelerations_obey_lagranges_equations_of_the_cartesian_bodies(y, driven):
    """Principle of d'Alembert: Σ m (a − g)·∂r/∂q + J θ'' = 0 for the free coordinates, by finite differences."""
    q, u = y[:3], y[3:]
    inverse, free = mechanism.dynamics(q, u, driven)
    h = 1e-4 / np.max(np.abs(u))

    def path(t):
        return cartesian(q + t * u + 0.5 * t * t * free)[0]

    acceleration = (path(h) - 2.0 * path(0.0) + path(-h)) / h**2 + np.array([0.0, G])
    m, j = np.array([0.038, 0.038, 0.076]), np.array([7.4e-5, 5.9e-4, 2.7e-6])
    for k in range(1 if driven else 0, 3):
        d = np.zeros(3)
        d[k] = 1e-6
        slope = (cartesian(q + d)[0] - cartesian(q - d)[0]) / 2e-6
        assert np.sum(m[:, None] * acceleration * slope) + j[k] * free[k] == pytest.approx(0.0, abs=2e-4)
    assert not driven or (free[0] == 0.0 and not inverse[0].any())


def test_first_touch_by_another_integration():
    """Crank driven, slider straight: the rod alone, M22 θ2'' = −k sin(θ2 − θ1) θ1'² − (m2/2 + m3) g l2 cos θ2."""
    k, inertia = (0.019 + 0.076) * 0.153 * 0.306, 5.9e-4 + (0.0095 + 0.076) * 0.306**2

    def rate(t, y):
        torque = -k * math.sin(y[0] - 150.0 * t) * 150.0**2 - 0.095 * G * 0.306 * math.cos(y[0])
        return [y[1], torque / inertia]

    height = event(lambda t, y: abs(0.153 * math.sin(150.0 * t) + 0.306 * math.sin(y[0])) - 1e-3, 1.0)
    run = solve_ivp(rate, (0.0, 0.01), [0.0, -75.0], "DOP853", events=height, rtol=1e-13, atol=1e-15, max_step=1e-4)
    speed = 0.153 * 150.0 * math.cos(150.0 * run.t[-1]) + 0.306 * run.y[1, -1] * math.cos(run.y[0, -1])
    first = mechanism.event_driven(0.4, crank="driven", t_end=0.01)["impacts"]
    assert first["t"][0] == pytest.approx(run.t[-1], abs=1e-13)
    assert first["corners"][0] == (0, 1)
    assert first["before"][0][0] == pytest.approx(-speed, rel=1e-10)
    assert first["after"][0][:2] == pytest.approx(0.4 * speed, rel=1e-10)


@each("angle", [0.0, 1e-3, mechanism.touching_angle()])
def test_elastic_impacts_without_friction_conserve_energy(angle):
    found = mechanism.event_driven(1.0, friction=0.0, slider_angle=angle, t_end=0.05)
    start = mechanism.initial(slider_angle=angle)
    assert len(found["impacts"]["t"]) >= 5
    assert found["faults"] == 0
    assert energy(found["final"]) == pytest.approx(energy(start), rel=1e-8)


@each("restitution", [0.1, 0.6])
def test_impacts_obey_the_law_and_lose_energy(restitution):
    found = mechanism.event_driven(restitution, slider_angle=1e-3, t_end=0.03)
    impacts = found["impacts"]
    assert len(impacts["t"]) > 100
    for struck, before, after in zip(impacts["corners"], impacts["before"], impacts["after"]):
        xi = after[list(struck)] + restitution * before[list(struck)]
        assert np.min(xi) > -1e-12
        assert np.min(np.abs(xi)) < 1e-12
    assert energy(found["final"]) < energy(mechanism.initial())


def test_nothing_depends_on_where_accumulations_are_cut_or_on_the_step():
    final = mechanism.event_driven(0.4, slider_angle=1e-3)["final"]
    for option in ({"slow": 1e-4}, {"slow": 1e-8}, {"longest": 7e-5}):
        other = mechanism.event_driven(0.4, slider_angle=1e-3, **option)["final"]
        np.testing.assert_allclose(other, final, atol=2e-9)


def test_corners_that_strike_together_are_not_the_limit_of_corners_that_strike_in_turn():
    together = mechanism.event_driven(0.4, t_end=0.03)
    turns = [mechanism.event_driven(0.4, t_end=0.03, slider_angle=s)["final"] for s in (1e-6, -1e-8)]
    np.testing.assert_allclose(turns[0][[0, 1, 3, 4]], turns[1][[0, 1, 3, 4]], atol=1e-5)
    assert abs(turns[0][3] - together["final"][3]) > 0.01
    tilted = [mechanism.event_driven(0.4, t_end=0.03, tilt=s) for s in (1e-7, 1e-9, -1e-9)]
    np.testing.assert_allclose(tilted[1]["final"], tilted[2]["final"], atol=1e-6)
    np.testing.assert_allclose(tilted[0]["final"], tilted[1]["final"], atol=1e-4)
    assert abs(tilted[1]["final"][3] - together["final"][3]) > 0.01
    assert tilted[1]["impacts"]["t"].size > 5 * together["impacts"]["t"].size


def test_flat_contact_without_friction_is_the_crank_with_an_offset_slider():
    """With the slider held at the height ±c the mechanism has one freedom, and its energy alone gives ω1(θ1)."""
    times = np.linspace(0.0093, 0.0143, 11)
    found = mechanism.event_driven(0.1, friction=0.0, times=times, t_end=0.0144)
    held = found["contacts"]
    flat = [i for i, row in enumerate(held["states"]) if np.count_nonzero(row) == 2 and held["t"][i] < times[0]]
    assert flat
    assert not np.any((held["t"] > times[0]) & (held["t"] < times[-1]))
    energies = []
    for y in found["states"]:
        rod = math.asin((1e-3 - 0.153 * math.sin(y[0])) / 0.306)
        rate = -0.153 * math.cos(y[0]) / (0.306 * math.cos(rod)) * y[3]
        assert y[1] == pytest.approx(rod, abs=1e-13)
        assert y[4] == pytest.approx(rate, abs=1e-10)
        energies.append(energy(np.array([y[0], rod, 0.0, y[3], rate, 0.0])))
    np.testing.assert_allclose(energies, energies[0], rtol=1e-9)


def at_rest(crank_angle):
    rod = math.asin((-1e-3 - 0.153 * math.sin(crank_angle)) / 0.306)
    return np.array([crank_angle, rod, 0.0, 0.0, 0.0, 0.0])


def test_mechanism_at_rest_sticks_up_to_the_friction_of_statics():
    """Equilibrium of crank and rod about their pins gives N and T on the slider's lower face."""
    y = at_rest(0.8)
    c, s = np.cos(y[:2]), np.sin(y[:2])
    weight = G * np.array([0.019 + 0.038 + 0.076, 0.019 + 0.076]) * c
    normal, tangential = np.linalg.solve(np.column_stack((c, -s)), weight)
    needed = abs(tangential) / normal
    for share, state in ((1.001, STICK), (0.999, None)):
        motion = mechanism.Motion(y.copy(), 0.0, share * needed, False, 1e-6, 0.0)
        assert (set(motion.state[2:].tolist()) & {STICK} != set()) == (state == STICK)
        for _ in range(50):
            motion.step(2e-5)
        assert (np.max(np.abs(motion.y - y)) < 1e-12) == (state == STICK)


def test_face_that_strikes_steeply_sticks():
    """Newton's law across, no restitution along: (γ_N, γ_T) = (−1, 0.1) m/s turn into (0.5, 0)."""
    y = at_rest(0.8)
    _, w, _ = mechanism.corners(y[:3], y[3:])
    y[3:] = np.linalg.solve(w[[2, 3, 6]], [-1.0, -1.0, 0.1])
    motion = mechanism.Motion(y, 0.5, 0.8, False, 1e-6, 0.0)
    assert motion.impacts[0][1] == (2, 3)
    np.testing.assert_allclose((w @ motion.y[3:])[[2, 3, 6, 7]], [0.5, 0.5, 0.0, 0.0], atol=1e-12)


@pytest.mark.slow
def test_sliding_ends_in_stick_like_the_time_stepping():
    """Strong friction from a slow start: the mechanism stops and stays; Moreau's rule with a small step agrees."""
    y = at_rest(0.8)
    y[3] = 3.0
    y[4] = -0.153 * math.cos(y[0]) / (0.306 * math.cos(y[1])) * y[3]
    motion = mechanism.Motion(y.copy(), 0.0, 0.8, False, 1e-6, 0.0)
    while motion.t < 0.3:
        motion.step(1e-4)
    states, _ = mechanism.step_on(y, 0.0, 0.8, False, 1e-5, 30000, 30000, False, True, True, 1)
    assert STICK in motion.state
    assert motion.faults == 0
    np.testing.assert_allclose(motion.y[:3], states[-1, :3], atol=3e-5)
    assert np.max(np.abs(motion.y[3:])) < 1e-12


def test_moreau_with_all_remedies_converges_to_the_events():
    times = [0.006, 0.011, 0.021]
    exact = mechanism.event_driven(0.4, slider_angle=1e-3, times=times, t_end=0.022)["states"]
    error = []
    for step in (1e-5, 1e-6):
        every = round(1e-3 / step)
        found = mechanism.moreau(
            0.4, slider_angle=1e-3, t_end=0.022, step=step, every=every, safe=True, curvature=True, rounds=1
        )
        error.append(np.max(np.abs(found["states"][[5, 10, 20]] - exact), 0))
        assert found["faults"] == 0
    assert error[0][3] < 2e-3
    assert error[1][3] < 1e-4
    assert error[1][2] < 1e-7


def test_without_them_inclined_landings_do_not_converge():
    """A corner that has bounced but is not yet out is pulled back: 3 mrad wrong at 4 ms, for any step."""
    exact = mechanism.event_driven(0.4, slider_angle=1e-3, t_end=0.004)["final"]
    for step in (1e-5, 1e-6):
        found = mechanism.moreau(0.4, slider_angle=1e-3, t_end=0.004, step=step, rounds=1)
        assert abs(found["final"][2] - exact[2]) > 1e-3
        assert found["total_work"] > 1e-2
        safe = mechanism.moreau(0.4, slider_angle=1e-3, t_end=0.004, step=step, rounds=1, safe=True)
        assert abs(safe["final"][2] - exact[2]) < 5e-5
        assert abs(safe["total_work"]) < 1e-13


@pytest.mark.parametrize(("rounds", "ratio"), [(0, 2.0), (2, 4.0)])
def test_rounds_make_the_smooth_motion_second_order(rounds, ratio):
    exact = mechanism.event_driven(0.4, t_end=0.0026)["final"]
    runs = [mechanism.moreau(0.4, t_end=0.0026, step=h, rounds=rounds)["final"] for h in (2e-5, 1e-5)]
    error = [np.max(np.abs(final - exact)) for final in runs]
    assert error[0] / error[1] == pytest.approx(ratio, rel=0.07)


def test_lasting_contact_drifts_without_the_curvature():
    """γ_E = −ε γ_A and γ_A' = γ_E + h κ, κ = q̇ᵀ g_qq q̇: the gap changes by h² κ (1 − ε)/(2 (1 + ε)) a step."""
    run = mechanism.moreau(0.1, crank="driven", t_end=0.02)
    gaps, kappa = [], []
    for y in run["states"]:
        gap, _, bend = mechanism.corners(y[:3], y[3:])
        gaps.append(gap[2])
        kappa.append(bend[2])
    pressed = slice(1221, 1801)  # the slider lies on the lower face
    drift = 1e-10 * np.array(kappa)[pressed] * 0.9 / 2.2
    np.testing.assert_allclose(np.diff(gaps)[pressed], drift, rtol=2e-3)
    assert run["penetration"] > 5e-5
    curved = mechanism.moreau(0.1, crank="driven", t_end=0.02, curvature=True)
    assert curved["penetration"] < 2e-5
    held = [mechanism.corners(curved["states"][k, :3], curved["states"][k, 3:])[0][2] for k in (1221, 1800)]
    assert held[0] == pytest.approx(held[1], abs=1e-7)
    assert mechanism.moreau(0.1, crank="driven", t_end=0.02, projection=True)["penetration"] < 1e-15


def test_complementarity_without_friction_is_a_projection():
    """min λᵀgλ/2 + bᵀλ, λ ≥ 0, as non-negative least squares."""
    random = np.random.default_rng(3)
    for _ in range(200):
        w = random.normal(size=(8, 3))
        w[4:] = 0.0
        b = np.concatenate((random.normal(size=4), np.zeros(4)))
        picked = np.sort(random.choice(4, size=3, replace=False))
        force, states, count = mechanism.complementarity(
            w @ w.T, b, 0.0, np.isin(np.arange(4), picked), np.ones(4, np.int64)
        )
        rows = w[picked]
        shift = np.linalg.solve(rows, b[picked])
        expected, _ = nnls(rows.T, -shift)
        assert count == 1
        np.testing.assert_allclose(force[picked], expected, atol=1e-9)
        assert np.all(states[np.setdiff1d(np.arange(4), picked)] == OPEN)


def test_complementarity_with_friction_meets_every_condition():
    random = np.random.default_rng(4)
    visited = set()
    for _ in range(300):
        q = np.array([random.uniform(0.0, 6.0), random.uniform(-0.5, 0.5), random.uniform(-0.02, 0.02)])
        _, w, _ = mechanism.corners(q, q)
        inverse, _ = mechanism.dynamics(q, q, False)
        g, mu = w @ inverse @ w.T, random.choice([0.01, 0.3, 2.0])
        b = w @ random.normal(size=3) * np.repeat([1.0 + random.choice([0.0, 0.5]), 1.0], 4)
        both = [random.choice([0, 2]), random.choice([1, 3])]
        shut = np.isin(np.arange(4), both)
        force, states, count = mechanism.complementarity(g, b, mu, shut, np.zeros(4, np.int64))
        assert count >= 1
        xi, xi_t = np.split(g @ force + b, 2)
        normal, tangential = np.split(force, 2)
        assert np.min(normal) > -1e-12
        assert np.min(xi[shut]) > -1e-9
        assert np.max(np.abs(normal * xi)[shut]) < 1e-9
        assert np.all(np.abs(tangential) <= mu * normal + 1e-9)
        slides = shut & (np.abs(xi_t) > 1e-8)
        np.testing.assert_allclose(tangential[slides], (-mu * normal * np.sign(xi_t))[slides], atol=1e-9)
        visited |= set(states[shut].tolist())
    assert visited == {OPEN, FORWARD, BACKWARD, STICK}


@each("restitution", [0.3, 0.8])
def test_bouncing_ball_by_integration(restitution):
    height, t, y, times, speeds, tops = 1.3, 0.0, [1.3, 0.0], [], [], []
    events = event(lambda t, y: y[0]), event(lambda t, y: y[1], terminal=False)
    for _ in range(8):
        run = solve_ivp(
            lambda t, y: [y[1], -G], (t, t + 2.0), y, events=events, rtol=1e-12, atol=1e-15, dense_output=True
        )
        for share in (0.01, 0.3, 0.99):
            between = t + share * (run.t[-1] - t)
            state = closed.bouncing_ball_state(np.array([between]), height, restitution, G)
            np.testing.assert_allclose(np.ravel(state), run.sol(between), rtol=1e-8)
        tops.extend(row[0] for row in run.y_events[1] if times)
        t, y = run.t[-1], [0.0, -restitution * run.y[1, -1]]
        times.append(t)
        speeds.append(-run.y[1, -1])
    found = closed.bouncing_ball_heights(height, restitution, G, 8)
    np.testing.assert_allclose(found["times"], times, rtol=1e-9)
    np.testing.assert_allclose(found["speeds"], speeds, rtol=1e-9)
    np.testing.assert_allclose(found["heights"][:7], tops, rtol=1e-8)
    end = found["zeno_time"]
    assert closed.bouncing_ball_heights(height, restitution, G, 400)["times"][-1] == pytest.approx(end)
    np.testing.assert_array_equal(closed.bouncing_ball_state(np.array([end, 1.1 * end]), height, restitution, G), 0.0)


def test_row_of_balls_apart_by_following_the_impacts():
    random = np.random.default_rng(5)
    for _ in range(20):
        x, v = np.cumsum(random.uniform(0.5, 1.5, 6)), random.normal(size=6)
        start = v.copy()
        while True:
            with np.errstate(divide="ignore"):
                wait = np.where(v[:-1] > v[1:], np.diff(x) / (v[:-1] - v[1:]), np.inf)
            i = int(np.argmin(wait))
            if wait[i] == np.inf:
                break
            x = x + wait[i] * v
            v[i], v[i + 1] = v[i + 1], v[i]
        np.testing.assert_allclose(v, closed.row_apart(start))


@each("restitution", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(("balls", "striking"), [(2, 1), (3, 1), (5, 2), (6, 4)])
def test_row_of_touching_balls_by_non_negative_least_squares(balls, striking, restitution):
    """ξ = D (v + Dᵀ P) + ε D v ⟂ P ≥ 0, D the differences of neighbours: Dᵀ P is nearest to −(1 + ε) (v − mean)."""
    before = np.where(np.arange(balls) < striking, 1.7, 0.0)
    difference = np.diff(np.eye(balls), axis=0)
    target = np.linalg.lstsq(difference, (1.0 + restitution) * difference @ before, rcond=None)[0]
    impulse, _ = nnls(difference.T, -target)
    after = before + difference.T @ impulse
    np.testing.assert_allclose(closed.row_touching(balls, striking, 1.7, restitution), after, atol=1e-12)
    if restitution == 1.0:
        assert np.sum(after**2) == pytest.approx(np.sum(before**2))


@pytest.mark.parametrize(("b", "h", "share"), [(0.1, 0.5, 0.6), (0.3, 0.4, 0.9), (0.2, 0.2, 0.1)])
def test_rocking_block_by_integration(b, h, share):
    alpha, p = math.atan2(b, h), closed.rocking_frequency(b, h, G)
    radius = math.hypot(b, h)

    def rate(t, y):
        return [y[1], -0.75 * G / radius * math.sin(alpha - y[0])]

    events = event(lambda t, y: y[0]), event(lambda t, y: y[1], terminal=False)
    y, t, times, speeds, tops = [share * alpha, 0.0], 0.0, [], [], []
    for _ in range(4):
        run = solve_ivp(rate, (t, t + 20.0), y, "DOP853", events=events, rtol=1e-12, atol=1e-14)
        tops.append(run.y_events[1][0][0] if times else share * alpha)
        t, y = run.t[-1], [0.0, -closed.landing_ratio(alpha) * run.y[1, -1]]
        times.append(t)
        speeds.append(-run.y[1, -1])
    found = closed.rocking(share * alpha, alpha, p, 4)
    np.testing.assert_allclose(found["times"], times, rtol=1e-9)
    np.testing.assert_allclose(found["speeds"], speeds, rtol=1e-9)
    np.testing.assert_allclose(found["amplitudes"][:3], tops[1:], rtol=1e-8)


def test_housners_time_is_the_limit_of_a_slender_block():
    for alpha, error in ((0.1, 1e-2), (0.01, 1e-4)):
        exact = closed.rocking_quarter_time(0.6 * alpha, alpha, 2.0)
        assert closed.housner_quarter_time(0.6 * alpha, alpha, 2.0) == pytest.approx(exact, rel=error)

        def slowness(s, start=0.4 * alpha):  # dt over ds, φ = φ0 + s²
            return s / math.sqrt(2.0 * (math.cos(start) - math.cos(start + s * s)))

        assert exact == pytest.approx(quad(slowness, 0.0, math.sqrt(0.6 * alpha))[0], rel=1e-9)


def land(alpha, restitution, mu):
    """All states of both corners of a block (R = 1, m = 1) that lands with Ω = 1; corner 0 is the old one."""
    b, h = math.sin(alpha), math.cos(alpha)
    inverse = np.diag([1.0, 1.0, 3.0])
    w = np.zeros((8, 3))
    for i, x in enumerate((-b, b)):
        w[i], w[4 + i] = [0.0, 1.0, x], [1.0, 0.0, h]
    before = np.array([h, -b, -1.0])
    rates = (w @ before) * np.repeat([1.0 + restitution, 1.0], 4)
    shut = np.array([True, True, False, False])
    force, states, count = mechanism.complementarity(w @ inverse @ w.T, rates, mu, shut, np.zeros(4, np.int64))
    after = before + inverse @ (w.T @ force)
    return before, after, (w @ after)[[0, 1, 4, 5]], force, states, count


@each("restitution", [0.0, 0.3, 1.0])
@each("slenderness", [0.2, 1.0, 1.4, 1.43, 3.0])
def test_newtons_landing_by_trying_all_states(slenderness, restitution):
    alpha = math.atan(slenderness)
    before, after, speeds, force, states, _ = land(alpha, restitution, 2.0)
    found = closed.newton_landing(alpha, restitution)
    assert after[2] / before[2] == pytest.approx(found["ratio"], abs=1e-9)
    width = 2.0 * math.sin(alpha)
    np.testing.assert_allclose(speeds, [width * found["old"], width * found["new"], 0.0, 0.0], atol=1e-9)
    inertia = np.array([1.0, 1.0, 1.0 / 3.0])
    assert inertia @ after**2 <= inertia @ before**2 + 1e-12
    if restitution == 1.0:
        assert inertia @ after**2 == pytest.approx(inertia @ before**2)
    if restitution == 0.0:
        assert found["ratio"] == pytest.approx(max(closed.landing_ratio(alpha), 0.0), abs=1e-12)
    if closed.landing_ratio(alpha) > 0.0:
        assert (states[0], force[0]) == (OPEN, 0.0)
        assert abs(force[5]) / force[1] == pytest.approx(closed.landing_friction(alpha))
        for share, slips in ((1.001, False), (0.999, True)):
            sliding = land(alpha, restitution, share * closed.landing_friction(alpha))[2][3]
            assert (abs(sliding) > 1e-6) == slips


def stepped(x, v, mass, stiffness, limit, belt, t_end, steps):
    """Implicit midpoint rule with the friction force projected on its bounds."""
    h = t_end / steps
    for _ in range(steps):
        free = v - h * stiffness / mass * (x + 0.25 * h * v)
        scale = 1.0 + 0.25 * h * h * stiffness / mass
        push = min(max((belt * scale - free) * mass / h, -limit), limit)
        after = (free + h * push / mass) / scale
        x, v = x + 0.5 * h * (v + after), after
    return x, v


@each(
    "x, v, belt",
    [(1.0, 0.0, 0.0), (-0.83, 0.4, 0.0), (1.0, 0.0, 0.7), (-1.2, -1.0, 0.5), (0.1, 3.0, 0.8), (0.15, 0.5, 0.5)],
)
def test_mass_on_a_belt_by_small_steps(x, v, belt):
    mass, stiffness, limit = 1.3, 20.0, 2.2
    phases = closed.belt_phases(x, v, mass, stiffness, limit, belt)
    assert phases[0] == (0.0, phases[0][1], x, v)
    assert len(phases) < 20
    for t in (0.35, 1.1, 2.9):
        place, speed = closed.belt_state(t, phases, mass, stiffness, limit, belt)
        fine = stepped(x, v, mass, stiffness, limit, belt, t, round(t / 1e-4))
        assert place == pytest.approx(fine[0], abs=1e-4)
        assert speed == pytest.approx(fine[1], abs=1e-3)


def test_belt_motion_ends_on_the_grazing_circle():
    phases = closed.belt_phases(-1.0, 0.0, 1.0, 25.0, 3.0, 0.4)
    kinds = [kind for _, kind, _, _ in phases]
    assert kinds[-2:] == ["stick", "below"]
    start, _, x, v = phases[-1]
    assert (x, v) == (pytest.approx(3.0 / 25.0), 0.4)
    t = start + np.linspace(0.0, 3.0, 301)
    path = np.array([closed.belt_state(s, phases, 1.0, 25.0, 3.0, 0.4) for s in t])
    np.testing.assert_allclose(np.hypot(path[:, 0] - 0.12, path[:, 1] / 5.0), 0.4 / 5.0, rtol=1e-12)


def test_mass_stops_on_a_floor_where_the_phases_end():
    for x in (0.05, 0.4, -1.0, 1.37):
        phases = closed.belt_phases(x, 0.0, 1.3, 20.0, 2.2, 0.0)
        found = closed.rest_on_floor(x, 1.3, 20.0, 2.2)
        assert phases[-1][1] == "stick"
        assert (phases[-1][0], phases[-1][2]) == (pytest.approx(found["t"]), pytest.approx(found["x"], abs=1e-12))
        assert len(phases) - 1 == found["half_cycles"]


def rod_equations(angle, rate, friction, direction, kappa, mass, l):
    """N of a sliding rod and its accelerations x'', y'', θ'' from the full set of equations, end kept on the plane."""
    c, s = math.cos(angle), math.sin(angle)
    a = np.zeros((4, 4))
    # direction +1: the end slides to −x, friction acts to +x; the end is at (−l cos θ, −l sin θ) from the centre
    a[0], a[1] = [mass, 0.0, 0.0, -direction * friction], [0.0, mass, 0.0, -1.0]
    a[2] = [0.0, 0.0, kappa * mass * l * l, l * c - l * s * direction * friction]
    a[3] = [0.0, 1.0, -l * c, 0.0]
    solution = np.linalg.solve(a, [0.0, -mass * G, 0.0, -l * s * rate**2])
    return solution[3], solution[:3]


@each("kappa", [1.0 / 3.0, 0.7])
def test_rod_normal_force_from_the_full_equations(kappa):
    for angle in (0.3, 1.1, 1.5):
        for rate in (0.0, 4.0):
            for friction, direction in ((0.3, 1.0), (2.5, 1.0), (2.5, -1.0)):
                a, b = closed.rod_coefficients(angle, rate, friction, direction, 2.0, 0.6, G, kappa)
                normal, _ = rod_equations(angle, rate, friction, direction, kappa, 2.0, 0.6)
                assert -b / a == pytest.approx(normal, rel=1e-10)


def test_painleve_starts_at_four_thirds():
    angles = np.linspace(0.01, 1.56, 20001)
    for kappa in (1.0 / 3.0, 0.7):
        critical = closed.critical_friction(kappa)
        for share, paradox in ((0.9999, False), (1.0001, True)):
            least = min(closed.rod_coefficients(s, 0.0, share * critical, 1.0, 1.0, 1.0, G, kappa)[0] for s in angles)
            assert (least < 0.0) == paradox
    assert closed.critical_friction() == pytest.approx(4.0 / 3.0)
    for edge in closed.paradox_angles(2.0):
        assert closed.rod_coefficients(edge, 0.0, 2.0, 1.0, 1.0, 1.0, G)[0] == pytest.approx(0.0, abs=1e-12)
    low, high = closed.paradox_angles(2.0)
    assert closed.rod_coefficients(0.5 * (low + high), 0.0, 2.0, 1.0, 1.0, 1.0, G)[0] < 0.0


def test_regimes_count_the_solutions_of_the_complementarity():
    for a, b in ((1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)):
        solutions = {name for name, n in (("contact", -b / a), ("lift-off", 0.0)) if n >= 0.0 and a * n + b >= -1e-15}
        if len(solutions) == 1:
            assert closed.rod_regime(a, b) in solutions
        else:
            assert closed.rod_regime(a, b) == ("indeterminate" if solutions else "inconsistent")


@pytest.mark.parametrize(
    ("friction", "direction", "start"), [(0.0, 1.0, -0.4), (0.4, 1.0, -0.4), (0.4, -1.0, -0.4), (1.2, 1.0, -4.0)]
)
def test_sliding_rod_by_integration(friction, direction, start):
    l, kappa = 0.6, 1.0 / 3.0

    def rate(t, y):
        return [y[1], rod_equations(y[0], y[1], friction, direction, kappa, 2.0, l)[1][2]]

    lower = event(lambda t, y: y[0] - 0.5)
    run = solve_ivp(rate, (0.0, 5.0), [1.0, start], "DOP853", events=lower, rtol=1e-12, atol=1e-13)
    found = closed.sliding_rod_rate(1.0, start, 0.5, friction, direction, l, G)
    assert run.status == 1
    assert found == pytest.approx(-run.y[1, -1], rel=1e-9)


def test_block_slides_to_a_stop_and_sticks_on_a_gentle_slope():
    found = closed.slide_to_stop(3.0, 0.4, G)
    h, x, v, t = 1e-5, 0.0, 3.0, 0.0
    while v > 0.0:
        after = max(v - h * 0.4 * G, 0.0)
        x, v, t = x + 0.5 * h * (v + after), after, t + h
    assert (t, x) == (pytest.approx(found["time"], abs=2e-5), pytest.approx(found["distance"], rel=1e-5))
    for slope in (0.2, math.atan(0.4) - 1e-9, 0.6):
        v = 0.0
        for _ in range(1000):  # friction is what stops the block, up to its bound
            pull = h * G * math.sin(slope)
            v += pull - min(max(v + pull, 0.0), h * 0.4 * G * math.cos(slope))
        assert v / (1000 * h) == pytest.approx(closed.incline_acceleration(slope, 0.4, G), abs=1e-9)
    assert closed.incline_acceleration(0.6, 0.4, G) > 0.0


@pytest.mark.parametrize(("spin", "kappa"), [(0.0, 0.5), (-20.0, 0.4), (90.0, 1.0)])
def test_disc_slides_then_rolls(spin, kappa):
    v, omega, r, x, t, h = 4.0, spin, 0.1, 0.0, 0.0, 1e-6
    found = closed.slide_to_roll(v, omega, r, 0.3, G, kappa)
    sign = math.copysign(1.0, v - r * omega)
    while sign * (v - r * omega) > 0.0:
        x += h * v
        v -= sign * h * 0.3 * G
        omega += sign * h * 0.3 * G / (kappa * r)
        t += h
    assert t == pytest.approx(found["time"], abs=2e-6)
    assert v == pytest.approx(found["speed"], abs=1e-5)
    assert x == pytest.approx(found["distance"], rel=1e-4)
    if spin == 0.0:
        assert (found["speed"], found["time"]) == (pytest.approx(8.0 / 3.0), pytest.approx(4.0 / (3.0 * 0.3 * G)))
