"""Cylindrical joint: one body rotates about a line of another and slides along it."""

from __future__ import annotations

from carom.argument_checks import object_label
from carom.deprecation import deprecated_arguments
from carom.geometry.marker import AttachmentLike, as_marker
from carom.joints.base import Joint
from carom.joints.limits import Limits, StopImpact, StopLaw
from carom.joints.spatial_constraints import (
    ROW_SIZE,
    axis_angle,
    axis_displacement,
    parallel_axis_rows,
    point_on_line_rows,
)
from carom.joints.spatial_markers import SPATIAL_MARKERS, check_spatial, line_markers, spatial_params
from carom.kernels import JOINT, jit, kernel, offset
from carom.mechanics.spatial_body import body_at
from carom.typing import PointLike, VectorLike


@jit
def coaxial_rows(a, b, params, Phi, Phi_q, gamma_c):
    """Evaluate four rows that keep both points on the line and both axes along it."""
    point_on_line_rows(a, b, params, Phi, Phi_q, gamma_c)
    parallel_axis_rows(a, b, params, offset(Phi, 2), offset(Phi_q, 2 * ROW_SIZE), offset(gamma_c, 2))


@kernel(JOINT, SPATIAL_MARKERS)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the four equations of a cylindrical joint."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    coaxial_rows(a, b, params, Phi, Phi_q, gamma_c)


class Cylindrical(Joint):
    """Cylindrical joint: ``b`` rotates about ``axis`` and slides along it, as a shaft in a bush.

    The line is fixed in ``a``, along ``axis`` through ``at`` (global axes, current pose; default: the current centre of
    mass of ``b``). Φ: x_a·(p_b − p_a) = y_a·(p_b − p_a) = 0 and x_a·z_b = y_a·z_b = 0, four equations in the axes of
    the markers, whose z-axes are the line. With two markers and no ``axis``, their z-axes are made to coincide.
    Free coordinates: ``displacement`` [m] along the axis and ``angle`` [rad] about it, right-handed, both zero in the
    current pose if ``axis`` is set. Reaction: force and torque on ``b`` at its point on the line.

    ``limits={"displacement": (lower, upper)}`` bounds coordinates by stops, None: no limit; ``law`` is the normal law
    of the stops in compliant runs, ``impact`` that in non-smooth ones, of all stops or by coordinate (default: a stiff
    stop with next to no rebound, see `Joint.stops`).

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System(dim=3)
    >>> bar = system.add(cm.Body("bar", mass=1.0, inertia=0.1, position=(0.0, 0.0, 1.0)))
    >>> joint = system.add(cm.Cylindrical(system.ground, bar, axis=(0.0, 0.0, 1.0)))
    >>> list(joint.coordinates)
    ['displacement', 'angle']
    """

    rows = 4
    spatial = spatial
    coordinates = {"displacement": axis_displacement, "angle": axis_angle}

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
        owner = object_label("Cylindrical", name)
        check_spatial(owner, as_marker(owner, b), "PointOnLine")
        first, second = line_markers(owner, a, b, at, axis)
        super().__init__(name, first.body, second.body)
        self.parameters = spatial_params(first, second)
        self.points = (first.at, second.at)
        self._set_limits(limits, law, impact)
