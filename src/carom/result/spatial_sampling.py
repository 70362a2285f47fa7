"""Motion of spatial bodies between the nodes of a run.

Between two nodes a body's orientation is that at the left one, turned by a rotation vector θ about the body's own axes.
θ and the position are interpolated as the coordinates of a planar body are; angular velocities and accelerations are
those that belong to θ, with J(θ) from ω = J θ̇.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from carom.result.arrays import FloatArray
from carom.result.sampling import locate

Ends = tuple[FloatArray, FloatArray, FloatArray]


def sample_spatial(
    between: Callable[..., Ends], t: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, times: ArrayLike
) -> Ends:
    """As `sampling.sample_motion` or `sampling.sample_steps`, whose formula for one step is ``between``."""
    times = np.atleast_1d(np.asarray(times, dtype=np.float64))
    left, inside = locate(t, times)
    q_out, v_out, a_out = q[left], v[left], a[left]
    i = left[inside]
    if len(i) == 0:
        return q_out, v_out, a_out
    h = (t[i + 1] - t[i])[:, None, None]
    s = (times[inside] - t[i])[:, None, None] / h
    count = q.shape[1] // 7
    q0, q1 = q[i].reshape(-1, count, 7), q[i + 1].reshape(-1, count, 7)
    v0, v1, a0, a1 = (x.reshape(-1, count, 6) for x in (v[i], v[i + 1], a[i], a[i + 1]))
    theta = rotation_vectors(times_quaternion(conjugate(q0[..., 3:]), q1[..., 3:]))
    rate = unrolled(theta, v1[..., 3:])
    bend = unrolled(theta, a1[..., 3:]) + turning_rate(theta, rate, v1[..., 3:])
    start = np.concatenate([q0[..., :3], np.zeros_like(theta)], axis=-1)
    end = np.concatenate([q1[..., :3], theta], axis=-1)
    x, dx, ddx = between(
        h, s, start, v0, a0, end,
        np.concatenate([v1[..., :3], rate], axis=-1), np.concatenate([a1[..., :3], bend], axis=-1),
    )  # fmt: skip
    turned, spun = x[..., 3:], dx[..., 3:]
    orientation = times_quaternion(q0[..., 3:], exponentials(turned))
    omega = rolled(turned, spun)
    # θ̈ = J⁻¹α + (J⁻¹)˙ω, so α = J (θ̈ − (J⁻¹)˙ω).
    alpha = rolled(turned, ddx[..., 3:] - turning_rate(turned, spun, omega))
    rows = len(i)
    q_out[inside] = np.concatenate([x[..., :3], orientation], axis=-1).reshape(rows, -1)
    v_out[inside] = np.concatenate([dx[..., :3], omega], axis=-1).reshape(rows, -1)
    a_out[inside] = np.concatenate([ddx[..., :3], alpha], axis=-1).reshape(rows, -1)
    return q_out, v_out, a_out


def conjugate(q: FloatArray) -> FloatArray:
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def times_quaternion(a: FloatArray, b: FloatArray) -> FloatArray:
    """Products of quaternions along the last axis."""
    w = a[..., :1] * b[..., :1] - np.sum(a[..., 1:] * b[..., 1:], axis=-1, keepdims=True)
    vector = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, vector], axis=-1)


def rotation_vectors(q: FloatArray) -> FloatArray:
    """Of unit quaternions: the shorter way round."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(size, q[..., :1])
    return q[..., 1:] * np.divide(angle, size, out=np.full_like(size, 2.0), where=size > 0.0)


def exponentials(theta: FloatArray) -> FloatArray:
    """Unit quaternions of rotation vectors."""
    angle = np.linalg.norm(theta, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(0.5 * angle / np.pi) * theta], axis=-1)


def unrolled(theta: FloatArray, omega: FloatArray) -> FloatArray:
    """J⁻¹ω: the rate of the rotation vector θ for angular velocity ω along the body's axes."""
    square = np.sum(theta * theta, axis=-1, keepdims=True)
    once = np.cross(theta, omega)
    return omega + 0.5 * once + (1.0 / 12.0 + square / 720.0 + square**2 / 30240.0) * np.cross(theta, once)


def turning_rate(theta: FloatArray, rate: FloatArray, omega: FloatArray) -> FloatArray:
    """(J⁻¹)˙ω, with the terms of second order in θ."""
    once = np.cross(rate, omega)
    twice = np.cross(rate, np.cross(theta, omega)) + np.cross(theta, once)
    return 0.5 * once + twice / 12.0


def rolled(theta: FloatArray, rate: FloatArray) -> FloatArray:
    """J θ̇: the angular velocity along the body's axes."""
    angle = np.linalg.norm(theta, axis=-1, keepdims=True)
    square = angle * angle
    small = angle < 1e-2
    safe = np.where(small, 1.0, angle)
    b = np.where(small, 0.5 - square / 24.0, (1.0 - np.cos(safe)) / (safe * safe))
    c = np.where(small, 1.0 / 6.0 - square / 120.0, (safe - np.sin(safe)) / safe**3)
    once = np.cross(theta, rate)
    return rate - b * once + c * np.cross(theta, once)
