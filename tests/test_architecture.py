"""ARCHITECTURE.md names files and registries that exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
SOURCE = ROOT / "src" / "carom"


def test_every_file_of_the_walks_exists():
    files = [path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")]
    named = {name for name in re.findall(r"`([\w/]+\.py)`", TEXT) if not name.startswith("tests/")}
    assert len(named) > 50
    missing = {name for name in named if not any(file == name or file.endswith(f"/{name}") for file in files)}
    assert not missing


def test_every_registry_of_the_table_exists():
    entries = re.findall(r"`([A-Z]+)` in `([\w/]+)\.py`", TEXT)
    assert len(entries) > 10
    for name, module in entries:
        assert getattr(importlib.import_module(f"carom.{module.replace('/', '.')}"), name), (name, module)


def test_every_method_of_the_table_is_registered():
    from carom.solve.run import METHODS

    for name, entry in METHODS.items():
        assert f"| `{name}` |" in TEXT
        for path in (entry.problem, entry.method):
            assert path.split(":")[0].removeprefix("carom.").replace(".", "/") + ".py" in TEXT
