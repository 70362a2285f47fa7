"""Registry of force elements by name. A new force is one new file and one line here."""

from __future__ import annotations

from carom.forces.base import Force
from carom.forces.bushing import Bushing
from carom.forces.ligament import Ligament
from carom.forces.point_force import PointForce
from carom.forces.rotational_spring_damper import RotationalSpringDamper
from carom.forces.spring_damper import SpringDamper
from carom.forces.torque import Torque

FORCES: dict[str, type[Force]] = {
    force.__name__: force for force in (PointForce, Torque, SpringDamper, RotationalSpringDamper, Ligament, Bushing)
}
