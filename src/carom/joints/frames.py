"""Markers of joints in space: where a joint holds its two bodies, and along which axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.errors import ModelError, direction
from carom.geometry.marker import Marker, meet, place
from carom.geometry.rotation import frame_along


def with_axis(owner: str, first: Marker, second: Marker, a: Any, b: Any, axis: Any, what: str = "axis") -> Any:
    """The two markers with their z-axes along ``axis`` (global axes, present pose) and their x-axes together.

    Without one the markers that were given for ``a`` and ``b`` keep their own axes, and a body's marker takes those of
    the other; None where neither was given.
    """
    if axis is not None:
        frame = frame_along(direction(owner, what, axis, 3))
    elif isinstance(a, Marker) and isinstance(b, Marker):
        return first, second
    elif isinstance(a, Marker) or isinstance(b, Marker):
        frame = (first if isinstance(a, Marker) else second).frame
    else:
        return None
    return place(owner, first, None, frame), place(owner, second, None, frame)


def hinge_markers(owner: str, a: Any, b: Any, at: Any, axis: Any) -> tuple[Marker, Marker]:
    """Markers that coincide now, at ``at``; without an axis or a marker, it is the global z-axis."""
    first, second = meet(owner, a, b, at)
    found = with_axis(owner, first, second, a, b, axis)
    return found or with_axis(owner, first, second, a, b, (0.0, 0.0, 1.0))


def line_markers(owner: str, a: Any, b: Any, axis: Any, at: Any, what: str = "axis") -> tuple[Marker, Marker]:
    """Markers on a line through ``at`` (the present place of ``b`` when None) along ``axis``."""
    if at is None:
        at = place(owner, b).position
    found = with_axis(owner, place(owner, a, at), place(owner, b, at), a, b, axis, what)
    if found is None:
        raise ModelError(f"{owner}: give {what}=(x, y, z), a direction in global axes, or a marker on a body")
    return found


def fixed_markers(owner: str, a: Any, b: Any, at: Any) -> tuple[Marker, Marker]:
    """Markers that coincide now, axes included, unless both were given."""
    first, second = meet(owner, a, b, b if at is None else at)
    frame = np.eye(3)
    return with_axis(owner, first, second, a, b, None) or (
        place(owner, first, None, frame),
        place(owner, second, None, frame),
    )


def spatial_only(owner: str, marker: Marker, instead: str) -> None:
    """Refuse planar bodies."""
    if not marker.spatial:
        raise ModelError(f"{owner}: is for spatial bodies, in a System(dim=3); in the plane use {instead}")
