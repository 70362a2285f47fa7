"""Large groups of contacts in a non-smooth run: a contact for every pair."""

from __future__ import annotations

from copy import copy

from carom.errors import ModelError
from carom.model.system import System

MOST = 5000
"""Pairs of all groups: time stepping looks at every one in every step."""


def _compliant_advice(system: System) -> str:
    """Return what it takes to run the system with compliant contacts; nothing where they know no such groups."""
    if system.dim == 2 or system.joints or system.forces or system.compounds:
        return ""
    lawless = ", ".join(repr(group.name) for group in system.groups if group.law is None)
    return f", or {f'give law= to {lawless} and ' if lawless else ''}use method='compliant'"


def expand(system: System) -> System:
    """The system, or a copy of it in which every pair of its groups is a contact."""
    if not isinstance(system, System) or not system.groups:
        return system
    pairs = sum(group.count for group in system.groups)
    if pairs > MOST:
        names = ", ".join(f"{group.name!r} ({group.count})" for group in system.groups)
        raise ModelError(
            f"simulate: groups {names} have {pairs} pairs; non-smooth runs take up to {MOST}. Put shapes that never "
            f"meet into different groups{_compliant_advice(system)}"
        )
    for group in system.groups:
        if group.impact is None:
            raise ModelError(f"simulate: {group.label} has no impact; give it impact= for non-smooth runs")
    whole = copy(system)
    vars(whole).update(contacts=list(system.contacts), compounds=list(system.compounds), groups=[])
    whole._by_name, whole._known = dict(system._by_name), set(system._known)
    for group in system.groups:
        for contact in group.make_contacts():
            whole.add(contact)
    return whole
