"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from carom.errors import file_name


@contextmanager
def whole(path: str | os.PathLike[str], ending: str = ".part") -> Iterator[Path]:
    """A name in the folder of ``path`` to write to; what is there at the end is moved to ``path``.

    An error leaves what was at ``path`` before, and nothing else. A link stays a link. ``ending`` is that of the name
    for now, for writers that look at it.
    """
    target = Path(os.path.realpath(file_name("what is written", path)))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot save to {path}: there is no folder {target.parent}")
    if target.is_dir():
        raise IsADirectoryError(f"cannot save to {path}: it is a folder")
    part = target.with_name(f".{uuid.uuid4().hex}{ending}")
    try:
        yield part
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
