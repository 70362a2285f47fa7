"""Covariances against those of many drawn samples, and what the data cannot tell."""

import numpy as np
import pytest
from scipy.optimize import least_squares

from carom.study import uncertainty


def line(seed, scale=lambda x: 1.0, outliers=0):
    """A straight line with noise, fitted."""
    random = np.random.default_rng(seed)
    x = np.linspace(0.0, 1.0, 60)
    jacobian = np.column_stack([np.ones_like(x), x])
    noise = random.normal(size=60) * scale(x)
    noise[:outliers] += 15.0
    return jacobian, noise[random.permutation(60)] if outliers else noise


def errors(covariance_of, fit, draws=400, **drawn):
    """Spread of the slope over many draws, and the mean of the standard errors that are told."""
    slopes, told = [], []
    for seed in range(draws):
        jacobian, noise = line(seed, **drawn)
        found = fit(jacobian, noise)
        slopes.append(found[1])
        told.append(np.sqrt(covariance_of(jacobian, jacobian @ found - noise)[1, 1]))
    return np.std(slopes), np.mean(told)


def straight(jacobian, noise):
    return np.linalg.lstsq(jacobian, noise, rcond=None)[0]


def test_classic_covariance_is_that_of_many_draws():
    spread, told = errors(lambda j, z: uncertainty.classic(j, z @ z / (len(z) - 2)), straight)
    assert told == pytest.approx(spread, rel=0.1)


def test_sandwich_holds_where_the_noise_grows_and_the_classic_one_does_not():
    def scale(x):
        return 0.05 + 4.0 * x**4

    spread, told = errors(uncertainty.sandwich, straight, scale=scale)
    _, classic = errors(lambda j, z: uncertainty.classic(j, z @ z / (len(z) - 2)), straight, scale=scale)
    assert told == pytest.approx(spread, rel=0.12)
    assert classic < 0.85 * spread


@pytest.mark.parametrize("loss", ["huber", "soft_l1", "cauchy"])
def test_covariance_of_a_robust_loss_with_outliers(loss):
    def fit(jacobian, noise):
        return least_squares(
            lambda p: jacobian @ p - noise, [0.0, 0.0], loss=loss, f_scale=uncertainty.LOSSES[loss]
        ).x  # fmt: skip

    spread, told = errors(lambda j, z: uncertainty.of_loss(j, z, loss), fit, draws=100, outliers=4)
    assert told == pytest.approx(spread, rel=0.25)


@pytest.mark.parametrize("loss", ["linear", "huber", "soft_l1", "cauchy"])
def test_influence_is_half_the_slope_of_the_loss(loss):
    z = np.linspace(-6.0, 6.0, 7) + 0.1
    psi, slope = uncertainty.influence(z, loss)
    h = 1e-6
    high, low = uncertainty.influence(z + h, loss)[0], uncertainty.influence(z - h, loss)[0]
    assert slope == pytest.approx((high - low) / (2.0 * h), abs=1e-6)
    found = least_squares(lambda p: p - z, np.zeros(7), loss=loss, f_scale=uncertainty.LOSSES[loss], max_nfev=1)
    assert psi == pytest.approx(-found.grad, abs=1e-9)


def test_quantiles_are_those_of_tables():
    assert uncertainty.quantile(0.95, 10) == pytest.approx(2.228, abs=1e-3)
    assert uncertainty.quantile(0.95, np.inf) == pytest.approx(1.95996, abs=1e-5)


def test_noise_is_seen_under_a_smooth_signal():
    x = np.linspace(0.0, 6.0, 500)
    random = np.random.default_rng(1)
    assert uncertainty.noise(np.sin(x) + 0.02 * random.normal(size=500)) == pytest.approx(0.02, rel=0.15)


def test_what_cannot_be_told_is_named():
    x = np.linspace(0.0, 1.0, 30)
    twins = np.column_stack([x, 2.0 * x, np.zeros(30)]) * 10.0
    told = uncertainty.doubts(twins, ["a", "b", "c"], np.array([0.5, 0.5, 1.0]), np.eye(3))
    assert any("a and b cannot be told apart" in words for words in told)
    assert any("say nothing of c" in words for words in told)
    assert any("c is at its upper bound" in words for words in told)
    assert len(told) == 3


def test_parameters_that_cannot_be_told_apart_are_unknown_and_correlated_along_their_combination():
    """Residuals that know a − 2b and c alone: a and b rise together."""
    x = np.linspace(0.0, 1.0, 30)
    jacobian = np.column_stack([x, -2.0 * x, x**2])
    spread, correlations = uncertainty.unknown_together(uncertainty.classic(jacobian, 1.0), jacobian)
    assert np.all(np.isinf(np.diag(spread)) == [True, True, False])
    assert correlations[0, 1] == pytest.approx(1.0)
    expected = np.linalg.inv(jacobian[:, [0, 2]].T @ jacobian[:, [0, 2]])
    assert spread[2, 2] == pytest.approx(expected[1, 1], rel=1e-9)


def test_outliers_stand_out_from_their_neighbours():
    random = np.random.default_rng(0)
    noise = random.normal(size=200)
    assert uncertainty.outliers(noise) == 0
    assert uncertainty.outliers(np.where(np.arange(200) % 20 == 3, 12.0, noise)) == 10
    pulse = np.exp(-(((np.arange(200) - 80) / 8.0) ** 2))
    assert uncertainty.outliers(1e-3 * noise + pulse * noise) == 0


def test_intervals_hold_the_truth_where_few_samples_tell_a_parameter():
    """A pulse in 6 of 80 samples: Student's t of n − p holds its height 91 times in 100, that of few samples 95."""
    random = np.random.default_rng(1)
    pulse = np.zeros(80)
    pulse[40:46] = [0.3, 0.8, 1.0, 1.0, 0.8, 0.3]
    jacobian = np.column_stack([pulse, np.ones(80)])
    degrees = uncertainty.sandwich_freedom(jacobian)
    assert degrees[0] < 8.0
    assert degrees[1] > 40.0
    held = {78.0: 0, degrees[0]: 0}
    for noise in random.normal(size=(2000, 80)):
        found = straight(jacobian, noise)
        error = np.sqrt(uncertainty.sandwich(jacobian, jacobian @ found - noise)[0, 0])
        for each in held:
            held[each] += abs(found[0]) <= uncertainty.quantile(0.95, each) * error
    assert held[78.0] < 0.93 * 2000
    assert 0.94 * 2000 < held[degrees[0]] < 0.985 * 2000
