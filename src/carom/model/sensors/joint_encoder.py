"""Encoder: coordinate of a joint in steps of a resolution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.argument_checks import object_label, positive, short_repr
from carom.errors import ModelError
from carom.joints.base import Joint
from carom.joints.driver import Driver
from carom.model.sensors.base import Measurement, Sensor, check_in_system


class JointEncoder(Sensor):
    """Encoder: the coordinate of a joint, rounded to multiples of the resolution.

    ``coordinate`` is the name of the coordinate of a joint with several, such as "displacement"; ``resolution`` [rad]
    or [m] is a step of the encoder: 2π/4096 for 4096 counts per revolution; without it the coordinate is exact. The
    signal has the name of the coordinate. ``noise`` is the standard deviation of white noise before the rounding,
    ``rate`` [Hz] that of its samples, ``seed`` that of the noise: see `Accelerometer`.

    Examples
    --------
    >>> case = cm.gallery.pendulum()
    >>> encoder = case.system.add(cm.JointEncoder(case.system.joints[0], resolution=0.01, name="encoder"))
    >>> angle = cm.simulate(case.system, 0.1)["encoder"].angle
    >>> bool(abs(angle / 0.01 - (angle / 0.01).round()).max() < 1e-9)
    True
    """

    def __init__(
        self,
        joint: Joint,
        resolution: float | None = None,
        coordinate: str | None = None,
        noise: float | Sequence[float] = 0.0,
        rate: float | None = None,
        seed: int = 0,
        *,
        name: str | None = None,
    ):
        owner = object_label("JointEncoder", name)
        if not isinstance(joint, Joint) or isinstance(joint, Driver) or not joint.coordinates:
            raise ModelError(f"{owner}: expected a joint with a free coordinate, got {short_repr(joint)}")
        signal = joint.coordinate(coordinate)
        super().__init__(name, joint.members, (signal,), (joint.coordinates[signal].unit,), noise, rate, seed)
        self.joint = joint
        self.resolution = None if resolution is None else positive(self.label, "resolution", resolution)

    def check_addition(self, system: Any) -> None:
        """Raise unless the joint is in the system."""
        check_in_system(self.label, self.joint, system)

    def measurement(self, system: Any) -> Measurement:
        """Return the function that reads the coordinate."""
        return lambda result: np.asarray(getattr(result[self.joint.name], self.signals[0]))[:, None]

    def reading(self, values: np.ndarray) -> np.ndarray:
        """Return the closest multiples of the resolution."""
        if self.resolution is None:
            return values
        return np.asarray(np.floor(values / self.resolution + 0.5) * self.resolution)
