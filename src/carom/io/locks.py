"""Locks on the files of runs: only one process writes a file at a time.

The lock of run.h5 is a lock of the operating system on the file .run.h5.lock beside it. It ends with its process, also
when the process is killed; a lock file that remains does not block other processes. If the file system does not support
locks, the lock file names its process, and the lock counts only while that process runs.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from carom.errors import ModelError

ATTEMPTS, PAUSE = 3, 0.01
"""Attempts to acquire a lock and pause between them [s], since `is_locked` holds the lock for a moment."""
LOCKED_BYTE = 1 << 30
"""Offset of the byte that is locked on Windows; nothing is written there."""

_held: dict[Path, int] = {}  # Locks with the id of the process that holds them: a forked process holds none.
_guard = threading.Lock()


def lock_of(path: str | os.PathLike[str]) -> Path:
    """Return the path of the lock file."""
    real = Path(os.path.realpath(path))
    return real.with_name(f".{real.name}.lock")


def is_running(pid: int) -> bool:
    """Return True if a process with this id runs on this computer."""
    if sys.platform == "win32":
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, pid)  # PROCESS_QUERY_LIMITED_INFORMATION
        return bool(handle) and bool(ctypes.windll.kernel32.CloseHandle(handle))
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


class FileLock:
    """Exclusive right to write the run of one file; it ends with `release` or with the process."""

    def __init__(self, owner: str, path: str | os.PathLike[str]):
        self.lock_path = lock_of(path)
        self._descriptor: int | None = None
        for attempt in range(ATTEMPTS):
            if self._acquire():
                return
            if attempt + 1 < ATTEMPTS:
                time.sleep(PAUSE)
        raise ModelError(
            f"{owner}: {path} is being written by another process{_writer(self.lock_path)}; wait until it has "
            "finished, or choose another file"
        )

    def _acquire(self) -> bool:
        """Acquire the lock; return False if another process or another object of this process holds it."""
        while True:
            with _guard:
                if _held.get(self.lock_path) == os.getpid():
                    return False
                descriptor = os.open(self.lock_path, os.O_RDWR | os.O_CREAT, 0o666)
                if not _lock(descriptor):
                    os.close(descriptor)
                    return False
                if _is_at(descriptor, self.lock_path):
                    os.ftruncate(descriptor, 0)
                    os.write(descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode())
                    _held[self.lock_path], self._descriptor = os.getpid(), descriptor
                    return True
                os.close(descriptor)  # Its last owner has removed the file meanwhile.

    def release(self) -> None:
        """Release the lock and remove the lock file."""
        if self._descriptor is None or _held.get(self.lock_path) != os.getpid():
            return
        with _guard:
            is_current = _is_at(self._descriptor, self.lock_path)
            if sys.platform == "win32":  # Windows cannot remove open files.
                os.close(self._descriptor)
            with suppress(OSError):  # The folder may have become read-only.
                if is_current:
                    self.lock_path.unlink(missing_ok=True)
            if sys.platform != "win32":
                os.close(self._descriptor)
            del _held[self.lock_path]
            self._descriptor = None

    def __enter__(self) -> FileLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def is_locked(path: str | os.PathLike[str]) -> bool:
    """Return True while a process writes the run of a file."""
    lock_path = lock_of(path)
    with _guard:
        if _held.get(lock_path) == os.getpid():
            return True
        try:
            descriptor = os.open(lock_path, os.O_RDWR)
        except OSError:
            return False
        try:
            return not _lock(descriptor)
        finally:
            os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    """Return True if the open file is the file at ``path``."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except OSError:
        return False


def _lock(descriptor: int) -> bool:
    """Lock an open file; return False if another process holds the lock."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # Forked processes do not inherit it.
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN):
            return False
        return not _has_owner(os.pread(descriptor, 1000, 0))  # The file system does not support locks.
    return True


def _has_owner(content: bytes) -> bool:
    """Return True if the process named in a lock file runs, or may run on another computer."""
    pid, _, host = content.decode(errors="replace").strip().partition(" ")
    return pid.isdigit() and (host != socket.gethostname() or (int(pid) != os.getpid() and is_running(int(pid))))


def _writer(lock_path: Path) -> str:
    """Return id and computer of the process that holds a lock, or an empty text if unknown."""
    try:
        pid, _, host = lock_path.read_text(encoding="utf-8", errors="replace")[:200].strip().partition(" ")
    except OSError:
        return ""
    return f" ({pid} on {host})" if pid.isdigit() else ""
