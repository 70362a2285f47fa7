"""Profiles of planar parts, in their own axes; a `Curve` or a `Polygon` places one on a body."""

from carom.geometry.profiles import registry
from carom.geometry.profiles.base import Profile
from carom.geometry.profiles.registry import *
from carom.geometry.profiles.registry import PROFILES

__all__ = ["PROFILES", "Profile"]
__all__ += registry.__all__
