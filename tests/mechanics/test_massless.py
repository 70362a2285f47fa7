"""Bodies without mass or without inertia: they pass forces on, and nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from solve.mechanisms import GRAVITY, FourBar, four_bar, pendulum, rod, slider_crank

LINKAGE = FourBar(0.5, 1.5, 1.2, 1.6)


def with_rod(angle: float) -> cm.System:
    """The four-bar with a massless distance in place of its coupler."""
    near, far = LINKAGE.pins(angle)
    system = cm.System(gravity=(0.0, -GRAVITY))
    crank = system.add(rod("crank", (0.0, 0.0), near))
    rocker = system.add(rod("rocker", (LINKAGE.base, 0.0), far))
    system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0), name="A"))
    system.add(cm.Revolute(system.ground, rocker, at=(LINKAGE.base, 0.0), name="D"))
    system.add(cm.Distance(crank.point(0.5 * LINKAGE.crank, 0.0), rocker.point(0.5 * LINKAGE.rocker, 0.0), name="rod"))
    return system


def with_massless_body(angle: float) -> cm.System:
    system = LINKAGE.system(angle)
    system["coupler"].mass = system["coupler"].inertia = 0.0
    return system


def test_massless_coupler_moves_as_a_rod_does():
    body = cm.simulate(with_massless_body(1.0), 3.0, output=0.1)
    distance = cm.simulate(with_rod(1.0), 3.0, output=0.1)
    for name in ("crank", "rocker"):
        np.testing.assert_allclose(body[name].angle, distance[name].angle, atol=1e-8)
        np.testing.assert_allclose(body[name].alpha, distance[name].alpha, atol=1e-6)
    assert body.energy.drift < 1e-9


def test_massless_coupler_carries_a_force_along_itself_only():
    result = cm.simulate(with_massless_body(1.0), 1.0)
    force = np.column_stack([result["B"].fx, result["B"].fy])  # on the coupler
    opposite = np.column_stack([result["C"].fx, result["C"].fy])  # on the rocker, from the coupler
    along = np.column_stack([np.cos(result["coupler"].angle), np.sin(result["coupler"].angle)])
    across = force[:, 0] * along[:, 1] - force[:, 1] * along[:, 0]
    size = np.abs(force).max()
    np.testing.assert_allclose(across, 0.0, atol=1e-9 * size)
    np.testing.assert_allclose(force, opposite, atol=1e-9 * size)
    rods = cm.simulate(with_rod(1.0), 1.0, rtol=1e-10, atol=1e-12).sample(result.t)
    pull = np.column_stack([rods["rod"].fx, rods["rod"].fy])
    np.testing.assert_allclose(opposite, pull, atol=1e-4 * size)  # signals are interpolated by cubics


def test_massless_connecting_rod_leaves_the_known_equation():
    """Crank and slider with nothing between them: J θ'²/2 + m ẋ²/2 + m_c g y_c stays, and x follows from θ."""
    system = slider_crank(0.15, 0.4, angle=1.0)
    system["rod"].mass = system["rod"].inertia = 0.0
    result = cm.simulate(system, 2.0)
    crank, slider = result["crank"], result["slider"]
    inertia = system["crank"].inertia + 2.0 * 0.075**2
    energy = 0.5 * inertia * crank.omega**2 + 0.5 * 5.0 * slider.vx**2 + 2.0 * GRAVITY * 0.075 * np.sin(crank.angle)
    np.testing.assert_allclose(energy, energy[0], atol=1e-8)
    root = np.sqrt(0.4**2 - (0.15 * np.sin(crank.angle)) ** 2)
    np.testing.assert_allclose(slider.x, 0.15 * np.cos(crank.angle) + root, atol=1e-12)
    assert np.ptp(crank.angle) > 1.0


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e7])
def test_units_do_not_matter_to_a_mechanism_with_a_massless_coupler(scale, mass):
    """Size and mass change nothing but the unit of time, √(L/g)."""
    points = [scale * np.asarray(p) for p in ((0.0, 0.0), *LINKAGE.pins(1.0), (LINKAGE.base, 0.0))]
    system = four_bar(*points)
    for body in system.bodies:
        factor = 0.0 if body.name == "coupler" else mass
        body.mass, body.inertia = factor * body.mass, factor * body.inertia
    result = cm.simulate(system, math.sqrt(scale), atol=1e-10 * min(scale, 1.0))
    reference = cm.simulate(with_rod(1.0), 1.0)
    assert result.outcome.ok, result.message
    assert result["crank"].angle[-1] == pytest.approx(reference["crank"].angle[-1], abs=1e-7)


def test_heavy_driven_mechanism_with_a_massless_coupler_is_not_called_locked():
    """A press of 100 t: kinematics does not depend on mass."""
    system = with_massless_body(1.0)
    for name in ("crank", "rocker"):
        system[name].mass, system[name].inertia = 1e5, 1e6
    system.add(cm.Driver((system["crank"], "angle"), cm.ConstantSpeed(1.0)))
    result = cm.kinematics(system, 1.0, points=21)
    assert result.outcome.ok, result.message
    np.testing.assert_allclose(result["rocker"].angle, LINKAGE.angles(1.0 + result.t)[1], atol=1e-10)


