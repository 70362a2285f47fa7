"""Reading of mesh files, with checks of what they claim before anything is computed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile, is_zipfile

import numpy as np

from carom.errors import ModelError

FORMATS = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".3mf", ".dae")
"""File formats."""
MAX_FILE_SIZE = 1 << 29
"""Largest size of a file [byte]."""
MAX_MESH_SIZE = 2_000_000
"""Largest number of vertices, and of faces."""
STL_HEADER, STL_TRIANGLE = 84, 50
"""Sizes of the head of a binary STL file and of one of its triangles [byte]."""
TAIL = 4096
"""Number of bytes in which the last line of a text file is searched."""


def read_triangles(owner: str, file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces of a file."""
    try:
        import trimesh
    except ModuleNotFoundError:
        raise ModelError(f"{owner}: reading {file.name} needs trimesh: pip install 'carom[mesh]'") from None
    if not file.is_file():
        raise ModelError(f"{owner}: file not found: {file}")
    if file.suffix.lower() not in FORMATS:
        raise ModelError(f"{owner}: {file.name}: unknown mesh format; use one of {', '.join(FORMATS)}")
    size = file.stat().st_size
    if size > MAX_FILE_SIZE:
        raise ModelError(f"{owner}: {file.name} must have at most {MAX_FILE_SIZE >> 20} MB, got {size >> 20}")
    if size == 0:
        raise ModelError(f"{owner}: {file.name} is empty")
    if file.suffix.lower() in CHECKS:
        CHECKS[file.suffix.lower()](owner, file)
    try:
        check_zip(owner, file)
        mesh: Any = trimesh.load(file, force="mesh", process=False, resolver=_Buffers(file.parent))
        return np.asarray(mesh.vertices, float), np.asarray(mesh.faces, int)
    except ModelError:
        raise
    except Exception as reason:  # noqa: BLE001  (the readers of eight formats raise different errors)
        message = " ".join(str(reason).split()) or type(reason).__name__
        raise ModelError(f"{owner}: {file.name} cannot be read as a mesh: {message[:200]}") from None


class _Buffers(Mapping[str, bytes]):
    """Buffers of a glTF file: regular binary files in its folder, no images."""

    def __init__(self, folder: Path):
        self._folder = folder.resolve()

    def __getitem__(self, name: str) -> bytes:
        path = (self._folder / name).resolve()
        if path.suffix.lower() != ".bin" or path.parent != self._folder or not path.is_file():
            raise KeyError(name)
        if path.stat().st_size > MAX_FILE_SIZE:
            raise ModelError(f"{name} must have at most {MAX_FILE_SIZE >> 20} MB, got {path.stat().st_size >> 20}")
        return path.read_bytes()

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in self._folder.glob("*.bin"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def check_zip(owner: str, file: Path) -> None:
    """Raise for an archive that is too large after unpacking."""
    if is_zipfile(file):
        with ZipFile(file) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MAX_FILE_SIZE:
            raise ModelError(
                f"{owner}: {file.name} must have at most {MAX_FILE_SIZE >> 20} MB unpacked, got {size >> 20}"
            )


def check_count(owner: str, file: Path, what: str, count: int) -> None:
    """Raise if a file declares more than the largest number of vertices or triangles."""
    if count > MAX_MESH_SIZE:
        raise ModelError(
            f"{owner}: {file.name} declares {count} {what}; a mesh must have at most {MAX_MESH_SIZE}, reduce its "
            "resolution"
        )


def check_stl(owner: str, file: Path) -> None:
    """Raise for an STL file that is cut off, or whose size does not fit its number of triangles."""
    size = file.stat().st_size
    with open(file, "rb") as stream:
        header = stream.read(STL_HEADER)
        stream.seek(max(size - TAIL, 0))
        tail = stream.read()
    count = int.from_bytes(header[80:], "little") if len(header) == STL_HEADER else 0
    expected = STL_HEADER + STL_TRIANGLE * count
    if header.lstrip()[:5].lower() == b"solid" and not (count and expected == size):
        if b"endsolid" not in tail.lower():
            raise ModelError(f"{owner}: {file.name} is cut off: a text file of STL must end with endsolid")
        return
    if len(header) < STL_HEADER:
        raise ModelError(f"{owner}: {file.name} is not an STL file: it has {size} bytes, fewer than its header needs")
    if expected > size:
        raise ModelError(f"{owner}: {file.name} declares {count} triangles, {expected} bytes, but has {size} bytes")
    check_count(owner, file, "triangles", count)


def check_ply(owner: str, file: Path) -> None:
    """Raise for a PLY file that declares more vertices or faces than its size can hold."""
    size = file.stat().st_size
    with open(file, "rb") as stream:
        header = stream.read(TAIL)
    for kind, number in re.findall(rb"element\s+(\w+)\s+(\d+)", header.partition(b"end_header")[0]):
        count = int(number)
        if count > size:  # an element has one byte or more
            raise ModelError(
                f"{owner}: {file.name} declares {count} elements {kind.decode(errors='replace')!r}, but has {size} "
                "bytes"
            )
        if kind in (b"vertex", b"face"):
            check_count(owner, file, "vertices" if kind == b"vertex" else "faces", count)


def check_off(owner: str, file: Path) -> None:
    """Raise for an OFF file that declares more vertices or faces than its size can hold."""
    size = file.stat().st_size
    with open(file, "rb") as stream:
        text = re.sub(rb"#[^\n]*", b"", stream.read(TAIL))
    numbers = re.findall(rb"\d+", text.partition(b"OFF")[2])[:2]
    for what, number in zip(("vertices", "faces"), numbers, strict=False):
        if int(number) > size:
            raise ModelError(f"{owner}: {file.name} declares {int(number)} {what}, but has {size} bytes")
        check_count(owner, file, what, int(number))


CHECKS = {".stl": check_stl, ".ply": check_ply, ".off": check_off}
"""Checks of a file by its suffix."""
