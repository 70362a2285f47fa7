"""Random packings without overlaps, by random sequential addition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from carom.argument_checks import integer, non_negative, open_fraction, short_repr
from carom.errors import ModelError
from carom.model.packing.lattice import MAX_COUNT
from carom.model.packing.packing import Packing, checked_box, sphere_volumes
from carom.model.packing.size_distributions import SizeDistribution, radius_distribution
from carom.model.packing.sphere_cells import SphereCells, in_space
from carom.typing import VectorLike

BLOCK = 4096
"""Spheres that are placed together, and candidate positions of one round."""
MAX_TRIES = 20_000
"""Mean number of candidate positions per sphere of a block, after which the packing counts as full."""
REGION_POINTS = 1 << 17
"""Random points from which the volume of a region is estimated."""

Region = Callable[[np.ndarray, np.ndarray], Any]
"""Function of centres (n × dim) [m] and radii (n,) [m] that returns True for each sphere inside the region."""


def random(
    *,
    box: tuple[VectorLike, VectorLike],
    radius: float | SizeDistribution,
    count: int | None = None,
    fraction: float | None = None,
    region: Region | None = None,
    gap: float = 0.0,
    seed: int = 0,
) -> Packing:
    """Return spheres, or discs in 2D, at random positions without overlaps.

    Spheres are added one after another, the largest first, at positions uniformly distributed in the ``box`` (lower and
    upper corner [m]), and kept where they overlap no other one (random sequential addition). All lie inside the box, at
    least ``gap`` [m] apart. Set their ``count``, or the packing ``fraction`` [-] of the box. ``radius`` is a number [m]
    or a size distribution. The result is the same for the same ``seed``.

    ``region(centres, radii)`` returns an array of True for the spheres that lie inside a region of the box, e.g. a
    cylinder; ``fraction`` then refers to the volume of the region, estimated from 131 072 random points.

    Equal spheres reach fractions of about 0.34 (0.38 after infinitely many tries in a large box), equal discs 0.53
    (0.547), mixtures more. Above that, a `ModelError` reports the fraction reached; start from a `lattice`, or let the
    spheres settle in a run.

    Examples
    --------
    >>> import carom as cm
    >>> sizes = cm.packing.uniform(2e-3, 4e-3)
    >>> packing = cm.packing.random(box=((0, 0, 0), (0.1, 0.1, 0.1)), radius=sizes, fraction=0.25)
    >>> bool(abs(packing.fraction - 0.25) < 0.001), packing.largest_overlap() <= 0.0
    (True, True)
    >>> drum = cm.packing.random(
    ...     box=((-1, -1, 0), (1, 1, 2)), radius=0.05, count=1000, seed=3,
    ...     region=lambda centre, radius: centre[:, 0]**2 + centre[:, 1]**2 < (1 - radius)**2,
    ... )
    >>> drum.count
    1000
    """
    owner = "packing.random"
    low, high = checked_box(owner, box)
    dim = len(low)
    gap, sizes = non_negative(owner, "gap", gap), radius_distribution(owner, radius)
    generator = np.random.default_rng(integer(owner, "seed", seed, 0, 2**63 - 1))
    if (count is None) == (fraction is None):
        raise ModelError(
            f"{owner}: set either count or fraction, got count={short_repr(count)}, fraction={short_repr(fraction)}"
        )
    if np.any(high - low < 2.0 * sizes.largest):
        raise ModelError(
            f"{owner}: the box must be at least as wide as the largest sphere, {2.0 * sizes.largest:g} m, got sides of "
            f"{', '.join(f'{side:g}' for side in high - low)} m"
        )
    volume = float(np.prod(high - low))
    if region is not None:
        volume *= _region_share(owner, region, low, high, generator)
    if count is not None:
        radii = sizes.sample(integer(owner, "count", count, 1, MAX_COUNT), generator, dim)
    else:
        radii = _radii_of_fraction(owner, sizes, open_fraction(owner, "fraction", fraction) * volume, dim, generator)
    radii = -np.sort(-radii)
    cells = SphereCells(in_space(low[None])[0], in_space(high[None])[0], radii, gap)
    for start in range(0, len(radii), BLOCK):
        block = np.arange(start, min(start + BLOCK, len(radii)))
        if not _place_block(owner, cells, block, radii, (low, high), region, generator):
            placed = cells.is_placed.astype(bool)
            reached = sphere_volumes(radii[placed], dim).sum() / volume
            wanted = sphere_volumes(radii, dim).sum() / volume
            raise ModelError(
                f"{owner}: {placed.sum()} of {len(radii)} spheres placed, fraction {reached:.3f} of {wanted:.3f}; no "
                f"space found for the others after {MAX_TRIES} tries each; reduce count or fraction, enlarge the box, "
                "or use packing.lattice"
            )
    order = generator.permutation(len(radii))  # so that the order of the bodies does not follow their size
    return Packing(cells.positions[order, :dim], radii[order], volume)


def _place_block(
    owner: str,
    cells: SphereCells,
    block: np.ndarray,
    radii: np.ndarray,
    box: tuple[np.ndarray, np.ndarray],
    region: Region | None,
    generator: np.random.Generator,
) -> bool:
    """Place the spheres of a block at random positions; return False if there is no space for all of them."""
    low, high = box
    tries = 0
    while True:
        remaining = block[cells.is_placed[block] == 0]
        if not len(remaining):
            return True
        if tries > MAX_TRIES * len(block):
            return False
        spheres = np.repeat(remaining, max(BLOCK // len(remaining), 1))
        tries += len(spheres)
        size = radii[spheres, None]
        candidates = low + size + generator.random((len(spheres), len(low))) * (high - low - 2.0 * size)
        if region is not None:
            inside = _inside(owner, region, candidates, radii[spheres])
            spheres, candidates = spheres[inside], candidates[inside]
        cells.insert(in_space(candidates), spheres)


def _inside(owner: str, region: Region, centres: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Return True for each sphere inside the region."""
    if not callable(region):
        raise ModelError(f"{owner}: region must be a function of centres and radii, got {short_repr(region)}")
    inside = np.asarray(region(centres, radii))
    if inside.shape != (len(radii),) or inside.dtype != bool:
        raise ModelError(
            f"{owner}: region(centres, radii) must return an array of {len(radii)} booleans, got shape {inside.shape} "
            f"of {inside.dtype}"
        )
    return inside


