"""Tests of ``carom run``, ``list``, ``laws``, ``resume`` and ``doctor``."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import carom as cm
from carom.cli import main
from carom.gallery import CASES, CheckFailed
from carom.gallery.case import Case

FILES = {"result.h5", "overview.png", "motion.png", "energy.png"}


def test_list_names_every_case_with_its_title(carom):
    output = carom("list")
    assert output.exit_code == 0
    lines = [re.split(r"\s{2,}", line.strip()) for line in output.stdout.splitlines()]
    assert [name for name, _ in lines] == list(CASES)
    assert dict(lines)["slider_crank"] == cm.gallery.slider_crank().title


@pytest.mark.usefixtures("drawn")
def test_run_writes_results_and_figures_and_lists_them(carom, tmp_path):
    output = carom("run", "slider_crank")
    assert output.exit_code == 0
    folder = tmp_path / "out" / "slider_crank"
    assert {path.name for path in folder.iterdir()} == FILES
    data = [line.removeprefix("wrote ") for line in output.stdout.splitlines() if line.startswith("wrote")]
    assert sorted(data) == sorted(str(Path("out", "slider_crank", name)) for name in FILES)
    saved = cm.load(folder / "result.h5")
    assert saved.same_as(cm.gallery.slider_crank().run())


def test_run_prints_outcome_energy_check_and_final_states(carom):
    text = carom("run", "pendulum", "--t-end", "0.5").stdout
    assert "The run reached its end." in text
    assert re.search(r"time +0 to 0\.5 s", text)
    assert re.search(r"energy +drift \d", text)
    assert re.search(r"check +passed, 4 comparisons", text)
    assert re.search(r"^bob +\S+ +\S+ +\S+ +\S+ +\S+ +\S+\s*$", text, re.MULTILINE)


def test_set_changes_parameters_and_run_options(carom, tmp_path):
    output = carom(
        "run", "chain", "--set", "links=3", "--set", "integrator=dop853", "--t-end", "0.1", "--out", "here", "--json"
    )
    assert output.exit_code == 0
    summary = json.loads(output.stdout)
    assert summary["parameters"] == {"links": 3}
    assert list(summary["final"]) == ["link 1", "link 2", "link 3"]
    assert summary["settings"]["integrator"] == "dop853"
    assert summary["t_end"] == 0.1
    assert {path.name for path in (tmp_path / "here" / "chain").iterdir()} == FILES


def test_run_prints_a_single_json_object(carom):
    output = carom("run", "parallelogram", "--t-end", "0.2", "--json")
    summary = json.loads(output.stdout)
    assert output.stderr == ""
    assert summary["ok"] is True
    assert summary["outcome"] == "FINISHED"
    assert summary["check"]["passed"] is True
    assert all(check["error"] <= check["bound"] for check in summary["check"]["findings"])
    assert "redundant" in summary["warnings"][0]
    assert all(Path(name).is_file() for name in summary["files"])
    result = cm.load(summary["files"][0])
    assert summary["final"]["beam"]["x"] == result["beam"].x[-1]
    assert summary["energy_drift"] == result.energy.drift


def test_warnings_are_printed_as_notes(carom):
    text = " ".join(carom("run", "parallelogram", "--t-end", "0.1").stdout.split())
    assert "note: System 'parallelogram with a third bar': 1 constraint equation is redundant" in text


def test_failed_check_returns_exit_code_1_with_reason(carom, tmp_path):
    output = carom("run", "pendulum", "--set", "integrator=rk4", "--set", "step=0.05", "--t-end", "2")
    assert output.exit_code == 1
    assert re.search(r"check +failed\. Case 'pendulum': .*beyond the bound", " ".join(output.stdout.split()))
    assert {
        path.name for path in (tmp_path / "out" / "pendulum").iterdir()
    } == FILES  # The files of a failed run are kept.


def test_unfinished_run_returns_exit_code_1(carom, monkeypatch):
    run = Case.run

    def interrupted(case, **overrides):
        def stop(_):
            raise KeyboardInterrupt

        return run(case, progress=stop, **overrides)

    monkeypatch.setattr(Case, "run", interrupted)
    output = carom("run", "chain", "--json")
    summary = json.loads(output.stdout)
    assert output.exit_code == 1
    assert summary["outcome"] == "INTERRUPTED"
    assert summary["check"]["passed"] is False


def test_nan_is_null_in_json(carom, monkeypatch):
    def failing(case, result):
        raise CheckFailed("no")

    monkeypatch.setattr(Case, "check", failing)
    monkeypatch.setattr("carom.result.energy.Energy.drift", np.float64(np.nan))
    output = carom("run", "pendulum", "--t-end", "0.1", "--json")
    assert json.loads(output.stdout)["energy_drift"] is None


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["slider_crnk"], "unknown case 'slider_crnk'; did you mean slider_crank or "),
        (["zzz"], "unknown case 'zzz'; choose from pendulum"),
        (["chain", "--set", "link=3"], "chain: unknown parameter 'link'; did you mean links?"),
        (["chain", "--set", "links=none"], "links must be a whole number from 1 to 10000, got None"),
        (["chain", "--set", "links"], "--set: expected KEY=VALUE, got 'links'"),
        (["pendulum", "--t-end", "-1"], "t_end must be positive, got -1"),
        (["pendulum", "--set", "integrator=euler"], "integrator must be one of"),
    ],
)
def test_invalid_input_returns_exit_code_2_and_one_sentence(carom, tmp_path, words, complaint):
    output = carom("run", *words)
    assert output.exit_code == 2
    assert complaint in " ".join(output.stderr.split())
    assert output.stdout == ""
    assert list(tmp_path.iterdir()) == []  # No folder is created.


def test_unwritable_folder_is_rejected_before_the_run(carom, tmp_path):
    (tmp_path / "out").write_text("a file")
    output = carom("run", "pendulum")
    assert output.exit_code == 2
    assert "out is a file" in " ".join(output.stderr.split())
    assert (tmp_path / "out").read_text() == "a file"


def test_write_error_returns_exit_code_1(carom, monkeypatch):
    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr("carom.plot.save_figure", full)
    output = carom("run", "pendulum", "--t-end", "0.1")
    assert output.exit_code == 1
    assert "error: no space left" in output.stderr


def test_doctor_prints_versions_and_cache(carom):
    output = carom("doctor")
    assert output.exit_code == 0
    text = " ".join(output.stdout.split())
    assert f"carom {cm.__version__}" in text
    assert f"numpy {np.__version__}" in text
    assert "sksundae" in text
    assert "missing" not in text


def test_doctor_names_missing_libraries(carom, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    output = carom("doctor")
    assert output.exit_code == 1
    assert re.search(r"h5py +missing", output.stdout)


def test_installed_command_is_main():
    project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"]["carom"] == f"{main.__module__.removesuffix('.app')}:{main.__name__}"


def test_summary_is_printed_before_matplotlib_and_h5py_are_imported(tmp_path):
    # The heavy libraries report themselves on stdout when they are imported.
    spy = """
