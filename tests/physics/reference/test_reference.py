"""The reference solutions against second methods: closed forms, energy, another formulation, another integrator."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from physics.reference import (
    closed_forms,
    falling_ball,
    knee,
    knee_values,
    pendulum_wall,
    quick_return,
    slider_crank_block,
    two_spheres,
)
from physics.reference.contact_problem import PowerLaw
from physics.reference.laws import FACTORS, damping_factor
from quick import each, slow_but


@each("law", FACTORS)
@each("restitution", [0.3, 0.7, 1.0])
def test_first_integrals_agree_with_integration_in_time(law, restitution):
    factor = damping_factor(law, restitution)
    m, v, k = two_spheres.REDUCED_MASS, two_spheres.APPROACH, two_spheres.STIFFNESS
    scale = (m * v * v / k) ** 0.4

    def rate(t, y):
        return [y[1], -(max(y[0], 0.0) ** 1.5) * (1.0 + factor * y[1])]

    def apart(t, y):
        return y[0] if t > 0.1 else 1.0

    apart.terminal = True
    run = solve_ivp(
        rate, (0.0, 20.0), [0.0, 1.0], "DOP853", events=apart, rtol=1e-12, atol=1e-14, max_step=0.05, dense_output=True
    )
    depth, speed = run.sol(np.linspace(0.0, run.t[-1], 20001))
    found = two_spheres.impact(law, restitution)
    assert found["duration"] == pytest.approx(run.t[-1] * scale / v, rel=1e-9)
    assert found["restitution"] == pytest.approx(-run.y[1, -1], rel=1e-9)
    assert found["max_indentation"] == pytest.approx(depth.max() * scale, rel=1e-6)
    force = m * v * v / scale * np.max(np.maximum(depth, 0.0) ** 1.5 * (1.0 + factor * speed))
    assert found["peak_force"] == pytest.approx(force, rel=1e-6)


def test_known_returned_restitutions():
    assert closed_forms.returned_restitution(0.75) == pytest.approx(0.663, abs=5e-4)
    assert closed_forms.returned_restitution(0.5625) == pytest.approx(0.725, abs=5e-4)
    assert closed_forms.returned_restitution(1.6) == pytest.approx(0.470, abs=5e-4)
    for e in (0.3, 0.5, 0.7, 0.99):
        a = closed_forms.damping_of_restitution(e)
        assert a * (1.0 + e) == pytest.approx(math.log((1.0 + a) / (1.0 - a * e)), rel=1e-12)
        assert closed_forms.returned_restitution(a) == pytest.approx(e, rel=1e-13)


def test_power_law_without_damping_is_hertz():
    hertz = closed_forms.hertz_impact(5.5e9, 0.046, 0.3)
    for name, value in hertz.items():
        assert closed_forms.power_law_impact(5.5e9, 1.5, 0.0, 0.046, 0.3)[name] == pytest.approx(value, rel=1e-13)


def test_plastic_unloading_returns_its_area():
    found = closed_forms.plastic_unloading_impact(5.5e9, 0.6, 0.046, 0.3)
    depth, permanent, peak = (found[n] for n in ("max_indentation", "permanent_indentation", "peak_force"))
    area = quad(lambda d: peak * ((d - permanent) / (depth - permanent)) ** 1.5, permanent, depth, epsabs=0.0)[0]
    assert area == pytest.approx(0.36 * 0.5 * 0.046 * 0.3**2, rel=1e-10)


@each("damping", [0.0, 5.0, 20.0, 30.0])
@each("tension", [True, False])
def test_kelvin_voigt_agrees_with_integration(damping, tension):
    k, m, v = 1e4, 0.05, 2.0

    def end(t, y):
        return 1.0 if t < 1e-4 else y[0] if tension else k * y[0] + damping * y[1]

    end.terminal = True
    run = solve_ivp(
        lambda t, y: [y[1], -(k * y[0] + damping * y[1]) / m], (0.0, 0.1), [0.0, v], "DOP853",
        events=end, rtol=1e-11, atol=1e-13, max_step=2e-5,
    )  # fmt: skip
    found = closed_forms.kelvin_voigt_impact(k, damping, m, v, tension)
    assert found["duration"] == pytest.approx(run.t[-1], rel=1e-9)
    assert found["restitution"] == pytest.approx(-run.y[1, -1] / v, rel=1e-9)
    assert found["separation_indentation"] == pytest.approx(run.y[0, -1], abs=1e-12)
    assert found["max_indentation"] == pytest.approx(run.y[0].max(), rel=1e-4)
    assert found["peak_force"] == pytest.approx((k * run.y[0] + damping * run.y[1]).max(), rel=1e-4)


def test_penalty_force_is_cut_and_returns():
    """Between the cuts the mass coasts; the impulse of the returning force is the rest of the change of speed."""
    found = two_spheres.penalty_step(1e8, 500.0, 1e-4, 0.9, 1.0)
    assert len(found["cuts"]) == 2
    assert 0.0 < found["duration"] - found["cuts"][1] < 1e-5
    undamped = two_spheres.penalty_step(damping=0.0)
    hertz = closed_forms.hertz_impact(5.5e9, 0.046, 0.3)
    for name, value in hertz.items():
        assert undamped[name] == pytest.approx(value, rel=1e-12)


def test_slider_crank_conserves_energy_through_elastic_impacts():
    found = slider_crank_block.solve("hertz")
    r, l, g = 0.153, 0.306, 9.81

    def energy(state):
        theta, _, omega, block, _ = state
        psi_rate = -r * math.cos(theta) / math.sqrt(l * l - (r * math.sin(theta)) ** 2) * omega
        psi = math.asin(-r * math.sin(theta) / l)
        vx = -r * math.sin(theta) * omega - 0.5 * l * math.sin(psi) * psi_rate
        vy = 0.5 * r * math.cos(theta) * omega
        vs = -r * math.sin(theta) * omega - l * math.sin(psi) * psi_rate
        crank = 0.5 * (7.4e-5 + 0.038 * r * r / 4.0) * omega**2
        rod = 0.5 * (0.076 * (vx * vx + vy * vy) + 5.9e-5 * psi_rate**2)
        height = 0.5 * r * math.sin(theta)
        return crank + rod + 0.5 * 0.038 * vs * vs + 0.5 * 0.19 * block**2 + (0.038 + 0.076) * g * height

    assert len(found["impacts"]) >= 2
    assert energy(tuple(found["final"].values())) == pytest.approx(energy((0.0, 0.914, 150.0, -15.0, 0.459)), rel=1e-13)


def test_slider_crank_agrees_with_runge_kutta_and_absolute_coordinates():
    r, l = 0.153, 0.306
    factor = damping_factor("flores", 0.7)

    def slide(theta):
        root = math.sqrt(l * l - (r * math.sin(theta)) ** 2)
        return r * math.cos(theta) + root, -r * math.sin(theta) * (1.0 + r * math.cos(theta) / root)

    def reduced(theta):
        """J(θ) with a complex step for J'."""
        root = np.sqrt(l * l - (r * np.sin(theta)) ** 2)
        turn = -r * np.cos(theta) / root
        slider = -r * np.sin(theta) * (1.0 + r * np.cos(theta) / root)
        rod = -r * np.sin(theta) * (1.0 + 0.5 * r * np.cos(theta) / root)
        rod_inertia = 0.076 * (rod * rod + (0.5 * r * np.cos(theta)) ** 2) + 5.9e-5 * turn * turn
        return 7.4e-5 + 0.038 * r * r / 4.0 + rod_inertia + 0.038 * slider * slider

    approach = [None]

    def rate(t, y):
        place, slope = slide(y[0])
        depth, speed = place + 2.0 * 0.01693 - y[1], slope * y[2] - y[3]
        force = 9.5e9 * max(depth, 0.0) ** 1.5 * (1.0 + factor * speed / approach[0]) if approach[0] else 0.0
        change = reduced(y[0] + 1e-30j).imag / 1e-30
        weight = (0.038 + 0.076) * 9.81 * 0.5 * r * math.cos(y[0])
        return [y[2], y[3], (-0.5 * change * y[2] ** 2 - weight - force * slope) / reduced(y[0]), force / 0.19]

    def surface(t, y):
        return slide(y[0])[0] + 2.0 * 0.01693 - y[1]

    surface.terminal = True
    t, y, starts, speeds = 0.0, [0.0, 0.914, 150.0, -15.0], [], []
    while True:
        surface.direction = -1.0 if approach[0] else 1.0
        longest = 1e-6 if approach[0] else 1e-3
        run = solve_ivp(rate, (t, 0.08), y, "DOP853", events=surface, rtol=1e-12, atol=1e-13, max_step=longest)
        t, y = run.t[-1], run.y[:, -1]
        if run.status == 0:
            break
        if approach[0]:
            approach[0] = None
        else:
            approach[0] = slide(y[0])[1] * y[2] - y[3]
            starts.append(t)
            speeds.append(approach[0])
    found = slider_crank_block.solve("flores")
    assert [i["t_start"] for i in found["impacts"]] == pytest.approx(starts, rel=1e-10)
    assert [i["approach_speed"] for i in found["impacts"]] == pytest.approx(speeds, rel=1e-9)
    assert [found["final"][n] for n in slider_crank_block.STATE[:4]] == pytest.approx(list(y), rel=1e-8)


