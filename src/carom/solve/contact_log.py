"""Rows of the contact log as records of a result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from carom.mechanics.contact_log import CONTACT_LOG_ROW
from carom.result.impact_records import ImpactRecord


def impacts_of(names: Sequence[str], log: Iterable[np.ndarray]) -> list[ImpactRecord]:
    """Return the contacts in the rows of a log; ``names`` are those of all contacts."""
    return [
        ImpactRecord(
            contact=names[int(row["contact"])],
            t_start=float(row["t_start"]),
            t_end=float(row["t_end"]),
            approach_speed=float(row["approach_speed"]),
            separation_speed=0.0 if row["is_open"] else float(row["separation_speed"]),
            peak_force=float(row["peak_force"]),
            max_indentation=float(row["max_indentation"]),
            energy_lost=float(row["energy_lost"]),
            friction_loss=float(row["friction_loss"]),
            compressions=int(row["compressions"]),
            initial_indentation=float(row["initial_indentation"]),
            finished=not row["is_open"],
            impulse=None if math.isnan(row["impulse"]) else float(row["impulse"]),
        )
        for rows in log
        for row in np.ascontiguousarray(rows, float).view(CONTACT_LOG_ROW.dtype).ravel()
    ]
