"""Registry of joints by name. A new joint is one new file, and its import and name here."""

from __future__ import annotations

from carom.joints.base import Joint
from carom.joints.cylindrical import Cylindrical
from carom.joints.distance import Distance
from carom.joints.driver import Driver
from carom.joints.gear import Gear
from carom.joints.planar_joint import Planar
from carom.joints.point_on_curve import PointOnCurve
from carom.joints.point_on_line import PointOnLine
from carom.joints.prismatic import Prismatic
from carom.joints.rack_pinion import RackPinion
from carom.joints.revolute import Revolute
from carom.joints.screw import Screw
from carom.joints.spherical import Spherical
from carom.joints.universal import Universal
from carom.joints.weld import Weld

__all__ = [  # noqa: RUF022  the order of the documentation
    "Revolute",
    "Prismatic",
    "Weld",
    "Distance",
    "PointOnLine",
    "PointOnCurve",
    "Gear",
    "RackPinion",
    "Spherical",
    "Universal",
    "Cylindrical",
    "Planar",
    "Screw",
    "Driver",
]

JOINTS: dict[str, type[Joint]] = {name: globals()[name] for name in __all__}
"""Joints by name; all are public names of `carom`."""
