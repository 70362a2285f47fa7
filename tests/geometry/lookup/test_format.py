"""The file of a table, byte by byte, and what is said of one that is not whole."""

import math
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.geometry.lookup.format import COLUMNS, Header, read_header
from carom.geometry.surfaces import Ellipsoid, Sphere, Torus

SPHERE = Sphere(2.0, u=(-0.5, 1.0), v=(-1.0, 2.0))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """L's Figs 3 and 6: 10 × 10 points in records of 2 × 2."""
    path = tmp_path_factory.mktemp("lookup") / "small.lut"
    cm.lookup.build(SPHERE, (10, 10), (2, 2), path)
    return path


def opened(path):
    return cm.lookup.LookupTable(path)


def test_ten_by_ten_points_in_records_of_two_by_two_are_25_data_records(small):
    header = read_header(small)
    assert header.blocks == (5, 5)
    assert header.record_bytes == 2 * 2 * 14 * 8
    assert small.stat().st_size == 26 * 2 * 2 * 14 * 8


def test_every_field_of_the_header_is_where_the_description_says(small):
    data = small.read_bytes()
    assert data[:8] == b"CAROMLUT"
    assert struct.unpack_from("<q", data, 8) == (1,)
    assert struct.unpack_from("<qq", data, 16) == (10, 10)
    assert struct.unpack_from("<qq", data, 32) == (2, 2)
    assert struct.unpack_from("<q", data, 48) == (14,)
    assert struct.unpack_from("<q", data, 56) == (64 * 2 * 2 * 14,)  # L (13), in bits
    assert struct.unpack_from("<dd", data, 64) == (-0.5, -1.0)
    assert struct.unpack_from("<dd", data, 80) == (1.5 / 9, 3.0 / 9)
    assert struct.unpack_from("<4q", data, 96) == (0, 0, 0, 0)
    out = SPHERE.evaluate(0.0, 0.0)
    assert struct.unpack_from("<q", data, 128) == (int(np.sign(np.cross(out[6:9], out[9:12]) @ out[3:6])),)
    assert struct.unpack_from("<q", data, 136) == (zlib.crc32(data[448:]),)
    names = b"u,v,x,y,z,nx,ny,nz,tux,tuy,tuz,tvx,tvy,tvz"
    assert struct.unpack_from("<q", data, 144) == (zlib.crc32(data[:144] + names),)
    assert struct.unpack_from("<q", data, 152) == (len(names),)
    assert data[160 : 160 + len(names)] == names
    assert not any(data[160 + len(names) : 448])


@pytest.mark.parametrize(
    ("surface", "ends"), [(Sphere(1.0), (2, 2, 1, 1)), (Torus(1.0, 0.3), (1, 1, 1, 1)), (SPHERE, (0, 0, 0, 0))]
)
def test_what_is_at_the_ends_is_written_down(tmp_path, surface, ends):
    table = cm.lookup.build(surface, (8, 8), (4, 4), tmp_path / "x.lut")
    assert struct.unpack_from("<4q", table.path.read_bytes(), 96) == ends
    assert (table.u_ends, table.v_ends) == (surface.u_ends, surface.v_ends)
    assert (*table.u_range, *table.v_range) == pytest.approx((*surface.u_range, *surface.v_range), rel=1e-15)


