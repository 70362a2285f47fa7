"""Packings from CSV files."""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import numpy as np

from carom.argument_checks import readable_file, short_repr
from carom.errors import ModelError
from carom.model.packing.packing import AXES, Packing
from carom.typing import FilePath


def from_file(path: FilePath) -> Packing:
    """Return the packing of a CSV file with the columns x, y, z (in 3D) and radius, all in metres.

    The first line contains the names, "x" or "x [m]", in any order; other columns are ignored.

    Examples
    --------
    >>> import carom as cm
    >>> cm.packing.lattice(8, radius=0.01).to_file("spheres.csv")
    >>> cm.packing.from_file("spheres.csv")
    <Packing of 8 spheres: radii 0.01 m>
    """
    file = readable_file("packing.from_file: path", path)
    try:
        with open(file, newline="", encoding="utf-8-sig") as stream:
            reader = csv.reader(stream)
            columns = _columns(file, next(reader, []))
            rows = [_row(file, reader.line_num, row, columns) for row in reader if any(cell.strip() for cell in row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ModelError(f"{file}: not a CSV file in UTF-8: {error}") from None
    if not rows:
        raise ModelError(f"{file}: no spheres found; add a line with {', '.join(columns)} per sphere")
    values = np.array(rows)
    return Packing(values[:, :-1], values[:, -1])


def _columns(file: Path, header: list[str]) -> dict[str, int]:
    """Return the indices of x, y, z and radius in the header."""
    indices: dict[str, int] = {}
    for k, text in enumerate(header):
        match = re.fullmatch(r"\s*(x|y|z|radius)\s*(?:\[(.*)\])?\s*", text, flags=re.IGNORECASE)
        if match is None:
            continue
        name, unit = match[1].lower(), match[2]
        if unit is not None and unit.strip() != "m":
            raise ModelError(f"{file}: column {name!r} must be in metres, got [{unit}]; convert it to [m]")
        if name in indices:
            raise ModelError(f"{file}: column {name!r} occurs twice; remove one of them")
        indices[name] = k
    missing = [name for name in ("x", "y", "radius") if name not in indices]
    if missing:
        raise ModelError(
            f"{file}: columns {', '.join(missing)} not found; the first line must name x, y, z (in 3D) and radius, got "
            f"{short_repr(header)}"
        )
    return {name: indices[name] for name in (*AXES, "radius") if name in indices}


def _row(file: Path, line: int, row: list[str], columns: dict[str, int]) -> list[float]:
    """Return the numbers of a sphere."""
    values = []
    for name, k in columns.items():
        text = row[k] if k < len(row) else ""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ModelError(f"{file}:{line}: {name} must be a finite number [m], got {short_repr(text)}")
        values.append(value)
    if values[-1] <= 0.0:
        raise ModelError(f"{file}:{line}: radius must be positive, got {values[-1]:g} m")
    return values
