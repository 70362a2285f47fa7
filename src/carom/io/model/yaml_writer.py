"""Plain data as YAML text that people like to read: short things on one line, numbers as they are, exactly."""

from __future__ import annotations

import math
import re
from typing import Any

from carom.errors import ModelError
from carom.io.model.yaml_reader import scalar

WIDTH = 118

_PLAIN = re.compile(r"[A-Za-z_](?:[\w ./-]*[\w)])?", re.ASCII)
_TRUTH_ELSEWHERE = {"y", "n", "yes", "no", "on", "off"}
"""Words that older readers of YAML take for truth values."""


class Anchored(dict[str, Any]):
    """A mapping that stands in several places: written once, with an anchor, and repeated by aliases."""

    def __init__(self, anchor: str, content: dict[str, Any]):
        super().__init__(content)
        self.anchor = anchor


class YamlWriter:
    """Writes one document."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def document(self, sections: dict[str, Any]) -> str:
        lines: list[str] = []
        for key, value in sections.items():
            if isinstance(value, dict) and value:
                lines += ["", f"{word(key)}:"]
                for name, entry in value.items():
                    lines += self._entry(name, entry, 2)
            else:
                lines += self._entry(key, value, 0)
        return "\n".join(lines).lstrip("\n") + "\n"

    def _entry(self, key: str, value: Any, indent: int) -> list[str]:
        """``key: value`` on one line where that is short, else on several."""
        margin = " " * indent
        known = set(self._known)
        line = f"{margin}{word(key)}: {self._flow(value)}"
        if len(line) <= WIDTH or not isinstance(value, (dict, list)) or not value:
            return [line]
        self._known = known
        anchor = ""
        if isinstance(value, Anchored):
            if value.anchor in self._known:
                return [line]
            self._known.add(value.anchor)
            anchor = f" &{value.anchor}"
        lines = [f"{margin}{word(key)}:{anchor}"]
        if isinstance(value, dict):
            for inner, entry in value.items():
                lines += self._entry(inner, entry, indent + 2)
            return lines
        if all(isinstance(item, (int, float)) for item in value):  # long rows of numbers are filled
            return [*lines, *_filled([number(item) for item in value], indent + 2)]
        return [*lines, *(f"{margin}  - {self._flow(item)}" for item in value)]

    def _flow(self, value: Any) -> str:
        if isinstance(value, Anchored):
            if value.anchor in self._known:
                return f"*{value.anchor}"
            self._known.add(value.anchor)
            return f"&{value.anchor} {self._flow(dict(value))}"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{word(key)}: {self._flow(entry)}" for key, entry in value.items()) + "}"
        if isinstance(value, (list, tuple)):
            return "[" + ", ".join(self._flow(item) for item in value) + "]"
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (int, float)):
            return number(value)
        return word(f"={value}" if value.startswith("=") else value)


def _filled(words: list[str], indent: int) -> list[str]:
    lines, margin = [], " " * indent
    line = f"{margin}["
    for k, text in enumerate(words):
        part = text + (", " if k < len(words) - 1 else "]")
        if len(line) + len(part) > WIDTH:
            lines.append(line.rstrip())
            line = f"{margin} "
        line += part
    return [*lines, line]


def number(value: float) -> str:
    """The shortest text that gives this number again."""
    if isinstance(value, int):
        return repr(value)
    if math.isfinite(value):
        digits, e, power = repr(value).partition("e")
        return f"{digits}{'' if '.' in digits else '.0'}{e}{power}"  # older readers of YAML want the point
    return ".nan" if math.isnan(value) else ".inf" if value > 0.0 else "-.inf"


def word(text: str) -> str:
    """A text as it is, or in quotes where it could be taken for something else."""
    if _PLAIN.fullmatch(text) and isinstance(scalar(text), str) and text.lower() not in _TRUTH_ELSEWHERE:
        return text
    escaped = []
    for letter in text:
        code = ord(letter)
        if letter in '"\\':
            escaped.append(f"\\{letter}")
        elif 0xD800 <= code <= 0xDFFF:
            raise ModelError(f"the text {text!r} holds a character that no file can hold")
        elif letter.isprintable() and code != 0xFEFF:
            escaped.append(letter)
        elif code < 0x10000:
            escaped.append(f"\\u{code:04x}")
        else:
            escaped.append(f"\\U{code:08x}")
    return f'"{"".join(escaped)}"'
