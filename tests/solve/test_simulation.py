"""Simulations that are driven step by step: they have the bits of runs that are not."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import carom as cm
from carom.solve.compliant.registry import CVODE_METHODS
from quick import slow_but
from solve.many_body.systems import add_sphere, box_walls, lattice
from solve.many_body.test_body_flow import chute
from solve.mechanisms import pendulum
from solve.test_resume import NONSMOOTH, RUNS, sliding_ball
from solve.timestepping.scenes import ball_above_floor

EVENT_DRIVEN = {"method": "nonsmooth", "scheme": "event-driven"}


@cache
def rigid_grains() -> cm.System:
    """Balls that fall into a box, in one group of rigid contacts."""
    places, side = lattice(40)
    system = cm.System(dim=3, gravity=(0.0, 0.0, -9.81), name="grains")
    balls = [add_sphere(system, f"ball {k}", place) for k, place in enumerate(places)]
    law, friction = cm.laws.HuntCrossley(1e6, 0.7), cm.friction.Coulomb(0.3)
    system.add_contacts(balls, box_walls(system, side), law=law, friction=friction, impact=cm.ImpactLaw(0.5, 0.3))
    return system


def stepped_motor() -> cm.System:
    """A pendulum that a motion drives, which changes its form twice."""
    system = cm.System(gravity=(0.0, -9.81), name="motor")
    bob = system.add(cm.Body("bob", 1.0, 0.01, position=(1.0, 0.0)))
    pivot = system.add(cm.Revolute(system.ground, bob, at=(0.0, 0.0), name="pivot"))
    system.add(cm.Driver(pivot, cm.StepMotion(0.05, 0.0, 0.12, 0.4), name="motor"))
    return system


DRIVEN: dict[str, tuple[Any, float, dict[str, Any]]] = {
    **{name: run for name, run in RUNS.items() if name not in CVODE_METHODS},
    "default": (sliding_ball, 0.4, {}),
    "implicit": (sliding_ball, 0.3, {"integrator": "implicit"}),
    "motion with breaks": (stepped_motor, 0.2, {}),
    "rigid motion with breaks": (stepped_motor, 0.2, NONSMOOTH),
    "event-driven motion with breaks": (stepped_motor, 0.2, EVENT_DRIVEN),
    "rigid grains": (rigid_grains, 0.06, NONSMOOTH),
    "flow of bodies": (chute, 0.3, {"max_step": 1e-4}),
}
QUICK = ("default", "implicit", "state of friction", "motion with breaks", "adaptive", "event-driven", "rigid grains",
         "event-driven in 3D", "own coordinates", "verlet", "flow of bodies")  # fmt: skip


def driven(name: str) -> tuple[cm.Simulation, int, float, Any]:
    """Return a simulation, a number of intervals, their length [s], and a function that runs `simulate`."""
    make, t_end, options = DRIVEN[name]
    options = {key: value for key, value in options.items() if key != "output"}
    times = t_end / 60 * np.arange(1, 61)
    planned = {"t_end": float(times[-1])} if options.get("scheme") == "event-driven" else {}  # its steps are fractions
    return (
        cm.Simulation(make(), **planned, **options),
        60,
        t_end / 60,
        lambda: cm.simulate(make(), float(times[-1]), output=times.tolist(), **options),
    )


@pytest.mark.parametrize("name", slow_but(QUICK, DRIVEN))
def test_a_driven_run_has_the_bits_of_one_that_is_not(name):
    sim, count, dt, simulate = driven(name)
    for k in range(count):
        sim.advance(dt)
        if k % 7 == 0:  # looks change nothing
            assert sim.result.t[-1] == sim.time
    assert sim.result.same_as(simulate())


@pytest.mark.parametrize("name", slow_but(QUICK, DRIVEN))
def test_a_restored_state_continues_with_the_same_bits(name):
    sim, count, dt, simulate = driven(name)
    for _ in range(count // 2):
        sim.advance(dt)
    state = sim.save_state()
    before = sim.result
    for _ in range(count // 4):
        sim.advance(1.7 * dt)
    sim.restore(state)
    assert sim.time == before.t[-1]
    assert sim.result.same_as(before)
    for _ in range(count - count // 2):
        sim.advance(dt)
    whole = simulate()
    assert sim.result.same_as(whole)
    sim.reset()
    assert sim.time == 0.0
    for _ in range(count):
        sim.advance(dt)
    assert sim.result.same_as(whole)


def test_a_state_continues_in_another_simulation_of_an_equal_model():
    one, other = cm.Simulation(sliding_ball()), cm.Simulation(sliding_ball())
    one.run_until(0.068)  # in contact
    assert one["floor"].normal_force > 0.0
    other.restore(one.save_state())
    for sim in (one, other):
        sim.run_until(0.4)
    assert one.result.same_as(other.result)


@pytest.mark.parametrize("options", [{}, {"method": "nonsmooth", "step": 1e-3}, {**EVENT_DRIVEN, "t_end": 1.0}])
def test_ten_thousand_intervals_have_the_bits_of_one_run(options):
    make = (lambda: ball_above_floor(0.5, 0.2, friction=0.3)) if "method" in options else sliding_ball
    sim = cm.Simulation(make(), **options)
    for _ in range(10_000):
        sim.advance(1e-4)
    planned = options.pop("t_end", 1.0)
    assert sim.time == planned
    assert sim.result.same_as(cm.simulate(make(), 1.0, output=1e-4, **options))


@pytest.mark.parametrize("name", ["default", "adaptive", "event-driven", "verlet", "own coordinates", "surface"])
def test_current_values_are_those_of_the_last_node(name):
    sim, _, dt, _ = driven(name)
    for _ in range(12):
        sim.advance(dt)
        now, result = {}, sim.result
        for info in (*result.bodies, *result.elements):
            names = result[info.name].units
            now[info.name] = [getattr(sim[info.name], signal) for signal in names]
            np.testing.assert_array_equal(now[info.name], [getattr(result[info.name], signal)[-1] for signal in names])
    assert sim.result.t[-1] == sim.time


def test_current_values_are_numbers_and_vectors():
    sim = cm.Simulation(sliding_ball())
    assert sim["ball"].position.tolist() == [0.0, 0.15]
    sim.advance(0.01)
    assert isinstance(sim["ball"].vx, float)
    assert sim["ball"].vx == pytest.approx(0.6 + 0.5 * 0.01, rel=1e-12)
    assert sim["ball"].velocity.shape == (2,)
    assert sim["ball"].point(0.0, 0.1).shape == (2,)
    assert "normal_force" in dir(sim["floor"])
    assert "vx = 0.605" in repr(sim["ball"])
    with pytest.raises(AttributeError, match="no series 'speed'"):
        sim["ball"].speed  # noqa: B018
    with pytest.raises(KeyError, match="Simulation 'sliding ball': unknown name 'bal'; did you mean 'ball'"):
        sim["bal"]


@pytest.mark.parametrize("dt", [math.nan, -0.1, 0.0, math.inf, "soon", None])
def test_a_refused_interval_changes_nothing(dt):
    sim = cm.Simulation(sliding_ball())
    sim.advance(0.1)
    with pytest.raises(cm.ModelError, match="Simulation: dt must be"):
        sim.advance(dt)
    sim.advance(0.1)
    assert sim.result.t.tolist() == [0.0, 0.1, 0.2]


def test_a_simulation_does_not_run_backwards_or_past_its_end():
    sim = cm.Simulation(sliding_ball(), t_end=0.3)
    sim.run_until(0.2)
    sim.run_until(0.2)
    with pytest.raises(cm.ModelError, match=r"t must be later than the time reached, 0.2 s, got 0.1 s"):
        sim.run_until(0.1)
    with pytest.raises(cm.ModelError, match=r"t must be at most 0.3 s, t_end, got 0.4 s"):
        sim.run_until(0.4)
    with pytest.raises(cm.ModelError, match="t must be"):
        sim.run_until(math.nan)
    sim.run_until(0.3)
    assert sim.result.t.tolist() == [0.0, 0.2, 0.3]


def test_a_simulation_ends_with_the_table_of_a_motion():
    system = pendulum()
    motion = cm.TableMotion([0.0, 0.1, 0.2, 0.3], [0.0, 0.1, 0.15, 0.1])
    system.add(cm.Driver(system.joints[0], motion))
    sim = cm.Simulation(system)
    sim.run_until(0.3)
    with pytest.raises(cm.ModelError, match=r"at most 0.3 s, the end of the table of a motion"):
        sim.advance(0.1)


def test_states_of_other_models_are_refused():
    sim = cm.Simulation(sliding_ball())
    sim.advance(0.1)
    others = [
        cm.Simulation(sliding_ball(law=cm.laws.Flores(stiffness=1e5, restitution=0.61))),
        cm.Simulation(sliding_ball(), rtol=1e-6),
        cm.Simulation(pendulum()),
    ]
    for other in others:
        with pytest.raises(cm.ModelError, match=r"the state at t = 0 s belongs to another model"):
            sim.restore(other.save_state())
    with pytest.raises(cm.ModelError, match=r"expected a state of save_state\(\), got 3"):
        sim.restore(3)
    sim.advance(0.1)
    assert sim.result.t.tolist() == [0.0, 0.1, 0.2]


def test_an_exception_of_a_users_function_is_raised_with_what_was_computed():
    def force(t):
        if t > 0.25:
            raise RuntimeError("no more")
        return 0.0, 0.0

    system = sliding_ball()
    system.add(cm.PointForce(system.bodies[0], force=force))
    sim = cm.Simulation(system)
    sim.advance(0.1)
    start = sim.save_state()
    sim.advance(0.1)
    with pytest.raises(RuntimeError, match=r"no more|its function raised an error") as raised:
        sim.advance(0.1)
    assert raised.value.result.t.tolist() == [0.0, 0.1, 0.2]
    assert sim.result.t.tolist() == [0.0, 0.1, 0.2]
    with pytest.raises(cm.ModelError, match=r"the run has ended.*exception in a user's function"):
        sim.advance(0.01)
    sim.restore(start)
    sim.run_until(0.15)
    assert sim.result.t.tolist() == [0.0, 0.1, 0.15]


@pytest.mark.parametrize("name", ["default", "adaptive", "event-driven", "rigid grains", "verlet"])
def test_an_interrupted_simulation_continues_with_the_same_bits(name, monkeypatch):
    sim, _, dt, _ = driven(name)
    whole, *_ = driven(name)
    for one in (sim, whole):
        one.run_until(3 * dt)
    method, count = type(sim._method), 0
    advance = method.advance

    def interrupted(self):
        nonlocal count
        count += 1
        if count == 1:
            raise KeyboardInterrupt
        advance(self)

    with monkeypatch.context() as patch:
        patch.setattr(method, "advance", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sim.run_until(6 * dt)
    with pytest.raises(cm.ModelError, match="Ctrl-C interrupted it on its way to"):
        sim.advance(0.1 * dt)
    with pytest.raises(cm.ModelError, match="Ctrl-C interrupted it; use run_until"):
        sim.save_state()
    sim.run_until(9 * dt)
    whole.run_until(6 * dt)
    whole.run_until(9 * dt)
    assert sim.result.same_as(whole.result)


@pytest.mark.parametrize("integrator", CVODE_METHODS)
def test_multistep_methods_are_refused(integrator):
    with pytest.raises(cm.ModelError, match=f"integrator '{integrator}' cannot be driven"):
        cm.Simulation(sliding_ball(), integrator=integrator)


def test_options_are_those_of_simulate():
    with pytest.raises(cm.ModelError, match="unknown option 'output'"):
        cm.Simulation(sliding_ball(), output=0.1)
    with pytest.warns(cm.CaromWarning, match="step has no effect in a compliant run"):
        cm.Simulation(sliding_ball(), step=1e-3)
    assert repr(cm.Simulation(sliding_ball())) == "<Simulation 'sliding ball': t = 0 s, RungeKutta>"
