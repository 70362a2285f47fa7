"""The kernel around a user's function s(u, v), with its derivatives.

First derivatives by a complex step where the function allows one (see `carom.kernels.twins`), else by differences of
fourth order; second derivatives by differences of the first ones. All stay within open ends and poles.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from carom.geometry.surfaces.base import POINT, POINT_U, POINT_V, SURFACE_OUT, put_normal
from carom.kernels import SURFACE, jit
from carom.kernels.differentiate import TINY
from carom.kernels.numba_compat import OPTIONS
from carom.kernels.plain import PLAIN
from carom.kernels.twins import twin
from carom.kernels.user import UserKernel, may_raise, notify_slow

SIDE, U_LOW, U_HIGH, U_WRAP, V_LOW, V_HIGH, V_WRAP, COUNT = range(8)
"""The kernel's numbers: side of the solid, then ends of each parameter and whether it is periodic."""

STEP = 2.0**-11
"""Of a parameter's range, between the nodes of differences. For what makes one turn over the range, the error of the
first difference is 2e-11 of the derivative, of the second one 1e-9."""

AGREEMENT = 1e-6
"""Of derivatives by complex step and by differences."""

_POINTER = ctypes.POINTER(ctypes.c_double)


@jit
def within(low, high, periodic, x):
    """x, moved into the range of a periodic parameter."""
    if periodic != 0.0 and (x < low or x > high):
        return low + (x - low) % (high - low)
    return x


@jit
def nodes(low, high, periodic, x):
    """The first of five nodes about x, their distance, and the weights of a derivative at x (Lagrange's polynomials).

    Where the nodes would leave the range they are moved back, and x is no longer in their middle.
    """
    h = STEP * (high - low)
    base = x - 2.0 * h
    if periodic == 0.0:
        base = max(low, min(base, high - 4.0 * h))
    if base == x - 2.0 * h:
        return base, h, (1.0 / 12.0 / h, -8.0 / 12.0 / h, 0.0, 8.0 / 12.0 / h, -1.0 / 12.0 / h)
    t = (x - base) / h
    a = t - 1.0
    b = t - 2.0
    c = t - 3.0
    d = t - 4.0
    return (
        base,
        h,
        (
            (b * c * d + a * c * d + a * b * d + a * b * c) / (24.0 * h),
            -(b * c * d + t * c * d + t * b * d + t * b * c) / (6.0 * h),
            (a * c * d + t * c * d + t * a * d + t * a * c) / (4.0 * h),
            -(a * b * d + t * b * d + t * a * d + t * a * b) / (6.0 * h),
            (a * b * c + t * b * c + t * a * c + t * a * b) / (24.0 * h),
        ),
    )


def surface_around(f: Any, along: Any, compiled: bool) -> Callable[..., None]:
    """The kernel around ``f``; ``along``, its twin for complex steps, may be None. Without ``compiled``, as Python."""
    made = numba.njit(**OPTIONS) if compiled else _as_it_is
    enter, around, finish = (
        helper if compiled else getattr(helper, "py_func", helper) for helper in (within, nodes, put_normal)
    )

    if along is not None:

        def tangents(par, u, v):
            p = along(complex(u, TINY), complex(v, 0.0))
            q = along(complex(u, 0.0), complex(v, TINY))
            return (
                (p[0].imag / TINY, p[1].imag / TINY, p[2].imag / TINY),
                (q[0].imag / TINY, q[1].imag / TINY, q[2].imag / TINY),
            )

    else:

        def tangents(par, u, v):
            base_u, h_u, weights_u = around(par[U_LOW], par[U_HIGH], par[U_WRAP], u)
            base_v, h_v, weights_v = around(par[V_LOW], par[V_HIGH], par[V_WRAP], v)
            xu = yu = zu = xv = yv = zv = 0.0
            for k in range(10):
                by_u = k < 5
                if by_u:
                    w = weights_u[k]
                    a, b = enter(par[U_LOW], par[U_HIGH], par[U_WRAP], base_u + k * h_u), v
                else:
                    w = weights_v[k - 5]
                    a, b = u, enter(par[V_LOW], par[V_HIGH], par[V_WRAP], base_v + (k - 5) * h_v)
                if w == 0.0:
                    continue
                p = f(a, b)
                if by_u:
                    xu += w * p[0]
                    yu += w * p[1]
                    zu += w * p[2]
                else:
                    xv += w * p[0]
                    yv += w * p[1]
                    zv += w * p[2]
            return (xu, yu, zu), (xv, yv, zv)

    slopes = made(tangents)

    def surface(par, u, v, out):
        u = enter(par[U_LOW], par[U_HIGH], par[U_WRAP], u)
        v = enter(par[V_LOW], par[V_HIGH], par[V_WRAP], v)
        p = f(u, v)
        out[POINT] = p[0]
        out[POINT + 1] = p[1]
        out[POINT + 2] = p[2]
        base_u, h_u, weights_u = around(par[U_LOW], par[U_HIGH], par[U_WRAP], u)
        base_v, h_v, weights_v = around(par[V_LOW], par[V_HIGH], par[V_WRAP], v)
        xuu = yuu = zuu = xuv = yuv = zuv = xvv = yvv = zvv = 0.0
        for k in range(11):  # five nodes along u, five along v, and the place itself: one call to compile
            a, b, w = u, v, 1.0
            if k < 5:
                w = weights_u[k]
                a = enter(par[U_LOW], par[U_HIGH], par[U_WRAP], base_u + k * h_u)
            elif k < 10:
                w = weights_v[k - 5]
                b = enter(par[V_LOW], par[V_HIGH], par[V_WRAP], base_v + (k - 5) * h_v)
            if w == 0.0:
                continue
            s_u, s_v = slopes(par, a, b)
            if k < 5:
                xuu += w * s_u[0]
                yuu += w * s_u[1]
                zuu += w * s_u[2]
                xuv += w * s_v[0]
                yuv += w * s_v[1]
                zuv += w * s_v[2]
            elif k < 10:
                xvv += w * s_v[0]
                yvv += w * s_v[1]
                zvv += w * s_v[2]
            else:
                for d in range(3):
                    out[POINT_U + d] = s_u[d]
                    out[POINT_V + d] = s_v[d]
        end_u = 1.0 if 2.0 * u < par[U_LOW] + par[U_HIGH] else -1.0
        end_v = 1.0 if 2.0 * v < par[V_LOW] + par[V_HIGH] else -1.0
        finish(par[SIDE], end_u, end_v, out, xuu, yuu, zuu, xuv, yuv, zuv, xvv, yvv, zvv)

    return surface


