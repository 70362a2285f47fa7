"""Vector operations of compiled functions on arrays of ``n`` numbers at a pointer."""

from __future__ import annotations

import math

from carom.kernels import jit


@jit(inline=True)
def set_zero(x, n):
    """Set x = 0."""
    for i in range(n):
        x[i] = 0.0


@jit(inline=True)
def copy(x, n, out):
    """Set out = x."""
    for i in range(n):
        out[i] = x[i]


@jit(inline=True)
def negate(x, n):
    """Set x = −x."""
    for i in range(n):
        x[i] = -x[i]


@jit(inline=True)
def add(x, n, out):
    """Add x to ``out``."""
    for i in range(n):
        out[i] += x[i]


@jit(inline=True)
def add_scaled(factor, x, n, out):
    """Add ``factor`` · x to ``out``."""
    for i in range(n):
        out[i] += factor * x[i]


@jit(inline=True)
def multiply(weights, n, out):
    """Multiply the numbers of ``out`` by the ``weights``, one by one."""
    for i in range(n):
        out[i] *= weights[i]


@jit(inline=True)
def subtract_from(x, n, out):
    """Set out = x − out."""
    for i in range(n):
        out[i] = x[i] - out[i]


@jit
def larger(one, other):
    """Return the larger of two numbers; NaN if one of them is NaN."""
    return one if one >= other or math.isnan(one) else other


@jit
def max_abs(x, n):
    """Return the largest absolute value; NaN if one of the values is NaN."""
    largest = 0.0
    for i in range(n):
        largest = larger(largest, abs(x[i]))
    return largest


@jit
def dot(a, b, n):
    """Return Σ aᵢ bᵢ, in four independent sums."""
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    s3 = 0.0
    i = 0
    while i + 4 <= n:
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
        i += 4
    while i < n:
        s0 += a[i] * b[i]
        i += 1
    return (s0 + s1) + (s2 + s3)
