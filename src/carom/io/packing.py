"""Numbers and plain data as bytes, and back, to the last bit; with a sum that shows whether all of it is there."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from carom.io import tagged_json

FRAME = struct.Struct("<4sIQI")
"""Of a record: the mark, its kind, the length of what follows, and the sum over all of it."""
MARK = b"crm1"
_LENGTH = struct.Struct("<Q")


def pack(plain: Any, arrays: Mapping[str, np.ndarray]) -> bytes:
    """Plain data and arrays as one text of bytes."""
    described, contents = {}, []
    for name, array in arrays.items():
        whole = np.ascontiguousarray(array)
        described[name] = [whole.dtype.str, list(np.shape(array))]
        contents.append(whole.tobytes())
    head = tagged_json.dumps({"plain": plain, "arrays": described}).encode()
    return b"".join([_LENGTH.pack(len(head)), head, *contents])


def unpack(content: bytes) -> tuple[Any, dict[str, np.ndarray]]:
    """What `pack` was given."""
    (length,) = _LENGTH.unpack_from(content)
    at = _LENGTH.size + length
    head = tagged_json.loads(content[_LENGTH.size : at])
    arrays = {}
    for name, (kind, shape) in head["arrays"].items():
        if np.dtype(kind).kind not in "fiub" or not all(isinstance(size, int) and size >= 0 for size in shape):
            raise ValueError(f"{name} must be an array of numbers, got {kind} and {shape}")
        count = math.prod(shape)
        arrays[name] = np.frombuffer(content, kind, count, at).reshape(shape).copy()
        at += arrays[name].nbytes
    return head["plain"], arrays


def frame(kind: int, content: bytes) -> bytes:
    """``content`` as a record of a file."""
    return FRAME.pack(MARK, kind, len(content), _sum(kind, content)) + content


def next_frame(stream: BinaryIO) -> tuple[int, bytes] | None:
    """The record that begins where ``stream`` is; None where no whole one does."""
    head = stream.read(FRAME.size)
    if len(head) < FRAME.size:
        return None
    mark, kind, length, total = FRAME.unpack(head)
    if mark != MARK:
        return None
    at = stream.tell()
    left = stream.seek(0, 2) - at
    stream.seek(at)
    if length > left:  # a record that was never finished, or a length that is none
        return None
    content = stream.read(length)
    return (kind, content) if _sum(kind, content) == total else None


def _sum(kind: int, content: bytes) -> int:
    return zlib.crc32(content, zlib.crc32(struct.pack("<IQ", kind, len(content))))
