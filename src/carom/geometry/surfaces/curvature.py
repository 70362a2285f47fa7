"""Principal curvatures of a surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from carom.geometry.surfaces.base import DEGENERATE, ParametricSurface

POLE_OFFSET = 1e-4
"""Distance from a pole at which its curvature is evaluated, over the ranges of the parameters [-]. Rounding and the
distance contribute an error of 1e-8 each."""


def principal_curvatures(surface: ParametricSurface, u: ArrayLike, v: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return k₁ ≥ k₂ [1/m] for all pairs of u and v, positive where the solid is convex (1/R on a sphere of radius R).

    They are the eigenvalues of dn along orthonormal tangents. At a pole they are evaluated close to it.

    Examples
    --------
    >>> import carom as cm
    >>> k1, k2 = cm.surfaces.principal_curvatures(cm.surfaces.Sphere(0.1), 0.3, 0.2)
    >>> round(float(k1), 6), round(float(k2), 6)
    (10.0, 10.0)
    """
    us, vs = np.broadcast_arrays(np.asarray(u, float), np.asarray(v, float))
    out = surface.output(us, vs)
    flat = _degenerate(surface, out)
    if flat.any():
        middle_u, middle_v = 0.5 * sum(surface.u_range), 0.5 * sum(surface.v_range)
        moved_u, moved_v = us + POLE_OFFSET * (middle_u - us), vs + POLE_OFFSET * (middle_v - vs)
        out = np.where(flat, surface.output(moved_u, moved_v), out)
    s_u, s_v, n_u, n_v = (out[name] for name in ("point_u", "point_v", "normal_u", "normal_v"))
    length = np.linalg.norm(s_u, axis=-1, keepdims=True)
    e1 = s_u / length
    component_v = _dot(e1, s_v)[..., None]
    across = s_v - component_v * e1
    width = np.linalg.norm(across, axis=-1, keepdims=True)
    e2 = across / width
    n1 = n_u / length
    n2 = (n_v - component_v * n1) / width
    a, b, d = _dot(e1, n1), 0.5 * (_dot(e2, n1) + _dot(e1, n2)), _dot(e2, n2)
    mean, spread = 0.5 * (a + d), np.hypot(0.5 * (a - d), b)
    return mean + spread, mean - spread


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.sum(a * b, axis=-1))


def _degenerate(surface: ParametricSurface, out: np.ndarray) -> np.ndarray:
    """Return True where the tangents do not span a plane."""
    s_u = out["point_u"] * (surface.u_range[1] - surface.u_range[0])
    s_v = out["point_v"] * (surface.v_range[1] - surface.v_range[0])
    longest = np.maximum(np.linalg.norm(s_u, axis=-1), np.linalg.norm(s_v, axis=-1))
    return np.asarray(np.linalg.norm(np.cross(s_u, s_v), axis=-1) <= DEGENERATE * longest**2)
