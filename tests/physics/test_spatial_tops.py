"""Bodies that turn in space: free tops, heavy tops and gyroscopes, against elliptic functions and Euler angles."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

import carom as cm

TIGHT: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-12}


def free_top(inertia: tuple[float, float, float], omega: tuple[float, float, float]) -> cm.System:
    system = cm.System(dim=3)
    system.add(cm.Body("top", mass=1.3, inertia=inertia, angular_velocity=omega))
    return system


def elliptic_omega(inertia: tuple[float, float, float], omega: tuple[float, float, float], t: np.ndarray) -> np.ndarray:
    """ω(t) of a free top with A < B < C, started with ω_y = 0 and L² > 2 T B (Landau & Lifshitz, § 37)."""
    a, b, c = inertia
    energy = sum(i * w * w for i, w in zip(inertia, omega, strict=True))
    square = sum(i * i * w * w for i, w in zip(inertia, omega, strict=True))
    assert square > energy * b
    assert omega[1] == 0.0
    rate = math.sqrt((c - b) * (square - energy * a) / (a * b * c))
    m = (b - a) * (energy * c - square) / ((c - b) * (square - energy * a))
    sn, cn, dn, _ = ellipj(rate * t, m)
    x = math.sqrt((energy * c - square) / (a * (c - a)))
    y = math.sqrt((energy * c - square) / (b * (c - b)))
    z = math.sqrt((square - energy * a) / (c * (c - a)))
    return np.column_stack([x * cn, y * sn, z * dn])


def test_a_free_asymmetric_top_follows_jacobis_elliptic_functions():
    inertia, omega = (1.0, 2.0, 2.5), (1.2, 0.0, 1.5)
    result = cm.simulate(free_top(inertia, omega), 20.0, **TIGHT)
    expected = elliptic_omega(inertia, omega, result.t)
    np.testing.assert_allclose(result["top"].omega, expected, rtol=0.0, atol=1e-9)


def test_a_wing_nut_flips_with_the_period_of_its_elliptic_functions():
    """Dzhanibekov: started close to its middle axis, ω_y changes sign every half period, 2 K(m)/rate."""
    a, b, c = inertia = (1.0, 2.0, 2.9)
    omega = (0.0, 3.0, 0.01)
    result = cm.simulate(free_top(inertia, omega), 30.0, **TIGHT)
    energy = sum(i * w * w for i, w in zip(inertia, omega, strict=True))
    square = sum(i * i * w * w for i, w in zip(inertia, omega, strict=True))
    assert square > energy * b
    rate = math.sqrt((c - b) * (square - energy * a) / (a * b * c))
    m = (b - a) * (energy * c - square) / ((c - b) * (square - energy * a))
    flips = 2.0 * ellipk(m) / rate
    spin = result["top"].wy
    k = np.flatnonzero(spin[:-1] * spin[1:] < 0.0)
    times = result.t[k] - spin[k] * np.diff(result.t)[k] / np.diff(spin)[k]
    assert len(times) >= 3
    np.testing.assert_allclose(np.diff(times), flips, rtol=1e-3)  # times by linear interpolation
    momentum = np.einsum("nij,nj->ni", result["top"].rotation, result["top"].omega * inertia)
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(momentum), 1)), rtol=0.0, atol=1e-8)


MASS, ARM, ACROSS, ALONG, GRAVITY = 0.8, 0.12, 0.004, 0.0015, 9.81


def heavy_top(tilt: float, precession: float, nutation: float, spin: float) -> cm.System:
    """A top on its tip, its axis in the xz-plane at ``tilt`` from the vertical; rates of the Euler angles."""
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    turned = (math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt), 0.0)
    omega = np.array([-precession * math.sin(tilt), nutation, spin + precession * math.cos(tilt)])
    top = cm.Body("top", MASS, (ACROSS, ACROSS, ALONG), orientation=turned, angular_velocity=omega, position=(0, 0, 0))
    top.position = top.rotation @ (0.0, 0.0, ARM)
    top.velocity = top.rotation @ np.cross(omega, (0.0, 0.0, ARM))
    system.add(top)
    system.add(cm.Spherical(system.ground, top, at=(0.0, 0.0, 0.0), name="tip"))
    return system


def euler_angles(tilt: float, precession: float, nutation: float, spin: float, t: np.ndarray) -> np.ndarray:
    """θ and φ of the same top from Lagrange's equations, with p_φ and p_ψ constant."""
    across = ACROSS + MASS * ARM**2
    along = ALONG * (spin + precession * math.cos(tilt))
    vertical = across * precession * math.sin(tilt) ** 2 + along * math.cos(tilt)

    def rates(_: float, y: np.ndarray) -> list[float]:
        theta, rate, _ = y
        turning = (vertical - along * math.cos(theta)) / (across * math.sin(theta) ** 2)
        bend = across * turning**2 * math.cos(theta) - along * turning + MASS * GRAVITY * ARM
        return [rate, math.sin(theta) * bend / across, turning]

    start = [tilt, nutation, 0.0]
    return solve_ivp(rates, (0.0, t[-1]), start, "DOP853", t, rtol=1e-12, atol=1e-13).y[[0, 2]]


@pytest.mark.parametrize(
    ("precession", "nutation", "spin"),
    [(0.0, 0.0, 150.0), (9.0, 0.0, 120.0), (-3.0, 0.5, 90.0)],
    ids=["cusps", "waves", "loops"],
)
def test_a_heavy_top_nutates_and_precesses_as_its_euler_angles(precession: float, nutation: float, spin: float):
    times = np.linspace(0.0, 1.5, 151)
    start = (0.6, precession, nutation, spin)
    result = cm.simulate(heavy_top(*start), 1.5, output=times, **TIGHT).sample(times)
    theta, phi = euler_angles(*start, times)
    axis = np.column_stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)])
    assert np.ptp(theta) > 0.02
    assert abs(phi[-1]) > 1.0
    np.testing.assert_allclose(result["top"].rotation[:, :, 2], axis, rtol=0.0, atol=2e-8)
    assert result.energy.drift < 1e-9


def test_a_horizontal_gyroscope_precesses_at_m_g_r_over_its_spin():
    """Exact for a horizontal axis: Ω = m g r/(I ω), without nutation; the tip carries the weight and turns it."""
    spin = 300.0
    rate = MASS * GRAVITY * ARM / (ALONG * spin)
    result = cm.simulate(heavy_top(0.5 * math.pi, rate, 0.0, spin), 2.0, **TIGHT)
    expected = ARM * np.column_stack([np.cos(rate * result.t), np.sin(rate * result.t), 0.0 * result.t])
    np.testing.assert_allclose(result["top"].position, expected, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(result["tip"].fz, MASS * GRAVITY, rtol=1e-7)
    inwards = -np.einsum("ni,ni->n", expected, np.column_stack([result["tip"].fx, result["tip"].fy, 0.0 * result.t]))
    np.testing.assert_allclose(inwards, MASS * (rate * ARM) ** 2, rtol=1e-6)
    for torque in ("tx", "ty", "tz"):
        np.testing.assert_allclose(getattr(result["tip"], torque), 0.0, atol=1e-9)
