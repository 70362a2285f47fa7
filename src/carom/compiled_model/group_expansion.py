"""Large contact groups as single contacts, for methods that do not support groups."""

from __future__ import annotations

from copy import copy

from carom.errors import ModelError
from carom.model.system import System

MAX_PAIRS = 5000
"""Largest number of pairs of all groups; time stepping computes the gap of each one in every step."""
ADVICE = "change this option or element, use method='compliant', or "
"""What to change in a run that cannot use groups; compliant runs support every element."""


def expand_groups(system: System, reason: str | None = None) -> System:
    """Return the system, or a copy of it in which every pair of its large groups is a contact.

    ``reason`` says why a run cannot use the groups as they are.
    """
    if not isinstance(system, System) or not system.groups:
        return system
    n_pairs = sum(group.count for group in system.groups)
    if n_pairs > MAX_PAIRS:
        names = ", ".join(f"{group.name!r} ({group.count})" for group in system.groups)
        raise ModelError(
            f"simulate: {reason or 'this analysis needs single contacts'}, and groups {names} have {n_pairs} pairs, "
            f"which exceeds the limit of {MAX_PAIRS}; {ADVICE if reason else ''}put shapes that never touch into "
            "different groups"
        )
    for group in system.groups:
        if group.impact is None:
            raise ModelError(
                f"{group.label}: no impact law; set impact=ImpactLaw(restitution=...) for method='nonsmooth'"
            )
    expanded = copy(system)
    vars(expanded).update(contacts=list(system.contacts), compounds=list(system.compounds), groups=[])
    expanded._by_name, expanded._known = dict(system._by_name), set(system._known)
    for group in system.groups:
        for contact in group.make_contacts():
            expanded.add(contact)
    return expanded
