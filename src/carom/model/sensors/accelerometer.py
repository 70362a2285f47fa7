"""Accelerometer: specific force at a point of a body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.argument_checks import object_label
from carom.geometry.marker import AttachmentLike, as_marker
from carom.model.body import Ground
from carom.model.sensors.base import Measurement, Sensor, body_axes, in_axes, local_axes


class Accelerometer(Sensor):
    """Accelerometer: the specific force f = a − g at a point of a body, in the axes of the sensor [m/s²].

    ``at`` is a body (its centre of mass) or a marker, whose point and axes are those of the sensor. In free fall it
    reads zero, at rest the acceleration of gravity upwards. Signals: ``ax``, ``ay``, in 3D also ``az``. In time
    stepping the acceleration is the mean of a step, so that an impact is a peak of one step.

    ``noise`` is the standard deviation of white noise, a number or one per signal. With ``rate`` [Hz] the sensor
    samples at t = 0, 1/rate, 2/rate … and holds the value; steps end at these times. Noise depends on ``seed``, the
    name, and the time or number of the sample only: it is equal in all runs, also in resumed ones and step by step.

    Examples
    --------
    >>> system = cm.System(gravity=(0.0, -9.81))
    >>> rotor = system.add(cm.Body("rotor", mass=1.0, inertia=0.1, angular_velocity=4.0))
    >>> pivot = system.add(cm.Revolute(system.ground, rotor, at=(0.0, 0.0)))
    >>> imu = system.add(cm.Accelerometer(rotor.point(0.5, 0.0), name="imu"))
    >>> result = cm.simulate(system, 0.1)
    >>> [round(float(value), 6) for value in (result["imu"].ax[0], result["imu"].ay[0])]  # −ω² r, g
    [-8.0, 9.81]
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
        marker = as_marker(object_label("Accelerometer", name), at)
        size = len(marker.at)
        super().__init__(name, (marker.body,), ("ax", "ay", "az")[:size], ("m/s^2",) * size, noise, rate, seed)
        self.marker = marker
        self.points = (marker.at,)

    def measurement(self, system: Any) -> Measurement:
        """Return the function that computes the specific force."""
        marker, gravity, axes = self.marker, np.array(system.gravity), local_axes(self.marker)

        def specific_force(result: Any) -> np.ndarray:
            turn = body_axes(marker.body, result)
            if isinstance(marker.body, Ground):
                return in_axes(in_axes(np.broadcast_to(-gravity, (len(turn), len(gravity))), turn), axes)
            series = result[marker.body.name]
            local = in_axes(series.acceleration - gravity, turn) + relative_acceleration(series, np.array(marker.at))
            return in_axes(local, axes)

        return specific_force


def relative_acceleration(series: Any, r: np.ndarray) -> np.ndarray:
    """Return the acceleration (n, d) of a point ``r`` of a body relative to its centre of mass, in body axes [m/s²]."""
    if len(r) == 2:
        tangential = series.alpha[:, None] * np.array([-r[1], r[0]])
        return np.asarray(tangential - series.omega[:, None] ** 2 * r)
    return np.asarray(np.cross(series.alpha, r) + np.cross(series.omega, np.cross(series.omega, r)))
