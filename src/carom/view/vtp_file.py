"""Polygon files of VTK (.vtp)."""

from __future__ import annotations

import base64
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

VTK_TYPES = {"f4": "Float32", "f8": "Float64", "i4": "Int32", "i8": "Int64"}
"""Names of number types in VTK files."""


class VtpFile:
    """Polygon file with points, one vertex or triangle per cell, and arrays of points or cells."""

    def __init__(self, points: np.ndarray, cells: np.ndarray, point_data: dict[str, np.ndarray],
                 cell_data: dict[str, np.ndarray]):  # fmt: skip
        self.points, self.cells = points, cells
        self.point_data, self.cell_data = point_data, cell_data

    def write(self, path: Path) -> None:
        """Write the file with all numbers behind the text, in base64."""
        blocks: list[bytes] = []
        n_vertices, n_polygons = (len(self.cells), 0) if self.cells.shape[1] == 1 else (0, len(self.cells))
        kind = "Verts" if n_vertices else "Polys"
        connectivity = self.cells.ravel().astype(np.int64)
        offsets = self.cells.shape[1] * np.arange(1, len(self.cells) + 1, dtype=np.int64)
        lines = [
            '<?xml version="1.0"?>',
            '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
            "<PolyData>",
            f'<Piece NumberOfPoints="{len(self.points)}" NumberOfVerts="{n_vertices}" NumberOfLines="0" '
            f'NumberOfStrips="0" NumberOfPolys="{n_polygons}">',
            *_section("PointData", self.point_data, blocks),
            *_section("CellData", self.cell_data, blocks),
            *_section("Points", {"points": self.points}, blocks),
            *_section(kind, {"connectivity": connectivity, "offsets": offsets}, blocks),
            "</Piece>",
            "</PolyData>",
            '<AppendedData encoding="base64">',
        ]
        with open(path, "wb") as file:
            file.write("\n".join(lines).encode() + b"\n_")
            file.writelines(blocks)
            file.write(b"\n</AppendedData>\n</VTKFile>\n")


def _section(name: str, arrays: dict[str, np.ndarray], blocks: list[bytes]) -> list[str]:
    """Return the lines of a section, and append its numbers to ``blocks``."""
    lines = [f"<{name}>"]
    for title, array in arrays.items():
        data = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        size = 1 if data.ndim == 1 else data.shape[1]
        offset = sum(map(len, blocks))
        kind = VTK_TYPES[f"{data.dtype.kind}{data.dtype.itemsize}"]
        lines.append(
            f'<DataArray type="{kind}" Name={quoteattr(title)} NumberOfComponents="{size}" format="appended" '
            f'offset="{offset}"/>'
        )
        blocks.append(base64.b64encode(np.uint64(data.nbytes).tobytes() + data.tobytes()))
    return [*lines, f"</{name}>"]
