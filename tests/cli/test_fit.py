"""``carom fit``, ``carom sensitivity`` and ``carom run --check-tolerance``, as they are typed."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import carom as cm
from carom.cli.app import app


@pytest.fixture
def carom(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(app, list(words))


@pytest.fixture
def force(tmp_path):
    """A file with the force of two spheres of restitution 0.7 in an instrument's units, a constant noise on it."""
    case = cm.gallery.two_spheres("flores", 0.7)
    t = np.linspace(0.0, case.options["t_end"], 60)
    values = case.run(rtol=1e-10).sample(t)["touch"].normal_force
    noise = np.random.default_rng(0).normal(size=60)
    lines = [f"{1e6 * a};{1e-3 * (b + c)}" for a, b, c in zip(t, values, noise, strict=True)]
    (tmp_path / "force.csv").write_text("\n".join(["# rig", "t [us]; F [kN]", *lines]))


@pytest.mark.usefixtures("force")
def test_fit_writes_table_numbers_and_figure(carom, tmp_path):
    words = ["fit", "two_spheres", "force.csv", "-p", "restitution=0.2:0.95", "--set", "law=flores", "--column",
             "F=touch.normal_force"]  # fmt: skip
    answer = carom(*words, "--out", "here")
    assert answer.exit_code == 0, answer.output
    assert "restitution" in answer.stdout
    folder = tmp_path / "here" / "two_spheres"
    assert {path.name for path in folder.iterdir()} == {"fit.csv", "fit.json", "fit.png"}
    row = next(csv.DictReader((folder / "fit.csv").open()))
    assert float(row["low"]) < 0.7 < float(row["high"])
    told = json.loads(carom(*words, "--sigma", "1", "--json").stdout)
    assert told["parameters"]["restitution"]["value"] == pytest.approx(0.7, abs=0.01)
    assert told["files"]


@pytest.mark.usefixtures("force")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("two_spheres", "none.csv", "-p", "restitution=0:1"), "cannot read none.csv: file not found"),
        (("two_spheres", "force.csv", "-p", "restitution=0"), "NAME=LOW:HIGH"),
        (("two_spheres", "force.csv", "-p", "restitution=0:1"), "'F' is not a series"),
        (("two_sphere", "force.csv", "-p", "restitution=0:1"), "did you mean two_spheres"),
        (("two_spheres", "force.csv", "-p", "restitution=0:1", "--sigma", "much"), "--sigma needs"),
    ],
)
def test_a_fit_that_cannot_start(carom, words, told):
    answer = carom("fit", *words)
    assert answer.exit_code == 2
    assert told in " ".join(answer.stderr.split())


def test_sensitivity_writes_table_runs_and_figure(carom, tmp_path):
    words = ["sensitivity", "two_spheres", "--vary", "restitution=0.3:0.9", "--measure", "impacts.energy_lost.sum",
             "--method", "morris", "--samples", "4", "--set", "law=flores", "--executor", "serial"]  # fmt: skip
    answer = carom(*words)
    assert answer.exit_code == 0, answer.output
    folder = tmp_path / "out" / "sensitivity" / "two_spheres"
    assert {path.name for path in folder.iterdir()} == {"sensitivity.csv", "runs.csv", "sensitivity.png"}
    assert json.loads(carom(*words, "--json").stdout)["ranking"] == ["restitution"]
    assert carom(*words, "--vary", "speed").exit_code == 2


def test_run_reports_the_tolerance_check(carom, tmp_path):
    told = json.loads(carom("run", "pendulum", "--t-end", "0.5", "--check-tolerance", "--json").stdout)
    assert told["tolerance_check"]["valid_to_end"] is True
    assert (tmp_path / "out" / "pendulum" / "tolerance_check.png").exists()
    earlier = json.loads(carom("run", "pendulum", "--t-end", "0.5", "--trust", "--json").stdout)
    assert earlier["trust"]["whole"] is True
    assert "--trust" not in carom("run", "--help").stdout


def test_a_short_run_is_checked_by_default(carom, tmp_path):
    """A double pendulum that goes over the top is chaotic."""
    words = ("run", "double_pendulum", "--set", "angles=2.5,2.5", "--t-end", "14")
    cm.gallery.double_pendulum().run(t_end=0.1)  # its kernels are compiled
    told = json.loads(carom(*words, "--json").stdout)
    assert not told["tolerance_check"]["valid_to_end"]
    assert told["tolerance_check"]["horizon"] == pytest.approx(11.65, abs=0.1)
    assert sum("depends on its tolerance after t = " in words for words in told["warnings"]) == 1
    assert (tmp_path / "out" / "double_pendulum" / "tolerance_check.png").exists()
    assert "tolerance_check" not in json.loads(carom(*words[:-1], "1", "--no-check-tolerance", "--json").stdout)


def test_a_failed_tolerance_check_keeps_the_run(carom, tmp_path):
    (tmp_path / "rest.yaml").write_text(
        "carom: 1\ngravity: [0, 0]\nbodies: {block: {mass: 1, inertia: 1}}\nrun: {t_end: 0.1}\n"
    )
    answer = carom("run", "rest.yaml", "--check-tolerance")
    assert "nothing moves" in " ".join(answer.stdout.split())
    assert answer.exit_code == 0
    assert (tmp_path / "out" / "rest" / "result.h5").exists()
