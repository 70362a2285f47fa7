"""Angles of the rods; the forces in the pins follow from a banded system, so that a long chain costs little."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import solve_banded

from problems import GRAVITY, Chain


def solve(links: int, t_end: float | None = None) -> dict[str, float]:
    """At ``t_end`` [s], by default that of the problem."""
    t_end = Chain.t_end[links] if t_end is None else t_end
    length = mass = 1.0 / links
    inertia = mass * length**2 / 12.0
    lever = length**2 / (4.0 * inertia)

    def rate(t, y):
        angle, omega = y[:links], y[links:]
        along = np.stack([np.cos(angle), np.sin(angle)])
        across = np.stack([-along[1], along[0]])
        # m a_k = f_k − f_{k+1} + m g and J α_k = −l/2 n_k·(f_k + f_{k+1}): the ends at pin k accelerate alike.
        outer = lever * across[:, None] * across[None]  # 2 × 2 × links
        same = np.eye(2)[:, :, None] / mass + outer
        other = -np.eye(2)[:, :, None] / mass + outer
        pull = 0.5 * length * omega**2 * along
        diagonal, right = same.copy(), np.zeros((2, links))
        diagonal[:, :, 1:] += same[:, :, :-1]
        right[:, 1:] = -pull[:, 1:] - pull[:, :-1]
        right[:, 0] = -pull[:, 0] - (0.0, -GRAVITY)
        # Unknowns are fx, fy of pin after pin; the row of an entry is offset by its distance from the diagonal.
        band = np.zeros((7, 2 * links))
        for i in range(2):
            for j in range(2):
                band[3 + i - j, j::2] = diagonal[i, j]
                band[3 + i - j - 2, j + 2 :: 2] = other[i, j, :-1]
                band[3 + i - j + 2, j:-2:2] = other[i, j, :-1]
        force = np.append(solve_banded((3, 3), band, right.T.ravel()).reshape(links, 2).T, np.zeros((2, 1)), axis=1)
        turn = -0.5 * length / inertia * np.sum(across * (force[:, :-1] + force[:, 1:]), axis=0)
        return np.concatenate([omega, turn])

    run = solve_ivp(rate, (0.0, t_end), np.zeros(2 * links), "DOP853", rtol=1e-11, atol=1e-13)
    angle = run.y[:links, -1]
    tip = length * np.cos(angle).sum(), length * np.sin(angle).sum()
    return {"x": float(tip[0]), "y": float(tip[1]), "first": float(angle[0])}
