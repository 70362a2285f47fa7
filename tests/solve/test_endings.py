"""Runs that do not reach their end: what is kept, and what the message says."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom as cm
from carom import Outcome
from carom.solve.compliant import cvode, rk_integrator
from carom.solve.compliant.registry import INTEGRATORS
from physics.drops import Patience
from solve.mechanisms import FourBar, pendulum, violations

ADAPTIVE = [name for name in INTEGRATORS if name != "rk4"]


# ---- stopped by the user


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_interrupted_run_keeps_what_was_computed(integrator, monkeypatch):
    monkeypatch.setattr(rk_integrator, "CHUNK_NODES", 32)
    monkeypatch.setattr(cvode, "MAX_CHUNK", 32)
    options = {"integrator": integrator, "max_step": 2e-3 if integrator == "rk4" else None}
    full = cm.simulate(pendulum(), 4.0, **options)
    calls = []

    def stop_half_way(fraction):
        calls.append(fraction)
        if fraction > 0.5:
            raise KeyboardInterrupt

    stopped = cm.simulate(pendulum(), 4.0, progress=stop_half_way, **options)
    count = len(stopped.t)
    assert stopped.outcome is Outcome.INTERRUPTED
    assert "stopped by the user" in stopped.message
    assert stopped.t[-1] == pytest.approx(4.0 * calls[-1])
    assert 0.5 < calls[-1] < 0.9
    np.testing.assert_array_equal(stopped.t, full.t[:count])
    np.testing.assert_array_equal(stopped.q, full.q[:count])
    np.testing.assert_array_equal(stopped.signals, full.signals[:count])
    np.testing.assert_array_equal(stopped.energy.columns(), full.energy.columns()[:count])


# ---- blow-up


def two_bodies(force) -> cm.System:
    """A body that falls, and one that is pushed along x."""
    system = cm.System(gravity=(0.0, -9.81), name="pair")
    system.add(cm.Body("faller", 1.0, 1.0))
    pushed = system.add(cm.Body("pushed", 1.0, 1.0, position=(1.0, 0.0)))
    system.add(cm.PointForce(pushed, force, name="push"))
    return system


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_force_that_stops_being_a_number_ends_the_run_there(integrator, value):
    def force(t):
        return (value if t >= 0.5 else 2.0, 0.0)

    step = 1.0 / 64.0 if integrator == "rk4" else None
    result = cm.simulate(two_bodies(force), 1.0, integrator=integrator, max_step=step, progress=Patience(5.0))
    assert result.outcome in (Outcome.NOT_FINITE, Outcome.STEP_UNDERFLOW)
    # A fixed step that would touch t = 0.5 is the first that fails.
    assert result.t[-1] == pytest.approx(0.5, abs=2.0 / 64.0 if step else 1e-9)
    pushed = result["pushed"]
    np.testing.assert_allclose(pushed.x, 1.0 + result.t**2, atol=1e-9)
    np.testing.assert_allclose(result["faller"].y, -0.5 * 9.81 * result.t**2, atol=1e-9)
    assert np.all(np.isfinite(result.q))


def test_message_of_a_blow_up_names_time_and_body():
    def force(t):
        return (math.nan if t >= 0.5 else 2.0, 0.0)

    result = cm.simulate(two_bodies(force), 1.0)
    assert "t = 0.5 s" in result.message
    assert "'pushed'" in result.message


@pytest.mark.parametrize("integrator", ADAPTIVE)
def test_force_that_grows_without_bound_ends_the_run_before_it(integrator):
    """F = 1/(1 − t): the speed is −ln(1 − t), which no step can carry past t = 1."""

    def force(t):
        return (1.0 / (1.0 - t), 0.0)

    result = cm.simulate(two_bodies(force), 2.0, integrator=integrator, progress=Patience(5.0))
    assert result.outcome in (Outcome.NOT_FINITE, Outcome.STEP_UNDERFLOW, Outcome.STALLED)
    assert 1.0 - 1e-9 < result.t[-1] <= 1.0
    assert "t = 1 s" in result.message
    assert "'pushed'" in result.message
    early = result.t < 0.99
    np.testing.assert_allclose(result["pushed"].vx[early], -np.log(1.0 - result.t[early]), rtol=1e-7, atol=1e-9)


def test_force_that_is_no_number_from_the_start_gives_the_start():
    result = cm.simulate(two_bodies(lambda t: (math.nan, 0.0)), 1.0)
    assert result.outcome is Outcome.NOT_FINITE
    assert "'pushed'" in result.message
    np.testing.assert_array_equal(result.t, [0.0])


def test_error_in_a_function_of_the_user_is_raised_as_it_is():
    bottom = {"depth": 0.1}  # Numba refuses a dictionary as a global: the function runs as Python

    def force(t, s):
        if s.faller.y < -bottom["depth"]:
            raise RuntimeError("the faller is too deep")
        return (0.0, 0.0)

    with (
        pytest.warns(cm.CaromWarning, match="runs as plain Python"),
        pytest.raises(RuntimeError, match="the faller is too deep"),
    ):
        cm.simulate(two_bodies(force), 1.0)


# ---- lock-up


def beyond_reach() -> tuple[cm.System, float]:
    """A double rocker whose crank is driven through the angle at which coupler and rocker are stretched."""
    linkage = FourBar(1.0, 1.5, 1.2, 2.0)
    system = linkage.system(0.3)
    system.add(cm.Driver((system["crank"], "angle"), cm.ConstantSpeed(1.0), name="motor"))
    system.assemble()
    stretched = linkage.coupler + linkage.rocker
    limit = math.acos((linkage.crank**2 + linkage.base**2 - stretched**2) / (2.0 * linkage.crank * linkage.base))
    return system, limit - 0.3


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"integrator": "dop853"},
        {"integrator": "tsit5"},
        {"integrator": "adams"},
        {"integrator": "bdf"},
        {"integrator": "rk4", "max_step": 1e-3},
        {"constraints": "baumgarte"},
        {"constraints": "augmented"},
    ],
    ids=lambda options: " ".join(map(str, options.values())) or "default",
)
def test_mechanism_driven_out_of_reach_locks_up(options):
    system, locks = beyond_reach()
    result = cm.simulate(system, 3.0, progress=Patience(5.0), **options)
    assert not result.outcome.ok
    assert result.outcome is not Outcome.INTERRUPTED
    # A penalty gives way a little before that is noticed.
    late = 2e-2 if options.get("constraints") == "augmented" else 5e-3
    assert result.t[-1] == pytest.approx(locks, abs=late)
    before = result.t < locks - 0.05
    early = cm.simulate(system, locks - 0.05, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(
        result["rocker"].angle[before], early.sample(result.t[before])["rocker"].angle, atol=1e-6
    )
    assert np.diff(result.t).min() > 0.0


def test_message_of_a_lock_up_names_the_joints():
    system, _ = beyond_reach()
    result = cm.simulate(system, 3.0, progress=Patience(5.0))
    assert result.outcome is Outcome.SINGULAR
    for name in ("A", "B", "C", "D", "motor"):
        assert f"'{name}'" in result.message
    assert "1.88" in result.message


def test_lock_up_leaves_no_open_joint_behind():
    system, _ = beyond_reach()
    position, _ = violations(system, cm.simulate(system, 3.0, integrator="rk4", max_step=1e-3))
    assert position < 1e-12


# ---- start


def test_inconsistent_start_is_corrected_and_said():
    system = cm.System(gravity=(0.0, -9.81), name="slack")
    bob = system.add(cm.Body("bob", 1.0, 0.1, position=(1.0, 0.0)))
    system.add(cm.Revolute(system.ground.point(0.0, 0.0), bob.point(-1.0, 0.0), name="pivot"))
    bob.position = (1.05, 0.02)
    with pytest.warns(cm.CaromWarning, match=r"System 'slack': the start does not satisfy 'pivot'; positions moved by"):
        result = cm.simulate(system, 0.1)
    assert violations(system, result)[0] < 1e-13
    assert bob.position == (1.05, 0.02)


def test_inconsistent_velocity_is_corrected_and_said():
    system = pendulum(inertia=0.1)
    system["bob"].velocity = (0.3, 0.0)  # along the rod, where it cannot go
    with pytest.warns(cm.CaromWarning, match=r"does not satisfy 'pivot'; positions moved by 0, velocities by 0\.3"):
        result = cm.simulate(system, 0.1)
    assert abs(result["bob"].vx[0]) < 1e-15


def test_consistent_start_is_left_as_it_is(recwarn):
    system = pendulum(inertia=0.1)
    system["bob"].velocity, system["bob"].angular_velocity = (0.0, 2.0), 2.0
    result = cm.simulate(system, 0.1)
    assert not recwarn.list
    np.testing.assert_array_equal(result.q[0], [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(result.v[0], [0.0, 2.0, 2.0])
