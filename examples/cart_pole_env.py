"""The cart-pole between walls as an environment of gymnasium.

Nothing is trained here: a random policy and the state feedback of `cart_pole.py` play some episodes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from cart_pole import LARGEST_FORCE, cart_pole, gains

import carom as cm

PERIOD = 0.02
"""Time between two actions [s]."""
LARGEST_ANGLE = 0.6
"""Angle of the pole at which an episode ends [rad]."""


def random_start(random: np.random.Generator) -> cm.System:
    """Return a cart-pole with a small random angle of the pole and a random speed towards a wall."""
    system = cart_pole()
    pole = system["pole"]
    angle = random.uniform(-0.1, 0.1)
    height = pole.position[1]
    pole.angle, pole.position = angle, (-height * np.sin(angle), height * np.cos(angle))
    system["cart"].velocity = (random.uniform(-0.4, 0.4), 0.0)
    return system.assemble(keep=[(pole, "angle"), (system["cart"], "velocity")])


def make_env(t_max: float = 5.0, **options: Any) -> Any:
    """Return the environment: a reward of one per step for a pole upright, less for the way from the middle."""
    return cm.study.gym_env(
        random_start,
        actions={"push": (-LARGEST_FORCE, LARGEST_FORCE)},
        observations=["cart.x", "pole.angle", "cart.vx", "pole.omega"],
        period=PERIOD,
        reward=lambda s: 1.0 - abs(s["cart"].x),
        terminated=lambda s: abs(s["pole"].angle) > LARGEST_ANGLE,
        t_max=t_max,
        **options,
    )


def episode(env: Any, policy: Callable[[np.ndarray], Any], seed: int) -> tuple[float, float]:
    """Return the sum of the rewards of an episode and its duration [s]."""
    observation, info = env.reset(seed=seed)
    total, is_over = 0.0, False
    while not is_over:
        observation, reward, terminated, truncated, info = env.step(policy(observation))
        total, is_over = total + reward, terminated or truncated
    return total, info["time"]


if __name__ == "__main__":
    env = make_env()
    K = gains(cart_pole())
    env.action_space.seed(0)
    for seed in range(3):
        for name, policy in (("random", lambda y: env.action_space.sample()), ("feedback", lambda y: [-K @ y])):
            total, duration = episode(env, policy, seed)
            print(f"{name:8s} seed {seed}: reward {total:6.1f} in {duration:.2f} s")
