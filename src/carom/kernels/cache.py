"""Where compiled code is kept between processes.

Numba notices an edit of the function it cached, but not of a function that one calls in another file.
So the folder carries a digest of all our sources (and Numba's version): another digest, another folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numba

KEEP = 4
"""How many digests (versions of the sources) stay on disk."""


INTERPRETED = {"result", "io", "plot", "view", "report", "study", "gallery", "cli"}
"""Packages without compiled code: an edit there keeps the cache."""


def digest(root: Path) -> str:
    """Fingerprint of every Python source below ``root`` that may hold compiled code, of Numba and of Python."""
    total = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in sorted(path for path in root.rglob("*.py") if path.relative_to(root).parts[0] not in INTERPRETED):
        total.update(path.relative_to(root).as_posix().encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


def _homes() -> Iterator[Path]:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen) / "carom"
    if sys.platform == "win32":
        yield Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "carom" / "kernels"
    elif sys.platform == "darwin":
        yield Path.home() / "Library" / "Caches" / "carom" / "kernels"
    else:
        yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "carom" / "kernels"
    yield Path(tempfile.gettempdir()) / f"carom-kernels-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def _usable(folder: Path) -> bool:
    """Whether we can write there, and nobody else put it there: cached code is run as it is found."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
            return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _forget_old(home: Path, current: Path) -> None:
    others = sorted((p for p in home.iterdir() if p.is_dir() and p != current), key=lambda p: -p.stat().st_mtime)
    for stale in others[KEEP - 1 :]:
        shutil.rmtree(stale, ignore_errors=True)


@cache
def folder() -> str | None:
    """The cache folder of these sources, or None where nothing can be written."""
    key = digest(Path(__file__).resolve().parents[1])
    for home in _homes():
        place = home / key
        if not _usable(place):
            continue
        with contextlib.suppress(OSError):  # another process may be tidying up too
            os.utime(place)
            _forget_old(home, place)
        return str(place)
    return None


@contextlib.contextmanager
def in_folder() -> Iterator[bool]:
    """Numba's cache setting for the functions decorated inside; the user's own setting is put back.

    Yields whether there is a place to cache in.
    """
    place = folder()
    before = numba.config.CACHE_DIR
    if place is not None:
        numba.config.CACHE_DIR = place
    try:
        yield place is not None
    finally:
        numba.config.CACHE_DIR = before
