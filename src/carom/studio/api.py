"""Requests of the studio's page and their answers; `server` carries them over HTTP."""

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
from carom.gallery.case import described
from carom.io.model.model_reader import read
from carom.studio.pages import compared_page, run_page
from carom.studio.parameters import control_for, options_of, parameters_of
from carom.studio.runs import Run, Runs

FILES = {
    "/": ("carom.studio", "studio.html", "text/html"),
    "/studio.js": ("carom.studio", "studio.js", "text/javascript"),
    "/studio.css": ("carom.studio", "studio.css", "text/css"),
    "/style.css": ("carom.report", "report.css", "text/css"),
}
KINDS = {"model.yaml": "application/yaml", "result.h5": "application/x-hdf5", "report.html": "text/html"}


class BadRequest(Exception):
    """A request that cannot be answered, with the status that says why."""

    def __init__(self, status: HTTPStatus, message: str):
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Answer:
    """Content with its type, and the name of the file where it is to be downloaded."""

    kind: str
    content: bytes
    name: str = ""


def json_answer(data: Any) -> Answer:
    """Return ``data`` as JSON."""
    return Answer("application/json", json.dumps(data).encode())


def html_answer(page: str, name: str = "") -> Answer:
    """Return a page; characters that cannot be encoded are replaced."""
    return Answer("text/html", page.encode("utf-8", "replace"), name)


def get(runs: Runs, path: str, query: str) -> Answer:
    """Return the answer to a GET request."""
    if path in FILES:
        package, name, kind = FILES[path]
        return Answer(kind, files(package).joinpath(name).read_bytes())
    if path == "/api/sources":
        cases = [{"name": name, "title": described(maker)[0]} for name, maker in CASES.items()]
        return json_answer({"cases": cases, "models": list(runs.models)})
    if path == "/api/source":
        return json_answer(source_data(runs, parameter(query, "name")))
    if path == "/api/runs":
        return json_answer([run.told() for run in list(runs.known.values())])
    if path == "/compare":
        compared = [run_of(runs, word) for word in parameter(query, "runs").split(",")]
        shown = [run for run in compared if run.result is not None]
        if not shown:
            raise BadRequest(HTTPStatus.NOT_FOUND, "none of these runs has a result")
        return html_answer(compared_page(shown))
    parts = path.strip("/").split("/")
    if len(parts) == 3 and parts[0] == "run":
        return run_answer(run_of(runs, parts[1]), parts[2])
    raise BadRequest(HTTPStatus.NOT_FOUND, f"page not found: {path}")


def post(runs: Runs, path: str, body: dict[str, Any]) -> Answer:
    """Return the answer to a POST request, after doing what it asks."""
    parts = path.strip("/").split("/")
    if parts == ["api", "model"]:
        return json_answer({"name": runs.open_model(text_of(body, "name"), text_of(body, "text"))})
    if parts == ["api", "run"]:
        values = body.get("values")
        if not isinstance(values, dict) or not all(isinstance(item, str | int | float) for item in values.values()):
            raise BadRequest(HTTPStatus.BAD_REQUEST, "values must map names to texts and numbers")
        return json_answer(runs.start(text_of(body, "source"), values).told())
    if len(parts) == 3 and parts[0] == "run" and parts[2] == "cancel":
        run = run_of(runs, parts[1])
        runs.cancel(run)
        return json_answer(run.told())
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
        raise BadRequest(HTTPStatus.BAD_REQUEST, "the query of the address has too many fields") from None


def run_of(runs: Runs, word: str) -> Run:
    """Return the run with the number ``word``."""
    run = runs.known.get(int(word)) if word.isdecimal() and len(word) < 10 else None
    if run is None:
        raise BadRequest(HTTPStatus.NOT_FOUND, f"unknown run {word[:20]!r}")
    return run


def run_answer(run: Run, what: str) -> Answer:
    """Return the state, the page or a file of a run."""
    if what == "state":
        return json_answer(run.told())
    if run.result is None:
        raise BadRequest(HTTPStatus.NOT_FOUND, f"run {run.number} has no result: {run.error or run.state}")
    if what == "page":
        return html_answer(run_page(run))
    if what not in KINDS:
        raise BadRequest(HTTPStatus.NOT_FOUND, f"a run has no {what[:20]!r}; it has {', '.join(KINDS)}")
    name = f"{run.source.removesuffix('.yaml')}_{run.number}_{what}"
    if what == "report.html":
        return html_answer(run_page(run), name)
    if what == "model.yaml":
        assert run.case is not None
        return Answer(KINDS[what], run.case.system.to_yaml(run=run.case.options).encode("utf-8", "replace"), name)
    with TemporaryDirectory() as folder:
        path = Path(folder) / what
        run.result.save(path)
        return Answer(KINDS[what], path.read_bytes(), name)


def source_data(runs: Runs, name: str) -> dict[str, Any]:
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
        "parameters": parameters_of(name),
        "options": options_of(case),
    }  # fmt: skip
