"""A thousand spheres that fall into a box."""

from __future__ import annotations

import math

import numpy as np

from carom.errors import whole
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift
from carom.gallery.figures.box_of_spheres import drawings
from carom.geometry.shapes import Plane, Sphere
from carom.laws.friction.coulomb import Coulomb
from carom.laws.normal.flores import Flores
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result

RADIUS, DENSITY, GRAVITY = 0.01, 2500.0, 9.81
STIFFNESS, RESTITUTION, FRICTION = 1e6, 0.5, 0.3
SPACING, JITTER = 2.5, 0.2
"""Of the lattice on which they start, and how far from it they are at most, in radii."""
MOST = 1_000_000
"""Balls."""
LOOSEST, DENSEST = 0.50, 0.66
"""Packing of spheres poured into a box: random close packing is 0.64."""


@check_parameters
def box_of_spheres(balls: int = 1000, seed: int = 1) -> Case:
    """A box of spheres that fall and come to rest.

    Glass spheres of 10 mm radius start on a lattice that is jittered at random (``seed``), twice as high as the box is
    wide, and collapse. They rub on each other and on the floor; the walls are smooth, so that the floor carries the
    whole weight in the end. ``balls`` may be 10 000.
    """
    balls, seed = whole("box_of_spheres", "balls", balls, 64, MOST), whole("box_of_spheres", "seed", seed, 0, 2**32 - 1)
    places, side = lattice(balls, seed)
    mass = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
    inertia = (0.4 * mass * RADIUS**2,) * 3
    system = System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="box of spheres")
    bodies = [system.add(Body(f"ball {k}", mass, inertia, position=place)) for k, place in enumerate(places)]
    shapes = [Sphere(body, RADIUS) for body in bodies]
    ground, law, friction = system.ground, Flores(STIFFNESS, RESTITUTION), Coulomb(FRICTION)
    walls = [
        Plane(ground, normal=(1.0, 0.0, 0.0)),
        Plane(ground, at=(side, 0.0, 0.0), normal=(-1.0, 0.0, 0.0)),
        Plane(ground, normal=(0.0, 1.0, 0.0)),
        Plane(ground, at=(0.0, side, 0.0), normal=(0.0, -1.0, 0.0)),
    ]
    system.add_contacts(shapes, law=law, friction=friction, name="grains")
    for name, against, rough in (("walls", walls, None), ("floor", [Plane(ground)], friction)):
        system.add_contacts(shapes, against, law, rough, name=name, each_other=False)
    height = float(places[:, 2].max())

    def check_results(result: Result) -> list[CheckResult]:
        weight = balls * mass * GRAVITY
        late = result.t > 0.9 * result.t[-1]
        carried = float(np.mean(result["floor"].normal_force[late]))
        rise = float(np.diff(result.energy.total).max(initial=0.0)) / float(result.energy.scale)
        place = result.q.reshape(len(result.t), balls, 7)[:, :, :3]
        outside = max(float(-place.min()), float((place[:, :, :2] - side).max())) + RADIUS
        top = 2.0 * float(place[-1, :, 2].mean())  # of a pile of even density
        packing = balls * mass / DENSITY / (side**2 * top)
        moving = result.v.reshape(len(result.t), balls, 6)[late, :, :3]
        speed = math.sqrt(float(np.mean(np.sum(moving**2, axis=2))))
        return [
            energy_drift(result, 8e-4),
            CheckResult("energy that rises, of all that moved", rise, 1e-4),
            CheckResult("weight on the floor, relative", abs(carried / weight - 1.0), 0.02),
            CheckResult("way through a wall, in radii", outside / RADIUS, 0.15),
            CheckResult("packing", abs(packing - 0.5 * (LOOSEST + DENSEST)), 0.5 * (DENSEST - LOOSEST)),
            CheckResult("speed at the end, of that of the fall", speed / math.sqrt(2.0 * GRAVITY * height), 0.01),
        ]

    return Case(
        box_of_spheres,
        system=system,
        options={"t_end": round(3.5 * math.sqrt(2.0 * height / GRAVITY), 2)},
        check_results=check_results,
        figure_settings=CaseFigures(
            panels=("floor.normal_force",),
            motion=("grains.contacts", "floor.normal_force", "grains.largest_indentation"),
        ),
        reference="Scene of benchmarks for granular matter; packing: G.D. Scott, Packing of spheres, Nature 188 (1960) "
        "908–909",
        extra_figures=drawings(RADIUS, side),
    )


def lattice(balls: int, seed: int) -> tuple[np.ndarray, float]:
    """Centres of the spheres at the start, and the side of the box."""
    across = max(2, round((balls / 2) ** (1 / 3)))
    spacing = SPACING * RADIUS
    k = np.arange(balls)
    cells = np.stack([k % across, (k // across) % across, k // across**2], axis=1)
    jitter = np.random.default_rng(seed).uniform(-JITTER * RADIUS, JITTER * RADIUS, cells.shape)
    return spacing * (cells + 0.5) + jitter, across * spacing
