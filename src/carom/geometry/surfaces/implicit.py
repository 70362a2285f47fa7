"""The normal of a surface from a vector along it, such as the gradient of an implicit equation."""

from __future__ import annotations

import math

from carom.geometry.surfaces.base import NORMAL, NORMAL_U, NORMAL_V, POINT, POINT_U, POINT_V
from carom.kernels import jit


@jit
def put_gradient(side, out, n, n_u, n_v):
    """n = side · N/|N| with its derivatives, from N, N_u and N_v; poles are like other points."""
    length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    scale = side / length
    along_u = (n[0] * n_u[0] + n[1] * n_u[1] + n[2] * n_u[2]) / (length * length)
    along_v = (n[0] * n_v[0] + n[1] * n_v[1] + n[2] * n_v[2]) / (length * length)
    for d in range(3):
        out[NORMAL + d] = scale * n[d]
        out[NORMAL_U + d] = scale * (n_u[d] - along_u * n[d])
        out[NORMAL_V + d] = scale * (n_v[d] - along_v * n[d])


@jit
def put_point(out, s, s_u, s_v):
    """The point and its tangents."""
    for d in range(3):
        out[POINT + d] = s[d]
        out[POINT_U + d] = s_u[d]
        out[POINT_V + d] = s_v[d]
