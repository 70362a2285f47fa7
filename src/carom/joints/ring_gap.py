"""Gap between a ring and a cylinder: the end of a journal in a bore, or the end of a bore on a journal.

A ring that is tilted by φ against the axis of the cylinder is an ellipse in the plane across that axis, with the
half-axes ρ cos φ in the direction of the tilt and ρ across it. Its point farthest from the axis of the bore, or closest
to that of the journal, is in the quadrant of its centre, or opposite to it, where it is the only zero of a monotonic
function.
"""

from __future__ import annotations

import math

from carom.geometry.pairs.base import NO_WARM_START, PAIR_OUTPUT
from carom.geometry.pairs.sphere_common import perpendicular_to
from carom.joints.spatial_markers import VECTOR
from carom.kernels import FLOAT, PAIR, jit, kernel, record
from carom.mechanics.spatial_body import SPATIAL_BODY
from carom.mechanics.vector3 import add, cross, dot, position, rotated, scale, store, subtract

RING_GAP = record(
    is_bearing_ring=FLOAT,  # 0: ring of b in the bore of a; 1: ring of a on the journal of b
    ring_centre=VECTOR,  # in axes of the body of the ring [m]
    ring_axis=VECTOR,
    ring_radius=FLOAT,  # [m]
    line_point=VECTOR,  # of the axis of the cylinder, in axes of the other body [m]
    line_axis=VECTOR,
    line_radius=FLOAT,  # of the cylinder [m]
)

ITERATIONS = 100
"""Largest number of steps to the point of the ring; Newton's method needs a few."""


@jit
def quadrant_angle(along, across, bend):
    """Return α in [0, π/2] with across cos α − along sin α + bend sin α cos α = 0, all of them not negative.

    Divided by sin α cos α the function decreases monotonically; with a negative ``bend`` it is that for a minimum.
    """
    low = 0.0
    high = 0.5 * math.pi
    alpha = math.atan2(across, along)
    for _ in range(ITERATIONS):
        c = math.cos(alpha)
        s = math.sin(alpha)
        value = across * c - along * s + bend * s * c
        if value > 0.0:
            low = alpha
        elif value < 0.0:
            high = alpha
        else:
            return alpha
        slope = -across * s - along * c + bend * (c * c - s * s)
        step = alpha - value / slope if slope < 0.0 else low
        following = step if low < step < high else 0.5 * (low + high)
        if following == alpha or not low < following < high:
            return alpha
        alpha = following
    return alpha


@kernel(PAIR, SPATIAL_BODY, SPATIAL_BODY, RING_GAP, NO_WARM_START, PAIR_OUTPUT)
def ring_gap(a, b, params, warm_start, out):
    """Evaluate the gap between a ring and a cylinder; the normal points outwards, from journal (b) to bearing (a)."""
    is_outer = params.is_bearing_ring != 0.0
    ring, other = (a, b) if is_outer else (b, a)
    centre = add(position(ring), rotated(ring, params.ring_centre))
    w = rotated(ring, params.ring_axis)
    origin = add(position(other), rotated(other, params.line_point))
    u = rotated(other, params.line_axis)
    k = dot(u, w)
    if k < 0.0:
        w = scale(-1.0, w)
        k = -k
    m = cross(u, w)
    sine = math.sqrt(dot(m, m))
    if sine > 1e-14:
        m = scale(1.0 / sine, m)
    else:
        m = perpendicular_to(u[0], u[1], u[2])
    t = cross(m, u)  # across the axis, in the direction of the tilt
    along_ring = cross(m, w)  # in the plane of the ring, over t
    offset = subtract(centre, origin)
    ct = dot(offset, t)
    cm = dot(offset, m)
    rho = params.ring_radius
    bend = rho * sine * sine
    alpha = quadrant_angle(abs(ct) * k, abs(cm), -bend if is_outer else bend)
    sign = -1.0 if is_outer else 1.0
    cosine = sign * math.cos(alpha) * (1.0 if ct >= 0.0 else -1.0)
    sine_alpha = sign * math.sin(alpha) * (1.0 if cm >= 0.0 else -1.0)
    x = ct + rho * k * cosine
    y = cm + rho * sine_alpha
    distance = math.sqrt(x * x + y * y)
    point = add(centre, add(scale(rho * cosine, along_ring), scale(rho * sine_alpha, m)))
    normal = add(scale(x / distance, t), scale(y / distance, m)) if distance > 0.0 else t
    gap = distance - params.line_radius if is_outer else params.line_radius - distance
    out.gap = gap
    store(out.normal, normal)
    if is_outer:
        store(out.point_a, point)
        store(out.point_b, subtract(point, scale(gap, normal)))
    else:
        store(out.point_a, add(point, scale(gap, normal)))
        store(out.point_b, point)
    store(out.force_point, point)
