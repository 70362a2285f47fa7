"""Small systems for tests of the many-body engine."""

from __future__ import annotations

import math

import numpy as np

import carom as cm
from carom.model.contact_group import ContactGroup

RADIUS, DENSITY, GRAVITY = 0.01, 2500.0, 9.81
MASS = DENSITY * 4.0 / 3.0 * math.pi * RADIUS**3
INERTIA = 0.4 * MASS * RADIUS**2
STIFFNESS = 1e6


def add_group(system: cm.System, shapes, others=(), law=None, friction=None, name="grains") -> ContactGroup:
    """Add a group that is not divided into single contacts, although it has few pairs."""
    law = cm.laws.HuntCrossley(STIFFNESS, 0.7) if law is None else law
    group = ContactGroup(shapes, others, law, friction, name=name)
    system.groups.append(group)
    return group


def add_sphere(system: cm.System, name: str, position, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), radius=RADIUS):
    """Add a solid glass sphere and return its shape."""
    mass = MASS * (radius / RADIUS) ** 3
    body = cm.Body(name, mass, (0.4 * mass * radius**2,) * 3, position, velocity=velocity, angular_velocity=spin)
    return cm.Sphere(system.add(body), radius)


def box_walls(system: cm.System, side: float) -> list[cm.Plane]:
    """Return floor and four walls of a box from 0 to ``side`` [m]."""
    ground = system.ground
    return [
        cm.Plane(ground),
        cm.Plane(ground, normal=(1.0, 0.0, 0.0)),
        cm.Plane(ground, at=(side, 0.0, 0.0), normal=(-1.0, 0.0, 0.0)),
        cm.Plane(ground, normal=(0.0, 1.0, 0.0)),
        cm.Plane(ground, at=(0.0, side, 0.0), normal=(0.0, -1.0, 0.0)),
    ]


def lattice(count: int, seed: int = 1) -> tuple[np.ndarray, float]:
    """Return centres of spheres on a randomly disturbed lattice in a box, and the side of the box [m]."""
    n_side = max(2, round((count / 2) ** (1 / 3)))
    spacing = 2.5 * RADIUS
    k = np.arange(count)
    cells = np.stack([k % n_side, (k // n_side) % n_side, k // n_side**2], axis=1)
    jitter = np.random.default_rng(seed).uniform(-0.2 * RADIUS, 0.2 * RADIUS, cells.shape)
    return cells * spacing + 0.5 * spacing + jitter, n_side * spacing


def box_of_spheres(count: int, law=None, friction=None, sizes=None, seed: int = 1) -> cm.System:
    """Return a system of spheres that fall into a box; ``sizes`` are their radii [m]."""
    centres, side = lattice(count, seed)
    system = cm.System(dim=3, gravity=(0.0, 0.0, -GRAVITY), name="box of spheres")
    radii = np.full(count, RADIUS) if sizes is None else sizes
    spheres = [add_sphere(system, f"ball {k}", centres[k], radius=radii[k]) for k in range(count)]
    friction = cm.friction.Coulomb(0.3) if friction is None else friction
    add_group(system, spheres, box_walls(system, side), law, friction)
    return system
