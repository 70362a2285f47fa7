"""Model file and its included files, merged to one document.

The paths in ``include`` are relative to the folder of the opened file and must lie within it. Data files (meshes and
lookup tables) are relative to that folder, or absolute.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from carom.argument_checks import file_path, readable_file, short_repr, similar_names
from carom.errors import ModelError
from carom.io.model.constructor_schema import SECTIONS
from carom.io.model.yaml_reader import MAX_CHARACTERS, Location, Node, parse

VERSION = 1
"""Version of the format."""
ENTRY_SECTIONS = ("inputs", "bodies", "shapes", *SECTIONS, "outputs", "start")
"""Sections with named entries, each of which is defined once in all files."""
REPLACEABLE_SECTIONS = ("parameters", "run")
"""Sections whose entries an including file may replace."""
VALUE_SECTIONS = ("carom", "name", "dim", "gravity", "periodic", "assemble", "lagrangian")
"""Sections that an including file replaces as a whole."""
TOP_LEVEL_KEYS = (
    *VALUE_SECTIONS[:5], "include", "parameters", *ENTRY_SECTIONS, "assemble", "lagrangian", "run"
)  # fmt: skip
"""Keys allowed at the top level of a file."""

MAX_DEPTH = 8
"""Depth of nested includes."""
MAX_FILES = 100
"""Number of files of a model."""


class ModelSource:
    """Source of a model: a file, or a text, whose folder is then the current one."""

    def __init__(self, path_or_text: Any):
        self.path: Path | None = None
        self.folder, self.text = Path.cwd(), ""
        if isinstance(path_or_text, str) and "\n" in path_or_text:
            self.text = path_or_text
        elif isinstance(path_or_text, (str, os.PathLike)):
            self.path = file_path("from_yaml: a text of one line", path_or_text)
            self.folder = self.path.parent
        else:
            raise ModelError(f"from_yaml: expected a path or a text of several lines, got {short_repr(path_or_text)}")
        self.files: list[tuple[str, Path]] = []
        """Names in the model and paths of the included files and data files that were read."""
        self._n_files = 0

    def document(self) -> Node:
        """Return the model with all included files as one mapping."""
        if self.path is None:
            return self._with_includes(parse(self.text, "<text>"), ())
        return self._with_includes(self._open(self.path, str(self.path), None), (self.path.resolve(),))

    def data_path(self, name: Any, location: Location) -> Path:
        """Return the path of a data file."""
        if not isinstance(name, str) or not name.strip() or "\0" in name or "://" in name:
            raise location.error(f"must be the name of a file, got {name!r}")
        path = self.folder / name
        if not self._check_path(path, location).is_file():
            raise location.error(f"file {path} not found")
        self.files.append((name, path))
        return path

    def include_path(self, name: Any, location: Location) -> Path:
        """Return the path of a model file to include."""
        if not isinstance(name, str) or not name.strip() or "\0" in name:
            raise location.error(f"must be the name of a file, got {name!r}")
        if "://" in name or PurePosixPath(name).is_absolute() or Path(name).is_absolute():
            raise location.error(f"must be a relative path in the folder of the model, got {name!r}")
        root = self.folder.resolve()
        path = self._check_path(root / name, location).resolve()
        if not path.is_relative_to(root):
            raise location.error(f"must lie in the folder of the model, got {name!r}")
        self.files.append((name, self.folder / name))
        return self.folder / name

    def _check_path(self, path: Path, location: Location) -> Path:
        try:
            return file_path("the name", path)
        except ModelError as error:
            raise location.error(str(error)) from None

    def _open(self, path: Path, source: str, location: Location | None) -> Node:
        """Return the tree of a file; ``location`` is that of the include, None for the first file."""
        self._n_files += 1
        try:
            readable_file("a model", path)
        except ModelError as error:
            if location is None:
                raise
            raise location.error(str(error)) from None
        try:
            if path.stat().st_size > 4 * MAX_CHARACTERS:
                raise Location(source, 1).error(f"a model file must have at most {4 * MAX_CHARACTERS} bytes")
            text = path.read_text("utf-8-sig")
        except UnicodeDecodeError:
            raise ModelError(f"{source}: not a UTF-8 text file") from None
        except OSError as error:
            text = f"cannot read {source}: {error.strerror or error}"
            raise (ModelError(text) if location is None else location.error(text)) from None
        return parse(text, source)

    def _with_includes(self, node: Node, parents: tuple[Path, ...]) -> Node:
        """Return the sections of a file merged with those of the files it includes; its own sections come last."""
        start = Location(node.source, node.line)
        if not isinstance(node.value, dict):
            raise start.error(f"a model file must be a mapping with {', '.join(TOP_LEVEL_KEYS)}, got {brief(node)}")
        for key in node.value:
            if key not in TOP_LEVEL_KEYS:
                raise start.entry(node, key).error(unknown("section", key, TOP_LEVEL_KEYS))
        check_version(node, start, required=len(parents) < 2)
        combined = Node({}, node.source, node.line)
        include = node.value.get("include")
        if include is not None and include.value is not None:
            location = start.entry(node, "include")
            names = include.value if isinstance(include.value, list) else [include]
            for k, name in enumerate(names):
                name_location = location.item(include, k) if isinstance(include.value, list) else location
                path = self.include_path(name.value, name_location)
                if path.resolve() in parents:
                    raise name_location.error(f"{name.value} includes itself")
                if len(parents) >= MAX_DEPTH or self._n_files >= MAX_FILES:
                    raise name_location.error(f"includes must be at most {MAX_DEPTH} deep, with {MAX_FILES} files")
                included = self._open(path, str(path), name_location)
                merge(combined, self._with_includes(included, (*parents, path.resolve())))
        merge(combined, node)
        return combined


def check_version(node: Node, start: Location, required: bool) -> None:
    """Raise if the format version is unknown, or missing in a file that requires it."""
    version = node.value.get("carom")
    if version is None:
        if required:
            raise start.error(f"the version of the format is missing; add carom: {VERSION}")
    elif version.value != VERSION or isinstance(version.value, bool):
        raise start.entry(node, "carom").error(f"format version must be {VERSION}, got {version.value!r}")


def merge(combined: Node, part: Node) -> None:
    """Add the sections of ``part`` to ``combined``."""
    start = Location(part.source, part.line)
    for key, node in part.value.items():
        location = start.entry(part, key)
        if key == "include":
            continue
        combined.keys[key] = part.keys[key]
        if key in VALUE_SECTIONS:
            combined.value[key] = node
            continue
        if node.value is None:
            continue
        if not isinstance(node.value, dict):
            raise location.error(f"must be a mapping, got {brief(node)}")
        section = combined.value.setdefault(key, Node({}, node.source, node.line))
        for name, entry in node.value.items():
            if name in section.value and key in ENTRY_SECTIONS:
                raise location.entry(node, name).error("is already defined in {}:{}".format(*section.keys[name]))
            section.value[name] = entry
            section.keys[name] = node.keys[name]


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Return the message for an unknown name, with similar names or all ``known`` names."""
    choices = [*known]
    close = similar_names(name, choices)
    advice = f"did you mean {' or '.join(close)}?" if close else f"choose from {', '.join(choices)}"
    return f"unknown {what}; {advice}"


def brief(node: Node) -> str:
    """Return a short text of a value, for messages."""
    if isinstance(node.value, dict):
        return "a mapping"
    if isinstance(node.value, list):
        return "a list"
    text = repr(node.value)
    return text if len(text) <= 60 else f"{text[:57]}..."
