"""Tables are written whole or not at all."""

import errno
import os
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

import carom as cm
from carom.geometry.surfaces import Sphere

SPHERE = Sphere(1.0)


class Stopped(Exception):
    pass


@pytest.mark.parametrize("kind", [Stopped, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("there", [False, True])
def test_an_interrupted_build_leaves_nothing(tmp_path, kind, there: bool):
    target = tmp_path / "x.lut"
    if there:
        target.write_bytes(b"an old one")
    shares = []

    def stop(share: float) -> None:
        shares.append(share)
        if len(shares) == 3:
            raise kind

    with pytest.raises(kind):
        cm.lookup.build(SPHERE, (40, 10), (4, 4), target, progress=stop)
    assert len(shares) == 3
    assert [path.name for path in tmp_path.iterdir()] == (["x.lut"] if there else [])
    if there:
        assert target.read_bytes() == b"an old one"


def test_progress_goes_up_to_the_whole(tmp_path):
    shares: list[float] = []
    cm.lookup.build(SPHERE, (40, 10), (4, 4), tmp_path / "x.lut", progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_file_that_is_there_is_replaced_while_others_read_it(tmp_path):
    old = cm.lookup.build(SPHERE, (20, 20), (4, 4), tmp_path / "x.lut", window=(3, 3))
    before = old.point(0.3, 0.4)
    new = cm.lookup.build(Sphere(2.0), (20, 20), (4, 4), tmp_path / "x.lut")
    assert np.array_equal(old.point(0.3, 0.4), before)
    assert np.linalg.norm(new.point(0.3, 0.4)) == pytest.approx(2.0, rel=1e-4)


def test_there_must_be_a_folder_that_can_be_written_to(tmp_path, monkeypatch):
    with pytest.raises(cm.ModelError, match=f"folder not found: {tmp_path}/none"):
        cm.lookup.build(SPHERE, (8, 8), (4, 4), tmp_path / "none" / "x.lut")
    (tmp_path / "x.lut").mkdir()
    with pytest.raises(cm.ModelError, match=r"x\.lut is a folder"):
        cm.lookup.build(SPHERE, (8, 8), (4, 4), tmp_path / "x.lut")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(cm.ModelError, match=f"no write permission for folder {tmp_path}"):
        cm.lookup.build(SPHERE, (8, 8), (4, 4), tmp_path / "y.lut")


def test_a_disk_without_room_is_told_before_any_work(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1_000_000))
    with pytest.raises(cm.ModelError, match=r"the table needs 112 MB, but .* has 1 MB free"):
        cm.lookup.build(SPHERE, (999, 999), (27, 27), tmp_path / "x.lut")
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_gets_full_is_told_and_leaves_nothing(tmp_path, monkeypatch):
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(cm.ModelError, match=r"x\.lut could not be written: .*No space left on device"):
        cm.lookup.build(SPHERE, (8, 8), (4, 4), tmp_path / "x.lut")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"surface": "sphere"}, "surface must be one of carom.surfaces, got 'sphere'"),
        ({"points": 999}, "points must be two integers ≥ 4, got 999"),
        ({"points": (10.0, 10.0)}, "points must be two integers"),
        ({"points": (3, 10)}, "points must be two integers ≥ 4"),
        ({"points": [[1], [2, 3]]}, "points must be two integers"),
        ({"points": (2**31, 10)}, "points must be two integers"),
        ({"points": (10**9, 10**6)}, "need a file of 1.12e.17 bytes; use fewer points"),
        ({"record": (0, 4)}, "record must be two integers ≥ 1"),
        ({"record": (True, False)}, "record must be two integers"),
        ({"record": (1, 1)}, "too short for the header"),
        ({"path": 3.5}, "path must be the path of a file, got 3.5"),
        ({"path": "a\0b"}, "path must be the path of a file"),
        (
            {"extra": {"x": np.add}},
            "name of an extra column must be unique and an identifier, such as 'stiffness', got 'x'",
        ),
        ({"extra": {"a,b": np.add}}, "must be unique and an identifier"),
        ({"extra": {"ü": np.add}}, "must be unique and an identifier"),
        ({"extra": {"k": lambda u, v: np.ones(3)}}, r"column 'k' must have the shape of u and v, got \(3,\)"),
        ({"extra": {"k": lambda u, v: np.where(u > 0.0, np.nan, 1.0)}}, "column k is not finite at u = "),
        ({"window": (0, 3)}, r"window must be two record counts, such as \(5, 11\), got \(0, 3\)"),
        ({"window": [[1], [2, 3]]}, "window must be two record counts"),
        ({"window": 5}, "window must be two record counts"),
        ({"interpolation": "cubic"}, "interpolation must be one of 'bilinear', 'bicubic', got 'cubic'"),
    ],
)
def test_bad_arguments(tmp_path, arguments, message: str):
    given = {"surface": SPHERE, "points": (8, 8), "record": (4, 4), "path": tmp_path / "x.lut"} | arguments
    with pytest.raises(cm.ModelError, match=message):
        cm.lookup.build(**given)
    assert list(tmp_path.iterdir()) == []
