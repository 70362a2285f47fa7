"""Batches of runs: every run begins anew, and what does not fit is marked."""

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.changed_numbers import NotInPlace
from carom.solve.compliant.problem import CompliantProblem
from carom.solve.compliant.records import FINISHED
from carom.solve.ensemble import batch_runner
from carom.solve.ensemble.batch_runner import BatchRunner, SeriesReductions
from carom.solve.ensemble.records import MAX, OVERFLOW, REDUCTION, STATE
from carom.solve.simulate import run_request


def bouncing(friction=None):
    """A ball that bounces five times in half a second."""
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", 1.0, 0.01, position=(0.0, 0.12)))
    law = cm.laws.HuntCrossley(stiffness=1e7, restitution=0.8)
    floor = cm.Plane(system.ground, (0.0, 0.0), (0.0, 1.0))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), floor, law, friction, name="floor"))
    return system


def runner(system, paths, *reductions, **options):
    """A runner with reductions of states: pairs of column and kind."""
    table = REDUCTION.zeros(len(reductions))
    for row, (column, kind) in zip(table, reductions, strict=True):
        row["table"], row["column"], row["kind"] = STATE, column, kind
    problem = CompliantProblem(run_request(system, **{"t_end": 0.5, "rtol": 1e-5, **options}))
    return BatchRunner(problem, paths, SeriesReductions(table))


def test_a_run_does_not_depend_on_those_before_it():
    batches = runner(bouncing(), ["ball.position.y", "floor.law.restitution"], (1, MAX))
    numbers = np.array([batches.numbers(values) for values in ([0.12, 0.8], [0.5, 0.9], [0.3, 0.7], [0.12, 0.8])])
    together, alone = batches.run(numbers), batches.run(numbers[3:])
    assert (together.results["status"] == FINISHED).all()
    np.testing.assert_array_equal(together.states[[0, 3]], alone.states[[0, 0]])
    np.testing.assert_array_equal(together.reduced[3], alone.reduced[0])
    assert together.reduced[:, 0].tolist() == [0.12, 0.5, 0.3, 0.12]
    assert int(together.results["n_log_rows"].sum()) == len(together.log)


def test_the_log_of_a_run_is_that_of_simulate():
    batches = runner(bouncing(), ["floor.law.restitution"])
    batch = batches.run(np.array([batches.numbers([0.9])]))
    system = bouncing()
    system["floor"].law = cm.laws.HuntCrossley(stiffness=1e7, restitution=0.9)
    impacts = cm.simulate(system, 0.5, rtol=1e-5).impacts
    assert len(impacts) > 3
    peak = batch_runner.CONTACT_LOG_ROW.index("peak_force")
    assert batch.log[:, peak].tolist() == [impact.peak_force for impact in impacts]


@pytest.mark.parametrize("room", ["MAX_NODE_NUMBERS", "LOG_ROWS"])
def test_a_run_without_room_is_marked(room, monkeypatch):
    monkeypatch.setattr(batch_runner, room, 2)
    monkeypatch.setattr(batch_runner, "MAX_NODES", 5)
    monkeypatch.setattr("carom.solve.compliant.rk_integrator.CHUNK_NODES", 20)
    batches = runner(bouncing(), ["floor.law.restitution"], (1, MAX))
    batch = batches.run(np.array([batches.numbers([0.9])]))
    assert batch.results["status"].tolist() == [OVERFLOW]
    assert not batch.finished[0]


def test_functions_of_the_user_do_not_run_in_place():
    system = bouncing()
    system.add(cm.PointForce(system["ball"], lambda t: (0.0, 1.0 + t), name="push"))
    with pytest.raises(NotInPlace, match="functions of the user"):
        runner(system, ["floor.law.restitution"])
