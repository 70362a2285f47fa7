"""Registry of sensors by name. A new sensor is one new file, and its import and name here."""

from __future__ import annotations

from carom.model.sensors.accelerometer import Accelerometer
from carom.model.sensors.base import Sensor
from carom.model.sensors.contact_switch import ContactSwitch
from carom.model.sensors.force_plate import ForcePlate
from carom.model.sensors.gyroscope import Gyroscope
from carom.model.sensors.joint_encoder import JointEncoder

__all__ = [  # noqa: RUF022  the order of the documentation
    "Accelerometer",
    "Gyroscope",
    "JointEncoder",
    "ContactSwitch",
    "ForcePlate",
]

SENSORS: dict[str, type[Sensor]] = {name: globals()[name] for name in __all__}
"""Sensors by name; all are public names of `carom`."""
