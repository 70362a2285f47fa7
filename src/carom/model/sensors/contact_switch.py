"""Contact switch: closed while contacts carry a force."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from carom.argument_checks import is_list, non_negative, object_label, short_repr
from carom.errors import ModelError
from carom.geometry.element import Element
from carom.model.contact import Contact
from carom.model.contact_group import ContactGroup
from carom.model.sensors.base import Measurement, Sensor, check_in_system


class ContactSwitch(Sensor):
    """Contact switch: 1 while the sum of the normal forces of contacts exceeds a threshold, otherwise 0.

    ``contacts`` is a contact, a joint with clearance, a stop of a joint, a group of contacts, or a list of them;
    ``threshold`` [N] is zero by default. Signal: ``closed``. ``noise`` [N] is the standard deviation of white noise of
    the force, ``rate`` [Hz] that of the samples, ``seed`` that of the noise: see `Accelerometer`.

    Examples
    --------
    >>> case = cm.gallery.falling_ball()
    >>> switch = case.system.add(cm.ContactSwitch(case.system.contacts[0], name="switch"))
    >>> closed = cm.simulate(case.system, 0.5)["switch"].closed
    >>> sorted(set(closed.tolist()))
    [0.0, 1.0]
    """

    def __init__(
        self,
        contacts: Element | Sequence[Element],
        threshold: float = 0.0,
        noise: float | Sequence[float] = 0.0,
        rate: float | None = None,
        seed: int = 0,
        *,
        name: str | None = None,
    ):
        self.contacts = checked_contacts(object_label("ContactSwitch", name), contacts)
        super().__init__(name, bodies_of(self.contacts), ("closed",), ("1",), noise, rate, seed)
        self.threshold = non_negative(self.label, "threshold", threshold)

    def check_addition(self, system: Any) -> None:
        """Raise unless the contacts are in the system."""
        for contact in self.contacts:
            check_in_system(self.label, contact, system)

    def measurement(self, system: Any) -> Measurement:
        """Return the function that sums up the normal forces."""
        names = [item.name for contact in self.contacts for item in contact_points(contact)]

        def normal_force(result: Any) -> np.ndarray:
            return np.asarray(sum(result[name].normal_force for name in names))[:, None]

        return normal_force

    def reading(self, values: np.ndarray) -> np.ndarray:
        """Return 1 where the force exceeds the threshold."""
        return np.asarray(values > self.threshold, float)


def checked_contacts(owner: str, contacts: Any) -> tuple[Any, ...]:
    """Return contacts, joints with clearance and groups as a tuple; raise for other values."""
    items = tuple(contacts) if is_list(contacts) else (contacts,)
    for item in items:
        parts = getattr(item, "parts", ())
        if not isinstance(item, (Contact, ContactGroup)) and not (parts and isinstance(parts[0], Contact)):
            raise ModelError(f"{owner}: expected contacts, got {short_repr(item)}")
    if not items:
        raise ModelError(f"{owner}: needs at least one contact")
    return items


def contact_points(item: Any) -> list[Any]:
    """Return the contact points of a contact, a joint with clearance or a small group; a large group is one item."""
    parts = item.contacts if isinstance(item, ContactGroup) else item.parts
    return [point for part in parts for point in contact_points(part)] if parts else [item]


def bodies_of(contacts: Sequence[Any]) -> list[Any]:
    """Return the bodies of contacts, each of them once."""
    bodies: list[Any] = []
    for contact in contacts:
        shapes = contact.all_shapes if isinstance(contact, ContactGroup) else ()
        for body in (*(shape.body for shape in shapes), *contact.members):
            if not any(body is other for other in bodies):
                bodies.append(body)
    return bodies