@pytest.mark.parametrize("points", [(10, 10), (11, 7), (5, 4)])
def test_every_point_is_at_its_place_with_its_columns(tmp_path, points):
    table = cm.lookup.build(SPHERE, points, (4, 3), tmp_path / "x.lut")
    rows, columns = -(-points[0] // 4), -(-points[1] // 3)
    data = np.fromfile(table.path, "<f8").reshape(1 + rows * columns, 4, 3, 14)[1:].reshape(rows, columns, 4, 3, 14)
    u, v = np.linspace(-0.5, 1.0, points[0]), np.linspace(-1.0, 2.0, points[1])
    for i in range(4 * rows):
        for j in range(3 * columns):
            here = data[i // 4, j // 3, i % 4, j % 3]
            if i >= points[0] or j >= points[1]:
                assert np.isnan(here).all()
                continue
            out = SPHERE.evaluate(here[0], here[1])
            assert here[:2] == pytest.approx((u[i], v[j]), abs=1e-15)
            assert np.array_equal(here[2:], np.concatenate([out[:3], out[3:6], out[6:9], out[9:12]]))


def test_header_round_trip(small):
    header = read_header(small)
    assert header.encoded() == small.read_bytes()[: header.record_bytes]
    assert header == read_header(small)
    assert header.high == pytest.approx((1.0, 2.0))


def test_a_table_gives_the_surface_at_its_points(small):
    for interpolation in ("bilinear", "bicubic"):
        table = cm.lookup.LookupTable(small, interpolation=interpolation)
        u, v = np.meshgrid(np.linspace(-0.5, 1.0, 10), np.linspace(-1.0, 2.0, 10), indexing="ij")
        assert table.point(u, v) == pytest.approx(SPHERE.point(u, v), abs=1e-14)
        assert table.normal(u, v) == pytest.approx(SPHERE.normal(u, v), abs=1e-13)


def test_further_columns_are_kept_and_read_between_the_points(tmp_path):
    table = cm.lookup.build(
        Ellipsoid(1.0, 2.0, 3.0), (9, 12), (4, 4), tmp_path / "x.lut",
        extra={"stiffness": lambda u, v: 2.0 + u + 3.0 * v - u * v, "one": lambda u, v: 1.0},
    )  # fmt: skip
    assert table.header.names == (*COLUMNS, "stiffness", "one")
    u, v = np.array([0.3, -1.1, 1.2]), np.array([0.1, 3.0, 6.2])
    assert table.column("stiffness", u, v) == pytest.approx(2.0 + u + 3.0 * v - u * v, rel=1e-13)
    assert table.column("one", 0.2, 0.4) == pytest.approx(1.0)
    assert table.column("u", u, v) == pytest.approx(u)
    assert table.point(0.3, 0.7) == pytest.approx(
        cm.lookup.build(Ellipsoid(1.0, 2.0, 3.0), (9, 12), (4, 4), tmp_path / "y.lut").point(0.3, 0.7), abs=0.0
    )
    with pytest.raises(cm.ModelError, match="unknown column 'colour'; choose from u, v"):
        table.column("colour", 0.0, 0.0)


# ---- damage


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("damaged")


def complaint(folder, data: bytes) -> str:
    """Return the error of a file with these bytes, which contains its name."""
    path = folder / f"{zlib.crc32(data):08x}-{len(data)}.lut"
    path.write_bytes(data)
    with pytest.raises(cm.ModelError, match=path.name) as raised:
        opened(path)
    return str(raised.value)


@given(place=st.integers(0, 447), flip=st.integers(1, 255))
def test_a_changed_byte_of_the_header_is_found(small, folder, place: int, flip: int):
    data = bytearray(small.read_bytes())
    data[place] ^= flip
    assert complaint(folder, bytes(data))


@given(place=st.integers(448, 26 * 448 - 1), flip=st.integers(1, 255))
def test_a_changed_byte_of_a_record_is_found(small, folder, place: int, flip: int):
    data = bytearray(small.read_bytes())
    data[place] ^= flip
    assert "records do not match their checksum; build it again" in complaint(folder, bytes(data))


@given(length=st.integers(0, 26 * 448 - 1))
def test_a_file_that_ends_too_soon_is_refused(small, folder, length: int):
    assert complaint(folder, small.read_bytes()[:length])


@given(more=st.binary(min_size=1, max_size=1000))
def test_a_file_that_goes_on_is_refused(small, folder, more: bytes):
    assert "bytes, its header requires 11648" in complaint(folder, small.read_bytes() + more)


@given(data=st.binary(max_size=600).filter(lambda data: not data.startswith(b"CAROMLUT")))
def test_another_file_is_refused(folder, data: bytes):
    assert "not a lookup table" in complaint(folder, data)


@given(data=st.binary(max_size=600))
def test_a_file_that_only_begins_as_a_table_is_refused(folder, data: bytes):
    assert complaint(folder, b"CAROMLUT" + data)


FIELDS = [*range(8, 64, 8), *range(96, 136, 8)]


@given(
    place=st.sampled_from(FIELDS),
    value=st.one_of(st.integers(-3, 20), st.integers(-(2**63), 2**63 - 1), st.integers(0, 62).map(lambda k: 2**k)),
)
def test_wrong_numbers_with_a_right_checksum_are_refused(small, folder, place: int, value: int):
    """Huge counts, records of no points, ends that do not exist …: only numbers that are as good remain."""
    data = bytearray(small.read_bytes())
    old = struct.unpack_from("<q", data, place)[0]
    struct.pack_into("<q", data, place, value)
    sealed = seal(data)
    ends_or_side = place >= 96 and (value in (0, 1, 2) if place < 128 else value in (-1, 1))
    if value == old or ends_or_side:
        return
    assert ("version" if place == 8 else "") in complaint(folder, sealed)


@given(place=st.sampled_from([64, 72, 80, 88]), value=st.sampled_from([math.nan, math.inf, -math.inf]))
def test_bounds_that_are_no_numbers_are_refused(small, folder, place: int, value: float):
    data = bytearray(small.read_bytes())
    struct.pack_into("<d", data, place, value)
    assert "is inconsistent" in complaint(folder, seal(data))


@pytest.mark.parametrize("value", [0.0, -0.1])
def test_increments_that_do_not_go_up_are_refused(small, folder, value: float):
    data = bytearray(small.read_bytes())
    struct.pack_into("<d", data, 80, value)
    assert "is inconsistent" in complaint(folder, seal(data))


@pytest.mark.parametrize("names", [b"\xff" * 41, b"v,u,x,y,z,nx,ny,nz,tux,tuy,tuz,tvx,tvy,tvz"])
def test_other_names_are_refused(small, folder, names: bytes):
    data = bytearray(small.read_bytes())
    data[160 : 160 + 42] = names.ljust(42, b"\0")
    struct.pack_into("<q", data, 152, len(names))
    assert "is inconsistent" in complaint(folder, seal(data))


def seal(data: bytearray) -> bytes:
    """With the checksum of the header that its numbers have now."""
    (length,) = struct.unpack_from("<q", data, 152)
    struct.pack_into("<q", data, 144, zlib.crc32(data[:144] + data[160 : 160 + max(length, 0)]))
    return bytes(data)


@pytest.mark.parametrize("path", [None, 3.5, "a\0b"])
def test_a_path_must_be_one(path):
    with pytest.raises(cm.ModelError, match="path must be the path of a file"):
        opened(path)


def test_no_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(cm.ModelError, match=r"none.lut: file not found"):
        opened(tmp_path / "none.lut")
    with pytest.raises(cm.ModelError, match="it is a folder"):
        opened(tmp_path)
    with pytest.raises(cm.ModelError, match=r"none.lut: file not found"):
        cm.Surface(cm.Body("x", 1.0, (1.0, 1.0, 1.0)), tmp_path / "none.lut")


def test_a_header_needs_room_in_its_record():
    with pytest.raises(cm.ModelError, match="1 × 1 points is too short for the header, 202 bytes; use larger records"):
        Header((4, 4), (1, 1), (0.0, 0.0), (1.0, 1.0), ("open",) * 4, 1).encoded()
