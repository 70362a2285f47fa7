"""Files of runs that were interrupted: by kill -9, by a full disk, cut at any byte; nothing that was good is lost."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import h5py
import numpy as np
import pytest

import carom as cm
from carom.io import results, streams
from carom.io.journal import Writer, find, part_of, state_of
from carom.io.locks import FileLock, is_locked
from carom.io.packing import FRAME, next_frame
from carom.io.results import ResultFileError
from carom.io.whole import whole as whole_file
from carom.result.outcome import Outcome
from carom.solve import streamed
from carom.solve.compliant import rk_integrator

ROOT = Path(__file__).resolve().parents[2]
T_END = 0.5


def bouncing() -> cm.System:
    system = cm.System(gravity=(0.0, -9.81), name="bouncing")
    ball = system.add(cm.Body("ball", 1.0, 0.004, position=(0.0, 0.15), velocity=(0.6, -0.5)))
    law = cm.laws.Flores(stiffness=1e5, restitution=0.6)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), law=law, name="floor"))
    return system


@pytest.fixture
def in_small_chunks(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(streamed, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(rk_integrator, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(rk_integrator, "FIRST_BUDGET", 60)
    monkeypatch.setattr(rk_integrator, "LEAST_BUDGET", 100)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> cm.Result:
    return cm.simulate(bouncing(), T_END, output=tmp_path_factory.mktemp("whole") / "run.h5")


@pytest.fixture
def broken(tmp_path, monkeypatch, in_small_chunks) -> Path:
    """A run that ended after a few chunks."""
    write, count = Writer.write, 0

    def counted(self, *given):
        nonlocal count
        write(self, *given)
        count += 1
        if count == 8:
            raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "write", counted)
        with pytest.raises(SystemExit):
            cm.simulate(bouncing(), T_END, output=tmp_path / "run.h5")
    return tmp_path / "run.h5"


# ---- kill -9

SLOWLY = """
import sys, time
import carom as cm
from carom.solve import streamed
from carom.solve.compliant import rk_integrator

streamed.CHUNK_SECONDS = rk_integrator.CHUNK_SECONDS = -1.0
rk_integrator.FIRST_BUDGET, rk_integrator.LEAST_BUDGET = 60, 100
wait = lambda fraction: time.sleep(0.03)
if sys.argv[1] == "start":
    cm.simulate(cm.System.from_yaml(sys.argv[2]), float(sys.argv[4]), output=sys.argv[3], progress=wait)
else:
    cm.resume(sys.argv[3], progress=wait)
