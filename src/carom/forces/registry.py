"""Registry of force elements by name. A new force is one new file, and its import and name here."""

from __future__ import annotations

from carom.forces.base import Force
from carom.forces.bushing import Bushing
from carom.forces.ligament import Ligament
from carom.forces.point_force import PointForce
from carom.forces.rotational_spring_damper import RotationalSpringDamper
from carom.forces.spring_damper import SpringDamper
from carom.forces.torque import Torque

__all__ = [  # noqa: RUF022  the order of the documentation
    "PointForce",
    "Torque",
    "SpringDamper",
    "RotationalSpringDamper",
    "Ligament",
    "Bushing",
]

FORCES: dict[str, type[Force]] = {name: globals()[name] for name in __all__}
"""Forces by name; all are public names of `carom`."""
