"""Server of the studio over raw sockets: one request per connection, invalid requests, slow and many clients."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import time

import pytest

from carom.studio import server as module
from carom.studio.run_queue import RunQueue
from carom.studio.server import Studio

ONE = b"HTTP/1.1 "


@pytest.fixture(scope="module")
def studio():
    serving = Studio(0).start()
    yield serving
    serving.stop()


def exchange(studio, data, *, end=True, timeout=20.0):
    """Send bytes and return the response until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", studio.server_port), timeout=timeout) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(data)
            if end:
                connection.shutdown(socket.SHUT_WR)
        response = b""
        with contextlib.suppress(ConnectionError):
            while part := connection.recv(65536):
                response += part
        return response


def request(studio, method="POST", path="/api/run", body=b"{}", headers=(), host=None, length=None):
    lines = [f"{method} /{studio.guard.secret}{path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{studio.server_port}'}"]
    if method == "POST" and length is None:
        lines.append(f"Content-Length: {len(body)}")
    elif length is not None:
        lines.append(f"Content-Length: {length}")
    return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1") + body


def status(response):
    assert response.startswith(ONE), response[:80]
    assert response.count(ONE) == 1, "one connection has one response"
    head, _, content = response.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    code = int(head.split()[1])
    if code >= 400:
        assert json.loads(content)["error"]
    return code


def test_body_of_a_rejected_request_is_not_read_as_a_second_request(studio):
    hidden = request(studio, "GET", "/api/sources")
    for refused in (
        request(studio, body=hidden, host="example.org"),
        request(studio, body=hidden, headers=["Origin: http://example.org"]),
        request(studio, body=hidden, headers=["Sec-Fetch-Site: cross-site"]),
        request(studio, path="/none", body=hidden),
        request(studio, body=hidden),
        request(studio, body=b"0\r\n\r\n" + hidden, length="5", headers=["Transfer-Encoding: chunked"]),
        request(studio, body=b"{}" + hidden, length="2"),
        request(studio, "PUT", body=hidden, length=str(len(hidden))),
        request(studio, "GET", "/api/sources", body=hidden, length=str(len(hidden))),
        request(studio, "GET", "/api/sources") + hidden,
    ):
        response = exchange(studio, refused)
        assert status(response) != 200 or refused.startswith(b"GET")


@pytest.mark.parametrize("length", ["abc", "-1", "+2", "2.0", "0x2", "1_0", "", "0", "2, 2", "9" * 5000, "²"])
def test_a_length_must_be_a_number(studio, length):
    assert status(exchange(studio, request(studio, length=length))) == 400


def test_two_lengths_are_rejected(studio):
    assert status(exchange(studio, request(studio, headers=["Content-Length: 2"]))) == 400


def test_too_large_request_is_rejected_with_a_message(studio):
    body = b" " * (module.MAX_BODY_SIZE + 1)
    assert status(exchange(studio, request(studio, body=body))) == 413


@pytest.mark.parametrize("body", [
    b"[" * 100_000, b'{"a":' * 50_000, b'{"values": {}, "source": "\\ud800"}', b'{"\\udfff": 1}', b'{"a": NaN}',
    b'{"a": -Infinity}', b"{", b"\xff\xfe{\0}\0", b"\xed\xa0\x80", b'"x"', b"null", b"9" * 5000,
    b'{"a": "\0"}', b"{}{}",
])  # fmt: skip
def test_what_is_not_a_json_object_gives_400(studio, body):
    assert status(exchange(studio, request(studio, body=body))) == 400


@pytest.mark.parametrize("line", [
    "GET", "GET /", "GET  / HTTP/1.1", "GET / HTTP/1.1 x", "GET * HTTP/1.1", "GET http://[ HTTP/1.1",
    "GET //[ HTTP/1.1", "GET x HTTP/1.1", "GET /é HTTP/1.1", "GET /\x01 HTTP/1.1", "GET / HTTP/x", "GET / HTTP/²",
    "GET / HTTP/1", "\x16\x03\x01", "GET /\t HTTP/1.1", "POST http://example.org/ HTTP/1.1",
])  # fmt: skip
def test_malformed_request_lines_are_rejected(studio, line):
    response = exchange(studio, f"{line}\r\nHost: 127.0.0.1:{studio.server_port}\r\n\r\n".encode("latin-1"))
    assert status(response) in (400, 403)


