"""The viewer serves a scene on this computer only, under a secret address."""

import http.client
import socket
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.view import viser_server
from carom.view.guard import HOST
from carom.view.viewer import show

viser = pytest.importorskip("viser", reason="viser is not installed: the viewer is not tested")


@pytest.fixture
def viewer(crank):
    viewer = show(crank, port=0, open_browser=False)
    yield viewer
    viewer.stop()


def test_requests_from_elsewhere_are_rejected(viewer):
    assert viewer.address.startswith("http://127.0.0.1:")
    assert viewer.server.get_host() == HOST
    with urllib.request.urlopen(viewer.address, timeout=10) as answer:
        assert answer.status == 200


def handshake(viewer, path, **headers):
    """Ask for a WebSocket and return the status."""
    port = viewer.server.get_port()
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    connection.request("GET", path, headers={
        "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": f"viser-v{viser.__version__}",
        **headers,
    })  # fmt: skip
    status = connection.getresponse().status
    connection.close()
    return status


def test_the_socket_accepts_its_own_page_only(viewer):
    port, secret = viewer.server.get_port(), urlsplit(viewer.address).path.rstrip("/")
    own = {"Origin": f"http://{HOST}:{port}"}
    assert handshake(viewer, secret, **own) == 101
    for path, headers in (
        ("/", own), (f"{secret}x", own), (secret, {"Origin": "http://example.org"}), (secret, {"Origin": "null"}),
        (secret, {"Origin": f"http://{HOST}:{port + 1}"}), (secret, {"Host": "example.org"}),
        (secret, {"Host": f"example.org:{port}", "Origin": f"http://example.org:{port}"}),
    ):  # fmt: skip
        assert handshake(viewer, path, **headers) == 403, (path, headers)
    for path in ("", "index.html", "?websocket=x"):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"http://{HOST}:{port}/{path}", timeout=10)


def test_unreadable_requests_are_dropped_without_a_message(viewer, capfd, caplog):
    for data in (b"\x16\x03\x01\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"POST / HTTP/1.1\r\n\r\n"):
        with socket.create_connection((HOST, viewer.server.get_port()), timeout=10) as connection:
            connection.sendall(data)
            answer = connection.recv(100)
            assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    assert capfd.readouterr().err == ""
    assert caplog.records == []


def test_the_browser_is_opened_with_an_address_for_one_use(crank, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    viewer = show(crank, port=0)
    try:
        assert viewer.address not in opened[0]
        assert capsys.readouterr().out == f"{viewer.scene.name}: {viewer.address}\n"
        with urllib.request.urlopen(opened[0], timeout=10) as answer:
            assert answer.url == viewer.address
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(opened[0], timeout=10)
    finally:
        viewer.stop()


def test_an_unavailable_port_is_rejected_or_replaced(monkeypatch):
    for port in (-1, 65536, 8080.0):
        with pytest.raises(ModelError, match="port must be a whole number from 0 to 65535"):
            viser_server.guarded_viser(None, port, "run")
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        assert viser_server._available_port(taken.getsockname()[1]) == 0

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr("socket.socket.bind", refuse)
    with pytest.raises(ModelError, match="no permission for port 80"):
        viser_server._available_port(80)


def test_an_unknown_viser_without_request_check_is_not_used(crank, monkeypatch):
    stopped = []

    class Server:
        def __init__(self, **_):
            self.stop = lambda: stopped.append(True)

    monkeypatch.setattr(viser, "ViserServer", Server)
    with pytest.raises(ModelError, match="cannot be protected"):
        viser_server.guarded_viser(None, 0, "run")
    assert stopped == [True]


def test_seeking_moves_the_bodies(viewer, crank):
    for time in (0.0, 0.03, 0.08):
        viewer.seek(time)
        now = crank.sample([viewer.scene.t[np.argmin(np.abs(viewer.scene.t - time))]])
        for k, body in enumerate(crank.bodies[:3]):
            assert viewer._frames[k].position[:2] == pytest.approx(now[body.name].position[0], abs=1e-6)
            assert 2.0 * np.arctan2(viewer._frames[k].wxyz[3], viewer._frames[k].wxyz[0]) == pytest.approx(
                np.angle(np.exp(1j * now[body.name].angle[0])), abs=1e-5
            )


def test_forces_are_visible_only_during_contact(viewer, crank):
    viewer.seek(0.01)
    assert viewer._forces.visible is False
    viewer.seek(crank.impacts[0].t_end + 1e-4)
    assert viewer._forces.visible is True
    assert viewer._forces.batched_scales[0, 0] > 0.1 * viewer.scene.diagonal


def test_spheres_are_one_batch(pile):
    viewer = show(pile, port=0, open_browser=False)
    try:
        viewer.seek(0.1)
        (spheres,) = viewer._spheres
        now = pile.sample([viewer.scene.t[np.argmin(np.abs(viewer.scene.t - 0.1))]])
        expected = [now[f"ball {k}"].position[0] for k in range(3)]
        assert np.allclose(spheres.batched_positions, expected, atol=1e-6)
    finally:
        viewer.stop()


def test_stop_closes_the_port(crank):
    viewer = show(crank, port=0, open_browser=False)
    port = viewer.server.get_port()
    viewer.stop()
    with socket.socket() as one:
        one.settimeout(1.0)
        assert one.connect_ex((HOST, port)) != 0


def test_missing_viser_is_reported_with_the_install_command(crank, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    with pytest.raises(ModelError, match=r"pip install 'carom\[view\]'"):
        show(crank, open_browser=False)


def test_a_system_is_shown_before_a_run():
    system = cm.gallery.pendulum().system
    viewer = system.view(port=0, open_browser=False)
    try:
        assert viewer.scene.bodies == ("bob",)
        assert viewer.scene.poses[0, 0, :2] == pytest.approx(system["bob"].position)
    finally:
        viewer.stop()
