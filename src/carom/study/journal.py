"""A file that keeps what is done, line by line, and loses nothing of it.

A line is a checksum and JSON; the first one says whose file it is. Lines are only ever added. What a crash left of a
last line is taken away when the file is opened again; a line that does not fit its checksum counts as not there.
"""

from __future__ import annotations

import json
import os
import time as clock
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from carom.errors import ModelError, file_name, notify

CALM = 1.0
"""Seconds after which what is written must have reached the disk."""
FORMAT = "carom sweep 1"


class Journal:
    """The file of one study; ``head`` says which, and must be the one that is in the file."""

    def __init__(self, path: Path, head: dict[str, Any]):
        self.path = path = file_name("the journal of a sweep", path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            raise ModelError(f"cannot write {path}: it is not a regular file")
        binary = getattr(os, "O_BINARY", 0)  # Windows would write \r\n
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | binary, 0o666)
        self.lines: list[dict[str, Any]] = []
        """Those that were there."""
        self._calm = clock.monotonic()
        try:
            self._lock()
            self._open(head)
        except BaseException:
            os.close(self._file)
            raise

    def _lock(self) -> None:
        """One process at a time; a lock that its forked workers do not have."""
        try:
            import fcntl
        except ImportError:  # no locks of this kind here
            return
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ModelError(f"{self.path} is in use: another process writes the same sweep") from error

    def _open(self, head: dict[str, Any]) -> None:
        head = {"format": FORMAT, **head}
        with open(self._file, "rb", closefd=False) as file:
            file.seek(0)
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        found = list(read(whole))
        first = (found[0] or {}) if found else None
        foreign = not line(head).startswith(content) if first is None else first.get("format") != FORMAT
        if foreign:
            raise ModelError(f"{self.path} is there and is no sweep; choose another place")
        if first is None:
            os.ftruncate(self._file, 0)
            self.add(head, sure=True)
            return
        other = [key for key in head if first.get(key) != head[key]]
        if other:
            raise ModelError(
                f"{self.path} belongs to another sweep: its {' and '.join(other)} differ; "
                "choose another place, or remove it to begin anew"
            )
        os.ftruncate(self._file, len(whole))
        self.lines = [one for one in found[1:] if one is not None]
        bad = sum(one is None for one in found[1:])
        if bad:
            notify(f"{self.path}: {bad} damaged line{'s' * (bad > 1)} left out; what stood there is done again")

    def add(self, entry: dict[str, Any], sure: bool = False) -> None:
        """Append; it outlives this process at once, and a failure of the computer after a second (or if ``sure``)."""
        data = line(entry)
        if os.write(self._file, data) != len(data):
            raise OSError(f"{self.path}: the disk is full")
        if sure or clock.monotonic() - self._calm > CALM:
            os.fsync(self._file)
            self._calm = clock.monotonic()

    def close(self) -> None:
        os.fsync(self._file)
        os.close(self._file)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
    return f"{zlib.crc32(text):08x} ".encode() + text + b"\n"


def read(content: bytes) -> Iterator[dict[str, Any] | None]:
    """What each line says; None where it is damaged."""
    for one in content.split(b"\n")[:-1]:
        check, _, text = one.partition(b" ")
        yield entry_of(text) if check == f"{zlib.crc32(text):08x}".encode() else None


def entry_of(text: bytes) -> dict[str, Any] | None:
    """What a line says; None where that is not what `line` writes."""
    try:
        entry = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None
