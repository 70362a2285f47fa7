"""Detection of values that are probably not in metres, kilograms, seconds and radians."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from carom.geometry.shapes import Shape
from carom.model.body import Body
from carom.model.system import System

MAX_DENSITY = 1e5
"""Density above that of any metal, for a body as large as the whole system [kg/m³]."""
MIN_DENSITY = 1e-2
"""Density of a hundredth of that of air, for a solid sphere [kg/m³]."""
MAX_GYRATION = 100.0
"""Ratio of a radius of gyration to the size of the system above which an inertia has the wrong unit [-]."""
MAX_GRAVITY = 500.0
"""Gravity of fifty times that of the Earth [m/s²]."""
MIN_DEGREES = 10.0
"""Angle from which an integer is probably in degrees [rad]."""


def slips(system: System) -> list[str]:
    """Return a sentence for each kind of quantity that may have the wrong unit, about the first one found."""
    size = extent(system)
    checks = (_gravity(system), _lengths(system), _masses(system, size), _inertias(system, size), _angles(system))
    return [text for check in checks for text in [next(check, None)] if text is not None]


def extent(system: System) -> float:
    """Return the largest coordinate of a body, or radius of a sphere [m]."""
    coordinates = (abs(float(value)) for body in system.bodies for value in body.position)
    return max([0.0, *coordinates, *(radius for _, radius in _spheres(system))])


def _gravity(system: System) -> Iterator[str]:
    size = math.hypot(*system.gravity)
    if size > MAX_GRAVITY:
        yield (
            f"System {system.name!r}: gravity is {size:.4g} m/s²; the unit of lengths is the metre (gravity of the "
            "Earth: 9.81)"
        )


def _lengths(system: System) -> Iterator[str]:
    for sphere, radius in _spheres(system):
        density = (
            sphere.body.mass / radius / radius / radius / (4.0 / 3.0 * math.pi)
        )  # r³ may leave the range of floats
        if 0.0 < density < MIN_DENSITY:
            yield (
                f"Body {sphere.body.name!r}: with {sphere.body.mass:.3g} kg a sphere of radius {radius:.3g} m is "
                "lighter than air; lengths are in metres, not millimetres"
            )


def _masses(system: System, size: float) -> Iterator[str]:
    largest = max(size, 1.0)
    volume = largest * largest * largest  # ** raises where this is infinite
    for body in system.bodies:
        if body.mass > MAX_DENSITY * volume:
            yield (
                f"Body {body.name!r}: mass {body.mass:.3g} kg is too large for a system of size "
                f"{size:.3g} m; masses are in kilograms, lengths in metres"
            )


def _inertias(system: System, size: float) -> Iterator[str]:
    for body in system.bodies:
        radius = gyration(body)
        if 0.0 < MAX_GYRATION * size < radius:
            yield (
                f"Body {body.name!r}: inertia {np.max(body.inertia):.3g} kg m² with mass {body.mass:.3g} kg has a "
                f"radius of gyration of {radius:.3g} m, in a system of size {size:.3g} m; inertias are in kg m²"
            )


def gyration(body: Body) -> float:
    """Return the largest radius of gyration of a body [m]; 0 without mass."""
    inertia = body.inertia if body.dim == 2 else np.max(body.inertia)
    return math.sqrt(inertia / body.mass) if body.mass > 0.0 else 0.0


def _angles(system: System) -> Iterator[str]:
    for body in system.bodies:
        angle = body.angle if body.dim == 2 else 0.0
        if abs(angle) >= MIN_DEGREES and angle == round(angle):
            yield f"Body {body.name!r}: angle {angle:g} is in radians; use math.radians({angle:g}) for degrees"


def _spheres(system: System) -> Iterator[tuple[Shape, float]]:
    """Yield the solid spheres on bodies that move, with their radii [m]."""
    bodies = {id(body) for body in system.bodies}
    elements: list[Any] = [*system.contacts, *system.groups]
    shapes = chain(system.shapes.values(), *(element.all_shapes for element in elements))
    for shape in shapes:
        radius = shape.solid_sphere_radius
        if radius is not None and id(shape.body) in bodies:
            yield shape, radius
