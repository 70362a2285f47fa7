"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import re
import socket
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from carom.errors import check_regular, file_name
from carom.io.locks import alive

LONGEST = 40
"""Characters of a file's name in its temporary name, which must not become too long."""


@contextmanager
def whole(path: str | os.PathLike[str], ending: str = ".part") -> Iterator[Path]:
    """A name in the folder of ``path`` to write to; what is there at the end is moved to ``path``.

    An error leaves what was at ``path`` before, and nothing else; what a killed process left is removed by the next
    one that writes the same file. A link stays a link. ``ending`` is that of the temporary name, for writers that look
    at it.
    """
    target = Path(os.path.realpath(file_name("what is written", path)))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot save to {path}: there is no folder {target.parent}")
    if target.is_dir():
        raise IsADirectoryError(f"cannot save to {path}: it is a folder")
    check_regular(path)
    prefix = f".{target.name[:LONGEST]}.{zlib.crc32(socket.gethostname().encode()):08x}-"
    remove_stale(target.parent, prefix)
    part = target.with_name(f"{prefix}{os.getpid()}-{uuid.uuid4().hex[:12]}{ending}")
    try:
        yield part
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def remove_stale(folder: Path, prefix: str) -> None:
    """Remove temporary files that begin with ``prefix`` and belong to processes that have died."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.startswith(prefix)]
    for name in names:
        pid = re.match(r"(\d{1,10})-[0-9a-f]{12}", name.removeprefix(prefix))
        if pid is not None and not alive(int(pid[1])):
            with suppress(OSError):
                (folder / name).unlink()
