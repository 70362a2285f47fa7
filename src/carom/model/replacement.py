"""Copy of a system with one element replaced."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from carom.model.system import System


def with_replacement(system: System, name: str, replace: Callable[[Any], Any]) -> System:
    """Return a copy of ``system`` in which an element and what it brought is replaced by ``replace(element)``.

    The new element is built from that of the copy, so that it is between the bodies of the copy.

    Examples
    --------
    >>> import carom as cm
    >>> from carom.model.replacement import with_replacement
    >>> system = cm.gallery.quick_return().system
    >>> ideal = with_replacement(system, "crank pin", lambda joint: joint.ideal_joint())
    >>> ideal["crank pin"], len(system.contacts) - len(ideal.contacts)
    (<Revolute 'crank pin': crank – block>, 1)
    """
    twin = deepcopy(system)
    old = twin[name]
    new = replace(old)
    for leaving in (old, *old.parts, *(twin[item.name] for item in old.attached_elements())):
        for family in ("joints", "forces", "contacts", "compounds", "groups"):
            elements: list[Any] = getattr(twin, family)
            elements[:] = [element for element in elements if element is not leaving]
        twin._by_name.pop(leaving.name, None)
    twin._known = {id(item) for item in twin._by_name.values()}
    twin.add(new)
    return twin
