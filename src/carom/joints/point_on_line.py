"""Pin in a straight slot."""

from __future__ import annotations

from carom.deprecation import deprecated_arguments
from carom.geometry.drawing import Symbol
from carom.geometry.marker import AttachmentLike
from carom.joints.limits import Limits, StopImpact, StopLaw
from carom.joints.planar_angle import relative_angle
from carom.joints.planar_markers import PLANAR_MARKERS
from carom.joints.planar_translation import relative_displacement, translation_row
from carom.joints.sliding_joint import SlidingJoint
from carom.joints.spatial_constraints import point_on_line_rows
from carom.joints.spatial_markers import SPATIAL_MARKERS
from carom.kernels import JOINT, kernel
from carom.mechanics import spatial_body
from carom.mechanics.planar_body import body_at
from carom.typing import PointLike, VectorLike


@kernel(JOINT, PLANAR_MARKERS)
def planar(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the distance of the point from the line in 2D."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    translation_row(a, b, params, -params.axis_y, params.axis_x, Phi, Phi_q, gamma_c)


@kernel(JOINT, SPATIAL_MARKERS)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the two distances of the point from the line in 3D."""
    a = spatial_body.body_at(bodies, body_offsets[0])
    b = spatial_body.body_at(bodies, body_offsets[1])
    point_on_line_rows(a, b, params, Phi, Phi_q, gamma_c)


class PointOnLine(SlidingJoint):
    """Pin in a straight slot: a point of ``b`` stays on the line of ``a`` through ``at`` along ``axis``.

    Φ = n_a·(p_b − p_a) = 0. ``at`` and ``axis`` are in global axes in the current pose; ``at`` defaults to the current
    centre of mass of ``b``. With markers, the marker of ``b`` moves along the x-axis of the marker of ``a``.
    Free coordinates: ``displacement`` [m] along the slot and ``angle`` [rad]. Reaction: force on ``b`` at the pin.

    In 3D there are two equations: x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0, with the slot along the z-axis of the marker
    of ``a``; ``displacement`` is the free coordinate, and the rotation of ``b`` is free.

    ``limits={"displacement": (lower, upper)}`` bounds coordinates by stops, None: no limit; ``law`` is the normal law
    of the stops in compliant runs, ``impact`` that in non-smooth ones, of all stops or by coordinate (default: a stiff
    stop with next to no rebound, see `Joint.stops`).

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> slot = system.add(cm.PointOnLine(system.ground, rod, at=(0.0, 0.0), axis=(1.0, 0.0)))
    >>> system.degrees_of_freedom
    2
    """

    rows = 1
    spatial_rows = 2
    planar = planar
    spatial = spatial
    symbol = Symbol.PIN_ON_LINE
    grips = (True, False)
    coordinates = {"displacement": relative_displacement, "angle": relative_angle}

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
        name: str | None = None,
    ):
        self._connect(a, b, at, axis, name)
        self._set_limits(limits, law, impact)
