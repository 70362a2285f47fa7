"""Chains of pendulums against equations in minimal coordinates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom as cm
from solve.mechanisms import GRAVITY, chain, violations


def point_mass_rate(t: float, y: np.ndarray) -> list[float]:
    """Two bobs of 1 kg on massless rods of 1 m, angles from hanging (Landau & Lifshitz, Mechanics, §5)."""
    a, b, p, q = y
    c, s = math.cos(a - b), math.sin(a - b)
    right = np.array([-(q**2) * s - 2.0 * GRAVITY * math.sin(a), p**2 * s - GRAVITY * math.sin(b)])
    first, second = np.linalg.solve([[2.0, c], [c, 1.0]], right)
    return [p, q, first, second]


def double_pendulum(a: float, b: float, rods: bool) -> cm.System:
    """Point masses: as bodies without inertia on pins, or held by distances."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    upper = np.array([math.sin(a), -math.cos(a)])
    lower = upper + np.array([math.sin(b), -math.cos(b)])
    first = system.add(cm.Body("upper", 1.0, position=tuple(upper), angle=a))
    second = system.add(cm.Body("lower", 1.0, position=tuple(lower), angle=b))
    if rods:
        system.add(cm.Distance(system.ground, first))
        system.add(cm.Distance(first, second))
    else:
        system.add(cm.Revolute(system.ground, first, at=(0.0, 0.0)))
        system.add(cm.Revolute(first, second, at=tuple(upper)))
    return system


@pytest.mark.parametrize("rods", [False, True], ids=["pins", "distances"])
@pytest.mark.parametrize(("a", "b"), [(0.4, -0.2), (1.5, 2.0)], ids=["gentle", "wild"])
def test_double_pendulum_follows_lagrange_s_equations(a, b, rods):
    times = np.linspace(0.0, 3.0, 61)
    exact = solve_ivp(point_mass_rate, (0.0, 3.0), [a, b, 0.0, 0.0], "DOP853", times, rtol=1e-13, atol=1e-13).y
    result = cm.simulate(double_pendulum(a, b, rods), 3.0, output=times[1:], rtol=1e-10, atol=1e-11)
    upper = np.column_stack([np.sin(exact[0]), -np.cos(exact[0])])
    lower = upper + np.column_stack([np.sin(exact[1]), -np.cos(exact[1])])
    np.testing.assert_allclose(result["upper"].position, upper, atol=1e-7)
    np.testing.assert_allclose(result["lower"].position, lower, atol=1e-7)


def rods_rate(n: int):
    """Uniform rods of 1 kg and 1 m, angles θ from the horizontal.

    Σ_j C_ij [cos(θ_i − θ_j) θ_j'' + sin(θ_i − θ_j) θ_j'²] = −G_i cos θ_i.
    """
    below = np.arange(n - 1, -1, -1.0)
    first_moment = 0.5 + below
    couple = np.array([[first_moment[max(i, j)] for j in range(n)] for i in range(n)])
    couple[np.diag_indices(n)] = 1.0 / 3.0 + below

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        angle, speed = y[:n], y[n:]
        apart = angle[:, None] - angle
        right = -(couple * np.sin(apart)) @ speed**2 - GRAVITY * first_moment * np.cos(angle)
        return np.concatenate([speed, np.linalg.solve(couple * np.cos(apart), right)])

    return rate


@pytest.mark.parametrize("links", [2, 3, 5])
def test_chain_of_rods_follows_lagrange_s_equations(links):
    times = np.linspace(0.0, 1.0, 21)
    start = np.zeros(2 * links)
    exact = solve_ivp(rods_rate(links), (0.0, 1.0), start, "DOP853", times, rtol=1e-13, atol=1e-13).y
    result = cm.simulate(chain(links), 1.0, output=times[1:])
    angles = np.array([result[f"link {k}"].angle for k in range(links)])
    np.testing.assert_allclose(angles, exact[:links], atol=1e-7)


def test_chain_of_ten_links_keeps_its_energy():
    system = chain(10, length=0.2)
    result = cm.simulate(system, 3.0)
    total = result.energy.total
    assert np.abs(total - total[0]).max() < 1e-8 * result.energy.scale
    assert result.energy.kinetic.max() > 0.3 * 10.0 * GRAVITY * 1.0  # it has fallen
    position, speed = violations(system, result.sample(np.linspace(0.0, 3.0, 2)))
    assert position <= 1e-12
    assert speed <= 1e-10


def test_large_chain_of_the_sparse_solver_keeps_its_energy():
    system = chain(40, length=0.05)
    result = cm.simulate(system, 0.5)
    assert result.energy.drift < 1e-8


def test_tip_of_a_falling_chain_starts_faster_than_gravity():
    """Rod released from the horizontal, pinned at its end: its tip starts with 3/2 g."""
    result = cm.simulate(chain(1), 0.01)
    assert result["link 0"].alpha[0] == pytest.approx(-1.5 * GRAVITY, rel=1e-13)


def test_reactions_of_a_chain_carry_what_is_below():
    """Newton for each link: the forces at its pins give its acceleration."""
    result = cm.simulate(chain(4), 0.5)
    for k in range(4):
        link, pin = result[f"link {k}"], result[f"pin {k}"]
        force = np.column_stack([pin.fx, pin.fy])
        if k < 3:
            after = result[f"pin {k + 1}"]
            force = force - np.column_stack([after.fx, after.fy])
        np.testing.assert_allclose(force, link.acceleration + np.array([0.0, GRAVITY]), atol=1e-9)
