"""Universal joint: two shafts connected by a cross."""

from __future__ import annotations

import numpy as np

from carom.argument_checks import object_label, unit_vector
from carom.errors import ModelError
from carom.geometry.marker import AttachmentLike, Marker, as_marker, coincident_markers
from carom.geometry.rotation import frame_along
from carom.joints.base import Coordinate, Joint
from carom.joints.limits import Limits, StopImpact, StopLaw
from carom.joints.spatial_constraints import ROW_SIZE, angle_row, dot_row, point_rows
from carom.joints.spatial_markers import SPATIAL_MARKERS, check_spatial, spatial_params
from carom.joints.stop_gaps import CROSS_STOP_A, CROSS_STOP_B
from carom.kernels import JOINT, kernel, offset
from carom.mechanics.spatial_body import body_at
from carom.mechanics.vector3 import rotated
from carom.typing import PointLike, VectorLike

MAX_COSINE = 1e-6
"""Largest cosine of the angle between the axes of the cross that counts as a right angle [-]."""


@kernel(JOINT, SPATIAL_MARKERS)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the four equations of a universal joint."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    point_rows(a, b, params, Phi, Phi_q, gamma_c)
    za = rotated(a, params.z_a)
    zb = rotated(b, params.z_b)
    dot_row(a, b, za, zb, offset(Phi, 3), offset(Phi_q, 3 * ROW_SIZE), offset(gamma_c, 3))


@kernel(JOINT, SPATIAL_MARKERS)
def angle_a(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the angle of the cross about z_a: that of z_b from x_a [rad]."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    x = rotated(a, params.x_a)
    y = rotated(a, params.y_a)
    angle_row(a, b, x, y, rotated(b, params.z_b), Phi, Phi_q, gamma_c)


@kernel(JOINT, SPATIAL_MARKERS)
def angle_b(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the angle of b about z_b from the cross: minus that of z_a from x_b [rad]."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    x = rotated(b, params.x_b)
    y = rotated(b, params.y_b)
    z = rotated(a, params.z_a)
    angle_row(b, a, x, y, z, Phi, Phi_q, gamma_c)
    Phi[0] = -Phi[0]
    gamma_c[0] = -gamma_c[0]
    # Φ_q is (T, −T) for the order (b, a). For the order (a, b) and the opposite sign it has the same numbers.


class Universal(Joint):
    """Universal (Cardan, Hooke) joint: a cross rotates in ``a`` about ``axis_a`` and in ``b`` about ``axis_b``.

    The two axes are perpendicular. Φ: the points at ``at`` coincide, and z_a·z_b = 0, four equations; ``at`` and the
    axes of the cross are in global axes in the current pose. With markers and no axes, the axes of the cross are their
    z-axes. Free coordinates [rad]: ``angle_a`` of the cross relative to ``a`` and ``angle_b`` of ``b`` relative to the
    cross, zero in the current pose if the axes are set. Reaction: force and torque on ``b`` at the point.

    ``limits={"angle_a": (lower, upper)}`` bounds coordinates by stops, None: no limit; ``law`` is the normal law of the
    stops in compliant runs, ``impact`` that in non-smooth ones, of all stops or by coordinate (default: a stiff stop
    with next to no rebound, see `Joint.stops`).

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3)
    >>> bar = system.add(cm.Body("bar", mass=1.0, inertia=0.1, position=(0.0, 0.0, 1.0)))
    >>> joint = system.add(cm.Universal(system.ground, bar, at=(0, 0, 0), axis_a=(1, 0, 0), axis_b=(0, 1, 0)))
    >>> system.degrees_of_freedom
    2
    """

    rows = 4
    spatial = spatial
    coordinates = {
        "angle_a": Coordinate(angle_a, "rad", "rad/s", periodic=True, stop=CROSS_STOP_A),
        "angle_b": Coordinate(angle_b, "rad", "rad/s", periodic=True, stop=CROSS_STOP_B),
    }

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        at: PointLike | AttachmentLike | None = None,
        axis_a: VectorLike | None = None,
        axis_b: VectorLike | None = None,
        *,
        limits: Limits = None,
        law: StopLaw = None,
        impact: StopImpact = None,
        name: str | None = None,
    ):
        owner = object_label("Universal", name)
        first, second = coincident_markers(owner, a, b, at)
        check_spatial(owner, second, "Revolute")
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        if axis_a is not None or axis_b is not None or not (isinstance(a, Marker) and isinstance(b, Marker)):
            first, second = cross_markers(owner, first, second, axis_a, axis_b)
        self.parameters = spatial_params(first, second)
        self._set_limits(limits, law, impact)


def cross_markers(
    owner: str, first: Marker, second: Marker, axis_a: VectorLike | None, axis_b: VectorLike | None
) -> tuple[Marker, Marker]:
    """Return markers with z along the axes of the cross, and x of each along the axis of the other."""
    if axis_a is None or axis_b is None:
        raise ModelError(f"{owner}: set axis_a= and axis_b=, the axes of the cross in a and in b")
    u = np.array(unit_vector(owner, "axis_a", axis_a, 3))
    w = np.array(unit_vector(owner, "axis_b", axis_b, 3))
    if abs(u @ w) > MAX_COSINE:
        raise ModelError(f"{owner}: axis_a and axis_b must be perpendicular, got {axis_a} and {axis_b}")
    w = (w - (u @ w) * u) / np.linalg.norm(w - (u @ w) * u)
    return as_marker(owner, first, None, frame_along(u, w)), as_marker(owner, second, None, frame_along(w, u))
