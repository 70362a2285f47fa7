import numpy as np
import pytest

from carom.plot import plot_phase


def test_the_portrait_runs_from_approach_to_separation(spheres):
    lines = plot_phase(spheres, "touch", impact=0).get_axes()[0].lines[1:]  # the first is the axis
    for line, result in zip(lines, spheres.values(), strict=True):
        path, impact = line.get_xydata(), result.impacts[0]
        assert path[0] == pytest.approx((0.0, 0.3), abs=1e-9)
        assert path[-1] == pytest.approx((0.0, -impact.restitution * 0.3), abs=1e-7)
        assert path[:, 0].max() == pytest.approx(impact.max_indentation, rel=1e-4)


def test_an_elastic_portrait_conserves_energy(spheres):
    # (m/2)/2 δ̇² + 2/5 K δ^(5/2) with the effective mass m/2
    indentation, rate = plot_phase(spheres["Hertz"], "touch").get_axes()[0].lines[1].get_xydata().T
    energy = 0.25 * 0.092 * rate**2 + 0.4 * 5.5e9 * np.maximum(indentation, 0.0) ** 2.5
    assert np.allclose(energy, 0.25 * 0.092 * 0.3**2, rtol=1e-7)


def test_axes_have_units(spheres):
    axes = plot_phase(spheres, "touch").get_axes()[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("indentation [µm]", "indentation rate [m/s]")
