"""Wear of the surfaces of a contact: the check of its law, and the surfaces at the start."""

from __future__ import annotations

from typing import Any

import numpy as np

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.laws.wear.base import WearLaw
from carom.laws.wear.removal import WornSurface


def checked_wear(owner: str, wear: WearLaw | None) -> WearLaw | None:
    """Return a law of wear; raise for other objects."""
    if wear is not None and not isinstance(wear, WearLaw):
        raise ModelError(
            f"{owner}: wear must be a law of cm.wear, as cm.wear.Archard(coefficient, hardness), got {short_repr(wear)}"
        )
    return wear


def worn_surfaces(contact: Any) -> tuple[WornSurface, WornSurface]:
    """Return bearing and journal of a joint with the profile of its law."""
    law, sizes = contact.wear, (contact.bearing_radius, contact.journal_radius)
    depths = initial_depths(contact)
    is_pressure = law.distribution == "pressure"
    return (
        WornSurface(sizes[0], sizes[1], is_pressure, depths[0]),
        WornSurface(sizes[1], sizes[0], is_pressure, depths[1]),
    )


def initial_depths(contact: Any) -> np.ndarray:
    """Return the depths of both surfaces at the start [m]."""
    law = contact.wear
    return np.zeros((2, law.sectors)) if law.profile is None else law.profile.sampled(contact.label, law.sectors)
