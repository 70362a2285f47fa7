"""Registries of contacts, joints with clearance and boundaries by name.

A new one is one new file, and its import and name here.
"""

from __future__ import annotations

from carom.geometry.element import Element
from carom.model.boundary import Boundary, Inlet, Outlet
from carom.model.contact import Contact
from carom.model.contact_group import ContactGroup
from carom.model.gear_backlash import GearBacklash
from carom.model.guide_clearance import GuideClearance
from carom.model.hinge_clearance import HingeClearance
from carom.model.planar_clearance import PrismaticClearance, RevoluteClearance
from carom.model.profile_clearance import ProfileClearance
from carom.model.spatial_clearance import CylindricalClearance, SphericalClearance

__all__ = [  # noqa: RUF022  the order of the documentation
    "Contact",
    "RevoluteClearance",
    "PrismaticClearance",
    "SphericalClearance",
    "CylindricalClearance",
    "HingeClearance",
    "GuideClearance",
    "ProfileClearance",
    "GearBacklash",
    "ContactGroup",
    "Inlet",
    "Outlet",
]

CONTACTS: dict[str, type[Element]] = {name: globals()[name] for name in __all__[:10]}
"""Contacts by name; all are public names of `carom`."""

BOUNDARIES: dict[str, type[Boundary]] = {"Inlet": Inlet, "Outlet": Outlet}
"""Boundaries by name; all are public names of `carom`."""

CLEARANCE_JOINTS = tuple(name for name in CONTACTS if name.endswith(("Clearance", "Backlash")))
"""Joints with clearance among the contacts."""
