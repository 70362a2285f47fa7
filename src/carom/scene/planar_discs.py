"""Discs of planar scenes with many bodies: drawn as copies of one mesh, not as parts of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from carom.geometry.drawing import DrawnShape
from carom.result.drawing_data import DrawingData
from carom.result.result import Result
from carom.scene.scene import SphereGroup

MANY_DISCS = 300
"""Number of discs beyond which they are drawn as copies of one mesh."""


def separate_discs(data: DrawingData | None, most: int = MANY_DISCS) -> tuple[DrawingData | None, list[DrawnShape]]:
    """Return drawing data without its solid discs, and the discs; no discs if there are at most ``most``."""
    if data is None:
        return data, []
    discs = [shape for shape in data.shapes if is_solid_disc(shape)]
    if len(discs) <= most:
        return data, []
    separate = {id(shape) for shape in discs}
    return replace(data, shapes=tuple(shape for shape in data.shapes if id(shape) not in separate)), discs


def is_solid_disc(shape: DrawnShape) -> bool:
    """Return True for an opaque circle that is solid inside."""
    return shape.kind == "Sphere" and not shape.inside and shape.radius > 0.0 and shape.opacity in (None, 1.0)


def disc_group(discs: Sequence[DrawnShape], bodies: Sequence[str], colours: dict[str, str], ground: int) -> SphereGroup:
    """Return discs as spheres about the plane; ``bodies`` are the names of all bodies, ``ground`` is its index."""
    index = {name: k for k, name in enumerate(bodies)}
    return SphereGroup(
        np.array([index.get(disc.body, ground) for disc in discs], np.int32),
        np.array([[*disc.at[:2], 0.0] for disc in discs], float),
        np.array([disc.radius for disc in discs], float),
        tuple(disc.colour or colours.get(disc.body, "") for disc in discs),
    )


def extent_of(result: Result, group: SphereGroup) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower left and upper right corner of the discs on bodies at all nodes of a result [m]."""
    moving = group.bodies >= 0
    centres = result.q.reshape(len(result.t), -1, 3)[:, group.bodies[moving], :2]
    reach = group.radii[moving] + np.hypot(*group.centres[moving, :2].T)
    low, high = centres - reach[:, None], centres + reach[:, None]
    return low.min(axis=(0, 1)), high.max(axis=(0, 1))
