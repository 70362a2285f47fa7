"""The contact law of a case, by name or as an object."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError, meant, shown
from carom.laws import LAWS, law
from carom.laws.normal.base import NormalLaw


def chosen(case: str, name: str | NormalLaw, **offered: Any) -> NormalLaw:
    """The law called ``name`` with those of the ``offered`` parameters that it takes; a law itself stays as it is."""
    if isinstance(name, NormalLaw):
        return name
    if not isinstance(name, str) or name not in LAWS:
        known = f"law must be one of {', '.join(LAWS)}, or a law itself"
        raise ModelError(f"{case}: {known}, got {shown(name)}{meant(name, LAWS)}")
    takes = LAWS[name].arguments
    try:
        return law(name, **{key: value for key, value in offered.items() if key in takes and value is not None})
    except ModelError as trouble:
        lacking = [key for key in takes if key not in offered and f"'{key}'" in str(trouble)]
        hint = f"; give the law itself, laws.{LAWS[name].__name__}(...)" if lacking else ""
        raise ModelError(f"{case}: {trouble}{hint}") from None
