"""The folder where compiled code is kept between processes.

Code in it is executed as it is found, so the folder must be one that only this user can change.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from carom.errors import warn


@cache
def folder() -> str | None:
    """Return the folder of compiled code, or None where there is none that can be written and trusted."""
    configured = os.environ.get("NUMBA_CACHE_DIR")
    if configured:
        path = Path(configured) / "carom"
        problem = _problem(path)
        if problem is None:
            return str(path)
        warn(f"NUMBA_CACHE_DIR: compiled code cannot be kept in {configured}: {problem}; another folder is used")
    return next((str(path) for path in _defaults() if _problem(path) is None), None)


def _defaults() -> Iterator[Path]:
    """Yield the folders to try, in order: the user's cache folder, then the temporary folder."""
    if sys.platform == "win32":
        yield Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "carom" / "kernels"
    elif sys.platform == "darwin":
        yield Path.home() / "Library" / "Caches" / "carom" / "kernels"
    else:
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "carom" / "kernels"
    yield Path(tempfile.gettempdir()) / f"carom-kernels-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _problem(path: Path) -> str | None:
    """Return why compiled code cannot be kept in ``path``, or None; the folder is made where it is missing."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = path.resolve()
        shared = next((part for part in (path, *path.parents) if not _is_private(part)), None)
        if shared is not None:
            return f"other users can change {shared}"
        with tempfile.TemporaryFile(dir=path):
            return None
    except OSError as error:
        return str(error.strerror or error)


def _is_private(path: Path) -> bool:
    """Return whether only this user and the administrator can change what ``path`` contains.

    In a sticky folder, such as the temporary one, everybody can add files but only the owner can replace them.
    """
    if not hasattr(os, "getuid"):
        return True
    status = path.stat()
    writable_by_others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not status.st_mode & stat.S_ISVTX
    return status.st_uid in (0, os.getuid()) and not writable_by_others
