"""``carom list``."""

from __future__ import annotations

import json
import sys

from rich.console import Console
from rich.table import Table

from carom.gallery import CASES
from carom.gallery.case import described

WIDE = 200


def print_cases(as_json: bool = False) -> None:
    """Names and titles of all cases."""
    titles = {name: described(maker)[0] for name, maker in CASES.items()}
    if as_json:
        sys.stdout.write(json.dumps(titles, ensure_ascii=False, indent=2) + "\n")
        return
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, title in titles.items():
        table.add_row(name, title)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDE  # one case a line for who reads it through a pipe
    console.print(table)
