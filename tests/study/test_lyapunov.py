"""Lyapunov exponents against theory, and against tangent maps and variational equations of their own."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import carom as cm
from carom.errors import ModelError

G = 9.81
EVENTS = {"method": "nonsmooth", "scheme": "event-driven"}


def linear(stiffness, damping):
    """x'' = −stiffness x − damping x', at rest; its gap is far away."""
    return cm.GeneralizedSystem(
        q0=[0.0], u0=[0.0], mass=[[1.0]], force=lambda q, u: -stiffness * q[0] - damping * u[0],
        gaps=lambda q: q[0] + 1e3, impact=cm.Impact(), name="linear",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("stiffness", "damping", "exponent"),
    [(-4.0, 0.0, 2.0), (9.0, 1.0, -0.5), (-2.0, 1.0, 1.0)],
)
def test_a_linear_system_has_the_real_part_of_its_eigenvalue(stiffness, damping, exponent):
    found = cm.lyapunov(linear(stiffness, damping), 30.0, interval=1.0, **EVENTS)
    late = found.growth[len(found.growth) // 2 :]
    # Where it turns, x and v have their ratio √k of the distance: ln √k over the time.
    assert np.mean(late) == pytest.approx(exponent, abs=max(1e-3, math.log(max(stiffness, 1.0)) / 2.0 / 15.0))
    assert found.chaotic == (exponent > 0.0)


def test_a_pendulum_is_regular():
    """Neighbours part in proportion to time, as their periods differ: ln t/t, zero within the error."""
    found = cm.lyapunov("pendulum", 40.0, interval=0.5)
    assert abs(found.exponent) <= found.error
    assert found.exponent < 0.15
    assert not found.chaotic
    assert "regular" in str(found)


def test_a_double_pendulum_is_chaotic_at_the_rate_of_its_tolerance():
    """A second method: how fast two tolerances part."""
    found = cm.lyapunov("double_pendulum", 60.0, angles=(2.5, 2.5))
    apart = cm.trust("double_pendulum", t_end=20.0, angles=(2.5, 2.5))
    assert found.chaotic
    assert found.exponent == pytest.approx(apart.growth, rel=0.35)
    assert found.plot().axes


def test_what_only_rounds_about_a_constant_is_not_compared():
    """The couplers of an N-four-bar stay level: their angles are rounding, which every tolerance has of its own."""
    found = cm.trust("n_four_bar")
    assert found.whole
    assert "rod 0.angle" in found.times
    assert "coupler 1.angle" not in found.times


def test_a_difference_that_comes_and_goes_is_no_parting():
    """A slider strikes its guide: the steps are off by a hundredth now and then, and agree again."""
    found = cm.trust("slider_crank_clearance")
    assert found.difference["slider.y"].max() > found.threshold
    assert found.difference["slider.y"][-1] < 0.1 * found.threshold
    assert found.whole


def bouncing(restitution, drive, omega):
    """A ball on a table that swings by ``drive`` g/ω²."""
    size = drive * G / omega**2
    return cm.GeneralizedSystem(
        q0=[1e-3], u0=[1.0 + size * omega], mass=[[1.0]], force=[-G],
        gaps=lambda q, t: q[0] - size * math.sin(omega * t), impact=cm.Impact(restitution=restitution), name="table",
    )  # fmt: skip


def tangent_map(restitution, drive, omega, impacts):
    """The exponent [1/s] from the exact map of impact to impact and its derivative."""
    size, period = drive * G / omega**2, 2.0 * math.pi / omega
    e, t, v, total, began = restitution, 0.0, 1.0, 0.0, 0.0
    d = np.array([1.0, 0.3])
    for k in range(impacts):

        def gap(x, t=t, v=v):
            return size * math.sin(omega * t) + v * (x - t) - 0.5 * G * (x - t) ** 2 - size * math.sin(omega * x)

        a = t + 1e-6 * period
        b = a + 0.01 * period
        while gap(b) > 0.0:
            a, b = b, b + 0.01 * period
        after = brentq(gap, a, b, xtol=1e-15)
        flight = after - t
        w = v - G * flight
        table = size * omega * math.cos(omega * after)
        dt = -((size * omega * math.cos(omega * t) - w) * d[0] + flight * d[1]) / (w - table)
        dv = -(1.0 + e) * size * omega**2 * math.sin(omega * after) * dt - e * (d[1] - G * (dt - d[0]))
        t, v = after, (1.0 + e) * table - e * w
        d = np.array([dt, dv])
        length = math.hypot(d[0] * omega, d[1] / (size * omega))
        if k < 50:
            began = t
        else:
            total += math.log(length)
        d /= length
    return total / (t - began)


def test_a_ball_on_a_swinging_table_has_the_exponent_of_its_map():
    omega = 20.0 * math.pi
    expected = tangent_map(0.9, 3.0, omega, 1500)
    found = cm.lyapunov(bouncing(0.9, 3.0, omega), 50.0, interval=0.5, transient=5.0, **EVENTS)
    assert found.chaotic
    assert found.exponent == pytest.approx(expected, abs=1.5 * found.error)
    assert found.error < 0.35 * expected


def test_a_driven_system_needs_its_period():
    with pytest.raises(ModelError, match=r"goes another way when it is restarted.*interval="):
        cm.lyapunov(bouncing(0.9, 3.0, 20.0 * math.pi), 50.0, interval=0.333, **EVENTS)


def test_the_system_is_left_as_it_was():
    system = cm.gallery.pendulum().system
    before = [body.position for body in system.bodies]
    cm.lyapunov(system, 2.0, interval=0.05)
    assert [body.position for body in system.bodies] == before
