"""Force plate: sum of the contact forces between a body and others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.argument_checks import object_label
from carom.errors import ModelError
from carom.geometry.element import Element
from carom.geometry.marker import AttachmentLike, as_marker
from carom.model.body import Ground
from carom.model.contact_group import ContactGroup
from carom.model.sensors.base import (
    Measurement,
    Sensor,
    body_axes,
    check_in_system,
    in_axes,
    local_axes,
    marker_point,
)
from carom.model.sensors.contact_switch import checked_contacts, contact_points

POINT_SIGNALS = {"x", "y", "fx", "fy"}
"""Signals of contacts with a point and a force."""


class ForcePlate(Sensor):
    """Force plate: the force of a body on all that is in contact with it, and its torque about the origin of the plate.

    ``at`` is the body, `system.ground`, or a marker, whose point and axes are those of the plate. ``contacts`` are the
    contacts to be summed up, by default all contacts of the body. The signals are a reaction: a block at rest on a
    horizontal plate reads its weight upwards. They are ``fx``, ``fy`` [N] and ``torque`` [N m], in 3D ``fx``, ``fy``,
    ``fz`` and ``tx``, ``ty``, ``tz``, in the axes of the plate. The centre of pressure of a plate with its
    normal along y is at x = torque/fy, in 3D with its normal along z at (−ty/fz, tx/fz).

    ``noise`` is the standard deviation of white noise, a number or one per signal, ``rate`` [Hz] that of its samples,
    ``seed`` that of the noise: see `Accelerometer`. Runs of many bodies sum up all contacts, of the ground or of bodies
    with joints.

    Examples
    --------
    >>> system = cm.System(gravity=(0.0, -10.0))
    >>> block = system.add(cm.Body("block", mass=3.0, position=(0.2, 0.0)))
    >>> law = cm.laws.KelvinVoigt(stiffness=1e5, damping=600.0)
    >>> touch = system.add(cm.Contact(cm.Sphere(block, 0.1), cm.Plane(system.ground, at=(0.0, -0.1)), law=law))
    >>> plate = system.add(cm.ForcePlate(system.ground, name="plate"))
    >>> result = cm.simulate(system, 1.0)
    >>> [round(float(getattr(result["plate"], name)[-1]), 3) for name in ("fx", "fy", "torque")]
    [0.0, 30.0, 6.0]
    """

    def __init__(
        self,
        at: AttachmentLike,
        contacts: Element | Sequence[Element] | None = None,
        noise: float | Sequence[float] = 0.0,
        rate: float | None = None,
        seed: int = 0,
        *,
        name: str | None = None,
    ):
        owner = object_label("ForcePlate", name)
        marker = as_marker(owner, at)
        size = len(marker.at)
        signals = ("fx", "fy", "fz", "tx", "ty", "tz") if size == 3 else ("fx", "fy", "torque")
        units = ("N",) * size + ("N m",) * (len(signals) - size)
        super().__init__(name, (marker.body,), signals, units, noise, rate, seed)
        self.marker = marker
        self.contacts = None if contacts is None else checked_contacts(owner, contacts)
        for point in self._points(self.contacts or ()):
            if not any(member is marker.body for member in point.members):
                raise ModelError(f"{self.label}: {point.label} is not a contact of {marker.body.name!r}")

    def _points(self, contacts: Sequence[Any]) -> list[Any]:
        """Return the contact points of contacts; raise for a large group."""
        points = [point for contact in contacts for point in contact_points(contact)]
        for point in points:
            if isinstance(point, ContactGroup):
                raise ModelError(
                    f"{self.label}: {point.label} has no forces of its contacts on one body; omit contacts, so that "
                    f"all contacts of {self.marker.body.name!r} are summed up"
                )
        return points

    def check_addition(self, system: Any) -> None:
        """Raise unless the contacts are in the system."""
        for contact in self.contacts or ():
            check_in_system(self.label, contact, system)

    def measurement(self, system: Any) -> Measurement:
        """Return the function that sums up the contact forces."""
        body = self.marker.body
        candidates = list(system.contacts) if self.contacts is None else self._points(self.contacts)
        points = [
            (contact.name, 1.0 if contact.members[1] is body else -1.0)
            for contact in candidates
            if {*contact.signals} >= POINT_SIGNALS and any(member is body for member in contact.members)
        ]

        def wrench(result: Any) -> np.ndarray:
            origin = marker_point(self.marker, result)
            whole = next((info.name for info in result.elements if self._is_sum(info)), None)
            if whole is not None and self.contacts is None:
                force, torque = self._reaction(result, whole, origin)
            else:
                force, torque = self._sum(result, points, origin)
            axes = body_axes(body, result) @ local_axes(self.marker)
            turned = in_axes(torque, axes) if torque.shape[1] == 3 else torque
            return np.column_stack([in_axes(force, axes), turned])

        return wrench

    def _is_sum(self, info: Any) -> bool:
        """Return True for the signals of all contact forces on the body, which runs of many bodies have."""
        return info.kind == "ContactForces" and info.members == (self.marker.body.name,)

    def _reaction(self, result: Any, name: str, origin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return force and torque opposite to those on the body, which are about its centre of mass."""
        size, body = origin.shape[1], self.marker.body
        values = -result[name].values
        centre = np.zeros(size) if isinstance(body, Ground) else result[body.name].position
        return values[:, :size], values[:, size:] + moment(centre - origin, values[:, :size])

    def _sum(
        self, result: Any, points: Sequence[tuple[str, float]], origin: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums of the forces of contact points on other bodies and of their moments."""
        axes = "xyz"[: origin.shape[1]]
        force = np.zeros_like(origin)
        torque = np.zeros((len(origin), len(self.signals) - len(axes)))
        for name, sign in points:
            series = result[name]
            own = sign * np.stack([getattr(series, f"f{axis}") for axis in axes], axis=1)
            force += own
            torque += moment(np.stack([getattr(series, axis) for axis in axes], axis=1) - origin, own)
        return force, torque


def moment(arm: np.ndarray, force: np.ndarray) -> np.ndarray:
    """Return the moments (n, 1) in 2D or (n, 3) of forces at arms [N m]."""
    if arm.shape[1] == 2:
        return np.asarray(arm[:, :1] * force[:, 1:] - arm[:, 1:] * force[:, :1])
    return np.cross(arm, force)
