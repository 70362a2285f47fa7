"""Rows of `PointOnCurve` in 3D, and their parameters."""

from __future__ import annotations

import numpy as np

from carom.geometry.marker import Marker
from carom.geometry.pose import to_axes
from carom.geometry.spatial_path import project_in_space, space_curve_at
from carom.geometry.spline import Spline
from carom.joints.base import Coordinate
from carom.joints.spatial_constraints import ROW_SIZE, relative_point_row
from carom.joints.spatial_markers import VECTOR
from carom.joints.stop_gaps import SLOT_STOP
from carom.kernels import FLOAT, JOINT, address_of, floats, jit, kernel, offset, record
from carom.mechanics.spatial_body import body_at
from carom.mechanics.vector3 import (
    add,
    angular_velocity,
    cross,
    dot,
    load,
    position,
    rotated,
    scale,
    subtract,
    to_body_axes,
    velocity,
    velocity_at,
)

SPATIAL_SLOT = record(
    s_b=VECTOR,  # pin in axes of b [m]
    k=VECTOR,  # direction in axes of a to which the curve is never parallel [-]
    warm_start=FLOAT,  # curve parameter of the last closest point [m]
)
"""The data of the curve in the axes of a follow."""
CURVE_OFFSET = SPATIAL_SLOT.size

N_DIRECTIONS = 400
"""Directions from which the one farthest from the tangents of the curve is chosen."""


@jit
def curve_data(params):
    """Return a pointer to the data of the curve."""
    return offset(floats(address_of(params)), CURVE_OFFSET)


@jit
def relative_point(a, b, sb):
    """Return the point of b [m] and its velocity [m/s] relative to a, in the axes of a."""
    d = subtract(add(position(b), sb), position(a))
    rate = subtract(velocity_at(b, sb), add(velocity(a), cross(angular_velocity(a), d)))
    return to_body_axes(a, d), to_body_axes(a, rate)


@kernel(JOINT, SPATIAL_SLOT)
def spatial(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate two rows, (k × c')·(p − c) and k·(p − c) at the point c(s) closest to p.

    Each is G(p, s(p)): the row is along G_p + G_s s_p, and Φ̈ also contains 2 G_ps ṗ ṡ + G_ss ṡ² + G_s s̈.
    """
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    sb = rotated(b, params.s_b)
    p, u = relative_point(a, b, sb)
    curve = curve_data(params)
    params.warm_start = project_in_space(curve, params.warm_start, p)
    c, c1, c2, c3 = space_curve_at(curve, params.warm_start)
    k = load(params.k)
    e = subtract(p, c)
    slope = dot(c1, c1) - dot(c2, e)
    rate = dot(c1, u) / slope
    s_bias = (2.0 * dot(c2, u) + (dot(c3, e) - 3.0 * dot(c1, c2)) * rate) * rate
    m = cross(k, c1)
    m1 = cross(k, c2)
    Phi[0] = dot(m, e)
    factor = dot(m1, e) / slope
    second = 2.0 * dot(m1, u) * rate + (dot(cross(k, c3), e) - dot(m1, c1)) * rate * rate + factor * s_bias
    n = rotated(a, add(m, scale(factor, c1)))
    gamma_c[0] = -second - relative_point_row(a, b, n, sb, Phi_q)
    Phi[1] = dot(k, e)
    factor = -dot(k, c1) / slope
    second = factor * s_bias - dot(k, c2) * rate * rate
    n = rotated(a, add(k, scale(factor, c1)))
    gamma_c[1] = -second - relative_point_row(a, b, n, sb, offset(Phi_q, ROW_SIZE))


@kernel(JOINT, SPATIAL_SLOT)
def curve_parameter(bodies, body_offsets, params, Phi, Phi_q, gamma_c):
    """Evaluate the parameter s of the closest point [m], from c'·(p − c) = 0 differentiated twice."""
    a = body_at(bodies, body_offsets[0])
    b = body_at(bodies, body_offsets[1])
    sb = rotated(b, params.s_b)
    p, u = relative_point(a, b, sb)
    curve = curve_data(params)
    params.warm_start = project_in_space(curve, params.warm_start, p)
    c, c1, c2, c3 = space_curve_at(curve, params.warm_start)
    e = subtract(p, c)
    slope = dot(c1, c1) - dot(c2, e)
    rate = dot(c1, u) / slope
    s_bias = (2.0 * dot(c2, u) + (dot(c3, e) - 3.0 * dot(c1, c2)) * rate) * rate
    Phi[0] = params.warm_start
    n = rotated(a, scale(1.0 / slope, c1))
    gamma_c[0] = -s_bias / slope - relative_point_row(a, b, n, sb, Phi_q)


spatial_parameter = Coordinate(curve_parameter, "m", "m/s", stop=SLOT_STOP)
"""Parameter of the closest point of the curve, chord length along it."""


def slot_params(curve: Spline, first: Marker, second: Marker) -> tuple[float, ...]:
    """Return the parameters of the kernels, for a curve in the axes of the body of ``first``."""
    warm_start = curve.nearest(to_axes(first.body, second.position))
    slot = SPATIAL_SLOT.pack(s_b=second.at, k=transverse_direction(curve), warm_start=warm_start)
    return (*slot, *curve.parameters())


def transverse_direction(curve: Spline) -> tuple[float, ...]:
    """Return the direction farthest from the tangents of the curve: the normal of its plane, if it is planar."""
    tangents = curve.spline(curve.samples(400), 1)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    plane_normal = np.linalg.svd(tangents)[2][-1]
    k = np.arange(N_DIRECTIONS) + 0.5  # The golden angle distributes the directions evenly over the half sphere.
    height = k / N_DIRECTIONS
    angles = k * np.pi * (3.0 - np.sqrt(5.0))
    radius = np.sqrt(1.0 - height**2)
    half_sphere = np.column_stack([radius * np.cos(angles), radius * np.sin(angles), height])
    candidates = np.vstack([plane_normal, half_sphere])
    best = candidates[np.argmin(np.abs(tangents @ candidates.T).max(axis=0))]
    return tuple(float(part) for part in best)
