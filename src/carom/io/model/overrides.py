"""Values of a document by their path, to be changed before it is read."""

from __future__ import annotations

from typing import Any

from carom.errors import ModelError
from carom.io.model.includes import ENTRIES, unknown
from carom.io.model.yaml_reader import Node

ADDED = "<changed>"
"""The file that messages name for values that no file holds."""


def change(document: Node, path: str, value: Any) -> None:
    """Put ``value`` where ``path`` leads: ``contacts.touch.law.restitution``, or ``touch.law.restitution`` for short.

    Names are those of the file and may have dots themselves; items of lists have their number. All of the path but its
    end must be there. An object that several elements share is changed for all of them.
    """
    node, left = _entry(document, path)
    while True:
        key, rest = _step(node, left, path)
        if not rest:
            break
        node, left = _inside(node, key), rest
    if isinstance(node.value, list):
        node.value[int(key)] = _node(value)
        return
    node.value[key] = _node(value)
    node.keys[key] = (ADDED, 1)


def _entry(document: Node, path: str) -> tuple[Node, str]:
    """The mapping in which the path begins: the document, or the one section with an entry of its first name."""
    if path.split(".", 1)[0] in document.value:
        return document, path
    sections = {key: document.value[key] for key in ENTRIES if key in document.value and document.value[key].value}
    found = [section for section, node in sections.items() if section != "start" and _names(node, path)]
    if len(found) == 1:
        return sections[found[0]], path
    if found:
        ways = " or ".join(f"{section}.{path}" for section in found)
        raise ModelError(f"{path!r} may be in several sections; say {ways}")
    names = [name for node in sections.values() for name in node.value]
    raise ModelError(f"{path}: {unknown('entry', path.split('.', 1)[0], [*document.value, *names])}")


def _names(node: Node, left: str) -> list[str]:
    """The keys that the path may go on with, the longest first."""
    return sorted((key for key in node.value if left == key or left.startswith(f"{key}.")), key=len, reverse=True)


def _step(node: Node, left: str, path: str) -> tuple[str, str]:
    """The next name of the path, and what is left after it."""
    first, _, rest = left.partition(".")
    if isinstance(node.value, list):
        if not first.isdecimal() or int(first) >= len(node.value):
            raise ModelError(f"{path}: {first!r} must be the number of an item, 0 to {len(node.value) - 1}")
        return first, rest
    if not isinstance(node.value, dict):
        raise ModelError(f"{path}: there is nothing inside the value {node.value!r}, so no {left!r}")
    known = _names(node, left)
    if known:
        return known[0], left[len(known[0]) + 1 :]
    if rest:
        raise ModelError(f"{path}: {unknown('entry', first, node.value)}")
    return first, ""  # a new key; the reader says whether it is one


def _inside(node: Node, key: str) -> Node:
    found: Node = node.value[int(key)] if isinstance(node.value, list) else node.value[key]
    return found


def _node(value: Any) -> Node:
    """A value as the document has it."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return Node([_node(item) for item in value], ADDED, 1)
    if isinstance(value, dict):
        keys = {str(key): (ADDED, 1) for key in value}
        return Node({str(key): _node(item) for key, item in value.items()}, ADDED, 1, keys)
    if value is None or isinstance(value, (bool, int, float, str)):
        return Node(value, ADDED, 1)
    raise ModelError(f"{value!r} has no form in a model file")
