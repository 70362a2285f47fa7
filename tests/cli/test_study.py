"""``carom compare`` and ``carom sweep``, as they are typed."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import carom as cm
from carom.cli.app import app
from carom.cli.study import several, varied
from carom.errors import ModelError


@pytest.fixture
def carom(tmp_path, monkeypatch):
    """Run `carom …` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, list(words))


SHORT = "t_end=0.001"


def test_compare_tells_and_draws_what_differs(carom, tmp_path):
    answer = carom("compare", "slider_crank_block", "law=flores,hertz,nonsense", SHORT, "--watch", "block.vx")
    assert answer.exit_code == 1, answer.output  # one that was asked for could not be run
    assert "Flores et al." in answer.stdout
    assert "block.vx off by" in answer.stdout
    assert "left out: nonsense" in answer.stdout
    folder = tmp_path / "out" / "slider_crank_block" / "comparison"
    assert {path.name for path in folder.iterdir()} == {"table.csv", "comparison.png"}
    assert (folder / "table.csv").read_text().count("\n") == 3


def test_compare_as_json(carom):
    answer = carom("compare", "slider_crank_block", "rtol=1e-6,1e-9", SHORT, "--plot", "block.vx", "--json")
    data = json.loads(answer.stdout)
    assert [run["variant"] for run in data["runs"]] == ["rtol = 1e-06", "rtol = 1e-09"]
    assert data["left_out"] == {}
    assert len(data["files"]) == 2


def test_sweep_keeps_every_run_and_goes_on(carom, tmp_path):
    words = ["sweep", "slider_crank_block", "--vary", "restitution=0.7:0.9:3", "--vary", "law=flores,hunt_crossley"]
    words += ["--measure", "block.vx.final", "--set", SHORT, "--executor", "serial"]
    answer = carom(*words)
    assert answer.exit_code == 0, answer.output
    folder = tmp_path / "out" / "slider_crank_block" / "sweep"
    assert {path.name for path in folder.iterdir()} == {"runs.jsonl", "table.csv", "sweep.png"}
    before = (folder / "runs.jsonl").read_bytes()
    data = json.loads(carom(*words, "--json").stdout)
    assert (folder / "runs.jsonl").read_bytes() == before
    result = cm.gallery.slider_crank_block("hunt_crossley", 0.8).run(t_end=0.001)
    assert data["runs"][3]["block.vx.final"] == result["block"].vx[-1]
    other = carom(*words, "--measure", "t.final")
    assert other.exit_code == 2
    assert "belongs to another sweep" in other.stderr


def test_sweep_of_samples_and_of_a_model_file(carom, tmp_path):
    (tmp_path / "drop.yaml").write_text(
        "carom: 1\nname: drop\ngravity: [0, -10]\nparameters: {height: 1}\n"
        "bodies: {ball: {mass: 1, inertia: 1, position: [0, =height]}}\nrun: {t_end: 0.2}\n"
    )
    words = ["--vary", "height=1:2", "--samples", "3", "--measure", "ball.y.final", "--out", "kept", "--json"]
    answer = carom("sweep", "drop.yaml", *words, "--executor", "serial")
    assert answer.exit_code == 0, answer.output
    runs = json.loads(answer.stdout)["runs"]
    assert all(1.0 <= run["height"] <= 2.0 for run in runs)
    np.testing.assert_allclose([run["ball.y.final"] for run in runs], [run["height"] - 0.2 for run in runs], rtol=1e-12)
    assert (tmp_path / "kept" / "table.csv").exists()


def test_a_run_that_fails_is_told_and_the_exit_code_says_so(carom):
    words = ["--vary", "restitution=0.8,7", "--set", SHORT, "--measure", "t.final", "--executor", "serial"]
    answer = carom("sweep", "slider_crank_block", *words)
    assert answer.exit_code == 1
    assert "run 1 failed: ModelError" in answer.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "no_such_case", "law=a,b"),
        ("compare", "pendulum", "law"),
        ("sweep", "pendulum", "--vary", "length=1:2"),
        ("sweep", "pendulum", "--vary", "nonsense=1,2"),
        ("sweep", "pendulum", "--vary", "length=1:b:3"),
        ("sweep", "pendulum", "--vary", "length=1,2", "--executor", "threads"),
    ],
)
def test_what_cannot_start_is_refused(words, carom):
    answer = carom(*words)
    assert answer.exit_code == 2
    assert answer.stderr.startswith("error: ")


def test_values_on_the_command_line():
    assert varied("a,b") == ["a", "b"]
    assert varied("0.5") == 0.5
    assert several("0.5") == [0.5]
    np.testing.assert_allclose(several("1:3:5"), [1.0, 1.5, 2.0, 2.5, 3.0])
    np.testing.assert_allclose(several("1e-4:1:5:log"), [1e-4, 1e-3, 1e-2, 1e-1, 1.0])
    assert several("1:10:log") == cm.study.LogUniform(1.0, 10.0)
    for wrong in ("1:2:3:4", "1:x", "1:2:2.5", "a:log"):
        with pytest.raises(ModelError):
            several(wrong)
