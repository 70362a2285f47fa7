"""Finding a body or an element by its name, and saying what there is when it is not found."""

import difflib
from collections.abc import Iterable
from typing import Any

_LISTED = 20  # names shown in an error; a pile of ten thousand spheres must not fill the screen


class UnknownName(KeyError):
    """The result has no body or element of that name."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument; here the argument is a sentence.
        return str(self.args[0])


def name_of(key: Any) -> str:
    """The name that `key` stands for: a name itself, or anything with a `.name`."""
    name = key if isinstance(key, str) else getattr(key, "name", None)
    if not isinstance(name, str):
        raise TypeError(f"a result is looked up by a name or by an object with a name, got {key!r}")
    return name


def unknown_name(result: str, name: str, known: Iterable[str]) -> UnknownName:
    """The error for `name` in the result called `result`: the nearest names first, then what there is."""
    names = list(known)
    close = difflib.get_close_matches(name, names)
    meant = f"did you mean {listed(close, last=' or ')}? " if close else ""
    return UnknownName(f"Result '{result}' has no '{name}'; {meant}it has {listed(names) or 'no bodies or elements'}")


def listed(names: list[str], last: str = ", ") -> str:
    """Names in quotes in one line, cut short when there are very many."""
    quoted = [f"'{name}'" for name in names[:_LISTED]]
    if len(names) > _LISTED:
        return ", ".join(quoted) + f" and {len(names) - _LISTED} more"
    return last.join([", ".join(quoted[:-1]), quoted[-1]]) if len(quoted) > 1 else "".join(quoted)
