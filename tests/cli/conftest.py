"""What the commands draw."""

from pathlib import Path

import pytest


@pytest.fixture
def drawn():
    """Have figures drawn in this test."""


@pytest.fixture(autouse=True)
def blank_figures(request, monkeypatch):
    """Make figures, but write empty files: to draw one takes longer than most commands."""
    if "drawn" not in request.fixturenames:
        monkeypatch.setattr(
            "carom.plot.style.NotebookFigure.savefig", lambda figure, path, **options: Path(path).touch()
        )
