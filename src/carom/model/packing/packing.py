"""Packing: positions and radii of spheres, and the volume that they fill."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.argument_checks import file_path, vector
from carom.errors import ModelError
from carom.model.packing.sphere_cells import largest_overlap
from carom.typing import FilePath, VectorLike

AXES = ("x", "y", "z")


def sphere_volumes(radii: np.ndarray, dim: int) -> np.ndarray:
    """Return the volumes of spheres [m³], or in 2D the areas of discs [m²]."""
    return np.asarray(4.0 / 3.0 * math.pi * radii**3 if dim == 3 else math.pi * radii**2)


@dataclass(frozen=True, eq=False)
class Packing:
    """Spheres, or discs in 2D, as arrays.

    Parameters
    ----------
    positions
        (n, 3) centres [m], in 2D (n, 2).
    radii
        (n,) radii [m].
    volume
        volume that the spheres fill [m³], in 2D area [m²]; NaN if it is unknown, as for a packing from a file.

    Examples
    --------
    >>> import carom as cm
    >>> packing = cm.packing.lattice(box=((0, 0, 0), (0.1, 0.1, 0.2)), radius=0.01)
    >>> packing
    <Packing of 250 spheres: radii 0.01 m, fraction 0.5236>
    >>> packing.positions.shape, packing.count
    ((250, 3), 250)
    """

    positions: np.ndarray
    radii: np.ndarray
    volume: float = math.nan

    def __post_init__(self) -> None:
        positions = np.array(self.positions, dtype=np.float64, ndmin=2)
        radii = np.array(self.radii, dtype=np.float64)
        if positions.ndim != 2 or positions.shape[1] not in (2, 3) or radii.shape != positions.shape[:1]:
            raise ModelError(
                f"Packing: positions must have the shape (n, 2) or (n, 3) and radii (n,), got {positions.shape} and "
                f"{radii.shape}"
            )
        if not (np.isfinite(positions).all() and np.isfinite(radii).all() and (radii > 0.0).all()):
            raise ModelError("Packing: positions must be finite, and radii finite and positive")
        for name, array in (("positions", positions), ("radii", radii)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.radii)

    def __repr__(self) -> str:
        sizes = [f"{size:.6g}" for size in (self.radii.min(), self.radii.max())] if len(self) else ["none"]
        radii = " to ".join(dict.fromkeys(sizes))
        fraction = "" if math.isnan(self.volume) else f", fraction {self.fraction:.4f}"
        return f"<Packing of {len(self)} {'spheres' if self.dim == 3 else 'discs'}: radii {radii} m{fraction}>"

    @property
    def count(self) -> int:
        """Number of spheres."""
        return len(self.radii)

    @property
    def dim(self) -> int:
        """Dimension: 3 for spheres, 2 for discs."""
        return int(self.positions.shape[1])

    @property
    def volumes(self) -> np.ndarray:
        """Volumes of the spheres [m³], in 2D areas of the discs [m²]."""
        return sphere_volumes(self.radii, self.dim)

    @property
    def fraction(self) -> float:
        """Packing fraction [-]: volume of the spheres divided by ``volume``."""
        return float(self.volumes.sum() / self.volume)

    def largest_overlap(self) -> float:
        """Return the largest overlap of two spheres [m]; zero or negative if no two spheres overlap."""
        return largest_overlap(self.positions, self.radii)

    def moved(self, offset: VectorLike) -> Packing:
        """Return the packing displaced by ``offset`` [m]."""
        return Packing(self.positions + vector("Packing", "offset", offset, self.dim), self.radii, self.volume)

    def to_file(self, path: FilePath) -> None:
        """Write a CSV file with the columns x, y, z and radius [m], which `carom.packing.from_file` reads."""
        with open(file_path("packing", path), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(f"{name} [m]" for name in (*AXES[: self.dim], "radius"))
            writer.writerows(np.column_stack([self.positions, self.radii]).tolist())


def checked_box(owner: str, box: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and the upper corner of a box [m], in 2D or 3D."""
    try:
        lower, upper = box
    except (TypeError, ValueError):
        raise ModelError(f"{owner}: box must be two corners (lower, upper) [m], got {box!r}") from None
    low, high = vector(owner, "box[0]", lower), vector(owner, "box[1]", upper)
    if len(low) not in (2, 3) or len(low) != len(high):
        raise ModelError(f"{owner}: corners of the box must both have 2 or 3 numbers, got {len(low)} and {len(high)}")
    if not all(a < b for a, b in zip(low, high, strict=True)):
        raise ModelError(f"{owner}: the lower corner of the box must be below the upper one, got {low} and {high}")
    return np.array(low), np.array(high)
