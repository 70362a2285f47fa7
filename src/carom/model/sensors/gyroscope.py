"""Gyroscope: angular velocity of a body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.argument_checks import object_label
from carom.geometry.marker import AttachmentLike, as_marker
from carom.model.body import Ground
from carom.model.sensors.base import Measurement, Sensor, in_axes, local_axes


class Gyroscope(Sensor):
    """Gyroscope: the angular velocity of a body in the axes of the sensor [rad/s].

    ``at`` is a body or a marker, whose axes are those of the sensor. Signals: ``omega``, in 3D ``wx``, ``wy``, ``wz``.
    ``noise`` is the standard deviation of white noise, ``rate`` [Hz] that of its samples, ``seed`` that of the noise:
    see `Accelerometer`.

    Examples
    --------
    >>> system = cm.System()
    >>> rotor = system.add(cm.Body("rotor", mass=1.0, inertia=0.1, angular_velocity=4.0))
    >>> gyro = system.add(cm.Gyroscope(rotor, name="gyro"))
    >>> float(cm.simulate(system, 0.1)["gyro"].omega[-1])
    4.0
    """

    def __init__(
        self,
        at: AttachmentLike,
        noise: float | Sequence[float] = 0.0,
        rate: float | None = None,
        seed: int = 0,
        *,
        name: str | None = None,
    ):
        marker = as_marker(object_label("Gyroscope", name), at)
        signals = ("wx", "wy", "wz") if marker.spatial else ("omega",)
        super().__init__(name, (marker.body,), signals, ("rad/s",) * len(signals), noise, rate, seed)
        self.marker = marker

    def measurement(self, system: Any) -> Measurement:
        """Return the function that computes the angular velocity."""
        marker, axes = self.marker, local_axes(self.marker)

        def angular_velocity(result: Any) -> np.ndarray:
            if isinstance(marker.body, Ground):
                return np.zeros((len(result.t), len(self.signals)))
            omega = result[marker.body.name].omega
            return in_axes(omega, axes) if marker.spatial else np.asarray(omega)[:, None]

        return angular_velocity
