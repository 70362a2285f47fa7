"""Gaps of joint coordinates at their limits, in the form of pair kernels: a stop is a contact of the two bodies.

The first body is a of the joint, the second b. With ``side`` = 1 for a lower limit and −1 for an upper one, the gap is
side · (coordinate − limit). A displacement has a force along its direction at the point of b, an angle a torque about
its axis, which is its normal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from carom.geometry.pairs.base import NO_WARM_START, PAIR_OUTPUT
from carom.geometry.pose import from_axes, to_axes
from carom.geometry.spatial_path import project_in_space, space_curve_at
from carom.joints.hinge_angle import HINGE_FIELDS, REVOLUTION, hinge_fields, with_revolutions
from carom.joints.planar_markers import PLANAR_MARKERS
from carom.joints.spatial_markers import SPATIAL_MARKERS, VECTOR
from carom.kernels import PAIR, Kernel, address_of, floats, jit, kernel, offset, record
from carom.mechanics.spatial_body import SPATIAL_BODY
from carom.mechanics.vector3 import add, dot, position, rotated, scale, store, subtract, to_body_axes

TRANSLATION_STOP = record("side limit", s_a=VECTOR, s_b=VECTOR, axis=VECTOR)  # points [m] and axis of a in body axes
PLANAR_ANGLE_STOP = record("side limit angle_offset")  # [rad]
HINGE_ANGLE_STOP = record("side limit", **HINGE_FIELDS)
CROSS_ANGLE_STOP = record("side limit middle is_about_b", x=VECTOR, y=VECTOR, z=VECTOR, w=VECTOR)
CURVE_STOP = record("side limit", s_b=VECTOR)  # pin in axes of b [m]; the curve in axes of a follows
CURVE_SIZE = CURVE_STOP.size
PARAMETER = record("s")
"""Warm start of a curve: parameter of the last closest point [m]."""

GAUSS_POINTS, GAUSS_WEIGHTS = ((float(x[0]), float(x[1]), float(x[2])) for x in np.polynomial.legendre.leggauss(3))
"""Nodes and weights of Gauss's rule on [−1, 1]."""
LARGEST_EXCESS = 0.25 * REVOLUTION
"""Angle beyond a limit at which a joint is still at this stop, and not within its limits a revolution later [rad]."""
PANELS = 4
"""Intervals in which the rule is applied to the length of a curve."""


@jit
def store_stop(out, gap, normal, point):
    """Store gap, normal and point of a stop in the record of a pair."""
    out.gap = gap
    store(out.normal, normal)
    store(out.point_a, point)
    store(out.point_b, point)
    store(out.force_point, point)


@kernel(PAIR, SPATIAL_BODY, SPATIAL_BODY, TRANSLATION_STOP, NO_WARM_START, PAIR_OUTPUT)
def translation_gap(a, b, params, warm_start, out):
    """Evaluate the gap of the displacement of a point of b from a point of a, along an axis of a."""
    axis = rotated(a, params.axis)
    point = add(position(b), rotated(b, params.s_b))
    displacement = dot(axis, subtract(point, add(position(a), rotated(a, params.s_a))))
    store_stop(out, params.side * (displacement - params.limit), scale(-params.side, axis), point)


@kernel(PAIR, SPATIAL_BODY, SPATIAL_BODY, PLANAR_ANGLE_STOP, NO_WARM_START, PAIR_OUTPUT)
def planar_angle_gap(a, b, params, warm_start, out):
    """Evaluate the gap of the relative angle of two planar bodies."""
    angle = b.rotation_angle[2] - a.rotation_angle[2] + params.angle_offset
    store_stop(out, params.side * (angle - params.limit), (0.0, 0.0, -params.side), position(b))


@kernel(PAIR, SPATIAL_BODY, SPATIAL_BODY, HINGE_ANGLE_STOP, NO_WARM_START, PAIR_OUTPUT)
def hinge_angle_gap(a, b, params, warm_start, out):
    """Evaluate the gap of the angle of a hinge, with its revolutions."""
    w = rotated(b, params.x_b)
    angle = math.atan2(dot(rotated(a, params.y_a), w), dot(rotated(a, params.x_a), w))
    angle = with_revolutions(a, b, angle, params)
    axis = rotated(a, params.z_a)
    store_stop(out, params.side * (angle - params.limit), scale(-params.side, axis), position(b))


