"""``carom laws``."""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from typing import Any

from rich.console import Console
from rich.table import Table

from carom.errors import CaromWarning, ModelError
from carom.laws import LAWS
from carom.laws.friction.registry import FRICTIONS

STIFFNESS, MASS, SPEED = 1e9, 0.1, 0.3
"""Of the impact that shows what a law returns: N/m^1.5, kg and m/s."""
WIDE = 200


def print_laws(restitution: float, as_json: bool = False) -> None:
    """Every normal law with the restitution that comes back, and every friction law."""
    rows = [about(name, restitution) for name in LAWS]
    if as_json:
        frictions = {name: {"formula": law.formula, "reference": law.reference} for name, law in FRICTIONS.items()}
        data = {"prescribed": restitution, "normal": rows, "friction": frictions}
        sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")
        return
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDE
    table = Table(title="normal laws", title_justify="left", box=None, pad_edge=False)
    for title in ("law", f"returns of {restitution:g}", "formula"):
        table.add_column(title, no_wrap=title != "formula")
    for row in rows:
        back = row["returns"]
        table.add_row(row["name"], "" if back is None else f"{back:.3f}", row["formula"])
    console.print(table)
    table = Table(title="friction laws", title_justify="left", box=None, pad_edge=False)
    table.add_column("law", no_wrap=True)
    table.add_column("formula")
    for name, law in FRICTIONS.items():
        table.add_row(name, law.formula)
    console.print(table)


def about(name: str, restitution: float) -> dict[str, Any]:
    """Name, formula, reference, and what an impact returns; None where a law needs more than a restitution."""
    kind = LAWS[name]
    takes = inspect.signature(kind).parameters
    given = {"stiffness": STIFFNESS, "restitution": restitution}
    back: float | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        try:
            law = kind(**{key: value for key, value in given.items() if key in takes})
            back = float(law.impact(MASS, SPEED).restitution)
        except (ModelError, TypeError):
            back = None  # it has parameters of its own
    return {"name": name, "class": kind.__name__, "returns": back, "formula": kind.formula, "reference": kind.reference}
