"""Springs and dampers: normal modes, steady state, decay, the elastic pendulum."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

import carom as cm
from quick import examples

GRAVITY = 9.81


def sliding_masses(count: int, stiffness: float, mass: float) -> cm.System:
    """Masses on a line between two walls, springs between neighbours, 1 m apart."""
    system = cm.System()
    masses = [system.add(cm.Body(f"mass {k}", mass, 1.0, position=(k + 1.0, 0.0))) for k in range(count)]
    for body in masses:
        system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0)))
    ends = (system.ground, *masses, system.ground.point(count + 1.0, 0.0))
    for a, b in pairwise(ends):
        system.add(cm.SpringDamper(a, b, stiffness))
    return system


@pytest.mark.parametrize(("sign", "factor"), [(1.0, 1.0), (-1.0, 3.0)], ids=["in step", "against each other"])
def test_two_masses_started_in_a_mode_stay_in_it(sign, factor):
    system = sliding_masses(2, 80.0, 2.0)
    amplitude, omega = 0.05, math.sqrt(factor * 80.0 / 2.0)
    system["mass 0"].position = (1.0 + amplitude, 0.0)
    system["mass 1"].position = (2.0 + sign * amplitude, 0.0)
    result = cm.simulate(system, 5.0)
    np.testing.assert_allclose(result["mass 0"].x - 1.0, amplitude * np.cos(omega * result.t), atol=1e-8)
    np.testing.assert_allclose(result["mass 1"].x - 2.0, sign * amplitude * np.cos(omega * result.t), atol=1e-8)


def test_energy_wanders_between_two_masses_by_beats():
    """Only the first moved: x₁ = a (cos ω₁t + cos ω₂t)/2, x₂ = a (cos ω₁t − cos ω₂t)/2."""
    system = sliding_masses(2, 80.0, 2.0)
    system["mass 0"].position = (1.1, 0.0)
    result = cm.simulate(system, 5.0)
    slow, fast = np.cos(math.sqrt(40.0) * result.t), np.cos(math.sqrt(120.0) * result.t)
    np.testing.assert_allclose(result["mass 0"].x, 1.0 + 0.05 * (slow + fast), atol=1e-8)
    np.testing.assert_allclose(result["mass 1"].x, 2.0 + 0.05 * (slow - fast), atol=1e-8)


@examples(12)
@given(st.floats(0.5, 5.0), st.floats(10.0, 400.0), st.floats(0.0, 1.5))
def test_damped_oscillator_decays_by_its_closed_form(mass, stiffness, ratio):
    """x = e^(−δt) (cos ω_d t + δ/ω_d sin ω_d t), overdamped with cosh and sinh."""
    omega = math.sqrt(stiffness / mass)
    delta = ratio * omega
    damped = np.sqrt(complex(omega**2 - delta**2)) or 1e-12
    system = cm.System()
    body = system.add(cm.Body("body", mass, 1.0, position=(1.0, 0.0)))
    system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0)))
    system.add(cm.SpringDamper(system.ground, body, stiffness, 2.0 * delta * mass, free_length=0.9))
    result = cm.simulate(system, 2.0, output=0.1)
    t = result.t
    expected = 0.1 * np.exp(-delta * t) * (np.cos(damped * t) + delta / damped * np.sin(damped * t))
    np.testing.assert_allclose(result["body"].x - 0.9, expected.real, atol=1e-8)
    assert result.energy.drift < 1e-7


def test_driven_oscillator_reaches_its_steady_state():
    """m x'' + c x' + k x = F cos Ωt: amplitude F/√((k − mΩ²)² + (cΩ)²), phase lag atan2(cΩ, k − mΩ²)."""
    m, c, k, force, drive = 2.0, 8.0, 300.0, 5.0, 9.0
    system = cm.System()
    body = system.add(cm.Body("body", m, 1.0, position=(1.0, 0.0)))
    system.add(cm.Prismatic(system.ground, body, axis=(1.0, 0.0)))
    system.add(cm.SpringDamper(system.ground, body, k, c))
    system.add(cm.PointForce(body, lambda t: (force * math.cos(drive * t), 0.0)))
    start, end = 12.0, 14.0  # e^(−δt) is below 1e-10 by then
    times = np.linspace(start, end, 101)
    result = cm.simulate(system, end, output=times)
    x = result["body"].x[1:] - 1.0
    size = force / math.hypot(k - m * drive**2, c * drive)
    lag = math.atan2(c * drive, k - m * drive**2)
    np.testing.assert_allclose(x, size * np.cos(drive * times - lag), atol=1e-9)
    # Over a whole period the force puts in what the damper takes out: π c Ω X².
    period = 2.0 * math.pi / drive
    run = cm.simulate(system, start + period, output=[start, start + period])
    assert run.energy.applied_work[-1] - run.energy.applied_work[1] == pytest.approx(
        math.pi * c * drive * size**2, rel=1e-6
    )
    assert run.energy.dissipated[-1] - run.energy.dissipated[1] == pytest.approx(
        math.pi * c * drive * size**2, rel=1e-6
    )


def test_elastic_pendulum_follows_its_equations_and_keeps_its_energy():
    """r'' = r φ'² + g cos φ − k/m (r − l), r φ'' = −g sin φ − 2 r' φ'."""
    mass, stiffness, free = 1.5, 60.0, 1.0
    system = cm.System(gravity=(0.0, -GRAVITY))
    bob = system.add(cm.Body("bob", mass, position=(1.2, 0.0)))
    system.add(cm.SpringDamper(system.ground, bob, stiffness, free_length=free, name="spring"))

    def rate(t, y):
        r, phi, v, w = y
        pull = r * w**2 + GRAVITY * math.cos(phi) - stiffness / mass * (r - free)
        return [v, w, pull, (-GRAVITY * math.sin(phi) - 2.0 * v * w) / r]

    times = np.linspace(0.0, 5.0, 101)
    exact = solve_ivp(rate, (0.0, 5.0), [1.2, math.pi / 2.0, 0.0, 0.0], "DOP853", times, rtol=1e-13, atol=1e-13).y
    result = cm.simulate(system, 5.0, output=times[1:], rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(result["bob"].x, exact[0] * np.sin(exact[1]), atol=1e-8)
    np.testing.assert_allclose(result["bob"].y, -exact[0] * np.cos(exact[1]), atol=1e-8)
    np.testing.assert_allclose(result["spring"].tension, stiffness * (exact[0] - free), atol=1e-6)
    full = cm.simulate(system, 10.0)
    assert full.energy.drift < 1e-8


def test_torsion_oscillator_between_two_bodies_has_their_reduced_inertia():
    """ω² = k (1/I₁ + 1/I₂); angular momentum stays zero."""
    system = cm.System()
    first = system.add(cm.Body("first", 1.0, 0.4, angle=0.3))
    second = system.add(cm.Body("second", 1.0, 1.1, angle=-0.3 * 0.4 / 1.1))
    system.add(cm.RotationalSpringDamper(first, second, 25.0, free_angle=0.0))
    result = cm.simulate(system, 3.0)
    omega = math.sqrt(25.0 * (1.0 / 0.4 + 1.0 / 1.1))
    np.testing.assert_allclose(result["first"].angle, 0.3 * np.cos(omega * result.t), atol=1e-8)
    np.testing.assert_allclose(0.4 * result["first"].omega + 1.1 * result["second"].omega, 0.0, atol=1e-13)
