"""Contact law of a case, from its name or from a law object."""

from __future__ import annotations

from typing import Any

from carom.argument_checks import short_repr, suggestion
from carom.errors import ModelError
from carom.laws import LAWS, law
from carom.laws.normal.base import NormalLaw


def case_law(case: str, name: str | NormalLaw, **parameters: Any) -> NormalLaw:
    """Return the law called ``name`` with those of the ``parameters`` that it has; return a law object unchanged."""
    if isinstance(name, NormalLaw):
        return name
    if not isinstance(name, str) or name not in LAWS:
        expected = f"law must be one of {', '.join(LAWS)}, or a law object"
        raise ModelError(f"{case}: {expected}, got {short_repr(name)}{suggestion(name, LAWS)}")
    arguments = LAWS[name].arguments
    try:
        return law(name, **{key: value for key, value in parameters.items() if key in arguments and value is not None})
    except ModelError as error:
        missing = [key for key in arguments if key not in parameters and f"'{key}'" in str(error)]
        hint = f"; pass a law object, laws.{LAWS[name].__name__}(...)" if missing else ""
        raise ModelError(f"{case}: {error}{hint}") from None
