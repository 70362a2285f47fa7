"""Single contacts beside the groups of a many-body run: contacts of two shapes, which have signals and a log each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carom.compiled_model.many_body_records import LISTED_PAIR, SINGLE_CONTACT
from carom.model.contact import Contact
from carom.model.contact_group import ContactGroup
from carom.model.joint_stop import JointElement
from carom.model.system import System

if TYPE_CHECKING:
    from carom.compiled_model.many_body_data import ManyBodyData


def contacts_of_shapes(system: System) -> list[Contact]:
    """Return the contacts of a system, without those that belong to joints."""
    return [contact for contact in system.contacts if not isinstance(contact, JointElement)]


def whole_contacts(system: System) -> list[Contact]:
    """Return the contacts of shapes; one with several contact points is there once, and not its points."""
    all_contacts = (*contacts_of_shapes(system), *system.compounds)
    contacts = [contact for contact in all_contacts if isinstance(contact, Contact)]
    parts = {id(part) for contact in contacts for part in contact.parts}
    return [contact for contact in contacts if id(contact) not in parts]


def single_contacts(system: System) -> list[Contact]:
    """Return the contacts of a system that do not belong to a small group."""
    in_groups = {id(contact) for group in system.small_groups for contact in group.contacts}
    return [contact for contact in whole_contacts(system) if id(contact) not in in_groups]


def single_groups(system: System) -> list[ContactGroup]:
    """Return the single contacts of a system as groups of one pair."""
    return [
        ContactGroup(
            contact.shapes[:1],
            contact.shapes[1:],
            contact.law,
            contact.friction,
            contact.impact,
            contact.name,
            False,
            contact.rolling,
        )
        for contact in single_contacts(system)
    ]


class SingleContacts:
    """Tables of all contacts of a system that are no large group; those of small groups are among them.

    ``pairs`` is a table of `LISTED_PAIR` for the pair search, ``table`` has a `SINGLE_CONTACT` per contact point, and
    ``contacts`` are these contact points.
    """

    def __init__(self, model: ManyBodyData):
        system = model.system
        self.contacts, self.compounds = contacts_of_shapes(system), list(system.compounds)
        row_of = {id(contact): row for row, contact in enumerate(self.contacts)}
        n_large = len(system.groups)
        group_of = {
            id(contact): n_large + k for k, group in enumerate(system.small_groups) for contact in group.contacts
        }
        first_single = n_large + len(system.small_groups)
        group_of |= {id(contact): first_single + k for k, contact in enumerate(single_contacts(system))}
        wholes = whole_contacts(system)
        self.pairs = LISTED_PAIR.zeros(len(wholes))
        self.table = SINGLE_CONTACT.zeros(len(self.contacts))
        for pair, contact in zip(self.pairs, wholes, strict=True):
            rows = [row_of[id(point)] for point in contact.parts or (contact,)]
            bodies = [model.body_index[id(shape.body)] for shape in contact.shapes]
            is_flipped = bodies[0] == 0  # the ground is never the first body of a listed pair
            kind, n_points = model.add_kind(group_of[id(contact)], contact.pairing, is_flipped, rows)
            body_a, body_b = bodies[::-1] if is_flipped else bodies
            pair["body_a"], pair["body_b"] = body_a, body_b
            pair["first_kind"], pair["n_contact_points"] = kind, n_points
            for point, row in enumerate(rows):
                entry = self.table[row]
                entry["body_a"], entry["body_b"], entry["is_flipped"] = body_a, body_b, is_flipped
                entry["kind"] = kind if n_points == 1 else kind + 1 + point
