"""Ranges as they are typed: NAME=LOW:HIGH, or NAME=START:LOW:HIGH."""

from __future__ import annotations

from collections.abc import Iterable

from carom.errors import ModelError


def ranges(option: str, texts: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """``["stiffness=1e8:1e11"]`` as ``{"stiffness": (1e8, 1e11)}``."""
    found: dict[str, tuple[float, ...]] = {}
    for text in texts:
        name, equals, span = text.partition("=")
        try:
            numbers = tuple(float(part) for part in span.split(":"))
        except ValueError:
            numbers = ()
        if not equals or not name.strip() or len(numbers) not in (2, 3):
            raise ModelError(f"{option} needs NAME=LOW:HIGH, such as restitution=0.1:0.9, got {text!r}")
        found[name.strip()] = numbers
    return found


def pairs(option: str, texts: Iterable[str]) -> dict[str, str]:
    """``["F=touch.normal_force"]`` as a dict."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise ModelError(f"{option} needs NAME=VALUE, got {text!r}")
        found[name.strip()] = value.strip()
    return found
