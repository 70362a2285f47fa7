"""Sensitivity indices against closed forms."""

import math

import numpy as np
import pytest

import carom as cm
from carom.errors import CaromWarning, ModelError

RANGES = {"mass": (1.0, 3.0), "restitution": (0.2, 0.8), "speed": (1.0, 2.0)}


def ishigami(a, b, c):
    return math.sin(a) + 7.0 * math.sin(b) ** 2 + 0.1 * c**4 * math.sin(a)


def test_ishigami_function_has_its_published_indices():
    """T. Ishigami, T. Homma 1990: closed form with a = 7, b = 0.1."""
    found = cm.sensitivity(ishigami, dict.fromkeys("abc", (-math.pi, math.pi)), samples=1024)
    d, b = 0.1**2 * math.pi**8 / 18.0 + 0.1 * math.pi**4 / 5.0 + 0.5 + 49.0 / 8.0, 0.1
    first = [0.5 * (1.0 + b * math.pi**4 / 5.0) ** 2 / d, 49.0 / 8.0 / d, 0.0]
    both = 8.0 * b**2 * math.pi**8 / 225.0 / d
    total = [first[0] + both, first[1], both]
    assert found.table["S1"] == pytest.approx(first, abs=0.06)
    assert found.table["ST"] == pytest.approx(total, abs=0.06)
    assert found.ranking == ["a", "b", "c"]
    assert "ST" in str(found)
    assert found.plot().axes


def strike(mass=1.0, restitution=0.5, speed=1.0):
    """Return a ball that strikes a plane and loses the energy m (1 − ε²) v²/2."""
    system = cm.System(name="strike")
    ball = system.add(cm.Body("ball", mass, 1e-3, position=(0.0, 0.105), velocity=(0.0, -speed)))
    impact = cm.ImpactLaw(restitution=restitution)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), impact=impact, name="plane"))
    return system, {"t_end": 0.02, "method": "nonsmooth", "step": 1e-3}


def dissipated_energy(result):
    return float(result.energy.dissipated[-1])


def test_energy_loss_of_an_impact_has_the_indices_of_a_product():
    """E = m/2 · (1 − ε²) · v² is a product of independent factors, whose moments are integrals of powers."""
    found = cm.sensitivity(strike, RANGES, dissipated_energy, samples=64, executor="serial")

    def mean(power, low, high):
        return (high ** (power + 1) - low ** (power + 1)) / ((power + 1) * (high - low))

    (m0, m1), (e0, e1), (v0, v1) = RANGES.values()
    firsts = np.array([mean(1, m0, m1), 1.0 - mean(2, e0, e1), mean(2, v0, v1)])
    squares = np.array([mean(2, m0, m1), 1.0 - 2.0 * mean(2, e0, e1) + mean(4, e0, e1), mean(4, v0, v1)])
    variance = np.prod(squares) - np.prod(firsts**2)
    alone = (squares / firsts**2 - 1.0) * np.prod(firsts**2) / variance
    total = (squares - firsts**2) / squares * np.prod(squares) / variance
    assert np.abs(np.array(found.table["S1"]) - alone).max() < 0.12
    assert np.abs(np.array(found.table["ST"]) - total).max() < 0.12
    mass, restitution, speed = found.points.T
    assert found.values == pytest.approx(0.5 * mass * (1.0 - restitution**2) * speed**2, rel=1e-9)


def test_morris_returns_the_change_over_the_range():
    """For a linear function the change is the slope times the range, without scatter; log ranges use the logarithm."""

    def linear(a, b):
        return 3.0 * a + math.log10(b)

    found = cm.sensitivity(linear, {"a": (0.0, 2.0), "b": (1.0, 1e4)}, method="morris", samples=10)
    assert found.table["mu_star"] == pytest.approx([6.0, 4.0])
    assert found.table["sigma"] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert found["b"]["mu"] == pytest.approx(4.0)


def test_failed_runs_are_reported_and_omitted():
    def partly(a, b):
        if a > 0.9 and b > 0.8:
            raise ValueError("too far")
        return 3.0 * a

    with pytest.warns(CaromWarning, match="runs failed and were omitted; run .*too far"):
        found = cm.sensitivity(partly, {"a": (0.0, 1.0), "b": (0.0, 1.0)}, samples=256)
    assert found.failures
    assert np.isnan(found.values).sum() == len(found.failures)
    assert found["a"]["ST"] == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": None, "case": "two_spheres"}, "measure is missing"),
        ({"samples": 100}, "must be a power of two"),
        ({"method": "fast"}, "method must be one of"),
        ({"measure": "touch.normal_force.maximum"}, "did you mean 'max'"),
        ({"parameters": {"restitutoin": (0, 1)}}, "did you mean restitution"),
        ({"measure": lambda result: 1.0}, "equal in all runs"),
    ],
)
def test_invalid_arguments_are_named(arguments, message):
    defaults = {"case": "two_spheres", "parameters": {"restitution": (0.3, 0.9)}, "measure": "touch.normal_force.max",
             "samples": 4, "executor": "serial"}  # fmt: skip
    with pytest.raises(ModelError, match=message):
        cm.sensitivity(**{**defaults, **arguments})


def bilinear(x, y):
    return x + 2.0 * y * x


@pytest.mark.parametrize("method", ["sobol", "morris"])
@pytest.mark.parametrize("seed", [0, 1])
def test_equal_seeds_give_equal_indices(method, seed):
    """The indices do not depend on the global random state of NumPy."""
    tables = []
    for state in (1, 2):
        np.random.seed(state)  # noqa: NPY002
        ranges = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
        tables.append(cm.sensitivity(bilinear, ranges, method=method, samples=16, seed=seed).table)
    assert tables[0] == tables[1]
