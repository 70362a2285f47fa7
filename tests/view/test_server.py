"""The viewer serves the scene on this computer alone."""

import socket
import urllib.request

import numpy as np
import pytest

from carom.errors import ModelError
from carom.view.server import HOST, show

viser = pytest.importorskip("viser", reason="viser is not installed: the viewer is not tested")


@pytest.fixture
def viewer(crank):
    viewer = show(crank, port=0, open_browser=False)
    yield viewer
    viewer.stop()


def test_it_answers_on_this_computer_alone(viewer):
    assert viewer.address.startswith("http://127.0.0.1:")
    assert viewer.server.get_host() == HOST
    with urllib.request.urlopen(viewer.address, timeout=10) as answer:
        assert answer.status == 200


def test_seeking_moves_the_bodies(viewer, crank):
    for time in (0.0, 0.03, 0.08):
        viewer.seek(time)
        now = crank.sample([viewer.scene.t[np.argmin(np.abs(viewer.scene.t - time))]])
        for k, body in enumerate(crank.bodies[:3]):
            assert viewer._frames[k].position[:2] == pytest.approx(now[body.name].position[0], abs=1e-6)
            assert 2.0 * np.arctan2(viewer._frames[k].wxyz[3], viewer._frames[k].wxyz[0]) == pytest.approx(
                np.angle(np.exp(1j * now[body.name].angle[0])), abs=1e-5
            )


def test_forces_are_there_only_while_something_presses(viewer, crank):
    viewer.seek(0.01)
    assert viewer._forces.visible is False
    viewer.seek(crank.impacts[0].t_end + 1e-4)
    assert viewer._forces.visible is True
    assert viewer._forces.batched_scales[0, 0] > 0.1 * viewer.scene.diagonal


def test_balls_are_one_batch(pile):
    viewer = show(pile, port=0, open_browser=False)
    try:
        viewer.seek(0.1)
        (balls,) = viewer._balls
        now = pile.sample([viewer.scene.t[np.argmin(np.abs(viewer.scene.t - 0.1))]])
        expected = [now[f"ball {k}"].position[0] for k in range(3)]
        assert np.allclose(balls.batched_positions, expected, atol=1e-6)
    finally:
        viewer.stop()


def test_it_stops(crank):
    viewer = show(crank, port=0, open_browser=False)
    port = viewer.server.get_port()
    viewer.stop()
    with socket.socket() as one:
        one.settimeout(1.0)
        assert one.connect_ex((HOST, port)) != 0


def test_without_viser_it_says_what_to_install(crank, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    with pytest.raises(ModelError, match=r"pip install 'carom\[view\]'"):
        show(crank, open_browser=False)
