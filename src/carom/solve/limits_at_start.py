"""Check of the limits of joints at the start of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from carom.errors import ModelError
from carom.model.joint_stop import JointStop

TOLERANCE = 1e-3
"""Excess over a limit that a stop may have at the start, relative to the range between the limits, or to 1 [-].

A stop that carries a load is indented a little, and the end of a run may be the start of another one."""


def check_limits(contacts: Iterable[Any], indentations: Sequence[float], rigid: bool) -> None:
    """Raise if a joint is beyond a limit at the start; a compliant stop with a law of the user may be."""
    for contact, excess in zip(contacts, indentations, strict=False):
        if not isinstance(contact, JointStop) or (contact.has_own_law and not rigid):
            continue
        lower, upper = contact.joint.limits[contact.coordinate].pair
        span = 1.0 if lower is None or upper is None else upper - lower
        if excess > TOLERANCE * span:
            unit = contact.units[0]
            below = contact.side == "lower"
            value = contact.limit - excess if below else contact.limit + excess
            raise ModelError(
                f"{contact.joint.label}: {contact.coordinate} is {value:.6g} {unit} at the start, "
                f"{'below its lower' if below else 'above its upper'} limit {contact.limit:.6g} {unit}; change the "
                "position of its bodies or limits"
            )
