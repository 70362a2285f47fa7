"""Series of a result by their paths: "block.vx", "touch.normal_force", "energy.kinetic"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from carom.argument_checks import similar_names
from carom.errors import ModelError
from carom.result.energy import Energy
from carom.result.name_lookup import UnknownName

if TYPE_CHECKING:
    from carom.result.result import Result


class MeasureError(ModelError):
    """A measure that cannot be evaluated for a result."""


def series_by_path(result: Result, path: str) -> np.ndarray:
    """Return a series of a result by its path: "block.vx", "touch.normal_force", "energy.kinetic", "t"."""
    if path == "t":
        return result.t
    owner, _, quantity = path.rpartition(".")
    if owner == "energy" and owner not in result:
        return look_up(
            path, {name: getattr(result.energy, name) for name in (*Energy.names(), "total", "balance")}, quantity
        )
    try:
        series = getattr(result[owner], quantity, None) if owner else None
    except UnknownName as error:
        raise MeasureError(f"measure {path!r}: {error}") from None
    if not owner:
        raise MeasureError(f"measure {path!r}: must name a body or element and its series, such as block.vx")
    if not isinstance(series, np.ndarray) or series.ndim != 1:
        raise MeasureError(
            f"measure {path!r}: unknown series {quantity!r} of {owner!r}; choose from {', '.join(result[owner].units)}"
        )
    return series


def look_up(name: str, table: Any, key: str) -> Any:
    """Return an entry of a table; raise with a suggestion if a measure uses an unknown key."""
    if key not in table:
        close = similar_names(key, list(table), n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(table)}"
        raise MeasureError(f"measure {name!r}: unknown name {key!r}; {hint}")
    return table[key]
