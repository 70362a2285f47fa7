"""Functions we write ourselves, from formulas: in files of their own, so that their machine code can be kept."""

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

MOST_KEPT = 400
"""Texts that stay on disk: a study can write a new one for every run."""


@cache
def defined(source: str) -> Callable[..., Any]:
    """The function ``written`` that a source text defines; the same text gives the same function.

    The text is put into the folder of the kernels, under its digest, where Numba finds it again in a later process;
    where nothing can be written it lives in memory.
    """
    name = hashlib.sha256(source.encode()).hexdigest()[:20]
    place = folder()
    path = None if place is None else _stored(Path(place) / "written", name, source)
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


def _stored(home: Path, name: str, source: str) -> Path | None:
    """The file of this text, written whole if it is not there yet."""
    path = home / f"w{name}.py"
    try:
        home.mkdir(mode=0o700, exist_ok=True)
        if not path.exists() or path.read_text() != source:
            with tempfile.NamedTemporaryFile("w", dir=home, suffix=".part", delete=False) as part:
                part.write(source)
            os.replace(part.name, path)
            _remove_oldest(home)
    except OSError:
        return None
    return path


def _remove_oldest(home: Path) -> None:
    """Remove the oldest texts, with their machine code, when there are too many."""
    texts = sorted(home.glob("w*.py"), key=lambda path: path.stat().st_mtime)
    for text in texts[:-MOST_KEPT]:
        for path in (text, *home.parent.glob(f"{home.name}_*/{text.stem}.*")):
            path.unlink(missing_ok=True)


def is_kept(function: Any) -> bool:
    """Whether a function is one of these files, so that Numba may keep its machine code."""
    place = folder()
    code = getattr(function, "__code__", None)
    return place is not None and code is not None and Path(code.co_filename).parent == Path(place) / "written"
