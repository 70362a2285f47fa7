"""Poses: where a body is and how it is turned, as the kernels of pairs read it (see `carom.geometry.pairs.base`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np


def pose(position: Sequence[float], angle: float) -> np.ndarray:
    """The pose of a body at ``position`` (z = 0 where only x and y are given), turned by ``angle`` [rad] about z."""
    x, y, z = (*position, 0.0)[:3]
    c, s = math.cos(angle), math.sin(angle)
    return np.array([x, y, z, c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0])


def pose_of(body: Any) -> np.ndarray:
    """The present pose of ``body``."""
    return pose(body.position, body.angle)
