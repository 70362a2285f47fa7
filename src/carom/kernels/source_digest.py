"""Digest of all sources that a compiled function was made from.

Compiled code contains the code of the helpers it calls and the constants it reads, from any module that its own module
imports. The digest therefore covers a function's module and, transitively, every carom module that this one imports.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = "carom"
ROOT = Path(__file__).resolve().parents[1]

_IMPORT = re.compile(
    rf"^[ \t]*(?:from[ \t]+({PACKAGE}[\w.]*|\.+[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)"
    rf"|import[ \t]+({PACKAGE}\.[\w.]+))",
    re.MULTILINE,
)


def source_digest(function: Callable[..., Any]) -> str:
    """Return the digest of the sources that the compiled code of ``function`` depends on."""
    return _files_digest(frozenset(_code_files(function)))


def source_files(function: Callable[..., Any]) -> set[Path]:
    """Return the files that the compiled code of ``function`` depends on."""
    return {path for code_file in _code_files(function) for path in _dependencies(Path(code_file))}


def _code_files(function: Any, visited: tuple[Any, ...] = ()) -> Iterator[str]:
    """Yield the file of a function and of every function that it captured."""
    function = getattr(function, "py_func", getattr(function, "function", function))
    code = getattr(function, "__code__", None)
    if code is None or code in visited:
        return
    yield code.co_filename
    for cell in function.__closure__ or ():
        yield from _code_files(cell.cell_contents, (*visited, code))


@cache
def _files_digest(code_files: frozenset[str]) -> str:
    """Return the digest of files and of all carom modules that they import, directly or not."""
    total = hashlib.sha256()
    for path in sorted({path for code_file in code_files for path in _dependencies(Path(code_file))}):
        total.update(content_hash(path))
    return total.hexdigest()[:16]


@cache
def _dependencies(path: Path) -> frozenset[Path]:
    """Return ``path`` and the files of all carom modules that it imports, directly or not."""
    files: set[Path] = set()
    pending = [path]
    while pending:
        current = pending.pop()
        if current not in files:
            files.add(current)
            pending.extend(_imports(current))
    return frozenset(files)


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    """Return the files of the carom modules that a source file imports."""
    if not path.is_file():  # code that was never in a file
        return ()
    files = []
    for origin, names, plain in _IMPORT.findall(path.read_text("utf-8")):
        module = _folder(path, origin) if origin else ROOT.parent.joinpath(*plain.split("."))
        files.append(_module_file(module))
        files.extend(_module_file(module / name) for name in re.findall(r"\w+", names))
    return tuple(file for file in files if file is not None)


def _folder(importer: Path, origin: str) -> Path:
    """Return where a module named in a ``from`` line lies, without its suffix."""
    names = origin.lstrip(".")
    n_dots = len(origin) - len(names)
    base = ROOT.parent if n_dots == 0 else importer.parents[n_dots - 1]
    return base.joinpath(*names.split(".")) if names else base


def _module_file(module: Path) -> Path | None:
    """Return the file of a module or package other than carom itself, which only lists the public names."""
    if module == ROOT:
        return None
    return next((file for file in (module.with_suffix(".py"), module / "__init__.py") if file.is_file()), None)


@cache
def content_hash(path: Path) -> bytes:
    """Return the hash of a file's path in the package and its content."""
    content = path.read_bytes() if path.is_file() else b""
    name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    return hashlib.sha256(name.encode() + b"\0" + content).digest()
