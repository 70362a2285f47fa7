"""Regular packings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, integer, is_list, non_negative, one_of, short_repr, vector
from carom.errors import ModelError
from carom.model.packing.packing import Packing, checked_box
from carom.model.packing.size_distributions import SizeDistribution, radius_distribution
from carom.typing import VectorLike

MAX_COUNT = 10_000_000
"""Largest number of spheres of a packing."""
FIT_TOLERANCE = 1e-9
"""Part of a lattice spacing by which a sphere may exceed a box because of rounding [-]."""

LATTICES: dict[str, tuple[tuple[float, ...], tuple[tuple[float, ...], ...]]] = {
    "square": ((1.0, 1.0), ((0.0, 0.0),)),
    "triangular": ((1.0, math.sqrt(3.0)), ((0.0, 0.0), (0.5, 0.5))),
    "cubic": ((1.0, 1.0, 1.0), ((0.0, 0.0, 0.0),)),
    "fcc": (
        (math.sqrt(2.0),) * 3,
        ((0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 0.0, 0.5), (0.0, 0.5, 0.5)),
    ),
    "hexagonal": (
        (1.0, math.sqrt(3.0), math.sqrt(8.0 / 3.0)),
        ((0.0, 0.0, 0.0), (0.5, 0.5, 0.0), (0.5, 5.0 / 6.0, 0.5), (0.0, 1.0 / 3.0, 0.5)),
    ),
}
"""Sides of the rectangular cell of each lattice in spacings, and its spheres relative to these sides [-]."""
KINDS = {2: ("square", "hexagonal"), 3: ("cubic", "hexagonal", "fcc")}
"""Kinds of lattices in 2D and 3D; the hexagonal one of 2D is "triangular" in `LATTICES`."""


def lattice(
    count: int | None = None,
    *,
    radius: float | SizeDistribution | VectorLike,
    box: tuple[VectorLike, VectorLike] | None = None,
    kind: str | None = None,
    gap: float = 0.0,
    jitter: float = 0.0,
    seed: int = 0,
    origin: VectorLike | None = None,
    dim: int = 3,
) -> Packing:
    """Return spheres on a lattice, or discs in 2D.

    With a ``box`` (lower and upper corner [m]) the lattice fills it from its lower corner upwards, completely or with
    the lowest ``count`` spheres; all spheres lie inside. Without a box, ``count`` spheres fill a block that is about as
    high as it is wide, with its lower corner at ``origin`` [m], in 2D or 3D (``dim``).

    ``kind`` is "cubic" (default), "hexagonal" or "fcc", in 2D "square" (default) or "hexagonal". The closest packings
    have the fraction 0.7405 ("hexagonal" and "fcc"), in 2D 0.9069; a box is filled less because of its walls.

    ``radius`` is a number [m], a list of radii or a size distribution; the spacing follows from the largest one.
    ``gap`` [m] is the distance of neighbours of that size. ``jitter`` [m] displaces every sphere by a random vector of
    at most this length, up to half the gap, so that no two spheres overlap.

    Examples
    --------
    >>> import carom as cm
    >>> cm.packing.lattice(1000, radius=0.01, kind="fcc")
    <Packing of 1000 spheres: radii 0.01 m, fraction 0.7405>
    >>> cm.packing.lattice(box=((0, 0), (1, 0.5)), radius=0.05, kind="hexagonal", gap=1e-3)
    <Packing of 45 discs: radii 0.05 m, fraction 0.7069>
    """
    owner = "packing.lattice"
    gap, jitter = non_negative(owner, "gap", gap), non_negative(owner, "jitter", jitter)
    if jitter > 0.5 * gap:
        raise ModelError(
            f"{owner}: jitter must be at most half the gap, so that spheres do not overlap, got {jitter:g} m for a gap "
            f"of {gap:g} m"
        )
    generator = np.random.default_rng(integer(owner, "seed", seed, 0, 2**63 - 1))
    if is_list(radius) and not isinstance(radius, str):
        radii: np.ndarray | None = np.array(vector(owner, "radius", radius))
        assert radii is not None
        if not len(radii) or radii.min() <= 0.0:
            raise ModelError(f"{owner}: radius must contain positive numbers [m], got {short_repr(radius)}")
        if count not in (None, len(radii)):
            raise ModelError(f"{owner}: count is that of the list of radii, {len(radii)}, got {short_repr(count)}")
        largest, count, sizes = float(radii.max()), len(radii), None
    else:
        sizes, radii = radius_distribution(owner, radius), None
        largest = sizes.largest
    if count is None and box is None:
        raise ModelError(f"{owner}: set count or box")
    if count is not None:
        count = integer(owner, "count", count, 1, MAX_COUNT)
    if box is not None:
        low, high = checked_box(owner, box)
        if origin is not None:
            raise ModelError(f"{owner}: origin is for packings without a box; the box begins at {tuple(low.tolist())}")
        dim = len(low)
    elif dim not in KINDS:
        raise ModelError(f"{owner}: dim must be 2 or 3, got {short_repr(dim)}")
    name = _kind(owner, kind, dim)
    spacing = 2.0 * largest + gap
    if box is not None:
        points = _points_in_box(owner, name, spacing, low + largest + jitter, high - largest - jitter, count)
        volume = float(np.prod(high - low))
    else:
        assert count is not None
        start = np.zeros(dim) if origin is None else np.array(vector(owner, "origin", origin, dim))
        points = _block(name, spacing, count) + start + largest + jitter
        sides, cell = LATTICES[name]
        volume = count * float(np.prod(sides)) * spacing**dim / len(cell)
    if radii is None:
        assert sizes is not None
        radii = sizes.sample(len(points), generator, dim)
    if jitter > 0.0:
        points = points + jitter * _in_unit_ball(len(points), dim, generator)
    return Packing(points, radii, volume)


def _kind(owner: str, kind: Any, dim: int) -> str:
    """Return the name of a lattice in `LATTICES`."""
    if kind is None:
        kind = KINDS[dim][0]
    one_of(owner, f"kind of a lattice in {dim}D", kind, KINDS[dim])
    return "triangular" if dim == 2 and kind == "hexagonal" else str(kind)


def _cells(name: str, n_cells: np.ndarray, spacing: float) -> np.ndarray:
    """Return the points of a block of cells [m], in order of height."""
    sides, cell = (np.array(part) for part in LATTICES[name])
    corners = np.stack(np.meshgrid(*[np.arange(n) for n in n_cells], indexing="ij"), axis=-1).reshape(-1, len(sides))
    points = ((corners[:, None] + cell[None]) * sides * spacing).reshape(-1, len(sides))
    # Rounding must not decide the order within a layer.
    layers = np.round(points / (1e-6 * spacing))
    return points[np.lexsort(layers.T)]


def _points_in_box(
    owner: str, name: str, spacing: float, low: np.ndarray, high: np.ndarray, count: int | None
) -> np.ndarray:
    """Return the lattice points between two corners [m], the lowest ``count`` of them."""
    tolerance = FIT_TOLERANCE * spacing
    sides, cell = LATTICES[name]
    n_cells = np.floor((high - low + tolerance) / (np.array(sides) * spacing)) + 1.0
    if count is not None:  # whole layers of cells above the requested spheres are not needed
        per_layer = max(np.prod(n_cells[:-1]), 1.0)
        n_cells[-1] = min(n_cells[-1], math.ceil(4.0 * count / per_layer) + 3.0)
    if np.prod(n_cells) * len(cell) > 4.0 * MAX_COUNT:
        raise ModelError(f"{owner}: the box has space for more than {MAX_COUNT} spheres; reduce the box")
    points = _cells(name, np.maximum(n_cells, 0.0).astype(int), spacing) + low
    points = points[np.all(points <= high + tolerance, axis=1)]
    if not len(points) or (count is not None and len(points) < count):
        wanted = "one sphere" if count is None else f"{count} spheres"
        raise ModelError(
            f"{owner}: the box has space for {len(points)} spheres at a spacing of {spacing:g} m, not for {wanted}; "
            "enlarge the box or reduce gap or radius"
        )
    return points[:count]


def _block(name: str, spacing: float, count: int) -> np.ndarray:
    """Return the ``count`` lowest points of a block about as high as wide [m]."""
    sides, cell = LATTICES[name]
    side = (count / len(cell) * float(np.prod(sides))) ** (1.0 / len(sides))
    n_cells = np.maximum(np.round(side / np.array(sides)), 1.0).astype(int)
    n_cells[-1] = math.ceil(count / (len(cell) * int(np.prod(n_cells[:-1]))))
    return _cells(name, n_cells, spacing)[:count]


def _in_unit_ball(count: int, dim: int, generator: np.random.Generator) -> np.ndarray:
    """Return random points in the unit ball, uniformly distributed."""
    directions = generator.normal(size=(count, dim))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return np.asarray(directions * generator.random((count, 1)) ** (1.0 / finite_float("lattice", "dim", dim)))
