"""Files of glTF 2.0: JSON text and one block of numbers, together in a binary file (.glb) or as text (.gltf)."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import numpy as np

MAGIC, VERSION = 0x46546C67, 2
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
ARRAY_BUFFER, ELEMENT_BUFFER = 34962, 34963
"""Targets of buffer views: vertices and faces."""
COMPONENT_TYPES = {"f": (5126, "<f4"), "u": (5125, "<u4")}
"""Number types of glTF and NumPy by the kind of an array."""
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


class GlbFile:
    """Document of glTF with its numbers; ``add_array`` stores an array and returns the index of its accessor."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = {"accessors": [], "bufferViews": []}
        self._blocks: list[bytes] = []
        self._length = 0

    def add(self, family: str, item: dict[str, Any]) -> int:
        """Append an item to a list of the document, such as "nodes"; return its index."""
        items = self.document.setdefault(family, [])
        items.append(item)
        return len(items) - 1

    def add_array(self, values: np.ndarray, target: int | None = None) -> int:
        """Store numbers (n,), (n, 3) or (n, 4) with their range; return the index of the accessor."""
        component, kind = COMPONENT_TYPES["f" if values.dtype.kind == "f" else "u"]
        array = np.ascontiguousarray(values, kind)
        data = array.tobytes()
        view = {"buffer": 0, "byteOffset": self._length, "byteLength": len(data)}
        self._blocks.append(data)
        self._length += len(data)  # All numbers have four bytes, so that every block is aligned.
        columns = array.reshape(len(array), -1)
        return self.add("accessors", {
            "bufferView": self.add("bufferViews", view if target is None else {**view, "target": target}),
            "componentType": component, "count": len(array), "type": KINDS[columns.shape[1]],
            "min": columns.min(axis=0).tolist(), "max": columns.max(axis=0).tolist(),
        })  # fmt: skip

    def to_glb(self) -> bytes:
        """Return the contents of a binary file."""
        numbers = b"".join(self._blocks)
        text = json.dumps({**self.document, "buffers": [{"byteLength": len(numbers)}]}, allow_nan=False).encode()
        text += b" " * (-len(text) % 4)
        length = 12 + 8 + len(text) + 8 + len(numbers)
        return b"".join((
            struct.pack("<III", MAGIC, VERSION, length),
            struct.pack("<II", len(text), JSON_CHUNK), text,
            struct.pack("<II", len(numbers), BINARY_CHUNK), numbers,
        ))  # fmt: skip

    def to_gltf(self) -> bytes:
        """Return the contents of a text file, with the numbers in base64."""
        numbers = b"".join(self._blocks)
        uri = f"data:application/octet-stream;base64,{base64.b64encode(numbers).decode('ascii')}"
        buffers = [{"byteLength": len(numbers), "uri": uri}]
        return json.dumps({**self.document, "buffers": buffers}, allow_nan=False).encode()
