"""Environments of gymnasium; the library is imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from carom.errors import ModelError
from carom.model.system import System
from carom.typing import CurrentState

if TYPE_CHECKING:
    from carom.study.gym_environment import SimulationEnv


def gym_env(
    system: System | Callable[[np.random.Generator], System],
    actions: Mapping[str, Sequence[float]],
    observations: Sequence[Any],
    *,
    period: float,
    reward: Callable[[CurrentState], float],
    terminated: Callable[[CurrentState], bool] | None = None,
    t_max: float | None = None,
    render_mode: str | None = None,
    width: int = 480,
    **options: Any,
) -> SimulationEnv:
    """Return an environment (`gymnasium.Env`) whose steps advance a simulation; needs ``pip install 'carom[gym]'``.

    Parameters
    ----------
    system
        the system, or a function of a random generator that returns the system of an episode, for example with
        a random start; ``env.reset(seed=…)`` seeds it.
    actions
        limits (low, high) of the inputs that are the actions, by their names.
    observations
        what is observed, as in `Controller`: "cart.x", the name of an output, a sensor or an input, or a
        function of the current values.
    period
        duration of a step [s], during which the actions are held.
    reward
        function of the current values after a step that returns the reward.
    terminated
        function of the current values that returns True where the task ends.
    t_max
        duration of an episode [s], after which it is truncated.
    render_mode
        "rgb_array" for pictures of ``env.render()``, which are ``width`` pixels wide.
    options
        options of `Simulation`: ``method``, ``integrator``, ``step`` …

    Examples
    --------
    >>> system = cm.System(name="cart")
    >>> cart = system.add(cm.Body("cart", mass=2.0, inertia=0.1))
    >>> push = system.add(cm.Input("push", unit="N"))
    >>> motor = system.add(cm.PointForce(cart, (push, 0.0)))
    >>> env = cm.study.gym_env(system, {"push": (-10.0, 10.0)}, ["cart.x", "cart.vx"], period=0.1,
    ...                        reward=lambda s: -abs(s["cart"].x - 1.0), t_max=5.0)
    >>> observation, info = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step([4.0])
    >>> observation.round(6).tolist(), round(reward, 6), truncated
    ([0.01, 0.2], -0.99, False)
    """
    try:
        from carom.study.gym_environment import SimulationEnv
    except ImportError as error:
        if (error.name or "").partition(".")[0] != "gymnasium":
            raise
        raise ModelError("gym_env: gymnasium is not installed; run pip install 'carom[gym]'") from None
    return SimulationEnv(
        system, actions, observations, period=period, reward=reward, terminated=terminated, t_max=t_max,
        render_mode=render_mode, width=width, **options,
    )  # fmt: skip