"""


@pytest.mark.slow
def test_kill_9_at_any_moment_leaves_what_was_computed(tmp_path, whole):
    """Real processes, killed at random moments; the last one goes on to the end."""
    chance = random.Random(5)
    model, file = tmp_path / "model.yaml", tmp_path / "run.h5"
    bouncing().to_yaml(model)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    reached, what = -1.0, "start"
    for _ in range(3):
        before = part_of(file).stat().st_size if part_of(file).exists() else 0
        command = [sys.executable, "-c", SLOWLY, what, str(model), str(file), str(T_END)]
        process = subprocess.Popen(command, env=environment, cwd=ROOT)
        while process.poll() is None and (not part_of(file).exists() or part_of(file).stat().st_size <= before):
            time.sleep(0.002)
        time.sleep(chance.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        if process.wait() == 0 or not part_of(file).exists():  # it was faster
            break
        there, what = cm.load(file), "resume"
        assert there.outcome is Outcome.INTERRUPTED
        assert "cm.resume" in there.message
        assert there.t[-1] >= reached
        reached = float(there.t[-1])
        np.testing.assert_array_equal(there.q, whole.q[: len(there.t)])
        np.testing.assert_array_equal(there.energy.total, whole.energy.total[: len(there.t)])
    assert reached > 0.0
    assert cm.resume(file).same_as(whole)
    assert [path.name for path in tmp_path.iterdir() if path != model] == ["run.h5"]


# ---- files cut short


def boundaries(part: Path) -> list[int]:
    """Where the records of a file end."""
    ends = [0]
    with open(part, "rb") as stream:
        while next_frame(stream) is not None:
            ends.append(stream.tell())
    return ends


def test_a_file_cut_anywhere_is_good_up_to_the_last_whole_record(broken, whole):
    part, state = part_of(broken), state_of(broken)
    full, known = part.read_bytes(), state.read_bytes()
    ends = boundaries(part)
    assert len(ends) > 6
    assert ends[-1] == len(full)
    cuts = {end + more for end in ends for more in (-1, 0, 1, 5, FRAME.size - 1, FRAME.size, FRAME.size + 9)}
    cuts |= {(a + b) // 2 for a, b in pairwise(ends)}
    for cut in sorted(cut for cut in cuts if 0 <= cut <= len(full)):
        part.write_bytes(full[:cut])
        if cut < ends[2]:  # not one chunk
            with pytest.raises(ResultFileError, match=r"run\.h5"):
                cm.load(broken)
            continue
        there = cm.load(broken)
        np.testing.assert_array_equal(there.signals[:, 0], whole.signals[: len(there.t), 0])
    for cut in (ends[1], ends[2] + 7, ends[-2], ends[-1] - 1, ends[-1]):
        part.write_bytes(full[:cut])
        state.write_bytes(known)
        assert cm.resume(broken).same_as(whole)


def test_a_byte_that_changed_is_noticed(broken, whole):
    part = part_of(broken)
    content, ends = bytearray(part.read_bytes()), boundaries(part)
    content[ends[4] + 100] ^= 1
    part.write_bytes(content)
    there = cm.load(broken)
    assert find(part).length == ends[4]
    np.testing.assert_array_equal(there.q, whole.q[: len(there.t)])
    assert cm.resume(broken).same_as(whole)


def test_without_its_state_or_with_half_of_it_the_run_begins_anew(broken, whole):
    full, known = part_of(broken).read_bytes(), state_of(broken).read_bytes()
    for state in (None, b"", known[: len(known) // 2]):
        part_of(broken).write_bytes(full)
        state_of(broken).unlink() if state is None else state_of(broken).write_bytes(state)
        assert cm.resume(broken).same_as(whole)


def test_the_state_of_another_run_is_not_taken(broken, whole, tmp_path):
    other = tmp_path / "other.h5"
    cm.simulate(bouncing(), 0.1, output=other)
    streams.unpack_file(other)
    state_of(other).rename(state_of(broken))
    part_of(other).unlink()
    assert cm.resume(broken).same_as(whole)


def test_what_is_no_run_is_refused(tmp_path):
    file = tmp_path / "run.h5"
    part_of(file).write_bytes(b"something else")
    with pytest.raises(ResultFileError, match=r"run\.h5"):
        cm.load(file)
    with pytest.raises(ResultFileError, match="cannot be read as a run"):
        cm.resume(file)
    part_of(file).unlink()
    with pytest.raises(FileNotFoundError):
        cm.resume(file)
    cm.simulate(bouncing(), 0.01).save(file)
    assert cm.resume(file).t[-1] == 0.01
    with pytest.raises(cm.ModelError, match="not written while it was computed"):
        cm.resume(file, t_end=1.0)


# ---- disks that are full, folders that are closed


@pytest.fixture
def limited():
    """Files may grow to so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("in_small_chunks")
def test_a_full_disk_keeps_what_was_written(tmp_path, whole, limited):
    file = tmp_path / "run.h5"
    limited(90_000)
    with pytest.raises(cm.DiskError, match=r"run\.h5\.part: .*resume\(.*run\.h5.*goes on") as caught:
        cm.simulate(bouncing(), T_END, output=file)
    assert caught.value.errno == errno.EFBIG
    limited(resource.RLIM_INFINITY)
    there = cm.load(file)
    assert 0.0 < there.t[-1] < T_END
    np.testing.assert_array_equal(there.q, whole.q[: len(there.t)])
    assert cm.resume(file).same_as(whole)


def test_a_run_that_fails_at_once_leaves_the_good_file(tmp_path, whole, limited):
    file = tmp_path / "run.h5"
    cm.simulate(bouncing(), T_END, output=file)
    limited(1000)
    with pytest.raises(cm.DiskError, match="start the run again"):
        cm.simulate(bouncing(), T_END, output=file)
    limited(resource.RLIM_INFINITY)
    assert cm.load(file).same_as(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]


def test_a_disk_that_is_full_at_the_very_end_loses_nothing(tmp_path, whole, monkeypatch):
    file = tmp_path / "run.h5"
    good = cm.simulate(bouncing(), 0.01, output=file)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(streams, "write_file", full)
        with pytest.raises(cm.DiskError, match=r"run\.h5: No space left on device.*cm\.resume"):
            cm.simulate(bouncing(), T_END, output=file)
    assert cm.load(file).same_as(whole)
    part_of(file).rename(tmp_path / "aside")
    assert cm.load(file).same_as(good)
    (tmp_path / "aside").rename(part_of(file))
    assert cm.resume(file).same_as(whole)
    assert cm.load(file).same_as(whole)


