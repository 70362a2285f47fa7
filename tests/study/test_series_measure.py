"""Measures by functions of series: those of a ball in free flight, in ensembles and alone."""

import math
import pickle

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError

HEIGHTS = {"ball.position.y": [0.5, 0.6, 0.7, 0.8, 0.9]}


def falling() -> cm.System:
    system = cm.System(gravity=(0.0, -9.81), name="fall")
    ball = system.add(cm.Body("ball", 0.2, 1e-4, position=(0.0, 0.5)))
    floor = cm.Plane(system.ground)
    system.add(cm.Contact(cm.Sphere(ball, 0.05), floor, cm.laws.Hertz(stiffness=1e7), name="floor"))
    return system


def path_length(t, vx, vy):
    return np.sum(0.5 * np.diff(t) * (np.hypot(vx, vy)[1:] + np.hypot(vx, vy)[:-1]))


def largest_power(t, force, vy, kinetic):
    worst = 0.0
    for k in range(len(t)):
        worst = max(worst, abs(force[k] * vy[k]) + 0.0 * kinetic[k])
    return worst


LENGTH = cm.study.SeriesMeasure(path_length, "ball.vx", "ball.vy")
POWER = cm.study.SeriesMeasure(largest_power, "floor.normal_force", "ball.vy", "energy.kinetic", name="power")


def test_path_length_of_a_fall():
    """Before its impact a ball has fallen ½ g t²; speed is linear in time, so that trapezoids are exact."""
    runs = cm.ensemble(falling(), HEIGHTS, LENGTH, t_end=0.25, threads=2)
    assert runs.rebuilt == {}
    assert runs["path_length"] == pytest.approx(np.full(5, 0.5 * 9.81 * 0.25**2), rel=1e-9)


def test_rows_are_those_of_single_runs():
    runs = cm.ensemble(falling(), HEIGHTS, [LENGTH, POWER, "ball.y.final"], t_end=0.6, threads=2, keep=[3])
    assert runs.rebuilt == {}
    for measure in (LENGTH, POWER):
        assert runs[measure.name][3] == measure(runs.results[3], {})
    assert (np.diff(runs["power"]) > 0.0).all()
    one = cm.sweep(falling(), HEIGHTS, [LENGTH, POWER, "ball.y.final"], t_end=0.6, executor="serial")
    assert one.to_csv() == runs.to_csv()


def test_an_error_of_the_function_is_a_row():
    def inverse_of_height(t, y):
        if y[0] > 0.75:
            raise ValueError("too high")
        return 1.0 / y[0]

    measure = cm.study.SeriesMeasure(inverse_of_height, "ball.y")
    runs = cm.ensemble(falling(), HEIGHTS, measure, t_end=0.1, threads=1)
    assert list(runs.failures) == [3, 4]
    assert "too high" in runs.failures[3]
    assert runs["inverse_of_height"][0] == pytest.approx(2.0)


def test_a_function_that_cannot_be_compiled_runs_in_python():
    def joined(t, y):
        return float("".join(str(k) for k in [len(y) > 1, 2]).removeprefix("True"))

    measure = cm.study.SeriesMeasure(joined, "ball.y")
    with pytest.warns(cm.CaromWarning, match="runs as plain Python"):
        assert measure.evaluate(np.zeros(3), [np.zeros(3)]) == 2.0


def test_a_measure_can_be_pickled():
    copy = pickle.loads(pickle.dumps(POWER))
    assert (copy.name, copy.series, copy.function) == ("power", POWER.series, largest_power)
    assert math.isclose(copy.evaluate(np.zeros(2), [np.ones(2), -2.0 * np.ones(2), np.zeros(2)]), 2.0)


@pytest.mark.parametrize("arguments", [("ball.y",), (path_length,), (path_length, "height")])
def test_wrong_arguments_are_refused(arguments):
    with pytest.raises(ModelError, match="SeriesMeasure"):
        cm.study.SeriesMeasure(*arguments)
