"""The folder of compiled code: another source, another folder; always a usable one; Numba's own setting untouched."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numba
import pytest

import carom
from carom.kernels import cache, jit

SOURCES = Path(carom.__file__).parent
PROGRAM = """
import math
import numpy as np
import carom as cm
from carom.solve.mechanism import Mechanism
system = cm.System()
crank = system.add(cm.Body("crank", 1.0, 1.0, position=(0.0, 0.0), angle=0.5))
system.add(cm.Distance(system.ground, crank.point(2.0, 0.0), 1.0))
mechanism = Mechanism(system)
print(cm.__file__)
print(repr(float(mechanism.rows(0.0, mechanism.tables.y0)[0][0])))
"""


@pytest.fixture
def fresh_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """No folder chosen yet, no folder told by the user, and a temporary folder of our own."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    cache.folder.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    cache.folder.cache_clear()
    numba.core.config.reload_config()  # Numba reads the environment again when it has changed


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "package"
    (root / "inner").mkdir(parents=True)
    (root / "caller.py").write_text("from package.inner.callee import f\n")
    (root / "inner" / "callee.py").write_text("f = 1\n")
    return root


# ---- the digest


def test_digest_is_the_same_for_the_same_sources(tree: Path, tmp_path: Path):
    copy = tmp_path / "elsewhere" / "package"
    shutil.copytree(tree, copy)
    assert cache.digest(tree) == cache.digest(tree) == cache.digest(copy)


@pytest.mark.parametrize("name", ["caller.py", "inner/callee.py"])
def test_digest_changes_with_any_source(tree: Path, name: str):
    before = cache.digest(tree)
    (tree / name).write_text((tree / name).read_text() + "\n")
    assert cache.digest(tree) != before


def test_digest_changes_when_a_source_comes_goes_or_is_renamed(tree: Path):
    seen = {cache.digest(tree)}
    (tree / "new.py").write_text("")
    seen.add(cache.digest(tree))
    (tree / "new.py").rename(tree / "newer.py")
    seen.add(cache.digest(tree))
    (tree / "inner" / "callee.py").unlink()
    seen.add(cache.digest(tree))
    assert len(seen) == 4


def test_digest_does_not_see_other_files(tree: Path):
    before = cache.digest(tree)
    (tree / "notes.txt").write_text("anything")
    assert cache.digest(tree) == before


def test_digest_changes_with_numba(tree: Path, monkeypatch: pytest.MonkeyPatch):
    before = cache.digest(tree)
    monkeypatch.setattr(numba, "__version__", "0.0.0")
    assert cache.digest(tree) != before


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
    callee = home / "carom" / "mechanics" / "planar.py"
    text = callee.read_text()
    assert text.count("c * x - s * y, s * x + c * y") == 1
    callee.write_text(text.replace("c * x - s * y, s * x + c * y", "2.0 * c * x - s * y, 2.0 * s * x + c * y"))
    assert gap(home, kernels) == pytest.approx(3.0, abs=1e-15)
    assert len(list((kernels / "carom").iterdir())) == 2


# ---- where the folder is


def test_the_users_choice_comes_first(fresh_folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(fresh_folder / "chosen"))
    assert Path(cache.folder()) == fresh_folder / "chosen" / "carom" / cache.digest(SOURCES)


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
    assert Path(cache.folder()) == fresh_folder / "home" / place / "carom" / "kernels" / cache.digest(SOURCES)


@pytest.mark.parametrize(("platform", "variable"), [("linux", "XDG_CACHE_HOME"), ("win32", "LOCALAPPDATA")])
def test_the_systems_variable_moves_the_users_cache_folder(
    fresh_folder: Path, monkeypatch: pytest.MonkeyPatch, platform: str, variable: str
):
    monkeypatch.setenv(variable, str(fresh_folder / "moved"))
    monkeypatch.setattr(sys, "platform", platform)
    assert Path(cache.folder()) == fresh_folder / "moved" / "carom" / "kernels" / cache.digest(SOURCES)


def unwritable(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Every home lies below a file, where not even root can make a folder."""
    blocked = folder / "blocked"
    blocked.write_text("a file")
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LOCALAPPDATA", "USERPROFILE"):
        monkeypatch.setenv(name, str(blocked / "below"))


def test_an_unwritable_home_falls_back_to_the_temporary_folder(fresh_folder: Path, monkeypatch: pytest.MonkeyPatch):
    unwritable(monkeypatch, fresh_folder)
    place = Path(cache.folder())
    assert place.parent.parent == fresh_folder
    assert place.name == cache.digest(SOURCES)
    (place / "written").write_text("usable")


def test_without_any_writable_folder_functions_still_compile(fresh_folder: Path, monkeypatch: pytest.MonkeyPatch):
    unwritable(monkeypatch, fresh_folder)
    monkeypatch.setattr(tempfile, "tempdir", str(fresh_folder / "blocked"))
    assert cache.folder() is None
    before = numba.config.CACHE_DIR
    with cache.in_folder() as cached:
        assert not cached
        assert before == numba.config.CACHE_DIR
    assert jit(lambda x: 2.0 * x)(4.0) == 8.0


def test_only_the_newest_folders_stay(fresh_folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(fresh_folder))
    home = fresh_folder / "carom"
    for age in range(8):
        old = home / f"digest{age}"
        old.mkdir(parents=True)
        os.utime(old, (1e9 - 1000 * age, 1e9 - 1000 * age))
    current = Path(cache.folder())
    kept = {path.name for path in home.iterdir()}
    assert kept == {current.name, "digest0", "digest1", "digest2"}
    assert len(kept) == cache.KEEP


# ---- Numba's own setting


def test_numbas_setting_is_ours_inside_and_the_users_outside(fresh_folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(fresh_folder))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "the user's own")
    with cache.in_folder() as cached:
        assert cached
        assert cache.folder() == numba.config.CACHE_DIR
    assert numba.config.CACHE_DIR == "the user's own"


def test_numbas_setting_is_put_back_after_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "the user's own")
    with pytest.raises(RuntimeError, match="inside"), cache.in_folder():
        raise RuntimeError("inside")
    assert numba.config.CACHE_DIR == "the user's own"


def test_decorating_and_compiling_leave_numbas_setting_alone(monkeypatch: pytest.MonkeyPatch):
    from carom.joints.weld import planar

    monkeypatch.setattr(numba.config, "CACHE_DIR", "the user's own")
    assert jit(lambda x: x + 1.0)(2.0) == 3.0
    assert planar.address != 0
    assert numba.config.CACHE_DIR == "the user's own"
