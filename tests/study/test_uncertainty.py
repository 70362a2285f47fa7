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
