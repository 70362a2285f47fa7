"""Sweeps: the table is identical for all executors and after any interruption."""

from __future__ import annotations

import json
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import carom as cm
from carom.errors import CaromWarning, ModelError
from carom.study.sampling_design import sampling_design
from carom.study.sweep import JOURNAL, TABLE, parameters_without_effect
from carom.study.sweep_journal import SweepJournal, decode_lines, encode_line
from carom.study.sweep_result import SweepRow
from quick import slow_but

CASE, SHORT = "slider_crank_block", 0.001
VALUES = {"restitution": [0.75, 0.8, 0.9], "rod_inertia": [5e-5, 6e-5]}
MEASURES = ["block.vx.final", "crank.omega.min", "impacts.count", "energy.drift"]


def swept(**options):
    return cm.sweep(CASE, VALUES, MEASURES, t_end=SHORT, progress=False, **options)


def lines(path):
    return list(decode_lines(Path(path).read_bytes()))


@pytest.fixture(scope="module")
def serial():
    return swept(executor="serial")


def test_a_row_equals_a_single_run(serial):
    result = cm.gallery.slider_crank_block(restitution=0.9, rod_inertia=5e-5).run(t_end=SHORT)
    assert serial["crank.omega.min"].shape == (3, 2)
    assert serial["crank.omega.min"][2, 0] == result["crank"].omega.min()
    assert serial["block.vx.final"][2, 0] == result["block"].vx[-1]
    assert serial["energy.drift"][2, 0] == result.energy.drift
    assert serial.complete
    assert serial.failures == {}


def test_processes_give_identical_bits(serial):
    assert swept(executor=2).to_csv() == serial.to_csv()


def test_a_grid_becomes_a_dataset_and_a_table(serial):
    data = serial.to_xarray()
    assert data["crank.omega.min"].dims == ("restitution", "rod_inertia")
    assert float(data["crank.omega.min"].sel(restitution=0.8, rod_inertia=6e-5)) == serial["crank.omega.min"][1, 1]
    table = serial.to_dataframe()
    assert list(table.columns) == ["restitution", "rod_inertia", *MEASURES, "outcome", "error"]
    assert list(table["rod_inertia"]) == [5e-5, 6e-5] * 3
    assert (table["outcome"] == "FINISHED").all()


def test_numbers_in_the_journal_are_exact(serial, tmp_path):
    stored = swept(executor="serial", out=tmp_path / "runs.jsonl")
    for entry in lines(tmp_path / "runs.jsonl")[1:]:
        index = np.unravel_index(entry["run"], (3, 2))
        assert entry["values"]["crank.omega.min"] == serial["crank.omega.min"][index]
    assert stored.to_csv() == serial.to_csv()


def fails_at(result, values):
    if values["restitution"] == 0.8:
        raise RuntimeError("not this one")
    return {"speed": result["block"].vx[-1], "twice": np.array([1.0, values["restitution"]])}


def test_a_failed_run_has_its_error_and_stops_no_other(tmp_path):
    table = cm.sweep(CASE, {"restitution": [0.7, 0.8, 7.0, 0.9]}, fails_at, t_end=SHORT, executor=2, out=tmp_path)
    assert table.failures[1] == "RuntimeError: not this one"
    assert "restitution must lie" in table.failures[2]
    assert table.measures == ("fails_at.speed", "fails_at.twice")
    np.testing.assert_array_equal(np.isnan(table["fails_at.speed"]), [False, True, True, False])
    np.testing.assert_array_equal(table["fails_at.twice"][3], [1.0, 0.9])
    assert table.to_xarray()["fails_at.twice"].dims == ("restitution", "fails_at.twice_0")
    again = cm.sweep(CASE, {"restitution": [0.7, 0.8, 7.0, 0.9]}, fails_at, t_end=SHORT, executor=2, out=tmp_path)
    assert again.to_csv() == table.to_csv() == (tmp_path / TABLE).read_text()


