"""Mesh files that are cut off, or claim what they do not hold: errors before anything is read."""

import struct

import pytest

import carom as cm
from carom.geometry.mesh.mesh_file import read_triangles

TEXT = b"solid part\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
PLY = b"ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nelement face 1\nend_header\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.stl", b"", r"Mesh 'm': a\.stl is empty"),
        ("a.stl", TEXT, r"a\.stl is cut off: a text file of STL must end with endsolid"),
        ("a.stl", b"x" * 40, r"a\.stl is not an STL file: it has 40 bytes"),
        ("a.stl", b"x" * 80 + struct.pack("<I", 100_000_000), r"declares 100000000 triangles, 5000000084 bytes"),
        ("a.ply", PLY % 100_000_000, r"declares 100000000 elements 'vertex', but has \d+ bytes"),
        ("a.off", b"OFF\n100000000 1 0\n0 0 0\n", r"declares 100000000 vertices, but has 24 bytes"),
    ],
    ids=["empty", "cut off", "short", "stl", "ply", "off"],
)  # fmt: skip
def test_a_damaged_file_says_what_is_wrong(tmp_path, name: str, content: bytes, message: str):
    pytest.importorskip("trimesh")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(cm.ModelError, match=message):
        read_triangles("Mesh 'm'", tmp_path / name)


def test_a_text_file_that_is_complete_is_read(tmp_path):
    pytest.importorskip("trimesh")
    (tmp_path / "a.stl").write_bytes(TEXT + b"endsolid part\n")
    vertices, faces = read_triangles("Mesh 'm'", tmp_path / "a.stl")
    assert (len(vertices), len(faces)) == (3, 1)
