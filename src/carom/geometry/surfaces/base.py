"""Interface of parametric surfaces and of their kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from carom.argument_checks import short_repr
from carom.errors import ModelError
from carom.init_arguments import InitArguments
from carom.kernels import (
    ADDRESS,
    EVALUATION,
    FLOAT,
    INT,
    SURFACE,
    Kernel,
    call_surface,
    floats,
    jit,
    kernel,
    offset,
    record,
)
from carom.kernels.record import RecordType

SURFACE_OUTPUT = record(
    point=(FLOAT, 3),  # s [m]
    normal=(FLOAT, 3),  # unit normal n, out of the solid
    point_u=(FLOAT, 3),  # derivatives of both with respect to u and v
    point_v=(FLOAT, 3),
    normal_u=(FLOAT, 3),
    normal_v=(FLOAT, 3),
)
"""Result of a surface kernel at (u, v)."""
OUTPUT_SIZE = SURFACE_OUTPUT.size
POINTS = record(
    n_points=INT,
    kernel=ADDRESS,  # of the surface
    parameters=ADDRESS,
    u=ADDRESS,  # tables, one row per point
    v=ADDRESS,
    out=ADDRESS,  # SURFACE_OUTPUT
)

OPEN, PERIODIC, POLE = "open", "periodic", "pole"
"""Ends of a parameter: the surface ends; it continues at the other end; it shrinks to a point and continues beyond it,
half a period of the other parameter away."""

DEGENERATE = 1e-9
"""Ratio of a tangent to the mixed derivative below which the surface has shrunk to a point [-]."""

NEAR_POLE = 1e-6
"""Distance from a pole in the parameter, below which rounding spoils all derivatives of the normal except that along
the meridian."""


def surface_kernel(params: RecordType) -> Callable[[Callable[..., Any]], Kernel]:
    """Declare a surface kernel ``(params, u, v, out)`` by the record of its parameters."""
    return kernel(SURFACE, params, SURFACE_OUTPUT)


class ParametricSurface(InitArguments):
    """Surface s(u, v) [m] over ``u_range`` × ``v_range``.

    ``kernel`` evaluates it from ``parameters``; ``u_ends`` and ``v_ends`` are the types of the lower and the upper end
    of a parameter. With ``inside`` the solid is on the other side and the normal points there.

    Examples
    --------
    >>> import carom as cm
    >>> isinstance(cm.surfaces.Sphere(0.1), cm.surfaces.ParametricSurface)
    True
    """

    kernel: Any
    parameters: Any
    u_range: tuple[float, float]
    v_range: tuple[float, float]
    u_ends: tuple[str, str] = (OPEN, OPEN)
    v_ends: tuple[str, str] = (OPEN, OPEN)
    inside: bool = False
    styles: ClassVar[Mapping[str, tuple[tuple[str, ...], ...]]] = {}
    """Argument lists of the functions among its arguments."""

    @property
    def label(self) -> str:
        """Name of the surface in messages."""
        return type(self).__name__.removesuffix("Surface")

    def __repr__(self) -> str:
        return f"<{self.label} surface>"

    def for_one_shape(self) -> ParametricSurface:
        """Return the surface for use by one shape, with a copy of what shapes may not share."""
        return self

    def evaluate(self, u: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Return the output of the kernel for all pairs of u and v: their common shape, and 18 numbers each.

        The numbers are the point, the normal, and the derivatives of both with respect to u and v (see `output`).
        """
        us, vs = np.broadcast_arrays(np.asarray(u, float), np.asarray(v, float))
        out = np.zeros((us.size, OUTPUT_SIZE))
        points = POINTS.new(n_points=us.size, kernel=self.kernel.address)
        arrays = {"parameters": np.array(self.parameters), "u": us.ravel().copy(), "v": vs.ravel().copy(), "out": out}
        POINTS.connect(points, arrays)
        evaluate_points.call(points)
        return out.reshape(*us.shape, OUTPUT_SIZE)

    def output(self, u: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Return the output of the kernel for all pairs of u and v as records (`SURFACE_OUTPUT`)."""
        out = self.evaluate(u, v)
        return out.view(SURFACE_OUTPUT.dtype).reshape(out.shape[:-1])

    def point(self, u: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Return s(u, v) [m]."""
        return np.asarray(self.output(u, v)["point"])

    def normal(self, u: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Return the unit normal, out of the solid."""
        return np.asarray(self.output(u, v)["normal"])

    def tangents(self, u: ArrayLike, v: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return ∂s/∂u and ∂s/∂v."""
        out = self.output(u, v)
        return out["point_u"], out["point_v"]


@kernel(EVALUATION, POINTS)
def evaluate_points(points):
    """Evaluate a surface at all points."""
    for k in range(points.n_points):
        out = offset(floats(points.out), OUTPUT_SIZE * k)
        call_surface(points.kernel, floats(points.parameters), floats(points.u)[k], floats(points.v)[k], out)


@jit
def store_normal(side, end_u, end_v, out, xuu, yuu, zuu, xuv, yuv, zuv, xvv, yvv, zvv):
    """Store the normal and its derivatives from the first derivatives in ``out`` and the second derivatives.

    n = side · s_u × s_v/|s_u × s_v|; its derivatives follow from Weingarten's equations. At a pole, where s_v = 0, the
    normal is that of s_u and s_uv (and with u and v exchanged), and only the derivative along s_u is known. At the
    lower end s_v grows along s_uv, at the upper end it shrinks: ``end_u`` and ``end_v`` are 1.0 in the lower half of
    the range of u and of v, −1.0 in the upper one.
    """
    xu = out.point_u[0]
    yu = out.point_u[1]
    zu = out.point_u[2]
    xv = out.point_v[0]
    yv = out.point_v[1]
    zv = out.point_v[2]
    e = xu * xu + yu * yu + zu * zu
    f = xu * xv + yu * yv + zu * zv
    g = xv * xv + yv * yv + zv * zv
    nx = yu * zv - zu * yv
    ny = zu * xv - xu * zv
    nz = xu * yv - yu * xv
    square = nx * nx + ny * ny + nz * nz
    twist = xuv * xuv + yuv * yuv + zuv * zuv
    limit = DEGENERATE * DEGENERATE
    flat_v = g <= limit * twist
    flat_u = e <= limit * twist
    if flat_v:
        side *= end_u
        nx = yu * zuv - zu * yuv
        ny = zu * xuv - xu * zuv
        nz = xu * yuv - yu * xuv
        square = nx * nx + ny * ny + nz * nz
    elif flat_u:
        side *= end_v
        nx = yuv * zv - zuv * yv
        ny = zuv * xv - xuv * zv
        nz = xuv * yv - yuv * xv
        square = nx * nx + ny * ny + nz * nz
    length = side / math.sqrt(square) if square > 0.0 else 0.0
    nx *= length
    ny *= length
    nz *= length
    out.normal[0] = nx
    out.normal[1] = ny
    out.normal[2] = nz
    l = nx * xuu + ny * yuu + nz * zuu
    m = nx * xuv + ny * yuv + nz * zuv
    n = nx * xvv + ny * yvv + nz * zvv
    near = NEAR_POLE * NEAR_POLE * twist
    near_v = g <= near
    near_u = e <= near and not near_v
    if near_v or near_u:
        factor_u = -l / e if near_v and e > 0.0 else 0.0
        factor_v = -n / g if near_u and g > 0.0 else 0.0
        for d in range(3):
            out.normal_u[d] = factor_u * out.point_u[d]
            out.normal_v[d] = factor_v * out.point_v[d]
        return
    determinant = e * g - f * f
    w = 1.0 / determinant if determinant > 0.0 else 0.0
    for d in range(3):
        out.normal_u[d] = w * ((f * m - g * l) * out.point_u[d] + (f * l - e * m) * out.point_v[d])
        out.normal_v[d] = w * ((f * n - g * m) * out.point_u[d] + (f * m - e * n) * out.point_v[d])


def checked_side(owner: str, inside: Any) -> float:
    """Return 1.0, or −1.0 if the solid is on the other side; raise if ``inside`` is not a boolean."""
    if not isinstance(inside, bool | np.bool_):
        raise ModelError(f"{owner}: inside must be True or False, got {short_repr(inside)}")
    return -1.0 if inside else 1.0
