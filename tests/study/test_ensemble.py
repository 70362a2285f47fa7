"""Ensembles: rows with the bits of single runs, for any number of threads, whatever happens to some of them."""

import math

import numpy as np
import pytest

import carom as cm
from carom.errors import ModelError
from carom.solve.many_body import memory
from carom.study import executors

MEASURES = [
    "impacts.count", "impacts.peak_force.max", "impacts.restitution.mean", "impacts.duration.sum",
    "touch.impacts.energy_lost.sum",
    "left.vx.final", "left.x.max", "left.ax.peak", "touch.normal_force.max", "touch.normal_force.time_of_max",
    "touch.indentation.range", "left.vx.mean", "energy.kinetic.min", "energy.drift", "stats.steps", "outcome",
    "t.final",
]  # fmt: skip
"""Every kind of measure that compiled runs have: impacts, states, rates, signals, energies, counts."""


def two_spheres(restitution=0.7, stiffness=5.5e9, mass=0.092, speed=0.15, radius=0.02):
    """Two spheres that collide, built by hand."""
    system = cm.System(name="two spheres")
    left = system.add(cm.Body("left", mass, 1.5e-5, position=(-0.02, 0.0), velocity=(speed, 0.0)))
    right = system.add(cm.Body("right", 0.092, 1.5e-5, position=(0.02, 0.0), velocity=(-0.15, 0.0)))
    law = cm.laws.Flores(stiffness=stiffness, restitution=restitution)
    system.add(cm.Contact(cm.Sphere(left, radius), cm.Sphere(right, 0.02), law=law, name="touch"))
    return system


def bouncing_ball(dim=2):
    """A ball above a floor with friction, and a spring."""
    zeros = (0.0,) * (dim - 2)
    system = cm.System(dim=dim, gravity=(0.0, -9.81, *zeros), name="ball")
    ball = system.add(cm.Body("ball", 0.17, 5.6e-5, position=(0.0, 0.1, *zeros), velocity=(0.5, 0.0, *zeros)))
    law, friction = cm.laws.HuntCrossley(stiffness=1e6, restitution=0.8), cm.friction.Coulomb(0.2)
    plane = cm.Plane(system.ground, (0.0, 0.0, *zeros), (0.0, 1.0, *zeros))
    system.add(cm.Contact(cm.Sphere(ball, 0.03), plane, law, friction, name="floor"))
    system.add(cm.SpringDamper(ball, system.ground, stiffness=2.0, damping=0.1, free_length=0.5, name="spring"))
    return system


def driven_crank():
    """A slider-crank with a driver."""
    system = cm.System(gravity=(0.0, -9.81), name="crank")
    crank = system.add(cm.Body("crank", 0.04, 7.4e-5, position=(0.08, 0.0)))
    rod = system.add(cm.Body("rod", 0.08, 6e-5, position=(0.31, 0.0)))
    hinge = system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0), name="hinge"))
    system.add(cm.Revolute(crank, rod, at=(0.16, 0.0), name="pin"))
    system.add(cm.PointOnLine(system.ground, rod, at=(0.46, 0.0), axis=(1.0, 0.0), name="guide"))
    system.add(cm.Driver(hinge, cm.ConstantSpeed(30.0), name="motor"))
    return system


def single_rows(system, parameters, measures, samples, **values):
    """The rows of runs one by one: an executor of the user takes no part in ensembles."""

    class OneByOne(executors.Serial):
        pass

    return cm.sweep(system, parameters, measures, samples=samples, executor=OneByOne(), **values)


@pytest.mark.parametrize("threads", [1, 2])
def test_runs_have_the_bits_of_simulate(threads):
    points = {"restitution": [0.3, 0.5, 0.7, 0.9], "stiffness": [5e9, 5.5e9, 6e9, 7e9], "speed": [0.1, 0.15, 0.2, 0.3],
              "mass": [0.05, 0.08, 0.092, 0.2], "radius": [0.02, 0.0199, 0.0198, 0.0197]}  # fmt: skip
    paths = {"touch.law.restitution": "restitution", "touch.law.stiffness": "stiffness", "left.velocity.x": "speed",
             "left.mass": "mass", "touch.shape_a.radius": "radius"}  # fmt: skip
    runs = cm.ensemble(
        two_spheres(), {path: points[name] for path, name in paths.items()},
        ["left.vx.final", "touch.normal_force.max"], t_end=2e-3, method="list", threads=threads,
    )  # fmt: skip
    assert runs.rebuilt == {}
    for k in range(4):
        result = cm.simulate(two_spheres(**{name: values[k] for name, values in points.items()}), 2e-3)
        assert runs["left.vx.final"][k] == result["left"].vx[-1]
        assert runs["touch.normal_force.max"][k] == result["touch"].normal_force.max()


