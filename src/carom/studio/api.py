"""Requests of the studio's page and their responses; `server` transports them over HTTP."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs

from carom.errors import ModelError
from carom.gallery import CASES
from carom.gallery.case import title_and_description
from carom.io.model.model_reader import read
from carom.studio.parameters import control_for, option_controls, parameter_controls
from carom.studio.run_pages import comparison_page, run_page
from carom.studio.run_queue import QueuedRun, RunQueue

FILES = {
    "/": ("carom.studio", "studio.html", "text/html"),
    "/studio.js": ("carom.studio", "studio.js", "text/javascript"),
    "/studio.css": ("carom.studio", "studio.css", "text/css"),
    "/style.css": ("carom.report", "report.css", "text/css"),
}
KINDS = {"model.yaml": "application/yaml", "result.h5": "application/x-hdf5", "report.html": "text/html"}


class BadRequest(Exception):
    """Error of a request that cannot be fulfilled, with its HTTP status."""

    def __init__(self, status: HTTPStatus, message: str):
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Response:
    """Content with its type, and the file name if it is a download."""

    kind: str
    content: bytes
    name: str = ""


def json_response(data: Any) -> Response:
    """Return ``data`` as JSON."""
    return Response("application/json", json.dumps(data).encode())


def html_response(page: str, name: str = "") -> Response:
    """Return a page; characters without a UTF-8 encoding are replaced."""
    return Response("text/html", page.encode("utf-8", "replace"), name)


def get(runs: RunQueue, path: str, query: str) -> Response:
    """Return the response to a GET request."""
    if path in FILES:
        package, name, kind = FILES[path]
        return Response(kind, files(package).joinpath(name).read_bytes())
    if path == "/api/sources":
        cases = [{"name": name, "title": title_and_description(factory)[0]} for name, factory in CASES.items()]
        return json_response({"cases": cases, "models": list(runs.models)})
    if path == "/api/source":
        return json_response(source_data(runs, parameter(query, "name")))
    if path == "/api/runs":
        return json_response([run.state_data() for run in list(runs.known.values())])
    if path == "/compare":
        requested = [run_of(runs, word) for word in parameter(query, "runs").split(",")]
        compared = [run for run in requested if run.result is not None]
        if not compared:
            raise BadRequest(HTTPStatus.NOT_FOUND, "none of these runs has a result")
        return html_response(comparison_page(compared))
    parts = path.strip("/").split("/")
    if len(parts) == 3 and parts[0] == "run":
        return run_response(run_of(runs, parts[1]), parts[2])
    raise BadRequest(HTTPStatus.NOT_FOUND, f"page not found: {path}")


def post(runs: RunQueue, path: str, body: dict[str, Any]) -> Response:
    """Carry out a POST request and return its response."""
    parts = path.strip("/").split("/")
    if parts == ["api", "model"]:
        return json_response({"name": runs.open_model(text_of(body, "name"), text_of(body, "text"))})
    if parts == ["api", "run"]:
        values = body.get("values")
        if not isinstance(values, dict) or not all(isinstance(item, str | int | float) for item in values.values()):
            raise BadRequest(HTTPStatus.BAD_REQUEST, "values must map names to texts and numbers")
        return json_response(runs.start(text_of(body, "source"), values).state_data())
    if len(parts) == 3 and parts[0] == "run" and parts[2] == "cancel":
        run = run_of(runs, parts[1])
        runs.cancel(run)
        return json_response(run.state_data())
    raise BadRequest(HTTPStatus.NOT_FOUND, f"page not found: {path}")


def text_of(body: dict[str, Any], key: str) -> str:
    """Return the text at ``key`` of a request."""
    text = body.get(key)
    if not isinstance(text, str):
        raise BadRequest(HTTPStatus.BAD_REQUEST, f"{key} must be a text")
    return text


def parameter(query: str, key: str) -> str:
    """Return the value of ``key`` in the query of an address."""
    try:
        return parse_qs(query, max_num_fields=10).get(key, [""])[0]
    except ValueError:
        raise BadRequest(HTTPStatus.BAD_REQUEST, "the query of the address must have at most 10 fields") from None


def run_of(runs: RunQueue, word: str) -> QueuedRun:
    """Return the run with the number ``word``."""
    run = runs.known.get(int(word)) if word.isdecimal() and len(word) < 10 else None
    if run is None:
        raise BadRequest(HTTPStatus.NOT_FOUND, f"unknown run {word[:20]!r}")
    return run


def run_response(run: QueuedRun, item: str) -> Response:
    """Return the state, the page or a file of a run."""
    if item == "state":
        return json_response(run.state_data())
    if run.result is None:
        raise BadRequest(HTTPStatus.NOT_FOUND, f"run {run.number} has no result: {run.error or run.state}")
    if item == "page":
        return html_response(run_page(run))
    if item not in KINDS:
        raise BadRequest(HTTPStatus.NOT_FOUND, f"unknown file {item[:20]!r} of a run; choose from {', '.join(KINDS)}")
    name = f"{run.source.removesuffix('.yaml')}_{run.number}_{item}"
    if item == "report.html":
        return html_response(run_page(run), name)
    if item == "model.yaml":
        assert run.case is not None
        return Response(KINDS[item], run.case.system.to_yaml(run=run.case.options).encode("utf-8", "replace"), name)
    with TemporaryDirectory() as folder:
        path = Path(folder) / item
        run.result.save(path)
        return Response(KINDS[item], path.read_bytes(), name)


def source_data(runs: RunQueue, name: str) -> dict[str, Any]:
    """Return title, description and controls of a source."""
    if name in runs.models:
        model = read(runs.models[name])
        controls = [control_for(key, float(value)) for key, value in model.parameters.items()]
        t_end = model.run.get("t_end", 1.0)
        options = [control_for("t_end", float(t_end) if isinstance(t_end, int) else t_end)]
        return {"name": name, "title": model.system.name, "description": "", "parameters": controls, "options": options}
    if name not in CASES:
        raise ModelError(f"unknown case {name[:60]!r}")
    case = CASES[name]()
    return {
        "name": name, "title": case.title, "description": case.description.replace("``", ""),
        "parameters": parameter_controls(name),
        "options": option_controls(case),
    }  # fmt: skip
