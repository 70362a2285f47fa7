"""The studio's web server: on this computer only, for its own page only, one request per connection.

A connection is closed after its answer, so that nothing left on it can be read as a second request.
"""

from __future__ import annotations

import contextlib
import json
import math
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

from carom.errors import ModelError
from carom.studio import api
from carom.studio.api import Answer, BadRequest
from carom.studio.runs import Runs
from carom.view.guard import HOST, Forbidden, Guard

LARGEST = 4_000_000
"""Bytes of the body of a request at most."""
MOST_CONNECTIONS = 32
"""Connections that are open at a time; further ones are refused."""
READ_TIME, WRITE_TIME = 10.0, 60.0
"""Times within which a request must arrive and its answer must be taken [s]."""
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:"
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Studio(ThreadingHTTPServer):
    """Serves at ``address`` until `stop`; port 0 finds a free one."""

    daemon_threads = True
    request_queue_size = MOST_CONNECTIONS

    def __init__(self, port: int = 0):
        self._deadlines: dict[socket.socket, float] = {}
        super().__init__((HOST, port), Handler)
        self.runs = Runs()
        self.guard = Guard()

    @property
    def address(self) -> str:
        """Address of the page, with a secret; whoever knows it can use the studio."""
        return self.guard.address(self.server_port)

    def entry(self) -> str:
        """Return an address that leads to the page once."""
        return self.guard.entry(self.server_port)

    def start(self) -> Studio:
        """Serve in the background."""
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def stop(self) -> None:
        """End the server, and the runs."""
        self.shutdown()
        self.server_close()
        self.runs.close()

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Refuse a connection when there are too many."""
        if len(self._deadlines) >= MOST_CONNECTIONS:
            with contextlib.suppress(OSError):
                request.send(BUSY)
            return False
        self._deadlines[request] = time.monotonic() + READ_TIME
        return True

    def service_actions(self) -> None:
        """End the reading of requests that take too long, however often a byte of them arrives."""
        now = time.monotonic()
        for request, deadline in list(self._deadlines.items()):
            if deadline < now:
                with contextlib.suppress(OSError):
                    request.shutdown(socket.SHUT_RD)

    def end_deadline(self, request: socket.socket) -> None:
        """Let the answer take its time: the request has arrived."""
        self._deadlines[request] = math.inf

    def close_request(self, request: Any) -> None:
        """Close a connection."""
        self._deadlines.pop(request, None)
        super().close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report defects, not connections that clients have closed."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection with one request."""

    server: Studio
    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"
    timeout = READ_TIME
    arrived = False

    def version_string(self) -> str:
        """Return the name of the server, without versions."""
        return "carom"

    def log_message(self, *_: Any) -> None:
        """Suppress request logging."""

    def handle(self) -> None:
        """Answer one request; the connection is closed after it."""
        self.handle_one_request()

    def finish(self) -> None:
        """Send the rest of the answer; take what is left of a refused request, or the client may not see the answer."""
        super().finish()
        if not self.arrived:
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_WR)
                while self.connection.recv(65536):
                    continue

    def do_GET(self) -> None:
        """Answer a GET request."""
        self._answer(lambda path, query: api.get(self.server.runs, path, query))

    def do_POST(self) -> None:
        """Answer a POST request."""
        self._answer(lambda path, _: api.post(self.server.runs, path, self._body()))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse a request that the base class cannot read."""
        self._refuse(HTTPStatus(code), message or HTTPStatus(code).phrase)

    def _answer(self, work: Callable[[str, str], Answer]) -> None:
        try:
            path = self._admitted()
            if not path:
                self._send(HTTPStatus.SEE_OTHER, Answer("text/plain", b""), {"Location": self.server.address})
                return
            answer = work(path, self.path.partition("?")[2])
        except Forbidden as refusal:
            self._refuse(HTTPStatus.FORBIDDEN, str(refusal))
        except BadRequest as refusal:
            self._refuse(refusal.status, str(refusal))
        except (ModelError, OSError) as error:
            self._refuse(HTTPStatus.BAD_REQUEST, self.server.runs.without_folder(str(error)))
        except Exception as error:  # noqa: BLE001  (a defect: the page shows it, the terminal its traceback)
            traceback.print_exc()
            self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, f"{type(error).__name__}: {error}")
        else:
            page = answer.kind == "text/html" and not answer.name and path == "/"
            self._send(HTTPStatus.OK, answer, {"Content-Security-Policy": POLICY} if page else {})

    def _admitted(self) -> str | None:
        """Return the path below the secret, or None for an entry; refuse what other pages and programs ask."""
        headers = self.headers
        if len(self.requestline.split()) != 3 or headers.defects or "Transfer-Encoding" in headers:
            raise BadRequest(HTTPStatus.BAD_REQUEST, "the request is not well-formed")
        if not self.path.startswith("/") or not (self.path.isascii() and self.path.isprintable()):
            raise BadRequest(HTTPStatus.BAD_REQUEST, "the address of a request must be a path of ASCII characters")
        port = self.server.server_port
        path = self.server.guard.path(port, self.path, headers.get_all("Host", []), headers.get_all("Origin", []))
        navigation = self.command == "GET" and headers.get("Sec-Fetch-Dest") == "document"
        if not navigation and headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise Forbidden("requests of other pages are refused")
        if self.command == "GET":
            self._take(0)
        return path

    def _body(self) -> dict[str, Any]:
        """Return the JSON object that a request carries."""
        lengths = self.headers.get_all("Content-Length", [])
        length = int(lengths[0]) if len(lengths) == 1 and lengths[0].isdecimal() and len(lengths[0]) < 12 else 0
        if length == 0:
            raise BadRequest(HTTPStatus.BAD_REQUEST, "a request must have a Content-Length of 1 or more")
        if length > LARGEST:
            raise BadRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request must have at most {LARGEST} bytes")
        text = self._take(length)
        try:
            body = json.loads(text.decode("utf-8"), parse_constant=_refuse_constant)
            json.dumps(body, ensure_ascii=False).encode("utf-8")  # half a surrogate pair is no text
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise BadRequest(HTTPStatus.BAD_REQUEST, "a request must be a JSON object")
        return body

    def _take(self, length: int) -> bytes:
        """Return the body of a request, which has then arrived."""
        try:
            content = self.rfile.read(length) if length else b""
        except TimeoutError:
            content = b""
        if len(content) < length:
            raise BadRequest(HTTPStatus.REQUEST_TIMEOUT, f"a request must arrive within {READ_TIME:g} s")
        self.arrived = True
        self.server.end_deadline(self.connection)
        return content

    def _refuse(self, status: HTTPStatus, message: str) -> None:
        self.request_version = self.protocol_version  # a line that cannot be read has none, and is answered with it
        self._send(status, api.json_answer({"error": message}), {})

    def _send(self, status: HTTPStatus, answer: Answer, headers: dict[str, str]) -> None:
        self.connection.settimeout(WRITE_TIME)
        text = answer.kind.startswith("text/") or answer.kind.endswith(("json", "yaml"))
        self.send_response(status)
        for name, value in {
            "Content-Type": f"{answer.kind}; charset=utf-8" if text else answer.kind,
            "Content-Length": str(len(answer.content)),
            "Connection": "close",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "X-Frame-Options": "SAMEORIGIN",
            **headers,
        }.items():
            self.send_header(name, value)
        if answer.name:
            self.send_header("Content-Disposition", disposition(answer.name))
        self.end_headers()
        self.wfile.write(answer.content)


def disposition(name: str) -> str:
    """Return the header for a download as ``name``, with the characters of all languages (RFC 6266, RFC 8187)."""
    plain = "".join(
        letter if letter.isascii() and letter.isprintable() and letter not in '"\\' else "_" for letter in name
    )
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")
