"""Spherical joint: two bodies share a point."""

from __future__ import annotations

from carom.argument_checks import object_label
from carom.geometry.marker import AttachmentLike, coincident_markers
from carom.joints.base import Joint
from carom.joints.joint_friction import pin_friction
from carom.joints.spatial_constraints import point_rows
from carom.joints.spatial_markers import SPATIAL_POINTS, check_spatial
from carom.kernels import JOINT, kernel
from carom.laws.friction.base import FrictionLaw
from carom.mechanics.spatial_body import body_at
from carom.typing import PointLike


@kernel(JOINT, SPATIAL_POINTS)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the three equations of a spherical joint."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    point_rows(a, b, params, Phi, Phi_q, gamma_c)


class Spherical(Joint):
    """Spherical joint: keeps a point ``at`` (global axes, current pose) common to both bodies.

    Φ = r_b + A_b s_b − r_a − A_a s_a = 0, three equations. Markers may be used instead of ``at``: ``a.point(x, y, z)``.
    All rotations are free; none of them is a coordinate. Reaction: force on ``b`` at the point.

    ``friction`` is a law of `carom.friction` without a state: the torque against the relative rotation is
    ``pin_radius``, that of the ball, times the friction force under the reaction force of the joint, or under
    ``friction_load`` [N] in its place. Signal: its magnitude ``friction_torque`` [N m].

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3)
    >>> bar = system.add(cm.Body("bar", mass=1.0, inertia=0.1, position=(0.0, 0.0, 1.0)))
    >>> joint = system.add(cm.Spherical(system.ground, bar, at=(0.0, 0.0, 0.0)))
    >>> system.degrees_of_freedom
    3
    """

    rows = 3
    spatial = spatial
    grips = (False, False)

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        at: PointLike | AttachmentLike | None = None,
        *,
        friction: FrictionLaw | None = None,
        pin_radius: float | None = None,
        friction_load: float | None = None,
        name: str | None = None,
    ):
        owner = object_label("Spherical", name)
        first, second = coincident_markers(owner, a, b, at)
        check_spatial(owner, second, "Revolute")
        super().__init__(name, first.body, second.body)
        self.parameters = SPATIAL_POINTS.pack(s_a=first.at, s_b=second.at)
        self.points = (first.at, second.at)
        self.friction_data = pin_friction(self, friction, pin_radius, friction_load)
