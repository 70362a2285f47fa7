"""The studio's web server: on this computer only, for its own page only."""

from __future__ import annotations

import json
import secrets
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, urlsplit

from carom.errors import ModelError
from carom.gallery import CASES
from carom.gallery.case import described
from carom.io.model.reading import read
from carom.studio.pages import compared_page, run_page
from carom.studio.parameters import control_for, options_of, parameters_of
from carom.studio.runs import Run, Runs

HOST = "127.0.0.1"
LARGEST = 4_000_000
"""Bytes of a request."""
FILES = {
    "/": ("studio.html", "text/html"),
    "/studio.js": ("studio.js", "text/javascript"),
    "/studio.css": ("studio.css", "text/css"),
}
KINDS = {"model.yaml": "application/yaml", "result.h5": "application/x-hdf5", "report.html": "text/html"}
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:"


class Refused(Exception):
    """A request that is not answered as it was asked."""

    def __init__(self, status: HTTPStatus, message: str):
        super().__init__(message)
        self.status = status


class Studio(ThreadingHTTPServer):
    """Serves at ``address`` until `stop`; port 0 finds a free one."""

    daemon_threads = True

    def __init__(self, port: int = 0):
        super().__init__((HOST, port), Handler)
        self.runs = Runs()
        self.token = secrets.token_urlsafe(18)

    @property
    def own_hosts(self) -> tuple[str, str]:
        return f"{HOST}:{self.server_port}", f"localhost:{self.server_port}"

    @property
    def address(self) -> str:
        return f"http://{self.own_hosts[0]}/"

    def start(self) -> Studio:
        """Serve in the background."""
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def stop(self) -> None:
        self.shutdown()
        self.server_close()
        self.runs.close()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Studio
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Nothing: the terminal is for people."""

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, work: Any) -> None:
        try:
            self._check_origin()
            kind, content, name = work()
            self._send(HTTPStatus.OK, kind, content, name)
        except Refused as refusal:
            self._send(refusal.status, "application/json", json.dumps({"error": str(refusal)}).encode())
        except (ModelError, OSError) as error:
            self._send(HTTPStatus.BAD_REQUEST, "application/json", json.dumps({"error": str(error)}).encode())

    def _check_origin(self) -> None:
        """Other pages, and other names for this computer, get nothing."""
        host = self.headers.get("Host", "")
        origin = self.headers.get("Origin")
        if host not in self.server.own_hosts or (origin is not None and origin != f"http://{host}"):
            raise Refused(HTTPStatus.FORBIDDEN, "the studio answers its own page only")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise Refused(HTTPStatus.FORBIDDEN, "the studio answers its own page only")

    def _send(self, status: HTTPStatus, kind: str, content: bytes, name: str = "") -> None:
        text = kind.startswith("text/") or kind.endswith(("json", "yaml"))
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8" if text else kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("X-Frame-Options", "SAMEORIGIN")
        if kind == "text/html" and not name and self.path == "/":
            self.send_header("Content-Security-Policy", POLICY)
        if name:
            self.send_header("Content-Disposition", f'attachment; filename="{name}"')
        self.end_headers()
        self.wfile.write(content)

    def _get(self) -> tuple[str, bytes, str]:
        address = urlsplit(self.path)
        parts = address.path.strip("/").split("/")
        if address.path in FILES:
            name, kind = FILES[address.path]
            text = files("carom.studio").joinpath(name).read_text(encoding="utf-8")
            return kind, text.replace("{{token}}", self.server.token).encode(), ""
        if address.path == "/style.css":
            return "text/css", files("carom.report").joinpath("report.css").read_bytes(), ""
        if address.path == "/api/sources":
            cases = [{"name": name, "title": described(maker)[0]} for name, maker in CASES.items()]
            return told({"cases": cases, "models": list(self.server.runs.models)})
        if address.path == "/api/source":
            return told(about(self.server.runs, parse_qs(address.query).get("name", [""])[0]))
        if address.path == "/api/runs":
            return told([run.told() for run in self.server.runs.known.values()])
        if address.path == "/compare":
            runs = [self._run(word) for word in parse_qs(address.query).get("runs", [""])[0].split(",")]
            shown = [run for run in runs if run.result is not None]
            if not shown:
                raise Refused(HTTPStatus.NOT_FOUND, "none of these runs has a result")
            return "text/html", compared_page(shown).encode(), ""
        if len(parts) == 3 and parts[0] == "run":
            return self._of_run(self._run(parts[1]), parts[2])
        raise Refused(HTTPStatus.NOT_FOUND, f"there is nothing at {address.path}")

    def _run(self, word: str) -> Run:
        run = self.server.runs.known.get(int(word)) if word.isdecimal() and len(word) < 10 else None
        if run is None:
            raise Refused(HTTPStatus.NOT_FOUND, f"there is no run {word[:20]!r}")
        return run

    def _of_run(self, run: Run, what: str) -> tuple[str, bytes, str]:
        if what == "state":
            return told(run.told())
        if run.result is None:
            raise Refused(HTTPStatus.NOT_FOUND, f"run {run.number} has no result: {run.error or run.state}")
        if what == "page":
            return "text/html", run_page(run).encode(), ""
        if what not in KINDS:
            raise Refused(HTTPStatus.NOT_FOUND, f"a run has no {what!r}")
        name = f"{run.source.removesuffix('.yaml')}_{run.number}_{what}"
        if what == "report.html":
            return KINDS[what], run_page(run).encode(), name
        if what == "model.yaml":
            assert run.case is not None
            return KINDS[what], run.case.system.to_yaml(run=run.case.options).encode(), name
        with TemporaryDirectory() as folder:
            path = Path(folder) / what
            run.result.save(path)
            return KINDS[what], path.read_bytes(), name

    def _post(self) -> tuple[str, bytes, str]:
        if self.headers.get("X-Carom-Token") != self.server.token:
            raise Refused(HTTPStatus.FORBIDDEN, "the studio answers its own page only; load it again")
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 < length <= LARGEST:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request must have 1 to {LARGEST} bytes")
        try:
            body = json.loads(self.rfile.read(length))
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "a request must be a JSON object")
        runs = self.server.runs
        parts = urlsplit(self.path).path.strip("/").split("/")
        if parts == ["api", "model"]:
            text = str(body.get("text", ""))
            read(f"{text}\n")  # refused here when it is no model
            return told({"name": runs.open_model(str(body.get("name", "model")), text)})
        if parts == ["api", "run"]:
            given = body.get("values")
            if not isinstance(given, dict) or not all(isinstance(item, str | float) for item in given.values()):
                raise Refused(HTTPStatus.BAD_REQUEST, "values must be words and numbers by name")
            return told(runs.start(str(body.get("source", "")), given).told())
        if len(parts) == 3 and parts[0] == "run" and parts[2] == "cancel":
            run = self._run(parts[1])
            run.stop.set()
            return told(run.told())
        raise Refused(HTTPStatus.NOT_FOUND, f"there is nothing at {self.path}")


def told(data: Any) -> tuple[str, bytes, str]:
    return "application/json", json.dumps(data, ensure_ascii=False).encode(), ""


def about(runs: Runs, name: str) -> dict[str, Any]:
    """Title, description and controls of a source."""
    if name in runs.models:
        model = read(runs.models[name])
        controls = [control_for(key, float(value)) for key, value in model.parameters.items()]
        options = [{"name": "t_end", "kind": "text", "value": str(model.run.get("t_end", "1.0"))}]
        return {"name": name, "title": model.system.name, "description": "", "parameters": controls, "options": options}
    if name not in CASES:
        raise ModelError(f"there is no case {name!r}")
    case = CASES[name]()
    return {
        "name": name, "title": case.title, "description": case.description.replace("``", ""),
        "parameters": parameters_of(name),
        "options": options_of(case),
    }  # fmt: skip
