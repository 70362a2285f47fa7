"""Shape and union of shapes: the closest pair counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from carom.geometry.pairs.base import NO_CONTACT, PAIR_OUTPUT, pair_kernel
from carom.kernels import address_of, call_pair, floats, offset, record

if TYPE_CHECKING:
    from carom.geometry.pairs.registry import Pairing

PARAMS = record("n_pairs")
"""Number of pairs; then one `ENTRY` per pair; then the parameters of all pairs."""
ENTRY = record("pair_kernel  is_swapped  params_offset  warm_start_offset")
"""Address of the kernel, 1.0 for shapes in reverse order, and where parameters and warm start of the pair begin."""
ENTRY_SIZE = ENTRY.size


@pair_kernel(PARAMS, PAIR_OUTPUT)
def union(pose_a, pose_b, params, candidate, out):
    """Compute the contact of a shape (a) with the closest shape of a union (b).

    The warm start holds the output of the current pair, then the warm starts of all pairs.
    """
    numbers = floats(address_of(params))
    warm_starts = floats(address_of(candidate))
    out.gap = 2.0 * NO_CONTACT
    for k in range(int(params.n_pairs)):
        entry = ENTRY(offset(numbers, 1 + ENTRY_SIZE * k))
        pair_params = offset(numbers, int(entry.params_offset))
        warm_start = offset(warm_starts, int(entry.warm_start_offset))
        is_swapped = entry.is_swapped != 0.0
        if is_swapped:
            call_pair(int(entry.pair_kernel), pose_b, pose_a, pair_params, warm_start, candidate)
        else:
            call_pair(int(entry.pair_kernel), pose_a, pose_b, pair_params, warm_start, candidate)
        if candidate.gap < out.gap:
            out.gap = candidate.gap
            for d in range(3):
                normal = candidate.normal[d]
                out.normal[d] = 0.0 - normal if is_swapped else normal
                out.point_a[d] = candidate.point_b[d] if is_swapped else candidate.point_a[d]
                out.point_b[d] = candidate.point_a[d] if is_swapped else candidate.point_b[d]
                out.force_point[d] = candidate.force_point[d]


def unite(pairings: Sequence[Pairing]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return parameters and warm start of a union from those of its pairs."""
    header: list[float] = [float(len(pairings))]
    parameters: list[float] = []
    warm_start: list[float] = [0.0] * PAIR_OUTPUT.size
    start = len(PARAMS) + ENTRY.size * len(pairings)
    for pairing in pairings:
        header += [float(pairing.kernel.address), float(pairing.swapped)]
        header += [float(start + len(parameters)), float(len(warm_start))]
        parameters += pairing.parameters
        warm_start += pairing.warm_start
    return (*header, *parameters), tuple(warm_start)
