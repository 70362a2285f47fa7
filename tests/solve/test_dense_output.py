"""Values of `result.sample` between the nodes are as accurate as the nodes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.solve.compliant.registry import INTEGRATORS
from carom.solve.runge_kutta.registry import TABLEAUS
from solve.mechanisms import FourBar, pendulum

END = 3.0
TOLERANCE = 1e-8
TIMES = np.linspace(0.0, END, 457)
ADAPTIVE = [name for name in INTEGRATORS if name not in TABLEAUS or TABLEAUS[name].adaptive]


@pytest.fixture(scope="module")
def exact() -> cm.Result:
    """The swing from the horizontal, with nodes at all times that are asked for: nothing is interpolated."""
    return cm.simulate(pendulum(), END, integrator="dop853", rtol=1e-12, atol=1e-12, output=TIMES)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_motion_between_the_nodes_is_within_the_tolerance(name, exact):
    result = cm.simulate(pendulum(), END, integrator=name, rtol=TOLERANCE, atol=TOLERANCE)
    sampled, wanted = result.sample(TIMES)["bob"], exact["bob"]
    at_nodes = np.abs(result["bob"].angle[-1] - wanted.angle[-1])
    assert np.abs(sampled.q - wanted.q).max() < 10 * TOLERANCE
    # The interpolation loses one power of the step for the rate: a few times the tolerance of a speed near 4.4 rad/s.
    assert np.abs(sampled.v - wanted.v).max() < 50 * TOLERANCE
    assert np.abs(sampled.q - wanted.q).max() < 100 * max(at_nodes, 0.1 * TOLERANCE)


def test_fixed_steps_are_interpolated_as_well_as_they_are_taken(exact):
    result = cm.simulate(pendulum(), END, integrator="rk4", max_step=0.01)
    error = np.abs(result.sample(TIMES)["bob"].angle - exact["bob"].angle).max()
    assert error < 2.0 * np.abs(result["bob"].angle - exact.sample(result.t)["bob"].angle).max()


def test_dop853_puts_three_nodes_into_every_step():
    result = cm.simulate(pendulum(), END, integrator="dop853")
    assert len(result.t) == 1 + 4 * result.stats["steps"]
    steps = result.t[::4]
    quarters = steps[:-1, None] + np.diff(steps)[:, None] * [0.25, 0.5, 0.75]
    np.testing.assert_allclose(result.t[1:].reshape(-1, 4)[:, :3], quarters, atol=1e-15)


def test_inner_nodes_satisfy_the_constraints_as_well():
    result = cm.simulate(pendulum(), END, integrator="dop853")
    bob = result["bob"]
    assert np.abs(bob.x - np.cos(bob.angle)).max() < 1e-12
    assert np.abs(bob.vx + bob.omega * np.sin(bob.angle)).max() < 1e-11


def test_inner_nodes_are_as_exact_as_the_ends_of_steps():
    result = cm.simulate(pendulum(), END, integrator="dop853", rtol=1e-10, atol=1e-10)
    reference = cm.simulate(pendulum(), END, integrator="dopri5", rtol=1e-13, atol=1e-13, output=result.t)
    error = np.abs(result["bob"].angle - reference["bob"].angle)
    assert error.max() < 5e-10


def test_signals_between_the_nodes_follow_the_motion():
    """The coordinate of the bearing is the crank's angle, wherever it is read; its series has cubics only."""
    system = FourBar(0.5, 1.5, 1.2, 1.6).system(1.0)
    result = cm.simulate(system, 1.0, max_step=5e-3)
    sampled = result.sample(np.linspace(0.0, 1.0, 333))
    turned = sampled["crank"].angle - result["crank"].angle[0]
    np.testing.assert_allclose(sampled["A"].angle - result["A"].angle[0], turned, atol=1e-6)


@pytest.fixture(scope="module")
def oscillator() -> cm.GeneralizedSystem:
    """x'' = −9x + 2 cos 5t above a stop."""
    return cm.GeneralizedSystem(
        q0=[1.0], u0=[0.0], mass=[[1.0]], force=lambda q, u, t: -9.0 * q[0] + 2.0 * math.cos(5.0 * t),
        gaps=lambda q: q[0] + 0.3, impact=cm.ImpactLaw(restitution=0.8), coordinates=["x"],
    )  # fmt: skip


def test_generalised_coordinates_are_interpolated_as_well_as_they_are_integrated(oscillator):
    options = {"method": "nonsmooth", "scheme": "event-driven"}
    result = cm.simulate(oscillator, END, **options, rtol=TOLERANCE, atol=TOLERANCE)
    assert len(result.impacts) > 1
    times = TIMES[np.abs(TIMES[:, None] - [impact.t_start for impact in result.impacts]).min(axis=1) > 1e-3]
    exact = cm.simulate(oscillator, END, **options, rtol=1e-12, atol=1e-12, output=times)
    sampled, wanted = result.sample(times)["x"], exact.sample(times)["x"]
    at_nodes = np.abs(result["x"].value[-1] - exact["x"].value[-1])
    assert np.abs(sampled.value - wanted.value).max() < 10 * max(at_nodes, TOLERANCE)
    assert np.abs(sampled.rate - wanted.rate).max() < 100 * TOLERANCE
    law = -9.0 * wanted.value + 2.0 * np.cos(5.0 * times)
    assert np.abs(wanted.acceleration - law).max() < 1e-9
    assert np.abs(sampled.acceleration - law).max() < 1e-3


def test_coordinates_of_time_steps_are_interpolated_as_they_were_stepped(oscillator):
    """The rate is linear over a step, and the value its integral."""
    result = cm.simulate(oscillator, 0.4, method="nonsmooth", step=0.01)
    between = result.sample(result.t[:-1] + 0.25 * np.diff(result.t))["x"]
    x, h = result["x"], np.diff(result.t)
    np.testing.assert_allclose(between.rate, 0.75 * x.rate[:-1] + 0.25 * x.rate[1:], atol=1e-14)
    np.testing.assert_allclose(between.acceleration, np.diff(x.rate) / h, atol=1e-10)
    middle = 0.5 * (x.rate[:-1] + between.rate) * 0.25 * h
    shifted = x.value[1:] - x.value[:-1] - 0.5 * h * (x.rate[:-1] + x.rate[1:])
    np.testing.assert_allclose(between.value, x.value[:-1] + middle + 0.25 * shifted, atol=1e-14)
