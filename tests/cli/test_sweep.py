"""Tests of ``carom sweep``."""

import json

import numpy as np
import pytest

import carom as cm
from carom.cli.sweep import parse_samples
from carom.errors import ModelError

SHORT = "t_end=0.001"


def test_sweep_saves_every_run_and_resumes(carom, tmp_path):
    words = ["sweep", "slider_crank_block", "--vary", "restitution=0.7:0.9:3", "--vary", "law=flores,hunt_crossley"]
    words += ["--measure", "block.vx.final", "--set", SHORT, "--executor", "serial"]
    output = carom(*words)
    assert output.exit_code == 0, output.output
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
    output = carom("sweep", "drop.yaml", *words, "--executor", "serial")
    assert output.exit_code == 0, output.output
    runs = json.loads(output.stdout)["runs"]
    assert all(1.0 <= run["height"] <= 2.0 for run in runs)
    np.testing.assert_allclose([run["ball.y.final"] for run in runs], [run["height"] - 0.2 for run in runs], rtol=1e-12)
    assert (tmp_path / "kept" / "table.csv").exists()


def test_failed_run_of_a_sweep_is_reported_with_exit_code_1(carom):
    words = ["--vary", "restitution=0.8,7", "--set", SHORT, "--measure", "t.final", "--executor", "serial"]
    output = carom("sweep", "slider_crank_block", *words)
    assert output.exit_code == 1
    assert "run 1 failed: ModelError" in output.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("sweep", "pendulum", "--vary", "length=1:2"),
        ("sweep", "pendulum", "--vary", "nonsense=1,2"),
        ("sweep", "pendulum", "--vary", "length=1:b:3"),
        ("sweep", "pendulum", "--vary", "length=1,2", "--executor", "threads"),
    ],
)
def test_invalid_input_returns_exit_code_2(words, carom):
    output = carom(*words)
    assert output.exit_code == 2
    assert output.stderr.startswith("error: ")


def test_values_counts_and_ranges_are_parsed():
    assert parse_samples("0.5") == [0.5]
    np.testing.assert_allclose(parse_samples("1:3:5"), [1.0, 1.5, 2.0, 2.5, 3.0])
    np.testing.assert_allclose(parse_samples("1e-4:1:5:log"), [1e-4, 1e-3, 1e-2, 1e-1, 1.0])
    assert parse_samples("1:10:log") == cm.study.LogUniform(1.0, 10.0)
    for wrong in ("1:2:3:4", "1:x", "1:2:2.5", "a:log"):
        with pytest.raises(ModelError):
            parse_samples(wrong)