def test_unknown_names_raise_before_the_runs(tmp_path):
    with pytest.raises(ModelError, match="unknown parameter 'restitutoin'; did you mean restitution"):
        cm.sweep(CASE, {"restitutoin": [0.5]}, out=tmp_path / "new")
    with pytest.raises(ModelError, match=r"measure 'blok.vx': .* did you mean 'block'"):
        cm.sweep(CASE, {"restitution": [0.7, 0.8]}, "blok.vx.final", t_end=SHORT, executor="serial")
    with pytest.raises(ModelError, match=r"parameters=\{'method': \['nonsmooth'\]\}"):
        cm.sweep(CASE, {"restitution": [0.5]}, method="nonsmooth")
    with pytest.raises(ModelError, match="both fixed and varied"):
        cm.sweep(CASE, {"restitution": [0.5]}, restitution=0.3)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"parameters": {"restitution": [0.7, 0.81]}}, "parameters"),
        ({"case": "two_spheres"}, "case"),
        ({"measure": "impacts.count"}, "measures"),
        ({"t_end": 0.002}, "options"),
    ],
)
def test_a_journal_of_another_sweep_raises(other, what, tmp_path):
    own = {"case": CASE, "parameters": {"restitution": [0.7, 0.8]}, "measure": "energy.drift", "t_end": SHORT}
    cm.sweep(**own, executor="serial", out=tmp_path)
    before = (tmp_path / JOURNAL).read_bytes()
    with pytest.raises(ModelError, match=rf"belongs to another sweep \(different {what}\)"):
        cm.sweep(**{**own, **other}, executor="serial", out=tmp_path)
    assert (tmp_path / JOURNAL).read_bytes() == before


def test_a_file_that_is_not_a_journal_is_not_changed(tmp_path):
    for content in (b"my notes", b"my notes\n", b"\x00\xff\n\n"):
        (tmp_path / "mine.jsonl").write_bytes(content)
        with pytest.raises(ModelError, match="is not a sweep journal"):
            swept(executor="serial", out=tmp_path / "mine.jsonl")
        assert (tmp_path / "mine.jsonl").read_bytes() == content


def test_runs_of_damaged_lines_are_repeated(serial, tmp_path):
    path = tmp_path / "runs.jsonl"
    swept(executor="serial", out=path)
    whole = path.read_bytes().splitlines(keepends=True)
    for cut in (3, len(whole[0]) // 2, sum(map(len, whole[:3])) + 20, len(path.read_bytes()) - 1):
        path.write_bytes(b"".join(whole)[:cut])
        assert swept(executor="serial", out=path).to_csv() == serial.to_csv()
        assert path.read_bytes() == b"".join(whole)
    broken = whole.copy()
    broken[2] = broken[2].replace(b'"run"', b'"rum"')
    path.write_bytes(b"".join(broken))
    with pytest.warns(CaromWarning, match="1 damaged line ignored"):
        assert swept(executor="serial", out=path).to_csv() == serial.to_csv()


def hold(path, held, go):
    with SweepJournal(path, {"case": "x"}):
        held.set()
        go.wait(60.0)


@pytest.mark.skipif(sys.platform == "win32", reason="no file locks")
def test_two_processes_cannot_write_the_same_journal(tmp_path):
    context = multiprocessing.get_context("fork")
    held, go = context.Event(), context.Event()
    other = context.Process(target=hold, args=(tmp_path / "runs.jsonl", held, go))
    other.start()
    try:
        assert held.wait(60.0)
        with pytest.raises(ModelError, match=r"sweep: .*runs\.jsonl is being written by another process"):
            SweepJournal(tmp_path / "runs.jsonl", {"case": "x"})
    finally:
        go.set()
        other.join()
    with SweepJournal(tmp_path / "runs.jsonl", {"case": "x"}) as journal:
        assert journal.lines == []


def wait_until(done, seconds=60.0):
    until = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < until
        time.sleep(0.01)


PROGRAM = """
import sys, time
from pathlib import Path
import carom as cm

def record_run(result, values):
    with Path(sys.argv[2], f"{values['restitution']:.3f}").open("a") as file:
        file.write(".")
    time.sleep(float(sys.argv[3]))
    return result["block"].vx[-1] * values["restitution"] / 3.0

if __name__ == "__main__":
    values = {"restitution": [0.7 + 0.01 * k for k in range(20)]}
    cm.sweep("slider_crank_block", values, [record_run, "crank.omega.min"], t_end=0.001, out=sys.argv[1], executor=2)
"""


@pytest.mark.slow
def test_sigkill_loses_no_run_and_repeats_none(tmp_path, monkeypatch):
    program = tmp_path / "study.py"
    program.write_text(PROGRAM)
    done, other = tmp_path / "done", tmp_path / "other"
    done.mkdir()
    other.mkdir()
    words = [str(program), str(tmp_path / "out"), str(done)]
    journal = tmp_path / "out" / JOURNAL
    first = subprocess.Popen([sys.executable, *words, "0.1"])
    wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= 7)
    first.send_signal(signal.SIGKILL)
    first.wait()
    time.sleep(0.3)  # The workers finish their current runs.
    stored = journal.read_bytes()
    stored = stored[: stored.rfind(b"\n") + 1]
    before = {entry["run"] for entry in list(decode_lines(stored))[1:]}
    assert 6 <= len(before) < 20
    assert not (tmp_path / "out" / TABLE).exists()

    subprocess.run([sys.executable, *words, "0.0"], check=True)
    assert journal.read_bytes().startswith(stored)
    runs = [entry["run"] for entry in lines(journal)[1:]]
    assert sorted(runs) == list(range(20))  # none lost, none repeated
    counts = {path.name: len(path.read_text()) for path in done.iterdir()}
    assert len(counts) == 20
    assert all(counts[f"{0.7 + 0.01 * run:.3f}"] == 1 for run in before)

    monkeypatch.setattr(sys, "argv", [str(program), str(tmp_path / "clean"), str(other), "0.0"])
    runpy.run_path(str(program), run_name="__main__")  # without an interruption
    assert (tmp_path / "out" / TABLE).read_bytes() == (tmp_path / "clean" / TABLE).read_bytes()


