"""Rack and pinion: a wheel rolls on a straight rack."""

from __future__ import annotations

import math
from typing import Any

from carom.argument_checks import finite_float, object_label
from carom.errors import ModelError
from carom.geometry.drawing import Symbol
from carom.geometry.marker import AttachmentLike, Marker, as_marker, axis_angle
from carom.joints.base import Joint
from carom.joints.planar_markers import PLANAR_POINTS, planar_points
from carom.joints.planar_translation import translation_row
from carom.kernels import FLOAT, JOINT, kernel, record
from carom.mechanics.planar_body import body_at
from carom.typing import VectorLike

RACK_PINION = record(
    " ".join(PLANAR_POINTS),
    offset=FLOAT,  # constant of the constraint [m]
    axis_x=FLOAT,  # direction of the rack in its body axes [-]
    axis_y=FLOAT,
    radius=FLOAT,  # pitch radius of the pinion [m]
)


@kernel(JOINT, RACK_PINION)
def planar(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate u_a·(p_b − p_a) + radius (θ_b − θ_a) − constant [m]."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    translation_row(a, b, params, params.axis_x, params.axis_y, Phi, Phi_q, gamma_c)
    radius = params.radius
    Phi[0] += radius * (b.angle - a.angle) - params.offset
    Phi_q[2] -= radius
    Phi_q[5] += radius


class RackPinion(Joint):
    """Rack and pinion: a ``pinion`` of pitch ``radius`` [m] rolls on a ``rack`` along ``axis`` (global, current pose).

    Φ = u·(p_pinion − p_rack) + radius (θ_pinion − θ_rack) − constant = 0, with u fixed in the rack. A pinion to the
    left of the axis (above a rack along x) moves forwards when it rotates clockwise; ``radius`` < 0 is a pinion on the
    other side. A fixed pinion drives a sliding rack, a fixed rack guides a rolling wheel; bearings and slides are
    separate joints. Reaction: the tooth force on the pinion, with its torque about the point of the pinion.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> wheel = system.add(cm.Body("wheel", mass=1.0, inertia=0.1, position=(0.0, 0.2)))
    >>> system.add(cm.RackPinion(system.ground, wheel, radius=0.2, axis=(1.0, 0.0))).radius
    0.2
    """

    rows = 1
    planar = planar
    symbol = Symbol.PINION

    def __init__(
        self,
        rack: AttachmentLike,
        pinion: AttachmentLike,
        radius: float,
        axis: VectorLike | None = None,
        *,
        name: str | None = None,
    ):
        owner = object_label("RackPinion", name)
        second = as_marker(owner, pinion)
        if second.spatial:
            raise ModelError(f"{owner}: requires planar bodies; in 3D use Screw, or Gear between joints")
        if axis is not None:
            angle = axis_angle(owner, axis)
        elif isinstance(rack, Marker):
            angle = rack.orientation
        else:
            raise ModelError(f"{owner}: axis is missing; set axis=(x, y), the direction of the rack, or use a marker")
        first = as_marker(owner, rack, second.position, angle)
        super().__init__(name, first.body, second.body)
        self.radius = finite_float(owner, "radius", radius)
        if self.radius == 0.0:
            raise ModelError(f"{owner}: radius must not be zero")
        d = [q - p for p, q in zip(first.position, second.position, strict=True)]
        u = (math.cos(first.orientation), math.sin(first.orientation))
        self.parameters = RACK_PINION.pack(
            **planar_points(first, second),
            offset=u[0] * d[0] + u[1] * d[1] + self.radius * (second.body.angle - first.body.angle),
            axis_x=math.cos(first.angle),
            axis_y=math.sin(first.angle),
            radius=self.radius,
        )
        self.points = (first.at, second.at)

    def _drawn_fields(self) -> dict[str, Any]:
        return {**super()._drawn_fields(), "sizes": (self.radius,)}
