"""Framed binary records with checksum: plain data and arrays as bytes, restored bit for bit."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

from carom.io import tagged_json

FRAME = struct.Struct("<4sIQI")
"""Header of a record: magic bytes, kind, length of the content [bytes], checksum."""
MAGIC = b"crm1"
_LENGTH = struct.Struct("<Q")


def pack(plain: Any, arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return plain data and named arrays as bytes."""
    descriptions, contents = {}, []
    for name, array in arrays.items():
        contiguous = np.ascontiguousarray(array)
        descriptions[name] = [contiguous.dtype.str, list(np.shape(array))]
        contents.append(contiguous.tobytes())
    head = tagged_json.dumps({"plain": plain, "arrays": descriptions}).encode()
    return b"".join([_LENGTH.pack(len(head)), head, *contents])


def unpack(content: bytes) -> tuple[Any, dict[str, np.ndarray]]:
    """Return the plain data and arrays that `pack` wrote."""
    (length,) = _LENGTH.unpack_from(content)
    offset = _LENGTH.size + length
    head = tagged_json.loads(content[_LENGTH.size : offset])
    arrays = {}
    for name, (dtype, shape) in head["arrays"].items():
        if np.dtype(dtype).kind not in "fiub" or not all(isinstance(size, int) and size >= 0 for size in shape):
            raise ValueError(f"{name} must be an array of numbers, got dtype {dtype} and shape {shape}")
        count = math.prod(shape)
        arrays[name] = np.frombuffer(content, dtype, count, offset).reshape(shape).copy()
        offset += arrays[name].nbytes
    return head["plain"], arrays


def frame(kind: int, content: bytes) -> bytes:
    """Return ``content`` with the header of a record in front."""
    return FRAME.pack(MAGIC, kind, len(content), _checksum(kind, content)) + content


def next_frame(stream: BinaryIO) -> tuple[int, bytes] | None:
    """Read kind and content of the record at the position of ``stream``; None if it is incomplete or damaged."""
    head = stream.read(FRAME.size)
    if len(head) < FRAME.size:
        return None
    magic, kind, length, checksum = FRAME.unpack(head)
    if magic != MAGIC:
        return None
    start = stream.tell()
    remaining = stream.seek(0, 2) - start
    stream.seek(start)
    if length > remaining:  # The record was not completed, or its length is damaged.
        return None
    content = stream.read(length)
    return (kind, content) if _checksum(kind, content) == checksum else None


def _checksum(kind: int, content: bytes) -> int:
    """Return the CRC-32 of kind, length and content."""
    return zlib.crc32(content, zlib.crc32(struct.pack("<IQ", kind, len(content))))
