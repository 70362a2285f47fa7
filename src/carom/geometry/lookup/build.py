"""Writing of lookup tables before a simulation (L 2.2)."""

from __future__ import annotations

import os
import shutil
import uuid
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from carom.argument_checks import check_not_special_file, short_repr
from carom.errors import ModelError
from carom.geometry.lookup.format import (
    COLUMNS,
    ENDS,
    MAX_FILE_SIZE,
    MIN_POINTS,
    Header,
    block,
    integer_pair,
    real_path,
)
from carom.geometry.lookup.table import LookupTable, opening
from carom.geometry.surfaces.base import ParametricSurface
from carom.progress import Progress
from carom.typing import FilePath

MIN_FREE_SPACE = 1 << 20
"""Disk space that must remain free [byte]."""


def build(
    surface: ParametricSurface,
    points: tuple[int, int] = (999, 999),
    record: tuple[int, int] = (27, 27),
    path: FilePath = "surface.lut",
    *,
    extra: Mapping[str, Callable[[np.ndarray, np.ndarray], ArrayLike]] | None = None,
    progress: bool | Callable[[float], object] | None = None,
    **options: Any,
) -> LookupTable:
    """Sample ``surface`` at ``points`` along u and v, and write the table to ``path`` in records of ``record`` points.

    ``extra`` are further columns by name, such as a local stiffness: functions of arrays u and v. ``progress`` is that
    of `simulate`. The file is written atomically. ``options`` are those of `LookupTable` (``window``,
    ``interpolation``).

    Examples
    --------
    >>> import carom as cm
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = cm.lookup.build(cm.surfaces.Sphere(0.1), points=(30, 30), path=f"{folder}/sphere.lut")
    ...
    >>> table.header.points
    (30, 30)
    """
    if not isinstance(surface, ParametricSurface):
        raise ModelError(f"lookup.build: surface must be one of carom.surfaces, got {short_repr(surface)}")
    opening("lookup.build", **options)
    header = _header(surface, points, record, tuple(extra or ()))
    target = real_path("lookup.build", path)
    _check_target(target, header)
    part = target.with_name(f".{uuid.uuid4().hex}.part")
    u = header.low[0] + header.increment[0] * np.arange(header.points[0])
    v = header.low[1] + header.increment[1] * np.arange(header.points[1])
    u[-1], v[-1] = surface.u_range[1], surface.v_range[1]
    rows, checksum = header.blocks[0], 0
    try:
        with (
            Progress(f"table {target.name}", rows, progress, "{task.completed:.0f} of {task.total:.0f} rows") as report,
            open(part, "xb") as file,
        ):
            file.write(header.encoded())
            for a in range(rows):
                values = _values(surface, u[a * header.record[0] : (a + 1) * header.record[0]], v, extra or {}, header)
                for b in range(header.blocks[1]):
                    data = block(values, header, a, b).astype("<f8").tobytes()
                    checksum = zlib.crc32(data, checksum)
                    file.write(data)
                report(a + 1)
            file.seek(0)
            file.write(replace(header, checksum=checksum).encoded())
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    except OSError as reason:
        raise ModelError(f"lookup.build: {target} could not be written: {reason}") from reason
    finally:
        part.unlink(missing_ok=True)
    return LookupTable(target, **options)


def _header(surface: ParametricSurface, points: Any, record: Any, more: tuple[str, ...]) -> Header:
    counts = _pair("points", points, MIN_POINTS)
    sizes = _pair("record", record, 1)
    for name in more:
        if not name.isidentifier() or not name.isascii() or name in COLUMNS or more.count(name) > 1:
            raise ModelError(
                f"lookup.build: name of an extra column must be unique and an identifier, such as 'stiffness', "
                f"got {short_repr(name)}"
            )
    (u0, u1), (v0, v1) = surface.u_range, surface.v_range
    ends = (*surface.u_ends, *surface.v_ends)
    assert all(end in ENDS for end in ends)
    header = Header(
        counts, sizes, (u0, v0), ((u1 - u0) / (counts[0] - 1), (v1 - v0) / (counts[1] - 1)), ends,
        _side(surface), COLUMNS + more,
    )  # fmt: skip
    if header.file_bytes > MAX_FILE_SIZE:
        raise ModelError(
            f"lookup.build: {counts[0]} × {counts[1]} points in records of {sizes[0]} × {sizes[1]} need a file of "
            f"{header.file_bytes:.3g} bytes; use fewer points"
        )
    return header


def _pair(what: str, value: Any, minimum: int) -> tuple[int, int]:
    pair = integer_pair(value, minimum)
    if pair is None:
        raise ModelError(f"lookup.build: {what} must be two integers ≥ {minimum}, got {short_repr(value)}")
    return pair


def _side(surface: ParametricSurface) -> int:
    """Return 1 if the normal is along t_u × t_v, else −1."""
    (u0, u1), (v0, v1) = surface.u_range, surface.v_range
    out = surface.output(u0 + 0.47 * (u1 - u0), v0 + 0.47 * (v1 - v0))
    return 1 if float(np.cross(out["point_u"], out["point_v"]) @ out["normal"]) > 0.0 else -1


def _check_target(target: Path, header: Header) -> None:
    """Raise if the file cannot be written, before any computation."""
    if not target.parent.is_dir():
        raise ModelError(f"lookup.build: folder not found: {target.parent}")
    if target.is_dir():
        raise ModelError(f"lookup.build: {target} is a folder")
    check_not_special_file(target)
    if not os.access(target.parent, os.W_OK):
        raise ModelError(f"lookup.build: no write permission for folder {target.parent}")
    free = shutil.disk_usage(target.parent).free
    if header.file_bytes + MIN_FREE_SPACE > free:
        raise ModelError(
            f"lookup.build: the table needs {header.file_bytes / 1e6:.0f} MB, but {target.parent} has "
            f"{free / 1e6:.0f} MB free"
        )


def _values(
    surface: ParametricSurface, u: np.ndarray, v: np.ndarray, extra: Mapping[str, Any], header: Header
) -> np.ndarray:
    """Return the columns of some rows of grid points."""
    us, vs = np.meshgrid(u, v, indexing="ij")
    out = surface.output(us, vs)
    columns = [us, vs, *(out[name][..., d] for name in ("point", "normal", "point_u", "point_v") for d in range(3))]
    for name, function in extra.items():
        column = np.asarray(function(us, vs), float)
        if column.shape not in ((), us.shape):
            raise ModelError(f"lookup.build: column {name!r} must have the shape of u and v, got {column.shape}")
        columns.append(np.broadcast_to(column, us.shape))
    values = np.stack(columns, axis=-1)
    if not np.isfinite(values).all():
        i, j, k = np.argwhere(~np.isfinite(values))[0]
        raise ModelError(f"lookup.build: column {header.names[k]} is not finite at u = {u[i]:g}, v = {v[j]:g}")
    return values
