"""The implicit method: coefficients, order, stability and its error estimate."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.kernels.interpreted import address_of_argument
from carom.solve.compliant.integration_request import IntegrationRequest
from carom.solve.compliant.radau_integrator import ImplicitSteps
from carom.solve.compliant.rk_integrator import RungeKutta
from carom.solve.model_evaluator import ModelEvaluator
from carom.solve.radau import coefficients
from carom.solve.radau.radau_step import radau_step

A, T, TI = (np.array(table) for table in (coefficients.A, coefficients.T, coefficients.TI))


def test_the_coefficients_satisfy_the_order_conditions():
    """B(5) and C(3) of Hairer and Wanner II, IV.5."""
    c, b = np.array(coefficients.C), np.array(coefficients.B)
    for k in range(1, 6):
        assert b @ c ** (k - 1) == pytest.approx(1.0 / k, abs=1e-15)
    for k in range(1, 4):
        np.testing.assert_allclose(A @ c ** (k - 1), c**k / k, atol=1e-15)


def test_the_transformation_splits_the_stages():
    mu = coefficients.MU_COMPLEX
    blocks = np.zeros((3, 3))
    blocks[0, 0] = coefficients.MU_REAL
    blocks[1:, 1:] = [[mu.real, -mu.imag], [mu.imag, mu.real]]
    np.testing.assert_allclose(TI @ np.linalg.inv(A) @ T, blocks, atol=1e-12)
    np.testing.assert_allclose(TI @ T, np.eye(3), atol=1e-14)


class Stepper:
    """Steps of one length, without error control."""

    def __init__(self, system: cm.System, t_end: float, steps: int, tolerance: float = 1e-9):
        mechanism = ModelEvaluator(system)
        request = IntegrationRequest(
            mechanism=mechanism, integrator="implicit", y=mechanism.tables.y0.copy(), stops=np.array([t_end]),
            jumps=np.array([False]), record_steps=True, projecting=False, rtol=tolerance, atol=tolerance,
            max_step=math.inf,
        )  # fmt: skip
        self.run = RungeKutta(request)
        self.run.prepare()
        self.implicit = ImplicitSteps(request, self.run.rk_record)
        self.h, self.steps, self.mechanism = t_end / steps, steps, mechanism
        self.y_new = self.run.arrays["y_new"]
        record = self.implicit.record
        record.y_out, record.t_latest = address_of_argument(self.y_new), math.inf
        record.newton_tolerance = 1e-6

    def integrate(self) -> np.ndarray:
        """Return the state at the end."""
        y, slope = self.run.arrays["y"], self.run.arrays["stages"]
        for k in range(self.steps):
            assert radau_step.call(k * self.h, self.h, self.implicit.record) == 0
            y[:] = self.y_new
            slope[0] = self.mechanism.rate((k + 1) * self.h, y)[0]
            self.implicit.memory.needs_jacobian = 1
            self.implicit.memory.h_last = 0.0
        return y.copy()


def oscillator(damping: float = 0.0, speed: float = 0.0) -> cm.System:
    """A mass of 1 kg pressed into a linear contact of 1e4 N/m by 100 N: 100 rad/s about 10 mm."""
    system = cm.System(gravity=(0.0, -100.0))
    body = system.add(cm.Body("mass", 1.0, 1.0, position=(0.0, -0.012), velocity=(0.0, speed)))
    law = cm.laws.KelvinVoigt(1e4, damping=damping)
    system.add(cm.Contact(cm.Point(body), cm.Plane(system.ground), law=law, name="touch"))
    return system


def test_a_vibration_in_contact_has_order_five():
    """y = −10 mm − 2 mm cos(100 t)."""
    t_end, counts = 0.06, (8, 12, 18, 27)
    expected = -0.01 - 0.002 * math.cos(100.0 * t_end)
    errors = [abs(Stepper(oscillator(), t_end, steps).integrate()[1] - expected) for steps in counts]
    observed = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert observed == pytest.approx(5.0, abs=0.3)


def test_the_error_estimate_falls_with_the_fourth_power_of_the_step():
    estimates = []
    for steps in (8, 16, 32):
        stepper = Stepper(oscillator(speed=0.2), 0.02, steps, tolerance=1e-3)
        assert radau_step.call(0.0, stepper.h, stepper.implicit.record) == 0
        estimates.append(stepper.implicit.record.error)
    assert np.log2(estimates[0] / estimates[1]) == pytest.approx(4.0, abs=0.4)
    assert np.log2(estimates[1] / estimates[2]) == pytest.approx(4.0, abs=0.3)


def test_an_overdamped_contact_is_left_behind_in_long_steps():
    """Radau IIA damps what it does not resolve: steps of thousands of time constants end at rest."""
    stepper = Stepper(oscillator(damping=1e3), 20.0, 4)
    y = stepper.integrate()
    assert y[1] == pytest.approx(-0.01, abs=1e-8)
    assert y[4] == pytest.approx(0.0, abs=1e-6)
