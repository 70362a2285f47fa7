"""Fixtures of the command line: its runner, and figures that are not drawn."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from carom.cli.app import app


@pytest.fixture
def carom(tmp_path, monkeypatch):
    """Return a function that runs `carom …` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, list(words))


@pytest.fixture
def drawn():
    """Request that figures are drawn in this test."""


@pytest.fixture(autouse=True)
def blank_figures(request, monkeypatch):
    """Write empty files instead of figures, whose drawing takes longer than most commands."""
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr(
            "carom.plot.style.NotebookFigure.savefig", lambda figure, path, **options: Path(path).touch()
        )
