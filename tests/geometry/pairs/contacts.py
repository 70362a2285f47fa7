"""Tools of the checkers of pairs: kernels in any pose, bodies that move, surfaces to search by brute force."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

import carom as cm
from carom.geometry.closest_points import evaluate
from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.geometry.pairs.registry import Pairing, pair
from carom.geometry.pose import pose
from carom.geometry.shapes import Shape

TURN = 2.0 * math.pi
GROUND = cm.System().ground
angles = st.floats(-math.pi, math.pi)
seeds = st.integers(0, 2**32 - 1)

Pose = np.ndarray


def body(name: str = "body") -> cm.Body:
    return cm.Body(name, 1.0, 1.0)


def rock(name: str = "rock") -> cm.Body:
    """A body in space."""
    return cm.Body(name, 1.0, (1.0, 1.0, 1.0))


@dataclass(frozen=True)
class Touch:
    """Output of a pair kernel, in the order of the caller's shapes."""

    gap: float
    normal: np.ndarray
    point_a: np.ndarray
    point_b: np.ndarray
    force_point: np.ndarray


class Follower:
    """Two shapes whose kernel keeps its warm start from call to call, at one of their contact points."""

    def __init__(self, a: Shape, b: Shape, point: int = 0):
        whole = pair("test", a, b, touching=False)
        self.pairing: Pairing = replace(whole, parameters=whole.parameters_for(point))
        self.warm_start = np.array(self.pairing.warm_start or (0.0,))

    def at(self, pose_a: Pose, pose_b: Pose) -> Touch:
        poses = (pose_b, pose_a) if self.pairing.swapped else (pose_a, pose_b)
        out = evaluate(self.pairing, *poses, self.warm_start)
        normal, point_a, point_b, force_point = (out[name] for name in PAIR_OUTPUT.names[1:])
        if self.pairing.swapped:
            normal, point_a, point_b = -normal, point_b, point_a
        return Touch(float(out["gap"]), normal, point_a, point_b, force_point)


def touch(a: Shape, b: Shape, pose_a: Pose, pose_b: Pose) -> Touch:
    return Follower(a, b).at(pose_a, pose_b)


def touch_at(point: int, a: Shape, b: Shape, pose_a: Pose, pose_b: Pose) -> Touch:
    """Return one of the contact points of a pair."""
    return Follower(a, b, point).at(pose_a, pose_b)


def random_pose(rng: np.random.Generator, spread: float, spatial: bool) -> Pose:
    """Within ``spread`` of the origin, turned by any angle (about any axis when spatial)."""
    if not spatial:
        return pose(rng.uniform(-spread, spread, 2), rng.uniform(-math.pi, math.pi))
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    if np.linalg.det(q) < 0.0:
        q[:, 0] *= -1.0
    return np.concatenate([rng.uniform(-spread, spread, 3), q.ravel()])


def place(p: Pose, point: np.ndarray) -> np.ndarray:
    return p[:3] + p[3:].reshape(3, 3) @ point


def after(outer: Pose, p: Pose) -> Pose:
    """``p``, moved on by the rigid motion ``outer``."""
    rotation = outer[3:].reshape(3, 3) @ p[3:].reshape(3, 3)
    return np.concatenate([place(outer, p[:3]), rotation.ravel()])


@dataclass(frozen=True)
class Motion:
    """Constant velocity and angular velocity of a body."""

    velocity: np.ndarray
    omega: np.ndarray

    @classmethod
    def random(cls, rng: np.random.Generator, spatial: bool) -> Motion:
        free = np.ones(6) if spatial else np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
        speeds = free * rng.uniform(-1.0, 1.0, 6)
        return cls(speeds[:3], speeds[3:])

    def moved(self, p: Pose, time: float) -> Pose:
        from scipy.spatial.transform import Rotation

        rotation = Rotation.from_rotvec(time * self.omega).as_matrix() @ p[3:].reshape(3, 3)
        return np.concatenate([p[:3] + time * self.velocity, rotation.ravel()])

    def speed(self, p: Pose, point: np.ndarray) -> np.ndarray:
        """Velocity of the body's point that is at ``point``."""
        return self.velocity + np.cross(self.omega, point - p[:3])


def lowest(f: Callable[[np.ndarray], np.ndarray], low: float, high: float, rounds: int = 12) -> float:
    """The least value of ``f`` between ``low`` and ``high``, by brute force: ever finer samples about the best one."""
    for _ in range(rounds):
        x = np.linspace(low, high, 201)
        k = int(np.argmin(f(x)))
        low, high = x[max(k - 1, 0)], x[min(k + 1, 200)]
    return float(np.min(f(np.array([0.5 * (low + high)]))))


def on_ball(centre: np.ndarray, radius: float, turn: np.ndarray) -> np.ndarray:
    return centre + radius * np.column_stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)])
