"""YAML text as a tree of nodes with line numbers.

Scalars are read as in YAML 1.2: ``1e6`` is a number, ``no`` and ``on`` are texts, keys are always texts. Tags and
repeated keys are errors. Texts that are too large, too deep or contain a recursive alias raise an error before they are
expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from carom.errors import ModelError

MAX_CHARACTERS = 32_000_000
"""Length of a text [characters]."""
MAX_NODES = 4_000_000
"""Number of values in a file."""
MAX_DEPTH = 40
"""Depth of nested mappings and lists."""

_INTEGER = re.compile(r"[-+]?[0-9]+")
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_CONSTANTS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **{sign + word: float(f"{sign}inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
}
MAX_INTEGER_LENGTH = 18
"""Length of an integer [characters]; longer ones are read as floats."""


@dataclass
class Node:
    """Value with its location: None, a bool, a number, a text, a list of nodes, or a mapping to nodes.

    ``keys`` contains file and line of each key of a mapping. A node with an anchor is the same object wherever an alias
    repeats it.
    """

    value: Any
    source: str
    line: int
    keys: dict[str, tuple[str, int]] = field(default_factory=dict)
    anchored: bool = False


@dataclass(frozen=True)
class Location:
    """Location in a model file: file, line, and path of keys."""

    source: str
    line: int
    path: str = ""

    def error(self, text: str) -> ModelError:
        """Return an error that begins with this location."""
        prefix = f"{self.source}:{self.line}: "
        return ModelError(f"{prefix}{self.path}: {text}" if self.path else f"{prefix}{text}")

    def entry(self, node: Node, key: str) -> Location:
        """Return the location of the entry ``key`` of a mapping."""
        path = f"{self.path}.{key}" if self.path else key
        return Location(*node.keys.get(key, (node.source, node.line)), path)

    def item(self, node: Node, index: int) -> Location:
        """Return the location of one item of a list."""
        line = node.value[index].line if index < len(node.value) else node.line
        return Location(node.source, line, f"{self.path}[{index}]")


def parse(text: str, source: str) -> Node:
    """Return the tree of a YAML text; ``source`` is its name in messages."""
    import yaml

    start = Location(source, 1)
    if len(text) > MAX_CHARACTERS:
        raise start.error(f"the text must have at most {MAX_CHARACTERS} characters, got {len(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise start.error("the text contains characters that cannot be encoded in UTF-8") from None
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _compose(yaml.parse(text, Loader=loader), source)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        lines = text.splitlines()
        if line <= len(lines) and "\t" in lines[line - 1]:
            raise Location(source, line).error("the line is indented with a tab; use spaces") from None
        raise Location(source, line).error(f"invalid YAML: {error.problem or error.context}") from None
    except yaml.YAMLError as error:
        raise start.error(f"invalid YAML: {' '.join(str(error).split())}") from None


def _compose(events: Iterator[Any], source: str) -> Node:
    """Return the tree of one document from its parser events, without recursion."""
    import yaml

    anchors: dict[str, Node] = {}
    open_nodes: list[tuple[Node, list[Node]]] = []
    root: Node | None = None
    count = 0
    for event in events:
        line = event.start_mark.line + 1
        location = Location(source, line)
        if isinstance(event, yaml.DocumentStartEvent) and root is not None:
            raise location.error("a file must contain one document, got a second one")
        if isinstance(event, yaml.CollectionEndEvent):
            node, parts = open_nodes.pop()
            _close(node, parts)
            continue
        if isinstance(event, yaml.AliasEvent):
            anchored = anchors.get(str(event.anchor))
            if anchored is None:
                raise location.error(f"alias *{event.anchor} must follow its anchor")
            if any(anchored is node for node, _ in open_nodes):
                raise location.error(f"alias *{event.anchor} must not be inside its anchor")
            node = anchored
        elif isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)):
            if event.tag is not None:
                raise location.error(f"tags are not allowed in model files, got {event.tag!r}")
            node = Node(None, source, line)
            if isinstance(event, yaml.ScalarEvent):
                node.value = event.value if event.style else scalar(event.value)
            if event.anchor is not None:
                node.anchored = True
                anchors[event.anchor] = node
        else:
            continue
        count += 1
        if count > MAX_NODES:
            raise location.error(f"a file must contain at most {MAX_NODES} values")
        if open_nodes:
            if isinstance(open_nodes[-1][0].value, dict) and len(open_nodes[-1][1]) % 2 == 0:
                node = _key(node, event, location)
            open_nodes[-1][1].append(node)
        elif root is None:
            root = node
        if isinstance(event, yaml.CollectionStartEvent):
            if len(open_nodes) >= MAX_DEPTH:
                raise location.error(f"mappings and lists must be nested at most {MAX_DEPTH} deep")
            node.value = {} if isinstance(event, yaml.MappingStartEvent) else []
            open_nodes.append((node, []))
    return root if root is not None else Node(None, source, 1)


def _key(node: Node, event: Any, location: Location) -> Node:
    """Return the node of a key, whose value is the text as written."""
    if not isinstance(getattr(event, "value", None), str):
        raise location.error("a key must be a text")
    return Node(event.value, node.source, location.line)


def _close(node: Node, parts: list[Node]) -> None:
    """Fill a list or mapping with its items, or keys and values."""
    if isinstance(node.value, list):
        node.value.extend(parts)
        return
    for key, value in zip(parts[::2], parts[1::2], strict=True):
        if key.value in node.value:
            first = node.keys[key.value][1]
            raise Location(node.source, key.line).error(f"key {key.value!r} is repeated; it is already in line {first}")
        node.value[key.value] = value
        node.keys[key.value] = (key.source, key.line)


def scalar(text: str) -> Any:
    """Return the value of an unquoted scalar."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= MAX_INTEGER_LENGTH else float(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def check_numbers(value: Any, location: Location, with_none: bool = False) -> None:
    """Raise if a value, or an item of nested lists, is not a number; with ``with_none``, items may be missing."""
    for item in value if isinstance(value, list) else (value,):
        if isinstance(item, list):
            check_numbers(item, location, with_none)
        elif isinstance(item, (str, bool)) or (item is None and isinstance(value, list) and not with_none):
            raise location.error(f"must be {'numbers' if isinstance(value, list) else 'a number'}, got {item!r}")
