"""Atomic file writes: temporary file, then rename."""

from __future__ import annotations

import os
import re
import socket
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from carom.argument_checks import check_not_special_file, file_path
from carom.io.locks import is_running

MAX_NAME_PART = 40
"""Characters of the file name used in the temporary name, so that the temporary name is not too long."""


@contextmanager
def atomic_write(path: str | os.PathLike[str], suffix: str = ".part", sync: bool = False) -> Iterator[Path]:
    """Yield a temporary path in the folder of ``path``; rename it to ``path`` at the end of the block.

    If the block raises, the previous file at ``path`` stays as it was and the temporary file is removed. The temporary
    file of a killed process is removed by the next process that writes the same file. A symbolic link stays a link.
    Some writers choose the format by the ``suffix`` of the temporary name. With ``sync`` the file also survives a power
    failure after the rename.
    """
    target = Path(os.path.realpath(file_path("output", path)))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot save to {path}: folder {target.parent} not found")
    if target.is_dir():
        raise IsADirectoryError(f"cannot save to {path}: it is a folder")
    check_not_special_file(path)
    remove_stale(target)
    temporary = target.with_name(f"{_prefix(target)}{os.getpid()}-{uuid.uuid4().hex[:12]}{suffix}")
    try:
        yield temporary
        if sync:
            with open(temporary, "r+b") as stream:
                os.fsync(stream.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def remove_stale(target: Path) -> None:
    """Remove the temporary files of ``target`` that belong to processes of this computer which no longer run."""
    prefix = _prefix(target)
    with os.scandir(target.parent) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(prefix)]
    for name in names:
        pid = re.match(r"(\d{1,10})-[0-9a-f]{12}", name.removeprefix(prefix))
        if pid is not None and not is_running(int(pid[1])):
            with suppress(OSError):
                (target.parent / name).unlink()


def _prefix(target: Path) -> str:
    """Return the beginning of the temporary names of ``target`` on this computer."""
    return f".{target.name[:MAX_NAME_PART]}.{zlib.crc32(socket.gethostname().encode()):08x}-"
