"""Neighbouring runs in the tables of one compiled model: the bits of runs whose model is built."""

import numpy as np
import pytest

import carom as cm
from carom.compiled_model.changed_numbers import NotInPlace
from carom.solve.run import RunRequest
from carom.solve.sensitivity.in_place_neighbours import InPlaceNeighbours
from carom.solve.sensitivity.nonsmooth_neighbours import recorded_run
from carom.solve.sensitivity.varied_system import VariedSystem


def record(system, t_end: float):
    return recorded_run(RunRequest(system, t_end, cm.Compliant()))


def in_place(run, path: str) -> InPlaceNeighbours:
    varied = VariedSystem(run.request.system)
    return InPlaceNeighbours(
        run.in_place, path, lambda value: varied.system_with(path, value), 1.001 * varied.value(path)
    )


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("two_spheres", ["touch.law.stiffness", "left.mass", "right.velocity.x"]),
        ("slider_crank_block", ["touch.law.restitution", "slider.mass", "crank.inertia", "gravity.y"]),
    ],
)
def test_in_place_runs_have_the_bits_of_built_ones(name, paths):
    case = cm.gallery.CASES[name]()
    run = record(case.system, case.options["t_end"])
    varied = VariedSystem(case.system)
    for path in (*paths, paths[0]):  # the first one again, after others have been written
        value = 1.0001 * varied.value(path)
        written, built = in_place(run, path).at(value, None), run.neighbour(varied.system_with(path, value))
        assert np.array_equal(written.nodes, built.nodes, equal_nan=True)
        assert np.array_equal(written.log, built.log, equal_nan=True)
        assert not np.array_equal(written.nodes[-1], run.nodes[-1])
        places = slice(0, len(run.t), 10)
        nodes = [neighbour.result_at(run.t[places], run.nodes[places], {}) for neighbour in (written, built)]
        assert np.array_equal(nodes[0].signals, nodes[1].signals, equal_nan=True)
        assert np.array_equal(nodes[0].energy.total, nodes[1].energy.total)


def test_more_than_numbers_is_not_written():
    """Signals depend on shapes, and a model that is built for a value may differ in more than was written."""
    run = record(cm.gallery.two_spheres().system, 1e-4)
    with pytest.raises(NotInPlace, match="shapes"):
        in_place(run, "touch.shape_a.radius")
    other = cm.gallery.two_spheres(restitution=0.5).system
    with pytest.raises(NotInPlace, match="more follows"):
        InPlaceNeighbours(run.in_place, "left.mass", lambda _: other, 0.1)


def test_functions_of_the_user_are_built_again():
    law = cm.laws.custom(lambda indentation, rate, approach_speed: 1e9 * indentation**1.5)
    run = record(cm.gallery.two_spheres(law=law).system, 1e-4)
    assert run.in_place is None
