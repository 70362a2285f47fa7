"""Tests of ``carom export``, ``carom show``, ``carom --version``, ``--video`` and figure formats."""

import json

import pytest

import carom as cm
from carom.gallery.case_parameters import COMMON, OWN, case_parameters


@pytest.fixture
def saved(tmp_path):
    cm.gallery.falling_ball().run(t_end=0.1).save(tmp_path / "run.h5")
    return tmp_path / "run.h5"


def test_version_is_printed(carom):
    output = carom("--version")
    assert (output.exit_code, output.stdout) == (0, f"carom {cm.__version__}\n")


def test_export_writes_each_format_beside_the_file(carom, saved, tmp_path):
    output = carom("export", str(saved), "--format", "csv,mat", "--format", "glb,vtk")
    assert output.exit_code == 0, output.stderr
    expected = ["run.csv", "run.glb", "run.h5", "run.mat", "run_vtk"]
    assert sorted(path.name for path in tmp_path.iterdir()) == expected
    assert (tmp_path / "run_vtk" / "run_vtk.pvd").is_file()
    assert output.stdout.count("wrote ") == 4


def test_export_writes_to_a_folder(carom, saved, tmp_path):
    assert carom("export", str(saved), "--format", "svg", "--out", "a/b").exit_code == 0
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["run.svg"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("run.h5", "--format", "stl"), "unknown format 'stl'; choose from h5, csv, mat, vtk, glb, gltf, mp4, gif"),
        (("none.h5", "--format", "csv"), "none.h5"),
        (("run.h5", "--format", "h5"), "has this format already"),
        (("run.h5", "--format", ","), "no format; use --format with h5"),
    ],
)
def test_bad_input_has_exit_code_2(carom, saved, words, message):
    output = carom("export", *words)
    assert output.exit_code == 2
    assert message in output.stderr


def test_run_writes_figures_in_other_formats(carom, tmp_path):
    output = carom("run", "pendulum", "--t-end", "0.1", "--format", "pdf,svg", "--json")
    names = {path.rsplit("/", 1)[1] for path in json.loads(output.stdout)["files"]}
    assert {"overview.pdf", "overview.svg", "energy.pdf"} <= names
    assert not any(name.endswith(".png") for name in names)


def test_run_writes_a_video_on_request(carom, tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr("carom.plot.animation.animate", lambda result, path, **options: calls.append(path) or path)
    output = carom("run", "pendulum", "--t-end", "0.1", "--video", "--json")
    assert "out/pendulum/run.mp4" in json.loads(output.stdout)["files"]
    assert [path.name for path in calls] == ["run.mp4"]


def test_show_lists_default_unit_and_meaning(carom):
    output = carom("show", "spring_pendulum")
    assert output.exit_code == 0
    line = next(line for line in output.stdout.splitlines() if line.startswith("stiffness"))
    assert line.split()[:4] == ["stiffness", "120", "N/m", "stiffness"]
    data = json.loads(carom("show", "double_pendulum", "--json").stdout)
    assert [item["name"] for item in data["parameters"]] == ["lengths", "masses", "angles"]
    assert data["parameters"][0]["default"] == [1.0, 0.8]


def test_show_summarises_a_model_file(carom, tmp_path):
    cm.gallery.pendulum().system.to_yaml(tmp_path / "swing.yaml")
    output = carom("show", "swing.yaml")
    assert output.exit_code == 0
    assert "degrees of freedom" in output.stdout
    assert carom("show", "pendulm").exit_code == 2
    assert "did you mean pendulum" in carom("show", "pendulm").stderr


@pytest.mark.parametrize("name", cm.gallery.CASES)
def test_every_parameter_of_a_case_has_a_meaning(name):
    for parameter in case_parameters(cm.gallery.CASES[name]):
        assert parameter.meaning, f"{name}: {parameter.name}"


def test_described_parameters_exist():
    known = {name: {item.name for item in case_parameters(factory)} for name, factory in cm.gallery.CASES.items()}
    assert set(OWN) <= set(known)
    assert {(case, name) for case, own in OWN.items() for name in own if name not in known[case]} == set()
    assert set(COMMON) <= set().union(*known.values())


MODEL = """\
carom: 1
name: pushed mass
include: parts.yaml
parameters: {mass: 2.0, double: =2*mass}
inputs:
  push: {unit: N}
bodies:
  cart: {mass: =mass, inertia: 1.0}
joints:
  rail: {type: Prismatic, a: ground, b: cart, axis: [1, 0]}
forces:
  motor: {type: PointForce, at: cart, force: [{input: push}, 0]}
outputs:
  momentum: {formula: double*cart.vx/2, unit: N s}
run: {t_end: 0.5, rtol: 1e-9}
"""


def test_export_writes_a_model_file_as_an_fmu(carom, tmp_path):
    from fmu_instances import Instance

    (tmp_path / "cart.yaml").write_text(MODEL)
    (tmp_path / "parts.yaml").write_text("bodies:\n  idle: {mass: 1.0, inertia: 1.0}\n")
    output = carom("export", "cart.yaml", "--fmu", "--output", "momentum", "--parameter", "idle.mass", "--out", "fmus")
    assert output.exit_code == 0, output.stderr
    assert output.stdout == "wrote fmus/cart.fmu\n"
    with Instance(tmp_path / "fmus" / "cart.fmu") as instance:
        parameters = [one.name for one in instance.description.modelVariables if one.causality == "parameter"]
        assert parameters == ["mass", "idle.mass"]  # double follows from mass
        assert instance.description.defaultExperiment.stopTime == "0.5"
        instance.initialize(mass=3.0, push=4.0).step(0.0, 0.25)
        assert instance["momentum"] == pytest.approx(4.0 * 0.25, rel=1e-12)
        assert instance.fmu.getFloat64([instance.reference["mass"]]) == [3.0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cart.yaml", "--fmu", "--output", "cart.wx"), "unknown output 'cart.wx'; did you mean 'cart."),
        (("cart.yaml", "--fmu", "--input", "pull"), "unknown input 'pull'; choose from push"),
        (("cart.yaml", "--fmu", "--fmi-version", "4"), "fmi_version must be one of"),
        (("run.h5", "--fmu"), "--fmu requires a model file such as model.yaml, got run.h5"),
        (("none.yaml", "--fmu"), "none.yaml"),
        (("cart.yaml",), "no format; use --format"),
    ],
)
def test_bad_fmus_have_exit_code_2(carom, tmp_path, words, message):
    (tmp_path / "cart.yaml").write_text(MODEL)
    (tmp_path / "parts.yaml").write_text("bodies:\n  idle: {mass: 1.0, inertia: 1.0}\n")
    output = carom("export", *words)
    assert output.exit_code == 2
    assert message in output.stderr
    assert not (tmp_path / "cart.fmu").exists()
