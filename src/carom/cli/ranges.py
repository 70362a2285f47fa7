"""Ranges as they are typed: NAME=LOW:HIGH, or NAME=START:LOW:HIGH."""

from __future__ import annotations

from collections.abc import Iterable

from carom.cli.values import split
from carom.errors import ModelError


def ranges(option: str, texts: Iterable[str]) -> dict[str, tuple[float, ...]]:
    """``["stiffness=1e8:1e11"]`` as ``{"stiffness": (1e8, 1e11)}``."""
    found: dict[str, tuple[float, ...]] = {}
    for name, span in split(option, texts):
        try:
            numbers = tuple(float(part) for part in span.split(":"))
        except ValueError:
            numbers = ()
        if len(numbers) not in (2, 3):
            raise ModelError(f"{option} needs NAME=LOW:HIGH, such as restitution=0.1:0.9, got {name}={span}")
        found[name] = numbers
    return found
