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
def atomic_write(path: str | os.PathLike[str], suffix: str = ".part") -> Iterator[Path]:
    """Yield a temporary path in the folder of ``path``; rename it to ``path`` at the end of the block.

    If the block raises, the previous file at ``path`` stays as it was and the temporary file is removed. The temporary
    file of a killed process is removed by the next process that writes the same file. A symbolic link stays a link.
    Some writers choose the format by the ``suffix`` of the temporary name.
    """
    target = Path(os.path.realpath(file_path("output", path)))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot save to {path}: folder {target.parent} not found")
    if target.is_dir():
        raise IsADirectoryError(f"cannot save to {path}: it is a folder")
    check_not_special_file(path)
    prefix = f".{target.name[:MAX_NAME_PART]}.{zlib.crc32(socket.gethostname().encode()):08x}-"
    remove_stale(target.parent, prefix)
    temporary = target.with_name(f"{prefix}{os.getpid()}-{uuid.uuid4().hex[:12]}{suffix}")
    try:
        yield temporary
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def remove_stale(folder: Path, prefix: str) -> None:
    """Remove temporary files that begin with ``prefix`` and belong to processes that no longer run."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(prefix)]
    for name in names:
        pid = re.match(r"(\d{1,10})-[0-9a-f]{12}", name.removeprefix(prefix))
        if pid is not None and not is_running(int(pid[1])):
            with suppress(OSError):
                (folder / name).unlink()
