"""Tests of ``carom fit``, ``carom sensitivity`` and ``carom run --check-tolerance``."""

import csv
import json

import numpy as np
import pytest

import carom as cm


@pytest.fixture
def force(tmp_path):
    """Write a file with the force of two spheres of restitution 0.7 in other units, with constant noise."""
    case = cm.gallery.two_spheres("flores", 0.7)
    t = np.linspace(0.0, case.options["t_end"], 60)
    values = case.run(rtol=1e-10).sample(t)["touch"].normal_force
    noise = np.random.default_rng(0).normal(size=60)
    lines = [f"{1e6 * a};{1e-3 * (b + c)}" for a, b, c in zip(t, values, noise, strict=True)]
    (tmp_path / "force.csv").write_text("\n".join(["# rig", "t [us]; F [kN]", *lines]))


@pytest.mark.usefixtures("force")
def test_fit_writes_table_json_and_figure(carom, tmp_path):
    words = ["fit", "two_spheres", "force.csv", "-p", "restitution=0.2:0.95", "--set", "law=flores", "--column",
             "F=touch.normal_force"]  # fmt: skip
    result = carom(*words, "--out", "here")
    assert result.exit_code == 0, result.output
    assert "restitution" in result.stdout
    folder = tmp_path / "here" / "two_spheres"
    assert {path.name for path in folder.iterdir()} == {"fit.csv", "fit.json", "fit.png"}
    row = next(csv.DictReader((folder / "fit.csv").open()))
    assert float(row["low"]) < 0.7 < float(row["high"])
    data = json.loads(carom(*words, "--sigma", "1", "--json").stdout)
    assert data["parameters"]["restitution"]["value"] == pytest.approx(0.7, abs=0.01)
    assert data["files"]


@pytest.mark.usefixtures("force")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("two_spheres", "none.csv", "-p", "restitution=0:1"), "cannot read none.csv: file not found"),
        (("two_spheres", "force.csv", "-p", "restitution=0"), "NAME=LOW:HIGH"),
        (("two_spheres", "force.csv", "-p", "restitution=0:1"), "'F' is not a series"),
        (("two_sphere", "force.csv", "-p", "restitution=0:1"), "did you mean two_spheres"),
        (("two_spheres", "force.csv", "-p", "restitution=0:1", "--sigma", "much"), "--sigma must be"),
    ],
)
def test_fit_with_invalid_input_returns_exit_code_2(carom, words, message):
    result = carom("fit", *words)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_sensitivity_writes_table_runs_and_figure(carom, tmp_path):
    words = ["sensitivity", "two_spheres", "--vary", "restitution=0.3:0.9", "--measure", "impacts.energy_lost.sum",
             "--method", "morris", "--samples", "4", "--set", "law=flores", "--executor", "serial"]  # fmt: skip
    result = carom(*words)
    assert result.exit_code == 0, result.output
    folder = tmp_path / "out" / "sensitivity" / "two_spheres"
    assert {path.name for path in folder.iterdir()} == {"sensitivity.csv", "runs.csv", "sensitivity.png"}
    assert json.loads(carom(*words, "--json").stdout)["ranking"] == ["restitution"]
    assert carom(*words, "--vary", "speed").exit_code == 2


def test_run_reports_the_tolerance_check(carom, tmp_path):
    data = json.loads(carom("run", "pendulum", "--t-end", "0.5", "--check-tolerance", "--json").stdout)
    assert data["tolerance_check"]["valid_to_end"] is True
    assert (tmp_path / "out" / "pendulum" / "tolerance_check.png").exists()
    earlier = json.loads(carom("run", "pendulum", "--t-end", "0.5", "--trust", "--json").stdout)
    assert earlier["trust"]["whole"] is True
    assert "--trust" not in carom("run", "--help").stdout


def test_short_run_reports_dependence_on_tolerance_by_default(carom, tmp_path):
    """Run a double pendulum with large amplitude, which is chaotic."""
    words = ("run", "double_pendulum", "--set", "angles=2.5,2.5", "--t-end", "14")
    cm.gallery.double_pendulum().run(t_end=0.1)  # Compile its kernels before the timed run.
    data = json.loads(carom(*words, "--json").stdout)
    assert not data["tolerance_check"]["valid_to_end"]
    assert data["tolerance_check"]["horizon"] == pytest.approx(11.65, abs=0.1)
    assert sum("depends on its tolerance after t = " in words for words in data["warnings"]) == 1
    assert (tmp_path / "out" / "double_pendulum" / "tolerance_check.png").exists()
    assert "tolerance_check" not in json.loads(carom(*words[:-1], "1", "--no-check-tolerance", "--json").stdout)


def test_run_is_kept_if_the_tolerance_cannot_be_checked(carom, tmp_path):
    (tmp_path / "rest.yaml").write_text(
        "carom: 1\ngravity: [0, 0]\nbodies: {block: {mass: 1, inertia: 1}}\nrun: {t_end: 0.1}\n"
    )
    result = carom("run", "rest.yaml", "--check-tolerance")
    assert "nothing moves" in " ".join(result.stdout.split())
    assert result.exit_code == 0
    assert (tmp_path / "out" / "rest" / "result.h5").exists()
