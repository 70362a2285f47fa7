"""MuJoCo documents (MJCF): safe parsing, default classes, compiler options and frames."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring

import numpy as np

from carom.errors import ModelError
from carom.geometry.rotation import about, frame_along, matrix_of

MAX_BYTES, MAX_DEPTH = 1 << 25, 200
"""Size of a file [bytes], and nesting of its elements."""
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
TRUE = ("true", "auto")


class MjcfDocument:
    """Root of a document with its default classes and compiler options; ``not_imported`` counts what is left out."""

    def __init__(self, owner: str, path: Path):
        self.owner, self.path = owner, path
        self.root = parse(owner, path)
        self.not_imported: Counter[str] = Counter()
        compiler: dict[str, str] = {}
        for element in self.root.findall("compiler"):
            compiler |= element.attrib
        self.in_degrees = compiler.get("angle", "degree") != "radian"
        self.euler_sequence = compiler.get("eulerseq", "xyz")
        self.infers_limits = compiler.get("autolimits", "true") == "true"
        self.inertia_from_geoms = compiler.get("inertiafromgeom", "auto")
        self.mesh_folder = path.parent / compiler.get("meshdir", compiler.get("assetdir", ""))
        if compiler.get("coordinate", "local") != "local":
            raise ModelError(f"{owner}: compiler coordinate must be 'local', got {compiler['coordinate']!r}")
        if len(self.euler_sequence) != 3 or any(axis.lower() not in AXES for axis in self.euler_sequence):
            raise ModelError(f"{owner}: compiler eulerseq must be three of x, y, z, got {self.euler_sequence!r}")
        for what in ("settotalmass", "boundmass", "boundinertia", "balanceinertia"):
            if compiler.get(what, "-1") not in ("-1", "0", "false"):
                self.not_imported[f"compiler {what}"] += 1
        self.defaults: dict[str, dict[str, dict[str, str]]] = {"main": {}}
        for element in self.root.findall("default"):
            self._add_defaults(element, {})

    def _add_defaults(self, element: Element, inherited: dict[str, dict[str, str]]) -> None:
        """Add a default class and those inside it."""
        values = {tag: dict(attributes) for tag, attributes in inherited.items()}
        for child in element:
            if child.tag != "default":
                values[child.tag] = values.get(child.tag, {}) | child.attrib
        self.defaults[element.get("class", "main")] = values
        for child in element.findall("default"):
            self._add_defaults(child, values)

    def attributes(self, element: Element, class_name: str) -> dict[str, str]:
        """Return the attributes of an element with those of its default class."""
        name = element.get("class", class_name)
        if name not in self.defaults:
            raise ModelError(f"{self.owner}: unknown default class {name!r}")
        return self.defaults[name].get(element.tag, {}) | element.attrib

    def numbers(self, attributes: dict[str, str], key: str, default: Any, count: int | None = None) -> np.ndarray:
        """Return the numbers of an attribute; ``count`` of them."""
        text = attributes.get(key)
        try:
            values = np.array(default if text is None else [float(part) for part in text.split()], float)
        except ValueError:
            raise ModelError(f"{self.owner}: {key} must be numbers, got {text!r}") from None
        if not np.all(np.isfinite(values)) or (count is not None and values.size != count):
            raise ModelError(f"{self.owner}: {key} must be {count or 'finite'} numbers, got {text!r}")
        return values

    def number(self, attributes: dict[str, str], key: str, default: float = 0.0) -> float:
        """Return the number of an attribute."""
        return float(self.numbers(attributes, key, [default], 1)[0])

    def note(self, attributes: dict[str, str], names: Sequence[str], owner: str) -> None:
        """Note the attributes of an element that are not imported, unless they have no effect."""
        for name in names:
            if set(attributes.get(name, "0").split()) - {"0", "0.0", "false"}:
                self.not_imported[f"the {name} of {owner}"] += 1

    def angle(self, value: float) -> float:
        """Return an angle of the document in radians."""
        return math.radians(value) if self.in_degrees else value

    def rotation(self, attributes: dict[str, str]) -> np.ndarray:
        """Return the rotation matrix of an orientation in any of its forms."""
        if "quat" in attributes:
            quaternion = self.numbers(attributes, "quat", [], 4)
            return matrix_of(quaternion / self._length("quat", quaternion))
        if "axisangle" in attributes:
            *axis, angle = self.numbers(attributes, "axisangle", [], 4)
            return matrix_of(about(np.array(axis) / self._length("axisangle", axis), self.angle(float(angle))))
        if "euler" in attributes:
            matrix = np.eye(3)
            for letter, value in zip(self.euler_sequence, self.numbers(attributes, "euler", [], 3), strict=True):
                part = matrix_of(about(AXES[letter.lower()], self.angle(float(value))))
                matrix = matrix @ part if letter.islower() else part @ matrix
            return matrix
        if "xyaxes" in attributes:
            both = self.numbers(attributes, "xyaxes", [], 6)
            x = both[:3] / self._length("xyaxes", both[:3])
            y = both[3:] - (both[3:] @ x) * x
            y = y / self._length("xyaxes", y)
            return np.column_stack([x, y, np.cross(x, y)])
        if "zaxis" in attributes:
            return rotation_to(self.numbers(attributes, "zaxis", [], 3) / self._length("zaxis", attributes["zaxis"]))
        return np.eye(3)

    def _length(self, what: str, values: Any) -> float:
        numbers = [float(part) for part in values.split()] if isinstance(values, str) else values
        length = float(np.linalg.norm(numbers))
        if not length > 0.0:
            raise ModelError(f"{self.owner}: {what} must not be zero")
        return length

    def frame(self, attributes: dict[str, str]) -> np.ndarray:
        """Return the homogeneous transformation of position and orientation."""
        frame = np.eye(4)
        frame[:3, :3] = self.rotation(attributes)
        frame[:3, 3] = self.numbers(attributes, "pos", [0.0, 0.0, 0.0], 3)
        return frame

    def message(self) -> str | None:
        """Return what was not imported, as text; None if there is nothing."""
        items = [item if count == 1 else f"{item} ({count} times)" for item, count in self.not_imported.items()]
        return f"{self.owner}: not imported: {', '.join(items)}" if items else None


def rotation_to(direction: np.ndarray) -> np.ndarray:
    """Return the smallest rotation of the z-axis to a unit vector."""
    axis = np.cross((0.0, 0.0, 1.0), direction)
    length = float(np.linalg.norm(axis))
    if length < 1e-12:
        return np.eye(3) if direction[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    return matrix_of(about(axis / length, math.atan2(length, float(direction[2]))))


def axis_frame(axis: np.ndarray) -> np.ndarray:
    """Return the homogeneous transformation of a frame with its z-axis along ``axis``."""
    frame = np.eye(4)
    frame[:3, :3] = frame_along(axis)
    return frame


def parse(owner: str, path: Path) -> Element:
    """Return the root of a file; raise for entities, which may read other files or expand to very long texts."""
    if path.stat().st_size > MAX_BYTES:
        raise ModelError(f"{owner}: must have at most {MAX_BYTES >> 20} MB, got {path.stat().st_size >> 20} MB")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ModelError(f"{owner}: must be a text in UTF-8") from None
    if "<!DOCTYPE" in text.upper() or "<!ENTITY" in text.upper():
        raise ModelError(f"{owner}: must not contain a DOCTYPE or entities")
    try:
        root = fromstring(text)
    except (ParseError, ValueError) as error:
        raise ModelError(f"{owner}: cannot read the file: {' '.join(str(error).split())[:200]}") from None
    if root.tag != "mujoco":
        raise ModelError(f"{owner}: the root must be <mujoco>, got <{root.tag}>")
    level, depth = [root], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise ModelError(f"{owner}: elements must be nested at most {MAX_DEPTH} deep")
        level = [child for element in level for child in element]
    if root.find(".//include") is not None:
        raise ModelError(f"{owner}: include is not supported; save the model as one file first")
    return root
