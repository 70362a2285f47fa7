"""Export for ParaView: a collection (.pvd) of polygon files (.vtp).

Spheres and contact points are points, other shapes are triangles.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import ArrayLike

from carom.argument_checks import file_path, positive
from carom.errors import DiskError, ModelError
from carom.geometry.rotation import matrix_of
from carom.model.generalized_system import GeneralizedSystem
from carom.model.system import System
from carom.result.column_info import ElementInfo
from carom.result.result import Result
from carom.scene.scene import GROUND, Part, Scene, SphereGroup, TwoBodyPart
from carom.scene.scene_builder import build_scene
from carom.solve.drawing_builder import drawing_data
from carom.view.vtp_file import VtpFile

EXPORTED = re.compile(r"[^/\\]*\.(pvd|vtp)")
"""Names of the files of an export."""


def write_vtk(
    result: Result,
    folder: str | os.PathLike[str],
    times: ArrayLike | None = None,
    system: System | GeneralizedSystem | None = None,
) -> Path:
    """Write ``result`` to a folder for ParaView and return the path of the collection to open, ``<folder>.pvd``.

    ``times`` are all nodes (default), an interval [s] or a list of times [s]. Solid spheres, and discs in 2D, are
    points with the arrays ``radius`` [m], ``body`` (index in the result), ``velocity`` [m/s] and ``angular_velocity``
    [rad/s] (global axes): use the representation "Point Gaussian", or a glyph, scaled by ``radius``. Other shapes are
    triangles with the array ``body``, −1 for the ground. Loaded contacts are points with the arrays ``contact`` (index
    in ``result.elements``), ``force`` on the first body and ``normal_force`` [N], and ``indentation`` [m]. The folder
    is written completely or not at all; an earlier export in it is replaced. ``system`` is needed only if the result
    has no drawing data.

    Examples
    --------
    >>> import carom as cm
    >>> result = cm.gallery.falling_ball().run()
    >>> cm.view.write_vtk(result, "ball", times=0.1).name
    'ball.pvd'
    """
    target = file_path("to_vtk: folder", folder).absolute()
    if target.suffix in (".pvd", ".vtp", ".vtu"):
        raise ModelError(f"to_vtk: writes a folder of files, got {target.name!r}; use {target.stem!r}")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot write to {folder}: folder {target.parent} not found")
    _check_replaceable(target)
    sampled = result.sample(_times(result, times))
    scene, spheres = _geometry(result, system)
    temporary = target.with_name(f".{target.name[:40]}.{uuid.uuid4().hex[:12]}.part")
    try:
        temporary.mkdir()
        _write_files(temporary, target.name, sampled, scene, spheres)
        _replace_folder(temporary, target)
    except OSError as error:
        raise DiskError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return Path(folder) / f"{target.name}.pvd"


def _times(result: Result, times: Any) -> np.ndarray:
    """Return the times of the export [s]."""
    if times is None:
        return np.unique(result.t)
    if np.ndim(times) == 0:
        interval = positive("to_vtk", "times", times)
        count = int((result.t[-1] - result.t[0]) / interval * (1.0 + 1e-9))
        return np.minimum(result.t[0] + interval * np.arange(count + 1), result.t[-1])
    return np.asarray(times)


def _geometry(result: Result, system: System | GeneralizedSystem | None) -> tuple[Scene, list[SphereGroup]]:
    """Return the scene with the shapes that are not solid spheres, and the spheres, in 2D discs."""
    data = drawing_data(system) if system is not None else result.sketch
    scene = build_scene(result, data, frames=2, most_discs=0)
    return scene, scene.spheres


class BodyFrames:
    """Poses and velocities of all bodies at one time, with the ground behind them, so that index −1 is the ground."""

    def __init__(self, sampled: Result, frame: int):
        n = len(sampled.bodies)
        q, v = sampled.q[frame].reshape(n, -1), sampled.v[frame].reshape(n, -1)
        self.r, self.v, self.omega = (np.zeros((n + 1, 3)) for _ in range(3))
        self.R = np.tile(np.eye(3), (n + 1, 1, 1))
        self.r[:n, : sampled.dim], self.v[:n, : sampled.dim] = q[:, : sampled.dim], v[:, : sampled.dim]
        if sampled.dim == 3:
            self.R[:n] = [matrix_of(tuple(quaternion)) for quaternion in q[:, 3:].tolist()]
            self.omega[:n] = np.einsum("nij,nj->ni", self.R[:n], v[:, 3:])
        else:
            c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
            self.R[:n, 0, 0], self.R[:n, 0, 1], self.R[:n, 1, 0], self.R[:n, 1, 1] = c, -s, s, c
            self.omega[:n, 2] = v[:, 2]

    def points(self, bodies: Any, local: np.ndarray) -> np.ndarray:
        """Return points given in the axes of bodies in global axes [m]; one body for all, or one per point."""
        if np.ndim(bodies) == 0:
            return self.r[bodies] + local @ self.R[bodies].T
        return self.r[bodies] + np.einsum("nij,nj->ni", self.R[bodies], local)


def _write_files(folder: Path, name: str, sampled: Result, scene: Scene, spheres: list[SphereGroup]) -> None:
    """Write all files of the export into a folder."""
    fixed = [part for part in scene.parts if part.body == GROUND]
    moving = [part for part in scene.parts if part.body != GROUND]
    entries: list[tuple[float, int, str]] = []
    digits = max(len(str(len(sampled.t) - 1)), 4)
    contacts = [(k, info) for k, info in enumerate(sampled.elements) if _has_contact_point(info, sampled.dim)]
    if fixed:
        _triangles(BodyFrames(sampled, 0), fixed, []).write(folder / f"{name}_ground.vtp")
    for frame, t in enumerate(sampled.t.tolist()):
        frames = BodyFrames(sampled, frame)
        names = [f"{name}_ground.vtp"] if fixed else []
        if spheres:
            names.append(f"{name}_spheres_{frame:0{digits}d}.vtp")
            _spheres(frames, spheres).write(folder / names[-1])
        if moving or scene.two_body_parts:
            names.append(f"{name}_shapes_{frame:0{digits}d}.vtp")
            _triangles(frames, moving, scene.two_body_parts).write(folder / names[-1])
        if contacts:
            names.append(f"{name}_contacts_{frame:0{digits}d}.vtp")
            _contact_points(sampled, frame, contacts).write(folder / names[-1])
        entries += [(t, part, file) for part, file in enumerate(names)]
    if not entries:
        raise ModelError(f"to_vtk: Result {sampled.name!r} has no shapes; pass system= with the shapes")
    lines = [
        '<?xml version="1.0"?>',
        '<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">',
        "<Collection>",
        *(f'<DataSet timestep="{t!r}" part="{part}" file={quoteattr(file)}/>' for t, part, file in entries),
        "</Collection>",
        "</VTKFile>",
    ]
    (folder / f"{name}.pvd").write_text("\n".join(lines) + "\n", "utf-8")


def _spheres(frames: BodyFrames, groups: Iterable[SphereGroup]) -> VtpFile:
    """Return the spheres as points."""
    bodies = np.concatenate([group.bodies for group in groups])
    points = frames.points(bodies, np.concatenate([group.centres for group in groups]))
    omega = frames.omega[bodies]
    arrays = {
        "radius": np.concatenate([group.radii for group in groups]),
        "body": bodies.astype(np.int32),
        "velocity": frames.v[bodies] + np.cross(omega, points - frames.r[bodies]),
        "angular_velocity": omega,
    }
    single = {title: array.astype(np.float32) if array.dtype.kind == "f" else array for title, array in arrays.items()}
    return VtpFile(points, np.arange(len(points))[:, None], single, {})


def _has_contact_point(info: ElementInfo, dim: int) -> bool:
    """Return True for a contact with a point and a force."""
    axes = "xyz"[:dim]
    return info.family == "contact" and {*axes, *(f"f{axis}" for axis in axes), "normal_force"} <= set(info.signals)


def _contact_points(sampled: Result, frame: int, contacts: Sequence[tuple[int, ElementInfo]]) -> VtpFile:
    """Return the points and forces of the loaded contacts at a node."""
    loaded = [(k, info) for k, info in contacts if sampled[info.name].normal_force[frame] > 0.0]

    def values(signal: str) -> np.ndarray:
        return np.array([getattr(sampled[info.name], signal)[frame] for _, info in loaded], float)

    points, forces = np.zeros((len(loaded), 3)), np.zeros((len(loaded), 3), np.float32)
    for column, axis in enumerate("xyz"[: sampled.dim]):
        points[:, column], forces[:, column] = values(axis), values(f"f{axis}")
    arrays = {
        "contact": np.array([k for k, _ in loaded], np.int32), "force": forces,
        "normal_force": values("normal_force").astype(np.float32), "indentation": values("indentation"),
    }  # fmt: skip
    return VtpFile(points, np.arange(len(points))[:, None], arrays, {})


def _triangles(frames: BodyFrames, parts: Iterable[Part], two_body_parts: Iterable[TwoBodyPart]) -> VtpFile:
    """Return the triangles of shapes, and of springs and rods between two bodies."""
    points, cells, bodies, first = [], [], [], 0
    for part in parts:
        points.append(frames.points(part.body, np.asarray(part.vertices, float)))
        cells.append(np.asarray(part.faces) + first)
        bodies.append(np.full(len(part.faces), part.body, np.int32))
        first += len(part.vertices)
    for link in two_body_parts:
        points.append(_between(frames, link))
        cells.append(np.asarray(link.faces) + first)
        bodies.append(np.full(len(link.faces), link.a, np.int32))
        first += len(link.vertices)
    return VtpFile(np.concatenate(points), np.concatenate(cells), {}, {"body": np.concatenate(bodies)})


def _between(frames: BodyFrames, link: TwoBodyPart) -> np.ndarray:
    """Return the vertices of a part between two bodies in global axes [m]."""
    start, end = (
        frames.points(body, np.append(at, np.zeros(3 - len(at)))[None])[0]
        for body, at in ((link.a, link.at_a), (link.b, link.at_b))
    )
    along = end - start
    length = float(np.linalg.norm(along))
    x = along / length if length > 0.0 else np.array([1.0, 0.0, 0.0])
    # In 2D, y stays in the plane.
    z = np.array([0.0, 0.0, 1.0]) if abs(x[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
    y = np.cross(z, x)
    y /= np.linalg.norm(y)
    vertices = np.asarray(link.vertices, float)
    return start + vertices[:, :1] * along + vertices[:, 1:2] * y + vertices[:, 2:3] * np.cross(x, y)


def _check_replaceable(target: Path) -> None:
    """Raise if the target exists and is not an earlier export."""
    if target.is_dir():
        foreign = sorted(entry.name for entry in os.scandir(target) if not EXPORTED.fullmatch(entry.name))
        if foreign:
            raise DiskError(
                f"cannot write to {target}: the folder contains other files, such as {foreign[0]!r}; choose a new "
                "folder"
            )
    elif target.exists() or target.is_symlink():
        raise DiskError(f"cannot write to {target}: it is a file; choose the name of a folder")


def _replace_folder(temporary: Path, target: Path) -> None:
    """Move the complete folder to its place; an earlier export stays until then."""
    if not target.exists():
        os.rename(temporary, target)
        return
    old = temporary.with_name(f"{temporary.name}.old")
    os.rename(target, old)
    try:
        os.rename(temporary, target)
    except OSError:
        with suppress(OSError):
            os.rename(old, target)
        raise
    shutil.rmtree(old, ignore_errors=True)
