"""Distance joint: a massless rod between two points."""

from __future__ import annotations

import math
from collections.abc import Callable

from carom.argument_checks import object_label, positive
from carom.errors import ModelError
from carom.geometry.drawing import Symbol
from carom.geometry.marker import AttachmentLike, as_marker
from carom.joints.base import Joint
from carom.joints.motion import Motion
from carom.joints.planar_markers import PLANAR_POINTS, relative_motion
from carom.joints.prescribed_motion import as_motion
from carom.joints.spatial_constraints import distance_row as spatial_distance_row
from carom.joints.spatial_markers import VECTOR, point_fields
from carom.kernels import FLOAT, JOINT, Kernel, jit, kernel, record
from carom.mechanics import spatial_body
from carom.mechanics.planar_body import body_at

PLANAR_ROD = record(" ".join(PLANAR_POINTS), length=FLOAT)
"""Points in body axes, length of the rod [m]."""

SPATIAL_ROD = record(s_a=VECTOR, s_b=VECTOR, length=FLOAT)
"""Points in body axes, length of the rod [m]."""


@jit
def distance_row(a, b, params, Phi, Phi_q, gamma_c):
    """Evaluate the row |p_b − p_a| [m]; ``params`` begin with `PLANAR_POINTS`."""
    ax, ay, bx, by, dx, dy, vx, vy = relative_motion(a, b, params)
    wa = a.omega
    wb = b.omega
    length = math.sqrt(dx * dx + dy * dy)
    ux = dx / length
    uy = dy / length
    transverse = ux * vy - uy * vx
    Phi[0] = length
    Phi_q[0] = -ux
    Phi_q[1] = -uy
    Phi_q[2] = ux * ay - uy * ax
    Phi_q[3] = ux
    Phi_q[4] = uy
    Phi_q[5] = uy * bx - ux * by
    gamma_c[0] = wb * wb * (ux * bx + uy * by) - wa * wa * (ux * ax + uy * ay) - transverse * transverse / length


@kernel(JOINT, PLANAR_ROD)
def planar(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate |p_b − p_a| − length in 2D."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    distance_row(a, b, params, Phi, Phi_q, gamma_c)
    Phi[0] -= params.length


@kernel(JOINT, PLANAR_ROD)
def planar_actuator(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate |p_b − p_a| in 2D, of which a motion is subtracted."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    distance_row(a, b, params, Phi, Phi_q, gamma_c)


@kernel(JOINT, SPATIAL_ROD)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate |p_b − p_a| − length in 3D."""
    a = spatial_body.body_at(bodies, body_offsets[0])
    b = spatial_body.body_at(bodies, body_offsets[1])
    spatial_distance_row(a, b, params, Phi, Phi_q, gamma_c)
    Phi[0] -= params.length


class Distance(Joint):
    """Massless rod of ``length`` [m] (default: the current distance) between a point of ``a`` and a point of ``b``.

    Φ = |p_b − p_a| − length = 0. ``a`` and ``b`` are markers (``body.point(x, y)``) or bodies (centre of mass).
    With a motion or a function of time as ``length`` it is an actuator of prescribed length.
    Reaction: force on ``b`` at its point.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> cm.Distance(system.ground, rod).length
    0.5
    """

    rows = 1
    planar = planar
    spatial = spatial
    symbol = Symbol.ROD
    grips = (False, False)

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        length: float | Motion | Callable[[float], float] | None = None,
        *,
        name: str | None = None,
    ):
        owner = object_label("Distance", name)
        first, second = as_marker(owner, a), as_marker(owner, b)
        super().__init__(name, first.body, second.body)
        current_length = math.dist(first.position, second.position)
        if length is None and current_length == 0.0:
            raise ModelError(f"{self.label}: the two points coincide; set length= to a positive number [m]")
        if isinstance(length, Motion) or callable(length):
            self.motion = as_motion(owner, length)
            rod = 0.0
        else:
            rod = current_length if length is None else positive(owner, "length", length)
        self.length: float | Motion = self.motion or rod
        self.parameters = self.params_record.pack(**point_fields(first, second), length=rod)
        self.points = (first.at, second.at)

    @property
    def kernel(self) -> Kernel:
        """Kernel for the dimension of the bodies and for a fixed or prescribed length."""
        # In 3D the kernel of a rod with length zero serves as the actuator.
        return planar_actuator if self.motion is not None and not self.in_space else super().kernel
