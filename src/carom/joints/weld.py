"""Weld: fixes two bodies to each other."""

from __future__ import annotations

from carom.argument_checks import object_label
from carom.geometry.drawing import Symbol
from carom.geometry.marker import AttachmentLike, coincident_markers
from carom.joints.base import Joint
from carom.joints.planar_angle import angle_row
from carom.joints.planar_markers import PLANAR_MARKERS, planar_params
from carom.joints.revolute import pin_rows
from carom.joints.spatial_constraints import ROW_SIZE, orientation_rows, point_rows
from carom.joints.spatial_markers import SPATIAL_MARKERS, fixed_markers, spatial_params
from carom.kernels import JOINT, kernel, offset
from carom.mechanics import spatial_body
from carom.mechanics.planar_body import body_at
from carom.typing import PointLike


@kernel(JOINT, PLANAR_MARKERS)
def planar(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the three equations of a weld in 2D."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    pin_rows(a, b, params, Phi, Phi_q, gamma_c)
    angle_row(a, b, params.angle_offset, offset(Phi, 2), offset(Phi_q, 12), offset(gamma_c, 2))


@kernel(JOINT, SPATIAL_MARKERS)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the six equations of a weld in 3D."""
    a = spatial_body.body_at(bodies, body_offsets[0])
    b = spatial_body.body_at(bodies, body_offsets[1])
    point_rows(a, b, params, Phi, Phi_q, gamma_c)
    orientation_rows(a, b, params, offset(Phi, 3), offset(Phi_q, 3 * ROW_SIZE), offset(gamma_c, 3))


class Weld(Joint):
    """Weld: fixes ``b`` to ``a`` in the current pose, at the point ``at`` (global axes; default: centre of mass of b).

    Φ = (r_b + A_b s_b − r_a − A_a s_a, θ_b − θ_a − constant) = 0, three equations. With two markers, the points and
    axes of the markers are made to coincide. Reaction: force and torque on ``b`` at that point.

    In 3D there are six equations: three for the point, and x_a·y_b = y_a·z_b = z_a·x_b = 0 for the axes of the markers.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> weld = system.add(cm.Weld(system.ground, rod))
    >>> system.degrees_of_freedom
    0
    """

    rows = 3
    planar = planar
    spatial = spatial
    symbol = Symbol.WELD

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        at: PointLike | AttachmentLike | None = None,
        *,
        name: str | None = None,
    ):
        owner = object_label("Weld", name)
        first, second = coincident_markers(owner, a, b, b if at is None else at)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        if self.in_space:
            self.rows = 6
            self.parameters = spatial_params(*fixed_markers(owner, a, b, at))
            return
        two_markers = first is a and second is b
        angle_offset = second.angle - first.angle if two_markers else first.body.angle - second.body.angle
        self.parameters = planar_params(first, second, angle_offset)
