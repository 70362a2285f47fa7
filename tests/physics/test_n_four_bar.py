"""The N-four-bar mechanism of the IFToMM benchmark library (problem A02), through its singular positions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom as cm
from carom.gallery import n_four_bar
from carom.solve.compliant import rk_integrator
from solve.mechanisms import GRAVITY, parallelogram


def row(n: int) -> cm.System:
    """n + 1 rods upright on the ground, n couplers between their tips, all 1 m and 1 kg, tips at 1 m/s."""
    return n_four_bar(n).system


def exact(n: int, times: np.ndarray) -> np.ndarray:
    """((n + 1)/3 + n) θ'' = −((n + 1)/2 + n) g cos θ: for n = 2, θ'' = −(3.5 g/3) cos θ."""
    factor = ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n) * GRAVITY
    answer = solve_ivp(
        lambda t, y: [y[1], -factor * math.cos(y[0])], (0.0, times[-1]), [math.pi / 2.0, -1.0], "DOP853", times,
        rtol=1e-13, atol=1e-14,
    )  # fmt: skip
    return answer.y


@pytest.mark.parametrize("n", [2, 10])
def test_row_follows_one_equation_to_eight_digits_over_ten_seconds(n):
    times = np.linspace(0.0, 10.0, 101)
    result = cm.simulate(row(n), 10.0, output=times[1:])
    angle, rate = exact(n, times)
    assert result.outcome.ok
    for k in range(n + 1):
        np.testing.assert_allclose(result[f"rod {k}"].angle, angle, rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(result[f"rod {k}"].omega, rate, rtol=0.0, atol=5e-8)
    for k in range(n):
        np.testing.assert_allclose(result[f"coupler {k + 1}"].angle, 0.0, atol=1e-8)
    assert result.energy.drift < 1e-9


def test_factor_of_two_bars_is_the_published_one():
    rate = exact(2, np.array([0.0, 1e-3]))[1]
    assert (rate[1] + 1.0) / 1e-3 == pytest.approx(-3.5 * GRAVITY / 3.0 * math.cos(math.pi / 2.0 - 0.5e-3), rel=1e-2)


@pytest.mark.parametrize(("integrator", "step"), [("dop853", None), ("tsit5", None), ("rk4", 2e-3)])
def test_every_runge_kutta_method_passes_the_singular_positions(integrator, step):
    result = cm.simulate(row(2), 10.0, integrator=integrator, max_step=step)
    angle, _ = exact(2, np.array([0.0, 10.0]))
    assert result.outcome.ok
    assert result["rod 1"].angle[-1] == pytest.approx(angle[-1], abs=1e-7)


def test_augmented_lagrangian_passes_the_singular_positions():
    # Its penalty lets the couplers give way by some 1e-6 in the flat position, which the motion remembers.
    result = cm.simulate(row(2), 3.0, constraints="augmented")
    angle, _ = exact(2, np.array([0.0, 3.0]))
    assert result.outcome.ok
    assert result["rod 1"].angle[-1] == pytest.approx(angle[-1], abs=1e-5)


@pytest.mark.parametrize("start", [1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.02, 0.05, 0.1, 0.3])
def test_flat_position_is_passed_however_close_to_it_the_run_begins(start):
    """A coupler on two bars, released just above the flat position: (2/3 + 1) θ'' = −(2/2 + 1) g cos θ."""
    answer = solve_ivp(
        lambda t, y: [y[1], -1.2 * GRAVITY * math.cos(y[0])], (0.0, 0.5), [start, 0.0], "DOP853", rtol=1e-13, atol=1e-14
    )
    result = cm.simulate(parallelogram(start, bars=2), 0.5)
    assert result.outcome.ok, result.message
    assert result["bar 1"].angle[-1] == pytest.approx(answer.y[0, -1], abs=1e-7)
    assert abs(result["coupler"].angle[-1]) < 1e-7


@pytest.mark.parametrize("integrator", ["dopri5", "dop853"])
def test_passage_does_not_depend_on_how_the_work_is_cut_up(integrator, monkeypatch):
    whole = cm.simulate(row(2), 2.0, integrator=integrator)
    monkeypatch.setattr(rk_integrator, "CHUNK_NODES", 8)
    monkeypatch.setattr(rk_integrator, "CHUNK_SECONDS", 1e-7)
    assert cm.simulate(row(2), 2.0, integrator=integrator).same_as(whole)
