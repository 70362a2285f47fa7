"""A straight piece, or a capsule, and a cylinder: solid, or a thin shell."""

from __future__ import annotations

from typing import Any

from carom.geometry.pairs.ball import some_radius
from carom.geometry.pairs.base import Pair
from carom.geometry.pairs.rod import CYLINDER, SHELL, rod, rod_numbers
from carom.geometry.rotation import frame_along


def numbers(a: Any, b: Any) -> tuple[float, ...]:
    shape = SHELL if b.inside else CYLINDER
    return rod_numbers(a, shape, b.at, frame_along(b.axis), (b.radius, b.half_length), b)


SEGMENT_CYLINDER = Pair(rod, numbers, meet=some_radius, spots=3)
