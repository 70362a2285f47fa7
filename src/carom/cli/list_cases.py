"""``carom list``: cases of the gallery."""

from __future__ import annotations

import json
import sys

from rich.table import Table

from carom.cli.command_output import table_console
from carom.gallery import CASES
from carom.gallery.case import title_and_description


def print_cases(as_json: bool = False) -> None:
    """Print names and titles of all cases."""
    titles = {name: title_and_description(factory)[0] for name, factory in CASES.items()}
    if as_json:
        sys.stdout.write(json.dumps(titles, ensure_ascii=False, indent=2) + "\n")
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, title in titles.items():
        table.add_row(name, title)
    table_console().print(table)
