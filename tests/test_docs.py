"""The Python in the README and the guide runs as it stands, and the guide's table of restitutions is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import carom as cm
from carom.io.model.reading import read

ROOT = Path(__file__).resolve().parents[1]


def files(page: Path) -> dict[str, str]:
    """Model files that a page shows, by the name in their first line."""
    found = re.findall(r"```yaml\n(# (\S+)\n.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return {name: text for text, name in found}


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/guide.md"])
def test_the_examples_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in files(ROOT / page).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
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


def test_the_table_of_returned_restitutions_is_what_the_laws_return():
    guide = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    head = re.search(r"^\| prescribed \|(.*)\| valid from \|$", guide, re.MULTILINE)
    prescribed = [float(cell) for cell in head[1].strip(" |").split("|")]
    advices = [cm.laws.advise(mass=1.0, speed=1.0, radii=0.01, restitution=c) for c in prescribed]
    rows = re.findall(r"^\| `(\w+)` \|((?: [01]\.\d+ \|)+)$", guide, re.MULTILINE)
    assert {getattr(cm.laws, kind).name for kind, _ in rows} == set(advices[0].laws)
    for kind, cells in rows:
        laws = [advice.laws[getattr(cm.laws, kind).name] for advice in advices]
        expected = [*(law.returned for law in laws), laws[0].validity[0]]
        digits = [3] * len(laws) + [2]
        shown = cells.strip(" |").split(" | ")
        assert shown == [f"{value:.{n}f}" for value, n in zip(expected, digits, strict=True)], kind


def test_the_model_file_of_the_guide_runs_and_comes_back(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = files(ROOT / "docs/guide.md")["slider_crank.yaml"]
    model = read(text)
    result = cm.simulate(model.system, **model.run)
    assert result.outcome.ok
    assert result.energy.drift < 1e-7
    assert result["buffer"].indentation.max() > 0.0  # it strikes
    again = cm.simulate(cm.System.from_yaml(model.system.to_yaml()), **model.run)
    assert again.q.tobytes() == result.q.tobytes()
