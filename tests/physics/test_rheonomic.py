"""Pivots that are moved: the parametric pendulum against its explicit equation, and Kapitza's upright pendulum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom as cm

GRAVITY = 9.81


def shaken_pendulum(axis: tuple[float, float], amplitude: float, frequency: float, start: float) -> cm.System:
    """A bob of 1 kg and 0.1 kg m², 1 m from a carriage that is shaken along ``axis``; ``start`` from hanging [rad]."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    carriage = system.add(cm.Body("carriage", 2.0, 1.0))
    place = (math.sin(start), -math.cos(start))
    bob = system.add(cm.Body("bob", 1.0, 0.1, position=place, angle=start))
    slide = system.add(cm.Prismatic(system.ground, carriage, axis=axis))
    system.add(cm.Revolute(carriage, bob, at=(0.0, 0.0)))
    system.add(cm.Driver(slide, cm.SineMotion(amplitude, frequency), name="shaker"))
    return system.assemble(keep=[(bob, "angle")])


def exact(axis, amplitude, frequency, start, rate, times):
    """(I + m L²) φ'' = −m L [(g + ÿ) sin φ + ẍ cos φ]."""
    w = 2.0 * math.pi * frequency

    def f(t, y):
        pushed = -amplitude * w**2 * math.sin(w * t)
        turning = (GRAVITY + axis[1] * pushed) * math.sin(y[0]) + axis[0] * pushed * math.cos(y[0])
        return [y[1], -turning / 1.1]

    return solve_ivp(f, (0.0, times[-1]), [start, rate], "DOP853", times, rtol=1e-13, atol=1e-13).y


@pytest.mark.parametrize("axis", [(0.0, 1.0), (1.0, 0.0), (0.6, 0.8)], ids=["up and down", "to and fro", "slanted"])
def test_shaken_pendulum_follows_its_explicit_equation(axis):
    system = shaken_pendulum(axis, 0.15, 1.3, 0.7)
    times = np.linspace(0.0, 5.0, 101)
    angle, rate = exact(axis, 0.15, 1.3, 0.7, system["bob"].angular_velocity, times)
    result = cm.simulate(system, 5.0, output=times[1:], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(result["bob"].angle, angle, atol=1e-7)
    np.testing.assert_allclose(result["bob"].omega, rate, atol=1e-6)


def test_work_of_the_shaker_closes_the_books():
    result = cm.simulate(shaken_pendulum((0.0, 1.0), 0.15, 1.3, 0.7), 5.0)
    gained = result.energy.total - result.energy.total[0]
    np.testing.assert_allclose(result.energy.driver_work, gained, atol=1e-6 * result.energy.scale)
    assert result.energy.drift < 1e-8


@pytest.mark.parametrize(("frequency", "upright"), [(30.0, True), (8.0, False)], ids=["fast", "slow"])
def test_fast_shaking_holds_a_pendulum_upright(frequency, upright):
    """Kapitza: stable when a² Ω² > 2 g l, with l = (I + m L²)/(m L) the reduced length."""
    amplitude = 0.05
    assert ((amplitude * 2.0 * math.pi * frequency) ** 2 > 2.0 * GRAVITY * 1.1) is upright
    result = cm.simulate(shaken_pendulum((0.0, 1.0), amplitude, frequency, math.pi - 0.1), 4.0)
    farthest = np.abs(result["bob"].angle - math.pi).max()
    assert bool(farthest < 0.5) is upright


def test_pivot_led_round_a_circle_throws_the_pendulum_outwards():
    """Pivot on a circle at constant speed by two drivers: the explicit equation with both accelerations."""
    radius, speed = 0.3, 5.0
    system = cm.System(gravity=(0.0, -GRAVITY))
    pivot = system.add(cm.Body("pivot", 1.0, 1.0, position=(radius, 0.0)))
    bob = system.add(cm.Body("bob", 1.0, 0.1, position=(radius, -1.0)))
    system.add(cm.Revolute(pivot, bob, at=(radius, 0.0)))
    frequency = speed / (2.0 * math.pi)
    system.add(cm.Driver((pivot, "x"), cm.SineMotion(radius, frequency, phase=math.pi / 2.0, offset=0.0)))
    system.add(cm.Driver((pivot, "y"), cm.SineMotion(radius, frequency, offset=0.0)))
    system.add(cm.Driver((pivot, "angle"), cm.ConstantSpeed(0.0)))
    system.assemble(keep=[(bob, "angle"), (bob, "angular_velocity")])

    def f(t, y):
        ax, ay = -radius * speed**2 * math.cos(speed * t), -radius * speed**2 * math.sin(speed * t)
        return [y[1], -((GRAVITY + ay) * math.sin(y[0]) + ax * math.cos(y[0])) / 1.1]

    times = np.linspace(0.0, 3.0, 61)
    expected = solve_ivp(f, (0.0, 3.0), [0.0, 0.0], "DOP853", times, rtol=1e-13, atol=1e-13).y[0]
    result = cm.simulate(system, 3.0, output=times[1:], rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(result["bob"].angle, expected, atol=1e-7)