import sys

class Spy:
    def find_spec(self, name, path=None, target=None):
        if name in ("matplotlib", "h5py"):
            sys.stdout.write(f"importing {name}\\n")

sys.meta_path.insert(0, Spy())
sys.argv = ["carom", "run", "slider_crank"]
from carom.cli import main
main()
"""
    environment = {**os.environ, "COLUMNS": "120"}
    process = subprocess.run(
        [sys.executable, "-c", spy], capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
    )
    assert process.returncode == 0, process.stderr
    lines = process.stdout.splitlines()
    last_of_summary = max(k for k, line in enumerate(lines) if line.startswith("slider "))
    for library in ("h5py", "matplotlib"):
        assert lines.index(f"importing {library}") > last_of_summary


def test_python_m_carom_runs_the_command(tmp_path):
    process = subprocess.run(
        [sys.executable, "-m", "carom", "run", "nothing"], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert process.returncode == 2
    assert "unknown case 'nothing'" in process.stderr


MODEL = """\
carom: 1
name: a crank
gravity: [0, -9.81]
parameters: {length: 0.2}
bodies:
  crank: {mass: 1, inertia: 1e-3, position: [=length/2, 0]}
joints:
  pin: {type: Revolute, a: ground, b: crank, at: [0, 0]}
