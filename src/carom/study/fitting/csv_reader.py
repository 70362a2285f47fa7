"""Reader of CSV files as written by measuring instruments, with units, comments and gaps."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from carom.argument_checks import readable_file, short_repr
from carom.errors import ModelError

COMMENTS = ("#", "%", "//")
GAPS = {"", "nan", "na", "n/a", "null", "none", "-", "--"}
DELIMITERS = (";", "\t", ",")
BLANK_SEPARATED = re.compile(r'"[^"]*"|(?:[^\s\[(]|\[[^\]]{0,99}\]|\([^)]{0,99}\))+(?:\s{1,9}[\[(][^\])]{0,99}[\])])?')
"""Fields separated by blanks. The length of brackets is limited so that unmatched ones do not cost quadratic time."""
MAX_FILE_SIZE = 1 << 28
"""Largest size of a file [bytes]."""
MAX_COLUMNS, MAX_HEADING_LENGTH = 10_000, 500
"""Largest number of columns, and of characters in the heading of a column."""
MAX_LISTED = 20
"""Largest number of column names in a message."""
HEADING = re.compile(r"^(?P<name>.*?)\s*(?:\[(?P<square>[^\]]*)\]|\((?P<round>[^)]*)\))?$")

_PREFIX = {"": 1.0, "n": 1e-9, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "m": 1e-3, "c": 1e-2, "k": 1e3, "M": 1e6, "G": 1e9}
_PREFIXED_UNITS = ("s", "m", "N", "J", "W", "Pa", "m/s", "m/s^2", "N m", "N s", "Hz")
UNITS: dict[str, float] = {
    **{prefix + unit: factor for unit in _PREFIXED_UNITS for prefix, factor in _PREFIX.items()},
    "": 1.0, "1": 1.0, "-": 1.0, "%": 0.01, "kg": 1.0, "g": 1e-3, "min": 60.0,
    "rad": 1.0, "rad/s": 1.0, "rad/s^2": 1.0, "mrad": 1e-3,
    "deg": math.pi / 180.0, "deg/s": math.pi / 180.0, "deg/s^2": math.pi / 180.0, "rpm": math.pi / 30.0,
}  # fmt: skip
"""Conversion factors to SI units by unit."""
_SPELLINGS = {"²": "^2", "**2": "^2", "s2": "s^2", "s^^2": "s^2", "°": "deg", "Nm": "N m", "N·m": "N m", "N*m": "N m",
              "Ns": "N s", "sec": "s"}  # fmt: skip


def read_csv(path: Path, omitted: Collection[str] = ()) -> dict[str, list[float]]:
    """Return the columns of a CSV file by name, in SI units, without the ``omitted`` ones.

    Empty lines and lines that begin with #, % or // are ignored. The first other line contains the column names, each
    with an optional unit in brackets: "t [ms]", "touch.normal_force (kN)". Fields are separated by ``;``, tabs, commas
    or blanks; with ``;`` and tabs a comma may be the decimal point. Empty fields and "nan" are gaps. Errors name the
    file and the line.
    """
    lines = content_lines(path)
    (first, header), rows = lines[0], lines[1:]
    delimiter = next((mark for mark in DELIMITERS if mark in header), None)
    names, factors = parse_header(path, first, split_fields(header, delimiter), omitted)
    if not rows:
        raise ModelError(f"{path}: no numbers below the column names in line {first}")
    columns: dict[str, list[float]] = {name: [] for name in names if name not in omitted}
    for k, line in rows:
        cells = split_fields(line, delimiter)
        while len(cells) > len(names) and not cells[-1]:
            cells.pop()
        if len(cells) != len(names):
            listed = ", ".join(names[:MAX_LISTED]) + (" …" if len(names) > MAX_LISTED else "")
            raise ModelError(f"{path}, line {k}: {len(cells)} fields for {len(names)} columns, {listed}")
        for name, factor, cell in zip(names, factors, cells, strict=True):
            if name not in omitted:
                columns[name].append(factor * parse_number(path, k, name, cell, delimiter))
    return columns


def content_lines(path: Path) -> list[tuple[int, str]]:
    """Return the lines of a file with their numbers, without comments and empty lines; raise if there are none."""
    readable_file("a table", path)
    try:
        size = path.stat().st_size
        if size > MAX_FILE_SIZE:
            raise ModelError(f"{path}: file size must be at most {MAX_FILE_SIZE >> 20} MB, got {size >> 20} MB")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        text = path.read_text(encoding="latin-1")
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from None
    if "\0" in text:
        raise ModelError(f"{path}: must be a text file, but contains zero bytes")
    lines = [(k, line.strip("\r\n ")) for k, line in enumerate(text.splitlines(), 1)]
    lines = [(k, line) for k, line in lines if line.strip() and not line.lstrip().startswith(COMMENTS)]
    if not lines:
        raise ModelError(f"{path}: the file is empty; it needs a line of column names, then numbers")
    return lines


def parse_header(path: Path, line: int, fields: list[str], omitted: Collection[str]) -> tuple[list[str], list[float]]:
    """Return the column names and the factors that convert the columns to SI units."""
    if len(fields) > MAX_COLUMNS:
        raise ModelError(f"{path}, line {line}: number of columns must be at most {MAX_COLUMNS}, got {len(fields)}")
    names, factors = [], []
    for field in fields:
        name, factor = parse_heading(path, line, field, omitted)
        names.append(name)
        factors.append(factor)
    duplicates = sorted(name for name, count in Counter(names).items() if count > 1)
    if duplicates:
        raise ModelError(f"{path}, line {line}: column names must be unique, got {duplicates[0]!r} twice")
    return names, factors


def split_fields(line: str, delimiter: str | None) -> list[str]:
    """Return the fields of a line without quotes; None separates by blanks outside of brackets."""
    fields = BLANK_SEPARATED.findall(line) if delimiter is None else line.split(delimiter)
    return [field.strip().strip("\"'").strip() for field in fields]


def parse_heading(path: Path, line: int, field: str, omitted: Collection[str]) -> tuple[str, float]:
    """Return the name of a column and the factor that converts its unit to SI units."""
    if len(field) > MAX_HEADING_LENGTH:
        raise ModelError(
            f"{path}, line {line}: a column name must have at most {MAX_HEADING_LENGTH} characters, got {len(field)}"
        )
    if is_number(field):
        raise ModelError(
            f"{path}, line {line}: the first line must contain the column names (t, block.vx, …), "
            f"got {short_repr(field)}"
        )
    match = HEADING.match(field)
    name = match["name"] if match else field
    if not name:
        raise ModelError(f"{path}, line {line}: a column has no name")
    if name in omitted:
        return name, 1.0
    unit = ((match["square"] or match["round"] or "") if match else "").strip()
    spelling = unit
    for variant, standard in _SPELLINGS.items():
        spelling = spelling if spelling in UNITS else spelling.replace(variant, standard)
    if spelling not in UNITS:
        raise ModelError(
            f"{path}, line {line}: unknown unit {unit!r} of {name!r}; use s, ms, m, mm, N, kN, m/s, m/s^2, rad, deg, "
            "rpm or similar"
        )
    return name, UNITS[spelling]


def parse_number(path: Path, line: int, name: str, cell: str, delimiter: str | None) -> float:
    """Return the number in a field, NaN for a gap."""
    if cell.lower() in GAPS:
        return math.nan
    text = cell.replace(",", ".") if delimiter in (";", "\t") and cell.count(",") == 1 and "." not in cell else cell
    if not is_number(text):
        raise ModelError(f"{path}, line {line}: {name} must be a number, or empty for a gap; got {short_repr(cell)}")
    return float(text)


def is_number(text: str) -> bool:
    """Return True if the text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
