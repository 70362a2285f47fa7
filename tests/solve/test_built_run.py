"""Runs of an unchanged system use what the run before has built, with the same bits."""

import copy
import math
import pickle
import threading

import pytest

import carom as cm
from carom.solve.built_run import ATTRIBUTE
from carom.solve.compliant import rk_integrator


def bouncing(height=0.2, law=None):
    """Return a disc above the ground, for which a run contains impacts and comes to rest."""
    system = cm.System(gravity=(0.0, -9.81))
    ball = system.add(cm.Body("ball", 0.17, 5.6e-5, position=(0.0, height)))
    law = law or cm.laws.Flores(1e6, 0.3)
    system.add(cm.Contact(cm.Sphere(ball, 0.0286), cm.Plane(system.ground), law, name="floor"))
    return system


def problem_of(system):
    return vars(system)[ATTRIBUTE].problem


def test_the_second_run_builds_nothing_and_has_the_bits_of_the_first():
    system = bouncing()
    first = cm.simulate(system, 1.2)
    assert first.stats["implicit_steps"] > 0
    built = problem_of(system)
    for _ in range(2):
        assert cm.simulate(system, 1.2).same_as(first)
        assert problem_of(system) is built


@pytest.mark.parametrize("integrator", ["auto", "implicit", "dop853", "rk4"])
def test_a_run_of_another_request_in_between_changes_nothing(integrator):
    system = bouncing()
    options = {"integrator": integrator, "max_step": 2e-4 if integrator == "rk4" else None}
    first = cm.simulate(system, 0.3, **options)
    again = cm.simulate(system, 0.3, **options)
    cm.simulate(system, 0.1)
    assert again.same_as(first)
    assert cm.simulate(system, 0.3, **options).same_as(first)


CHANGES = {
    "law": lambda s: setattr(s["floor"], "law", cm.laws.Flores(2e6, 0.5)),
    "friction": lambda s: setattr(s["floor"], "friction", cm.friction.Coulomb(0.2)),
    "mass": lambda s: setattr(s["ball"], "mass", 0.3),
    "velocity": lambda s: setattr(s["ball"], "velocity", (0.4, -1.0)),
    "gravity": lambda s: setattr(s, "gravity", (0.0, -1.62)),
    "force": lambda s: s.add(cm.PointForce(s["ball"], (1.0, 0.0))),
    "body": lambda s: s.add(cm.Body("other", 1.0, 1.0)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_system_is_built_again(change):
    system, fresh = bouncing(), bouncing()
    cm.simulate(system, 0.3)
    change(system)
    change(fresh)
    assert cm.simulate(system, 0.3).same_as(cm.simulate(fresh, 0.3))


def test_functions_of_the_user_are_read_again():
    def force(indentation, rate, approach_speed):
        return 1e6 * indentation**1.5

    system = bouncing(law=cm.laws.custom(force))
    cm.simulate(system, 0.3)
    assert ATTRIBUTE not in vars(system)


def test_warnings_of_the_start_are_issued_in_every_run():
    system = bouncing(height=0.02)
    for _ in range(2):
        with pytest.warns(cm.CaromWarning, match="overlap"):
            cm.simulate(system, 0.01)


def test_warnings_of_units_are_issued_in_every_run():
    system = cm.System(gravity=(0.0, -9810.0))
    system.add(cm.Body("ball", 0.17, 5.6e-5, position=(0.0, 0.2)))
    for _ in range(2):
        with pytest.warns(cm.CaromWarning, match="9810"):
            cm.simulate(system, 0.01)


def test_copies_and_pickled_systems_do_not_share_what_was_built():
    system = bouncing()
    first = cm.simulate(system, 0.3)
    for other in (copy.deepcopy(system), pickle.loads(pickle.dumps(system))):
        assert ATTRIBUTE not in vars(other)
        assert cm.simulate(other, 0.3).same_as(first)
    assert cm.simulate(system, 0.3).same_as(first)


def test_an_interrupted_run_is_built_again(monkeypatch):
    monkeypatch.setattr(rk_integrator, "CHUNK_SECONDS", 0.0)  # several chunks, after each of which a run can be stopped
    system = bouncing()
    whole = cm.simulate(system, 0.3)

    def stop(fraction):
        raise KeyboardInterrupt

    assert cm.simulate(system, 0.3, progress=stop).outcome is not whole.outcome
    assert ATTRIBUTE not in vars(system)
    assert cm.simulate(system, 0.3).same_as(whole)


def test_two_threads_that_simulate_one_system_do_not_disturb_each_other():
    system = bouncing()
    expected = cm.simulate(system, 0.3)
    results = []
    threads = [
        threading.Thread(target=lambda: results.extend(cm.simulate(system, 0.3, progress=False) for _ in range(20)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 40
    assert all(result.same_as(expected) for result in results)


def test_earlier_results_stay_as_they_are():
    system = bouncing()
    first = cm.simulate(system, 0.3)
    height = first["ball"].y.copy()
    cm.simulate(system, 0.3)
    assert (first["ball"].y == height).all()
    assert math.isclose(first.energy.total[0], 0.17 * 9.81 * 0.2)