def test_places_that_cannot_be_written_are_named(tmp_path):
    closed = Path("/sys/run.h5")  # closed to everybody
    if closed.parent.is_dir():
        with pytest.raises(cm.DiskError, match=r"/sys/run\.h5\.part: .*folder"):
            cm.simulate(bouncing(), 0.01, output=closed)
    with pytest.raises(cm.DiskError, match="there is no folder"):
        cm.simulate(bouncing(), 0.01, output=tmp_path / "none" / "run.h5")
    with pytest.raises(cm.DiskError, match="it is a folder"):
        cm.simulate(bouncing(), 0.01, output=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_is_read_only_is_named(tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(cm.DiskError, match=r"run\.h5\.part: Permission denied"):
        cm.simulate(bouncing(), 0.01, output=tmp_path / "run.h5")


# ---- one run a file


def test_an_unfinished_run_is_not_overwritten(broken, whole):
    with pytest.raises(cm.ModelError, match=r"unfinished run, up to t = .*resume"):
        cm.simulate(bouncing(), T_END, output=broken)
    assert cm.resume(broken).same_as(whole)
    assert cm.simulate(bouncing(), T_END, output=broken).same_as(whole)


def test_a_file_belongs_to_one_process_at_a_time(broken, whole):
    with Writer.reopen(broken, find(part_of(broken))):
        assert "still being computed" in cm.load(broken).message
        with pytest.raises(cm.ModelError, match="another process"):
            cm.resume(broken)
    assert cm.resume(broken).same_as(whole)


def test_a_second_run_to_the_same_file_is_refused_at_once(tmp_path, whole):
    file, refused = tmp_path / "run.h5", []

    def second(fraction):
        if not refused:
            with pytest.raises(cm.ModelError, match=r"simulate: .*run\.h5 is being written by another process"):
                cm.simulate(bouncing(), T_END, output=file)
            refused.append(fraction)

    assert cm.simulate(bouncing(), T_END, output=file, progress=second).same_as(whole)
    assert refused
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]


@pytest.mark.parametrize("kernel_locks", [True, False])
def test_a_lock_ends_with_its_process(tmp_path, monkeypatch, kernel_locks):
    if not kernel_locks:  # as on some network file systems
        fcntl = pytest.importorskip("fcntl")

        def unknown(*_):
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr(fcntl, "lockf", unknown)
    file, (ready, tell) = tmp_path / "run.h5", os.pipe()
    child = os.fork()
    if child == 0:
        with FileLock("simulate", file):
            os.write(tell, b".")
            time.sleep(60)
        os._exit(0)
    try:
        os.read(ready, 1)
        assert is_locked(file)
        with pytest.raises(cm.ModelError, match=rf"resume: .*run\.h5 is being written by another process \({child} on"):
            FileLock("resume", file)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert not is_locked(file)
    with FileLock("resume", file):
        assert is_locked(file)
    assert list(tmp_path.iterdir()) == []


# ---- nothing is lost


def stopping(fraction):
    raise KeyboardInterrupt


def test_records_stay_until_newer_ones_reach_further(broken, whole, monkeypatch):
    """A run without its checkpoint is killed, stopped and killed again; it never has less than before."""
    reached = cm.load(broken).t[-1]
    write = Writer.write

    def killed(self, *given):
        write(self, *given)
        raise SystemExit

    state_of(broken).unlink()
    with monkeypatch.context() as patch:
        patch.setattr(Writer, "write", killed)
        with pytest.raises(SystemExit), pytest.warns(cm.CaromWarning, match="restarts from t = 0"):
            cm.resume(broken)
    assert cm.load(broken).t[-1] == reached
    there = cm.resume(broken, progress=stopping)  # Ctrl-C makes a result file of it
    assert there.t[-1] >= reached
    reached = there.t[-1]
    assert cm.load(broken).same_as(there)
    assert there.outcome is Outcome.INTERRUPTED
    np.testing.assert_array_equal(there.q, whole.q[: len(there.t)])
    with monkeypatch.context() as patch:
        patch.setattr(Writer, "write", killed)
        with pytest.raises(SystemExit):
            cm.resume(broken)
    assert cm.load(broken).t[-1] >= reached
    assert cm.resume(broken).same_as(whole)


def test_impacts_after_the_checkpoint_are_not_counted_twice(tmp_path, whole, monkeypatch):
    """Stopped by Ctrl-C long after the last checkpoint."""
    file, late = tmp_path / "run.h5", [False]
    monkeypatch.setattr(rk_integrator, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(streamed.Streamed, "due", property(lambda self: not late[0]))

    def stop(fraction):
        late[0] = fraction > 0.1
        if fraction > 0.9:
            raise KeyboardInterrupt

    stopped = cm.simulate(bouncing(), T_END, output=file, progress=stop)
    assert len(stopped.impacts) > 1
    assert cm.resume(file).same_as(whole)


def test_records_that_are_deleted_meanwhile_are_restored(tmp_path, whole, in_small_chunks):
    file, deleted = tmp_path / "run.h5", []

    def delete(fraction):
        if fraction > 0.5 and not deleted:
            part_of(file).unlink()
            deleted.append(fraction)

    with pytest.warns(cm.CaromWarning, match=r"run\.h5\.part was deleted .*restored"):
        result = cm.simulate(bouncing(), T_END, output=file, progress=delete)
    assert deleted
    assert result.same_as(whole)


def test_what_was_computed_outlives_its_folder(tmp_path, whole, in_small_chunks):
    folder = tmp_path / "results"
    folder.mkdir()

    def delete(fraction):
        if fraction > 0.5:
            shutil.rmtree(folder, ignore_errors=True)

    with pytest.raises(cm.DiskError, match=r"it was deleted .*cm\.load\(") as caught:
        cm.simulate(bouncing(), T_END, output=folder / "run.h5", progress=delete)
    kept = Path(str(caught.value).split("cm.load('")[1].split("'")[0])
    there = cm.load(kept)
    assert there.t[-1] > 0.4 * T_END
    np.testing.assert_array_equal(there.q, whole.q[: len(there.t)])
    shutil.rmtree(kept.parent)


def test_a_flipped_bit_in_the_checkpoint_is_refused(tmp_path):
    file = tmp_path / "run.h5"
    cm.simulate(bouncing(), 0.1, output=file)
    for name in ("state", "head"):
        changed = tmp_path / f"{name}.h5"
        shutil.copy(file, changed)
        with h5py.File(changed, "r+") as opened:
            place = opened[f"resume/{name}"]
            at, size = place.id.get_offset(), place.id.get_storage_size()
            if at is None or name == "head":
                text = place[()].replace(b'"rtol": 1e-08', b'"rtol": 1e-03')
                sums = dict(place.attrs)
                del opened[f"resume/{name}"]
                opened[f"resume/{name}"] = text
                opened[f"resume/{name}"].attrs.update(sums)
                at = None
        if at is not None:
            content = bytearray(changed.read_bytes())
            content[at + size // 2] ^= 1
            changed.write_bytes(content)
        with pytest.raises(ResultFileError, match="checksum of its checkpoint"):
            cm.resume(changed, t_end=0.2)
        assert cm.load(changed).t[-1] == 0.1
        assert not part_of(changed).exists()


# ---- files that are not regular


@pytest.mark.parametrize("kind", ["device", "link to a device", "pipe"])
def test_what_is_no_regular_file_is_refused(kind, tmp_path):
    place = tmp_path / "there"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "device":
        place = Path("/dev/null")
    else:
        place.symlink_to("/dev/null")
    result = cm.simulate(bouncing(), 0.01)
    for write in (
        lambda: cm.simulate(bouncing(), 0.01, output=place), lambda: result.save(place),
        lambda: bouncing().to_yaml(place), lambda: result.report(place),
    ):  # fmt: skip
        with pytest.raises(cm.DiskError, match=r"it is (a device|a named pipe), not a regular file"):
            write()
    assert not place.is_file()
    assert list(tmp_path.iterdir()) in ([], [place])


def test_what_killed_processes_left_is_removed(tmp_path):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    file = tmp_path / "model.yaml"
    with whole_file(file) as part:
        dead, living = part.name.replace(str(os.getpid()), str(child)), part.name[:-1]
        part.write_text("good")
    for name in (dead, living):
        (tmp_path / name).write_text("left behind")
    bouncing().to_yaml(file)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([living, "model.yaml"])


def test_a_link_stays_a_link(tmp_path, whole):
    (tmp_path / "there").mkdir()
    link = tmp_path / "run.h5"
    link.symlink_to(tmp_path / "there" / "run.h5")
    assert cm.simulate(bouncing(), T_END, output=str(link)).same_as(whole)
    assert link.is_symlink()
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["run.h5"]


# ---- memory


def test_large_arrays_stay_in_the_file(tmp_path, whole, monkeypatch):
    file = tmp_path / "run.h5"
    monkeypatch.setattr(results, "_MAPPED_FROM", 100)
    result = cm.simulate(bouncing(), T_END, output=file)
    assert result.same_as(whole)
    base = result.q
    while isinstance(base.base, np.ndarray):
        base = base.base
    assert isinstance(base, np.memmap)
    result.save(file)  # onto itself
    assert cm.load(file).same_as(whole)
    assert result.same_as(whole)


@pytest.mark.usefixtures("in_small_chunks")
def test_nodes_in_memory_are_few(tmp_path, monkeypatch):
    most = 0
    observed = streamed.Streamed.observed

    def watched(self, last=False):
        nonlocal most
        most = max(most, self.numbers())
        return observed(self, last)

    monkeypatch.setattr(streamed.Streamed, "observed", watched)
    monkeypatch.setattr(streamed, "CHUNK_SECONDS", 1e9)
    monkeypatch.setattr(streamed, "CHUNK_NUMBERS", 200)
    result = cm.simulate(bouncing(), T_END, output=tmp_path / "run.h5")
    assert len(result.t) > 10 * most // 20
    assert most < 600
