import numpy as np
import pytest

import carom as cm
from carom.result.energy import Energy


def damped_oscillator(n: int = 400) -> Energy:
    """Return the energies of m x'' + c x' + k x = 0 released at x0, in closed form."""
    m, c, k, x0 = 2.0, 0.8, 50.0, 0.1
    t = np.linspace(0.0, 6.0, n)
    decay = c / (2 * m)
    wd = np.sqrt(k / m - decay**2)
    x = x0 * np.exp(-decay * t) * (np.cos(wd * t) + decay / wd * np.sin(wd * t))
    amplitude = -x0 * (k / m) / wd
    v = amplitude * np.exp(-decay * t) * np.sin(wd * t)
    # ∫ e^(-2 δ t) sin²(ω t) dt, with sin² = (1 - cos 2ωt) / 2 and the cosine as a real part.
    z = -2 * decay + 2j * wd
    integral = 0.5 * ((1 - np.exp(-2 * decay * t)) / (2 * decay) - np.real((np.exp(z * t) - 1) / z))
    zero = np.zeros(n)
    return Energy(m * v**2 / 2, k * x**2 / 2, zero, c * amplitude**2 * integral, zero, zero, zero)


def test_energy_of_a_damped_oscillator_is_balanced():
    energy = damped_oscillator()
    assert energy.drift < 1e-14
    assert energy.total[-1] < 0.1 * energy.total[0]  # most of it went through the damper


def test_missing_loss_appears_as_drift():
    energy = damped_oscillator()
    columns = energy.columns()
    columns[:, Energy.names().index("dissipated")] = 0.0
    forgotten = Energy.from_columns(columns)
    np.testing.assert_allclose(forgotten.balance, -energy.dissipated, atol=1e-15)
    assert forgotten.drift > 0.3


def test_each_column_enters_the_balance_with_its_sign():
    sign = {"driver_work": -1.0, "applied_work": -1.0}
    for name in Energy.names():
        parts = {other: np.zeros(2) for other in Energy.names()}
        parts[name] = np.array([1.0, 3.0])
        np.testing.assert_array_equal(Energy(**parts).balance, [0.0, 2.0 * sign.get(name, 1.0)])


def test_total_is_mechanical_energy():
    parts = {name: np.array([10.0**power]) for power, name in enumerate(Energy.names())}
    assert Energy(**parts).total == pytest.approx([111.0])


def test_scale_is_independent_of_the_zero_of_potential():
    zero = np.zeros(2)
    low = Energy(np.array([0.0, 2.0]), np.array([5.0, 3.0]), np.array([0.0, 1.0]), zero, zero - 4.0, zero + 0.5, zero)
    high = Energy(low.kinetic, low.potential + 1e6, low.elastic, zero, low.friction, low.driver_work, zero)
    assert low.scale == 3.0 + 2.0 + 4.0
    assert high.scale == low.scale


def test_system_at_rest_has_no_drift():
    zero = np.zeros(3)
    drift = Energy(zero, zero + 7.0, zero, zero, zero, zero, zero).drift
    assert drift == 0.0
    assert isinstance(drift, np.float64)


def test_nan_is_not_hidden():
    zero = np.zeros(2)
    assert np.isnan(Energy(np.array([1.0, np.nan]), zero, zero, zero, zero, zero, zero).drift)


def test_columns_round_trip():
    energy = damped_oscillator(5)
    again = Energy.from_columns(energy.columns())
    for name in Energy.names():
        np.testing.assert_array_equal(getattr(again, name), getattr(energy, name))


def test_columns_of_unequal_length_raise():
    zero = np.zeros(2)
    with pytest.raises(ValueError, match="one shape"):
        Energy(zero, zero, np.zeros(3), zero, zero, zero, zero)


def test_energies_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        damped_oscillator(5).kinetic[0] = 1.0


def test_rounding_of_a_system_at_rest_is_not_drift():
    """A pendulum that hangs at rest from y = 1 m, its mass at the origin: 1e-16 J is compared with its weight."""
    system = cm.System(gravity=(0.0, -9.81))
    bob = system.add(cm.Body("bob", 1.0, 0.1, (0.0, 0.0)))
    system.add(cm.Revolute(system.ground, bob, at=(0.0, 1.0)))
    energy = cm.simulate(system, 0.1).energy
    assert energy.reference == pytest.approx(9.81 * (1.0 + 0.1**0.5))
    assert energy.scale == pytest.approx(1e-9 * energy.reference)
    noisy = Energy.from_columns(energy.columns() + 1e-16 * np.arange(len(energy.kinetic))[:, None])
    assert noisy.drift > 0.5
    assert noisy.with_reference(energy.reference).drift < 1e-5


def test_repr_is_one_line():
    system = cm.System(gravity=(0.0, -9.81))
    system.add(cm.Body("stone", 1.0, 0.1))
    assert repr(cm.simulate(system, 0.1).energy).startswith("<Energy of ")
