"""Periodic directions of a many-body run: periods, and checks of the shapes."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from carom.errors import ModelError
from carom.geometry.shapes import Shape
from carom.geometry.shapes.registry import Plane
from carom.model.body import Body
from carom.model.contact_group import ContactGroup
from carom.model.system import AXES, System

PARALLEL = 1e-9
"""Component of the normal of a plane along a periodic direction up to which the plane is parallel to it [-]."""


class PeriodicDomain:
    """Periodic directions: lower bounds ``low`` and lengths ``period`` [m] of the domain, 0 in other directions."""

    def __init__(self, system: System):
        self.low, self.period = np.zeros(3), np.zeros(3)
        for axis, (low, high) in system.periodic.items():
            self.low[AXES.index(axis)], self.period[AXES.index(axis)] = low, high - low

    def images(self, positions: np.ndarray) -> np.ndarray:
        """Return the number of periods between positions (n × 3) [m] and the domain, as integers."""
        images = np.zeros(positions.shape, np.int64)
        axes = self.period > 0.0
        images[:, axes] = np.floor((positions[:, axes] - self.low[axes]) / self.period[axes])
        return images


def check_periodic(system: System, groups: Iterable[ContactGroup], held: Iterable[Body], skin: float) -> None:
    """Raise if shapes of the groups are too large for the periods, or do not continue across the boundaries.

    ``held`` are the bodies of the mechanism, ``skin`` is the gap up to which pairs are in the neighbour list [m].
    """
    if not system.periodic:
        return
    fixed = {id(system.ground), *(id(body) for body in held)}
    shapes = [shape for group in groups for shape in group.all_shapes]
    largest = max((reach(shape) for shape in shapes if id(shape.body) not in fixed), default=0.0)
    for axis, (low, high) in system.periodic.items():
        for shape in shapes:
            if id(shape.body) in fixed:
                check_parallel(system, shape, axis)
        least = 2.0 * (2.0 * largest + skin)
        if high - low < least:
            raise ModelError(
                f"System {system.name!r}: the period along {axis} must be at least {least:.6g} m, twice the largest "
                f"shape and the skin of the neighbour list, got {high - low:.6g} m; increase it"
            )


def check_parallel(system: System, shape: Shape, axis: str) -> None:
    """Raise unless a shape of the ground or of a mechanism is a plane parallel to a periodic direction."""
    owner = (
        "the ground" if shape.body is system.ground else f"body {shape.body.name!r}, on which a joint or force acts,"
    )
    what = f"System {system.name!r}: {shape.label} of {owner} must be a plane parallel to the periodic direction {axis}"
    if not isinstance(shape, Plane):
        raise ModelError(f"{what}, got a {shape.kind}; use planes, or bodies without joints")
    normal = np.array(shape.normal)
    if shape.body is not system.ground:
        normal = shape.body.rotation @ normal if system.dim == 3 else rotated(shape.body.angle, normal)
    component = float(normal[AXES.index(axis)])
    if abs(component) > PARALLEL:
        raise ModelError(f"{what}, got the component {component:.3g} of its normal; make this component zero")


def rotated(angle: float, vector: np.ndarray) -> np.ndarray:
    """Return a vector of a planar body in global axes."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1], vector[2]])


def reach(shape: Shape) -> float:
    """Return an upper bound of the distance of a shape's points from the centre of mass of its body [m]."""
    if shape.is_centred_sphere:
        return float(shape.radius)  # type: ignore[attr-defined]
    centre, half_sides = shape.bounding_box()
    return float(np.linalg.norm(np.abs(centre) + half_sides))
