"""File format of lookup tables: records of equal length for direct access; the first one is the header.

Little-endian throughout. All records have a length of ``u-pts × v-pts × columns`` float64 (L (13) gives that in bits).

Record 1, the header:

    byte    0  8 bytes   "CAROMLUT"
            8  int64     version, 1
           16  int64     u-Npts, v-Npts: points of the surface along u and v
           32  int64     u-pts, v-pts: points of a record along u and v
           48  int64     columns
           56  int64     length of a record [bit]
           64  float64   u₀, v₀: lower bounds
           80  float64   Δu, Δv: increments
           96  int64     lower and upper end of u, of v: 0 open, 1 periodic, 2 pole
          128  int64     1 when the normal is t_u × t_v, −1 when it is the opposite
          136  int64     CRC-32 of all records after this one
          144  int64     CRC-32 of bytes 0 … 143 and of the names
          152  int64     length of the names
          160  ASCII     names of the columns, with commas between them; then zeros

Records 2, 3 …: blocks of points, those along v first. Block (a, b) has the points i = a·u-pts …, j = b·v-pts …, those
along v first, each with its columns: u, v, x, y, z, the unit normal, ∂s/∂u, ∂s/∂v, then others if there are any. Blocks
at the upper ends are padded with NaN.
"""

from __future__ import annotations

import math
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from carom.argument_checks import file_path, regular_file
from carom.errors import ModelError

MAGIC = b"CAROMLUT"
"""First bytes of a file."""
VERSION = 1
"""Version of the format."""
COLUMNS = ("u", "v", "x", "y", "z", "nx", "ny", "nz", "tux", "tuy", "tuz", "tvx", "tvy", "tvz")
ENDS = ("open", "periodic", "pole")
NUMBER_BYTES = 8
"""Size of a number [byte]."""
MIN_POINTS = 4
"""Smallest number of points along u and v, required by the interpolations."""
_FIELDS = struct.Struct("<8s7q4d5qq")
"""Header up to the checksum of the records."""
_HEADER_CHECK = struct.Struct("<qq")
"""Checksum of the header, and length of the names of the columns."""
NAMES_OFFSET = _FIELDS.size + _HEADER_CHECK.size
"""Position of the names of the columns [byte]."""
MAX_FILE_SIZE = 2**40
"""Largest size of a file [byte]."""
MAX_NAMES_SIZE = 1 << 16
"""Largest size of the names of all columns [byte]."""


