"""A straight piece, or a capsule, and a thin triangle."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.geometry.pairs.ball import some_radius
from carom.geometry.pairs.base import Pair
from carom.geometry.pairs.rod import TRIANGLE, rod, rod_numbers
from carom.geometry.rotation import frame_along


def numbers(a: Any, b: Any) -> tuple[float, ...]:
    side = np.subtract(b.b, b.a)
    axes = frame_along(b.normal, side)
    across = axes.T @ np.subtract(b.c, b.a)
    sizes = (float(np.linalg.norm(side)), float(across[0]), float(across[1]))
    return rod_numbers(a, TRIANGLE, b.a, axes, sizes, b)


SEGMENT_TRIANGLE = Pair(rod, numbers, meet=some_radius, spots=3)
