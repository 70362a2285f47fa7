"""Plain data as readable YAML text: short entries on one line, numbers without loss of precision."""

from __future__ import annotations

import math
import re
from typing import Any

from carom.errors import ModelError
from carom.io.model.yaml_reader import scalar

MAX_WIDTH = 118
"""Length of a line [characters]."""

_PLAIN = re.compile(r"[A-Za-z_](?:[\w ./-]*[\w)])?", re.ASCII)
_YAML_1_1_BOOLEANS = {"y", "n", "yes", "no", "on", "off"}
"""Texts that YAML 1.1 readers take for booleans."""


class Anchored(dict[str, Any]):
    """Mapping that is used several times: written once with an anchor and repeated by aliases."""

    def __init__(self, anchor: str, content: dict[str, Any]):
        super().__init__(content)
        self.anchor = anchor


class YamlWriter:
    """Writer of one document."""

    def __init__(self) -> None:
        self._written_anchors: set[str] = set()

    def document(self, sections: dict[str, Any]) -> str:
        """Return the text of a document with these sections."""
        lines: list[str] = []
        for key, value in sections.items():
            if isinstance(value, dict) and value:
                lines += ["", f"{quote_text(key)}:"]
                for name, entry in value.items():
                    lines += self._entry(name, entry, 2)
            else:
                lines += self._entry(key, value, 0)
        return "\n".join(lines).lstrip("\n") + "\n"

    def _entry(self, key: str, value: Any, indent: int) -> list[str]:
        """Return ``key: value`` as one line if it is short, else as several lines."""
        margin = " " * indent
        written_before = set(self._written_anchors)
        line = f"{margin}{quote_text(key)}: {self._flow(value)}"
        if len(line) <= MAX_WIDTH or not isinstance(value, (dict, list)) or not value:
            return [line]
        self._written_anchors = written_before
        anchor = ""
        if isinstance(value, Anchored):
            if value.anchor in self._written_anchors:
                return [line]
            self._written_anchors.add(value.anchor)
            anchor = f" &{value.anchor}"
        lines = [f"{margin}{quote_text(key)}:{anchor}"]
        if isinstance(value, dict):
            for inner, entry in value.items():
                lines += self._entry(inner, entry, indent + 2)
            return lines
        if all(isinstance(item, (int, float)) for item in value):
            return [*lines, *_fill_lines([format_number(item) for item in value], indent + 2)]
        return [*lines, *(f"{margin}  - {self._flow(item)}" for item in value)]

    def _flow(self, value: Any) -> str:
        """Return a value on one line."""
        if isinstance(value, Anchored):
            if value.anchor in self._written_anchors:
                return f"*{value.anchor}"
            self._written_anchors.add(value.anchor)
            return f"&{value.anchor} {self._flow(dict(value))}"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{quote_text(key)}: {self._flow(entry)}" for key, entry in value.items()) + "}"
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(self._flow(item) for item in value) + "]"
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (int, float)):
            return format_number(value)
        return quote_text(f"={value}" if value.startswith("=") else value)


def _fill_lines(items: list[str], indent: int) -> list[str]:
    """Return a list as lines that are filled up to `MAX_WIDTH`."""
    lines, margin = [], " " * indent
    line = f"{margin}["
    for k, text in enumerate(items):
        part = text + (", " if k < len(items) - 1 else "]")
        if len(line) + len(part) > MAX_WIDTH:
            lines.append(line.rstrip())
            line = f"{margin} "
        line += part
    return [*lines, line]


def format_number(value: float) -> str:
    """Return the shortest text that is read as exactly this number."""
    if isinstance(value, int):
        return repr(value)
    if math.isfinite(value):
        digits, e, power = repr(value).partition("e")
        return f"{digits}{'' if '.' in digits else '.0'}{e}{power}"  # YAML 1.1 requires the decimal point.
    return ".nan" if math.isnan(value) else ".inf" if value > 0.0 else "-.inf"


def quote_text(text: str) -> str:
    """Return a text, in quotes if it could be read as another type."""
    if _PLAIN.fullmatch(text) and isinstance(scalar(text), str) and text.lower() not in _YAML_1_1_BOOLEANS:
        return text
    escaped = []
    for letter in text:
        code = ord(letter)
        if letter in '"\\':
            escaped.append(f"\\{letter}")
        elif 0xD800 <= code <= 0xDFFF:
            raise ModelError(f"the text {text!r} contains a character that cannot be encoded in UTF-8")
        elif letter.isprintable() and code != 0xFEFF:
            escaped.append(letter)
        elif code < 0x10000:
            escaped.append(f"\\u{code:04x}")
        else:
            escaped.append(f"\\U{code:08x}")
    return f'"{"".join(escaped)}"'
