"""Registry of profiles by name. A new profile is one new file, and its import and name here."""

from __future__ import annotations

from carom.geometry.profiles.base import Profile
from carom.geometry.profiles.cam import Cam
from carom.geometry.profiles.cycloid_disc import CycloidDisc
from carom.geometry.profiles.geneva import GenevaDriver, GenevaWheel
from carom.geometry.profiles.ratchet import Pawl, Ratchet
from carom.geometry.profiles.rounded_rectangle import RoundedRectangle
from carom.geometry.profiles.spur_gear import SpurGear

__all__ = [  # noqa: RUF022  the order of the documentation
    "SpurGear",
    "Cam",
    "GenevaWheel",
    "GenevaDriver",
    "Ratchet",
    "Pawl",
    "CycloidDisc",
    "RoundedRectangle",
]

PROFILES: dict[str, type[Profile]] = {name: globals()[name] for name in __all__}
"""Profiles by name; all are public names of `carom.profiles`."""
