"""Viser server whose requests are checked by a `Guard`."""

from __future__ import annotations

import dataclasses
import logging
import os
import socket
import threading
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import rich

from carom.argument_checks import integer
from carom.errors import ModelError
from carom.view.guard import HOST, Forbidden, Guard

_starting = threading.Lock()


def guarded_viser(guard: Guard, port: int, label: str) -> Any:
    """Return a `viser.ViserServer` on ``port`` that serves only requests that ``guard`` accepts."""
    try:
        import viser
    except ImportError:
        raise ModelError("viewer: viser is not installed; run pip install 'carom[view]'") from None
    from websockets.asyncio import server as websockets_server

    port = _available_port(integer("viewer", "port", port, 0, 65535))
    # viser has no parameter for a check of requests, so the check is added to its call of websockets' `serve`.
    original, checked_handlers = websockets_server.serve, []

    def serve(handler: Any, *arguments: Any, **options: Any) -> Any:
        if handler.__module__.partition(".")[0] == "viser":
            options |= {"process_request": _with_check(guard, options["process_request"]), "logger": _logger()}
            checked_handlers.append(handler)
        return original(handler, *arguments, **options)

    console = rich.get_console()
    with _starting:
        websockets_server.serve = serve  # type: ignore[assignment, misc]
        quiet, console.quiet = console.quiet, True  # viser would print its address without the secret
        try:
            server = viser.ViserServer(host=HOST, port=port, label=label, verbose=False)
        finally:
            websockets_server.serve = original  # type: ignore[misc]
            console.quiet = quiet
    if not checked_handlers:
        server.stop()
        raise ModelError(f"viewer: the pages of viser {viser.__version__} cannot be protected; install viser 1.1")
    return server


def _available_port(port: int) -> int:
    """Return ``port``, or 0 (any free port) if it is in use; viser would wait forever for a port in use."""
    with socket.socket() as probe:
        if os.name == "posix":  # as asyncio: a port with a recently closed connection is available
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError:
            raise ModelError(f"viewer: no permission for port {port}; use a port from 1024 to 65535, or 0") from None
        except OSError:
            return 0
    return port


def _logger() -> logging.Logger:
    """Return a logger that ignores unreadable requests, because anybody can send them."""
    logger = logging.getLogger("carom.view")
    if not logger.filters:
        logger.addFilter(lambda record: record.getMessage() != "opening handshake failed")
    return logger


def _with_check(guard: Guard, process_request: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return ``process_request`` of a websockets server, preceded by the check of ``guard``."""
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    def process(connection: Any, request: Any) -> Any:
        port, headers = connection.local_address[1], request.headers
        try:
            path = guard.path(port, request.path, headers.get_all("Host"), headers.get_all("Origin"))
        except Forbidden as error:
            text = Headers({"Content-Type": "text/plain; charset=utf-8", "Connection": "close"})
            return Response(HTTPStatus.FORBIDDEN, "Forbidden", text, f"{error}\n".encode())
        if path is None:
            redirect = Headers({"Location": guard.address(port), "Content-Length": "0", "Connection": "close"})
            return Response(HTTPStatus.SEE_OTHER, "See Other", redirect)
        return process_request(connection, dataclasses.replace(request, path=path or "/"))

    return process
