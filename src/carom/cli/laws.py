"""``carom laws``: contact and friction laws."""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from typing import Any

from rich.table import Table

from carom.cli.command_output import table_console
from carom.errors import CaromWarning, ModelError
from carom.laws import LAWS
from carom.laws.friction.registry import FRICTIONS

STIFFNESS, MASS, SPEED = 1e9, 0.1, 0.3
"""Stiffness [N/m^1.5], effective mass [kg] and approach speed [m/s] of the free impact that each law computes."""


def print_laws(restitution: float, as_json: bool = False) -> None:
    """Print every normal law with its returned restitution, and every friction law."""
    rows = [law_data(name, restitution) for name in LAWS]
    if as_json:
        frictions = {name: {"formula": law.formula, "reference": law.reference} for name, law in FRICTIONS.items()}
        data = {"prescribed": restitution, "normal": rows, "friction": frictions}
        sys.stdout.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")
        return
    console = table_console()
    table = Table(title="normal laws", title_justify="left", box=None, pad_edge=False)
    for title in ("law", f"returned for {restitution:g}", "formula"):
        table.add_column(title, no_wrap=title != "formula")
    for row in rows:
        returned = row["returns"]
        table.add_row(row["name"], "" if returned is None else f"{returned:.3f}", row["formula"])
    console.print(table)
    table = Table(title="friction laws", title_justify="left", box=None, pad_edge=False)
    table.add_column("law", no_wrap=True)
    table.add_column("formula")
    for name, law in FRICTIONS.items():
        table.add_row(name, law.formula)
    console.print(table)


def law_data(name: str, restitution: float) -> dict[str, Any]:
    """Return name, formula, reference and returned restitution of a law.

    The returned restitution is None if a law has required parameters besides stiffness and restitution.
    """
    kind = LAWS[name]
    arguments = inspect.signature(kind).parameters
    parameters = {"stiffness": STIFFNESS, "restitution": restitution}
    returned: float | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        try:
            law = kind(**{key: value for key, value in parameters.items() if key in arguments})
            returned = float(law.impact(MASS, SPEED).restitution)
        except (ModelError, TypeError):
            returned = None
    reference = {"formula": kind.formula, "reference": kind.reference}
    return {"name": name, "class": kind.__name__, "returns": returned, **reference}
