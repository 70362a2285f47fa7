"""Locks on the files of runs: one process writes a file at a time.

The lock of run.h5 is held on the file .run.h5.lock beside it, by a lock of the operating system. Such a lock ends with
its process, whatever ends that; the file itself may stay behind and blocks nobody. Where the file system knows no
locks, the file names the process that has it, and a process that has died blocks nobody either.
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
"""Attempts at a lock, and seconds between them: `is_locked` has the lock for a moment."""
FAR = 1 << 30
"""Offset of the byte that Windows locks; nothing is written there."""

_held: dict[Path, int] = {}  # locks of this process, with its number: a forked process has none of them
_guard = threading.Lock()


def lock_of(path: str | os.PathLike[str]) -> Path:
    """Return the place of the lock of a file."""
    real = Path(os.path.realpath(path))
    return real.with_name(f".{real.name}.lock")


def alive(pid: int) -> bool:
    """Return True where a process of this computer runs."""
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
    """The right to write the run of one file; ended by `release`, or with the process."""

    def __init__(self, owner: str, path: str | os.PathLike[str]):
        self.place = lock_of(path)
        self._descriptor: int | None = None
        for attempt in range(ATTEMPTS):
            if self._acquire():
                return
            if attempt + 1 < ATTEMPTS:
                time.sleep(PAUSE)
        raise ModelError(
            f"{owner}: {path} is being written by another process{_writer(self.place)}; wait until it has ended, or "
            "choose another file"
        )

    def _acquire(self) -> bool:
        while True:
            with _guard:
                if _held.get(self.place) == os.getpid():
                    return False
                descriptor = os.open(self.place, os.O_RDWR | os.O_CREAT, 0o666)
                if not _lock(descriptor):
                    os.close(descriptor)
                    return False
                if _is_at(descriptor, self.place):
                    os.ftruncate(descriptor, 0)
                    os.write(descriptor, f"{os.getpid()} {socket.gethostname()}\n".encode())
                    _held[self.place], self._descriptor = os.getpid(), descriptor
                    return True
                os.close(descriptor)  # its last owner has removed it meanwhile

    def release(self) -> None:
        """Give the lock back; the file disappears."""
        if self._descriptor is None or _held.get(self.place) != os.getpid():
            return
        with _guard:
            ours = _is_at(self._descriptor, self.place)
            if sys.platform == "win32":  # which removes no open files
                os.close(self._descriptor)
            with suppress(OSError):  # the folder may be read-only by now
                if ours:
                    self.place.unlink(missing_ok=True)
            if sys.platform != "win32":
                os.close(self._descriptor)
            del _held[self.place]
            self._descriptor = None

    def __enter__(self) -> FileLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def is_locked(path: str | os.PathLike[str]) -> bool:
    """Return True while a process writes the run of a file."""
    place = lock_of(path)
    with _guard:
        if _held.get(place) == os.getpid():
            return True
        try:
            descriptor = os.open(place, os.O_RDWR)
        except OSError:
            return False
        try:
            return not _lock(descriptor)
        finally:
            os.close(descriptor)


def _is_at(descriptor: int, place: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(place))
    except OSError:
        return False


def _lock(descriptor: int) -> bool:
    """Lock an open file; False where another process has it."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # not inherited by forked processes
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN):
            return False
        return not _owned(os.pread(descriptor, 1000, 0))  # no locks on this file system
    return True


def _owned(content: bytes) -> bool:
    """Return True where the process that a lock file names runs, or may run on another computer."""
    pid, _, host = content.decode(errors="replace").strip().partition(" ")
    return pid.isdigit() and (host != socket.gethostname() or (int(pid) != os.getpid() and alive(int(pid))))


def _writer(place: Path) -> str:
    """Name the process that has a lock, as far as is known."""
    try:
        pid, _, host = place.read_text(encoding="utf-8", errors="replace")[:200].strip().partition(" ")
    except OSError:
        return ""
    return f" ({pid} on {host})" if pid.isdigit() else ""
