"""Kernels compiled when the package was built: one shared library, and a table of what it was built from.

`carom.kernels.library_builder` writes both into the folder ``prebuilt``. A kernel of the library is used if the sources
that it was compiled from, and its signature, are those of today; all others are compiled by Numba. The library needs
neither Python nor Numba.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import platform
from functools import cache
from pathlib import Path
from typing import Any

from carom.errors import warn
from carom.kernels.interpreted import PLAIN
from carom.kernels.source_digest import ROOT, content_hash

FOLDER = Path(__file__).parent / "prebuilt"
LIBRARY, TABLE = "kernels.bin", "kernels.json"
SUPPORTED = "carom_supports_this_processor"
"""Function of the library that returns 1 if the processor has all instructions of its kernels."""
FIELDS = ("machine", "processor", "digest", "files", "modules", "kernels")
"""Fields of the table."""
HINT = "kernels are compiled as they are needed"


class LibraryError(Exception):
    """The library cannot be used; the message is the reason."""


class KernelLibrary:
    """A library and its table, both from one build; raises `LibraryError` if they cannot be used here."""

    def __init__(self, folder: Path):
        try:
            content, table_content = (folder / LIBRARY).read_bytes(), (folder / TABLE).read_bytes()
        except OSError as error:
            raise LibraryError(f"it cannot be read ({type(error).__name__}: {error})") from error
        table = table_in(table_content)
        self.kernels: dict[str, dict[str, str]] = table["kernels"]
        self.files: dict[str, str] = table["files"]
        self._files_of_modules: dict[str, list[str]] = table["modules"]
        if table["machine"] != machine_name():
            raise LibraryError(f"it was built for {table['machine']}, this is {machine_name()}")
        if hashlib.sha256(content).hexdigest() != table["digest"]:
            raise LibraryError("it is damaged: its content is not that of its table")
        try:
            self.library = ctypes.CDLL(str(folder / LIBRARY))
            is_supported = bool(getattr(self.library, SUPPORTED)())
        except (OSError, AttributeError) as error:
            raise LibraryError(f"it cannot be loaded ({error})") from error
        if not is_supported:
            raise LibraryError(f"this processor lacks instructions that it needs ({table['processor']})")

    def address_of(self, name: str, module: str, signature: str) -> int | None:
        """Return the address of a kernel; None if the library does not have it in its present form."""
        entry = self.kernels.get(name)
        if entry is None or entry.get("signature") != signature or not self.is_current(module):
            return None
        code = getattr(self.library, entry.get("symbol", ""), None)
        return None if code is None else ctypes.cast(code, ctypes.c_void_p).value

    def is_current(self, module: str) -> bool:
        """Return whether the sources on which the kernels of a module depend are those that were compiled."""
        files = self._files_of_modules.get(module)
        return files is not None and all(self._is_unchanged(file) for file in files)

    @cache  # noqa: B019  (one library per process)
    def _is_unchanged(self, file: str) -> bool:
        return content_hash(ROOT / file).hex()[:16] == self.files.get(file)


def written_table(table: dict[str, Any]) -> str:
    """Return the content of the file of a table: JSON, with a checksum of its second line in the first one."""
    text = json.dumps(table)
    return f'{{"checksum": "{hashlib.sha256(text.encode()).hexdigest()}", "table":\n{text}\n}}'


def table_in(content: bytes) -> dict[str, Any]:
    """Return the table in the content of its file; raise `LibraryError` if it is not what was written."""
    head, *lines = content.split(b"\n")
    if len(lines) != 2 or hashlib.sha256(lines[0]).hexdigest().encode() not in head:
        raise LibraryError(f"it is damaged: its table {TABLE} is not what was written")
    table: dict[str, Any] = json.loads(lines[0])
    missing = [field for field in FIELDS if field not in table]
    if missing:
        raise LibraryError(f"its table {TABLE} has no {', '.join(missing)}")
    return table


def machine_name() -> str:
    """Return the system and processor for which code is compiled."""
    return f"{platform.system()} {platform.machine()}"


def library_folder() -> Path | None:
    """Return the folder of the library: that of this installation, or the one that ``CAROM_PREBUILT`` names.

    It is None where nothing was built, or with ``CAROM_PREBUILT=0``.
    """
    chosen = os.environ.get("CAROM_PREBUILT", "")
    if chosen:
        return None if chosen == "0" else Path(chosen)
    try:
        is_built = not {LIBRARY, TABLE}.isdisjoint(os.listdir(FOLDER))
    except FileNotFoundError:
        is_built = False
    except OSError:
        is_built = True  # it cannot be read, which is worth a warning
    return FOLDER if is_built else None


@cache
def library() -> KernelLibrary | None:
    """Return the library of this installation; None, with a warning, if it cannot be used."""
    folder = library_folder()
    if PLAIN or os.environ.get("NUMBA_CPU_NAME") or folder is None:
        return None  # nothing is compiled, it is compiled for a certain processor, or there is no library
    try:
        return KernelLibrary(folder)
    except LibraryError as error:
        warn(f"prebuilt kernels {folder / LIBRARY} are not used: {error}; {HINT}")
        return None


@cache
def _warn_of_other_sources() -> None:
    """Warn once per process of a library that was built from other sources."""
    warn(
        f"prebuilt kernels in {library_folder()} were built from other sources and are used in part; {HINT}. "
        "In a working copy, 'make prebuilt' builds them again; otherwise install carom again"
    )


def kernel_name(function: Any) -> str:
    """Return the name of a kernel in the table."""
    return f"{function.__module__}.{function.__qualname__}"


def signature_text(signature: Any) -> str:
    """Return a digest of a signature with the layout of its records."""
    return hashlib.sha256(repr(signature).encode()).hexdigest()[:16]


def address_of(function: Any, signature: Any) -> int | None:
    """Return the address of a kernel in the library of this installation; None if it has to be compiled.

    A function that captured values is not known by its name.
    """
    found = library()
    name = kernel_name(function)
    if found is None or name not in found.kernels or function.__closure__:
        return None
    address = found.address_of(name, function.__module__, signature_text(signature))
    if address is None:
        _warn_of_other_sources()
    return address
