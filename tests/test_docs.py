"""The Python in the README and the guide runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md"])
def test_the_examples_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    exec("import carom as cm", scope)
    found = blocks(ROOT / page)
    assert found
    for block in found:
        exec(compile(block, page, "exec"), scope)
    result = scope["result"]
    assert result.outcome.ok
    assert result.energy.drift < 1e-8
    assert (tmp_path / "run.h5").exists()
