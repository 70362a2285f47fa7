"""Profiles of planar parts, in their own axes; a `Curve` or a `Polygon` places one on a body.

Each has a second name in small letters, as cases of the gallery have: ``spur_gear`` is ``SpurGear``.
"""

from carom.geometry.profiles import registry
from carom.geometry.profiles.base import Profile
from carom.geometry.profiles.registry import *
from carom.geometry.profiles.registry import PROFILES

spur_gear, cam = registry.SpurGear, registry.Cam
geneva_wheel, geneva_driver = registry.GenevaWheel, registry.GenevaDriver
ratchet, pawl = registry.Ratchet, registry.Pawl
cycloid_disc, rounded_rectangle = registry.CycloidDisc, registry.RoundedRectangle
out_of_round = registry.OutOfRound

__all__ = ["PROFILES", "Profile", "cam", "cycloid_disc", "geneva_driver", "geneva_wheel", "pawl", "ratchet"]
__all__ += ["out_of_round", "rounded_rectangle", "spur_gear"]
__all__ += registry.__all__
