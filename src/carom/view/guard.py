"""Access to the pages that carom serves on this computer: a secret in the address, and checks of Host and Origin.

Host and Origin keep foreign web pages out; the secret keeps out other users of this computer, who can reach the port.
"""

from __future__ import annotations

import hmac
import secrets

HOST = "127.0.0.1"


class Forbidden(Exception):
    """A request from elsewhere, or without the secret."""


class Guard:
    """The secret of one server, and the check of its requests."""

    def __init__(self) -> None:
        self.secret = secrets.token_urlsafe(24)
        self._entries: set[str] = set()

    def address(self, port: int) -> str:
        """Return the address of the page on ``port``."""
        return f"http://{HOST}:{port}/{self.secret}/"

    def entry(self, port: int) -> str:
        """Return an address that leads to the page once, for a command line that other users can read."""
        word = secrets.token_urlsafe(24)
        self._entries.add(word)
        return f"http://{HOST}:{port}/{word}"

    def path(self, port: int, target: str, hosts: list[str], origins: list[str]) -> str | None:
        """Return the part of ``target`` below the secret, or None for an entry, which leads to the address.

        ``hosts`` and ``origins`` are the headers of these names. Raises `Forbidden` for all other requests.
        """
        suffix = "" if port == 80 else f":{port}"
        if len(hosts) != 1 or hosts[0] not in (f"{HOST}{suffix}", f"localhost{suffix}"):
            raise Forbidden("requests must be made to this computer")
        if origins not in ([], [f"http://{hosts[0]}"]):
            raise Forbidden("requests of other pages are refused")
        word, slash, rest = target.partition("?")[0].removeprefix("/").partition("/")
        if hmac.compare_digest(word.encode("utf-8", "surrogatepass"), self.secret.encode()):
            return slash + rest
        try:
            self._entries.remove(word)
        except KeyError:
            raise Forbidden("use the whole address that carom has printed; it contains a secret") from None
        return None
