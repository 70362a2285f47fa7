"""The folder of compiled code, the files in it, and what happens when they are damaged."""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import pytest

import carom
from carom.errors import CaromWarning
from carom.kernels import cache, jit, numba_compat
from carom.kernels.argument_types import FLOAT64

SOURCES = Path(carom.__file__).parent
PROGRAM = """
import math
import numpy as np
import carom as cm
from carom.solve.model_evaluator import ModelEvaluator
system = cm.System()
crank = system.add(cm.Body("crank", 1.0, 1.0, position=(0.0, 0.0), angle=0.5))
system.add(cm.Distance(system.ground, crank.point(2.0, 0.0), 1.0))
mechanism = ModelEvaluator(system)
print(cm.__file__)
print(repr(float(mechanism.rows(0.0, mechanism.tables.y0)[0][0])))
"""


@pytest.fixture
def fresh_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """No folder chosen yet, no folder set by the user, and a temporary folder of our own."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cache.folder.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    cache.folder.cache_clear()
    numba.core.config.reload_config()  # Numba reads the environment again when it has changed


# ---- the real thing: a callee in another file is edited between two processes


def gap(home: Path, kernels: Path) -> float:
    """The residual of a rod to a point 2 m out on a crank, from a process that uses the sources in ``home``."""
    environment = {**os.environ, "PYTHONPATH": str(home), "NUMBA_CACHE_DIR": str(kernels)}
    command = [sys.executable, "-c", PROGRAM]
    process = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    where, value = process.stdout.split()
    assert Path(where).is_relative_to(home)
    return float(value)


@pytest.mark.slow
def test_a_changed_callee_in_another_file_changes_the_result(tmp_path: Path):
    home, kernels = tmp_path / "home", tmp_path / "kernels"
    shutil.copytree(SOURCES, home / "carom", ignore=shutil.ignore_patterns("__pycache__"))
    assert gap(home, kernels) == pytest.approx(1.0, abs=1e-15)
    callee = home / "carom" / "mechanics" / "planar_body.py"
    text = callee.read_text()
    assert text.count("c * x - s * y, s * x + c * y") == 1
    callee.write_text(text.replace("c * x - s * y, s * x + c * y", "2.0 * c * x - s * y, 2.0 * s * x + c * y"))
    assert gap(home, kernels) == pytest.approx(3.0, abs=1e-15)


# ---- where the folder is


def test_the_users_choice_comes_first(fresh_folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(fresh_folder / "chosen"))
    assert Path(cache.folder()) == fresh_folder / "chosen" / "carom"


@pytest.mark.parametrize(
    ("platform", "place"),
    [("linux", ".cache"), ("darwin", "Library/Caches"), ("win32", "AppData/Local")],
)
def test_the_users_own_cache_folder_comes_next(
    fresh_folder: Path, monkeypatch: pytest.MonkeyPatch, platform: str, place: str
):
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: fresh_folder / "home")
    monkeypatch.setattr(sys, "platform", platform)
    assert Path(cache.folder()) == fresh_folder / "home" / place / "carom" / "kernels"


@pytest.mark.parametrize(("platform", "variable"), [("linux", "XDG_CACHE_HOME"), ("win32", "LOCALAPPDATA")])
def test_the_systems_variable_moves_the_users_cache_folder(
    fresh_folder: Path, monkeypatch: pytest.MonkeyPatch, platform: str, variable: str
):
    monkeypatch.setenv(variable, str(fresh_folder / "moved"))
    monkeypatch.setattr(sys, "platform", platform)
    assert Path(cache.folder()) == fresh_folder / "moved" / "carom" / "kernels"


def unwritable(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Every home lies below a file, where not even root can make a folder."""
    blocked = folder / "blocked"
    blocked.write_text("a file")
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA", "USERPROFILE"):
        monkeypatch.setenv(name, str(blocked / "below"))


def test_an_unwritable_home_falls_back_to_the_temporary_folder(fresh_folder: Path, monkeypatch: pytest.MonkeyPatch):
    unwritable(monkeypatch, fresh_folder)
    with pytest.warns(CaromWarning, match="NUMBA_CACHE_DIR: compiled code cannot be kept in .*another folder is used"):
        place = Path(cache.folder())
    assert place.parent == fresh_folder
    (place / "written").write_text("usable")