def test_elastic_ball_agrees_with_quadrature():
    closed = falling_ball.elastic_bounces(2)
    found = falling_ball.solve(1.0, t_end=1.5)["impacts"]
    assert [i["t_start"] for i in found] == pytest.approx(list(closed["times"]), rel=1e-14)
    for name in ("approach_speed", "max_indentation", "peak_force"):
        assert found[1][name] == pytest.approx(closed[name], rel=1e-12)
    assert found[0]["t_end"] - found[0]["t_start"] == pytest.approx(closed["duration"], rel=1e-10)


def test_pendulum_meets_the_wall_at_the_elliptic_time_and_returns_to_its_height():
    touch = pendulum_wall.first_touch()
    found = pendulum_wall.solve(1.0)
    assert found["impacts"][0]["t_start"] == pytest.approx(touch["time"], rel=1e-14)
    assert found["impacts"][0]["approach_speed"] == pytest.approx(touch["speed"], rel=1e-14)
    swing = 0.5 * 1.001 * found["final"]["omega"] ** 2 + 9.81 * found["final"]["y"]
    assert swing == pytest.approx(0.0, abs=1e-12)


def test_knee_start():
    start = knee.initial()
    assert start["stiffness"] == pytest.approx(9.134e5, rel=1e-4)
    assert start["gap"] == pytest.approx(6.4968672e-5, rel=1e-7)


