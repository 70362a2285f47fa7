"""A thousand spheres that fall into a box and come to rest."""

from __future__ import annotations

import math

import numpy as np

from carom.argument_checks import integer
from carom.gallery.case import Case, CaseFigures, CheckResult, check_parameters, energy_drift
from carom.gallery.figures.box_of_spheres import extra_figures
from carom.geometry.shapes import Plane, Sphere
from carom.laws.friction.coulomb import Coulomb
from carom.laws.normal.flores import Flores
from carom.model.body import Body
from carom.model.system import System
from carom.result.result import Result

RADIUS, DENSITY, GRAVITY = 0.01, 2500.0, 9.81
"""Radius [m] and density [kg/m³] of the spheres, gravity [m/s²]."""
STIFFNESS, RESTITUTION, FRICTION = 1e6, 0.5, 0.3
"""Stiffness [N/m^1.5], restitution [-] and friction coefficient [-]."""
SPACING, JITTER = 2.5, 0.2
"""Spacing of the initial lattice and largest random displacement from it, relative to the radius [-]."""
MAX_BALLS = 1_000_000
"""Largest number of spheres."""
MIN_PACKING, MAX_PACKING = 0.50, 0.66
"""Range of the packing fraction of spheres poured into a box [-]; random close packing is 0.64."""


@check_parameters
def box_of_spheres(balls: int = 1000, seed: int = 1) -> Case:
    """A box of spheres that fall and come to rest.

    Glass spheres of 10 mm radius start on a lattice with random displacements (``seed``), twice as high as the box is
    wide, and collapse. Friction acts between them and on the floor; the walls are frictionless, so that the floor
    carries the whole weight in the end. ``balls`` is their number; 10 000 are possible.

    Examples
    --------
    >>> import carom as cm
    >>> cm.gallery.box_of_spheres().system
    <System 'box of spheres': 1000 bodies, 3 groups>
    """
    balls, seed = (
        integer("box_of_spheres", "balls", balls, 64, MAX_BALLS),
        integer("box_of_spheres", "seed", seed, 0, 2**32 - 1),
    )
    centres, side = lattice(balls, seed)
    mass = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
    inertia = (0.4 * mass * RADIUS**2,) * 3
    system = System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="box of spheres")
    bodies = [system.add(Body(f"ball {k}", mass, inertia, position=position)) for k, position in enumerate(centres)]
    shapes = [Sphere(body, RADIUS) for body in bodies]
    ground, law, friction = system.ground, Flores(STIFFNESS, RESTITUTION), Coulomb(FRICTION)
    walls = [
        Plane(ground, normal=(1.0, 0.0, 0.0)),
        Plane(ground, at=(side, 0.0, 0.0), normal=(-1.0, 0.0, 0.0)),
        Plane(ground, normal=(0.0, 1.0, 0.0)),
        Plane(ground, at=(0.0, side, 0.0), normal=(0.0, -1.0, 0.0)),
    ]
    system.add_contacts(shapes, law=law, friction=friction, name="grains")
    for name, planes, plane_friction in (("walls", walls, None), ("floor", [Plane(ground)], friction)):
        system.add_contacts(shapes, planes, law, plane_friction, name=name, self_contact=False)
    height = float(centres[:, 2].max())

    def check_results(result: Result) -> list[CheckResult]:
        weight = balls * mass * GRAVITY
        final_part = result.t > 0.9 * result.t[-1]
        floor_force = float(np.mean(result["floor"].normal_force[final_part]))
        energy_rise = float(np.diff(result.energy.total).max(initial=0.0)) / float(result.energy.scale)
        position = result.q.reshape(len(result.t), balls, 7)[:, :, :3]
        penetration = max(float(-position.min()), float((position[:, :, :2] - side).max())) + RADIUS
        pile_height = 2.0 * float(position[-1, :, 2].mean())  # for a pile of uniform density
        packing = balls * mass / DENSITY / (side**2 * pile_height)
        velocities = result.v.reshape(len(result.t), balls, 6)[final_part, :, :3]
        speed = math.sqrt(float(np.mean(np.sum(velocities**2, axis=2))))
        return [
            energy_drift(result, 8e-4),
            CheckResult("largest rise of the energy, relative", energy_rise, 1e-4),
            CheckResult("weight on the floor, relative", abs(floor_force / weight - 1.0), 0.02),
            CheckResult("penetration of a wall, relative to the radius", penetration / RADIUS, 0.15),
            CheckResult(
                "packing fraction", abs(packing - 0.5 * (MIN_PACKING + MAX_PACKING)), 0.5 * (MAX_PACKING - MIN_PACKING)
            ),
            CheckResult("speed at the end, relative to the fall", speed / math.sqrt(2.0 * GRAVITY * height), 0.01),
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
        extra_figures=extra_figures(RADIUS, side),
    )


def lattice(balls: int, seed: int) -> tuple[np.ndarray, float]:
    """Return the initial centres of the spheres and the side length of the box [m]."""
    n_across = max(2, round((balls / 2) ** (1 / 3)))
    spacing = SPACING * RADIUS
    k = np.arange(balls)
    cells = np.stack([k % n_across, (k // n_across) % n_across, k // n_across**2], axis=1)
    jitter = np.random.default_rng(seed).uniform(-JITTER * RADIUS, JITTER * RADIUS, cells.shape)
    return spacing * (cells + 0.5) + jitter, n_across * spacing