def test_without_any_writable_folder_functions_still_compile(fresh_folder: Path, monkeypatch: pytest.MonkeyPatch):
    unwritable(monkeypatch, fresh_folder)
    monkeypatch.setattr(tempfile, "tempdir", str(fresh_folder / "blocked"))
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert cache.folder() is None
    assert jit(lambda x: 2.0 * x)(4.0) == 8.0


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="the system has no owners and modes of files")
@pytest.mark.parametrize(("mode", "trusted"), [(0o755, True), (0o777, False), (0o775, False), (0o1777, True)])
def test_a_folder_that_others_can_change_is_not_used(
    fresh_folder: Path, monkeypatch: pytest.MonkeyPatch, mode: int, trusted: bool
):
    parent = fresh_folder / "shared"
    (parent / "own").mkdir(parents=True, mode=0o700)
    parent.chmod(mode)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(parent / "own"))
    if trusted:
        assert Path(cache.folder()) == parent / "own" / "carom"
    else:
        with pytest.warns(CaromWarning, match=f"other users can change {parent}"):
            assert parent not in Path(cache.folder()).parents


# ---- the files


@pytest.fixture
def doubled(fresh_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """Compile a small function as a new process would, with a cache of its own."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(fresh_folder))
    monkeypatch.setattr(numba_compat.KernelCache, "_has_failed", False)
    return lambda: numba_compat.compile_callback(double, FLOAT64(FLOAT64))


def double(x):
    return 2.0 * x


def code_files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.nbc"))


def test_code_comes_from_the_cache_the_second_time(doubled, fresh_folder: Path):
    assert doubled().cache_hits == 0
    assert len(code_files(fresh_folder)) == 1
    again = doubled()
    assert again.cache_hits == 1
    assert again.ctypes(3.0) == 6.0


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "of another function"])
def test_damaged_code_is_compiled_again_and_repaired(doubled, fresh_folder: Path, damage: str):
    doubled()
    [path] = code_files(fresh_folder)
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        content[len(content) // 2] ^= 1
    contents = {"empty": b"", "cut": content[: len(content) // 2], "flipped": content, "of another function": b"x" * 99}
    path.write_bytes(contents[damage])
    with pytest.warns(CaromWarning, match="kernel cache .* is damaged; the kernel is compiled without it"):
        mended = doubled()
    assert (mended.cache_hits, mended.ctypes(3.0)) == (0, 6.0)
    assert doubled().cache_hits == 1


def test_a_full_disk_is_reported_once_and_compilation_goes_on(doubled, fresh_folder: Path, monkeypatch):
    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(numba_compat.os, "replace", full)
    with pytest.warns(CaromWarning, match="No space left on device; the kernel is compiled without it") as caught:
        assert [doubled().ctypes(3.0), doubled().ctypes(4.0)] == [6.0, 8.0]
    assert len(caught) == 1
    assert not any(path.suffix in (".nbc", ".part") for path in fresh_folder.rglob("*"))


def test_only_the_newest_versions_of_the_sources_stay(doubled, fresh_folder: Path, monkeypatch: pytest.MonkeyPatch):
    for version in range(numba_compat.MAX_VERSIONS + 3):
        monkeypatch.setattr(numba_compat, "source_digest", lambda function, version=version: str(version))
        doubled()
        for path in code_files(fresh_folder):  # a step of one second between versions, whatever the clock resolves
            os.utime(path, (path.stat().st_mtime - 1.0,) * 2)
    assert len(code_files(fresh_folder)) == numba_compat.MAX_VERSIONS


def test_numbas_own_setting_stays_the_users(monkeypatch: pytest.MonkeyPatch):
    from carom.joints.weld import planar

    monkeypatch.setattr(numba.config, "CACHE_DIR", "the user's own")
    assert jit(lambda x: x + 1.0)(2.0) == 3.0
    assert planar.address != 0
    assert numba.config.CACHE_DIR == "the user's own"