def _region_share(
    owner: str, region: Region, low: np.ndarray, high: np.ndarray, generator: np.random.Generator
) -> float:
    """Return the part of the box that lies in the region [-], from random points."""
    points = low + generator.random((REGION_POINTS, len(low))) * (high - low)
    share = float(_inside(owner, region, points, np.zeros(len(points))).mean())
    if share == 0.0:
        raise ModelError(f"{owner}: no point of the box lies in the region; check region(centres, radii) and box")
    return share


def _radii_of_fraction(
    owner: str, sizes: SizeDistribution, volume: float, dim: int, generator: np.random.Generator
) -> np.ndarray:
    """Return random radii [m] whose spheres have the ``volume`` [m³] as nearly as their number allows."""
    mean = float(sphere_volumes(sizes.quantile((np.arange(1000) + 0.5) / 1000, dim), dim).mean())
    if volume / mean > MAX_COUNT:
        raise ModelError(
            f"{owner}: the fraction requires more than {MAX_COUNT} spheres; reduce the box or the fraction"
        )
    radii = sizes.sample(int(1.5 * volume / mean) + 100, generator, dim)
    total = np.cumsum(sphere_volumes(radii, dim))
    while total[-1] < volume:
        radii = np.concatenate([radii, sizes.sample(len(radii), generator, dim)])
        total = np.cumsum(sphere_volumes(radii, dim))
    count = int(np.argmin(np.abs(total - volume))) + 1
    return radii[:count]
