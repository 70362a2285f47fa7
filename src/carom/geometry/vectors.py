"""Arithmetic of three-dimensional vectors in compiled code, as tuples of three numbers."""

from __future__ import annotations

import math

from carom.kernels import jit


@jit
def dot(a, b):
    """Return a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def cross(a, b):
    """Return a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jit
def add(a, b):
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@jit
def subtract(a, b):
    """Return a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@jit
def scale(k, a):
    """Return k a."""
    return k * a[0], k * a[1], k * a[2]


@jit
def store(out, a):
    """Write a vector to memory."""
    out[0] = a[0]
    out[1] = a[1]
    out[2] = a[2]


@jit
def load(s):
    """Return the vector stored at ``s``."""
    return s[0], s[1], s[2]


@jit
def along(a, k, b):
    """Return a + k b."""
    return a[0] + k * b[0], a[1] + k * b[1], a[2] + k * b[2]


@jit
def norm(a):
    """Return |a|."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@jit
def unit(a):
    """Return a/|a|; a vector of length zero unchanged."""
    length = norm(a)
    if length == 0.0:
        return a[0], a[1], a[2]
    return a[0] / length, a[1] / length, a[2] / length


@jit
def perpendicular(n):
    """Return a unit vector perpendicular to the unit vector n, which changes continuously with it almost everywhere."""
    x = abs(n[0])
    y = abs(n[1])
    z = abs(n[2])
    if x <= y and x <= z:
        return unit((0.0, -n[2], n[1]))
    if y <= z:
        return unit((n[2], 0.0, -n[0]))
    return unit((-n[1], n[0], 0.0))
