"""Interrupted runs (killed process, full disk, truncated file) keep their valid records."""

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
from carom.io import result_file, unfinished_runs
from carom.io.atomic_write import atomic_write
from carom.io.binary_records import FRAME, next_frame
from carom.io.checkpoint_file import CheckpointWriter
from carom.io.locks import FileLock, is_locked
from carom.io.records import checkpoint_path, read_records, read_run, records_path
from carom.io.result_file import ResultFileError
from carom.result.outcome import Outcome
from carom.solve import checkpointing
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
    monkeypatch.setattr(checkpointing, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(rk_integrator, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(rk_integrator, "FIRST_BUDGET", 60)
    monkeypatch.setattr(rk_integrator, "LEAST_BUDGET", 100)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory) -> cm.Result:
    return cm.simulate(bouncing(), T_END, stream=tmp_path_factory.mktemp("uninterrupted") / "run.h5")


@pytest.fixture
def broken(tmp_path, monkeypatch, in_small_chunks) -> Path:
    """Return the file of a run that was interrupted after a few chunks."""
    write, count = CheckpointWriter.write, 0

    def counted(self, *given):
        nonlocal count
        write(self, *given)
        count += 1
        if count == 8:
            raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(CheckpointWriter, "write", counted)
        with pytest.raises(SystemExit):
            cm.simulate(bouncing(), T_END, stream=tmp_path / "run.h5")
    return tmp_path / "run.h5"


# ---- kill -9

SLOWLY = """
import sys, time
import carom as cm
from carom.solve import checkpointing
from carom.solve.compliant import rk_integrator

checkpointing.CHUNK_SECONDS = rk_integrator.CHUNK_SECONDS = -1.0
rk_integrator.FIRST_BUDGET, rk_integrator.LEAST_BUDGET = 60, 100
wait = lambda fraction: time.sleep(0.03)
if sys.argv[1] == "start":
    cm.simulate(cm.System.from_yaml(sys.argv[2]), float(sys.argv[4]), stream=sys.argv[3], progress=wait)
else:
    cm.resume(sys.argv[3], progress=wait)
"""


@pytest.mark.slow
def test_killed_process_keeps_the_computed_part(tmp_path, uninterrupted):
    """Kill processes at random times; the last one finishes the run."""
    chance = random.Random(5)
    model, file = tmp_path / "model.yaml", tmp_path / "run.h5"
    bouncing().to_yaml(model)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    reached, what = -1.0, "start"
    for _ in range(3):
        before = records_path(file).stat().st_size if records_path(file).exists() else 0
        command = [sys.executable, "-c", SLOWLY, what, str(model), str(file), str(T_END)]
        process = subprocess.Popen(command, env=environment, cwd=ROOT)
        while process.poll() is None and (
            not records_path(file).exists() or records_path(file).stat().st_size <= before
        ):
            time.sleep(0.002)
        time.sleep(chance.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        if process.wait() == 0 or not records_path(file).exists():  # it was faster
            break
        loaded, what = cm.load(file), "resume"
        assert loaded.outcome is Outcome.INTERRUPTED
        assert "cm.resume" in loaded.message
        assert loaded.t[-1] >= reached
        reached = float(loaded.t[-1])
        np.testing.assert_array_equal(loaded.q, uninterrupted.q[: len(loaded.t)])
        np.testing.assert_array_equal(loaded.energy.total, uninterrupted.energy.total[: len(loaded.t)])
    assert reached > 0.0
    assert cm.resume(file).same_as(uninterrupted)
    assert [path.name for path in tmp_path.iterdir() if path != model] == ["run.h5"]


def test_run_that_ends_while_it_is_loaded_is_loaded_from_its_result_file(broken, uninterrupted, monkeypatch):
    def read_slowly(path):
        contents = read_run(path)
        with monkeypatch.context() as patch:
            patch.setattr(unfinished_runs, "read_run", read_run)
            cm.resume(path)
        return contents

    monkeypatch.setattr(unfinished_runs, "read_run", read_slowly)
    assert cm.load(broken).same_as(uninterrupted)


# ---- files cut short


def boundaries(part: Path) -> list[int]:
    """Return the offsets of the ends of the records."""
    ends = [0]
    with open(part, "rb") as stream:
        while next_frame(stream) is not None:
            ends.append(stream.tell())
    return ends


def test_truncated_file_is_valid_up_to_the_last_complete_record(broken, uninterrupted):
    part, state = records_path(broken), checkpoint_path(broken)
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
        loaded = cm.load(broken)
        np.testing.assert_array_equal(loaded.signals[:, 0], uninterrupted.signals[: len(loaded.t), 0])
    for cut in (ends[1], ends[2] + 7, ends[-2], ends[-1] - 1, ends[-1]):
        part.write_bytes(full[:cut])
        state.write_bytes(known)
        assert cm.resume(broken).same_as(uninterrupted)


def test_changed_byte_is_detected(broken, uninterrupted):
    part = records_path(broken)
    content, ends = bytearray(part.read_bytes()), boundaries(part)
    content[ends[4] + 100] ^= 1
    part.write_bytes(content)
    loaded = cm.load(broken)
    assert read_records(part).length == ends[4]
    np.testing.assert_array_equal(loaded.q, uninterrupted.q[: len(loaded.t)])
    assert cm.resume(broken).same_as(uninterrupted)


def test_run_restarts_without_a_complete_checkpoint(broken, uninterrupted):
    full, known = records_path(broken).read_bytes(), checkpoint_path(broken).read_bytes()
    for state in (None, b"", known[: len(known) // 2]):
        records_path(broken).write_bytes(full)
        checkpoint_path(broken).unlink() if state is None else checkpoint_path(broken).write_bytes(state)
        assert cm.resume(broken).same_as(uninterrupted)


def test_checkpoint_of_another_run_is_not_used(broken, uninterrupted, tmp_path):
    other = tmp_path / "other.h5"
    cm.simulate(bouncing(), 0.1, stream=other)
    unfinished_runs.restore_records(other)
    checkpoint_path(other).rename(checkpoint_path(broken))
    records_path(other).unlink()
    assert cm.resume(broken).same_as(uninterrupted)


def test_files_without_a_resumable_run_raise(tmp_path):
    file = tmp_path / "run.h5"
    records_path(file).write_bytes(b"something else")
    with pytest.raises(ResultFileError, match=r"run\.h5"):
        cm.load(file)
    with pytest.raises(ResultFileError, match="not a run that can be resumed"):
        cm.resume(file)
    records_path(file).unlink()
    with pytest.raises(FileNotFoundError):
        cm.resume(file)
    cm.simulate(bouncing(), 0.01).save(file)
    assert cm.resume(file).t[-1] == 0.01
    with pytest.raises(cm.ModelError, match="not written during the computation"):
        cm.resume(file, t_end=1.0)


# ---- Full disks and read-only folders


@pytest.fixture
def limited():
    """Limit the size of files [bytes]."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("in_small_chunks")
def test_full_disk_keeps_the_computed_part(tmp_path, uninterrupted, limited):
    file = tmp_path / "run.h5"
    limited(90_000)
    with pytest.raises(cm.DiskError, match=r"run\.h5\.part: .*is saved: .*resume\(.*run\.h5") as caught:
        cm.simulate(bouncing(), T_END, stream=file)
    assert caught.value.errno == errno.EFBIG
    limited(resource.RLIM_INFINITY)
    loaded = cm.load(file)
    assert 0.0 < loaded.t[-1] < T_END
    np.testing.assert_array_equal(loaded.q, uninterrupted.q[: len(loaded.t)])
    assert cm.resume(file).same_as(uninterrupted)


def test_run_that_fails_before_its_first_chunk_keeps_the_previous_file(tmp_path, uninterrupted, limited):
    file = tmp_path / "run.h5"
    cm.simulate(bouncing(), T_END, stream=file)
    limited(1000)
    with pytest.raises(cm.DiskError, match="start the run again"):
        cm.simulate(bouncing(), T_END, stream=file)
    limited(resource.RLIM_INFINITY)
    assert cm.load(file).same_as(uninterrupted)
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]


def test_full_disk_at_the_end_of_the_run_loses_no_data(tmp_path, uninterrupted, monkeypatch):
    file = tmp_path / "run.h5"
    good = cm.simulate(bouncing(), 0.01, stream=file)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(unfinished_runs, "write_file", full)
        with pytest.raises(cm.DiskError, match=r"run\.h5: No space left on device.*cm\.resume"):
            cm.simulate(bouncing(), T_END, stream=file)
    assert cm.load(file).same_as(uninterrupted)
    records_path(file).rename(tmp_path / "aside")
    assert cm.load(file).same_as(good)
    (tmp_path / "aside").rename(records_path(file))
    assert cm.resume(file).same_as(uninterrupted)
    assert cm.load(file).same_as(uninterrupted)


def test_unwritable_paths_are_named(tmp_path):
    closed = Path("/sys/run.h5")  # closed to everybody
    if closed.parent.is_dir():
        with pytest.raises(cm.DiskError, match=r"/sys/run\.h5\.part: .*folder"):
            cm.simulate(bouncing(), 0.01, stream=closed)
    with pytest.raises(cm.DiskError, match=r"folder .*none not found"):
        cm.simulate(bouncing(), 0.01, stream=tmp_path / "none" / "run.h5")
    with pytest.raises(cm.DiskError, match="it is a folder"):
        cm.simulate(bouncing(), 0.01, stream=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_read_only_folder_is_named(tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(cm.DiskError, match=r"run\.h5\.part: Permission denied"):
        cm.simulate(bouncing(), 0.01, stream=tmp_path / "run.h5")


# ---- One run per file


def test_unfinished_run_is_not_overwritten(broken, uninterrupted):
    with pytest.raises(cm.ModelError, match=r"unfinished run up to t = .*resume"):
        cm.simulate(bouncing(), T_END, stream=broken)
    assert cm.resume(broken).same_as(uninterrupted)
    assert cm.simulate(bouncing(), T_END, stream=broken).same_as(uninterrupted)


def test_only_one_process_writes_a_file(broken, uninterrupted):
    with CheckpointWriter.reopen(broken, read_run(broken), FileLock("resume", broken)):
        assert "still being computed" in cm.load(broken).message
        with pytest.raises(cm.ModelError, match="another process"):
            cm.resume(broken)
    assert cm.resume(broken).same_as(uninterrupted)


def test_second_run_to_the_same_file_raises_at_once(tmp_path, uninterrupted):
    file, refused = tmp_path / "run.h5", []

    def second(fraction):
        if not refused:
            with pytest.raises(cm.ModelError, match=r"simulate: .*run\.h5 is being written by another process"):
                cm.simulate(bouncing(), T_END, stream=file)
            refused.append(fraction)

    assert cm.simulate(bouncing(), T_END, stream=file, progress=second).same_as(uninterrupted)
    assert refused
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]


@pytest.mark.parametrize("kernel_locks", [True, False])
def test_lock_ends_with_its_process(tmp_path, monkeypatch, kernel_locks):
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


def test_records_stay_until_newer_ones_reach_further(broken, uninterrupted, monkeypatch):
    """A run without its checkpoint is killed, stopped and killed again; it never loses nodes."""
    reached = cm.load(broken).t[-1]
    write = CheckpointWriter.write

    def killed(self, *given):
        write(self, *given)
        raise SystemExit

    checkpoint_path(broken).unlink()
    with monkeypatch.context() as patch:
        patch.setattr(CheckpointWriter, "write", killed)
        with pytest.raises(SystemExit), pytest.warns(cm.CaromWarning, match="restarts from t = 0"):
            cm.resume(broken)
    assert cm.load(broken).t[-1] == reached
    loaded = cm.resume(broken, progress=stopping)  # Ctrl-C makes a result file of it
    assert loaded.t[-1] >= reached
    reached = loaded.t[-1]
    assert cm.load(broken).same_as(loaded)
    assert loaded.outcome is Outcome.INTERRUPTED
    np.testing.assert_array_equal(loaded.q, uninterrupted.q[: len(loaded.t)])
    with monkeypatch.context() as patch:
        patch.setattr(CheckpointWriter, "write", killed)
        with pytest.raises(SystemExit):
            cm.resume(broken)
    assert cm.load(broken).t[-1] >= reached
    assert cm.resume(broken).same_as(uninterrupted)


def test_extended_run_is_loaded_to_its_first_end_until_it_reaches_further(tmp_path, monkeypatch, in_small_chunks):
    file, write = tmp_path / "run.h5", CheckpointWriter.write
    finished = cm.simulate(bouncing(), 0.2, stream=file)
    loaded = []

    def watched(self, *given):
        write(self, *given)
        loaded.append(cm.load(file))

    with monkeypatch.context() as patch:
        patch.setattr(CheckpointWriter, "write", watched)
        extended = cm.resume(file, t_end=0.4)
    assert extended.t[-1] == 0.4
    assert loaded[0].t[-1] >= 0.2
    assert [result.t[-1] for result in loaded] == sorted(result.t[-1] for result in loaded)
    count = len(finished.t) - 1
    np.testing.assert_array_equal(extended.q[:count], finished.q[:count])


def test_run_stopped_by_an_error_keeps_its_nodes_until_newer_ones_reach_further(tmp_path, monkeypatch, in_small_chunks):
    def system(limit: float) -> cm.System:
        def force(t):
            if t > limit:
                raise ZeroDivisionError
            return 0.0

        made = bouncing()
        made.add(cm.Torque(made["ball"], force))
        return made

    def killed(self, *given):
        raise SystemExit

    file, whole = tmp_path / "run.h5", cm.simulate(system(9.0), T_END)
    with pytest.raises(ZeroDivisionError):
        cm.simulate(system(0.3), T_END, stream=file)
    reached = cm.load(file)
    assert reached.outcome is Outcome.INTERRUPTED
    assert "cm.resume" in reached.message
    with monkeypatch.context() as patch:
        patch.setattr(CheckpointWriter, "write", killed)
        with pytest.raises(SystemExit):
            cm.resume(file, system=system(9.0))
    loaded = cm.load(file)
    assert loaded.outcome is Outcome.INTERRUPTED
    np.testing.assert_array_equal(loaded.q, reached.q)
    assert cm.resume(file, system=system(9.0)).same_as(whole)


def test_impacts_after_the_checkpoint_are_not_counted_twice(tmp_path, uninterrupted, monkeypatch):
    """The run is stopped by Ctrl-C long after the last checkpoint."""
    file, late = tmp_path / "run.h5", [False]
    monkeypatch.setattr(rk_integrator, "CHUNK_SECONDS", -1.0)
    monkeypatch.setattr(checkpointing.StreamedOutput, "checkpoint_due", property(lambda self: not late[0]))

    def stop(fraction):
        late[0] = fraction > 0.1
        if fraction > 0.9:
            raise KeyboardInterrupt

    stopped = cm.simulate(bouncing(), T_END, stream=file, progress=stop)
    assert len(stopped.impacts) > 1
    assert cm.resume(file).same_as(uninterrupted)


def test_deleted_records_are_restored_during_the_run(tmp_path, uninterrupted, in_small_chunks):
    file, deleted = tmp_path / "run.h5", []

    def delete(fraction):
        if fraction > 0.5 and not deleted:
            records_path(file).unlink()
            deleted.append(fraction)

    with pytest.warns(cm.CaromWarning, match=r"run\.h5\.part was deleted .*restored"):
        result = cm.simulate(bouncing(), T_END, stream=file, progress=delete)
    assert deleted
    assert result.same_as(uninterrupted)


def test_computed_part_survives_the_deletion_of_its_folder(tmp_path, uninterrupted, in_small_chunks):
    folder = tmp_path / "results"
    folder.mkdir()

    def delete(fraction):
        if fraction > 0.5:
            shutil.rmtree(folder, ignore_errors=True)

    with pytest.raises(cm.DiskError, match=r"it was deleted .*cm\.load\(") as caught:
        cm.simulate(bouncing(), T_END, stream=folder / "run.h5", progress=delete)
    kept = Path(str(caught.value).split("cm.load('")[1].split("'")[0])
    loaded = cm.load(kept)
    assert loaded.t[-1] > 0.4 * T_END
    np.testing.assert_array_equal(loaded.q, uninterrupted.q[: len(loaded.t)])
    shutil.rmtree(kept.parent)


def test_flipped_bit_in_the_checkpoint_raises(tmp_path):
    file, changed = tmp_path / "run.h5", tmp_path / "changed.h5"
    cm.simulate(bouncing(), 0.1, stream=file)
    with h5py.File(file) as opened:
        start, size = opened["resume"].id.get_offset(), opened["resume"].size
    for offset in (start + 5, start + FRAME.size + 20, start + size // 2, start + size - 1):
        content = bytearray(file.read_bytes())
        content[offset] ^= 1
        changed.write_bytes(content)
        with pytest.raises(ResultFileError, match="checksum of its checkpoint"):
            cm.resume(changed, t_end=0.2)
        assert cm.load(changed).t[-1] == 0.1
        assert not records_path(changed).exists()


def test_checkpoint_of_an_earlier_version_raises(tmp_path):
    file = tmp_path / "run.h5"
    cm.simulate(bouncing(), 0.1, stream=file)
    with h5py.File(file, "a") as opened:
        del opened["resume"]
        opened["resume/head"] = "{}"
    with pytest.raises(ResultFileError, match="another version of carom"):
        cm.resume(file, t_end=0.2)
    assert cm.load(file).t[-1] == 0.1


# ---- files that are not regular


@pytest.mark.parametrize("kind", ["device", "link to a device", "pipe"])
def test_pipes_and_devices_raise(kind, tmp_path):
    place = tmp_path / "loaded"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "device":
        place = Path("/dev/null")
    else:
        place.symlink_to("/dev/null")
    result = cm.simulate(bouncing(), 0.01)
    for write in (
        lambda: cm.simulate(bouncing(), 0.01, stream=place), lambda: result.save(place),
        lambda: bouncing().to_yaml(place), lambda: result.report(place),
    ):  # fmt: skip
        with pytest.raises(cm.DiskError, match=r"it is (a device|a named pipe), not a regular file"):
            write()
    assert not place.is_file()
    assert list(tmp_path.iterdir()) in ([], [place])


def test_temporary_files_of_killed_processes_are_removed(tmp_path):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    file = tmp_path / "model.yaml"
    with atomic_write(file) as part:
        dead, living = part.name.replace(str(os.getpid()), str(child)), part.name[:-1]
        part.write_text("good")
    for name in (dead, living):
        (tmp_path / name).write_text("left behind")
    bouncing().to_yaml(file)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([living, "model.yaml"])


def test_symbolic_link_stays_a_link(tmp_path, uninterrupted):
    (tmp_path / "loaded").mkdir()
    link = tmp_path / "run.h5"
    link.symlink_to(tmp_path / "loaded" / "run.h5")
    assert cm.simulate(bouncing(), T_END, stream=str(link)).same_as(uninterrupted)
    assert link.is_symlink()
    assert [path.name for path in (tmp_path / "loaded").iterdir()] == ["run.h5"]


# ---- memory


def test_large_arrays_stay_in_the_file(tmp_path, uninterrupted, monkeypatch):
    file = tmp_path / "run.h5"
    monkeypatch.setattr(result_file, "_MIN_MAPPED", 100)
    result = cm.simulate(bouncing(), T_END, stream=file)
    assert result.same_as(uninterrupted)
    base = result.q
    while isinstance(base.base, np.ndarray):
        base = base.base
    assert isinstance(base, np.memmap)
    result.save(file)  # onto itself
    assert cm.load(file).same_as(uninterrupted)
    assert result.same_as(uninterrupted)


@pytest.mark.usefixtures("in_small_chunks")
def test_number_of_nodes_in_memory_is_bounded(tmp_path, monkeypatch):
    most = 0
    observed = checkpointing.StreamedOutput.evaluate_nodes

    def watched(self, last=False):
        nonlocal most
        most = max(most, self.n_numbers)
        return observed(self, last)

    monkeypatch.setattr(checkpointing.StreamedOutput, "evaluate_nodes", watched)
    monkeypatch.setattr(checkpointing, "CHUNK_SECONDS", 1e9)
    monkeypatch.setattr(checkpointing, "CHUNK_NUMBERS", 200)
    result = cm.simulate(bouncing(), T_END, stream=tmp_path / "run.h5")
    assert len(result.t) > 10 * most // 20
    assert most < 600
