"""The notebooks of the folder examples, executed by a kernel: no error, no warning, and pictures in place of names."""

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.ipynb"))


def outputs_of(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_there_are_notebooks_without_outputs():
    assert len(NOTEBOOKS) >= 3
    for path in NOTEBOOKS:
        assert outputs_of(nbformat.read(path, as_version=4)) == []
        assert path.stat().st_size < 20_000


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_pictures(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = outputs_of(notebook)
    assert [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"] == []
    shown = [output.data for output in outputs if "data" in output]
    assert any("image/png" in data or "image/gif" in data for data in shown)
    assert any("<img" in data.get("text/html", "") or "<iframe" in data.get("text/html", "") for data in shown)
    texts = [data["text/plain"] for data in shown if set(data) == {"text/plain"}]
    assert not any(text.startswith("<Figure") for text in texts)
