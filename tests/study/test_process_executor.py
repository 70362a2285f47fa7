"""Serial and process executors: every task runs once, with bit-identical results, even if workers die."""

from __future__ import annotations

import functools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from carom.errors import ModelError
from carom.study.executors import Serial, executor
from carom.study.process_executor import MAX_DEATHS, ProcessExecutor, can_fork


def root(x):
    if x < 0.0:
        raise ValueError(f"no root of {x:g}")
    return np.sqrt(x)


def record_call(folder, x):
    """Record every call in a file."""
    with (Path(folder) / f"{x}").open("a") as file:
        file.write(".")
    return x


def deadly(folder, x):
    """Kill the process always in task 2, once in task 3."""
    mark = Path(folder) / f"{x}"
    first = not mark.exists()
    mark.touch()
    if x == 2 or (x == 3 and first):
        os.kill(os.getpid(), signal.SIGKILL)
    return 10 * x


def threads(_):
    import numba

    return numba.get_num_threads()


def brief(x):
    time.sleep(0.005)
    return x


def ordered(outcomes):
    """Return the outcomes in the order of the tasks."""
    return [done for _, done in sorted(outcomes, key=lambda item: item[0])]


@pytest.mark.parametrize("spec", ["serial", 1, 3])
def test_every_task_runs_once(spec, tmp_path):
    with executor(spec) as pool:
        found = ordered(pool.map(functools.partial(record_call, str(tmp_path)), range(25)))
    assert [done.value for done in found] == list(range(25))
    assert {path.read_text() for path in tmp_path.iterdir()} == {"."}
    assert len(list(tmp_path.iterdir())) == 25


def test_an_error_belongs_to_its_task(tmp_path):
    tasks = [4.0, -1.0, 2.0, float("nan"), 9.0]
    serial = ordered(Serial().map(root, tasks))
    with ProcessExecutor(2) as pool:
        parallel = ordered(pool.map(root, tasks))
    assert serial[1].error == parallel[1].error == "ValueError: no root of -1"
    assert [done.ok for done in serial] == [True, False, True, True, True]
    assert (
        np.array([done.value or 0.0 for done in serial]).tobytes()
        == np.array([done.value or 0.0 for done in parallel]).tobytes()
    )


@pytest.mark.slow
@pytest.mark.parametrize("order", [range(6), [2, 0, 1], [3, 2]])
def test_a_task_that_kills_its_worker_loses_no_other(order, tmp_path):
    with ProcessExecutor(2) as pool:
        found = ordered(pool.map(functools.partial(deadly, str(tmp_path)), list(order)))
    assert [done.value for done in found] == [None if x == 2 else 10 * x for x in order]
    assert [done.error for done in found if not done.ok] == [f"its process died {MAX_DEATHS} times"]


def fragile(folder, x):
    """Kill the process in task 7 while other tasks run."""
    mark = Path(folder) / f"{os.getpid()}"
    mark.touch()
    time.sleep(0.02)
    others = [int(path.name) for path in Path(folder).iterdir() if path != mark and alive(path.name)]
    mark.unlink()
    if x == 7 and others:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_a_task_that_dies_beside_others_runs_alone(tmp_path):
    with ProcessExecutor(3) as pool:
        found = ordered(pool.map(functools.partial(fragile, str(tmp_path)), list(range(40))))
    assert [done.value for done in found] == list(range(40))


@pytest.mark.slow
def test_no_task_is_lost_if_workers_are_killed_repeatedly():
    chance, found = random.Random(3), {}
    with ProcessExecutor(3) as pool:
        for index, done in pool.map(brief, list(range(400))):
            found[index] = done.value
            pids = pool.pids
            if index % 5 == 0 and pids:
                os.kill(chance.choice(pids), signal.SIGKILL)
    assert found == {x: x for x in range(400)}


def started_pids(pool):
    """Return the process numbers of all workers; spawned workers start when the others are busy."""
    for _ in range(200):
        assert len(ordered(pool.map(root, [1.0] * 8))) == 8
        pids = pool.pids
        if len(pids) == pool.count:
            return pids
        time.sleep(0.01)
    raise AssertionError(f"workers did not start: {pids}")


@pytest.mark.slow
def test_idle_workers_that_are_killed_are_replaced():
    with ProcessExecutor(2) as pool:
        for pid in started_pids(pool):
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
        assert [done.value for done in ordered(pool.map(root, [4.0] * 8))] == [2.0] * 8


def test_workers_are_reused_for_the_same_function():
    with ProcessExecutor(2) as pool:
        before = started_pids(pool)
        assert len(ordered(pool.map(root, [1.0] * 8))) == 8
        assert pool.pids == before


@pytest.mark.slow
def test_a_worker_uses_one_thread():
    with ProcessExecutor(2) as pool:
        assert {done.value for _, done in pool.map(threads, range(4))} == {1}


def test_ending_the_iteration_stops_the_workers():
    pool = ProcessExecutor(2)
    for _ in pool.map(time.sleep, [0.0, 0.0, 60.0, 60.0]):
        break
    pool.close()
    assert pool.pids == []


def alive(pid):
    return Path(f"/proc/{pid}").exists()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_closing_leaves_no_process_behind():
    pool = ProcessExecutor(3)
    pids = started_pids(pool)
    assert all(map(alive, pids))
    pool.close()
    assert not any(map(alive, pids))


def test_a_lambda_runs_in_forked_processes():
    if not can_fork():
        pytest.skip("cannot fork beside other threads")
    with ProcessExecutor(2) as pool:
        assert [done.value for done in ordered(pool.map(lambda x: 2 * x, [1, 2, 3]))] == [2, 4, 6]


@pytest.mark.slow
def test_beside_other_threads_workers_are_spawned():
    quit_it = threading.Event()
    beside = threading.Thread(target=quit_it.wait)
    beside.start()
    try:
        with ProcessExecutor(2) as pool:
            assert [done.value for done in ordered(pool.map(abs, [-1, -2, -3]))] == [1, 2, 3]
        with ProcessExecutor(2) as pool, pytest.raises(ModelError, match="cannot be sent to another process"):
            ordered(pool.map(lambda x: x, [1]))
    finally:
        quit_it.set()
        beside.join()


@pytest.mark.parametrize("spec", [0, -2, 2.5, True, "threads", object()])
def test_invalid_executors_raise(spec):
    with pytest.raises(ModelError, match="executor must be 'serial', 'processes', a number"):
        executor(spec)


ORPHANS = """
import sys, time
from pathlib import Path
from carom.study.process_executor import ProcessExecutor

if __name__ == "__main__":
    pool = ProcessExecutor(2)
    for _ in pool.map(time.sleep, [0.0, 0.0, 60.0, 60.0]):
        Path(sys.argv[1]).write_text(" ".join(map(str, pool.pids)))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_workers_end_when_the_main_process_is_killed(tmp_path):
    program, report = tmp_path / "program.py", tmp_path / "pids"
    program.write_text(ORPHANS)
    main = subprocess.Popen([sys.executable, str(program), str(report)])
    deadline = time.monotonic() + 30.0
    while not report.exists() or len(report.read_text().split()) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    main.kill()
    main.wait()
    pids = report.read_text().split()
    while any(running(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def running(pid):
    """Return True if the process exists and is not a zombie, which only its new parent can remove."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
