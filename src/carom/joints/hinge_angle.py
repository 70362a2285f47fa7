"""Angle of a hinge with its revolutions, for elements that act on it beside its constraint rows."""

from __future__ import annotations

import math
from typing import Any

from carom.geometry.rotation import matrix_of
from carom.joints.spatial_markers import SPATIAL_MARKERS
from carom.kernels import jit
from carom.mechanics.vector3 import dot, load

REVOLUTION = 2.0 * math.pi
"""Angle of a revolution [rad]."""

HINGE_FIELDS: dict[str, Any] = {"start_angle": SPATIAL_MARKERS.dtype["s_a"].base} | {
    name: SPATIAL_MARKERS.dtype[name] for name in ("x_a", "y_a", "x_b", "z_a", "z_b")
}
"""Fields of a record that describes the angle of a hinge: the angle when it was created [rad], and marker axes."""


@jit
def with_revolutions(a, b, angle, hinge):
    """Return an angle with its revolutions [rad]: the one nearest to ∫ω dt along the axis.

    ``hinge`` has the `HINGE_FIELDS`.
    """
    za = load(hinge.z_a)
    zb = load(hinge.z_b)
    expected = hinge.start_angle + dot(zb, load(b.rotation_angle)) - dot(za, load(a.rotation_angle))
    return angle + REVOLUTION * math.floor((expected - angle) / REVOLUTION + 0.5)


def hinge_fields(joint: Any) -> dict[str, Any]:
    """Return the `HINGE_FIELDS` of a spatial joint with an angle, in the current pose."""
    markers = SPATIAL_MARKERS.unpack(joint.parameters[: SPATIAL_MARKERS.size])
    first, second = (matrix_of(body.orientation) for body in joint.members)
    x_b = second @ markers["x_b"]
    angle = math.atan2((first @ markers["y_a"]) @ x_b, (first @ markers["x_a"]) @ x_b)
    return {"start_angle": angle} | {name: markers[name] for name in HINGE_FIELDS if name != "start_angle"}
