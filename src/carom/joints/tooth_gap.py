"""Gap between the flanks of two gears with backlash, along the line of action."""

from __future__ import annotations

import math

from carom.geometry.pairs.base import NO_WARM_START, PAIR_OUTPUT
from carom.joints.spatial_markers import VECTOR
from carom.kernels import FLOAT, PAIR, kernel, record
from carom.mechanics.spatial_body import SPATIAL_BODY
from carom.mechanics.vector3 import add, position, rotated, store

TOOTH_GAP = record(
    side=FLOAT,  # 1: flanks on which a drives b forwards (a turns positively), −1: the other ones
    s_a=VECTOR,  # centres in body axes [m]
    s_b=VECTOR,
    radius_a=FLOAT,  # of the pitch circles [m]
    radius_b=FLOAT,
    pitch=FLOAT,  # along the pitch circle [m]
    half_backlash=FLOAT,  # along the pitch circle [m]
    offset=FLOAT,  # position in the middle of the backlash [m]
    distance=FLOAT,  # of the centres [m]
    cosine=FLOAT,  # of the pressure angle
    sine=FLOAT,
)


@kernel(PAIR, SPATIAL_BODY, SPATIAL_BODY, TOOTH_GAP, NO_WARM_START, PAIR_OUTPUT)
def tooth_gap(a, b, params, warm_start, out):
    """Evaluate (j/2 ∓ s) cos α + (d − d₀) sin α with s = r_a (θ_a − ψ) + r_b (θ_b − ψ), up to whole pitches."""
    centre_a = add(position(a), rotated(a, params.s_a))
    centre_b = add(position(b), rotated(b, params.s_b))
    dx = centre_b[0] - centre_a[0]
    dy = centre_b[1] - centre_a[1]
    d = math.sqrt(dx * dx + dy * dy)
    ex = dx / d
    ey = dy / d
    psi = math.atan2(dy, dx)
    s = params.radius_a * (a.rotation_angle[2] - psi) + params.radius_b * (b.rotation_angle[2] - psi) - params.offset
    s -= params.pitch * math.floor(s / params.pitch + 0.5)
    side = params.side
    cosine = params.cosine
    sine = params.sine
    out.gap = (params.half_backlash - side * s) * cosine + (d - params.distance) * sine
    store(out.normal, (side * cosine * ey - sine * ex, -side * cosine * ex - sine * ey, 0.0))
    share = params.radius_a / (params.radius_a + params.radius_b)
    point = (centre_a[0] + share * dx, centre_a[1] + share * dy, centre_a[2])
    store(out.point_a, point)
    store(out.point_b, point)
    store(out.force_point, point)
