"""Runs of an unchanged system use what the run before has built, with the same bits."""

import copy
import math
import pickle
import threading
import warnings

import numba
import numpy as np
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


def hardening(stiffness, exponent=1.5):
    """Return a law of a user that captures numbers."""

    def force(indentation, rate, approach_speed):
        return stiffness * indentation**exponent * (1.0 + 0.5 * rate / approach_speed)

    return force


def test_a_law_of_the_user_is_built_once_and_has_the_bits_of_the_first_run():
    system = bouncing(law=cm.laws.custom(hardening(1e8)))
    first = cm.simulate(system, 0.5)
    assert first.impacts
    built = problem_of(system)
    for _ in range(2):
        assert cm.simulate(system, 0.5).same_as(first)
        assert problem_of(system) is built


STIFFNESS = 1e7


def test_functions_of_the_user_are_built_again_when_a_captured_value_changes(monkeypatch):
    def force(indentation, rate):
        return STIFFNESS * indentation**1.5 * (1.0 + gain * rate)

    gain, system = 0.1, bouncing(law=cm.laws.custom(force))
    results = [cm.simulate(system, 0.4)]
    monkeypatch.setitem(globals(), "STIFFNESS", 4e7)
    results.append(cm.simulate(system, 0.4))
    gain = 0.3
    results.append(cm.simulate(system, 0.4))
    force.__code__ = (lambda indentation, rate: STIFFNESS * indentation * (1.0 + gain * rate)).__code__
    results.append(cm.simulate(system, 0.4))
    peaks = [result.impacts[0].peak_force for result in results]
    assert len({f"{peak:.4g}" for peak in peaks}) == 4
    numbers = (1e7, 1.5, 0.1), (4e7, 1.5, 0.1), (4e7, 1.5, 0.3), (4e7, 1.0, 0.3)
    for result, (stiffness, exponent, damping) in zip(results, numbers, strict=True):
        fresh = bouncing(law=cm.laws.custom(lambda x, v: stiffness * x**exponent * (1.0 + damping * v)))  # noqa: B023
        assert cm.simulate(fresh, 0.4).impacts[0].peak_force == pytest.approx(result.impacts[0].peak_force, rel=1e-9)


def test_a_compiled_helper_that_is_replaced_is_noticed(monkeypatch):
    def force(indentation, rate):
        return 1e6 * helper(indentation)

    helper = numba.njit(lambda x: x)
    system = bouncing(law=cm.laws.custom(force))
    soft = cm.simulate(system, 0.4)
    helper = numba.njit(lambda x: 4.0 * x)
    stiff = cm.simulate(system, 0.4)
    ratio = stiff.impacts[0].peak_force / soft.impacts[0].peak_force
    assert ratio == pytest.approx(2.0, rel=1e-2)  # F = v √(k m), with little gravity


def test_a_function_object_with_changed_values_is_noticed_where_an_equal_one_shares_its_code():
    """The code of two equal functions is compiled once; each of them is compared by itself."""

    def make():
        def force(indentation, rate):
            return stiffness * indentation

        def change(value):
            nonlocal stiffness
            stiffness = value

        stiffness = 1e6
        return bouncing(law=cm.laws.custom(force)), change

    (first, _), (second, change) = make(), make()
    before = [cm.simulate(system, 0.4).impacts[0].peak_force for system in (first, second)]
    change(4e6)
    after = [cm.simulate(system, 0.4).impacts[0].peak_force for system in (first, second)]
    assert after[0] == before[0] == before[1]
    assert after[1] == pytest.approx(2.0 * before[1], rel=1e-2)


def test_a_function_of_time_is_built_once_and_read_again_when_it_changes():
    system, gain = bouncing(), 1.0
    system.add(cm.PointForce(system["ball"], lambda t: (gain * math.sin(3.0 * t), 0.0)))
    first = cm.simulate(system, 0.4)
    built = problem_of(system)
    assert cm.simulate(system, 0.4).same_as(first)
    assert problem_of(system) is built
    gain = 2.0
    assert cm.simulate(system, 0.4)["ball"].vx[-1] == pytest.approx(2.0 * first["ball"].vx[-1], rel=1e-9)


class Held:
    gain = 1e7


held = Held()
numbers = np.full(20_000, 1e7)  # larger than what is compared


def of_object(indentation, rate):
    return held.gain * indentation


def of_helper(indentation, rate):
    return of_object(indentation, rate)


def of_large_array(indentation, rate):
    return numbers[0] * indentation


@pytest.mark.parametrize("function", [of_object, of_helper, of_large_array])
def test_functions_that_may_depend_on_anything_are_read_again(monkeypatch, function):
    system = bouncing(law=cm.laws.custom(function))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.CaromWarning)
        for _ in range(2):
            before = cm.simulate(system, 0.25)
            assert ATTRIBUTE not in vars(system)
        monkeypatch.setattr(held, "gain", 4e7)
        monkeypatch.setitem(globals(), "numbers", 4.0 * numbers)
        after = cm.simulate(system, 0.25)
    assert after.impacts[0].peak_force == pytest.approx(2.0 * before.impacts[0].peak_force, rel=1e-2)


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
