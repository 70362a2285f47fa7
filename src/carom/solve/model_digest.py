"""Digest of a compiled model, to recognise the model of a checkpoint."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from carom.result.column_info import BodyInfo, ElementInfo
from carom.solve.node_batches import ResultMetadata

ADDRESSES = 2.0**32, 2.0**48
"""Range of integers that may be addresses."""


def digest(metadata: ResultMetadata, numbers: Iterable[Any]) -> str:
    """Return the digest of the names and kinds in ``metadata``, and of all ``numbers``, to the last bit.

    Addresses among the parameters of elements are left out: they differ between processes.
    """
    total = hashlib.sha256(f"{metadata.name} {metadata.dim}".encode())
    parts: list[BodyInfo | ElementInfo] = [*metadata.bodies, *metadata.elements]
    for part in parts:
        total.update(repr(part).encode())
    for array in numbers:
        values = np.array(array)
        values[(values >= ADDRESSES[0]) & (values < ADDRESSES[1]) & (values == np.floor(values))] = 0
        total.update(f"{values.dtype} {values.shape}".encode())
        total.update(values.tobytes())
    return total.hexdigest()
