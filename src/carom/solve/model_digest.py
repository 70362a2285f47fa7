"""Whether two models are the same: a digest of what the solvers are given."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from carom.result.column_info import BodyInfo, ElementInfo
from carom.solve.node_batches import ResultMetadata

ADDRESSES = 2.0**32, 2.0**48
"""Whole numbers that may be addresses."""


def digest(head: ResultMetadata, numbers: Iterable[Any]) -> str:
    """Of the names and kinds of everything in ``head``, and of all ``numbers``, to the last bit.

    Among the parameters of elements are addresses, which are others in every process: they do not count.
    """
    total = hashlib.sha256(f"{head.name} {head.dim}".encode())
    parts: list[BodyInfo | ElementInfo] = [*head.bodies, *head.elements]
    for part in parts:
        total.update(repr(part).encode())
    for array in numbers:
        whole = np.array(array)
        whole[(whole >= ADDRESSES[0]) & (whole < ADDRESSES[1]) & (whole == np.floor(whole))] = 0
        total.update(f"{whole.dtype} {whole.shape}".encode())
        total.update(whole.tobytes())
    return total.hexdigest()
