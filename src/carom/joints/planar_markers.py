"""Markers of planar joints from ``at`` and ``axis``, and the parameters they give."""

from __future__ import annotations

import math

from carom.errors import ModelError
from carom.geometry.marker import AttachmentLike, Marker, as_marker, axis_angle
from carom.kernels import FLOAT, jit, record
from carom.mechanics.planar_body import rotate
from carom.typing import PointLike, VectorLike

PLANAR_POINTS = record(
    sa_x=FLOAT,  # point of a in its body axes [m]
    sa_y=FLOAT,
    sb_x=FLOAT,  # point of b in its body axes [m]
    sb_y=FLOAT,
)

PLANAR_MARKERS = record(
    " ".join(PLANAR_POINTS),
    angle_offset=FLOAT,  # angle of the marker of b in its body minus that of the marker of a [rad]
    axis_x=FLOAT,  # x-axis of the marker of a in its body axes [-]
    axis_y=FLOAT,
)


@jit
def relative_motion(a, b, params):
    """Return s_a, s_b [m], d = p_b − p_a [m] and ḋ [m/s] of two points in global axes; see `PLANAR_POINTS`."""
    ax, ay = rotate(a, params.sa_x, params.sa_y)
    bx, by = rotate(b, params.sb_x, params.sb_y)
    wa = a.omega
    wb = b.omega
    dx = b.x + bx - a.x - ax
    dy = b.y + by - a.y - ay
    vx = b.vx - wb * by - a.vx + wa * ay
    vy = b.vy + wb * bx - a.vy - wa * ax
    return ax, ay, bx, by, dx, dy, vx, vy


def planar_params(first: Marker, second: Marker, angle_offset: float | None = None) -> tuple[float, ...]:
    """Return the `PLANAR_MARKERS` of two markers; ``angle_offset`` [rad] replaces that between their axes."""
    return PLANAR_MARKERS.pack(**planar_fields(first, second, angle_offset))


def planar_fields(first: Marker, second: Marker, angle_offset: float | None = None) -> dict[str, float]:
    """Return the fields of `PLANAR_MARKERS` of two markers."""
    return {
        **planar_points(first, second),
        "angle_offset": second.angle - first.angle if angle_offset is None else angle_offset,
        "axis_x": math.cos(first.angle),
        "axis_y": math.sin(first.angle),
    }


def planar_points(first: Marker, second: Marker) -> dict[str, float]:
    """Return the fields of `PLANAR_POINTS` of two markers."""
    return dict(zip(PLANAR_POINTS, (*first.at, *second.at), strict=True))


def slide_markers(
    owner: str, a: AttachmentLike, b: AttachmentLike, at: PointLike | None, axis: VectorLike | None
) -> tuple[Marker, Marker]:
    """Return a marker on ``a`` whose x-axis is the line, and a marker on ``b`` parallel to it in the current pose.

    Without an axis, a marker on ``a`` gives the direction, and a marker on ``b`` keeps its own.
    """
    if at is None:
        at = as_marker(owner, b).position
    if axis is not None:
        angle = axis_angle(owner, axis)
        return as_marker(owner, a, at, angle), as_marker(owner, b, at, angle)
    if not isinstance(a, Marker):
        raise ModelError(f"{owner}: axis is missing; set axis=(x, y), the direction of the line, or use a marker for a")
    return a, b if isinstance(b, Marker) else as_marker(owner, b, at, a.orientation)
