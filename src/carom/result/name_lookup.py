"""Lookup of bodies and elements by name, with suggestions for unknown names."""

from collections.abc import Iterable
from typing import Any

from carom.argument_checks import similar_names

_MAX_NAMES = 20  # Names in an error message, since a model may have ten thousand bodies.


class UnknownName(KeyError):
    """Error about a name that is not a body or element of the result."""

    def __str__(self) -> str:
        # KeyError would print the repr of the message.
        return str(self.args[0])


def name_of(key: Any) -> str:
    """Return the name of `key`, which is a name or an object with a `.name`."""
    name = key if isinstance(key, str) else getattr(key, "name", None)
    if not isinstance(name, str):
        raise TypeError(f"Result: the key must be a name or an object with a name, got {key!r}")
    return name


def unknown_name(owner: str, name: str, known: Iterable[str], kind: str = "Result") -> UnknownName:
    """Return the error for an unknown ``name`` in a result, or another ``kind`` of object, with the known names."""
    names = list(known)
    close = similar_names(name, names)
    suggestion = f"did you mean {listed(close, last=' or ')}? " if close else ""
    choices = f"choose from {listed(names)}" if names else f"the {kind.lower()} has no bodies or elements"
    return UnknownName(f"{kind} '{owner}': unknown name '{name}'; {suggestion}{choices}")


def listed(names: list[str], last: str = ", ") -> str:
    """Return the names in quotes, separated by commas; only the first ones if there are many."""
    quoted = [f"'{name}'" for name in names[:_MAX_NAMES]]
    if len(names) > _MAX_NAMES:
        return ", ".join(quoted) + f" and {len(names) - _MAX_NAMES} more"
    return last.join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else "".join(quoted)
