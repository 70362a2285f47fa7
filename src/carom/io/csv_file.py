"""Results as CSV files: one line per node, one column per series."""

from __future__ import annotations

import csv
import os

from carom.io.atomic_write import atomic_write
from carom.result.export import columns
from carom.result.result import Result


def write_csv(result: Result, path: str | os.PathLike[str]) -> None:
    """Write time, motion, signals and energies to a CSV file, completely or not at all.

    The first line contains names and units, "crank.x [m]"; numbers are exact.
    """
    table = {"t": (result.t, "s"), **columns(result)}
    with atomic_write(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(f"{name} [{unit}]" for name, (_, unit) in table.items())
        writer.writerows(zip(*(values.tolist() for values, _ in table.values()), strict=True))
