"""YAML text as a tree that knows its lines.

Plain words mean what YAML 1.2 says: ``1e6`` is a number, ``no`` and ``on`` are words, keys are always words. There are
no tags, every key stands once, and what is too large, too deep or refers to itself is refused before it is unfolded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from carom.errors import ModelError

LARGEST = 32_000_000
"""Characters of a text."""
MOST_NODES = 4_000_000
DEEPEST = 40
"""Mappings and lists inside each other."""

_WHOLE = re.compile(r"[-+]?[0-9]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **{sign + word: float(f"{sign}inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
}
LONGEST_WHOLE = 18
"""Characters of a whole number; longer ones are floating-point numbers."""


@dataclass
class Node:
    """A value with its place: None, a truth value, a number, a text, a list of nodes, or a mapping to nodes.

    ``keys`` says where each key of a mapping stands, file and line. A node with an anchor is one object, wherever an
    alias repeats it.
    """

    value: Any
    source: str
    line: int
    keys: dict[str, tuple[str, int]] = field(default_factory=dict)
    anchored: bool = False


@dataclass(frozen=True)
class Location:
    """Where something stands: file, line, and the path of keys to it."""

    source: str
    line: int
    path: str = ""

    def error(self, text: str) -> ModelError:
        where = f"{self.source}:{self.line}: "
        return ModelError(f"{where}{self.path}: {text}" if self.path else f"{where}{text}")

    def entry(self, node: Node, key: str) -> Location:
        """The place of what stands under ``key`` of a mapping."""
        path = f"{self.path}.{key}" if self.path else key
        return Location(*node.keys.get(key, (node.source, node.line)), path)

    def item(self, node: Node, number: int) -> Location:
        """The place of one item of a list."""
        line = node.value[number].line if number < len(node.value) else node.line
        return Location(node.source, line, f"{self.path}[{number}]")


def parse(text: str, source: str) -> Node:
    """The tree of a YAML text; ``source`` is its name in messages."""
    import yaml

    start = Location(source, 1)
    if len(text) > LARGEST:
        raise start.error(f"the text must have at most {LARGEST} characters, got {len(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise start.error("the text holds characters that no file can hold") from None
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _composed(yaml.parse(text, Loader=loader), source)
    except yaml.MarkedYAMLError as trouble:
        mark = trouble.problem_mark or trouble.context_mark
        line = 1 if mark is None else mark.line + 1
        lines = text.splitlines()
        if line <= len(lines) and "\t" in lines[line - 1]:
            raise Location(source, line).error("the line is indented with a tab; YAML allows spaces only") from None
        raise Location(source, line).error(f"this is no YAML: {trouble.problem or trouble.context}") from None
    except yaml.YAMLError as trouble:
        raise start.error(f"this is no YAML: {' '.join(str(trouble).split())}") from None


def _composed(events: Iterator[Any], source: str) -> Node:
    """One document from its events, without recursion."""
    import yaml

    anchors: dict[str, Node] = {}
    open_nodes: list[tuple[Node, list[Node]]] = []
    root: Node | None = None
    count = 0
    for event in events:
        line = event.start_mark.line + 1
        place = Location(source, line)
        if isinstance(event, yaml.DocumentStartEvent) and root is not None:
            raise place.error("there must be one document in a file, this is a second one")
        if isinstance(event, yaml.CollectionEndEvent):
            node, parts = open_nodes.pop()
            _close(node, parts)
            continue
        if isinstance(event, yaml.AliasEvent):
            found = anchors.get(str(event.anchor))
            if found is None:
                raise place.error(f"the alias *{event.anchor} has no anchor before it")
            if any(found is node for node, _ in open_nodes):
                raise place.error(f"the alias *{event.anchor} stands inside of what it repeats")
            node = found
        elif isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)):
            if event.tag is not None:
                raise place.error(f"tags such as {event.tag!r} are not used in model files")
            node = Node(None, source, line)
            if isinstance(event, yaml.ScalarEvent):
                node.value = event.value if event.style else scalar(event.value)
            if event.anchor is not None:
                node.anchored = True
                anchors[event.anchor] = node
        else:
            continue
        count += 1
        if count > MOST_NODES:
            raise place.error(f"there must be at most {MOST_NODES} values in a file")
        if open_nodes:
            if isinstance(open_nodes[-1][0].value, dict) and len(open_nodes[-1][1]) % 2 == 0:
                node = _key(node, event, place)
            open_nodes[-1][1].append(node)
        elif root is None:
            root = node
        if isinstance(event, yaml.CollectionStartEvent):
            if len(open_nodes) >= DEEPEST:
                raise place.error(f"mappings and lists must be nested at most {DEEPEST} deep")
            node.value = {} if isinstance(event, yaml.MappingStartEvent) else []
            open_nodes.append((node, []))
    return root if root is not None else Node(None, source, 1)


def _key(node: Node, event: Any, place: Location) -> Node:
    """A key as a word, as it is written."""
    if not isinstance(getattr(event, "value", None), str):
        raise place.error("a key must be a word")
    return Node(event.value, node.source, place.line)


def _close(node: Node, parts: list[Node]) -> None:
    if isinstance(node.value, list):
        node.value.extend(parts)
        return
    for key, value in zip(parts[::2], parts[1::2], strict=True):
        if key.value in node.value:
            first = node.keys[key.value][1]
            raise Location(node.source, key.line).error(f"the key {key.value!r} is there twice, first in line {first}")
        node.value[key.value] = value
        node.keys[key.value] = (key.source, key.line)


def scalar(text: str) -> Any:
    """What a plain word means."""
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text) if len(text) <= LONGEST_WHOLE else float(text)
    return float(text) if _NUMBER.fullmatch(text) else text
