"""Values between the nodes of a run.

A run is a list of nodes (t, q, v, a). An event that makes something jump is two nodes at the same time, before and
after it. No interpolation crosses a jump, and at its very time the value after it is given: what comes out is
continuous from the right. The last time gives the last node.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom.result.arrays import FloatArray


def sample_motion(
    t: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, times: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Positions, velocities and accelerations at `times` [s].

    Between two nodes the position is the polynomial of degree five that meets position, velocity and acceleration at
    both; velocity and acceleration are its derivatives, so the three always agree. The error is of order h⁶ in
    position, h⁵ in velocity and h⁴ in acceleration, for nodes h apart. At a node the stored values are given exactly.
    """
    return _sample(quintic, t, q, v, a, times)


def sample_steps(
    t: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, times: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Positions, velocities and accelerations at `times` [s] between time steps.

    As the midpoint rule has it: the velocity is linear over a step and the position its integral; what projection
    added to the position is spread over the step.
    """
    return _sample(parabola, t, q, v, a, times)


def _sample(
    between: Any, t: FloatArray, q: FloatArray, v: FloatArray, a: FloatArray, times: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    times = np.atleast_1d(np.asarray(times, dtype=np.float64))
    left, inside = locate(t, times)
    q_out, v_out, a_out = q[left], v[left], a[left]
    i = left[inside]
    h = (t[i + 1] - t[i])[:, None]
    s = (times[inside] - t[i])[:, None] / h
    q_out[inside], v_out[inside], a_out[inside] = between(h, s, q[i], v[i], a[i], q[i + 1], v[i + 1], a[i + 1])
    return q_out, v_out, a_out


def quintic(
    h: Any, s: Any, q0: FloatArray, v0: FloatArray, a0: FloatArray, q1: FloatArray, v1: FloatArray, a1: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Position, velocity and acceleration at fraction ``s`` of a smooth step."""
    # What the parabola from the left node misses at the right one, in position, velocity and acceleration.
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
    """The same for a time step, in which the velocity is linear."""
    gain = v1 - v0
    rest = q1 - q0 - h * (v0 + 0.5 * gain)
    return q0 + s * (h * (v0 + 0.5 * s * gain) + rest), v0 + s * gain, gain / h


def sample_linear(t: FloatArray, y: FloatArray, times: ArrayLike) -> FloatArray:
    """Columns y (n, m) at `times` [s], straight between nodes."""
    times = np.atleast_1d(np.asarray(times, dtype=np.float64))
    left, inside = locate(t, times)
    out = y[left]
    i = left[inside]
    s = ((times[inside] - t[i]) / (t[i + 1] - t[i]))[:, None]
    out[inside] += s * (y[i + 1] - y[i])
    return out


def sample_columns(t: FloatArray, y: FloatArray, times: ArrayLike) -> FloatArray:
    """Columns y (n, m) without stored derivatives, at `times` [s]: a cubic with slopes from the neighbouring nodes.

    Exact for parabolas where a smooth piece has three nodes or more, a straight line where it has two. At a node the
    stored values are given exactly.
    """
    times = np.atleast_1d(np.asarray(times, dtype=np.float64))
    left, inside = locate(t, times)
    out = y[left]
    i = left[inside]
    h = (t[i + 1] - t[i])[:, None]
    s = (times[inside] - t[i])[:, None] / h
    rise = y[i + 1] - y[i]
    m0 = h * _slopes(t, y, i) - rise
    m1 = h * _slopes(t, y, i + 1) - rise
    # The chord, plus what the slopes at both ends ask for beyond it.
    out[inside] = y[i] + s * rise + s * (1.0 - s) * ((1.0 - s) * m0 - s * m1)
    return out


def locate(t: FloatArray, times: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The last node not after each time, and whether the time lies strictly between it and the next node."""
    if times.ndim != 1:
        raise ValueError(f"times must be a number or a sequence of numbers, got an array of shape {times.shape}")
    outside = ~((times >= t[0]) & (times <= t[-1]))
    if np.any(outside):
        span = f"from {t[0]:.12g} to {t[-1]:.12g} s"
        raise ValueError(f"time {times[outside][0]:.12g} s is outside the run, which goes {span}")
    left = np.searchsorted(t, times, side="right") - 1
    return left, t[left] < times


def _slopes(t: FloatArray, y: FloatArray, nodes: NDArray[np.intp]) -> FloatArray:
    """dy/dt at `nodes`, from the parabola through three neighbouring nodes of the same smooth piece.

    The node is the middle one of the three, except at the ends of a piece, where it is the outer one: second order
    everywhere. Each node must belong to a piece of at least two nodes; two give the slope of their chord.
    """
    first, last = _pieces(t)
    j = np.clip(nodes - 1, first[nodes], np.maximum(last[nodes] - 2, first[nodes]))
    k = np.minimum(j + 2, last[nodes])
    h0 = (t[j + 1] - t[j])[:, None]
    chord = (y[j + 1] - y[j]) / h0
    # In a piece of two nodes k is j + 1: no third node, no curvature.
    curved = (k > j + 1)[:, None]
    h1 = np.where(curved, (t[k] - t[j + 1])[:, None], 1.0)
    bend = np.where(curved, (y[k] - y[j + 1]) / h1 - chord, 0.0) / (h0 + h1)
    return chord + bend * ((t[nodes] - t[j]) + (t[nodes] - t[j + 1]))[:, None]


def _pieces(t: FloatArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For every node the first and the last node of its smooth piece; pieces part where a time is repeated."""
    starts = np.flatnonzero(np.concatenate(([True], t[1:] == t[:-1])))
    stops = np.append(starts[1:], len(t)) - 1
    piece = np.repeat(np.arange(len(starts)), stops - starts + 1)
    return starts[piece], stops[piece]
