"""Covariances against those of many random samples, and identifiability of parameters."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from carom.study.fitting import confidence


def line(seed, scale=lambda x: 1.0, outliers=0):
    """Return the Jacobian of a straight line and noise."""
    random = np.random.default_rng(seed)
    x = np.linspace(0.0, 1.0, 60)
    jacobian = np.column_stack([np.ones_like(x), x])
    noise = random.normal(size=60) * scale(x)
    noise[:outliers] += 15.0
    return jacobian, noise[random.permutation(60)] if outliers else noise


def errors(covariance_of, fit, draws=400, **drawn):
    """Return the standard deviation of the slope over many samples, and the mean of its estimated errors."""
    slopes, estimates = [], []
    for seed in range(draws):
        jacobian, noise = line(seed, **drawn)
        found = fit(jacobian, noise)
        slopes.append(found[1])
        estimates.append(np.sqrt(covariance_of(jacobian, jacobian @ found - noise)[1, 1]))
    return np.std(slopes), np.mean(estimates)


def fit_line(jacobian, noise):
    return np.linalg.lstsq(jacobian, noise, rcond=None)[0]


def test_classic_covariance_agrees_with_many_samples():
    actual, estimated = errors(lambda j, z: confidence.classic_covariance(j, z @ z / (len(z) - 2)), fit_line)
    assert estimated == pytest.approx(actual, rel=0.1)


def test_sandwich_covariance_is_right_for_noise_that_is_not_uniform():
    def scale(x):
        return 0.05 + 4.0 * x**4

    actual, estimated = errors(confidence.sandwich_covariance, fit_line, scale=scale)
    _, classic = errors(lambda j, z: confidence.classic_covariance(j, z @ z / (len(z) - 2)), fit_line, scale=scale)
    assert estimated == pytest.approx(actual, rel=0.12)
    assert classic < 0.85 * actual


@pytest.mark.parametrize("loss", ["huber", "soft_l1", "cauchy"])
def test_covariance_of_a_robust_loss_with_outliers(loss):
    def fit(jacobian, noise):
        return least_squares(
            lambda p: jacobian @ p - noise, [0.0, 0.0], loss=loss, f_scale=confidence.LOSSES[loss]
        ).x  # fmt: skip

    actual, estimated = errors(lambda j, z: confidence.robust_covariance(j, z, loss), fit, draws=100, outliers=4)
    assert estimated == pytest.approx(actual, rel=0.25)


@pytest.mark.parametrize("loss", ["linear", "huber", "soft_l1", "cauchy"])
def test_influence_function_is_half_the_derivative_of_the_loss(loss):
    z = np.linspace(-6.0, 6.0, 7) + 0.1
    psi, slope = confidence.influence_function(z, loss)
    h = 1e-6
    high, low = confidence.influence_function(z + h, loss)[0], confidence.influence_function(z - h, loss)[0]
    assert slope == pytest.approx((high - low) / (2.0 * h), abs=1e-6)
    found = least_squares(lambda p: p - z, np.zeros(7), loss=loss, f_scale=confidence.LOSSES[loss], max_nfev=1)
    assert psi == pytest.approx(-found.grad, abs=1e-9)


def test_quantiles_agree_with_tables():
    assert confidence.t_quantile(0.95, 10) == pytest.approx(2.228, abs=1e-3)
    assert confidence.t_quantile(0.95, np.inf) == pytest.approx(1.95996, abs=1e-5)


def test_noise_level_of_a_smooth_signal():
    x = np.linspace(0.0, 6.0, 500)
    random = np.random.default_rng(1)
    assert confidence.noise_level(np.sin(x) + 0.02 * random.normal(size=500)) == pytest.approx(0.02, rel=0.15)


def test_unidentifiable_parameters_are_named():
    x = np.linspace(0.0, 1.0, 30)
    jacobian = np.column_stack([x, 2.0 * x, np.zeros(30)]) * 10.0
    messages = confidence.identifiability_warnings(jacobian, ["a", "b", "c"], np.array([0.5, 0.5, 1.0]), np.eye(3))
    assert any("a and b cannot be identified separately" in message for message in messages)
    assert any("c: the data do not depend" in message for message in messages)
    assert any("c: estimate is at its upper bound" in message for message in messages)
    assert len(messages) == 3


def test_unidentifiable_parameters_have_infinite_variance_and_full_correlation():
    """The residuals depend only on a − 2b and c, so that a and b can rise together."""
    x = np.linspace(0.0, 1.0, 30)
    jacobian = np.column_stack([x, -2.0 * x, x**2])
    covariance, correlations = confidence.add_unidentifiable_variance(
        confidence.classic_covariance(jacobian, 1.0), jacobian
    )
    assert np.all(np.isinf(np.diag(covariance)) == [True, True, False])
    assert correlations[0, 1] == pytest.approx(1.0)
    expected = np.linalg.inv(jacobian[:, [0, 2]].T @ jacobian[:, [0, 2]])
    assert covariance[2, 2] == pytest.approx(expected[1, 1], rel=1e-9)


def test_outliers_exceed_their_neighbours():
    random = np.random.default_rng(0)
    noise = random.normal(size=200)
    assert confidence.count_outliers(noise) == 0
    assert confidence.count_outliers(np.where(np.arange(200) % 20 == 3, 12.0, noise)) == 10
    pulse = np.exp(-(((np.arange(200) - 80) / 8.0) ** 2))
    assert confidence.count_outliers(1e-3 * noise + pulse * noise) == 0


def test_intervals_are_right_if_few_samples_determine_a_parameter():
    """A pulse in 6 of 80 samples: with n − p degrees of freedom 91 % of the intervals are right, with few 95 %."""
    random = np.random.default_rng(1)
    pulse = np.zeros(80)
    pulse[40:46] = [0.3, 0.8, 1.0, 1.0, 0.8, 0.3]
    jacobian = np.column_stack([pulse, np.ones(80)])
    degrees = confidence.sandwich_degrees_of_freedom(jacobian)
    assert degrees[0] < 8.0
    assert degrees[1] > 40.0
    n_right = {78.0: 0, degrees[0]: 0}
    for noise in random.normal(size=(2000, 80)):
        found = fit_line(jacobian, noise)
        error = np.sqrt(confidence.sandwich_covariance(jacobian, jacobian @ found - noise)[0, 0])
        for freedom in n_right:
            n_right[freedom] += abs(found[0]) <= confidence.t_quantile(0.95, freedom) * error
    assert n_right[78.0] < 0.93 * 2000
    assert 0.94 * 2000 < n_right[degrees[0]] < 0.985 * 2000