@jit
def cross_angle(first, second, params):
    """Return the angle of w, fixed in the second body, from x towards y, fixed in the first [rad]."""
    w = rotated(second, params.w)
    return math.atan2(dot(rotated(first, params.y), w), dot(rotated(first, params.x), w))


@kernel(PAIR, SPATIAL_BODY, SPATIAL_BODY, CROSS_ANGLE_STOP, NO_WARM_START, PAIR_OUTPUT)
def cross_angle_gap(a, b, params, warm_start, out):
    """Evaluate the gap of an angle of the cross of a universal joint, the value nearest to the middle of its range."""
    if params.is_about_b != 0.0:
        angle = -cross_angle(b, a, params)
        axis = rotated(b, params.z)
    else:
        angle = cross_angle(a, b, params)
        axis = rotated(a, params.z)
    angle += REVOLUTION * math.floor((params.middle - angle) / REVOLUTION + 0.5)
    store_stop(out, params.side * (angle - params.limit), scale(-params.side, axis), position(b))


@jit
def length_between(curve, low, high):
    """Return the length of a curve from parameter ``low`` to ``high`` [m]."""
    total = 0.0
    half = 0.5 * (high - low) / PANELS
    for panel in range(PANELS):
        middle = low + (2.0 * panel + 1.0) * half
        for k in range(3):
            _, c1, _, _ = space_curve_at(curve, middle + half * GAUSS_POINTS[k])
            total += half * GAUSS_WEIGHTS[k] * math.sqrt(dot(c1, c1))
    return total


@kernel(PAIR, SPATIAL_BODY, SPATIAL_BODY, CURVE_STOP, PARAMETER, PAIR_OUTPUT)
def curve_gap(a, b, params, warm_start, out):
    """Evaluate the length of a curve of a between the limit and the point closest to a point of b."""
    curve = offset(floats(address_of(params)), CURVE_SIZE)
    point = add(position(b), rotated(b, params.s_b))
    warm_start.s = project_in_space(curve, warm_start.s, to_body_axes(a, subtract(point, position(a))))
    _, c1, _, _ = space_curve_at(curve, warm_start.s)
    tangent = rotated(a, scale(1.0 / math.sqrt(dot(c1, c1)), c1))
    gap = params.side * length_between(curve, params.limit, warm_start.s)
    store_stop(out, gap, scale(-params.side, tangent), point)


def _no_search(joint: Any) -> tuple[float, ...]:
    """Return no warm start."""
    return ()


@dataclass(frozen=True)
class StopGap:
    """Gap of a coordinate at a limit: its kernel, whether it is an angle, and the functions of a joint that it needs.

    ``parameters(joint, side, limit, limits)`` returns the parameters of the kernel in the current pose, and
    ``warm_start(joint)`` those of its search.
    """

    kernel: Kernel
    is_angle: bool
    parameters: Callable[[Any, float, float, tuple[float | None, float | None]], tuple[float, ...]]
    warm_start: Callable[[Any], tuple[float, ...]] = _no_search


def nearest_revolution(angle: float, limits: tuple[float | None, float | None]) -> float:
    """Return the revolutions [rad] to add to an angle in (−π, π]: the fewest with which it is within its limits.

    Up to `LARGEST_EXCESS` beyond a limit it is there, at a stop that gives way. Where no number of revolutions does,
    they are those nearest to the limits.
    """
    low, high = (-math.inf if limits[0] is None else limits[0]), (math.inf if limits[1] is None else limits[1])
    ends = [math.floor((end - angle) / REVOLUTION) + k for end in (low, high) if math.isfinite(end) for k in (0, 1)]

    def excess(turns: int) -> tuple[float, int]:
        total = angle + REVOLUTION * turns
        beyond = max(low - total, total - high)
        return (0.0 if beyond <= LARGEST_EXCESS else beyond), abs(turns)

    return REVOLUTION * min([0, *ends], key=excess)


