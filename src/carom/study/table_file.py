"""Tables of numbers as instruments write them: CSV files with units, comments and gaps."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from carom.errors import ModelError, readable_file, shown

COMMENTS = ("#", "%", "//")
GAPS = {"", "nan", "na", "n/a", "null", "none", "-", "--"}
DELIMITERS = (";", "\t", ",")
BLANKS = re.compile(r'"[^"]*"|(?:[^\s\[(]|\[[^\]]{0,99}\]|\([^)]{0,99}\))+(?:\s{1,9}[\[(][^\])]{0,99}[\])])?')
"""Fields between blanks. Brackets end soon: what has none would be searched for from each that opens."""
LARGEST = 1 << 28
"""Bytes of a file."""
MOST_COLUMNS, LONGEST = 10_000, 500
"""Columns, and letters of the name and unit of one."""
MOST_NAMED = 20
"""Columns in a message."""
HEADED = re.compile(r"^(?P<name>.*?)\s*(?:\[(?P<square>[^\]]*)\]|\((?P<round>[^)]*)\))?$")

_PREFIX = {"": 1.0, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "c": 1e-2, "k": 1e3, "M": 1e6, "G": 1e9}
_SCALED = ("s", "m", "N", "J", "W", "Pa", "m/s", "m/s^2", "N m", "N s", "Hz")
UNITS: dict[str, float] = {
    **{prefix + unit: factor for unit in _SCALED for prefix, factor in _PREFIX.items()},
    "": 1.0, "1": 1.0, "-": 1.0, "%": 0.01, "kg": 1.0, "g": 1e-3, "min": 60.0,
    "rad": 1.0, "rad/s": 1.0, "rad/s^2": 1.0, "mrad": 1e-3,
    "deg": math.pi / 180.0, "deg/s": math.pi / 180.0, "deg/s^2": math.pi / 180.0, "rpm": math.pi / 30.0,
}  # fmt: skip
"""What a unit is in SI units."""
_SPELLINGS = {"²": "^2", "**2": "^2", "s2": "s^2", "s^^2": "s^2", "°": "deg", "Nm": "N m", "N·m": "N m", "N*m": "N m",
              "Ns": "N s", "sec": "s"}  # fmt: skip


def read_table(path: Path, skipped: Collection[str] = ()) -> dict[str, list[float]]:
    """Columns by their names, in SI units; what is wrong is told with file and line.

    Lines that begin with #, % or // and empty lines are skipped. The first other line names the columns, each with its
    unit in brackets where it has one: "t [ms]", "touch.normal_force (kN)". Fields are parted by ``;``, tabs, commas or
    blanks; with ``;`` and tabs a comma may be the decimal point. Empty fields and "nan" are gaps.
    """
    readable_file("a table", path)
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise ModelError(f"{path}: must have at most {LARGEST >> 20} MB, got {size >> 20}")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        text = path.read_text(encoding="latin-1")
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    if "\0" in text:
        raise ModelError(f"{path}: must be a text; there are zeros in it")
    lines = [(k, line.strip("\r\n ")) for k, line in enumerate(text.splitlines(), 1)]
    lines = [(k, line) for k, line in lines if line.strip() and not line.lstrip().startswith(COMMENTS)]
    if not lines:
        raise ModelError(f"{path}: the file is empty; it needs a line of names, then numbers")
    (first, head), rows = lines[0], lines[1:]
    delimiter = next((mark for mark in DELIMITERS if mark in head), None)
    names, factors = [], []
    fields = split(head, delimiter)
    if len(fields) > MOST_COLUMNS:
        raise ModelError(f"{path}, line {first}: there must be at most {MOST_COLUMNS} columns, got {len(fields)}")
    for field in fields:
        name, factor = heading(path, first, field, skipped)
        names.append(name)
        factors.append(factor)
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise ModelError(f"{path}, line {first}: the column {twice[0]!r} is there twice")
    if not rows:
        raise ModelError(f"{path}: there are no numbers below the names in line {first}")
    columns: dict[str, list[float]] = {name: [] for name in names if name not in skipped}
    for k, line in rows:
        cells = split(line, delimiter)
        while len(cells) > len(names) and not cells[-1]:
            cells.pop()
        if len(cells) != len(names):
            given = ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")
            raise ModelError(f"{path}, line {k}: {len(cells)} fields for {len(names)} columns, {given}")
        for name, factor, cell in zip(names, factors, cells, strict=True):
            if name not in skipped:
                columns[name].append(factor * value(path, k, name, cell, delimiter))
    return columns


def split(line: str, delimiter: str | None) -> list[str]:
    """Fields without quotes; by blanks those outside of brackets."""
    if delimiter is None:
        fields = BLANKS.findall(line)
    else:
        fields = line.split(delimiter)
    return [field.strip().strip("\"'").strip() for field in fields]


def heading(path: Path, line: int, field: str, skipped: Collection[str]) -> tuple[str, float]:
    """Name and unit of a column."""
    if len(field) > LONGEST:
        raise ModelError(f"{path}, line {line}: the name of a column has {len(field)} letters, more than {LONGEST}")
    if is_number(field):
        raise ModelError(
            f"{path}, line {line}: the first line must name the columns (t, block.vx, …), got {shown(field)}"
        )
    match = HEADED.match(field)
    name = match["name"] if match else field
    if not name:
        raise ModelError(f"{path}, line {line}: a column has no name")
    if name in skipped:
        return name, 1.0
    unit = ((match["square"] or match["round"] or "") if match else "").strip()
    spelled = unit
    for other, right in _SPELLINGS.items():
        spelled = spelled if spelled in UNITS else spelled.replace(other, right)
    if spelled not in UNITS:
        raise ModelError(
            f"{path}, line {line}: the unit {unit!r} of {name!r} is not known; there are s, ms, m, mm, N, kN, m/s, "
            "m/s^2, rad, deg, rpm and the like"
        )
    return name, UNITS[spelled]


def value(path: Path, line: int, name: str, cell: str, delimiter: str | None) -> float:
    if cell.lower() in GAPS:
        return math.nan
    text = cell.replace(",", ".") if delimiter in (";", "\t") and cell.count(",") == 1 and "." not in cell else cell
    if not is_number(text):
        raise ModelError(f"{path}, line {line}: {name} must be a number, or empty for a gap; got {shown(cell)}")
    return float(text)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