def test_knee_conserves_energy_after_the_pulse():
    stiffness = knee.initial()["stiffness"]
    after = [knee.energy(row[:6], stiffness) for row in knee_values.VALUES["hertz"][1:]]
    assert after == pytest.approx([after[0]] * len(after), rel=1e-9)


@pytest.mark.parametrize("law", slow_but(["flores"], knee_values.VALUES))
def test_knee_values_come_back(law):
    found = knee.solve(law, times=(0.05, 0.1, 0.15))
    assert found["impacts"][0]["t_start"] == pytest.approx(knee_values.ONSET, rel=1e-11)
    assert found["impacts"][0]["approach_speed"] == pytest.approx(knee_values.APPROACH, rel=1e-10)
    np.testing.assert_allclose(found["states"], knee_values.VALUES[law][:3, :6], atol=2e-10)
    np.testing.assert_allclose(found["force"], knee_values.VALUES[law][:3, 6], atol=2e-9)


def test_quick_return_agrees_with_the_cartesian_run_in_quadruple_precision():
    found = quick_return.solve(0.03, tolerance=1e-11)["impacts"]
    for mine, (joint, start, approach, end, separation) in zip(found, quick_return.IMPACTS):
        assert mine["contact"] == joint
        assert (mine["t_start"], mine["t_end"]) == pytest.approx((start, end), abs=1e-13)
        assert mine["approach_speed"] == pytest.approx(approach, rel=1e-10)
        assert mine["separation_speed"] == pytest.approx(separation, rel=1e-10)
    assert len(found) == 7


@pytest.mark.slow
def test_quick_return_by_runge_kutta_in_double_precision_keeps_all_impacts():
    """DOP853 with restarts at every event: 35 impacts, starts within 1e-9 s, approach speeds within 1e-5."""
    model, law = quick_return.QuickReturn(np.float64), PowerLaw(quick_return.STIFFNESS, 0.75 * 0.19)
    t, y, active, approach, found = 0.0, quick_return.ideal(0, np.float64), [False] * 4, [1.0] * 4, []

    def rate(t, y):
        touch = model.touch(t, y)
        return model.rates(t, y, [law.force(max(d, 0.0), r, approach[i]) * active[i] for i, (d, r) in enumerate(touch)])

    while True:
        events = []
        for i in range(4):
            events.append(lambda t, y, i=i: model.touch(t, y)[i][0])
            events[-1].terminal, events[-1].direction = True, -1.0 if active[i] else 1.0
        step = 1e-5 if any(active) else 5e-4
        atol = [1e-18] * 8 + [1e-15] * 8
        run = solve_ivp(rate, (t, 0.065), y, "DOP853", events=events, rtol=1e-13, atol=atol, max_step=step)
        t, y = run.t[-1], run.y[:, -1]
        if run.status == 0:
            break
        i = next(i for i in range(4) if len(run.t_events[i]))
        active[i] = not active[i]
        if active[i]:
            approach[i] = model.touch(t, y)[i][1]
            found.append((i, t, approach[i]))
    assert [joint for joint, _, _ in found] == [row[0] for row in quick_return.IMPACTS]
    assert [start for _, start, _ in found] == pytest.approx([row[1] for row in quick_return.IMPACTS], abs=1e-9)
    assert [speed for _, _, speed in found] == pytest.approx([row[2] for row in quick_return.IMPACTS], rel=1e-5)


def test_ideal_quick_return_is_consistent():
    """Closed joints at every angle, and rates that are the derivatives of the places."""
    model = quick_return.QuickReturn()
    for angle in np.linspace(0.0, 6.0, 7):
        state = quick_return.ideal(angle)
        t = np.longdouble(angle) / 3
        for e in model.eccentricities(t, state):
            assert np.max(np.abs(e)) < 1e-16
        h = np.longdouble(1e-5)
        slope = (quick_return.ideal(3 * (t + h)) - quick_return.ideal(3 * (t - h)))[:8] / (2 * h)
        np.testing.assert_allclose(slope.astype(float), state[8:].astype(float), atol=1e-7)