def test_augmented_lagrangian_of_a_heavy_mechanism_with_a_massless_coupler():
    def run(mass, constraints):
        system = with_massless_body(1.0)
        for name in ("crank", "rocker"):
            system[name].mass, system[name].inertia = mass * system[name].mass, mass * system[name].inertia
        return cm.simulate(system, 1.0, constraints=constraints)["crank"].angle[-1]

    assert run(1e5, "augmented") == pytest.approx(run(1.0, "projection"), abs=1e-7)


# ---- point masses


def test_point_mass_on_a_distance_swings_as_a_pendulum():
    """Its own angle is nobody's business: it keeps the speed it has."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    bob = system.add(cm.Body("bob", 2.0, position=(1.0, 0.0), angular_velocity=3.0))
    system.add(cm.Distance(system.ground, bob))
    result = cm.simulate(system, 2.0, output=0.1)
    exact = cm.simulate(pendulum(mass=2.0, inertia=0.0), 2.0, output=0.1)
    np.testing.assert_allclose(result["bob"].position, exact["bob"].position, atol=1e-8)
    np.testing.assert_allclose(result["bob"].angle, 3.0 * result.t, atol=1e-12)
    np.testing.assert_allclose(result["bob"].omega, 3.0, rtol=1e-15)


def test_spin_of_a_point_mass_has_no_energy():
    system = cm.System()
    system.add(cm.Body("grain", 2.0, inertia=0.0, velocity=(1.5, 0.0), angular_velocity=3.0))
    result = cm.simulate(system, 1.0)
    np.testing.assert_allclose(result.energy.kinetic, 0.5 * 2.0 * 1.5**2, rtol=1e-14)


def test_point_mass_pinned_at_its_centre_adds_mass_and_no_inertia():
    """Rod of 1 kg with a point mass of 2 kg at its end: (1/3 + 2) θ'' = −(1/2 + 2) g cos θ."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    arm = system.add(rod("arm", (0.0, 0.0), (1.0, 0.0)))
    tip = system.add(cm.Body("tip", 2.0, inertia=0.0, position=(1.0, 0.0)))
    system.add(cm.Revolute(system.ground, arm, at=(0.0, 0.0)))
    system.add(cm.Revolute(arm, tip, at=(1.0, 0.0)))
    result = cm.simulate(system, 1.0)
    expected = -2.5 * GRAVITY * np.cos(result["arm"].angle) / (7.0 / 3.0)
    np.testing.assert_allclose(result["arm"].alpha, expected, atol=1e-9)
    np.testing.assert_array_equal(result["tip"].angle, 0.0)


@pytest.mark.parametrize("element", ["spring", "ligament", "force", "line", "curve"])
def test_point_mass_may_be_held_at_its_centre_by_any_element_without_torque(element):
    system = cm.System(gravity=(0.0, -GRAVITY))
    bead = system.add(cm.Body("bead", 1.0, position=(1.0, 0.0)))
    ground = system.ground
    if element == "spring":
        system.add(cm.SpringDamper(ground, bead, 50.0))
    elif element == "ligament":
        system.add(cm.Ligament(ground, bead, 50.0))
    elif element == "force":
        system.add(cm.PointForce(bead, (1.0, 2.0)))
    elif element == "line":
        system.add(cm.PointOnLine(ground, bead, axis=(1.0, -1.0)))
    else:
        system.add(cm.PointOnCurve(ground, bead, [(0.0, 1.0), (1.0, 0.0), (3.0, 1.0)]))
    result = cm.simulate(system, 0.3)
    assert result.outcome.ok, result.message
    assert result.energy.drift < 1e-7
    np.testing.assert_array_equal(result["bead"].angle, 0.0)


def test_point_mass_may_be_led_along_a_path_by_its_centre():
    """A pivot without inertia, shaken along x and held in y, with a pendulum on it."""
    system = cm.System(gravity=(0.0, -GRAVITY))
    pivot = system.add(cm.Body("pivot", 1.0))
    bob = system.add(cm.Body("bob", 1.0, position=(0.0, -1.0)))
    system.add(cm.Driver((pivot, "x"), cm.SineMotion(0.1, 1.0)))
    system.add(cm.Driver((pivot, "y"), cm.ConstantSpeed(0.0)))
    system.add(cm.Distance(pivot, bob))
    result = cm.simulate(system.assemble(), 1.0)
    assert result.outcome.ok, result.message
    np.testing.assert_allclose(result["pivot"].x, 0.1 * np.sin(2.0 * math.pi * result.t), atol=1e-12)


def test_point_mass_held_off_its_centre_is_turned_by_its_joint():
    """A bob of no inertia of its own, pinned 1 m from its centre: the mathematical pendulum."""
    result = cm.simulate(pendulum(0.0, mass=3.0, inertia=0.0), 1.0)
    np.testing.assert_allclose(result["bob"].alpha, -GRAVITY * np.cos(result["bob"].angle), atol=1e-10)


@pytest.mark.parametrize("pinned", [False, True])
def test_massless_body_that_nothing_determines_is_refused_by_name(pinned):
    system = cm.System(gravity=(0.0, -GRAVITY))
    system.add(cm.Body("stone", 1.0, 1.0))
    ghost = system.add(cm.Body("ghost", 0.0, position=(1.0, 0.0)))
    if pinned:
        system.add(cm.Revolute(system.ground, ghost, at=(0.0, 0.0)))
    with pytest.raises(cm.ModelError, match="'ghost'"):
        cm.simulate(system, 1.0)
