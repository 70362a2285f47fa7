"""Pendulums in space: against minimal coordinates, against the plane, and against closed forms."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import carom as cm

GRAVITY = 9.81
TIGHT: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-12}


def spherical_angles(tilt: float, turning: float, length: float, t: np.ndarray) -> np.ndarray:
    """θ from the vertical and φ about it, of a spherical pendulum let go with φ' = ``turning``."""
    momentum = math.sin(tilt) ** 2 * turning

    def rates(_: float, y: np.ndarray) -> list[float]:
        theta, rate, _ = y
        phi_rate = momentum / math.sin(theta) ** 2
        return [rate, math.sin(theta) * (math.cos(theta) * phi_rate**2 - GRAVITY / length), phi_rate]

    return solve_ivp(rates, (0.0, t[-1]), [tilt, 0.0, 0.0], "DOP853", t, rtol=1e-12, atol=1e-13).y[[0, 2]]


def below(theta: np.ndarray, phi: np.ndarray) -> np.ndarray:
    return np.column_stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), -np.cos(theta)])


@pytest.mark.parametrize("held_by", ["ball joint", "rod", "rod to a body"])
def test_a_spherical_pendulum_follows_its_two_angles(held_by: str):
    tilt, turning, arm, mass = 0.9, 2.2, 0.7, 1.4
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    place = arm * np.array([math.sin(tilt), 0.0, -math.cos(tilt)])
    velocity = np.cross((0.0, 0.0, turning), place)
    if held_by == "ball joint":
        # A ball whose spin is that of a rod without inertia about its own axis: a pendulum of length L = I/(m r).
        across = 0.03
        omega = np.cross(place, velocity) / arm**2
        bob = system.add(
            cm.Body("bob", mass, (across, across, across), place, velocity=velocity, angular_velocity=omega)
        )
        system.add(cm.Spherical(system.ground, bob, at=(0.0, 0.0, 0.0)))
        length = (across + mass * arm**2) / (mass * arm)
    else:
        bob = system.add(cm.Body("bob", mass, 0.0, place, velocity=velocity))
        base = system.ground
        if held_by == "rod to a body":
            base = system.add(cm.Body("base", 2.0, (1.0, 1.2, 1.3)))
            system.add(cm.Weld(system.ground, base))
        system.add(cm.Distance(base, bob))
        length = arm
    times = np.linspace(0.0, 4.0, 81)
    result = cm.simulate(system, 4.0, output=times, **TIGHT).sample(times)
    if held_by == "ball joint":  # the spin about its own axis stays zero
        spin = np.einsum("ni,ni->n", result["bob"].global_omega, result["bob"].position)
        np.testing.assert_allclose(spin, 0.0, atol=1e-9)
    expected = arm * below(*spherical_angles(tilt, turning, length, times))
    np.testing.assert_allclose(result["bob"].position, expected, rtol=0.0, atol=1e-8)
    assert result.energy.drift < 1e-9


def double_pendulum(dim: int, axes: np.ndarray) -> cm.System:
    """Two rods; in space their plane is that of the first two columns of ``axes``."""

    def put(x: float, y: float) -> Any:
        return (x, y) if dim == 2 else axes @ (x, y, 0.0)

    turned = {} if dim == 2 else {"orientation": axes}
    inertias: list[Any] = [0.1, 0.2] if dim == 2 else [(0.05, 0.08, 0.1), (0.1, 0.15, 0.2)]
    system = cm.System(dim=dim, gravity=put(0.0, -GRAVITY))
    upper = system.add(cm.Body("upper", 1.0, inertias[0], position=put(0.5, 0.0), **turned))
    lower = system.add(cm.Body("lower", 2.0, inertias[1], position=put(1.0, -0.5), **turned))
    about = {} if dim == 2 else {"axis": axes[:, 2]}
    system.add(cm.Revolute(system.ground, upper, at=put(0.0, 0.0), name="shoulder", **about))
    elbow = system.add(cm.Revolute(upper, lower, at=put(1.0, 0.0), name="elbow", **about))
    system.add(cm.RotationalSpringDamper(stiffness=1.5, damping=0.1, free_angle=0.4, joint=elbow, name="spring"))
    return system


def test_a_double_pendulum_moves_in_space_as_in_the_plane():
    """In a plane that is askew: motion, angles, reactions, spring and energies are the same."""
    axes = cm.Body("axes", 1.0, orientation=(0.5, -0.3, 0.7, 0.2)).rotation
    times = np.linspace(0.0, 3.0, 61)
    flat, space = (cm.simulate(double_pendulum(dim, axes), 3.0, output=times, **TIGHT) for dim in (2, 3))
    at = [np.searchsorted(result.t, times[1:-1]) for result in (flat, space)]
    for body in ("upper", "lower"):
        in_plane = np.column_stack([flat[body].position, 0.0 * flat.t])[at[0]]
        np.testing.assert_allclose(space[body].position[at[1]] @ axes, in_plane, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(space[body].wz[at[1]], flat[body].omega[at[0]], rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(space[body].wx, 0.0, atol=1e-10)
    for joint in ("shoulder", "elbow"):
        one, other = flat[joint], space[joint]
        np.testing.assert_allclose(other.angle[at[1]], one.angle[at[0]], rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(other.angle_rate[at[1]], one.angle_rate[at[0]], rtol=0.0, atol=1e-8)
        forces = np.column_stack([other.fx, other.fy, other.fz]) @ axes
        np.testing.assert_allclose(forces[at[1], 0], one.fx[at[0]], rtol=0.0, atol=1e-7)
        np.testing.assert_allclose(forces[at[1], 1], one.fy[at[0]], rtol=0.0, atol=1e-7)
        np.testing.assert_allclose(forces[:, 2], 0.0, atol=1e-9)
        np.testing.assert_allclose([other.tx, other.ty, other.tz], 0.0, atol=1e-9)
    np.testing.assert_allclose(space["spring"].torque[at[1]], flat["spring"].torque[at[0]], rtol=0.0, atol=1e-8)
    for name in ("kinetic", "potential", "dissipated"):
        one, other = (getattr(result.energy, name) for result in (flat, space))
        np.testing.assert_allclose(other[at[1]] - other[0], one[at[0]] - one[0], rtol=0.0, atol=1e-8)


def test_a_pendulum_over_the_top_counts_its_turns():
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))
    speed = 15.0
    rod = cm.Body("rod", 1.0, (0.1, 0.1, 0.01), (0.0, 0.0, -0.5), angular_velocity=(0.0, -speed, 0.0))
    rod.velocity = (0.5 * speed, 0.0, 0.0)
    system.add(rod)
    system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0, 0.0), axis=(0.0, -1.0, 0.0), name="pivot"))

    def rates(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -0.5 * GRAVITY * math.sin(y[0]) / (0.1 + 0.25)]

    expected = solve_ivp(rates, (0.0, 5.0), [0.0, speed], "DOP853", rtol=1e-12, atol=1e-12).y[0, -1]
    assert expected > 20.0 * math.pi
    coarse = cm.simulate(system, 5.0, output=[5.0], **TIGHT)
    for result in (cm.simulate(system, 5.0, **TIGHT), coarse):
        assert result["pivot"].angle[-1] == pytest.approx(expected, abs=2e-8)
    assert np.all(np.diff(cm.simulate(system, 5.0)["pivot"].angle) > 0.0)