@pytest.mark.parametrize("header", ["Host: 127.0.0.1", "no colon", " folded: x", "a b: c", ": x"])
def test_malformed_headers_are_rejected(studio, header):
    text = f"GET /{studio.guard.secret}/ HTTP/1.1\r\n{header}\r\nHost: 127.0.0.1:{studio.server_port}\r\n\r\n"
    assert status(exchange(studio, text.encode())) in (400, 403)


def test_other_methods_and_versions_are_rejected(studio):
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "answer"):
        assert status(exchange(studio, request(studio, method, "/", b""))) == 501
    assert status(exchange(studio, b"PRI * HTTP/2.0\r\n\r\n")) == 505
    assert status(exchange(studio, b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n")) == 414
    assert status(exchange(studio, request(studio, "GET", "/", b"", [f"h{k}: x" for k in range(200)]))) == 431


def test_integers_are_accepted(studio, monkeypatch):
    monkeypatch.setattr(RunQueue, "_work", lambda runs, run: None)
    body = b'{"source": "chain", "values": {"links": 2.0, "t_end": 1e-3}}'
    response = exchange(studio, request(studio, body=body))
    assert status(response) == 200
    assert (
        json.loads(response.partition(b"\r\n\r\n")[2])["label"]
        == "Chain of rods released from the horizontal (links = 2)"
    )


def test_incomplete_request_times_out(studio, monkeypatch):
    monkeypatch.setattr(module, "READ_TIME", 0.3)
    for data in (b"", b"GET / HT", request(studio, body=b"{", length="100")):
        start = time.monotonic()
        response = exchange(studio, data, end=False)
        assert time.monotonic() - start < 5.0
        assert response == b"" or status(response) in (400, 403, 408)


def test_single_bytes_do_not_keep_a_connection_open(studio, monkeypatch):
    monkeypatch.setattr(module, "READ_TIME", 0.3)
    start = time.monotonic()
    with socket.create_connection(("127.0.0.1", studio.server_port), timeout=10) as connection:
        connection.settimeout(0.1)
        ended = False
        while not ended and time.monotonic() - start < 10.0:
            try:
                connection.send(b"x")
                ended = connection.recv(1) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                ended = True
    assert ended


def test_connections_are_limited_and_freed(studio):
    connections = []
    try:
        for _ in range(module.MAX_CONNECTIONS):
            connections.append(socket.create_connection(("127.0.0.1", studio.server_port), timeout=10))
        for _ in range(100):
            if len(studio._deadlines) == module.MAX_CONNECTIONS:
                break
            time.sleep(0.01)
        assert exchange(studio, b"", end=False).startswith(b"HTTP/1.1 503 ")
    finally:
        for connection in connections:
            connection.close()
    for _ in range(200):
        if not studio._deadlines:
            break
        time.sleep(0.01)
    assert status(exchange(studio, request(studio, "GET", "/api/sources", b""))) == 200


def test_random_damage_gives_at_most_one_valid_response(studio, capfd):
    damaged = random.Random(20)
    good = [
        request(studio, body=b'{"source": "none", "values": {"a": 1}}'), request(studio, "GET", "/api/sources", b""),
        request(studio, "GET", "/api/source?name=pendulum", b""), request(studio, path="/run/1/cancel"),
        request(studio, path="/api/model", body=b'{"name": "a.yaml", "text": "carom: 1"}'),
    ]  # fmt: skip
    for _ in range(150):
        data = bytearray(damaged.choice(good))
        for _ in range(damaged.randint(1, 6)):
            place = damaged.randrange(len(data))
            kind = damaged.randrange(4)
            if kind == 0:
                data[place] = damaged.randrange(256)
            elif kind == 1:
                del data[place : place + damaged.randint(1, 20)]
            elif kind == 2:
                data[place:place] = damaged.choice(
                    [b"\r\n", b"\0", b":", b"%", b"\xff", b" ", b"GET / HTTP/1.1\r\n\r\n"]
                )
            else:
                data[place:place] = data[place : place + damaged.randint(1, 60)]
            if not data:
                data += b"x"
        response = exchange(studio, bytes(data))
        assert response == b"" or status(response) < 500 or b" 501 " in response or b" 505 " in response, (
            bytes(data),
            response,
        )
    assert "Traceback" not in capfd.readouterr().err
