"""``carom show``: description and parameters of a case or a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from carom.argument_checks import similar_names
from carom.cli.command_output import EXIT_OK, EXIT_USAGE, json_text, print_error, table_console
from carom.cli.model_case import is_model_file, model_file
from carom.errors import ModelError
from carom.gallery import CASES
from carom.gallery.case import title_and_description
from carom.gallery.case_parameters import case_parameters
from carom.model.system import System
from carom.short_form import value_text


def show_case(name: str, as_json: bool = False) -> int:
    """Print title, description and parameters of a case, or the summary of a model file; return the exit code."""
    try:
        if is_model_file(name):
            data = _model_data(name)
        elif name in CASES:
            title, description = title_and_description(CASES[name])
            parameters = [vars(parameter) for parameter in case_parameters(CASES[name])]
            data = {"name": name, "title": title, "description": description, "parameters": parameters}
        else:
            close = similar_names(name, CASES)
            hint = f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join(CASES)}"
            raise ModelError(f"unknown case {name!r}; {hint}")
    except (ModelError, OSError) as error:
        print_error(error)
        return EXIT_USAGE
    if as_json:
        Console(highlight=False).out(json_text({**data, "parameters": [_plain(row) for row in data["parameters"]]}))
    else:
        _print(data)
    return EXIT_OK


def _model_data(name: str) -> dict[str, Any]:
    """Return name, parameters and summary of a model file."""
    model = model_file(Path(name), {})
    parameters = [{"name": key, "default": value, "unit": "", "meaning": ""} for key, value in model.parameters.items()]
    summary = model.system.summary() if isinstance(model.system, System) else repr(model.system)
    return {"name": name, "title": model.system.name, "description": summary, "parameters": parameters}


def _print(data: dict[str, Any]) -> None:
    console = table_console()
    console.print(Text(f"{data['name']}: {data['title']}", style="bold"))
    console.print(Text(data["description"]))
    if data["parameters"]:
        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading in ("parameter", "default", "unit", "meaning"):
            table.add_column(heading, no_wrap=heading != "meaning")
        for row in data["parameters"]:
            table.add_row(*(Text(text) for text in (row["name"], _text(row["default"]), row["unit"], row["meaning"])))
        console.print()
        console.print(table)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter with a default that JSON can hold."""
    default = row["default"]
    known = default is None or isinstance(default, (bool, int, float, str, tuple))
    return {**row, "default": default if known else repr(default)}


def _text(value: Any) -> str:
    """Return a default value as text."""
    text = value_text(value)
    return ("none" if value is None else str(value)) if text is None else text
