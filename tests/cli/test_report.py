"""Tests of ``carom run --report`` and ``--open``."""

import json

import carom as cm


def test_run_writes_a_report_on_request(carom, tmp_path):
    output = carom("run", "pendulum", "--t-end", "0.5", "--report", "--json")
    path = tmp_path / "out" / "pendulum" / "report.html"
    assert "out/pendulum/report.html" in json.loads(output.stdout)["files"]
    text = path.read_text(encoding="utf-8")
    assert cm.gallery.pendulum().title in text
    assert 'Check <b class="good">passed</b>. 4 comparisons' in text


def test_open_shows_the_report_in_the_browser(carom, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    assert carom("run", "pendulum", "--t-end", "0.1", "--open").exit_code == 0
    assert opened == [(tmp_path / "out" / "pendulum" / "report.html").as_uri()]


def test_report_contains_a_failed_check(carom, tmp_path):
    carom("run", "pendulum", "--set", "integrator=rk4", "--set", "step=0.05", "--t-end", "2", "--report")
    text = (tmp_path / "out" / "pendulum" / "report.html").read_text(encoding="utf-8")
    assert 'Check <b class="bad">failed</b>.' in text


def test_run_writes_a_folder_for_paraview_on_request(carom, tmp_path):
    for name in ("vtk", "paraview"):  # the former name works, too
        output = carom("run", "pendulum", "--t-end", "0.1", "--format", name, "--json")
        assert "out/pendulum/result_vtk/result_vtk.pvd" in json.loads(output.stdout)["files"]
        assert ("format 'paraview' is deprecated; use 'vtk'" in output.stderr) is (name == "paraview")
    assert (tmp_path / "out" / "pendulum" / "result_vtk" / "result_vtk.pvd").is_file()
    wrong = carom("run", "pendulum", "--format", "pvd")
    assert wrong.exit_code == 2
    assert "choose from h5, csv, mat, vtk, glb, gltf" in wrong.stderr
