"""Access control of the pages that carom serves on this computer: a secret in the address, checks of Host and Origin.

The checks of Host and Origin reject foreign web pages. The secret rejects other users of this computer, who can reach
the port.
"""

from __future__ import annotations

import hmac
import secrets

HOST = "127.0.0.1"


class Forbidden(Exception):
    """Request from another page or computer, or without the secret."""


class Guard:
    """Secret of one server, and the check of its requests."""

    def __init__(self) -> None:
        self.secret = secrets.token_urlsafe(24)
        self._entries: set[str] = set()

    def address(self, port: int) -> str:
        """Return the address of the page on ``port``."""
        return f"http://{HOST}:{port}/{self.secret}/"

    def entry(self, port: int) -> str:
        """Return an address that redirects to the page once, for command lines, which other users can read."""
        key = secrets.token_urlsafe(24)
        self._entries.add(key)
        return f"http://{HOST}:{port}/{key}"

    def path(self, port: int, target: str, hosts: list[str], origins: list[str]) -> str | None:
        """Return the part of ``target`` below the secret, or None for an entry, which redirects to the address.

        ``hosts`` and ``origins`` are the headers of these names. Raises `Forbidden` for all other requests.
        """
        suffix = "" if port == 80 else f":{port}"
        if len(hosts) != 1 or hosts[0] not in (f"{HOST}{suffix}", f"localhost{suffix}"):
            raise Forbidden("requests must be sent to this computer")
        if origins not in ([], [f"http://{hosts[0]}"]):
            raise Forbidden("requests from other pages are rejected")
        key, slash, rest = target.partition("?")[0].removeprefix("/").partition("/")
        if hmac.compare_digest(key.encode("utf-8", "surrogatepass"), self.secret.encode()):
            return slash + rest
        try:
            self._entries.remove(key)
        except KeyError:
            raise Forbidden("use the complete address that carom has printed; it contains a secret") from None
        return None
