"""Prismatic joint: one body slides along a line of another without rotation."""

from __future__ import annotations

from carom.deprecation import deprecated_arguments
from carom.geometry.drawing import Symbol
from carom.geometry.marker import AttachmentLike
from carom.joints.joint_friction import slide_friction
from carom.joints.limits import Limits, StopImpact, StopLaw
from carom.joints.planar_angle import angle_row
from carom.joints.planar_markers import PLANAR_MARKERS
from carom.joints.planar_translation import relative_displacement, translation_row
from carom.joints.sliding_joint import SlidingJoint
from carom.joints.spatial_constraints import ROW_SIZE, orientation_rows, point_on_line_rows
from carom.joints.spatial_markers import SPATIAL_MARKERS
from carom.kernels import JOINT, kernel, offset
from carom.laws.friction.base import FrictionLaw
from carom.mechanics import spatial_body
from carom.mechanics.planar_body import body_at
from carom.typing import PointLike, VectorLike


@kernel(JOINT, PLANAR_MARKERS)
def planar(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the two equations of a prismatic joint in 2D."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    translation_row(a, b, params, -params.axis_y, params.axis_x, Phi, Phi_q, gamma_c)
    angle_row(a, b, params.angle_offset, offset(Phi, 1), offset(Phi_q, 6), offset(gamma_c, 1))


@kernel(JOINT, SPATIAL_MARKERS)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the five equations of a prismatic joint in 3D."""
    a = spatial_body.body_at(bodies, body_offsets[0])
    b = spatial_body.body_at(bodies, body_offsets[1])
    point_on_line_rows(a, b, params, Phi, Phi_q, gamma_c)
    orientation_rows(a, b, params, offset(Phi, 2), offset(Phi_q, 2 * ROW_SIZE), offset(gamma_c, 2))


class Prismatic(SlidingJoint):
    """Prismatic joint: ``b`` slides along ``axis`` (global axes, current pose), fixed in ``a``, without rotation.

    Φ₁ = n_a·(p_b − p_a) = 0 with n_a normal to the axis, Φ₂ = θ_b − θ_a − constant = 0. The line passes through
    ``at`` (default: the current centre of mass of ``b``). With two markers, the marker of ``b`` slides along the x-axis
    of the marker of ``a`` and stays parallel to it. Free coordinate: ``displacement`` [m] along the axis.
    Reaction: force and torque on ``b`` at its point on the line.

    In 3D there are five equations: x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0 perpendicular to the line, which is z_a, and
    x_a·y_b = y_a·z_b = z_a·x_b = 0 for the axes of the markers. With two markers and no ``axis``, the marker of ``b``
    slides along the z-axis of the marker of ``a``, with its axes parallel to those of ``a``.

    ``limits=(lower, upper)`` [m] bounds the coordinate by stops, None: no limit; ``law`` is the normal law of the
    stops in compliant runs, ``impact`` that in non-smooth ones (default: a stiff stop with next to no rebound, see
    `Joint.stops`).

    ``friction`` is a law of `carom.friction` without a state, along the slide, under the reaction force across it, or
    under ``friction_load`` [N] in its place. With ``guide_length`` ℓ [m] a tilting moment M about the point of ``b``
    presses both ends of the guide: the normal force is then at least 2 M/ℓ, and the slide may jam. In non-smooth runs
    it sticks exactly, under the force of the law at the sliding speed, or at 1 mm/s if that is larger. Signal:
    ``friction_force`` [N] on ``b``.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> slide = system.add(cm.Prismatic(system.ground, rod, axis=(1.0, 0.0)))
    >>> slide.rows, system.degrees_of_freedom
    (2, 1)
    """

    rows = 2
    spatial_rows = 5
    planar = planar
    spatial = spatial
    symbol = Symbol.SLIDER
    coordinates = {"displacement": relative_displacement}

    @deprecated_arguments(order=("a", "b", "axis", "at"))
    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        *,
        at: PointLike | None = None,
        axis: VectorLike | None = None,
        limits: Limits = None,
        law: StopLaw = None,
        impact: StopImpact = None,
        friction: FrictionLaw | None = None,
        guide_length: float | None = None,
        friction_load: float | None = None,
        name: str | None = None,
    ):
        self._connect(a, b, at, axis, name)
        self._set_limits(limits, law, impact)
        self.friction_data = slide_friction(self, friction, guide_length, friction_load)
