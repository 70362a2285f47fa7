"""Tests of ``carom reproduce``."""

from carom.gallery import CASES
from carom.gallery import reproduce as module


def test_reproduce_writes_one_page(carom, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CASES", {name: CASES[name] for name in ("pendulum", "two_spheres")})
    output = carom("reproduce", "C7", "--processes", "1", "--out", "here")
    assert output.exit_code == 0
    assert output.stdout.startswith("C7")
    assert {path.name for path in (tmp_path / "here").iterdir()} == {"index.html", "C7.png"}


def test_reproduce_of_an_unknown_figure_returns_exit_code_2(carom, monkeypatch):
    monkeypatch.setattr(module, "CASES", {"pendulum": CASES["pendulum"]})
    output = carom("reproduce", "Z99", "--processes", "1")
    assert output.exit_code == 2
    assert "unknown figure or case 'Z99'" in " ".join(output.stderr.split())
