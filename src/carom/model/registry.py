"""Contacts, joints with clearance and contact groups by name. A new one is one new file and one line here."""

from __future__ import annotations

from carom.geometry.element import Element
from carom.model.contact import Contact
from carom.model.contact_group import ContactGroup
from carom.model.planar_clearance import PrismaticClearance, RevoluteClearance
from carom.model.spatial_clearance import CylindricalClearance, SphericalClearance

CONTACTS: dict[str, type[Element]] = {
    kind.__name__: kind
    for kind in (
        Contact,
        RevoluteClearance,
        PrismaticClearance,
        SphericalClearance,
        CylindricalClearance,
        ContactGroup,
    )
}
