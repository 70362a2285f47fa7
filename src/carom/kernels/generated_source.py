"""Functions from generated source: stored in files, so that Numba can cache their machine code."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from carom.kernels.cache import folder

MAX_FILES = 400
"""Largest number of source files kept on disk: a study can generate a new one for every run."""


@cache
def defined(source: str) -> Callable[..., Any]:
    """Return the function ``written`` that a source text defines; equal texts return one function.

    The text is stored in the kernel cache under its digest, so that Numba finds its machine code in later processes;
    without a writable cache it is kept in memory.
    """
    name = hashlib.sha256(source.encode()).hexdigest()[:20]
    cache_folder = folder()
    path = None if cache_folder is None else _stored(Path(cache_folder) / "written", name, source)
    if path is None:
        scope: dict[str, Any] = {}
        exec(compile(source, f"<{name}>", "exec"), scope)
        return scope["written"]
    spec = importlib.util.spec_from_file_location(f"carom_written_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.written.__doc__ = source
    return module.written


def _stored(source_folder: Path, name: str, source: str) -> Path | None:
    """Return the file of this text, written atomically if it is missing; None if it cannot be written."""
    path = source_folder / f"w{name}.py"
    try:
        source_folder.mkdir(mode=0o700, exist_ok=True)
        if not path.exists() or path.read_text() != source:
            with tempfile.NamedTemporaryFile("w", dir=source_folder, suffix=".part", delete=False) as partial:
                partial.write(source)
            os.replace(partial.name, path)
            _remove_oldest(source_folder)
    except OSError:
        return None
    return path


def _remove_oldest(source_folder: Path) -> None:
    """Remove the oldest texts, with their machine code, when there are too many."""
    texts = sorted(source_folder.glob("w*.py"), key=lambda path: path.stat().st_mtime)
    for text in texts[:-MAX_FILES]:
        for path in (text, *source_folder.parent.glob(f"{source_folder.name}_*/{text.stem}.*")):
            path.unlink(missing_ok=True)


def is_stored(function: Any) -> bool:
    """Return True if a function is defined in one of these files, so that Numba can cache its machine code."""
    cache_folder = folder()
    code = getattr(function, "__code__", None)
    if cache_folder is None or code is None:
        return False
    return Path(code.co_filename).parent == Path(cache_folder) / "written"
