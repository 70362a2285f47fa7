"""Mechanism of a system with many bodies: the bodies that joints, drivers or force elements act on.

The other bodies are free, and only contacts act on them.
"""

from __future__ import annotations

from copy import copy

from carom.model.body import Body
from carom.model.joint_friction import JointFriction
from carom.model.joint_stop import JointStop
from carom.model.system import System


def mechanism_bodies(system: System) -> list[Body]:
    """Return the bodies that a joint, a driver or a force element acts on, in the order of the system."""
    elements = (*system.joints, *system.forces)
    held = {id(member) for element in elements for member in element.members}
    return [body for body in system.bodies if id(body) in held]


def joint_stops(system: System) -> list[JointStop]:
    """Return the stops of the joints of a system, in its order."""
    return [contact for contact in system.contacts if isinstance(contact, JointStop)]


def joint_frictions(system: System) -> list[JointFriction]:
    """Return the friction of the joints of a system, in its order."""
    return [contact for contact in system.contacts if isinstance(contact, JointFriction)]


def mechanism_of(system: System) -> System | None:
    """Return a system of these bodies with its joints, their stops and friction, and force elements.

    It has no other contacts. None without bodies.
    """
    bodies = mechanism_bodies(system)
    if not bodies:
        return None
    mechanism = copy(system)
    vars(mechanism).update(
        bodies=bodies,
        contacts=[*joint_stops(system), *joint_frictions(system)],
        compounds=[],
        groups=[],
        small_groups=[],
        boundaries=[],
        periodic={},
    )
    return mechanism
