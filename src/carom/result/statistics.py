"""Statistics of a run: numbers of steps, evaluations and contact problems, and the wall time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from carom.deprecation import warn_deprecated

RENAMED = {"unsolved": "inexact_solutions"}
"""Old names of statistics and their replacements."""


class Statistics(dict[str, Any]):
    """Statistics by name; old names are accepted with a `DeprecationWarning`."""

    def __init__(self, values: Mapping[str, Any]):
        super().__init__({RENAMED.get(name, name): value for name, value in values.items()})

    def __missing__(self, name: str) -> Any:
        """Return the value of an old name."""
        if name not in RENAMED or RENAMED[name] not in self:
            raise KeyError(name)
        warn_deprecated(f"stats[{name!r}]", f"stats[{RENAMED[name]!r}]")
        return self[RENAMED[name]]
