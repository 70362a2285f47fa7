"""Requests of a run: output times, repeatability, long runs, what must be refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom.solve import run_output
from carom.solve.compliant import rk_integrator
from carom.solve.compliant.registry import INTEGRATORS
from solve.mechanisms import FourBar, pendulum, slider_crank


def fixed(integrator: str) -> dict[str, float]:
    return {"max_step": 1e-3} if integrator == "rk4" else {}


# ---- output times


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_interval_gives_nodes_at_its_multiples(integrator):
    result = cm.simulate(pendulum(), 1.0, integrator=integrator, output=0.1, **fixed(integrator))
    np.testing.assert_array_equal(result.t, [0.1 * k for k in range(10)] + [1.0])


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_list_of_times_is_hit_exactly(integrator):
    times = [0.0, 0.123, 1.0 / 3.0, 0.7, math.pi / 4.0, 1.0]
    result = cm.simulate(pendulum(), 1.0, integrator=integrator, output=times, **fixed(integrator))
    np.testing.assert_array_equal(result.t, times)


def test_interval_that_does_not_divide_the_run_still_gives_its_end():
    result = cm.simulate(pendulum(), 1.0, output=0.3)
    np.testing.assert_array_equal(result.t, [0.0, 0.3, 0.6, 0.3 * 3, 1.0])


def test_output_does_not_change_the_motion():
    dense = cm.simulate(pendulum(), 2.0, rtol=1e-10, atol=1e-11)
    listed = cm.simulate(pendulum(), 2.0, rtol=1e-10, atol=1e-11, output=0.05)
    np.testing.assert_allclose(listed["bob"].angle, dense.sample(listed.t)["bob"].angle, atol=1e-9)


def test_order_and_repetition_of_output_times_do_not_matter():
    result = cm.simulate(pendulum(), 1.0, output=[0.5, 0.25, 0.5, 1.0, 0.0])
    np.testing.assert_array_equal(result.t, [0.0, 0.25, 0.5, 1.0])


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (-0.1, "positive"),
        (0.0, "positive"),
        ([0.5, 1.5], "between 0 and t_end"),
        ([-0.1], "between 0 and t_end"),
        ([math.nan], "finite"),
    ],
)
def test_impossible_output_is_refused(output, words):
    with pytest.raises(cm.ModelError, match=words):
        cm.simulate(pendulum(), 1.0, output=output)


# ---- repeatability


def test_system_is_not_changed_by_a_run():
    system = slider_crank(angle=0.7)
    system["crank"].angular_velocity = 0.0
    before = [(b.position, b.angle, b.velocity, b.angular_velocity, b.mass, b.inertia) for b in system.bodies]
    parameters = [tuple(joint.parameters) for joint in system.joints]
    cm.simulate(system, 0.5)
    assert before == [(b.position, b.angle, b.velocity, b.angular_velocity, b.mass, b.inertia) for b in system.bodies]
    assert parameters == [tuple(joint.parameters) for joint in system.joints]


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_two_runs_are_the_same_bit_for_bit(integrator):
    runs = [cm.simulate(slider_crank(angle=0.7), 1.0, integrator=integrator, **fixed(integrator)) for _ in range(2)]
    assert runs[0].same_as(runs[1])


def test_same_system_object_gives_the_same_run_again():
    system = slider_crank(angle=0.7)
    assert cm.simulate(system, 1.0).same_as(cm.simulate(system, 1.0))


def test_chunks_of_work_do_not_change_the_run(monkeypatch):
    system = slider_crank(angle=0.7)
    whole = cm.simulate(system, 1.0)
    monkeypatch.setattr(rk_integrator, "CHUNK_NODES", 8)
    monkeypatch.setattr(rk_integrator, "CHUNK_SECONDS", 1e-6)
    assert cm.simulate(system, 1.0).same_as(whole)


def test_run_can_be_continued_from_where_another_ended():
    first, second = FourBar(0.5, 1.5, 1.2, 1.6).system(1.0), FourBar(0.5, 1.5, 1.2, 1.6).system(1.0)
    whole = cm.simulate(first, 2.0, rtol=1e-11, atol=1e-12)
    second.set_state(cm.simulate(second, 1.0, rtol=1e-11, atol=1e-12))
    rest = cm.simulate(second, 1.0, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(rest.q[-1], whole.q[-1], atol=1e-9)


# ---- long runs


def test_long_runs_keep_every_second_node_again_and_again(monkeypatch):
    full = cm.simulate(pendulum(), 20.0)
    monkeypatch.setattr(run_output, "MAX_NUMBERS", 3000)
    monkeypatch.setattr(rk_integrator, "CHUNK_NODES", 64)
    thin = cm.simulate(pendulum(), 20.0)
    stride = thin.stats["stride"]
    assert stride >= 4
    assert math.log2(stride).is_integer()
    assert thin.t[0] == 0.0
    assert thin.t[-1] == 20.0
    assert thin.q.size + thin.v.size <= 2 * 3000
    # What is left are nodes of the same run.
    where = np.searchsorted(full.t, thin.t)
    np.testing.assert_array_equal(full.t[where], thin.t)
    np.testing.assert_array_equal(full.q[where], thin.q)
    assert np.diff(where).max() <= stride


def test_full_run_says_that_nothing_was_left_out():
    assert cm.simulate(pendulum(), 1.0).stats["stride"] == 1


# ---- what must be refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"t_end": 0.0}, "t_end must be positive"),
        ({"t_end": math.inf}, "t_end must be finite"),
        ({"rtol": 0.0}, "rtol must be positive"),
        ({"atol": -1.0}, "atol must be positive"),
        ({"max_step": 0.0}, "max_step must be positive"),
        ({"integrator": "euler"}, "integrator must be one of 'auto', 'dopri5', .* got 'euler'"),
        ({"integrator": "rk4"}, "'rk4' takes fixed steps; set max_step="),
        ({"constraints": "hope"}, "constraints must be one of"),
        ({"method": "magic"}, "method must be one of"),
        ({"alpha": math.nan}, "alpha must be finite"),
    ],
)
def test_impossible_request_is_refused_with_the_reason(options, words):
    with pytest.raises(cm.ModelError, match=words):
        cm.simulate(pendulum(), **{"t_end": 1.0, **options})


def test_system_without_bodies_is_refused():
    with pytest.raises(cm.ModelError, match="has no body"):
        cm.simulate(cm.System(), 1.0)


def test_table_must_cover_the_run():
    system = pendulum(inertia=1.0)
    system.add(
        cm.Driver((system["bob"], "angle"), cm.TableMotion([0.0, 0.2, 0.4, 0.6], [0.0, 0.1, 0.2, 0.1]), name="feed")
    )
    with pytest.raises(cm.ModelError, match=r"'feed': its table covers 0 s to 0.6 s, the run needs 0 to 1 s"):
        cm.simulate(system, 1.0)