@pytest.mark.parametrize("executor", slow_but(["serial"], ["serial", 2]))
def test_ctrl_c_returns_the_finished_runs(executor, tmp_path):
    count = 0

    def stop(fraction):
        nonlocal count
        count += 1
        if count == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.warns(CaromWarning, match=r"interrupted after \d of 6 runs; repeat the call to resume"):
        part = cm.sweep(CASE, VALUES, MEASURES, t_end=SHORT, executor=executor, out=tmp_path, progress=stop)
    done = sum(record is not None for record in part.records)
    assert 3 <= done < 6
    assert not part.complete
    assert "missing" in part.to_csv()
    whole = swept(executor=executor, out=tmp_path)
    assert whole.complete
    assert sorted(entry["run"] for entry in lines(tmp_path / JOURNAL)[1:]) == list(range(6))


def test_checksum_detects_a_changed_line():
    data = encode_line({"x": 0.1, "text": "ε", "nothing": float("nan")})
    (entry,) = decode_lines(data)
    assert entry["x"] == 0.1
    assert entry["text"] == "ε"
    assert list(decode_lines(data.replace(b"0.1", b"0.2"))) == [None]
    assert json.loads(data.split(b" ", 1)[1])["x"] == 0.1


def test_figures_of_a_sweep(serial):
    curves = serial.plot()
    assert [axes.get_ylabel().replace("\n", "") for axes in curves.axes] == MEASURES
    assert len(curves.axes[0].get_lines()) == 2
    np.testing.assert_array_equal(curves.axes[1].get_lines()[1].get_ydata(), serial["crank.omega.min"][:, 1])
    designe = serial.plot("crank.omega.min", kind="map")
    np.testing.assert_array_equal(
        np.ravel(designe.axes[0].collections[0].get_array()), serial["crank.omega.min"].T.ravel()
    )
    points = cm.sweep(CASE, {"restitution": (0.7, 0.9)}, "energy.drift", samples=4, t_end=SHORT, executor="serial")
    (dots,) = points.plot().axes[0].get_lines()
    np.testing.assert_array_equal(dots.get_xdata(), points["restitution"])


def test_a_parameter_without_effect_is_reported():
    """Hertz's law has no restitution parameter."""
    options = {"law": "hertz", "t_end": 1e-3, "executor": "serial"}
    with pytest.warns(CaromWarning, match="sweep: restitution has no effect on block.vx.final"):
        cm.sweep("slider_crank_block", {"restitution": [0.7, 0.9]}, "block.vx.final", **options)


def test_only_the_parameter_without_effect_is_named():
    design = sampling_design({"a": [1, 2], "b": [3, 4]}, None, None, 0)
    of_a = {k: SweepRow({"v": point["a"]}) for k, point in enumerate(design.points)}
    assert parameters_without_effect(design, of_a) == ["b"]
    assert parameters_without_effect(design, {k: SweepRow({"v": 1.0}) for k in of_a}) == ["a", "b"]
    assert parameters_without_effect(design, {k: SweepRow({"v": k}) for k in of_a}) == []
