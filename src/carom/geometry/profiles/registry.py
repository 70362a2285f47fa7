"""Registry of profiles by name. A new profile is one new file, and its import and name here."""

from __future__ import annotations

from carom.geometry.profiles.base import Profile
from carom.geometry.profiles.cycloidal import CycloidDisc
from carom.geometry.profiles.disc_cam import Cam
from carom.geometry.profiles.geneva import GenevaDriver, GenevaWheel
from carom.geometry.profiles.involute_gear import SpurGear
from carom.geometry.profiles.lobed_circle import OutOfRound
from carom.geometry.profiles.ratchet_wheel import Pawl, Ratchet
from carom.geometry.profiles.rectangular import RoundedRectangle

__all__ = [  # noqa: RUF022  the order of the documentation
    "SpurGear",
    "Cam",
    "GenevaWheel",
    "GenevaDriver",
    "Ratchet",
    "Pawl",
    "CycloidDisc",
    "OutOfRound",
    "RoundedRectangle",
]

PROFILES: dict[str, type[Profile]] = {name: globals()[name] for name in __all__}
"""Profiles by name; all are public names of `carom.profiles`."""
