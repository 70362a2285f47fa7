"""A viser server behind a `Guard`."""

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

from carom.errors import ModelError, whole
from carom.view.guard import HOST, Forbidden, Guard

_starting = threading.Lock()


def guarded_viser(guard: Guard, port: int, label: str) -> Any:
    """Return a `viser.ViserServer` on ``port`` that answers only requests which ``guard`` admits."""
    try:
        import viser
    except ImportError:
        raise ModelError("the viewer needs viser: pip install 'carom[view]'") from None
    from websockets.asyncio import server as websockets_server

    port = _free(whole("viewer", "port", port, 0, 65535))
    # viser has no parameter for a check of requests, so that its call of websockets' `serve` is given one.
    original, checks = websockets_server.serve, []

    def serve(handler: Any, *arguments: Any, **options: Any) -> Any:
        if handler.__module__.partition(".")[0] == "viser":
            options |= {"process_request": _checked(guard, options["process_request"]), "logger": _logger()}
            checks.append(handler)
        return original(handler, *arguments, **options)

    console = rich.get_console()
    with _starting:
        websockets_server.serve = serve  # type: ignore[assignment, misc]
        quiet, console.quiet = console.quiet, True  # viser prints its address, which lacks the secret
        try:
            server = viser.ViserServer(host=HOST, port=port, label=label, verbose=False)
        finally:
            websockets_server.serve = original  # type: ignore[misc]
            console.quiet = quiet
    if not checks:
        server.stop()
        raise ModelError(f"the viewer cannot protect the pages of viser {viser.__version__}; use viser 1.1")
    return server


def _free(port: int) -> int:
    """Return ``port``, or 0 (any free one) where it is in use; viser would wait forever for one that cannot be had."""
    with socket.socket() as probe:
        if os.name == "posix":  # as asyncio does: a port whose last connection was closed a moment ago is free
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError:
            raise ModelError(f"viewer: port {port} is not permitted; use one from 1024 to 65535, or 0") from None
        except OSError:
            return 0
    return port


def _logger() -> logging.Logger:
    """Return a logger that is silent about requests which cannot be read: anybody can send them."""
    logger = logging.getLogger("carom.view")
    if not logger.filters:
        logger.addFilter(lambda record: record.getMessage() != "opening handshake failed")
    return logger


def _checked(guard: Guard, process_request: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return ``process_request`` of a websockets server with the check of ``guard`` before it."""
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    def process(connection: Any, request: Any) -> Any:
        port, headers = connection.local_address[1], request.headers
        try:
            path = guard.path(port, request.path, headers.get_all("Host"), headers.get_all("Origin"))
        except Forbidden as refusal:
            text = Headers({"Content-Type": "text/plain; charset=utf-8", "Connection": "close"})
            return Response(HTTPStatus.FORBIDDEN, "Forbidden", text, f"{refusal}\n".encode())
        if path is None:
            to = Headers({"Location": guard.address(port), "Content-Length": "0", "Connection": "close"})
            return Response(HTTPStatus.SEE_OTHER, "See Other", to)
        return process_request(connection, dataclasses.replace(request, path=path or "/"))

    return process
