"""Scenes of many rigid bodies: rolling, a cube of spheres, a hopper with a flap, a door, both kinds of contact."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest

import carom as cm

GRAVITY = 9.81
RADIUS, MASS = 0.01, 0.01


def add_spheres(system: cm.System, places, radius: float = RADIUS, mass: float = MASS) -> list[cm.Sphere]:
    """Add homogeneous spheres "s0", "s1", …."""
    inertia = (0.4 * mass * radius**2,) * 3
    bodies = [cm.Body(f"s{k}", mass, inertia, tuple(place)) for k, place in enumerate(places)]
    return [cm.Sphere(system.add(body), radius) for body in bodies]


def spatial_system() -> cm.System:
    return cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY))


@pytest.mark.parametrize("friction", [0.8, 0.2], ids=["rolls", "slides"])
def test_spheres_that_a_force_pushes_roll_or_slide(friction):
    """SimBenchmark, rolling: with F/m < 3.5 μ g a sphere rolls with 5/7 F/m; else it slides with F/m − μ g."""
    radius, mass, force = 0.5, 10.0, 150.0
    system = spatial_system()
    places = [(2.0 * i, 2.0 * j, radius) for i, j in itertools.product(range(5), repeat=2)]
    spheres = add_spheres(system, places, radius, mass)
    for sphere in spheres:
        system.add(cm.PointForce(sphere.body, (0.6 * force, 0.8 * force, 0.0)))
    system.add_contacts(spheres, [cm.Plane(system.ground)], impact=cm.ImpactLaw(0.0, friction), name="floor")
    result = cm.simulate(system, 1.0, method="nonsmooth", step=1e-2, output=0.1)
    rolls = force / mass < 3.5 * friction * GRAVITY
    speed = 5.0 / 7.0 * force / mass if rolls else force / mass - friction * GRAVITY
    for body in system.bodies:
        assert result[body].velocity[-1] == pytest.approx((0.6 * speed, 0.8 * speed, 0.0), rel=1e-9, abs=1e-9)


def test_cube_of_spheres_falls_without_sideways_momentum():
    """SimBenchmark, 666: contacts between spheres cannot move their centre sideways, those with the floor do not."""
    radius = 0.5
    system = spatial_system()
    places = [(i, j, 1.0 + k) for i, j, k in itertools.product(range(6), repeat=3)]
    spheres = add_spheres(system, places, radius, 1.0)
    system.add_contacts(spheres, [cm.Plane(system.ground)], impact=cm.ImpactLaw(0.0, 0.8), name="grains")
    result = cm.simulate(system, 1.0, method="nonsmooth", step=2e-3, output=0.1)
    momentum = np.sum([result[body].velocity for body in system.bodies], axis=0)
    impact = 216.0 * math.sqrt(2.0 * GRAVITY * 0.5)
    assert np.abs(momentum[:, :2]).max() < 1e-9 * impact
    # The cube stands: its kinetic energy is lost at the floor, which carries its weight.
    assert result.energy.kinetic[-1] < 1e-9 * result.energy.kinetic.max()
    assert result["contacts on ground"].fz[-1] == pytest.approx(-216.0 * GRAVITY, rel=1e-6)
    assert result.energy.drift < 1e-10


def test_spheres_open_the_flap_of_a_hopper():
    system = spatial_system()
    flap = system.add(cm.Body("flap", 0.05, (4e-5, 4e-5, 8e-5), (0.0, 0.0, -0.005)))
    system.add(cm.Revolute(system.ground, flap, at=(-0.055, 0.0, -0.005), axis=(0.0, 1.0, 0.0), name="hinge"))
    grid = itertools.product((-0.033, -0.011, 0.011, 0.033), (-0.033, -0.011, 0.011, 0.033), range(4))
    spheres = add_spheres(system, [(x, y, 0.011 + 0.021 * k) for x, y, k in grid])
    sides = [((-0.05, 0.0, 0.0), (1.0, 0.0, 0.0)), ((0.05, 0.0, 0.0), (-1.0, 0.0, 0.0)),
             ((0.0, -0.05, 0.0), (0.0, 1.0, 0.0)), ((0.0, 0.05, 0.0), (0.0, -1.0, 0.0))]  # fmt: skip
    walls = [cm.Plane(system.ground, at, normal) for at, normal in sides]
    system.add_contacts(
        spheres, [*walls, cm.Box(flap, (0.05, 0.05, 0.005))], impact=cm.ImpactLaw(0.1, 0.3), name="grains"
    )
    result = cm.simulate(system, 0.3, method="nonsmooth", step=5e-4, output=0.02)
    arm = result["flap"].position - (-0.055, 0.0, -0.005)
    assert np.linalg.norm(arm, axis=1) == pytest.approx(0.055, rel=1e-9)
    assert np.abs(arm[:, 1]).max() < 1e-9
    assert max(result[sphere.body].z[-1] for sphere in spheres) < 0.0  # all spheres left
    assert result.energy.drift < 1e-3
    # The work of the spheres on the flap opens it; without them it would swing as a pendulum.
    assert result["flap"].z.min() < -0.05


def test_redundant_hinges_move_as_one():
    """A door that spheres strike turns with the same speed on one hinge and on two, which have five rows too many."""

    def turned(heights: tuple[float, ...]) -> cm.Result:
        system = spatial_system()
        door = system.add(cm.Body("door", 1.0, (1e-2, 1e-2, 1e-2), (0.2, 0.0, 0.0)))
        for height in heights:
            system.add(cm.Revolute(system.ground, door, at=(0.0, 0.0, height), axis=(0.0, 0.0, 1.0), name=f"{height}"))
        spheres = add_spheres(system, [(0.3, -0.05 - 0.03 * k, 0.02 * (k % 2)) for k in range(40)])
        for sphere in spheres:
            sphere.body.velocity = (0.0, 1.0, 0.0)
        system.add_contacts(spheres, [cm.Box(door, (0.2, 0.01, 0.2))], impact=cm.ImpactLaw(0.5, 0.2), name="grains")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*redundant.*")
            return cm.simulate(system, 0.2, method="nonsmooth", step=1e-3, output=0.05)

    one, two = turned((0.0,)), turned((-0.2, 0.2))
    assert abs(one["door"].omega[-1, 2]) > 0.1
    assert two["door"].omega[-1] == pytest.approx(one["door"].omega[-1], abs=1e-6)
    assert two["s0"].position == pytest.approx(one["s0"].position, abs=1e-6)


def test_both_physics_settle_discs_alike():
    """Discs in a planar box: the floor carries their weight, and they fill 75 to 91 % (hexagonal) of the pile."""
    for method, options in (("nonsmooth", {"step": 1e-3}), ("compliant", {})):
        system = cm.System(gravity=(0.0, -GRAVITY))
        places = [(0.023 * i + 1e-3 * math.sin(7.0 * i + 3.0 * k), 0.012 + 0.023 * k)
                  for i, k in itertools.product(range(8), range(6))]  # fmt: skip
        discs = [
            cm.Sphere(system.add(cm.Body(f"d{n}", 0.1, 0.05 * RADIUS**2, place)), RADIUS)
            for n, place in enumerate(places)
        ]
        sides = [((0.0, 0.0), (0.0, 1.0)), ((-0.012, 0.0), (1.0, 0.0)), ((0.175, 0.0), (-1.0, 0.0))]
        walls = [cm.Plane(system.ground, at, normal) for at, normal in sides]
        system.add_contacts(
            discs, walls, impact=cm.ImpactLaw(0.2, 0.3), law=cm.laws.ExactRestitution(2e5, 0.2),
            friction=cm.friction.Coulomb(0.3), name="grains",
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*projection put.*")
            result = cm.simulate(system, 1.0, method=method, output=0.05, **options)
        weight = 48 * 0.1 * GRAVITY
        assert result["contacts on ground"].fy[-1] == pytest.approx(-weight, rel=2e-2)
        height = 2.0 * np.mean([result[body].y[-1] for body in system.bodies])
        assert 0.75 < 48 * math.pi * RADIUS**2 / (0.187 * height) < 0.91
