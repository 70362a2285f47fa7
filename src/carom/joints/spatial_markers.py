"""Markers of spatial joints from ``at`` and ``axis``, and the parameters they give."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.argument_checks import unit_vector
from carom.errors import ModelError
from carom.geometry.marker import AttachmentLike, Marker, as_marker, coincident_markers
from carom.geometry.rotation import frame_along
from carom.joints.planar_markers import planar_points
from carom.kernels import FLOAT, record
from carom.typing import PointLike, VectorLike

VECTOR: Any = (FLOAT, 3)

SPATIAL_POINTS = record(
    s_a=VECTOR,  # point of a in its body axes [m]
    s_b=VECTOR,  # point of b in its body axes [m]
)

SPATIAL_MARKERS = record(
    s_a=VECTOR,  # point of a in its body axes [m]
    s_b=VECTOR,  # point of b in its body axes [m]
    x_a=VECTOR,  # axes of the marker of a in its body axes [-]
    y_a=VECTOR,
    z_a=VECTOR,
    x_b=VECTOR,  # axes of the marker of b in its body axes [-]
    y_b=VECTOR,
    z_b=VECTOR,
)


def spatial_params(first: Marker, second: Marker) -> tuple[float, ...]:
    """Return the `SPATIAL_MARKERS` of two markers."""
    return SPATIAL_MARKERS.pack(**spatial_fields(first, second))


def spatial_fields(first: Marker, second: Marker) -> dict[str, Any]:
    """Return the fields of `SPATIAL_MARKERS` of two markers."""
    axes = [*first.axes.T, *second.axes.T]
    return dict(zip(SPATIAL_MARKERS, (first.at, second.at, *axes), strict=True))


def point_fields(first: Marker, second: Marker) -> dict[str, Any]:
    """Return the fields of `PLANAR_POINTS` or `SPATIAL_POINTS` of two markers."""
    return {"s_a": first.at, "s_b": second.at} if len(first.at) == 3 else planar_points(first, second)


def with_axis(
    owner: str,
    first: Marker,
    second: Marker,
    a: AttachmentLike,
    b: AttachmentLike,
    axis: VectorLike | None,
    what: str = "axis",
) -> tuple[Marker, Marker] | None:
    """Return two markers with their z-axes along ``axis`` (global axes, current pose) and parallel x-axes.

    Without an axis, markers passed as ``a`` and ``b`` keep their own axes, and the marker of a body gets the axes of
    the other one. Returns None if neither is a marker.
    """
    if axis is not None:
        frame = frame_along(unit_vector(owner, what, axis, 3))
    elif isinstance(a, Marker) and isinstance(b, Marker):
        return first, second
    elif isinstance(a, Marker) or isinstance(b, Marker):
        frame = (first if isinstance(a, Marker) else second).frame
    else:
        return None
    return as_marker(owner, first, None, frame), as_marker(owner, second, None, frame)


def hinge_markers(
    owner: str, a: AttachmentLike, b: AttachmentLike, at: PointLike | AttachmentLike | None, axis: VectorLike | None
) -> tuple[Marker, Marker]:
    """Return markers that coincide at ``at`` in the current pose; the default axis is the global z-axis."""
    first, second = coincident_markers(owner, a, b, at)
    has_axis = axis is not None or isinstance(a, Marker) or isinstance(b, Marker)
    markers = with_axis(owner, first, second, a, b, axis if has_axis else (0.0, 0.0, 1.0))
    assert markers is not None
    return markers


def line_markers(
    owner: str, a: AttachmentLike, b: AttachmentLike, at: PointLike | None, axis: VectorLike | None, what: str = "axis"
) -> tuple[Marker, Marker]:
    """Return markers on a line along ``axis`` through ``at`` (default: the current position of ``b``)."""
    if at is None:
        at = as_marker(owner, b).position
    markers = with_axis(owner, as_marker(owner, a, at), as_marker(owner, b, at), a, b, axis, what)
    if markers is None:
        raise ModelError(f"{owner}: {what} is missing; set {what}=(x, y, z) in global axes, or use a marker on a body")
    return markers


def fixed_markers(
    owner: str, a: AttachmentLike, b: AttachmentLike, at: PointLike | AttachmentLike | None
) -> tuple[Marker, Marker]:
    """Return markers whose points and axes coincide in the current pose, unless both were passed."""
    first, second = coincident_markers(owner, a, b, b if at is None else at)
    frame = np.eye(3)
    return with_axis(owner, first, second, a, b, None) or (
        as_marker(owner, first, None, frame),
        as_marker(owner, second, None, frame),
    )


def check_spatial(owner: str, marker: Marker, alternative: str) -> None:
    """Raise if the body is planar; name the planar ``alternative``."""
    if not marker.spatial:
        raise ModelError(f"{owner}: requires spatial bodies of a System(dim=3); in 2D use {alternative}")
