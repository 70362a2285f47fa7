"""A shape and a union of others: the closest of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from carom.geometry.pairs.base import CONTACT_POINT, FAR, GAP, NORMAL_AT, PAIR_OUT, POINT_A, POINT_B
from carom.kernels import PAIR, call_pair, kernel, offset

if TYPE_CHECKING:
    from carom.geometry.pairs.registry import Pairing

# Memory: what the last pair that was asked gave, then the memories of all of them.
# Parameters: the number of pairs; for each the address of its kernel, whether it has the shapes in the other order, and
# where its parameters and its memory begin; then the parameters of all of them.
COUNT, FIRST, ENTRY = 0, 1, 4
ADDRESS, SWAPPED, PARAMETERS, MEMORY = range(ENTRY)


@kernel(PAIR)
def union(pose_a, pose_b, par, memory, out):
    out[GAP] = 2.0 * FAR
    found = memory
    for k in range(int(par[COUNT])):
        entry = offset(par, FIRST + ENTRY * k)
        own = offset(memory, int(entry[MEMORY]))
        numbers = offset(par, int(entry[PARAMETERS]))
        swapped = entry[SWAPPED] != 0.0
        if swapped:
            call_pair(int(entry[ADDRESS]), pose_b, pose_a, numbers, own, found)
        else:
            call_pair(int(entry[ADDRESS]), pose_a, pose_b, numbers, own, found)
        if found[GAP] < out[GAP]:
            first = POINT_B if swapped else POINT_A
            second = POINT_A if swapped else POINT_B
            out[GAP] = found[GAP]
            for d in range(3):
                out[NORMAL_AT + d] = 0.0 - found[NORMAL_AT + d] if swapped else found[NORMAL_AT + d]
                out[POINT_A + d] = found[first + d]
                out[POINT_B + d] = found[second + d]
                out[CONTACT_POINT + d] = found[CONTACT_POINT + d]


def unite(pairings: Sequence[Pairing]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Parameters and memory of a union, from those of its pairs."""
    table: list[float] = [float(len(pairings))]
    numbers: list[float] = []
    memory: list[float] = [0.0] * PAIR_OUT
    start = FIRST + ENTRY * len(pairings)
    for pairing in pairings:
        table += [float(pairing.kernel.address), float(pairing.swapped)]
        table += [float(start + len(numbers)), float(len(memory))]
        numbers += pairing.parameters
        memory += pairing.memory
    return (*table, *numbers), tuple(memory)
