"""Memory of runs with many bodies."""

import numpy as np
import pytest

import carom as cm
from carom.solve.many_body import memory, problem
from carom.solve.many_body.list_arrays import LIST_TABLES
from carom.solve.many_body.memory import available_memory, memory_of_run, size_text


@pytest.fixture(scope="module")
def system():
    return cm.gallery.box_of_spheres(balls=400).system


def test_the_arrays_of_a_run_fit_into_the_estimate(system):
    run = problem.ManyBodyProblem(problem.RunRequest(system, 0.2, cm.Compliant(integrator="verlet"), output=0.05))
    engine = run.engine
    engine.evaluate(run.step)
    engine.advance(0.2, run.step)
    lists = sum(getattr(pairs, name).nbytes for pairs in (engine.pairs, engine._spare) for name in LIST_TABLES)
    assert lists + engine.search._candidates.nbytes < run.memory.pairs
    assert run.model.pair_data.nbytes + run.model.motion_data.nbytes + engine.poses.nbytes < run.memory.bodies
    rows = run.memory.n_nodes * run.evaluator.row().nbytes
    assert 1.8 * rows < run.memory.nodes < 2.2 * rows
    engine.close()


def test_a_run_states_its_memory_and_nodes(system):
    result = cm.simulate(system, 0.01, output=0.005)
    assert result.settings["nodes"] == len(result.t) == 3
    assert result.stats["memory"] == cm.estimate_memory(system, 0.01, output=0.005).total
    assert "memory" in result.summary()


def test_the_progress_bar_states_the_memory(system):
    run = problem.ManyBodyProblem(problem.RunRequest(system, 0.01, cm.Compliant(integrator="verlet")))
    from carom.solve.run import run_label

    assert run_label(problem.RunRequest(system, 0.01, cm.Compliant()), run).startswith("box of spheres [")


def test_fewer_nodes_for_their_size_are_stated(system, monkeypatch):
    monkeypatch.setattr(problem, "MAX_NUMBERS", 25 * 19 * 400)
    result = cm.simulate(system, 0.01, max_step=5e-5)
    assert len(result.t) == 26
    assert "set output= for more nodes" in result.settings["nodes_from"]
    assert "nodes_from" not in cm.simulate(system, 0.001, max_step=5e-5).settings


def test_nodes_in_memory_grow_with_their_number_and_streamed_ones_do_not(system):
    few, many = (memory_of_run(system, n, False) for n in (100, 1000))
    assert many.nodes == 10 * few.nodes
    assert memory_of_run(system, 10_000, True).nodes == memory_of_run(system, 10**9, True).nodes


def test_a_run_that_does_not_fit_is_refused(system, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 70_000_000)
    with pytest.raises(cm.ModelError, match=r"needs about .* 1001 nodes .*, but 70 MB are available; write the run to"):
        cm.simulate(system, 1.0, output=0.001)
    monkeypatch.setattr(memory, "available_memory", lambda: 1_000_000)
    with pytest.raises(cm.ModelError, match="reduce the number of bodies"):
        cm.simulate(system, 1.0)
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    assert cm.simulate(system, 1e-4, output=1e-4).outcome.ok


def test_available_memory_is_that_of_the_machine():
    assert available_memory() is None or available_memory() > 10_000_000


def test_sizes_have_units():
    assert [size_text(size) for size in (1500, 2.5e6, 3e9, 4e13)] == ["1.5 kB", "2.5 MB", "3 GB", "40 TB"]


def test_nodes_are_unchanged_by_joining_batches():
    from carom.solve.run_output import RunOutput

    output = RunOutput()
    for k in range(3):
        output.add(np.array([float(k)]), np.full((1, 2), k))
    first = output.nodes()
    assert output.nodes()[1].tolist() == first[1].tolist() == [[0, 0], [1, 1], [2, 2]]
    assert output.last_node().tolist() == [2, 2]
