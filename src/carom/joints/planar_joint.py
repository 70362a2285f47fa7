"""Planar joint: one body slides on a plane of another."""

from __future__ import annotations

from carom.argument_checks import object_label
from carom.geometry.marker import AttachmentLike, as_marker
from carom.joints.base import Coordinate, Joint
from carom.joints.limits import Limits, StopImpact, StopLaw
from carom.joints.spatial_constraints import ROW_SIZE, axis_angle, parallel_axis_rows, translation_row
from carom.joints.spatial_markers import SPATIAL_MARKERS, check_spatial, line_markers, spatial_params
from carom.joints.stop_gaps import STOP_ALONG_X, STOP_ALONG_Y
from carom.kernels import JOINT, kernel, offset
from carom.mechanics.spatial_body import body_at
from carom.mechanics.vector3 import rotated
from carom.typing import PointLike, VectorLike


@kernel(JOINT, SPATIAL_MARKERS)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the three equations of a planar joint."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    translation_row(a, b, params, rotated(a, params.z_a), Phi, Phi_q, gamma_c)
    parallel_axis_rows(a, b, params, offset(Phi, 1), offset(Phi_q, ROW_SIZE), offset(gamma_c, 1))


@kernel(JOINT, SPATIAL_MARKERS)
def displacement_x(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the displacement along the x-axis of the marker of a [m]."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    translation_row(a, b, params, rotated(a, params.x_a), Phi, Phi_q, gamma_c)


@kernel(JOINT, SPATIAL_MARKERS)
def displacement_y(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the displacement along the y-axis of the marker of a [m]."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    translation_row(a, b, params, rotated(a, params.y_a), Phi, Phi_q, gamma_c)


class Planar(Joint):
    """Planar joint: ``b`` slides and rotates on a plane of ``a`` through ``at`` with ``normal`` (global, current pose).

    Φ: z_a·(p_b − p_a) = 0 and x_a·z_b = y_a·z_b = 0, three equations in the axes of the markers, whose z-axes are the
    normal; ``at`` defaults to the current centre of mass of ``b``. With two markers and no ``normal``, their xy-planes
    are made to coincide. Free coordinates: ``x`` and ``y`` [m] of the point of b along those axes of the marker of
    ``a``, and ``angle`` [rad] about the normal, all zero in the current pose if ``normal`` is set. Reaction: force and
    torque on ``b`` at its point.

    ``limits={"x": (lower, upper)}`` bounds coordinates by stops, None: no limit; ``law`` is the normal law of the
    stops in compliant runs, ``impact`` that in non-smooth ones, of all stops or by coordinate (default: a stiff stop
    with next to no rebound, see `Joint.stops`).

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3)
    >>> bar = system.add(cm.Body("bar", mass=1.0, inertia=0.1, position=(0.0, 0.0, 1.0)))
    >>> joint = system.add(cm.Planar(system.ground, bar, normal=(0.0, 0.0, 1.0)))
    >>> list(joint.coordinates)
    ['x', 'y', 'angle']
    """

    rows = 3
    spatial = spatial
    coordinates = {
        "x": Coordinate(displacement_x, "m", "m/s", stop=STOP_ALONG_X),
        "y": Coordinate(displacement_y, "m", "m/s", stop=STOP_ALONG_Y),
        "angle": axis_angle,
    }

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        at: PointLike | None = None,
        normal: VectorLike | None = None,
        *,
        limits: Limits = None,
        law: StopLaw = None,
        impact: StopImpact = None,
        name: str | None = None,
    ):
        owner = object_label("Planar", name)
        check_spatial(owner, as_marker(owner, b), "no joint")
        first, second = line_markers(owner, a, b, at, normal, "normal")
        super().__init__(name, first.body, second.body)
        self.parameters = spatial_params(first, second)
        self.points = (first.at, second.at)
        self._set_limits(limits, law, impact)
