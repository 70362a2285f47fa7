"""Processes that are killed at random times and resumed never lose nodes."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carom as cm
from carom.io.records import read_records, records_path
from solve.mechanisms import FourBar
from solve.test_resume import grains, sliding_ball
from solve.timestepping.scenes import rod_in_box

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import json, sys, time
import carom as cm
from carom.solve.many_body import verlet_engine
from carom.solve.event_driven import event_driven_run as event_driven
from carom.solve.timestepping import time_stepper as march
from carom.solve.compliant import rk_integrator

model, file, t_end, options, pause = sys.argv[2], sys.argv[3], float(sys.argv[4]), json.loads(sys.argv[5]), sys.argv[6]
rk_integrator.CHUNK_SECONDS = march.CHUNK_SECONDS = verlet_engine.CHUNK_SECONDS = event_driven.REPORT_SECONDS = 0.0
wait = lambda fraction: time.sleep(float(pause))
if sys.argv[1] == "start":
    cm.simulate(cm.System.from_yaml(model), t_end, stream=file, progress=wait, **options)
else:
    cm.resume(file, progress=wait)
"""
NONSMOOTH: dict[str, Any] = {"method": "nonsmooth"}
RUNS: dict[str, tuple[Any, float, dict[str, Any], float]] = {
    "adams": (lambda: FourBar(0.5, 1.5, 1.2, 1.6).system(1.0), 3.0, {"integrator": "adams"}, 0.005),
    "bdf": (lambda: FourBar(0.5, 1.5, 1.2, 1.6).system(1.0), 2.0, {"integrator": "bdf"}, 0.005),
    "dopri5": (sliding_ball, 0.4, {}, 0.05),
    "rk4": (sliding_ball, 0.4, {"integrator": "rk4", "max_step": 1e-3}, 0.05),
    "verlet": (grains, 0.06, {"max_step": 1e-5, "output": 0.002}, 0.002),
    "midpoint": (lambda: rod_in_box(0.7, friction=0.2), 0.5, {**NONSMOOTH, "step": 1e-3}, 0.05),
    "event-driven": (lambda: rod_in_box(0.999), 100.0, {**NONSMOOTH, "scheme": "event-driven"}, 0.05),
}


def has_grown(part: Path, before: int) -> bool:
    """Return True if there are new records with nodes."""
    try:
        return part.stat().st_size > before and read_records(part).n_nodes > 0
    except FileNotFoundError:  # not yet, or no more
        return False


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_run_killed_repeatedly_never_loses_nodes(name, tmp_path):
    make, t_end, options, pause = RUNS[name]
    chance = random.Random(name)
    model, file = tmp_path / "model.yaml", tmp_path / "run.h5"
    make().to_yaml(model)
    whole = cm.simulate(cm.System.from_yaml(model), t_end, stream=tmp_path / "whole.h5", **options)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    reached, what, resumed = -1.0, "start", 0
    for _ in range(3):
        before = records_path(file).stat().st_size if records_path(file).exists() else 0
        order = [what, str(model), str(file), str(t_end), json.dumps(options), str(pause)]
        process = subprocess.Popen([sys.executable, "-c", PROGRAM, *order], env=environment, cwd=ROOT)
        while process.poll() is None and not has_grown(records_path(file), before):
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 0.8))
        process.send_signal(signal.SIGKILL)
        if process.wait() == 0 or not records_path(file).exists():  # it was faster
            break
        what = "resume"
        there = cm.load(file)
        assert there.t[-1] >= reached
        reached, resumed = float(there.t[-1]), resumed + 1
        np.testing.assert_array_equal(there.q, whole.q[: len(there.t)])
    assert resumed > 0
    assert cm.resume(file).same_as(whole)
    assert {path.name for path in tmp_path.iterdir()} == {"run.h5", "whole.h5", "model.yaml"}


def test_second_of_two_simultaneous_processes_raises(tmp_path):
    """Fork two processes at once; the file contains the run of the process that continues."""
    file, answers = tmp_path / "run.h5", []
    cm.simulate(sliding_ball(), 0.05)  # compiled once
    for _ in range(2):
        read, write = os.pipe()
        if os.fork() == 0:
            try:
                cm.simulate(sliding_ball(), 0.05, stream=file, progress=lambda fraction: time.sleep(0.2))
                os.write(write, b"done")
            except cm.ModelError as error:
                os.write(write, str(error).encode())
            finally:
                os._exit(0)
        os.close(write)
        answers.append(read)
    said = sorted(os.read(answer, 1000).decode() for answer in answers)
    for _ in answers:
        os.wait()
    assert said[0] == "done"
    assert "is being written by another process" in said[1]
    assert cm.load(file).outcome.ok
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]
