"""Web server of the studio: for this computer and its own page only, one request per connection.

A connection is closed after its response, so that remaining bytes cannot be read as a second request.
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
from carom.studio.api import BadRequest, Response
from carom.studio.run_queue import RunQueue
from carom.view.guard import HOST, Forbidden, Guard

MAX_BODY_SIZE = 4_000_000
"""Largest size of the body of a request [bytes]."""
MAX_CONNECTIONS = 32
"""Largest number of open connections; further ones are rejected."""
READ_TIME, WRITE_TIME = 10.0, 60.0
"""Time limits for the arrival of a request and for sending its response [s]."""
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:"
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Studio(ThreadingHTTPServer):
    """Server of the studio at ``address``; port 0 selects a free one."""

    daemon_threads = True
    request_queue_size = MAX_CONNECTIONS

    def __init__(self, port: int = 0):
        self._deadlines: dict[socket.socket, float] = {}
        super().__init__((HOST, port), Handler)
        self.runs = RunQueue()
        self.guard = Guard()

    @property
    def address(self) -> str:
        """Address of the page, with a secret; everyone who knows it can use the studio."""
        return self.guard.address(self.server_port)

    def entry(self) -> str:
        """Return an address that opens the page once."""
        return self.guard.entry(self.server_port)

    def start(self) -> Studio:
        """Serve in the background."""
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def stop(self) -> None:
        """Stop the server and its runs."""
        self.shutdown()
        self.server_close()
        self.runs.close()

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Reject a connection if there are too many."""
        if len(self._deadlines) >= MAX_CONNECTIONS:
            with contextlib.suppress(OSError):
                request.send(BUSY)
            return False
        self._deadlines[request] = time.monotonic() + READ_TIME
        return True

    def service_actions(self) -> None:
        """Stop reading requests that arrive too slowly, even if single bytes still arrive."""
        now = time.monotonic()
        for request, deadline in list(self._deadlines.items()):
            if deadline < now:
                with contextlib.suppress(OSError):
                    request.shutdown(socket.SHUT_RD)

    def end_deadline(self, request: socket.socket) -> None:
        """Remove the time limit of a request that has arrived."""
        self._deadlines[request] = math.inf

    def close_request(self, request: Any) -> None:
        """Close a connection."""
        self._deadlines.pop(request, None)
        super().close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report errors, except connections closed by clients."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Handler of one connection with one request."""

    server: Studio
    protocol_version = "HTTP/1.1"
    default_request_version = "HTTP/1.0"
    timeout = READ_TIME
    has_arrived = False

    def version_string(self) -> str:
        """Return the name of the server, without its version."""
        return "carom"

    def log_message(self, *_: Any) -> None:
        """Suppress request logging."""

    def handle(self) -> None:
        """Handle one request; the connection is closed afterwards."""
        self.handle_one_request()

    def finish(self) -> None:
        """Send the rest of the response and read the rest of a rejected request.

        Clients may not receive the response while unread data remain.
        """
        super().finish()
        if not self.has_arrived:
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_WR)
                while self.connection.recv(65536):
                    continue

    def do_GET(self) -> None:
        """Handle a GET request."""
        self._respond(lambda path, query: api.get(self.server.runs, path, query))

    def do_POST(self) -> None:
        """Handle a POST request."""
        self._respond(lambda path, _: api.post(self.server.runs, path, self._body()))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Reject a request that the base class cannot read."""
        self._reject(HTTPStatus(code), message or HTTPStatus(code).phrase)

    def _respond(self, work: Callable[[str, str], Response]) -> None:
        try:
            path = self._checked_path()
            if not path:
                self._send(HTTPStatus.SEE_OTHER, Response("text/plain", b""), {"Location": self.server.address})
                return
            response = work(path, self.path.partition("?")[2])
        except Forbidden as error:
            self._reject(HTTPStatus.FORBIDDEN, str(error))
        except BadRequest as error:
            self._reject(error.status, str(error))
        except (ModelError, OSError) as error:
            self._reject(HTTPStatus.BAD_REQUEST, self.server.runs.without_folder(str(error)))
        except Exception as error:  # noqa: BLE001  (a defect of carom: the page shows it, the terminal its traceback)
            traceback.print_exc()
            self._reject(HTTPStatus.INTERNAL_SERVER_ERROR, f"{type(error).__name__}: {error}")
        else:
            is_page = response.kind == "text/html" and not response.name and path == "/"
            self._send(HTTPStatus.OK, response, {"Content-Security-Policy": POLICY} if is_page else {})

    def _checked_path(self) -> str | None:
        """Return the path below the secret, or None for an entry; raise for requests of other pages and programs."""
        headers = self.headers
        if len(self.requestline.split()) != 3 or headers.defects or "Transfer-Encoding" in headers:
            raise BadRequest(HTTPStatus.BAD_REQUEST, "the request is not well-formed")
        if not self.path.startswith("/") or not (self.path.isascii() and self.path.isprintable()):
            raise BadRequest(HTTPStatus.BAD_REQUEST, "the address of a request must be a path of ASCII characters")
        port = self.server.server_port
        path = self.server.guard.path(port, self.path, headers.get_all("Host", []), headers.get_all("Origin", []))
        navigation = self.command == "GET" and headers.get("Sec-Fetch-Dest") == "document"
        if not navigation and headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise Forbidden("requests of other pages are rejected")
        if self.command == "GET":
            self._read_body(0)
        return path

    def _body(self) -> dict[str, Any]:
        """Return the JSON object in the body of a request."""
        lengths = self.headers.get_all("Content-Length", [])
        length = int(lengths[0]) if len(lengths) == 1 and lengths[0].isdecimal() and len(lengths[0]) < 12 else 0
        if length == 0:
            raise BadRequest(HTTPStatus.BAD_REQUEST, "a request must have a Content-Length of 1 or more")
        if length > MAX_BODY_SIZE:
            raise BadRequest(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request must have at most {MAX_BODY_SIZE} bytes")
        text = self._read_body(length)
        try:
            body = json.loads(text.decode("utf-8"), parse_constant=_reject_constant)
            json.dumps(body, ensure_ascii=False).encode("utf-8")  # A single surrogate cannot be encoded.
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise BadRequest(HTTPStatus.BAD_REQUEST, "a request must be a JSON object")
        return body

    def _read_body(self, length: int) -> bytes:
        """Read the body of a request."""
        try:
            content = self.rfile.read(length) if length else b""
        except TimeoutError:
            content = b""
        if len(content) < length:
            raise BadRequest(HTTPStatus.REQUEST_TIMEOUT, f"a request must arrive within {READ_TIME:g} s")
        self.has_arrived = True
        self.server.end_deadline(self.connection)
        return content

    def _reject(self, status: HTTPStatus, message: str) -> None:
        self.request_version = self.protocol_version  # An unreadable request line has no version.
        self._send(status, api.json_response({"error": message}), {})

    def _send(self, status: HTTPStatus, response: Response, headers: dict[str, str]) -> None:
        self.connection.settimeout(WRITE_TIME)
        text = response.kind.startswith("text/") or response.kind.endswith(("json", "yaml"))
        self.send_response(status)
        for name, value in {
            "Content-Type": f"{response.kind}; charset=utf-8" if text else response.kind,
            "Content-Length": str(len(response.content)),
            "Connection": "close",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "X-Frame-Options": "SAMEORIGIN",
            **headers,
        }.items():
            self.send_header(name, value)
        if response.name:
            self.send_header("Content-Disposition", disposition(response.name))
        self.end_headers()
        self.wfile.write(response.content)


def disposition(name: str) -> str:
    """Return the header of a download called ``name``, for names in any script (RFC 6266, RFC 8187)."""
    plain = "".join(
        letter if letter.isascii() and letter.isprintable() and letter not in '"\\' else "_" for letter in name
    )
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _reject_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")