@pytest.mark.parametrize(
    ("system", "parameters", "t_end", "measures"),
    [
        (two_spheres, {"touch.law.restitution": (0.3, 0.9), "left.mass": (0.05, 0.1)}, 1e-3, MEASURES),
        (bouncing_ball, {"floor.friction.coefficient": (0.1, 0.3), "floor.law.stiffness": (1e6, 2e6),
                         "gravity.y": (-11.0, -9.0),
                         "spring.stiffness": (1.0, 3.0), "ball.position.y": (0.05, 0.1)}, 0.3,
         ["impacts.count", "floor.friction_force.max", "ball.y.min", "spring.tension.mean", "ball.omega.final"]),
        (lambda: bouncing_ball(3), {"floor.law.stiffness": (1e6, 2e6), "ball.velocity.x": (0.1, 1.0),
                                    "ball.mass": (0.1, 0.2)}, 0.2,
         ["impacts.count", "ball.y.min", "ball.vx.final", "floor.normal_force.max"]),
        (driven_crank, {"motor.motion.speed": (20.0, 30.0), "rod.mass": (0.05, 0.1), "pin.at.x": (0.15, 0.16)}, 0.1,
         ["rod.x.max", "rod.omega.final", "motor.effort.max", "guide.fy.mean"]),
    ],
    ids=["two spheres", "ball", "ball in space", "driven crank"],
)  # fmt: skip
def test_rows_are_those_of_runs_one_by_one(system, parameters, t_end, measures):
    runs = cm.ensemble(system(), parameters, measures, samples=6, t_end=t_end, threads=2, rtol=1e-6)
    assert runs.rebuilt == {}
    assert runs.failures == {}
    assert runs.to_csv() == single_rows(system(), parameters, measures, 6, t_end=t_end, rtol=1e-6).to_csv()


def test_balls_fall_as_fast_as_theory_says():
    system = cm.System(gravity=(0.0, -9.81), name="fall")
    ball = system.add(cm.Body("ball", 0.2, position=(0.0, 1.0)))
    floor = cm.Plane(system.ground, (0.0, 0.0), (0.0, 1.0))
    system.add(cm.Contact(cm.Sphere(ball, 0.1), floor, cm.laws.Hertz(stiffness=1e7), name="floor"))
    runs = cm.ensemble(
        system, {"gravity.y": (-20.0, -5.0), "ball.position.y": (0.5, 2.0)}, "impacts.approach_speed.first",
        samples=16, method="sobol", t_end=1.0,
    )  # fmt: skip
    expected = np.sqrt(-2.0 * runs["gravity.y"] * (runs["ball.position.y"] - 0.1))
    np.testing.assert_allclose(runs["impacts.approach_speed.first"], expected, rtol=1e-9)


def test_more_than_numbers_in_the_tables_is_built_anew():
    parameters = {"crank.position.y": [0.0, 0.001], "rod.mass": [0.08, 0.09, 0.1, 0.11]}
    measures = ["rod.x.max", "rod.omega.final"]
    runs = cm.ensemble(driven_crank(), parameters, measures, t_end=0.05, threads=2)
    assert list(runs.rebuilt) == ["crank.position.y"]
    assert "tables" in runs.rebuilt["crank.position.y"]
    assert runs.to_csv() == single_rows(driven_crank(), parameters, measures, None, t_end=0.05).to_csv()


def test_redundant_constraints_run_one_by_one():
    case = cm.gallery.parallelogram()
    body = case.system.bodies[-1].name
    runs = cm.ensemble(case, {"gravity.y": [-9.0, -9.5, -10.0, -11.0]}, f"{body}.vx.final", t_end=0.02, threads=1)
    assert "redundant" in runs.rebuilt["gravity.y"]
    assert runs.failures == {}


def test_parameters_of_a_case_are_built_anew():
    runs = cm.ensemble("two_spheres", {"restitution": [0.3, 0.6]}, "touch.normal_force.max", law="flores", threads=1)
    result = cm.gallery.two_spheres(law="flores", restitution=0.6).run()
    assert "not a path" in runs.rebuilt["restitution"]
    assert runs["touch.normal_force.max"][1] == result["touch"].normal_force.max()