@dataclass(frozen=True)
class Header:
    """Contents of the first record."""

    points: tuple[int, int]
    record: tuple[int, int]
    low: tuple[float, float]
    increment: tuple[float, float]
    ends: tuple[str, str, str, str]
    side: int
    names: tuple[str, ...] = COLUMNS
    checksum: int = 0

    @property
    def columns(self) -> int:
        """Numbers per grid point."""
        return len(self.names)

    @property
    def blocks(self) -> tuple[int, int]:
        """Records along u and v."""
        (nu, nv), (ru, rv) = self.points, self.record
        return -(-nu // ru), -(-nv // rv)

    @property
    def record_bytes(self) -> int:
        """Length of a record [byte]."""
        return self.record[0] * self.record[1] * self.columns * NUMBER_BYTES

    @property
    def file_bytes(self) -> int:
        """Length of the file [byte]."""
        return self.record_bytes * (1 + self.blocks[0] * self.blocks[1])

    @property
    def high(self) -> tuple[float, float]:
        """Upper bounds of u and v."""
        u, v = (low + (n - 1) * d for low, n, d in zip(self.low, self.points, self.increment, strict=True))
        return u, v

    def encoded(self) -> bytes:
        """Return the first record."""
        names = ",".join(self.names).encode("ascii")
        if len(names) > MAX_NAMES_SIZE:
            raise ModelError(f"lookup table: the names of columns have {len(names)} bytes, more than {MAX_NAMES_SIZE}")
        fields = _FIELDS.pack(
            MAGIC, VERSION, *self.points, *self.record, self.columns, 8 * self.record_bytes, *self.low,
            *self.increment, *(ENDS.index(end) for end in self.ends), self.side, self.checksum,
        )  # fmt: skip
        record = fields + _HEADER_CHECK.pack(zlib.crc32(fields + names), len(names)) + names
        if len(record) > self.record_bytes:
            raise ModelError(
                f"lookup table: a record of {self.record[0]} × {self.record[1]} points is too short for the header, "
                f"{len(record)} bytes; use larger records"
            )
        return record.ljust(self.record_bytes, b"\0")


def real_path(owner: str, path: Any) -> Path:
    """Return the path with all links resolved."""
    return Path(os.path.realpath(file_path(f"{owner}: path", path)))


def integer_pair(value: Any, minimum: int) -> tuple[int, int] | None:
    """Return two integers not less than ``minimum``, or None if ``value`` is anything else."""
    try:
        numbers = np.asarray(value)
    except ValueError:
        return None
    if numbers.shape != (2,) or numbers.dtype.kind not in "iu" or numbers.min() < minimum or numbers.max() >= 2**31:
        return None
    return int(numbers[0]), int(numbers[1])


def read_header(path: Path) -> Header:
    """Return the header of a file, checked against the length of the file."""
    regular_file(path)
    try:
        with open(path, "rb") as file:
            start = file.read(NAMES_OFFSET)
            names = b""
            if len(start) == NAMES_OFFSET and start.startswith(MAGIC):
                _, length = _HEADER_CHECK.unpack_from(start, _FIELDS.size)
                names = file.read(min(max(length, 0), MAX_NAMES_SIZE))
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise ModelError(f"lookup table {path}: {error.strerror}") from None
    if not start.startswith(MAGIC):
        raise ModelError(f"{path} is not a lookup table: it does not begin with {MAGIC.decode()}")
    if len(start) < NAMES_OFFSET:
        raise ModelError(f"lookup table {path} is damaged: it ends within its header")
    _, version, nu, nv, ru, rv, columns, bits, u, v, du, dv, *ends, side, checksum = _FIELDS.unpack_from(start)
    header_checksum, length = _HEADER_CHECK.unpack_from(start, _FIELDS.size)
    if version != VERSION:
        raise ModelError(f"lookup table {path} has version {version}; supported is version {VERSION}")
    if length != len(names) or zlib.crc32(start[: _FIELDS.size] + names) != header_checksum:
        raise ModelError(f"lookup table {path} is damaged: its header does not match its checksum")
    columns_in_file = tuple(names.decode("latin-1").split(","))
    if (
        min(nu, nv) < MIN_POINTS or min(ru, rv) < 1 or not all(map(math.isfinite, (u, v, du, dv))) or min(du, dv) <= 0.0
        or not all(0 <= k < len(ENDS) for k in ends) or side not in (-1, 1)
        or columns_in_file[: len(COLUMNS)] != COLUMNS or not names.isascii()
        or NAMES_OFFSET + length > ru * rv * len(columns_in_file) * NUMBER_BYTES
    ):  # fmt: skip
        raise ModelError(f"lookup table {path} is damaged: its header is inconsistent")
    header = Header(
        (nu, nv), (ru, rv), (u, v), (du, dv), tuple(ENDS[k] for k in ends), side,  # type: ignore[arg-type]
        columns_in_file, checksum,
    )  # fmt: skip
    if header.columns != columns or bits != 8 * header.record_bytes:
        raise ModelError(f"lookup table {path} is damaged: columns and record length do not agree")
    if size != header.file_bytes:
        raise ModelError(
            f"lookup table {path} is damaged: it has {size} bytes, its header requires {header.file_bytes}"
        )
    return header


def check_records(path: Path, header: Header) -> None:
    """Raise if the records do not match their checksum; they are read in chunks to save memory."""
    checksum = 0
    with open(path, "rb") as file:
        if file.read(header.record_bytes) != header.encoded():
            raise ModelError(f"lookup table {path} is damaged: unexpected data behind the header")
        while chunk := file.read(1 << 20):
            checksum = zlib.crc32(chunk, checksum)
    if checksum != header.checksum:
        raise ModelError(f"lookup table {path} is damaged: its records do not match their checksum; build it again")


def block(values: np.ndarray, header: Header, a: int, b: int) -> np.ndarray:
    """Return record (a, b) from the rows ``values`` (points along u of block row a, points along v, columns)."""
    ru, rv = header.record
    part = values[:, b * rv : (b + 1) * rv]
    full = np.full((ru, rv, header.columns), np.nan)
    full[: part.shape[0], : part.shape[1]] = part
    return full
