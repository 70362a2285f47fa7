"""A straight piece, or a capsule, and a thin rectangle: a box without height."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.geometry.pairs.ball import some_radius
from carom.geometry.pairs.base import Pair
from carom.geometry.pairs.rod import RECTANGLE, rod, rod_numbers


def numbers(a: Any, b: Any) -> tuple[float, ...]:
    return rod_numbers(a, RECTANGLE, b.at, np.column_stack([b.axis_u, b.axis_v, b.normal]), (b.half_u, b.half_v), b)


SEGMENT_RECTANGLE = Pair(rod, numbers, meet=some_radius, spots=3)