def _planar_displacement(joint: Any, side: float, limit: float, limits: Any) -> tuple[float, ...]:
    p = PLANAR_MARKERS.unpack(joint.parameters)
    return TRANSLATION_STOP.pack(
        side=side, limit=limit, s_a=(p["sa_x"], p["sa_y"], 0.0), s_b=(p["sb_x"], p["sb_y"], 0.0),
        axis=(p["axis_x"], p["axis_y"], 0.0),
    )  # fmt: skip


def _displacement(axis: str, joint: Any, side: float, limit: float, limits: Any) -> tuple[float, ...]:
    """Return the parameters of the displacement along an axis of the marker of a, in 3D."""
    p = SPATIAL_MARKERS.unpack(joint.parameters)
    return TRANSLATION_STOP.pack(side=side, limit=limit, s_a=p["s_a"], s_b=p["s_b"], axis=p[axis])


def _planar_angle(joint: Any, side: float, limit: float, limits: Any) -> tuple[float, ...]:
    offset = PLANAR_MARKERS.unpack(joint.parameters)["angle_offset"]
    return PLANAR_ANGLE_STOP.pack(side=side, limit=limit, angle_offset=offset)


def _hinge_angle(joint: Any, side: float, limit: float, limits: Any) -> tuple[float, ...]:
    fields = hinge_fields(joint)
    fields["start_angle"] += nearest_revolution(fields["start_angle"], limits)
    return HINGE_ANGLE_STOP.pack(side=side, limit=limit, **fields)


def _thread_angle(joint: Any, side: float, limit: float, limits: Any) -> tuple[float, ...]:
    fields = hinge_fields(joint)
    a, b = joint.members
    point = to_axes(a, from_axes(b, joint.points[1]))
    along = float(fields["z_a"] @ (np.array(point) - np.array(joint.points[0])))
    fields["start_angle"] += REVOLUTION * round(along / joint.pitch - fields["start_angle"] / REVOLUTION)
    return HINGE_ANGLE_STOP.pack(side=side, limit=limit, **fields)


def _cross_angle(own: str, other: str, joint: Any, side: float, limit: float, limits: Any) -> tuple[float, ...]:
    """Return the parameters of an angle of the cross of a universal joint about its axis in the body ``own``."""
    p = SPATIAL_MARKERS.unpack(joint.parameters)
    low, high = limits
    if low is not None and high is not None:
        middle = 0.5 * (low + high)
    else:
        middle = limit + side * (math.pi - LARGEST_EXCESS)
    return CROSS_ANGLE_STOP.pack(
        side=side, limit=limit, middle=middle, is_about_b=float(own == "b"),
        x=p[f"x_{own}"], y=p[f"y_{own}"], z=p[f"z_{own}"], w=p[f"z_{other}"],
    )  # fmt: skip


def _curve(joint: Any, side: float, limit: float, limits: Any) -> tuple[float, ...]:
    curve, s_b = joint.curve_in_body_axes()
    return (*CURVE_STOP.pack(side=side, limit=limit, s_b=s_b), *curve.parameters())


def _curve_start(joint: Any) -> tuple[float, ...]:
    curve, _ = joint.curve_in_body_axes()
    a, b = joint.members
    pin = to_axes(a, from_axes(b, joint.points[1]))
    return (curve.nearest((*pin, 0.0)[:3]),)


PLANAR_STOP = StopGap(translation_gap, False, _planar_displacement)
SPATIAL_STOP = StopGap(translation_gap, False, partial(_displacement, "z_a"))
STOP_ALONG_X = StopGap(translation_gap, False, partial(_displacement, "x_a"))
STOP_ALONG_Y = StopGap(translation_gap, False, partial(_displacement, "y_a"))
ANGLE_STOP = StopGap(planar_angle_gap, True, _planar_angle)
HINGE_STOP = StopGap(hinge_angle_gap, True, _hinge_angle)
CROSS_STOP_A = StopGap(cross_angle_gap, True, partial(_cross_angle, "a", "b"))
CROSS_STOP_B = StopGap(cross_angle_gap, True, partial(_cross_angle, "b", "a"))
THREAD_STOP = StopGap(hinge_angle_gap, True, _thread_angle)
SLOT_STOP = StopGap(curve_gap, False, _curve, _curve_start)
