"""What every parametric surface is asked and gives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from carom.errors import ModelError, shown
from carom.init_arguments import InitArguments
from carom.kernels import call_surface, jit, offset
from carom.kernels.address import first

# What a surface kernel gives at (u, v): the point, the unit normal that looks out of the solid, and the derivatives of
# both by u and by v.
SURFACE_OUT = 18
POINT, NORMAL, POINT_U, POINT_V, NORMAL_U, NORMAL_V = 0, 3, 6, 9, 12, 15

# What happens at an end of a parameter: the surface ends; it goes on at the other end; it shrinks to a point and goes
# on beyond that, half a period of the other parameter away.
OPEN, PERIODIC, POLE = "open", "periodic", "pole"

DEGENERATE = 1e-9
"""Length of a tangent over that of the twist, under which the surface has shrunk to a point there."""

NEAR_POLE = 1e-6
"""Of a parameter, from its pole: closer, rounding spoils the derivatives of the normal but that along the meridian."""


class ParametricSurface(InitArguments):
    """A surface s(u, v) [m] over ``u_range`` × ``v_range``.

    ``kernel`` evaluates it from ``numbers``; ``u_ends`` and ``v_ends`` say what happens at the lower and the upper end
    of a parameter. With ``inside`` the solid is on the other side and the normal looks there.
    """

    kernel: Any
    numbers: Any
    u_range: tuple[float, float]
    v_range: tuple[float, float]
    u_ends: tuple[str, str] = (OPEN, OPEN)
    v_ends: tuple[str, str] = (OPEN, OPEN)
    inside: bool = False
    styles: ClassVar[Mapping[str, tuple[tuple[str, ...], ...]]] = {}
    """Argument lists of the functions among its arguments."""

    @property
    def label(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{self.label} surface>"

    def own(self) -> ParametricSurface:
        """The surface as one shape has it, with what may not be shared between shapes."""
        return self

    def evaluate(self, u: Any, v: Any) -> np.ndarray:
        """All that the kernel gives, for every pair of u and v: their common shape, and 18 numbers each."""
        us, vs = np.broadcast_arrays(np.asarray(u, float), np.asarray(v, float))
        out = np.zeros((us.size, SURFACE_OUT))
        _evaluate(self.kernel.address, np.array(self.numbers), us.ravel().copy(), vs.ravel().copy(), out)
        return out.reshape(*us.shape, SURFACE_OUT)

    def point(self, u: Any, v: Any) -> np.ndarray:
        """s(u, v) [m]."""
        return self.evaluate(u, v)[..., POINT : POINT + 3]

    def normal(self, u: Any, v: Any) -> np.ndarray:
        """The unit normal, out of the solid."""
        return self.evaluate(u, v)[..., NORMAL : NORMAL + 3]

    def tangents(self, u: Any, v: Any) -> tuple[np.ndarray, np.ndarray]:
        """∂s/∂u and ∂s/∂v."""
        out = self.evaluate(u, v)
        return out[..., POINT_U : POINT_U + 3], out[..., POINT_V : POINT_V + 3]


@jit
def _evaluate(address, numbers, us, vs, out):
    for k in range(us.size):
        call_surface(address, first(numbers), us[k], vs[k], offset(first(out), SURFACE_OUT * k))


@jit
def put_normal(side, end_u, end_v, out, xuu, yuu, zuu, xuv, yuv, zuv, xvv, yvv, zvv):
    """Normal and its derivatives from the point's first derivatives in ``out`` and its second ones.

    n = side · s_u × s_v/|s_u × s_v|; its derivatives by Weingarten's equations. At a pole, where s_v = 0, the normal is
    that of s_u and s_uv (and the same with u and v exchanged), and only the derivative along s_u is known. At its lower
    end s_v grows along s_uv, at its upper end it shrinks: ``end_u`` and ``end_v`` are 1.0 in the lower half of the
    range of u and of v, −1.0 in the upper one.
    """
    xu = out[POINT_U]
    yu = out[POINT_U + 1]
    zu = out[POINT_U + 2]
    xv = out[POINT_V]
    yv = out[POINT_V + 1]
    zv = out[POINT_V + 2]
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
    out[NORMAL] = nx
    out[NORMAL + 1] = ny
    out[NORMAL + 2] = nz
    l = nx * xuu + ny * yuu + nz * zuu
    m = nx * xuv + ny * yuv + nz * zuv
    n = nx * xvv + ny * yvv + nz * zvv
    near = NEAR_POLE * NEAR_POLE * twist
    near_v = g <= near
    near_u = e <= near and not near_v
    if near_v or near_u:
        along_u = -l / e if near_v and e > 0.0 else 0.0
        along_v = -n / g if near_u and g > 0.0 else 0.0
        for d in range(3):
            out[NORMAL_U + d] = along_u * out[POINT_U + d]
            out[NORMAL_V + d] = along_v * out[POINT_V + d]
        return
    determinant = e * g - f * f
    w = 1.0 / determinant if determinant > 0.0 else 0.0
    for d in range(3):
        out[NORMAL_U + d] = w * ((f * m - g * l) * out[POINT_U + d] + (f * l - e * m) * out[POINT_V + d])
        out[NORMAL_V + d] = w * ((f * n - g * m) * out[POINT_U + d] + (f * m - e * n) * out[POINT_V + d])


def checked_side(owner: str, inside: Any) -> float:
    """1.0, or −1.0 when the solid is on the other side."""
    if not isinstance(inside, bool | np.bool_):
        raise ModelError(f"{owner}: inside must be True or False, got {shown(inside)}")
    return -1.0 if inside else 1.0
