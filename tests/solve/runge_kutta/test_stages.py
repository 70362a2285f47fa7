"""Stages, error estimate and dense output of one step, with the equation y' = λ y as right-hand side."""

from __future__ import annotations

import math

import numpy as np
import pytest

from carom.kernels import PROJECT, RATE, STEP, floats, kernel, record
from carom.kernels.interpreted import address_of_argument
from carom.mechanics.model_record import MODEL, OK, SETTINGS
from carom.solve.runge_kutta import error_estimate, stages
from carom.solve.runge_kutta.method_arrays import coefficient_arrays, method_counts, step_arrays
from carom.solve.runge_kutta.records import RUNGE_KUTTA
from carom.solve.runge_kutta.registry import TABLEAUS

DATA = record("rate latest")
"""λ of the equation [1/s], latest time of an evaluation [s]."""
T, H = 0.3, 0.1


@kernel(RATE, DATA)
def exponential(t, y, derivative, data):
    """Compute λ y for both states, and note the time."""
    for j in range(2):
        derivative[j] = data.rate * y[j]
    data.latest = max(data.latest, t)
    return OK


@kernel(PROJECT, RUNGE_KUTTA)
def step_until(t_latest, error, rk):
    """Compute a step from T of length H with its dense output, and its error."""
    status, _ = stages.compute_stages(rk, rk.rhs_kernel, T, H, t_latest, floats(rk.y_new))
    error[0] = error_estimate.estimate_error(rk, H, 0)
    return max(status, stages.compute_dense_stages(rk, T, H, t_latest))


@kernel(STEP, RUNGE_KUTTA)
def interpolate(theta, h, rk):
    """Compute the state inside the step in ``y_stage``."""
    stages.interpolate(rk, theta, h, 2, floats(rk.y_stage))
    return OK


class Step:
    """One step of a method from y = (1, 2) at T."""

    def __init__(self, name: str, rate: float = -1.3, t_latest: float = math.inf):
        tableau = TABLEAUS[name]
        self.data = DATA.new(rate=rate, latest=-math.inf)
        self.settings = SETTINGS.new(min_pivot_ratio=1.0)
        self.model = MODEL.new(settings=address_of_argument(self.settings))
        self.arrays = {**coefficient_arrays(tableau), **step_arrays(tableau, 2), "error_scale": np.ones(2)}
        self.arrays["y"][:] = 1.0, 2.0
        self.arrays["stages"][0] = rate * self.arrays["y"]
        self.rk = RUNGE_KUTTA.new(
            rhs_kernel=exponential.address, rhs_data=address_of_argument(self.data),
            model=address_of_argument(self.model), n_states=2, n_controlled=2, rtol=0.5, atol=0.5,
            **method_counts(tableau),
        )  # fmt: skip
        RUNGE_KUTTA.connect(self.rk, self.arrays)
        error = np.zeros(1)
        self.status = step_until.call(t_latest, error, self.rk)
        self.error = float(error[0])

    def at(self, theta: float) -> np.ndarray:
        interpolate.call(theta, H, self.rk)
        return self.arrays["y_stage"].copy()


@pytest.mark.parametrize("name", TABLEAUS)
def test_error_of_the_new_state_is_of_the_size_of_the_first_missing_term(name):
    step = Step(name)
    exact = np.array([1.0, 2.0]) * math.exp(-1.3 * H)
    missing = TABLEAUS[name].order + 1
    assert step.status == OK
    assert np.abs(step.arrays["y_new"] - exact).max() < 10.0 * (1.3 * H) ** missing / math.factorial(missing)


@pytest.mark.parametrize("name", ["dopri5", "tsit5", "dop853"])
def test_error_estimate_bounds_the_error_of_the_step(name):
    step = Step(name, rate=-8.0)
    exact = np.array([1.0, 2.0]) * math.exp(-8.0 * H)
    error = np.sqrt(np.mean((step.arrays["y_new"] - exact) ** 2))
    assert error < step.error < 1e3 * error


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.7, 1.0])
def test_dense_output_of_dop853_is_the_exponential(theta):
    exact = np.array([1.0, 2.0]) * math.exp(-1.3 * theta * H)
    np.testing.assert_allclose(Step("dop853").at(theta), exact, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("name", TABLEAUS)
def test_no_stage_is_evaluated_after_the_latest_time(name):
    before = math.nextafter(T + H, 0.0)
    assert Step(name).data.latest == T + H
    assert Step(name, t_latest=before).data.latest == before
