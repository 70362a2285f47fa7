"""Places of spots stored with nodes, so that a node evaluated alone has every spot in the slot of the run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.geometry.pairs.spots import SPOT
from carom.kernels import floats, jit, offset
from carom.mechanics.contact_records import CONTACT, STORED_PLACE

PLACE_OFFSET = SPOT.index("place")


@jit
def store_place(model, k, stored):
    """Store the place of the spot of contact ``k``; NaN without one."""
    slot_offset = CONTACT(model.contacts, k).slot_offset
    stored.place_x = math.nan
    stored.place_y = math.nan
    stored.place_z = math.nan
    if slot_offset >= 0:
        slot = SPOT(offset(floats(model.warm_start), slot_offset))
        if slot.is_occupied != 0.0:
            stored.place_x = slot.place[0]
            stored.place_y = slot.place[1]
            stored.place_z = slot.place[2]


@jit
def restore_place(model, k, stored):
    """Restore the place of the spot of contact ``k`` before an evaluation."""
    slot_offset = CONTACT(model.contacts, k).slot_offset
    if slot_offset < 0:
        return
    slot = SPOT(offset(floats(model.warm_start), slot_offset))
    slot.is_occupied = 0.0
    if stored.place_x == stored.place_x:
        slot.is_occupied = 1.0
        slot.place[0] = stored.place_x
        slot.place[1] = stored.place_y
        slot.place[2] = stored.place_z


def stored_places(tables: Any) -> np.ndarray:
    """Return the places of the spots of all contacts, as `STORED_PLACE` has them."""
    places = np.full((len(tables.contacts), len(STORED_PLACE)), np.nan)
    occupied = SPOT.index("is_occupied")
    for k, slot_offset in enumerate(tables["contacts"]["slot_offset"][: len(places)]):
        slot = tables["warm_start"][slot_offset : slot_offset + SPOT.size]
        if slot_offset >= 0 and slot[occupied] != 0.0:
            places[k] = slot[PLACE_OFFSET : PLACE_OFFSET + len(STORED_PLACE)]
    return places


def restore_places(tables: Any, places: np.ndarray) -> None:
    """Restore the places of the spots of all contacts, as `stored_places` returns them, for the next evaluation."""
    occupied = SPOT.index("is_occupied")
    for place, slot_offset in zip(places, tables["contacts"]["slot_offset"], strict=False):
        if slot_offset >= 0:
            slot = tables["warm_start"][slot_offset : slot_offset + SPOT.size]
            slot[occupied] = not np.isnan(place[0])
            if slot[occupied]:
                slot[PLACE_OFFSET : PLACE_OFFSET + len(STORED_PLACE)] = place
    tables["warm_start_accepted"][:] = tables["warm_start"]
