"""The studio's server: its own page only, plain errors, and runs that end as they should."""

from __future__ import annotations

import http.client
import json
import time

import pytest

from carom.gallery import CASES
from carom.studio.parameters import CHOICES, parameters_of
from carom.studio.server import Studio


@pytest.fixture(scope="module")
def studio():
    serving = Studio(0).start()
    yield serving
    serving.stop()


def ask(studio, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", studio.server_port)
    text = None if body is None else json.dumps(body)
    own = {} if body is None else {"Content-Type": "application/json", "X-Carom-Token": studio.token}
    connection.request("GET" if body is None else "POST", path, text, {**own, **headers})
    answer = connection.getresponse()
    return answer.status, answer.read()


def finished(studio, number):
    for _ in range(1200):
        told = json.loads(ask(studio, f"/run/{number}/state")[1])
        if told["state"] not in ("waiting", "running"):
            return told
        time.sleep(0.05)
    raise AssertionError(told)


def test_it_listens_on_this_computer_only(studio):
    assert studio.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("headers", [
    {"Host": "example.org"}, {"Origin": "http://example.org"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
    {"Host": "127.0.0.1:1"},
])  # fmt: skip
def test_other_pages_are_refused(studio, headers):
    assert ask(studio, "/api/sources", **headers)[0] == 403
    assert ask(studio, "/api/run", {"source": "pendulum", "values": {}}, **headers)[0] == 403


def test_nothing_is_started_without_the_token(studio):
    assert ask(studio, "/api/run", {"source": "pendulum", "values": {}}, **{"X-Carom-Token": "guess"})[0] == 403


def test_a_page_without_its_origin_may_not_be_framed_elsewhere(studio):
    connection = http.client.HTTPConnection("127.0.0.1", studio.server_port)
    connection.request("GET", "/")
    answer = connection.getresponse()
    assert answer.getheader("X-Frame-Options") == "SAMEORIGIN"
    assert "default-src 'none'" in answer.getheader("Content-Security-Policy")
    assert answer.getheader("Access-Control-Allow-Origin") is None
    answer.read()


@pytest.mark.parametrize("path", ["/nothing", "/run/x/page", "/run/99/page", "/run/1/../../x", "/compare?runs=9"])
def test_what_is_not_there_is_said_to_be_missing(studio, path):
    status, body = ask(studio, path)
    assert status == 404
    assert json.loads(body)["error"]


@pytest.mark.parametrize("body", [[], 3, {"source": "pendulum"}, {"source": "pendulum", "values": {"t_end": [1]}}])
def test_requests_that_make_no_sense_are_refused(studio, body):
    assert ask(studio, "/api/run", body)[0] == 400


def test_a_run_with_a_wrong_parameter_fails_in_words(studio):
    started = json.loads(ask(studio, "/api/run", {"source": "pendulum", "values": {"t_end": "-1"}})[1])
    told = finished(studio, started["id"])
    assert told["state"] == "failed"
    assert "t_end" in told["error"]


def test_a_run_of_the_studio_writes_no_files(studio, tmp_path):
    values = {"t_end": "0.1", "output": str(tmp_path / "run.h5")}
    started = json.loads(ask(studio, "/api/run", {"source": "pendulum", "values": values})[1])
    assert "writes no files" in finished(studio, started["id"])["error"]
    assert not list(tmp_path.iterdir())


def test_a_run_can_be_had_as_report_result_and_model(studio):
    started = json.loads(ask(studio, "/api/run", {"source": "pendulum", "values": {"t_end": "0.2"}})[1])
    assert finished(studio, started["id"])["state"] == "done"
    assert b"<!doctype html>" in ask(studio, f"/run/{started['id']}/page")[1]
    assert ask(studio, f"/run/{started['id']}/result.h5")[1].startswith(b"\x89HDF")
    assert b"bodies:" in ask(studio, f"/run/{started['id']}/model.yaml")[1]


def test_a_model_file_with_a_tag_is_refused_and_runs_nothing(studio):
    status, body = ask(studio, "/api/model", {"name": "x.yaml", "text": "!!python/object/apply:os.system ['true']"})
    assert status == 400
    assert "error" in json.loads(body)


@pytest.mark.parametrize("name", CASES)
def test_every_case_has_controls_that_begin_at_its_defaults(name):
    for control in parameters_of(name):
        if control["kind"] == "choice":
            assert control["value"] in control["choices"] == list(CHOICES[control["name"]])
        if control["kind"] in ("number", "whole"):
            assert control["low"] <= control["value"] <= control["high"]
