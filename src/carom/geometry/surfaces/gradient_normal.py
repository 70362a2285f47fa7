"""Normal of a surface from a vector along it, such as the gradient of an implicit equation."""

from __future__ import annotations

import math

from carom.kernels import jit


@jit
def store_point(out, s, s_u, s_v):
    """Store the point and its tangents."""
    for d in range(3):
        out.point[d] = s[d]
        out.point_u[d] = s_u[d]
        out.point_v[d] = s_v[d]


@jit
def store_unit_normal(side, out, n, n_u, n_v):
    """Store the normal side · n and its derivatives, from a unit vector n."""
    for d in range(3):
        out.normal[d] = side * n[d]
        out.normal_u[d] = side * n_u[d]
        out.normal_v[d] = side * n_v[d]


@jit
def store_gradient_normal(side, out, n, n_u, n_v):
    """Store n = side · N/|N| and its derivatives, from N, N_u and N_v; poles need no special treatment."""
    length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    scale = side / length
    along_u = (n[0] * n_u[0] + n[1] * n_u[1] + n[2] * n_u[2]) / (length * length)
    along_v = (n[0] * n_v[0] + n[1] * n_v[1] + n[2] * n_v[2]) / (length * length)
    for d in range(3):
        out.normal[d] = scale * n[d]
        out.normal_u[d] = scale * (n_u[d] - along_u * n[d])
        out.normal_v[d] = scale * (n_v[d] - along_v * n[d])
