"""Surface read from a lookup table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from carom.argument_checks import one_of, short_repr
from carom.errors import ModelError
from carom.geometry.lookup.bicubic import bicubic
from carom.geometry.lookup.bilinear import bilinear
from carom.geometry.lookup.format import NUMBER_BYTES, check_records, integer_pair, read_header, real_path
from carom.geometry.lookup.window import Window
from carom.geometry.surfaces.base import ParametricSurface
from carom.typing import FilePath

INTERPOLATIONS = {"bilinear": bilinear, "bicubic": bicubic}

_checked: set[tuple[Any, ...]] = set()
"""Files whose checksums were verified."""


def opening(owner: str, window: Any = None, interpolation: Any = "bicubic") -> tuple[tuple[int, int] | None, str]:
    """Return the checked options for opening a table."""
    size = None if window is None else integer_pair(window, 1)
    if window is not None and size is None:
        raise ModelError(f"{owner}: window must be two record counts, such as (5, 11), got {short_repr(window)}")
    return size, one_of(owner, "interpolation", interpolation, tuple(INTERPOLATIONS))


class LookupTable(ParametricSurface):
    """Surface in the file ``path`` written by `build`.

    With ``window=(5, 11)`` only this many records along u and v around the contact point are in memory; None loads all.
    ``interpolation`` is "bicubic", from points and tangents (error of order h⁴), or "bilinear", of points and normals
    as in L (h²).

    Examples
    --------
    >>> import carom as cm
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = cm.lookup.build(cm.surfaces.Sphere(0.1), points=(30, 30), path=f"{folder}/sphere.lut")
    ...     radius = float((cm.lookup.LookupTable(table.path).point(0.3, 0.2) ** 2).sum() ** 0.5)
    ...
    >>> round(radius, 5)
    0.1
    """

    window: Window | None

    def __init__(self, path: FilePath, window: tuple[int, int] | None = None, interpolation: str = "bicubic"):
        self.path = real_path("lookup table", path)
        self.window_size, self.interpolation = opening(self.label, window, interpolation)
        self.kernel = INTERPOLATIONS[self.interpolation]
        self.header = read_header(self.path)
        self._check_once()
        header = self.header
        (u0, v0), (u1, v1) = header.low, header.high
        self.u_range, self.v_range = (u0, u1), (v0, v1)
        self.u_ends, self.v_ends = header.ends[:2], header.ends[2:]
        self._open()

    def _open(self) -> None:
        mapped = np.memmap(self.path, np.uint8, "r")
        self._data: np.ndarray = mapped if self.window_size is not None else np.array(mapped)
        vars(self)["window"] = self._new_window()

    def _check_once(self) -> None:
        status = self.path.stat()
        key = (self.path, status.st_mtime_ns, status.st_size)
        if key not in _checked:
            check_records(self.path, self.header)
            _checked.add(key)

    def _new_window(self) -> Window | None:
        if self.window_size is None:
            return None
        return Window(self.header, self.window_size, int(self._data.ctypes.data), self._data.nbytes)

    @property
    def label(self) -> str:
        """Name of the table in messages."""
        return f"lookup table {self.path.name}"

    @property
    def parameters(self) -> tuple[float, ...]:
        """Parameters of the kernels (`TABLE`); the address of the data is valid while this object lives."""
        header = self.header
        base = int(self._data.ctypes.data) + header.record_bytes
        record = header.record_bytes // NUMBER_BYTES
        return (
            float(base), *map(float, header.points), *map(float, header.record), 1.0 / header.record[0],
            1.0 / header.record[1], float(header.columns), float(header.blocks[1]), float(record), *header.low,
            *header.increment, *(1.0 / d for d in header.increment), float(header.side),
            float(header.ends[0] == "periodic"), float(header.ends[2] == "periodic"),
        )  # fmt: skip

    def keywords(self) -> dict[str, Any]:
        """Return the arguments of the constructor."""
        return {"path": self.path, "window": self.window_size, "interpolation": self.interpolation}

    def for_one_shape(self) -> LookupTable:
        """Return the table with its own window."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        vars(other)["window"] = other._new_window()
        return other

    def column(self, name: str, u: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Return a column of the table, interpolated bilinearly."""
        header = self.header
        if name not in header.names:
            raise ModelError(f"{self.label}: unknown column {name!r}; choose from {', '.join(header.names)}")
        x, y = ((np.asarray(value, float) - low) / d for value, low, d in zip((u, v), header.low, header.increment))
        i, j = (np.clip(np.floor(at).astype(int), 0, n - 2) for at, n in zip((x, y), header.points))
        fu, fv = x - i, y - j
        k = header.names.index(name)
        low = (1.0 - fv) * self._number(i, j, k) + fv * self._number(i, j + 1, k)
        high = (1.0 - fv) * self._number(i + 1, j, k) + fv * self._number(i + 1, j + 1, k)
        return (1.0 - fu) * low + fu * high

    def _number(self, i: np.ndarray, j: np.ndarray, k: int) -> np.ndarray:
        """Return column k of the grid points (i, j)."""
        header = self.header
        (ru, rv), columns = header.record, header.columns
        block = (i // ru) * header.blocks[1] + j // rv
        index = ((block + 1) * ru * rv + (i % ru) * rv + j % rv) * columns + k
        return self._data.view("<f8")[index]

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_data", "window")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if read_header(self.path) != self.header:
            raise ModelError(f"lookup table {self.path} has changed since it was opened; build the model again")
        self._check_once()
        self._open()
