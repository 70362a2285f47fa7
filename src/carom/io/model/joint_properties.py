"""Dry friction, springs and dampers of joints as robot descriptions state them: independent of the reaction."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.forces.bushing import Bushing
from carom.geometry.marker import Marker
from carom.geometry.rotation import quaternion_of
from carom.joints.prismatic import Prismatic
from carom.joints.spatial_markers import SPATIAL_MARKERS
from carom.laws.friction.coulomb import Coulomb


def hinge_friction(torque: float) -> dict[str, Any]:
    """Return the arguments of a hinge with the dry friction ``torque`` [N m]."""
    if not torque > 0.0:
        return {}
    return {"friction": Coulomb(1.0), "pin_radius": 1.0, "friction_load": torque}


def slide_friction(force: float) -> dict[str, Any]:
    """Return the arguments of a slide with the dry friction ``force`` [N]."""
    return {"friction": Coulomb(1.0), "friction_load": force} if force > 0.0 else {}


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
