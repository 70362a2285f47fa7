"""Append-only journal of a sweep: finished runs survive any interruption.

Each line consists of a checksum and JSON; the first line identifies the sweep. Opening the journal removes an
incomplete last line, as left by a crash, and ignores lines with a wrong checksum.
"""

from __future__ import annotations

import json
import os
import time as clock
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from carom.argument_checks import file_path
from carom.errors import ModelError, warn
from carom.io.locks import FileLock

SYNC_INTERVAL = 1.0
"""Time [s] after which written lines are forced to the disk."""
FORMAT = "carom sweep 1"


class SweepJournal:
    """Journal file of one sweep, identified by ``header``; a file with another header raises an error."""

    def __init__(self, path: Path, header: dict[str, Any]):
        self.path = path = file_path("the journal of a sweep", path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            raise ModelError(f"cannot write {path}: it is not a regular file")
        self.lines: list[dict[str, Any]] = []
        """Entries that the file contained when it was opened."""
        self._last_sync = clock.monotonic()
        self._lock = FileLock("sweep", path)
        try:
            binary = getattr(os, "O_BINARY", 0)  # Windows would otherwise write \r\n.
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | binary, 0o666)
        except BaseException:
            self._lock.release()
            raise
        try:
            self._open(header)
        except BaseException:
            self._close_file()
            raise

    def _open(self, header: dict[str, Any]) -> None:
        """Check or write the head and read the entries."""
        header = {"format": FORMAT, **header}
        with open(self._file, "rb", closefd=False) as file:
            file.seek(0)
            content = file.read()
        complete = content[: content.rfind(b"\n") + 1]
        entries = list(decode_lines(complete))
        first = (entries[0] or {}) if entries else None
        foreign = not encode_line(header).startswith(content) if first is None else first.get("format") != FORMAT
        if foreign:
            raise ModelError(f"{self.path}: file exists but is not a sweep journal; choose another path")
        if first is None:
            os.ftruncate(self._file, 0)
            self.add(header, sync=True)
            return
        different = [key for key in header if first.get(key) != header[key]]
        if different:
            raise ModelError(
                f"{self.path}: belongs to another sweep (different {' and '.join(different)}); "
                "choose another path, or delete the file to restart"
            )
        os.ftruncate(self._file, len(complete))
        self.lines = [entry for entry in entries[1:] if entry is not None]
        n_damaged = sum(entry is None for entry in entries[1:])
        if n_damaged:
            warn(f"{self.path}: {n_damaged} damaged line{'s' * (n_damaged > 1)} ignored; these runs are repeated")

    def add(self, entry: dict[str, Any], sync: bool = False) -> None:
        """Append an entry.

        It survives the end of this process at once, and a power failure after `SYNC_INTERVAL`, or at once if ``sync``.
        """
        data = encode_line(entry)
        if os.write(self._file, data) != len(data):
            raise OSError(f"{self.path}: cannot write; the disk is full")
        if sync or clock.monotonic() - self._last_sync > SYNC_INTERVAL:
            os.fsync(self._file)
            self._last_sync = clock.monotonic()

    def close(self) -> None:
        """Force all entries to the disk and close the file."""
        try:
            os.fsync(self._file)
        finally:
            self._close_file()

    def _close_file(self) -> None:
        os.close(self._file)
        self._lock.release()

    def __enter__(self) -> SweepJournal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def encode_line(entry: dict[str, Any]) -> bytes:
    """Return an entry as a line with its checksum."""
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
    return f"{zlib.crc32(text):08x} ".encode() + text + b"\n"


def decode_lines(content: bytes) -> Iterator[dict[str, Any] | None]:
    """Yield the entry of each line, None for a damaged line."""
    for line in content.split(b"\n")[:-1]:
        checksum, _, text = line.partition(b" ")
        yield decode_entry(text) if checksum == f"{zlib.crc32(text):08x}".encode() else None


def decode_entry(text: bytes) -> dict[str, Any] | None:
    """Return the entry of a line without its checksum, or None if it is not a JSON object."""
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None
