"""Size distributions: means and percentiles of samples and of theory."""

import math

import numpy as np
import pytest
from scipy import stats

import carom as cm

COUNT = 200_000
DISTRIBUTIONS = {
    "uniform": (cm.packing.uniform(1.0, 3.0), stats.uniform(1.0, 2.0)),
    "normal": (cm.packing.normal(2.0, 0.5, (1.0, 2.5)), stats.truncnorm(-2.0, 1.0, 2.0, 0.5)),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_samples_have_the_mean_and_percentiles_of_theory(name):
    sizes, theory = DISTRIBUTIONS[name]
    sample = sizes.sample(COUNT, np.random.default_rng(1))
    assert sizes.mean() == pytest.approx(theory.mean(), rel=1e-12)
    assert sample.mean() == pytest.approx(theory.mean(), abs=4.0 * theory.std() / math.sqrt(COUNT))
    for p in (0.1, 0.5, 0.9):
        assert sizes.quantile(p) == pytest.approx(theory.ppf(p), rel=1e-9)
        error = 4.0 * math.sqrt(p * (1.0 - p) / COUNT) / theory.pdf(theory.ppf(p))
        assert np.quantile(sample, p) == pytest.approx(theory.ppf(p), abs=error)


def test_lognormal_within_its_limits():
    sizes = cm.packing.lognormal(2.0, 0.4, (1.0, 5.0))
    theory = stats.lognorm(0.4, scale=2.0)
    low, high = theory.cdf([1.0, 5.0])
    for p in (0.0, 0.1, 0.5, 0.9, 1.0):
        assert sizes.quantile(p) == pytest.approx(theory.ppf(low + p * (high - low)), rel=1e-9)
    expected = theory.expect(lambda r: r, lb=1.0, ub=5.0) / (high - low)
    assert sizes.mean() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("dim", [2, 3])
def test_a_table_by_mass_has_its_mass_fractions(dim):
    radii, fractions = np.array([3.0, 1.0, 2.0]), np.array([0.2, 0.5, 0.3])
    sample = cm.packing.table(radii, fractions, by="mass").sample(COUNT, np.random.default_rng(2), dim)
    mass = np.array([np.sum(sample[sample == r] ** dim) for r in radii])
    assert mass / mass.sum() == pytest.approx(fractions, abs=0.02)


def test_a_table_by_number_has_its_fractions():
    sizes = cm.packing.table([1.0, 2.0], [0.25, 0.75], by="number")
    sample = sizes.sample(COUNT, np.random.default_rng(3))
    assert np.mean(sample == 1.0) == pytest.approx(0.25, abs=0.005)
    assert sizes.mean() == pytest.approx(1.75)
