"""Revolute joint: two bodies share a point, in 3D also an axis."""

from __future__ import annotations

from carom.argument_checks import object_label, short_repr
from carom.errors import ModelError
from carom.geometry.drawing import Symbol
from carom.geometry.marker import AttachmentLike, coincident_markers
from carom.joints.base import Joint
from carom.joints.joint_friction import pin_friction
from carom.joints.limits import Limits, StopImpact, StopLaw
from carom.joints.planar_angle import relative_angle
from carom.joints.planar_markers import PLANAR_MARKERS, planar_params
from carom.joints.spatial_constraints import ROW_SIZE, axis_angle, parallel_axis_rows, point_rows
from carom.joints.spatial_markers import SPATIAL_MARKERS, hinge_markers, spatial_params
from carom.kernels import JOINT, jit, kernel, offset
from carom.laws.friction.base import FrictionLaw
from carom.mechanics import spatial_body
from carom.mechanics.planar_body import body_at, rotate
from carom.typing import PointLike, VectorLike


@jit
def pin_rows(a, b, params, Phi, Phi_q, gamma_c):
    """Evaluate two rows, r_b + A_b s_b − r_a − A_a s_a [m]; ``params`` begin with `PLANAR_POINTS`."""
    ax, ay = rotate(a, params.sa_x, params.sa_y)
    bx, by = rotate(b, params.sb_x, params.sb_y)
    wa = a.omega**2
    wb = b.omega**2
    Phi[0] = b.x + bx - a.x - ax
    Phi[1] = b.y + by - a.y - ay
    Phi_q[0] = -1.0
    Phi_q[1] = 0.0
    Phi_q[2] = ay
    Phi_q[3] = 1.0
    Phi_q[4] = 0.0
    Phi_q[5] = -by
    Phi_q[6] = 0.0
    Phi_q[7] = -1.0
    Phi_q[8] = -ax
    Phi_q[9] = 0.0
    Phi_q[10] = 1.0
    Phi_q[11] = bx
    gamma_c[0] = wb * bx - wa * ax
    gamma_c[1] = wb * by - wa * ay


@kernel(JOINT, PLANAR_MARKERS)
def planar(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the two equations of a revolute joint in 2D."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    pin_rows(a, b, params, Phi, Phi_q, gamma_c)


@kernel(JOINT, SPATIAL_MARKERS)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the five equations of a revolute joint in 3D."""
    a = spatial_body.body_at(bodies, body_offsets[0])
    b = spatial_body.body_at(bodies, body_offsets[1])
    point_rows(a, b, params, Phi, Phi_q, gamma_c)
    parallel_axis_rows(a, b, params, offset(Phi, 3), offset(Phi_q, 3 * ROW_SIZE), offset(gamma_c, 3))


class Revolute(Joint):
    """Revolute joint: keeps a point ``at`` (global axes, current pose) common to both bodies.

    Φ = r_b + A_b s_b − r_a − A_a s_a = 0, two equations. Markers may be used instead of ``at``: ``a.point(x, y)``.
    Free coordinate: ``angle`` = θ_b − θ_a [rad] between the axes of the markers. Reaction: force on ``b`` at the point.

    In 3D it is a hinge about ``axis`` (global axes, current pose; default: the z-axis): three equations for the point,
    and x_a·z_b = y_a·z_b = 0 for the axes of the markers, whose z-axes are the axis of the hinge. With two markers and
    no ``axis``, their z-axes are made parallel; with one marker, its z-axis is the axis. ``angle`` is measured from the
    x-axis of the marker of a to that of b, right-handed about the axis; it is zero in the current pose if ``axis`` is
    set. Reaction: force and torque on ``b`` at the point.

    ``limits=(lower, upper)`` [rad] bounds the coordinate by stops, None: no limit; ``law`` is the normal law of the
    stops in compliant runs, ``impact`` that in non-smooth ones (default: a stiff stop with next to no rebound, see
    `Joint.stops`).

    ``friction`` is a law of `carom.friction` without a state: the torque is ``pin_radius`` times the friction force
    under the reaction force of the joint, or under ``friction_load`` [N] in its place, as in a preloaded bearing. In
    non-smooth runs the joint sticks exactly, under the force of the law at the sliding speed, or at 1 mm/s if that is
    larger. Signal: ``friction_torque`` [N m] on ``b``.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(gravity=(0.0, -9.81))
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> system.add(cm.Revolute(system.ground, rod, at=(0.0, 0.0), name="hinge"))
    <Revolute 'hinge': ground – rod, at=(0, 0)>
    """

    rows = 2
    planar = planar
    spatial = spatial
    symbol = Symbol.PIN
    grips = (False, False)
    coordinates = {"angle": relative_angle}

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        at: PointLike | AttachmentLike | None = None,
        axis: VectorLike | None = None,
        *,
        limits: Limits = None,
        law: StopLaw = None,
        impact: StopImpact = None,
        friction: FrictionLaw | None = None,
        pin_radius: float | None = None,
        friction_load: float | None = None,
        name: str | None = None,
    ):
        owner = object_label("Revolute", name)
        first, second = coincident_markers(owner, a, b, at)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        if self.in_space:
            first, second = hinge_markers(owner, a, b, at, axis)
            self.rows, self.grips = 5, (True, True)
            self.coordinates = {"angle": axis_angle}
            self.parameters = spatial_params(first, second)
        elif axis is not None:
            raise ModelError(
                f"{owner}: axis requires spatial bodies, got {short_repr(axis)}; planar bodies rotate about z"
            )
        else:
            self.parameters = planar_params(first, second)
        self._set_limits(limits, law, impact)
        self.friction_data = pin_friction(self, friction, pin_radius, friction_load)
