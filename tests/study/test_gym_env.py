"""Environments of gymnasium step the simulation, begin reproducibly, and pass the checks of the library."""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import carom as cm

pytest.importorskip("gymnasium", reason="gymnasium is not installed: its environments are not tested")
from gymnasium.utils.env_checker import check_env


def cart() -> cm.System:
    """A cart that an input pushes."""
    system = cm.System(name="cart")
    body = system.add(cm.Body("cart", mass=2.0, inertia=0.1))
    push = system.add(cm.Input("push", unit="N"))
    system.add(cm.PointForce(body, (push, 0.0)))
    system.add(cm.Accelerometer(body, name="imu"))
    return system


def env_of(system=None, **options):
    """Return an environment whose task ends at x = 1 m."""
    arguments = {
        "actions": {"push": (-4.0, 4.0)}, "observations": ["cart.x", "imu", lambda s: s["push"]], "period": 0.1,
        "reward": lambda s: -abs(s["cart"].x - 1.0), "terminated": lambda s: s["cart"].x >= 1.0, "t_max": 2.0,
    }  # fmt: skip
    return cm.study.gym_env(cart() if system is None else system, **{**arguments, **options})


def test_a_step_holds_the_action_during_a_period():
    env = env_of()
    observation, info = env.reset(seed=1)
    assert observation.tolist() == [0.0, 0.0, 0.0, 0.0]
    assert info == {"time": 0.0}
    observation, reward, terminated, truncated, info = env.step([3.0])
    np.testing.assert_allclose(observation, [0.5 * 1.5 * 0.01, 1.5, 0.0, 3.0], rtol=1e-9)
    assert reward == observation[0] - 1.0
    assert (terminated, truncated, info) == (False, False, {"time": 0.1})
    assert env.step([50.0])[0][3] == 4.0  # clipped
    for _ in range(8):
        *_, terminated, truncated, info = env.step([4.0])
    assert not terminated
    *_, terminated, truncated, info = env.step([4.0])
    assert terminated
    env.reset()
    for _ in range(20):
        *_, terminated, truncated, info = env.step([0.0])
    assert truncated
    assert not terminated


def test_random_starts_are_those_of_their_seed():
    def start(random):
        system = cart()
        system["cart"].velocity = (random.normal(), 0.0)
        return system

    env = env_of(start, observations=["cart.vx"])
    first = env.reset(seed=5)[0]
    second = env.reset()[0]
    assert first != second
    assert env.reset(seed=5)[0] == first == np.random.default_rng(5).normal()
    assert env.reset()[0] == second


def test_wrong_arguments_and_actions_are_refused():
    for options, message in (
        ({"actions": {"pull": (0.0, 1.0)}}, "unknown input 'pull'; the inputs are push"),
        ({"actions": {}}, "actions must be a mapping"),
        ({"actions": {"push": (1.0, 0.0)}}, "with low < high"),
        ({"actions": {"push": (1.0,)}}, r"must be \(low, high\)"),
        ({"observations": ["cat.x"]}, r"gym_env: unknown input 'cat\.x'"),
        ({"period": 0.0}, "period must be positive"),
        ({"render_mode": "human"}, "render_mode must be None or 'rgb_array'"),
    ):
        with pytest.raises(cm.ModelError, match=message):
            env_of(**options)
    with pytest.raises(cm.ModelError, match="expected a System"):
        env_of(3.0)
    env = env_of()
    for action in ([np.nan], [1.0, 2.0], 1.0):
        with pytest.raises(cm.ModelError, match="expected 1 finite actions"):
            env.step(action)
    assert env.step([1.0])[4] == {"time": 0.1}


def test_missing_gymnasium_is_reported_with_the_install_command(monkeypatch):
    monkeypatch.delitem(sys.modules, "carom.study.gym_environment", raising=False)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(cm.ModelError, match=r"pip install 'carom\[gym\]'"):
        env_of()


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    yield importlib.import_module("cart_pole_env")
    for name in ("cart_pole_env", "cart_pole"):
        sys.modules.pop(name, None)


def test_the_cart_pole_between_walls_is_a_valid_environment(example):
    env = example.make_env(render_mode="rgb_array", width=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # recommendations for training
        check_env(env)
    env.reset(seed=2)
    before = env.render()
    assert before.dtype == np.uint8
    assert before.shape[1:] == (200, 3)
    for _ in range(10):
        env.step([20.0])
    assert (env.render() != before).mean() > 0.01


def test_the_cart_pole_stands_with_feedback_and_falls_without(example):
    env = example.make_env(t_max=2.0)
    K = example.gains(example.cart_pole())
    feedback, duration = example.episode(env, lambda y: [-K @ y], seed=0)
    assert duration == pytest.approx(2.0)
    assert feedback > 0.95 * 100
    env.reset(seed=0)
    _, duration = example.episode(env, lambda y: [0.0], seed=0)
    assert duration < 1.5
    env.reset(seed=3)
    for _ in range(40):  # pushed against a wall
        env.step([40.0])
    assert {impact.contact for impact in env.sim.result.impacts} == {"right wall"}
    assert env.sim["cart"].x == pytest.approx(0.05, abs=2e-3)
