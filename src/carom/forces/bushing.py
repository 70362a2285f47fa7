"""Bushing: an elastic joint."""

from __future__ import annotations

from carom.argument_checks import object_label, vector
from carom.errors import ModelError
from carom.forces.base import Force
from carom.forces.bushing_spatial import SPATIAL_BUSHING, spatial
from carom.geometry.drawing import Symbol
from carom.geometry.marker import AttachmentLike, Marker, as_marker, coincident_markers
from carom.joints.planar_markers import PLANAR_MARKERS, planar_fields
from carom.kernels import FLOAT, FORCE, kernel, record
from carom.mechanics.element_output import force_output
from carom.mechanics.planar_body import body_at, rotate
from carom.typing import PointLike, VectorLike

PLANAR_BUSHING = record(
    " ".join(PLANAR_MARKERS),
    kx=FLOAT,  # stiffness in axes of the marker of a [N/m]
    ky=FLOAT,
    k_angle=FLOAT,  # [N m/rad]
    cx=FLOAT,  # damping in the same axes [N s/m]
    cy=FLOAT,
    c_angle=FLOAT,  # [N m s/rad]
)

PLANAR_OUTPUT = force_output("dx dy angle fx fy torque")


@kernel(FORCE, PLANAR_BUSHING, PLANAR_OUTPUT)
def planar(t, bodies, body_offsets, params, wrenches, output):
    """Evaluate a bushing in 2D."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    ax, ay = rotate(a, params.sa_x, params.sa_y)
    bx, by = rotate(b, params.sb_x, params.sb_y)
    c = a.cos * params.axis_x - a.sin * params.axis_y
    s = a.sin * params.axis_x + a.cos * params.axis_y
    wa = a.omega
    wb = b.omega
    dx = b.x + bx - a.x
    dy = b.y + by - a.y
    vx = b.vx - wb * by - a.vx + wa * dy
    vy = b.vy + wb * bx - a.vy - wa * dx
    u = c * (dx - ax) + s * (dy - ay)
    v = c * (dy - ay) - s * (dx - ax)
    angle = b.angle - a.angle + params.angle_offset
    u_rate = c * vx + s * vy
    v_rate = c * vy - s * vx
    angle_rate = wb - wa
    fu = -params.kx * u - params.cx * u_rate
    fv = -params.ky * v - params.cy * v_rate
    torque = -params.k_angle * angle - params.c_angle * angle_rate
    fx = c * fu - s * fv
    fy = s * fu + c * fv
    # Both forces act at the point of b, so that the pair conserves angular momentum.
    wrenches[0] = -fx
    wrenches[1] = -fy
    wrenches[2] = -(dx * fy - dy * fx) - torque
    wrenches[3] = fx
    wrenches[4] = fy
    wrenches[5] = bx * fy - by * fx + torque
    output.potential = 0.5 * (params.kx * u * u + params.ky * v * v + params.k_angle * angle * angle)
    output.dissipated_power = (
        params.cx * u_rate * u_rate + params.cy * v_rate * v_rate + params.c_angle * angle_rate * angle_rate
    )
    output.applied_power = 0.0
    output.dx = u
    output.dy = v
    output.angle = angle
    output.fx = fx
    output.fy = fy
    output.torque = torque


class Bushing(Force):
    """Elastic joint with stiffness (k_x, k_y, k_θ) [N/m, N/m, N m/rad] and damping in the axes of ``a`` or its marker.

    It connects the points of ``a`` and ``b`` at ``at`` (global axes, current pose) and is force-free in that pose.
    Signals: displacement dx, dy [m] in those axes, angle [rad]; force on ``b`` fx, fy [N] in global axes, torque [N m].

    In 3D, stiffness and damping have six numbers: three along these axes, three about them. The torque follows from
    the energy ½ Σ k_i φ_i² of the rotation vector φ from the axes of ``a`` to those of ``b`` (less than half a
    revolution). Signals: dx, dy, dz; rx, ry, rz [rad], the rotation vector; force fx, fy, fz and torque tx, ty, tz on
    ``b`` in global axes.

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> rod = system.add(cm.Body("rod", mass=1.0, inertia=0.1, position=(0.5, 0.0)))
    >>> bushing = system.add(cm.Bushing(system.ground, rod, stiffness=(1e5, 1e5, 10.0), at=(0.0, 0.0)))
    >>> bushing.signals
    ('dx', 'dy', 'angle', 'fx', 'fy', 'torque')
    """

    planar = planar
    spatial = spatial
    symbol = Symbol.BUSHING
    signals: tuple[str, ...] = ("dx", "dy", "angle", "fx", "fy", "torque")
    units: tuple[str, ...] = ("m", "m", "rad", "N", "N", "N m")

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        stiffness: VectorLike,
        damping: VectorLike | None = None,
        at: PointLike | AttachmentLike | None = None,
        *,
        name: str | None = None,
    ):
        owner = object_label("Bushing", name)
        first, second = coincident_markers(owner, a, b, b if at is None else at)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        size = 6 if self.in_space else 3
        self.stiffness = vector(self.label, "stiffness", stiffness, size)
        self.damping = (0.0,) * size if damping is None else vector(self.label, "damping", damping, size)
        if min(*self.stiffness, *self.damping) < 0.0:
            raise ModelError(f"{self.label}: stiffness and damping must not be negative, got {stiffness}, {damping}")
        if self.in_space:
            if not (isinstance(a, Marker) and isinstance(b, Marker)):
                second = as_marker(owner, second, None, first.frame)
            self.signals = ("dx", "dy", "dz", "rx", "ry", "rz", "fx", "fy", "fz", "tx", "ty", "tz")
            self.units = (*["m"] * 3, *["rad"] * 3, *["N"] * 3, *["N m"] * 3)
            self.parameters = SPATIAL_BUSHING.pack(
                s_a=first.at,
                s_b=second.at,
                quaternion_a=first.quaternion,
                quaternion_b=second.quaternion,
                stiffness=self.stiffness[:3],
                rotational_stiffness=self.stiffness[3:],
                damping=self.damping[:3],
                rotational_damping=self.damping[3:],
            )
            return
        two_markers = first is a and second is b
        angle_offset = second.angle - first.angle if two_markers else first.body.angle - second.body.angle
        names = ("kx", "ky", "k_angle", "cx", "cy", "c_angle")
        self.parameters = PLANAR_BUSHING.pack(
            **planar_fields(first, second, angle_offset),
            **dict(zip(names, (*self.stiffness, *self.damping), strict=True)),
        )
