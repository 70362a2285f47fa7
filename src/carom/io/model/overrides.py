"""Change of values in a document by their path, before the model is built."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError
from carom.io.model.includes import ENTRY_SECTIONS, unknown
from carom.io.model.yaml_reader import Node
from carom.model.system import AXES

OVERRIDE_SOURCE = "<changed>"
"""File name in messages about values that were set by an override."""


def override(document: Node, path: str, value: Any) -> None:
    """Set the value at ``path``: ``contacts.touch.law.restitution``, or ``touch.law.restitution`` for short.

    Names in the path are those of the file and may contain dots; items of lists are given by their index, or by x, y
    and z. All parts of the path except the last one must exist. If several elements use one object, it is changed for
    all of them.
    """
    node, remaining = _start_of(document, path)
    while True:
        key, rest = _next_key(node, remaining, path)
        if not rest:
            break
        node, remaining = _child(node, key), rest
    if isinstance(node.value, list):
        node.value[int(key)] = _to_node(value)
        return
    node.value[key] = _to_node(value)
    node.keys[key] = (OVERRIDE_SOURCE, 1)


def _start_of(document: Node, path: str) -> tuple[Node, str]:
    """Return the mapping in which the path starts: the document, or the section with an entry of its first name."""
    if path.split(".", 1)[0] in document.value:
        return document, path
    sections = {
        key: document.value[key] for key in ENTRY_SECTIONS if key in document.value and document.value[key].value
    }
    matches = [section for section, node in sections.items() if section != "start" and _matching_keys(node, path)]
    if len(matches) == 1:
        return sections[matches[0]], path
    if matches:
        paths = " or ".join(f"{section}.{path}" for section in matches)
        raise ModelError(f"{path}: the name occurs in several sections; use {paths}")
    names = [name for node in sections.values() for name in node.value]
    raise ModelError(f"{path}: {unknown('entry', path.split('.', 1)[0], [*document.value, *names])}")


def _matching_keys(node: Node, remaining: str) -> list[str]:
    """Return the keys with which the remaining path may start, longest first."""
    return sorted(
        (key for key in node.value if remaining == key or remaining.startswith(f"{key}.")), key=len, reverse=True
    )


def _next_key(node: Node, remaining: str, path: str) -> tuple[str, str]:
    """Return the next key of the path and the remaining path."""
    first, _, rest = remaining.partition(".")
    if isinstance(node.value, list):
        first = str(AXES.index(first)) if first in AXES else first
        if not first.isdecimal() or int(first) >= len(node.value):
            raise ModelError(f"{path}: the index of an item must lie in 0 to {len(node.value) - 1}, got {first!r}")
        return first, rest
    if not isinstance(node.value, dict):
        raise ModelError(f"{path}: the value {node.value!r} has no entry {remaining!r}")
    known = _matching_keys(node, remaining)
    if known:
        return known[0], remaining[len(known[0]) + 1 :]
    if rest:
        raise ModelError(f"{path}: {unknown('entry', first, node.value)}")
    return first, ""  # The reader checks new keys.


def _child(node: Node, key: str) -> Node:
    """Return an item of a list or an entry of a mapping."""
    child: Node = node.value[int(key)] if isinstance(node.value, list) else node.value[key]
    return child


def _to_node(value: Any) -> Node:
    """Return a value as a node."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return Node([_to_node(item) for item in value], OVERRIDE_SOURCE, 1)
    if isinstance(value, dict):
        keys = {str(key): (OVERRIDE_SOURCE, 1) for key in value}
        return Node({str(key): _to_node(item) for key, item in value.items()}, OVERRIDE_SOURCE, 1, keys)
    if value is None or isinstance(value, (bool, int, float, str)):
        return Node(value, OVERRIDE_SOURCE, 1)
    raise ModelError(f"{value!r} cannot be written in a model file")
