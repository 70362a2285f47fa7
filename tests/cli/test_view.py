"""Tests of ``carom view``."""

import threading

import pytest

import carom as cm
from carom.view.viewer import Viewer


def test_view_serves_a_file_until_it_is_stopped(carom, tmp_path, monkeypatch):
    cm.gallery.pendulum().run(t_end=0.1).save(tmp_path / "run.h5")
    viewers = []

    def wait(viewer):
        viewers.append(viewer)
        raise KeyboardInterrupt

    monkeypatch.setattr(Viewer, "wait", wait)
    output = carom("view", "run.h5", "--no-open", "--port", "0")
    assert output.exit_code == 0
    assert viewers[0].address in output.stdout
    assert viewers[0].scene.bodies == ("bob",)
    assert not any(thread.name == "carom viewer" and thread.is_alive() for thread in threading.enumerate())


@pytest.mark.parametrize(("name", "complaint"), [("none.h5", "file not found"), ("text.h5", "not a carom result")])
def test_view_of_an_invalid_file_returns_exit_code_2(carom, tmp_path, name, complaint):
    (tmp_path / "text.h5").write_text("hello")
    output = carom("view", name, "--no-open")
    assert output.exit_code == 2
    assert complaint in " ".join(output.stderr.split())
