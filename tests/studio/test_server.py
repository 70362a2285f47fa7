"""Server of the studio: access, error messages and runs."""

from __future__ import annotations

import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from urllib.parse import unquote

import pytest

import carom as cm
from carom.studio.run_queue import RunQueue
from carom.studio.server import Studio
from quick import each


@pytest.fixture(scope="module")
def studio():
    serving = Studio(0).start()
    yield serving
    serving.stop()


def ask(studio, path, body=None, *, whole=False, **headers):
    """Return the status and the content of a response, or the whole response."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.server_port, timeout=30)
    text = None if body is None else json.dumps(body)
    own = {} if body is None else {"Content-Type": "application/json"}
    secret = f"/{studio.guard.secret}"
    connection.request("GET" if body is None else "POST", f"{secret}{path}", text, {**own, **headers})
    response = connection.getresponse()
    content = response.read()
    return response if whole else (response.status, content)


def finished(studio, number):
    for _ in range(1200):
        state = json.loads(ask(studio, f"/run/{number}/state")[1])
        if state["state"] not in ("waiting", "running"):
            return state
        time.sleep(0.05)
    raise AssertionError(state)


def test_server_listens_on_localhost_only(studio):
    assert studio.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("headers", [
    {"Host": "example.org"}, {"Origin": "http://example.org"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
    {"Host": "127.0.0.1:1"},
])  # fmt: skip
def test_requests_of_other_pages_are_rejected(studio, headers):
    assert ask(studio, "/api/sources", **headers)[0] == 403
    assert ask(studio, "/api/run", {"source": "pendulum", "values": {}}, **headers)[0] == 403


@each("path", ["/", "/studio.js", "/api/sources", "/api/runs", "/run/1/page", "//", "/?key="])
def test_every_request_needs_the_secret(studio, path):
    for method in ("GET", "POST"):
        connection = http.client.HTTPConnection("127.0.0.1", studio.server_port, timeout=30)
        connection.request(method, path, "{}" if method == "POST" else None)
        response = connection.getresponse()
        assert response.status == 403
        text = response.read()
        assert b"secret" in text
        assert studio.guard.secret.encode() not in text


def test_entry_address_opens_the_page_once(studio):
    entry = studio.entry()
    with urllib.request.urlopen(entry, timeout=30) as response:
        assert response.url == studio.address
        assert b"carom studio" in response.read()
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(entry, timeout=30)


def test_foreign_link_may_open_the_page_but_not_embed_it(studio):
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert ask(studio, "/", **foreign, **{"Sec-Fetch-Dest": "document"})[0] == 200
    assert ask(studio, "/", **foreign, **{"Sec-Fetch-Dest": "iframe"})[0] == 403


def test_page_must_not_be_framed_by_other_origins(studio):
    response = ask(studio, "/", whole=True)
    assert response.getheader("X-Frame-Options") == "SAMEORIGIN"
    assert "default-src 'none'" in response.getheader("Content-Security-Policy")
    assert response.getheader("Access-Control-Allow-Origin") is None


@each("path", ["/nothing", "/run/x/page", "/run/99/page", "/run/1/../../x", "/compare?runs=9"])
def test_unknown_pages_give_404(studio, path):
    status, body = ask(studio, path)
    assert status == 404
    assert json.loads(body)["error"]


@pytest.mark.parametrize("body", [
    [], 3, {"source": "pendulum"}, {"source": "pendulum", "values": {"t_end": [1]}}, {"source": 3, "values": {}},
    {"source": "pendulum", "values": {"t_end": True}}, {"source": "pendulum", "values": {"t_end": None}},
    {"source": "none", "values": {}}, {"source": "pendulum", "values": {"t_end": "1,2,3"}},
    {"source": "chain", "values": {"links": 2.5}}, {"source": "two_spheres", "values": {"exact": "perhaps"}},
])  # fmt: skip
def test_invalid_requests_are_rejected(studio, body):
    assert ask(studio, "/api/run", body)[0] == 400


def test_run_with_an_invalid_parameter_fails_with_a_message(studio):
    started = json.loads(ask(studio, "/api/run", {"source": "pendulum", "values": {"t_end": "-1"}})[1])
    state = finished(studio, started["id"])
    assert state["state"] == "failed"
    assert "t_end" in state["error"]


def test_a_run_of_the_studio_writes_no_files(studio, tmp_path):
    values = {"t_end": "0.1", "output": str(tmp_path / "run.h5")}
    started = json.loads(ask(studio, "/api/run", {"source": "pendulum", "values": values})[1])
    assert "writes no files" in finished(studio, started["id"])["error"]
    assert not list(tmp_path.iterdir())


def test_run_is_available_as_report_result_and_model(studio):
    started = json.loads(ask(studio, "/api/run", {"source": "pendulum", "values": {"t_end": "0.2"}})[1])
    assert finished(studio, started["id"])["state"] == "done"
    assert b"<!doctype html>" in ask(studio, f"/run/{started['id']}/page")[1]
    assert ask(studio, f"/run/{started['id']}/result.h5")[1].startswith(b"\x89HDF")
    assert b"bodies:" in ask(studio, f"/run/{started['id']}/model.yaml")[1]


def test_model_file_with_a_yaml_tag_is_rejected(studio):
    status, body = ask(studio, "/api/model", {"name": "x.yaml", "text": "!!python/object/apply:os.system ['true']"})
    assert status == 400
    assert "error" in json.loads(body)


def test_errors_in_a_model_file_name_it_as_it_was_opened(studio):
    status, body = ask(studio, "/api/model", {"name": "Маятник.yaml", "text": "carom: 1\nbodies:\n  bob: {mass: -1}\n"})
    assert status == 400
    assert json.loads(body)["error"].startswith("Маятник.yaml:3: bodies.bob")


def test_a_model_with_a_name_in_any_script_is_run_and_downloaded(studio):
    text = cm.gallery.pendulum().system.to_yaml(run={"t_end": 0.1})
    name = json.loads(ask(studio, "/api/model", {"name": "C:\\моя модель 摆.yaml", "text": text})[1])["name"]
    assert name == "моя модель 摆.yaml"
    started = json.loads(ask(studio, "/api/run", {"source": name, "values": {}})[1])
    assert finished(studio, started["id"])["label"] == "моя модель 摆"
    response = ask(studio, f"/run/{started['id']}/model.yaml", whole=True)
    assert response.status == 200
    plain, encoded = (
        response.getheader("Content-Disposition").removeprefix("attachment; filename=").split("; filename*=UTF-8''")
    )
    assert plain.isascii()
    assert unquote(encoded) == f"моя модель 摆_{started['id']}_model.yaml"


def test_reloaded_page_gets_the_list_of_runs(studio):
    started = json.loads(ask(studio, "/api/run", {"source": "pendulum", "values": {"t_end": 0.1}})[1])
    listed = {run["id"]: run for run in json.loads(ask(studio, "/api/runs")[1])}
    assert listed[started["id"]]["label"] == "Pendulum released from rest"
    finished(studio, started["id"])


def test_waiting_run_is_cancelled_at_once(monkeypatch):
    begun, gone_on = threading.Event(), threading.Event()

    def work(runs, run):
        begun.set()
        gone_on.wait(30)

    monkeypatch.setattr(RunQueue, "_work", work)
    runs = RunQueue()
    try:
        runs.start("pendulum", {})
        begun.wait(30)
        second = runs.start("pendulum", {})
        runs.cancel(second)
        assert second.state == "cancelled"
    finally:
        gone_on.set()
        runs.close()


def test_a_waiting_run_keeps_the_text_of_its_model(monkeypatch):
    monkeypatch.setattr(RunQueue, "_work", lambda runs, run: None)
    runs = RunQueue()
    try:
        text = "carom: 1\nbodies:\n  bob: {mass: 1.0, inertia: 1.0}\nrun: {t_end: 1.0}\n"
        run = runs.start(runs.open_model("m.yaml", text), {})
        runs.open_model("m.yaml", text.replace("bob", "rod"))
        assert [body.name for body in runs.build(run)[0].system.bodies] == ["bob"]
    finally:
        runs.close()