run: {t_end: 0.1}
"""


@pytest.fixture
def model(tmp_path):
    (tmp_path / "crank.yaml").write_text(MODEL)
    return "crank.yaml"


def test_model_file_runs_like_a_case(carom, model, tmp_path):
    output = carom("run", model, "--report")
    assert output.exit_code == 0
    assert "a crank" in output.stdout
    assert "check none: a model file contains no reference solution" in " ".join(output.stdout.split())
    folder = tmp_path / "out" / "crank"
    assert {path.name for path in folder.iterdir()} == {*FILES, "report.html"}
    assert "Check <b" not in (folder / "report.html").read_text()
    assert cm.load(folder / "result.h5").same_as(cm.simulate(cm.System.from_yaml(model), 0.1))


def test_set_changes_parameters_of_a_file_and_its_run(carom, model):
    words = ["run", model, "--set", "length=0.4", "--set", "integrator=dop853", "--t-end", "0.2", "--json"]
    summary = json.loads(carom(*words).stdout)
    assert summary["parameters"] == {"length": 0.4}
    assert summary["settings"]["integrator"] == "dop853"
    assert summary["t_end"] == 0.2
    assert summary["ok"] is True
    expected = cm.simulate(cm.System.from_yaml(model, length=0.4), 0.2, integrator="dop853")
    assert summary["final"]["crank"]["y"] == expected["crank"].y[-1]


@pytest.mark.parametrize(("words", "message"), [
    (["--set", "lenght=1"], "crank.yaml: unknown parameter 'lenght'; did you mean length?"),
    (["--set", "length=long"], "crank.yaml:4: parameters.length: must be a number, got 'long'"),
])  # fmt: skip
def test_invalid_settings_of_a_file_are_rejected(carom, model, words, message):
    output = carom("run", model, *words)
    assert output.exit_code == 2
    assert message in " ".join(output.stderr.split())


def test_invalid_or_missing_file_is_rejected(carom, tmp_path):
    (tmp_path / "wrong.yaml").write_text(MODEL.replace("mass: 1", "mass: -1"))
    output = carom("run", "wrong.yaml")
    assert output.exit_code == 2
    assert "error: wrong.yaml:6: bodies.crank.mass: must be positive or zero, got -1" in output.stderr
    assert "error: cannot read none.yaml: file not found" in carom("run", "none.yaml").stderr
    (tmp_path / "endless.yaml").write_text(MODEL.replace("run: {t_end: 0.1}\n", ""))
    assert "endless.yaml: the end of the run is missing" in carom("run", "endless.yaml").stderr


def test_model_file_in_generalised_coordinates_runs(carom, tmp_path):
    lines = ["carom: 1", "lagrangian:", "  coordinates: [x]", "  q0: [1]", "  u0: [0]", "  kinetic: 0.5*u0**2",
             "  potential: 0.5*q0**2", "  bodies: {bob: {place: [q0, 0, 0]}}",
             "run: {t_end: 0.1, method: nonsmooth}"]  # fmt: skip
    (tmp_path / "spring.yaml").write_text("\n".join(lines))
    summary = json.loads(carom("run", "spring.yaml", "--json").stdout)
    assert summary["ok"] is True
    assert summary["final"]["bob"]["x"] == pytest.approx(np.cos(0.1), abs=1e-8)


def test_schema_is_json(carom):
    assert json.loads(carom("schema").stdout)["title"] == "carom model"


def test_laws_prints_the_returned_restitution(carom):
    data = json.loads(carom("laws", "--restitution", "0.5", "--json").stdout)
    back = {law["name"]: law["returns"] for law in data["normal"]}
    # prescribed 0.5 → Hunt–Crossley 0.663, Lankarani–Nikravesh 0.725, Flores 0.470
    assert back["hunt_crossley"] == pytest.approx(0.663, abs=5e-4)
    assert back["lankarani_nikravesh"] == pytest.approx(0.725, abs=5e-4)
    assert back["flores"] == pytest.approx(0.470, abs=5e-4)
    assert back["exact_restitution"] == pytest.approx(0.5, abs=1e-9)
    assert "hunt_crossley" in carom("laws").stdout


def test_list_and_doctor_print_json(carom):
    assert "slider_crank" in json.loads(carom("list", "--json").stdout)
    data = json.loads(carom("doctor", "--json").stdout)
    assert data["ok"]
    assert data["test"]["found"] == "passed"
    assert int(data["threads"]["found"]) >= 1


def test_streamed_run_is_resumed_to_a_later_end(carom, tmp_path):
    file = tmp_path / "run.h5"
    done = carom("run", "pendulum", "--t-end", "0.3", "--stream", str(file), "--out", str(tmp_path))
    assert done.exit_code == 0
    assert f"wrote {file}" in " ".join(done.stdout.split())
    assert not (tmp_path / "pendulum" / "result.h5").exists()
    done = carom("resume", str(file), "--t-end", "0.5", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["t_end"] == 0.5
    assert cm.load(file).t[-1] == 0.5
    assert "reached its end" in carom("resume", str(file)).stdout


def test_resume_of_a_missing_file_returns_exit_code_2(carom, tmp_path):
    done = carom("resume", str(tmp_path / "none.h5"))
    assert done.exit_code == 2
    assert "none.h5" in done.stderr


def test_help_shows_units(carom):
    """Check that units in brackets are not read as markup."""
    for command in ("run", "resume"):
        assert "[s]" in carom(command, "--help").stdout


def test_misspelled_law_gets_a_suggestion(carom):
    output = carom("run", "two_spheres", "--set", "law=flore")
    assert output.exit_code == 2
    assert "did you mean 'flores'?" in " ".join(output.stderr.split())


@pytest.mark.parametrize("command", ["view", "resume"])
def test_missing_result_file_is_named(carom, command):
    output = carom(command, "none.h5")
    assert output.exit_code == 2
    assert "cannot read none.h5: file not found" in " ".join(output.stderr.split())


@pytest.mark.parametrize("count", ["inf", "nan", "1e300", "-1", "2.5"])
def test_counts_of_ranges_are_integers(carom, count):
    output = carom("sweep", "two_spheres", "--vary", f"restitution=0.1:0.9:{count}")
    assert output.exit_code == 2
    assert "the count must be an integer" in " ".join(output.stderr.split())
