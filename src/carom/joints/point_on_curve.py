"""Pin in a curved slot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import object_label
from carom.errors import ModelError
from carom.geometry.drawing import Symbol
from carom.geometry.marker import AttachmentLike, Marker, as_marker, rotate
from carom.geometry.planar_path import curve_at, project
from carom.geometry.spline import Spline
from carom.joints import point_on_spatial_curve
from carom.joints.base import Coordinate, Joint
from carom.joints.limits import Limits, StopImpact, StopLaw
from carom.joints.stop_gaps import SLOT_STOP
from carom.kernels import FLOAT, JOINT, address_of, floats, jit, kernel, offset, record
from carom.mechanics.planar_body import body_at
from carom.mechanics.planar_body import rotate as rotate_vector
from carom.typing import MatrixLike, PointLike

PLANAR_SLOT = record(
    sa_x=FLOAT,  # origin of the curve in axes of a [m]
    sa_y=FLOAT,
    axis_x=FLOAT,  # x-axis of the curve in axes of a [-]
    axis_y=FLOAT,
    sb_x=FLOAT,  # pin in axes of b [m]
    sb_y=FLOAT,
    warm_start=FLOAT,  # curve parameter of the last closest point [m]
)
"""The data of the curve follow."""
CURVE_OFFSET = PLANAR_SLOT.size
SLOT_POINTS = 300
"""Number of drawn points along a slot."""


@jit
def curve_data(params):
    """Return a pointer to the data of the curve."""
    return offset(floats(address_of(params)), CURVE_OFFSET)


@jit
def pin_in_slot(a, b, params):
    """Return the pin and its velocity in the axes of the slot, the x-axis of the slot, and d, ḋ in global axes.

    d is the vector from the centre of mass of a to the pin, (bx, by) that from the centre of mass of b.
    """
    ox, oy = rotate_vector(a, params.sa_x, params.sa_y)
    bx, by = rotate_vector(b, params.sb_x, params.sb_y)
    c = a.cos * params.axis_x - a.sin * params.axis_y
    s = a.sin * params.axis_x + a.cos * params.axis_y
    wa = a.omega
    wb = b.omega
    dx = b.x + bx - a.x
    dy = b.y + by - a.y
    vx = b.vx - wb * by - a.vx
    vy = b.vy + wb * bx - a.vy
    px = c * (dx - ox) + s * (dy - oy)
    py = c * (dy - oy) - s * (dx - ox)
    rx = vx + wa * dy
    ry = vy - wa * dx
    return px, py, c * rx + s * ry, c * ry - s * rx, c, s, bx, by, dx, dy, vx, vy


@jit
def relative_point_row(a, b, nx, ny, bx, by, dx, dy, vx, vy, Phi_q):
    """Store the Jacobian of n·p and return n·p̈ without accelerations; p is the pin in axes of a, n in global axes."""
    wa = a.omega
    wb = b.omega
    Phi_q[0] = -nx
    Phi_q[1] = -ny
    Phi_q[2] = nx * dy - ny * dx
    Phi_q[3] = nx
    Phi_q[4] = ny
    Phi_q[5] = ny * bx - nx * by
    # A p̈ = d̈ − α d⊥ − 2 ω ḋ⊥ − ω² d with d̈ = … − ω_b² s_b
    ax = -wb * wb * bx + 2.0 * wa * vy - wa * wa * dx
    ay = -wb * wb * by - 2.0 * wa * vx - wa * wa * dy
    return nx * ax + ny * ay


@kernel(JOINT, PLANAR_SLOT)
def planar(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the signed distance of the pin from the curve [m]; its Hessian is −κ/(1 − κΦ) t tᵀ."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    px, py, ux, uy, c, s, bx, by, dx, dy, vx, vy = pin_in_slot(a, b, params)
    curve = curve_data(params)
    params.warm_start = project(curve, params.warm_start, px, py)
    x, y, x1, y1, x2, y2, _, _ = curve_at(curve, params.warm_start)
    speed = math.sqrt(x1 * x1 + y1 * y1)
    tx = x1 / speed
    ty = y1 / speed
    curvature = (x1 * y2 - y1 * x2) / speed**3
    Phi[0] = tx * (py - y) - ty * (px - x)
    tangential = tx * ux + ty * uy
    nx = -s * tx - c * ty
    ny = c * tx - s * ty
    bias = relative_point_row(a, b, nx, ny, bx, by, dx, dy, vx, vy, Phi_q)
    gamma_c[0] = curvature / (1.0 - curvature * Phi[0]) * tangential * tangential - bias


@kernel(JOINT, PLANAR_SLOT)
def curve_parameter(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the parameter s of the closest point [m], from c'·(p − c) = 0 differentiated twice."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    px, py, ux, uy, c, s, bx, by, dx, dy, vx, vy = pin_in_slot(a, b, params)
    curve = curve_data(params)
    parameter = project(curve, params.warm_start, px, py)
    params.warm_start = parameter
    x, y, x1, y1, x2, y2, x3, y3 = curve_at(curve, parameter)
    slope = x1 * x1 + y1 * y1 - x2 * (px - x) - y2 * (py - y)
    gx = x1 / slope
    gy = y1 / slope
    rate = gx * ux + gy * uy
    Phi[0] = parameter
    bias = relative_point_row(a, b, c * gx - s * gy, s * gx + c * gy, bx, by, dx, dy, vx, vy, Phi_q)
    second = x3 * (px - x) + y3 * (py - y) - 3.0 * (x1 * x2 + y1 * y2)
    gamma_c[0] = -bias - (second * rate * rate + 2.0 * (x2 * ux + y2 * uy) * rate) / slope


class PointOnCurve(Joint):
    """Pin in a curved slot: a point of ``b`` stays on a spline through ``points`` of ``a``.

    ``points`` [m] are in the axes of ``a`` (or of a marker passed for it); ``closed`` makes the slot a ring. The pin is
    the marker passed for ``b``, or the point of b at ``at`` (global axes, current pose; default: its centre of mass).
    Φ = signed distance from the curve = 0, one equation; an open slot continues straight beyond its ends.
    Free coordinate: ``parameter`` [m], chord length along the slot. Reaction: force on ``b`` at the pin.

    In 3D the points have three numbers, and there are two equations: the components of p − c(s) perpendicular to the
    curve, where c(s) is the point closest to the pin p, along k × c' and along k, a direction fixed in ``a`` to which
    the curve is never parallel.

    ``limits=(lower, upper)`` [m] bounds the coordinate by stops, None: no limit; ``law`` is the normal law of the
    stops in compliant runs, ``impact`` that in non-smooth ones (default: a stiff stop with next to no rebound, see
    `Joint.stops`).

    Examples
    --------
    >>> import carom as cm
    >>> system = cm.System()
    >>> pin = system.add(cm.Body("pin", mass=1.0, inertia=0.1, position=(1.0, 0.0)))
    >>> points = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]
    >>> slot = system.add(cm.PointOnCurve(system.ground, pin, points, closed=True))
    >>> system.degrees_of_freedom
    2
    """

    rows = 1
    planar = planar
    spatial = point_on_spatial_curve.spatial
    symbol = Symbol.PIN_IN_SLOT
    grips = (True, False)
    coordinates = {"parameter": Coordinate(curve_parameter, "m", "m/s", stop=SLOT_STOP)}

    def __init__(
        self,
        a: AttachmentLike,
        b: AttachmentLike,
        points: MatrixLike,
        closed: bool = False,
        at: PointLike | None = None,
        *,
        limits: Limits = None,
        law: StopLaw = None,
        impact: StopImpact = None,
        name: str | None = None,
    ):
        owner = object_label("PointOnCurve", name)
        first = a if isinstance(a, Marker) else as_marker(owner, a)
        second = as_marker(owner, b, at)
        super().__init__(name, first.body, second.body)
        self.points = (first.at, second.at)
        if self.in_space:
            in_marker_axes = Spline(owner, points, closed, size=3)  # The points are checked as the user wrote them.
            in_body_axes = np.array(first.at) + in_marker_axes.spline(in_marker_axes.knots) @ first.axes.T
            self.curve = Spline(owner, in_body_axes, closed, size=3)
            self.rows = 2
            self.coordinates = {"parameter": point_on_spatial_curve.spatial_parameter}
            self.parameters = point_on_spatial_curve.slot_params(self.curve, first, second)
            self._set_limits(limits, law, impact)
            return
        self.curve = Spline(owner, points, closed)
        d = [q - p for p, q in zip(first.position, second.position, strict=True)]
        slot = PLANAR_SLOT.pack(
            sa_x=first.at[0],
            sa_y=first.at[1],
            axis_x=math.cos(first.angle),
            axis_y=math.sin(first.angle),
            sb_x=second.at[0],
            sb_y=second.at[1],
            warm_start=self.curve.nearest(rotate((d[0], d[1]), -first.orientation)),
        )
        self.parameters = (*slot, *self.curve.parameters())
        self._set_limits(limits, law, impact)

    def _set_limits(self, limits: Limits, law: StopLaw, impact: StopImpact) -> None:
        if limits is not None and self.curve.closed:
            raise ModelError(f"{self.label}: limits requires an open slot; a closed one has no ends")
        super()._set_limits(limits, law, impact)

    def curve_in_body_axes(self) -> tuple[Spline, tuple[float, ...]]:
        """Return the curve in space in the axes of a, and the pin in those of b [m]."""
        if self.in_space:
            return self.curve, self.points[1]  # type: ignore[return-value]
        points = np.column_stack([self._slot_points(self.curve.knots), np.zeros(len(self.curve.knots))])
        return Spline(self.label, points, self.curve.closed, size=3), (*self.points[1], 0.0)

    def _slot_points(self, parameters: np.ndarray) -> np.ndarray:
        """Return points of a planar slot in the axes of a [m]."""
        slot = PLANAR_SLOT.unpack(self.parameters)
        c, s = slot["axis_x"], slot["axis_y"]
        return np.asarray(self.curve.spline(parameters) @ np.array([[c, s], [-s, c]]) + np.array(self.points[0]))

    def _drawn_fields(self) -> dict[str, Any]:
        """Return the axis in 3D, the slot in 2D."""
        if self.in_space:
            return super()._drawn_fields()
        return {"slot": self._slot_points(np.linspace(0.0, self.curve.length, SLOT_POINTS))}
