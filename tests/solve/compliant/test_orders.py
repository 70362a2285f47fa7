"""Every integrator converges at its own order, on a swing whose motion is an elliptic function."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import carom as cm
from carom.solve.compliant.registry import INTEGRATORS
from carom.solve.runge_kutta.registry import TABLEAUS
from solve.mechanisms import pendulum

END = 8.0
SLACK = 1e4
"""Tolerances so wide that only ``max_step`` decides."""

# Steps over the run: coarse enough that rounding (1e-14 and its sum over the steps) stays far below the errors.
STEPS = {"dopri5": (40, 80, 160), "tsit5": (40, 80, 160), "rk4": (80, 160, 320), "dop853": (16, 20, 28, 40)}


def swing(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angle from the horizontal and its rate, for θ'' = −cos θ from rest at θ = 0.

    With ψ = θ + π/2 from hanging: sin(ψ/2) = k sn(K − t), k = sin(π/4) (Lawden, Elliptic Functions, §5.1).
    """
    k = math.sin(math.pi / 4.0)
    sn, cn, _, _ = ellipj(ellipk(k * k) - t, k * k)
    return 2.0 * np.arcsin(k * sn) - math.pi / 2.0, -2.0 * k * cn


def error(result: cm.Result) -> float:
    angle, rate = swing(result.t)
    bob = result["bob"]
    return float(max(np.abs(bob.angle - angle).max(), np.abs(bob.omega - rate).max()))


def test_the_closed_form_satisfies_its_equation():
    t, h = np.linspace(0.0, 6.0, 25), 1e-4
    angle, rate = swing(t)
    np.testing.assert_allclose((swing(t + h)[0] - swing(t - h)[0]) / (2 * h), rate, atol=1e-8)
    np.testing.assert_allclose((swing(t + h)[1] - swing(t - h)[1]) / (2 * h), -np.cos(angle), atol=1e-8)


def test_every_integrator_has_its_order_tested():
    assert set(STEPS) == set(TABLEAUS)
    assert set(STEPS) | {"auto", "implicit", "adams", "bdf"} == set(INTEGRATORS)  # tests/solve/radau: implicit


@pytest.mark.parametrize("constraints", ["projection", "augmented"])
@pytest.mark.parametrize("name", STEPS)
def test_error_falls_with_the_order_of_the_method(name, constraints):
    # Feedback of the constraints (augmented) must not spoil the order either; α is slow against every step.
    system = pendulum(gravity=1.0)
    errors = []
    for steps in STEPS[name]:
        result = cm.simulate(
            system, END, integrator=name, rtol=SLACK, atol=SLACK, max_step=END / steps, constraints=constraints,
            alpha=1.0, beta=1.0, output=END / 4,
        )  # fmt: skip
        assert result.stats["steps"] == steps
        errors.append(error(result))
    observed = -np.polyfit(np.log(STEPS[name]), np.log(errors), 1)[0]
    assert observed >= TABLEAUS[name].order - 0.3
    assert errors[-1] > 1e-12  # otherwise rounding has been measured


@pytest.mark.parametrize("name", ["dopri5", "tsit5", "dop853", "adams", "bdf"])
def test_error_of_the_whole_run_follows_the_tolerance(name):
    tolerances = 10.0 ** -np.arange(4.0, 10.0)
    system = pendulum(gravity=1.0)
    errors = [error(cm.simulate(system, END, integrator=name, rtol=rtol, atol=rtol, output=1.0)) for rtol in tolerances]
    assert np.all(np.array(errors) < 10.0 * tolerances)
    slope = np.polyfit(np.log10(tolerances), np.log10(errors), 1)[0]
    assert 0.75 < slope < 1.35


@pytest.mark.parametrize("name", ["dopri5", "tsit5", "dop853"])
def test_rejected_steps_leave_no_trace(name):
    """Two pulses make steps fail; the motion is that of their impulses all the same."""
    system = cm.System()
    body = system.add(cm.Body("body", 1.0, 1.0))
    width = 0.05

    def pulses(t):
        return (math.exp(-(((t - 0.7) / width) ** 2)) + math.exp(-(((t - 1.4) / width) ** 2)), 0.0)

    system.add(cm.PointForce(body, pulses))
    result = cm.simulate(system, 2.5, integrator=name, max_step=0.1)
    impulse = width * math.sqrt(math.pi)
    assert result.stats["rejected"] > 0
    assert result["body"].vx[-1] == pytest.approx(2.0 * impulse, rel=1e-8)
    assert result["body"].x[-1] == pytest.approx(impulse * (1.8 + 1.1), rel=1e-8)
