"""One process compiles a function; others that need it at the same time wait, and load its code from the cache."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from carom.kernels.cache import folder

try:
    import fcntl
except ImportError:  # Windows: processes may compile the same function twice, which costs only time
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def compile_lock(function: Callable[..., Any]) -> Iterator[None]:
    """Hold the lock of ``function`` among all processes with the same cache.

    Locks are taken from caller to callee, and calls of compiled functions form no cycle: no two processes can wait for
    each other. The system releases the lock of a process that is killed.
    """
    descriptor = _open(function)
    if descriptor is None:
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _open(function: Callable[..., Any]) -> int | None:
    """Return the open lock file of ``function``, or None where there are no locks."""
    cache_folder = folder()
    if fcntl is None or cache_folder is None:
        return None
    name = hashlib.sha256(f"{function.__module__}.{function.__qualname__}".encode()).hexdigest()[:20]
    path = Path(cache_folder) / "locks" / name
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        return os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:  # a full or read-only disk: the cache itself says so
        return None