def _as_it_is(function: Any) -> Any:
    return function


class SurfaceKernel(UserKernel):
    """The compiled kernel around a user's function, or a callback; ``numbers`` are what it is tried with."""

    def __init__(self, owner: str, function: Callable[..., Any], numbers: tuple[float, ...]):
        plain = getattr(function, "py_func", function)
        other = twin(function)
        expected = _tangents(interpreted(plain), numbers)
        exact = other is not None and _agree(interpreted(plain, other), numbers, expected)
        self._start(owner, SURFACE, interpreted(plain, other if exact else None), (COUNT, None, None), SURFACE_OUT)
        if PLAIN:
            self.exact = exact
            self._take_callback()
            return
        f = function if hasattr(function, "py_func") else numba.njit(**OPTIONS)(function)
        if exact:
            try:
                self._take_code(surface_around(f, numba.njit(**OPTIONS)(other), True), may_raise(function))
            except Exception:  # noqa: BLE001  (the twin is not for Numba: then differences do it)
                exact = False
            else:
                exact = _agree(self, numbers, expected)
                self.forget()
        self.exact = exact
        if exact:
            return
        try:
            self._take_code(surface_around(f, None, True), may_raise(function))
        except Exception as trouble:  # noqa: BLE001  (whatever Numba cannot digest runs as it is, and says so)
            notify_slow(owner, function, trouble)
            self._take_callback()

    def __call__(self, numbers: tuple[float, ...], u: float, v: float, out: np.ndarray) -> None:
        call = ctypes.CFUNCTYPE(None, _POINTER, ctypes.c_double, ctypes.c_double, _POINTER)(self.address)
        call(np.array(numbers).ctypes.data_as(_POINTER), u, v, out.ctypes.data_as(_POINTER))


def interpreted(plain: Callable[..., Any], other: Any = None) -> Callable[..., None]:
    """The kernel as Python runs it."""
    return surface_around(plain, other, False)


def sampled(kernel: Callable[..., Any], numbers: tuple[float, ...], u: Any, v: Any) -> np.ndarray:
    """What a kernel that Python runs gives for every pair of u and v."""
    us, vs = np.broadcast_arrays(np.asarray(u, float), np.asarray(v, float))
    out = np.zeros((*us.shape, SURFACE_OUT))
    for place in np.ndindex(us.shape):
        kernel(numbers, float(us[place]), float(vs[place]), out[place])
    return out


def _places(numbers: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    share = np.array([0.13, 0.48, 0.91])
    u = numbers[U_LOW] + share * (numbers[U_HIGH] - numbers[U_LOW])
    v = numbers[V_LOW] + share * (numbers[V_HIGH] - numbers[V_LOW])
    return u[:, None], v[None, :]


def _tangents(kernel: Callable[..., Any], numbers: tuple[float, ...]) -> np.ndarray:
    return sampled(kernel, numbers, *_places(numbers))[..., POINT_U : POINT_V + 3]


def _agree(kernel: Any, numbers: tuple[float, ...], expected: np.ndarray) -> bool:
    """Whether the tangents of a kernel are the expected ones."""
    try:
        found = _tangents(kernel, numbers)
    except Exception:  # noqa: BLE001  (it does not take complex numbers)
        return False
    return bool(np.all(np.abs(found - expected) <= AGREEMENT * np.abs(expected).max()))