def test_values_out_of_range_are_rows_with_an_error():
    values = [0.3, math.nan, 0.5, 1.5, 0.7, 0.9]
    runs = cm.ensemble(two_spheres(), {"touch.law.restitution": values}, "left.vx.final", t_end=1e-3)
    assert list(runs.failures) == [1, 3]
    assert "must be finite" in runs.failures[1]
    assert "must lie in [0, 1]" in runs.failures[3]
    assert [row["outcome"] for row in runs.rows()][:3] == ["FINISHED", "FAILED", "FINISHED"]


def test_a_run_that_does_not_reach_its_end_has_its_outcome():
    parameters = {"floor.law.stiffness": [1e5, 1e6, 1e300, 1e7, 1e8]}
    runs = cm.ensemble(bouncing_ball(), parameters, "ball.y.final", t_end=0.3, rtol=1e-5)
    alone = single_rows(bouncing_ball(), parameters, "ball.y.final", None, t_end=0.3, rtol=1e-5)
    assert runs.to_csv() == alone.to_csv()
    assert [row["outcome"] for row in runs.rows()].count("FINISHED") == 4


@pytest.mark.parametrize(
    ("path", "nearest"),
    [("tuch.law.restitution", "touch"), ("touch.law.restitutoin", "restitution"), ("left.mas", "mass"),
     ("left.velocity.q", "x, y")],
)  # fmt: skip
def test_an_unknown_path_names_the_nearest_ones(path, nearest):
    with pytest.raises(ModelError, match=nearest):
        cm.ensemble(two_spheres(), {path: [0.1, 0.2]}, "left.vx.final", t_end=1e-3)


def test_full_results_of_chosen_runs():
    speeds = {"left.velocity.x": [0.1, 0.15, 0.2, 0.25]}
    runs = cm.ensemble(two_spheres(), speeds, "left.vx.final", t_end=1e-3, keep=[1])
    fast = cm.ensemble(
        two_spheres(), speeds, "left.vx.final", t_end=1e-3, keep=lambda row: row["left.velocity.x"] > 0.18
    )
    assert list(runs.results) == [1]
    assert list(fast.results) == [2, 3]
    for k, result in {**runs.results, **fast.results, 0: runs.run(0)}.items():
        assert result["left"].vx[-1] == runs["left.vx.final"][k]
    with pytest.raises(ModelError, match="whole number from 0 to 3"):
        cm.ensemble(two_spheres(), speeds, "left.vx.final", t_end=1e-3, keep=[4])


def test_an_interrupted_ensemble_resumes(tmp_path):
    parameters, options = {"touch.law.restitution": (0.3, 0.9)}, {"samples": 40, "t_end": 1e-3, "threads": 2}

    def stop(done):
        if done > 0.4:
            raise KeyboardInterrupt

    with pytest.warns(cm.CaromWarning, match="interrupted after"):
        part = cm.ensemble(two_spheres(), parameters, "left.vx.final", out=tmp_path, progress=stop, **options)
    assert not part.complete
    whole = cm.ensemble(two_spheres(), parameters, "left.vx.final", out=tmp_path, **options)
    assert whole.complete
    assert whole.to_csv() == cm.ensemble(two_spheres(), parameters, "left.vx.final", **options).to_csv()


def test_equal_seeds_give_equal_runs():
    def drawn(seed):
        ranges = {"left.velocity.x": (0.1, 0.2)}
        runs = cm.ensemble(two_spheres(), ranges, "left.vx.final", samples=8, method="random", seed=seed, t_end=1e-3)
        return runs.to_csv()

    assert drawn(3) == drawn(3) != drawn(4)


def test_functions_of_a_result_are_measured_run_by_run():
    def last_speed(result):
        return result["left"].vx[-1]

    speeds = {"left.velocity.x": [0.1, 0.15, 0.2, 0.25]}
    runs = cm.ensemble(two_spheres(), speeds, last_speed, t_end=1e-3, threads=1)
    assert "function of a result" in runs.rebuilt["left.velocity.x"]
    assert runs["last_speed"][2] == runs.run(2)["left"].vx[-1]


def test_an_ensemble_that_does_not_fit_in_memory_raises(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    monkeypatch.setattr("carom.study.ensemble.available_memory", lambda: 1000)
    with pytest.raises(ModelError, match="2 runs need about"):
        cm.ensemble(two_spheres(), {"left.mass": [0.1, 0.2]}, "left.vx.final", t_end=1e-3)
