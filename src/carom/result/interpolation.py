"""Interpolation between the nodes of a run.

A run is a sequence of nodes (t, q, v, a). An event with a jump is two nodes at the same time, before and after it. No
interpolation crosses a jump; at the time of a jump the value after it is returned, so the interpolated functions are
continuous from the right. The last time returns the last node.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom.result.plain_data import FloatArray


def sample_motion(
    t: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, times: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return positions, velocities and accelerations at `times` [s] of a smooth motion.

    Between two nodes the position is the quintic with the position, velocity and acceleration of both nodes; velocity
    and acceleration are its derivatives, so the three are consistent. For nodes at a distance h the error is of order
    h⁶ in position, h⁵ in velocity and h⁴ in acceleration. At a node the stored values are returned exactly.
    """
    return _sample(quintic, t, q, v, a, times)


def sample_steps(
    t: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, times: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return positions, velocities and accelerations at `times` [s] of a time-stepping run.

    As in the midpoint rule, the velocity is linear over a step and the position is its integral; a position change by
    projection is distributed over the step.
    """
    return _sample(parabola, t, q, v, a, times)


def _sample(
    interpolant: Any, t: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, times: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return q, v and a at `times` [s] with the formula ``interpolant`` of one step."""
    times = np.atleast_1d(np.asarray(times, dtype=np.float64))
    left, inside = locate(t, times)
    q_out, v_out, a_out = q[left], v[left], a[left]
    i = left[inside]
    h = (t[i + 1] - t[i])[:, None]
    s = (times[inside] - t[i])[:, None] / h
    q_out[inside], v_out[inside], a_out[inside] = interpolant(h, s, q[i], v[i], a[i], q[i + 1], v[i + 1], a[i + 1])
    return q_out, v_out, a_out


def quintic(
    h: Any, s: Any, q0: FloatArray, v0: FloatArray, a0: FloatArray, q1: FloatArray, v1: FloatArray, a1: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return position, velocity and acceleration at the fraction ``s`` of a smooth step of length ``h`` [s]."""
    # Error of the parabola from the left node at the right node, in position, velocity and acceleration.
    d0 = q1 - q0 - h * (v0 + 0.5 * h * a0)
    d1 = h * (v1 - v0 - h * a0)
    d2 = h * h * (a1 - a0)
    c3 = 10.0 * d0 - 4.0 * d1 + 0.5 * d2
    c4 = -15.0 * d0 + 7.0 * d1 - d2
    c5 = 6.0 * d0 - 3.0 * d1 + 0.5 * d2
    return (
        q0 + s * h * (v0 + 0.5 * s * h * a0) + s**3 * (c3 + s * (c4 + s * c5)),
        v0 + s * h * a0 + s**2 * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)) / h,
        a0 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5)) / (h * h),
    )


def parabola(
    h: Any, s: Any, q0: FloatArray, v0: FloatArray, a0: FloatArray, q1: FloatArray, v1: FloatArray, a1: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return position, velocity and acceleration at the fraction ``s`` of a time step with linear velocity."""
    delta_v = v1 - v0
    projected = q1 - q0 - h * (v0 + 0.5 * delta_v)
    return q0 + s * (h * (v0 + 0.5 * s * delta_v) + projected), v0 + s * delta_v, delta_v / h


def sample_linear(t: FloatArray, y: FloatArray, times: ArrayLike) -> FloatArray:
    """Return columns y (n, m) at `times` [s] by linear interpolation."""
    times = np.atleast_1d(np.asarray(times, dtype=np.float64))
    left, inside = locate(t, times)
    out = y[left]
    i = left[inside]
    s = ((times[inside] - t[i]) / (t[i + 1] - t[i]))[:, None]
    out[inside] += s * (y[i + 1] - y[i])
    return out


def sample_columns(t: FloatArray, y: FloatArray, times: ArrayLike) -> FloatArray:
    """Return columns y (n, m) without stored derivatives at `times` [s]: a cubic with slopes from neighbouring nodes.

    It is exact for parabolas if a smooth segment has at least three nodes, and linear if it has two. At a node the
    stored values are returned exactly.
    """
    times = np.atleast_1d(np.asarray(times, dtype=np.float64))
    left, inside = locate(t, times)
    out = y[left]
    i = left[inside]
    h = (t[i + 1] - t[i])[:, None]
    s = (times[inside] - t[i])[:, None] / h
    delta_y = y[i + 1] - y[i]
    m0 = h * _slopes(t, y, i) - delta_y
    m1 = h * _slopes(t, y, i + 1) - delta_y
    # The chord, plus the cubic for the difference of the slopes at both ends from the chord.
    out[inside] = y[i] + s * delta_y + s * (1.0 - s) * ((1.0 - s) * m0 - s * m1)
    return out


def locate(t: FloatArray, times: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the index of the last node not after each time, and True for times strictly between two nodes."""
    if times.ndim != 1:
        raise ValueError(f"times must be a number or a list of numbers [s], got an array of shape {times.shape}")
    outside = ~((times >= t[0]) & (times <= t[-1]))
    if np.any(outside):
        span = f"from {t[0]:.12g} to {t[-1]:.12g} s"
        raise ValueError(f"times must lie in the run, {span}, got {times[outside][0]:.12g} s")
    left = np.searchsorted(t, times, side="right") - 1
    return left, t[left] < times


def _slopes(t: FloatArray, y: FloatArray, nodes: NDArray[np.intp]) -> FloatArray:
    """Return dy/dt at `nodes` from the parabola through three neighbouring nodes of the same smooth segment.

    The node is the middle one of the three; at the ends of a segment it is the outer one. The slope is of second order.
    Each node must belong to a segment of at least two nodes; for two nodes it is the slope of the chord.
    """
    first, last = _segments(t)
    j = np.clip(nodes - 1, first[nodes], np.maximum(last[nodes] - 2, first[nodes]))
    k = np.minimum(j + 2, last[nodes])
    h0 = (t[j + 1] - t[j])[:, None]
    chord = (y[j + 1] - y[j]) / h0
    # In a segment of two nodes k is j + 1, and the curvature is zero.
    has_third = (k > j + 1)[:, None]
    h1 = np.where(has_third, (t[k] - t[j + 1])[:, None], 1.0)
    curvature = np.where(has_third, (y[k] - y[j + 1]) / h1 - chord, 0.0) / (h0 + h1)
    return chord + curvature * ((t[nodes] - t[j]) + (t[nodes] - t[j + 1]))[:, None]


def _segments(t: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and last node of the smooth segment of each node; a repeated time separates segments."""
    starts = np.flatnonzero(np.concatenate(([True], t[1:] == t[:-1])))
    stops = np.append(starts[1:], len(t)) - 1
    segment = np.repeat(np.arange(len(starts)), stops - starts + 1)
    return starts[segment], stops[segment]
