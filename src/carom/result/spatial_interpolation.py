"""Interpolation of the motion of spatial bodies between the nodes of a run.

Between two nodes the orientation of a body is that at the left node, rotated by the rotation vector θ about the axes of
the body. θ and the position are interpolated like the coordinates of a planar body; angular velocity and acceleration
follow from θ with J(θ) of ω = J θ̇.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from carom.result.interpolation import locate
from carom.result.plain_data import FloatArray

Motion = tuple[FloatArray, FloatArray, FloatArray]
"""Positions, velocities and accelerations."""


def sample_spatial(
    interpolant: Callable[..., Motion], t: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, times: ArrayLike
) -> Motion:
    """Return q, v and a at `times` [s]; ``interpolant`` is `interpolation.quintic` or `interpolation.parabola`."""
    times = np.atleast_1d(np.asarray(times, dtype=np.float64))
    left, inside = locate(t, times)
    q_out, v_out, a_out = q[left], v[left], a[left]
    i = left[inside]
    if len(i) == 0:
        return q_out, v_out, a_out
    h = (t[i + 1] - t[i])[:, None, None]
    s = (times[inside] - t[i])[:, None, None] / h
    n_bodies = q.shape[1] // 7
    q0, q1 = q[i].reshape(-1, n_bodies, 7), q[i + 1].reshape(-1, n_bodies, 7)
    v0, v1, a0, a1 = (x.reshape(-1, n_bodies, 6) for x in (v[i], v[i + 1], a[i], a[i + 1]))
    theta_1 = rotation_vectors(quaternion_product(conjugate(q0[..., 3:]), q1[..., 3:]))
    theta_dot_1 = inverse_J_times(theta_1, v1[..., 3:])
    theta_ddot_1 = inverse_J_times(theta_1, a1[..., 3:]) + inverse_J_rate_times(theta_1, theta_dot_1, v1[..., 3:])
    start = np.concatenate([q0[..., :3], np.zeros_like(theta_1)], axis=-1)
    end = np.concatenate([q1[..., :3], theta_1], axis=-1)
    x, dx, ddx = interpolant(
        h, s, start, v0, a0, end,
        np.concatenate([v1[..., :3], theta_dot_1], axis=-1), np.concatenate([a1[..., :3], theta_ddot_1], axis=-1),
    )  # fmt: skip
    theta, theta_dot = x[..., 3:], dx[..., 3:]
    orientation = quaternion_product(q0[..., 3:], rotation_quaternions(theta))
    omega = J_times(theta, theta_dot)
    # θ̈ = J⁻¹α + (J⁻¹)˙ω, so α = J (θ̈ − (J⁻¹)˙ω).
    alpha = J_times(theta, ddx[..., 3:] - inverse_J_rate_times(theta, theta_dot, omega))
    rows = len(i)
    q_out[inside] = np.concatenate([x[..., :3], orientation], axis=-1).reshape(rows, -1)
    v_out[inside] = np.concatenate([dx[..., :3], omega], axis=-1).reshape(rows, -1)
    a_out[inside] = np.concatenate([ddx[..., :3], alpha], axis=-1).reshape(rows, -1)
    return q_out, v_out, a_out


def conjugate(q: FloatArray) -> FloatArray:
    """Return conjugate quaternions."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def quaternion_product(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return products of quaternions along the last axis."""
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    vector = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, vector], axis=-1)


def rotation_vectors(q: FloatArray) -> FloatArray:
    """Return the rotation vectors of unit quaternions, with angles of at most π [rad]."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(size, q[..., :1])
    return q[..., 1:] * np.divide(angle, size, out=np.full_like(size, 2.0), where=size > 0.0)


def rotation_quaternions(theta: FloatArray) -> FloatArray:
    """Return the unit quaternions of rotation vectors [rad]."""
    angle = np.linalg.norm(theta, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * theta], axis=-1)


def inverse_J_times(theta: FloatArray, omega: FloatArray) -> FloatArray:
    """Return θ̇ = J⁻¹ω for the angular velocity ω [rad/s] in the axes of the body."""
    square = np.sum(theta * theta, axis=-1, keepdims=True)
    cross_1 = np.cross(theta, omega)
    return omega + 0.5 * cross_1 + (1.0 / 12.0 + square / 720.0 + square**2 / 30240.0) * np.cross(theta, cross_1)


def inverse_J_rate_times(theta: FloatArray, theta_dot: FloatArray, omega: FloatArray) -> FloatArray:
    """Return (J⁻¹)˙ω up to terms of second order in θ."""
    cross_1 = np.cross(theta_dot, omega)
    cross_2 = np.cross(theta_dot, np.cross(theta, omega)) + np.cross(theta, cross_1)
    return 0.5 * cross_1 + cross_2 / 12.0


def J_times(theta: FloatArray, theta_dot: FloatArray) -> FloatArray:
    """Return the angular velocity ω = J θ̇ [rad/s] in the axes of the body."""
    angle = np.linalg.norm(theta, axis=-1, keepdims=True)
    square = angle * angle
    small = angle < 1e-2
    safe = np.where(small, 1.0, angle)
    b = np.where(small, 0.5 - square / 24.0, (1.0 - np.cos(safe)) / (safe * safe))
    c = np.where(small, 1.0 / 6.0 - square / 120.0, (safe - np.sin(safe)) / safe**3)
    cross_1 = np.cross(theta, theta_dot)
    return theta_dot - b * cross_1 + c * np.cross(theta, cross_1)
