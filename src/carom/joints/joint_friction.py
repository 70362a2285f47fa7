"""Friction of joints as users set it, and its directions in the form of pair kernels.

The first body is a of the joint, the second b. The direction is that of the displacement or the axis of the rotation,
and the shapes never touch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from carom.argument_checks import non_negative, positive, short_repr
from carom.errors import ModelError
from carom.geometry.pairs.base import NO_CONTACT, NO_WARM_START, PAIR_OUTPUT
from carom.joints.planar_markers import PLANAR_MARKERS
from carom.joints.spatial_markers import VECTOR
from carom.joints.stop_gaps import store_stop
from carom.kernels import PAIR, Kernel, kernel, record
from carom.laws.friction.base import FrictionLaw
from carom.mechanics.spatial_body import SPATIAL_BODY
from carom.mechanics.vector3 import add, angular_velocity, dot, position, rotated, scale, subtract

DIRECTION = record(axis=VECTOR, s_b=VECTOR)  # direction in axes of a [-], point of b in its axes [m]


@kernel(PAIR, SPATIAL_BODY, SPATIAL_BODY, DIRECTION, NO_WARM_START, PAIR_OUTPUT)
def fixed_direction(a, b, params, warm_start, out):
    """Return a direction of a at the point of b."""
    store_stop(out, NO_CONTACT, rotated(a, params.axis), add(position(b), rotated(b, params.s_b)))


@kernel(PAIR, SPATIAL_BODY, SPATIAL_BODY, DIRECTION, NO_WARM_START, PAIR_OUTPUT)
def rotation_direction(a, b, params, warm_start, out):
    """Return the direction of the relative angular velocity; a direction of a at rest."""
    rate = subtract(angular_velocity(a), angular_velocity(b))
    speed = math.sqrt(dot(rate, rate))
    axis = scale(1.0 / speed, rate) if speed > 0.0 else rotated(a, params.axis)
    store_stop(out, NO_CONTACT, axis, add(position(b), rotated(b, params.s_b)))


@dataclass(frozen=True)
class Friction:
    """Friction of a joint: law, and the sizes and load from which its normal force follows.

    ``radius`` [m] is that of the pin or ball, None for a slide; ``guide_length`` [m] is 0 without tilting moments;
    ``load`` [N] replaces the reaction if it is not None. Row numbers are those of the joint: the first ``force_rows``
    are the components of the reaction, ``moment_rows`` from ``moment_row`` on those of the tilting moment.
    """

    law: FrictionLaw
    kernel: Kernel
    parameters: tuple[float, ...]
    radius: float | None
    guide_length: float
    load: float | None
    force_rows: int
    moment_row: int = 0
    moment_rows: int = 0
    is_ball: bool = False


def _checked(owner: str, friction: Any, load: Any, given: dict[str, Any]) -> bool:
    """Return True if a joint has friction; check law and load, and that no other argument is left without it."""
    if friction is None:
        for what, value in {**given, "friction_load": load}.items():
            if value is not None:
                raise ModelError(f"{owner}: {what} requires friction=, a law such as friction.Coulomb(0.1)")
        return False
    if not isinstance(friction, FrictionLaw):
        example = "one of carom.friction, such as friction.Coulomb(0.1)"
        raise ModelError(f"{owner}: friction must be {example}, got {short_repr(friction)}")
    if friction.has_state:
        raise ModelError(
            f"{owner}: friction must be a law without a state, such as friction.Coulomb or friction.Threlfall, got "
            f"{short_repr(friction)}"
        )
    if load is not None:
        non_negative(owner, "friction_load", load)
    return True


def pin_friction(joint: Any, friction: Any, pin_radius: Any, load: Any) -> Friction | None:
    """Return the friction of a revolute or spherical joint: torque = radius · friction force of the reaction."""
    if not _checked(joint.label, friction, load, {"pin_radius": pin_radius}):
        return None
    if pin_radius is None:
        raise ModelError(f"{joint.label}: pin_radius is missing; friction= needs the radius of the pin [m]")
    radius = positive(joint.label, "pin_radius", pin_radius)
    is_ball = joint.in_space and not joint.coordinates
    axis = joint.spatial_axis() if joint.in_space and not is_ball else (0.0, 0.0, 1.0)
    s_b = (*joint.points[1], 0.0)[:3]
    return Friction(
        friction, rotation_direction if is_ball else fixed_direction, DIRECTION.pack(axis=axis, s_b=s_b), radius, 0.0,
        None if load is None else float(load), 3 if joint.in_space else 2, is_ball=is_ball,
    )  # fmt: skip


def slide_friction(joint: Any, friction: Any, guide_length: Any, load: Any) -> Friction | None:
    """Return the friction of a prismatic joint: along the slide, by the reaction across it."""
    if not _checked(joint.label, friction, load, {"guide_length": guide_length}):
        return None
    length = 0.0 if guide_length is None else positive(joint.label, "guide_length", guide_length)
    if joint.in_space:
        axis, rows = joint.spatial_axis(), (2, 3, 2)
    else:
        markers = PLANAR_MARKERS.unpack(joint.parameters)
        axis, rows = (markers["axis_x"], markers["axis_y"], 0.0), (1, 1, 1)
    s_b = (*joint.points[1], 0.0)[:3]
    return Friction(
        friction, fixed_direction, DIRECTION.pack(axis=axis, s_b=s_b), None, length,
        None if load is None else float(load), *rows,
    )  # fmt: skip
