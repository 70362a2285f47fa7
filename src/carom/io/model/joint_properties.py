"""Dry friction, springs and dampers of joints as robot descriptions state them: independent of the reaction."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.forces.bushing import Bushing
from carom.forces.point_force import PointForce
from carom.geometry.marker import Marker
from carom.geometry.rotation import quaternion_of
from carom.joints.prismatic import Prismatic
from carom.joints.spatial_markers import SPATIAL_MARKERS
from carom.laws.friction.coulomb import Coulomb
from carom.model.body import Ground


def hinge_friction(torque: float) -> dict[str, Any]:
    """Return the arguments of a hinge with the dry friction ``torque`` [N m]."""
    if not torque > 0.0:
        return {}
    return {"friction": Coulomb(1.0), "pin_radius": 1.0, "friction_load": torque}


def slide_friction(force: float) -> dict[str, Any]:
    """Return the arguments of a slide with the dry friction ``force`` [N]."""
    return {"friction": Coulomb(1.0), "friction_load": force} if force > 0.0 else {}


def slide_force(joint: Prismatic, force: float, name: str) -> list[PointForce]:
    """Return a constant force [N] along the slide of a joint: on its second body, and the reaction on its first."""
    markers = SPATIAL_MARKERS.unpack(joint.parameters)
    a, b = joint.members
    on_b = PointForce(Marker(b, tuple(markers["s_b"])), force * markers["z_b"], "body", name=name)
    if isinstance(a, Ground):
        return [on_b]
    on_a = PointForce(Marker(a, tuple(markers["s_a"])), -force * markers["z_a"], "body", name=f"{name} reaction")
    return [on_b, on_a]


def slide_spring(joint: Prismatic, stiffness: float, damping: float, name: str, free: float = 0.0) -> Bushing:
    """Return a spring [N/m] and damper [N s/m] along the slide of a joint, relaxed at the displacement ``free`` [m]."""
    markers = SPATIAL_MARKERS.unpack(joint.parameters)
    ends = [
        Marker(
            body,
            tuple(markers[point] + shift * markers[axes[2]]),
            0.0,
            quaternion_of(np.array([markers[axis] for axis in axes]).T),
        )
        for body, point, axes, shift in zip(
            joint.members,
            ("s_a", "s_b"),
            (("x_a", "y_a", "z_a"), ("x_b", "y_b", "z_b")),
            (free, 0.0),
            strict=True,
        )
    ]
    a, b = ends
    rest = (0.0, 0.0, 0.0)
    return Bushing(a, b, (0.0, 0.0, stiffness, *rest), (0.0, 0.0, damping, *rest), name=name)
