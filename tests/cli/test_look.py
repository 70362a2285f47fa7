"""`carom run --report`, `carom view` and `carom reproduce`, as they are typed."""

import json
import threading

import pytest
from typer.testing import CliRunner

import carom as cm
from carom.cli.app import app
from carom.gallery import CASES
from carom.gallery import reproduce as module
from carom.view.server import Viewer


@pytest.fixture
def carom(tmp_path, monkeypatch):
    """Run `carom …` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        return CliRunner().invoke(app, list(words))

    return run


def test_run_writes_a_report_when_it_is_asked_for(carom, tmp_path):
    answer = carom("run", "pendulum", "--t-end", "0.5", "--report", "--json")
    path = tmp_path / "out" / "pendulum" / "report.html"
    assert "out/pendulum/report.html" in json.loads(answer.stdout)["files"]
    text = path.read_text(encoding="utf-8")
    assert cm.gallery.pendulum().title in text
    assert 'Check <b class="good">passed</b>. 4 comparisons' in text


def test_open_shows_the_report_in_the_browser(carom, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    assert carom("run", "pendulum", "--t-end", "0.1", "--open").exit_code == 0
    assert opened == [(tmp_path / "out" / "pendulum" / "report.html").as_uri()]


def test_a_failed_check_stands_in_the_report(carom, tmp_path):
    carom("run", "pendulum", "--set", "integrator=rk4", "--set", "step=0.05", "--t-end", "2", "--report")
    text = (tmp_path / "out" / "pendulum" / "report.html").read_text(encoding="utf-8")
    assert 'Check <b class="bad">failed</b>.' in text


def test_view_serves_a_file_until_it_is_stopped(carom, tmp_path, monkeypatch):
    cm.gallery.pendulum().run(t_end=0.1).save(tmp_path / "run.h5")
    seen = []

    def wait(viewer):
        seen.append(viewer)
        raise KeyboardInterrupt

    monkeypatch.setattr(Viewer, "wait", wait)
    answer = carom("view", "run.h5", "--no-open", "--port", "0")
    assert answer.exit_code == 0
    assert seen[0].address in answer.stdout
    assert seen[0].scene.bodies == ("bob",)
    assert not any(thread.name == "carom viewer" and thread.is_alive() for thread in threading.enumerate())


@pytest.mark.parametrize(("name", "complaint"), [("none.h5", "file not found"), ("text.h5", "not a carom result")])
def test_view_of_what_is_no_result_gives_exit_code_2(carom, tmp_path, name, complaint):
    (tmp_path / "text.h5").write_text("hello")
    answer = carom("view", name, "--no-open")
    assert answer.exit_code == 2
    assert complaint in " ".join(answer.stderr.split())


def test_reproduce_writes_one_page(carom, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CASES", {name: CASES[name] for name in ("pendulum", "two_spheres")})
    answer = carom("reproduce", "C7", "--processes", "1", "--out", "here")
    assert answer.exit_code == 0
    assert answer.stdout.startswith("C7")
    assert {path.name for path in (tmp_path / "here").iterdir()} == {"index.html", "C7.png"}


def test_reproduce_of_an_unknown_figure_gives_exit_code_2(carom, monkeypatch):
    monkeypatch.setattr(module, "CASES", {"pendulum": CASES["pendulum"]})
    answer = carom("reproduce", "Z99", "--processes", "1")
    assert answer.exit_code == 2
    assert "there is no figure or case 'Z99'" in " ".join(answer.stderr.split())
