"""Drawing data of a model: its shapes and links, and a table of its elements."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from carom.geometry.drawing import DrawnLink, DrawnShape, Symbol
from carom.short_form import ShortRepr

_FILE_KEYS = {"extent_points": "spots"}
"""Keys of result files for fields whose names differ from them."""
_FORMER_SYMBOLS = {
    "Revolute": Symbol.PIN, "RevoluteClearance": Symbol.BEARING, "Weld": Symbol.WELD, "Prismatic": Symbol.SLIDER,
    "PrismaticClearance": Symbol.GUIDE, "PointOnLine": Symbol.PIN_ON_LINE, "PointOnCurve": Symbol.PIN_IN_SLOT,
    "RackPinion": Symbol.PINION, "Distance": Symbol.ROD, "SpringDamper": Symbol.SPRING, "Ligament": Symbol.LIGAMENT,
    "Bushing": Symbol.BUSHING,
}  # fmt: skip
"""Symbols of the elements in files that do not contain symbols."""


@dataclass(frozen=True, eq=False, repr=False)
class DrawingData(ShortRepr):
    """Shapes and links of a system, the direction of gravity, and a table of its elements.

    ``element_table`` has one row per joint, force and contact: name, kind, bodies, and the laws with their parameters.
    """

    dim: int
    gravity: tuple[float, ...]
    shapes: tuple[DrawnShape, ...] = ()
    links: tuple[DrawnLink, ...] = ()
    element_table: tuple[tuple[str, str, str, str], ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """Return built-in types and arrays, as result files store them, without default values."""
        return {
            "dim": self.dim, "gravity": self.gravity, "words": self.element_table,
            "skins": [_plain(shape) for shape in self.shapes],
            "links": [{**_plain(link), "symbol": str(link.symbol)} for link in self.links],
        }  # fmt: skip

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> DrawingData:
        """Return the drawing data that `to_plain` was called on."""
        names = {key: name for name, key in _FILE_KEYS.items()}
        shapes = tuple(DrawnShape(**{names.get(key, key): v for key, v in item.items()}) for item in plain["skins"])
        links = tuple(DrawnLink(**{**item, "symbol": _symbol(item)}) for item in plain["links"])
        return cls(plain["dim"], plain["gravity"], shapes, links, plain["words"])


def _symbol(item: dict[str, Any]) -> Symbol:
    """Return the symbol of a link of a result file."""
    return Symbol(item["symbol"]) if "symbol" in item else _FORMER_SYMBOLS.get(item["kind"], Symbol.NONE)


def _plain(item: DrawnShape | DrawnLink) -> dict[str, Any]:
    """Return the fields of ``item`` that differ from their defaults, by their keys in result files."""
    values = {field.name: (getattr(item, field.name), field.default) for field in fields(item)}
    return {
        _FILE_KEYS.get(name, name): value
        for name, (value, default) in values.items()
        if value is not default and (isinstance(value, np.ndarray) or value != default)
    }
