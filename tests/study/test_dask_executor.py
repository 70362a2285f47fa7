"""Dask cluster on this computer: bit-identical results, and no lost tasks if a worker dies."""

from __future__ import annotations

import functools
import os
import signal
import time
from pathlib import Path

import pytest

import carom as cm
from carom.errors import ModelError
from carom.study.executors import executor

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster():
    """Start a scheduler and two worker processes with one thread each on the loopback interface."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as cluster:
        yield cluster


def slow_double(folder, x):
    """Double a number and record the process that did it."""
    time.sleep(0.05)
    with (Path(folder) / f"{x}").open("a") as file:
        file.write(f"{os.getpid()} ")
    return 2 * x


def recorded_pids(folder):
    return {int(path.name): path.read_text().split() for path in Path(folder).iterdir()}


def test_tasks_run_on_the_workers_and_errors_belong_to_their_task(cluster, tmp_path):
    with executor(cluster.scheduler_address) as pool:
        found = dict(pool.map(functools.partial(slow_double, str(tmp_path)), list(range(12))))
        failing = dict(pool.map(int, ["7", "seven"]))
    assert [found[index].value for index in range(12)] == [2 * x for x in range(12)]
    assert all(len(pids) == 1 for pids in recorded_pids(tmp_path).values())
    assert len({pid for pids in recorded_pids(tmp_path).values() for pid in pids}) == 2
    assert str(os.getpid()) not in {pid for pids in recorded_pids(tmp_path).values() for pid in pids}
    assert failing[0].value == 7
    assert failing[1].error.startswith("ValueError: invalid literal")


def test_a_killed_worker_loses_no_task(cluster, tmp_path):
    with distributed.Client(cluster, set_as_default=False) as client:
        pool = executor(client)
        found = {}
        for index, done in pool.map(functools.partial(slow_double, str(tmp_path)), list(range(60))):
            found[index] = done
            if len(found) == 8:
                killed = int(recorded_pids(tmp_path)[index][-1])
                time.sleep(1.0)  # The workers hold values of several tasks that are not fetched yet.
                os.kill(killed, signal.SIGKILL)
        assert any(
            len(pids) == 2 for pids in recorded_pids(tmp_path).values()
        )  # Values lost with the worker are computed again.
        assert [found[index].value for index in range(60)] == [2 * x for x in range(60)]
        assert client.status == "running"  # The client belongs to the user and stays open.


def deadly_beside_others(folder, most, x):
    """Kill the worker of task 7 once more than Dask allows; tasks queued in this worker are lost, too."""
    (Path(folder) / f"{x} {time.time_ns()}").touch()
    if x == 7 and len(list(Path(folder).glob("7 *"))) <= most + 1:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.05)
    return x


def test_a_task_that_dies_beside_others_runs_alone(cluster, tmp_path):
    most = dask.config.get("distributed.scheduler.allowed-failures")
    with executor(cluster.scheduler_address) as pool:
        found = dict(pool.map(functools.partial(deadly_beside_others, str(tmp_path), most), list(range(12))))
    assert [found[index].value for index in range(12)] == list(range(12))
    assert len(list(tmp_path.glob("7 *"))) == most + 2


def test_a_sweep_is_bit_identical_although_a_worker_dies(cluster):
    values = {"restitution": [0.7 + 0.01 * k for k in range(24)]}
    measures = ["crank.omega.min", "touch.impacts.peak_force.max", "energy.drift"]

    def swept(**options):
        return cm.sweep("slider_crank_block", values, measures, **options).to_csv()

    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2)
        victims = client.run(os.getpid)

        def kill_one(fraction):
            if victims and fraction > 0.2:
                os.kill(victims.pop(next(iter(victims))), signal.SIGKILL)
                victims.clear()

        on_cluster = swept(executor=client, progress=kill_one)
    assert victims == {}
    assert on_cluster == swept(executor="serial") == swept(executor=2)


def test_an_address_without_scheduler_raises(monkeypatch):
    monkeypatch.setattr("carom.study.dask_executor.CONNECT_TIMEOUT", 0.5)
    with pytest.raises(ModelError, match="no Dask scheduler found at tcp://127"):
        executor("tcp://127.0.0.1:9")


def test_workers_run_ensembles_with_the_same_rows(cluster):
    case = cm.gallery.two_spheres(law="flores")
    ranges = {"touch.law.restitution": (0.3, 0.9), "left.velocity.x": (0.1, 0.2)}
    measures = ["left.vx.final", "impacts.peak_force.max"]
    with distributed.Client(cluster, set_as_default=False) as client:
        swept = cm.sweep(case, ranges, measures, samples=40, executor=client)
    assert swept.failures == {}
    assert swept.to_csv() == cm.ensemble(case, ranges, measures, samples=40, threads=2).to_csv()
