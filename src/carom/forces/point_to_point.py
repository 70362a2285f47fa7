"""Force along the line between two points: length, its rate and the wrenches, for springs and ligaments."""

from __future__ import annotations

import math
from typing import Any

from carom.joints.planar_markers import PLANAR_POINTS, relative_motion
from carom.joints.spatial_markers import VECTOR
from carom.kernels import RecordType, jit, offset, record
from carom.mechanics.element_output import force_output
from carom.mechanics.vector3 import add, cross, dot, position, rotated, scale, store, subtract, velocity_at

LINE_OUTPUT = force_output("length rate tension")
"""Length [m], its rate [m/s], tension [N]."""


def line_params(**fields: Any) -> tuple[RecordType, RecordType]:
    """Declare the parameters of a force between two points in 2D and in 3D: points in body axes, then ``fields``."""
    return record(" ".join(PLANAR_POINTS), **fields), record(s_a=VECTOR, s_b=VECTOR, **fields)


@jit
def line_kinematics(a, b, params):
    """Return the length [m] of the line p_a → p_b, its rate [m/s], its direction, and the arms s_a, s_b."""
    ax, ay, bx, by, dx, dy, vx, vy = relative_motion(a, b, params)
    length = math.sqrt(dx * dx + dy * dy)
    ux = 0.0
    uy = 0.0
    if length > 0.0:  # A line of length zero has no direction, so its force is zero.
        ux = dx / length
        uy = dy / length
    return length, ux * vx + uy * vy, ux, uy, ax, ay, bx, by


@jit
def store_tension(tension, ux, uy, ax, ay, bx, by, wrenches):
    """Store the wrenches of a tension [N] that pulls the two points together."""
    fx = tension * ux
    fy = tension * uy
    wrenches[0] = fx
    wrenches[1] = fy
    wrenches[2] = ax * fy - ay * fx
    wrenches[3] = -fx
    wrenches[4] = -fy
    wrenches[5] = by * fx - bx * fy


@jit
def spatial_line_kinematics(a, b, params):
    """Return the length [m] of the line p_a → p_b, its rate [m/s], its direction, and the arms s_a, s_b."""
    sa = rotated(a, params.s_a)
    sb = rotated(b, params.s_b)
    gap = subtract(add(position(b), sb), add(position(a), sa))
    length = math.sqrt(dot(gap, gap))
    u = scale(0.0, gap)
    if length > 0.0:
        u = scale(1.0 / length, gap)
    return length, dot(u, subtract(velocity_at(b, sb), velocity_at(a, sa))), u, sa, sb


@jit
def store_spatial_tension(tension, u, sa, sb, wrenches):
    """Store the wrenches of a tension [N] that pulls the two points together."""
    force = scale(tension, u)
    store(wrenches, force)
    store(offset(wrenches, 3), cross(sa, force))
    store(offset(wrenches, 6), scale(-1.0, force))
    store(offset(wrenches, 9), cross(force, sb))
