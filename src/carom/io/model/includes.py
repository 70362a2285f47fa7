"""Files of a model: the one that is opened, and what it includes, put together as one document.

What a file includes are relative paths within the folder of the file that was opened. Files of data, meshes and lookup
tables, are relative to that folder, or absolute.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from carom.errors import ModelError, file_name, readable_file, shown
from carom.io.model.constructor_schema import SECTIONS
from carom.io.model.yaml_reader import LARGEST, Location, Node, parse

VERSION = 1
ENTRIES = ("bodies", "shapes", *SECTIONS, "start")
"""Sections whose entries are each there once, wherever they stand."""
SETTINGS = ("parameters", "run")
"""Sections whose entries an including file may set anew."""
VALUES = ("carom", "name", "dim", "gravity", "assemble", "lagrangian")
TOP = (*VALUES[:4], "include", *SETTINGS[:1], *ENTRIES, "assemble", "lagrangian", "run")
"""What may stand in a file."""

DEEPEST, MOST = 8, 100
"""Files that include each other, and files of a model."""


class ModelSource:
    """Where a model comes from: a file, or a text, whose folder is then the current one."""

    def __init__(self, path_or_text: Any):
        self.path: Path | None = None
        self.folder, self.text = Path.cwd(), ""
        if isinstance(path_or_text, str) and "\n" in path_or_text:
            self.text = path_or_text
        elif isinstance(path_or_text, (str, os.PathLike)):
            self.path = file_name("from_yaml: what is not a text of several lines", path_or_text)
            self.folder = self.path.parent
        else:
            raise ModelError(f"from_yaml: expected a path or a text of several lines, got {shown(path_or_text)}")
        self._count = 0

    def document(self) -> Node:
        """The whole model as one mapping."""
        if self.path is None:
            return self._with_includes(parse(self.text, "<text>"), ())
        return self._with_includes(self._open(self.path, str(self.path), None), (self.path.resolve(),))

    def data(self, name: Any, place: Location) -> Path:
        """The path of a file of data."""
        if not isinstance(name, str) or not name.strip() or "\0" in name or "://" in name:
            raise place.error(f"must be the name of a file, got {name!r}")
        path = self.folder / name
        if not self._checked(path, place).is_file():
            raise place.error(f"there is no file {path}")
        return path

    def file(self, name: Any, place: Location) -> Path:
        """The path of a model file to include."""
        if not isinstance(name, str) or not name.strip() or "\0" in name:
            raise place.error(f"must be the name of a file, got {name!r}")
        if "://" in name or PurePosixPath(name).is_absolute() or Path(name).is_absolute():
            raise place.error(f"must be a relative path in the folder of the model, got {name!r}")
        root = self.folder.resolve()
        path = self._checked(root / name, place).resolve()
        if not path.is_relative_to(root):
            raise place.error(f"must lie in the folder of the model, got {name!r}")
        return self.folder / name

    def _checked(self, path: Path, place: Location) -> Path:
        try:
            return file_name("the name", path)
        except ModelError as trouble:
            raise place.error(str(trouble)) from None

    def _open(self, path: Path, shown: str, place: Location | None) -> Node:
        self._count += 1
        try:
            readable_file("a model", path)
        except ModelError as trouble:
            if place is None:
                raise
            raise place.error(str(trouble)) from None
        try:
            if path.stat().st_size > 4 * LARGEST:
                raise Location(shown, 1).error("the file is too large for a model")
            text = path.read_text("utf-8-sig")
        except UnicodeDecodeError:
            raise Location(shown, 1).error("the file is no text in UTF-8") from None
        except OSError as trouble:
            text = f"cannot read {shown}: {trouble.strerror or trouble}"
            raise (ModelError(text) if place is None else place.error(text)) from None
        return parse(text, shown)

    def _with_includes(self, node: Node, above: tuple[Path, ...]) -> Node:
        """A file's sections after those of the files it includes."""
        start = Location(node.source, node.line)
        if not isinstance(node.value, dict):
            raise start.error(f"a model file is a mapping with {', '.join(TOP)}")
        for key in node.value:
            if key not in TOP:
                raise start.entry(node, key).error(unknown("section", key, TOP))
        check_version(node, start, needed=len(above) < 2)
        whole = Node({}, node.source, node.line)
        included = node.value.get("include")
        if included is not None and included.value is not None:
            place = start.entry(node, "include")
            names = included.value if isinstance(included.value, list) else [included]
            for k, name in enumerate(names):
                here = place.item(included, k) if isinstance(included.value, list) else place
                path = self.file(name.value, here)
                if path.resolve() in above:
                    raise here.error(f"{name.value} includes itself")
                if len(above) >= DEEPEST or self._count >= MOST:
                    raise here.error(f"files may include each other {DEEPEST} deep, {MOST} in all")
                part = self._open(path, str(path), here)
                merge(whole, self._with_includes(part, (*above, path.resolve())))
        merge(whole, node)
        return whole


def check_version(node: Node, start: Location, needed: bool) -> None:
    version = node.value.get("carom")
    if version is None:
        if needed:
            raise start.error(f"give the version of the format, carom: {VERSION}")
    elif version.value != VERSION or isinstance(version.value, bool):
        raise start.entry(node, "carom").error(f"must be {VERSION}, the format this carom reads, got {version.value!r}")


def merge(whole: Node, part: Node) -> None:
    """Take the sections of ``part`` into ``whole``."""
    start = Location(part.source, part.line)
    for key, node in part.value.items():
        place = start.entry(part, key)
        if key == "include":
            continue
        whole.keys[key] = part.keys[key]
        if key in VALUES:
            whole.value[key] = node
            continue
        if node.value is None:
            continue
        if not isinstance(node.value, dict):
            raise place.error(f"must be a mapping, got {brief(node)}")
        known = whole.value.setdefault(key, Node({}, node.source, node.line))
        for name, entry in node.value.items():
            if name in known.value and key in ENTRIES:
                raise place.entry(node, name).error("is there already, in {}:{}".format(*known.keys[name]))
            known.value[name] = entry
            known.keys[name] = node.keys[name]


def unknown(what: str, word: str, known: Iterable[str]) -> str:
    """The text for a word that is not known."""
    offered = [*known]
    close = difflib.get_close_matches(word, offered, n=3)
    meant = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(offered)}"
    return f"there is no such {what}; {meant}"


def brief(node: Node) -> str:
    """A value in few words, for messages."""
    if isinstance(node.value, dict):
        return "a mapping"
    if isinstance(node.value, list):
        return "a list"
    text = repr(node.value)
    return text if len(text) <= 60 else f"{text[:57]}..."
