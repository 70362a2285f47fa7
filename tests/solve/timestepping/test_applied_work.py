"""Forces without a potential put work in, and the energy ledger of generalised coordinates books it."""

import math

import numpy as np
import pytest
import sympy

import carom as cm

G, MASS = 9.81, 2.0


@pytest.mark.parametrize(
    ("options", "bound"),
    [({"step": 1e-3}, 1e-12), ({"step": 1e-3, "scheme": "moreau"}, 4e-3), ({"scheme": "event-driven"}, 1e-8)],
    ids=["midpoint", "moreau", "event-driven"],
)
def test_the_weight_of_a_falling_ball_is_applied_work(options: dict, bound: float):
    """Over a fall of y it is m g y; without it all of the energy would have no cause."""
    impact = cm.ImpactLaw(restitution=0.8)
    system = cm.GeneralizedSystem([1.0], [0.0], [[MASS]], [-MASS * G], gaps=lambda q: q[0], impact=impact)
    result = cm.simulate(system, 1.0, method="nonsmooth", **options)
    assert result.energy.drift < bound
    fallen = MASS * G * (1.0 - result["q1"].value)
    np.testing.assert_allclose(result.energy.applied_work, fallen, atol=bound * MASS * G + 1e-12)


def test_forces_beside_a_potential_are_applied_work():
    """A driven, damped oscillator: drive and damper are booked, the spring is not."""
    x, v, t = sympy.symbols("x v t")
    system = cm.GeneralizedSystem.from_lagrangian(
        [x], v**2 / 2, 2 * x**2, velocities=[v], time=t, forces=[sympy.sin(3 * t) - v / 5], q0=[0.3], u0=[0.0]
    )
    result = cm.simulate(system, 3.0, method="nonsmooth", step=1e-3)
    assert result.energy.drift < 1e-6
    power = (np.sin(3.0 * result.t) - 0.2 * result["x"].rate) * result["x"].rate
    work = np.append(0.0, np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(result.t)))
    np.testing.assert_allclose(result.energy.applied_work, work, atol=1e-5)


def test_forces_of_a_potential_alone_are_not_applied_work():
    x, v = sympy.symbols("x v")
    system = cm.GeneralizedSystem.from_lagrangian(
        [x], v**2 * (1 + x**2) / 2, sympy.cos(x), velocities=[v], q0=[0.3], u0=[0.5]
    )
    result = cm.simulate(system, 0.1, method="nonsmooth", step=1e-3)
    assert not result.energy.applied_work.any()


@pytest.mark.slow
def test_gyroscopic_forces_do_no_work():
    """Only damper and weight change the energy of a double pendulum, whose mass matrix depends on its angles."""

    def force(q, u):
        s = math.sin(q[0] - q[1])
        return (-s * u[1] * u[1] - 2.0 * G * math.sin(q[0]), s * u[0] * u[0] - G * math.sin(q[1]) - 0.1 * u[1])

    def mass(q):
        c = math.cos(q[0] - q[1])
        return ((2.0, c), (c, 1.0))

    system = cm.GeneralizedSystem([1.0, 0.5], [0.0, 1.0], mass, force)
    result = cm.simulate(system, 2.0, method="nonsmooth", step=1e-3)
    assert result.energy.drift < 2e-6
    lifted = G * (2.0 * (math.cos(1.0) - np.cos(result["q1"].value)) + math.cos(0.5) - np.cos(result["q2"].value))
    damped = np.append(0.0, np.cumsum(np.diff(result.t) * (0.1 * result["q2"].rate[1:] ** 2)))
    np.testing.assert_allclose(result.energy.applied_work, -lifted - damped, atol=2e-2)
