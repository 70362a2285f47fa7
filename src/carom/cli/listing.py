"""``carom list``."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from carom.gallery import CASES
from carom.gallery.case import described

WIDE = 200


def print_cases() -> None:
    """Names and titles of all cases."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, maker in CASES.items():
        table.add_row(name, described(maker)[0])
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = WIDE  # one case a line for who reads it through a pipe
    console.print(table)
