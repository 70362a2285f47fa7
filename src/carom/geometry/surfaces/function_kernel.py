"""Kernel around a user's function s(u, v), with its derivatives.

First derivatives are found by a complex step where the function allows it (see `carom.kernels.complex_step`), else by
differences of fourth order; second derivatives by differences of the first ones. No difference leaves open ends and
poles.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from carom.geometry.surfaces.base import OUTPUT_SIZE, SURFACE_OUTPUT, store_normal
from carom.kernels import jit, record
from carom.kernels.argument_types import FLOAT64, FLOATS, VOID
from carom.kernels.derivatives import COMPLEX_STEP
from carom.kernels.interpreted import PLAIN
from carom.kernels.user_functions import UserKernel, compiled, may_raise, notify_slow

PARAMS = record("side  u_low u_high u_periodic  v_low v_high v_periodic")
"""Side of the solid, then the ends of each parameter and whether it is periodic."""

FUNCTION_SURFACE = VOID(FLOATS, FLOAT64, FLOAT64, FLOATS)
"""Signature `SURFACE` with pointers: Python and compiled code run the same function."""

DIFFERENCE_STEP = 2.0**-11
"""Distance of the nodes of differences over the range of the parameter [-]. For a function with one period over the
range, the error of the first difference is 2e-11 of the derivative, of the second one 1e-9."""

DERIVATIVE_TOLERANCE = 1e-6
"""Largest difference between derivatives by complex step and by differences [-]."""

_POINTER = ctypes.POINTER(ctypes.c_double)


@jit
def wrap(low, high, periodic, x):
    """Return x, shifted into the range of a periodic parameter."""
    if periodic != 0.0 and (x < low or x > high):
        return low + (x - low) % (high - low)
    return x


@jit
def nodes(low, high, periodic, x):
    """Return the first of five nodes around x, their distance, and the weights of the derivative at x.

    The weights follow from Lagrange's polynomials. Nodes that would leave the range are shifted back into it.
    """
    h = DIFFERENCE_STEP * (high - low)
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


def tangents_around(f: Any, complex_f: Any, wrapped: Any, nodes_around: Any) -> Callable[..., Any]:
    """Return the function that evaluates the first derivatives of ``f``, by complex steps or by differences."""
    if complex_f is not None:

        def tangents(params, u, v):
            """Return ∂s/∂u and ∂s/∂v by complex steps."""
            p = complex_f(complex(u, COMPLEX_STEP), complex(v, 0.0))
            q = complex_f(complex(u, 0.0), complex(v, COMPLEX_STEP))
            return (
                (p[0].imag / COMPLEX_STEP, p[1].imag / COMPLEX_STEP, p[2].imag / COMPLEX_STEP),
                (q[0].imag / COMPLEX_STEP, q[1].imag / COMPLEX_STEP, q[2].imag / COMPLEX_STEP),
            )

    else:

        def tangents(params, u, v):
            """Return ∂s/∂u and ∂s/∂v by differences."""
            base_u, h_u, weights_u = nodes_around(params.u_low, params.u_high, params.u_periodic, u)
            base_v, h_v, weights_v = nodes_around(params.v_low, params.v_high, params.v_periodic, v)
            xu = yu = zu = xv = yv = zv = 0.0
            for k in range(10):
                by_u = k < 5
                if by_u:
                    w = weights_u[k]
                    a, b = wrapped(params.u_low, params.u_high, params.u_periodic, base_u + k * h_u), v
                else:
                    w = weights_v[k - 5]
                    a, b = u, wrapped(params.v_low, params.v_high, params.v_periodic, base_v + (k - 5) * h_v)
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

    return tangents


def surface_around(f: Any, complex_f: Any, is_compiled: bool) -> Callable[..., None]:
    """Return the kernel around ``f``, compiled or as Python; ``complex_f`` is its variant for complex steps or None."""
    decorate = compiled if is_compiled else _unchanged
    wrapped, nodes_around, finish = (
        helper if is_compiled else getattr(helper, "py_func", helper) for helper in (wrap, nodes, store_normal)
    )

    first_derivatives = decorate(tangents_around(f, complex_f, wrapped, nodes_around))

    def surface(parameters, u, v, output):
        """Evaluate the surface."""
        params = PARAMS(parameters)
        out = SURFACE_OUTPUT(output)
        u = wrapped(params.u_low, params.u_high, params.u_periodic, u)
        v = wrapped(params.v_low, params.v_high, params.v_periodic, v)
        p = f(u, v)
        out.point[0] = p[0]
        out.point[1] = p[1]
        out.point[2] = p[2]
        base_u, h_u, weights_u = nodes_around(params.u_low, params.u_high, params.u_periodic, u)
        base_v, h_v, weights_v = nodes_around(params.v_low, params.v_high, params.v_periodic, v)
        xuu = yuu = zuu = xuv = yuv = zuv = xvv = yvv = zvv = 0.0
        for k in range(11):  # five nodes along u, five along v, and (u, v) itself: one call to compile
            a, b, w = u, v, 1.0
            if k < 5:
                w = weights_u[k]
                a = wrapped(params.u_low, params.u_high, params.u_periodic, base_u + k * h_u)
            elif k < 10:
                w = weights_v[k - 5]
                b = wrapped(params.v_low, params.v_high, params.v_periodic, base_v + (k - 5) * h_v)
            if w == 0.0:
                continue
            s_u, s_v = first_derivatives(params, a, b)
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
                    out.point_u[d] = s_u[d]
                    out.point_v[d] = s_v[d]
        end_u = 1.0 if 2.0 * u < params.u_low + params.u_high else -1.0
        end_v = 1.0 if 2.0 * v < params.v_low + params.v_high else -1.0
        finish(params.side, end_u, end_v, out, xuu, yuu, zuu, xuv, yuv, zuv, xvv, yvv, zvv)

    return surface


def _unchanged(function: Any) -> Any:
    return function


class SurfaceKernel(UserKernel):
    """Compiled kernel around a user's function, or a callback; it is tried with ``parameters``."""

    def __init__(self, owner: str, function: Callable[..., Any], parameters: tuple[float, ...]):
        plain = getattr(function, "py_func", function)
        from carom.kernels.complex_step import complex_step_variant  # slow to import, rarely needed

        complex_f = complex_step_variant(function)
        expected = _tangents(interpreted(plain), parameters)
        exact = complex_f is not None and _agrees(interpreted(plain, complex_f), parameters, expected)
        run_by_python = interpreted(plain, complex_f if exact else None)
        self._start(owner, FUNCTION_SURFACE, run_by_python, (len(PARAMS), None, None), OUTPUT_SIZE)
        if PLAIN:
            self.exact = exact
            self._take_callback()
            return
        f = compiled(function)
        if complex_f is not None and exact:
            try:
                self._take_code(surface_around(f, compiled(complex_f), True), may_raise(function))
            except Exception:  # noqa: BLE001  (Numba cannot compile the complex variant: differences replace it)
                exact = False
            else:
                exact = _agrees(self, parameters, expected)
                self.forget()
        self.exact = exact
        if exact:
            return
        try:
            self._take_code(surface_around(f, None, True), may_raise(function))
        except Exception as error:  # noqa: BLE001  (Numba cannot compile the function: Python runs it, with a warning)
            notify_slow(owner, function, error)
            self._take_callback()

    def __call__(self, parameters: np.ndarray, u: float, v: float, out: Any) -> None:
        """Evaluate the kernel at (u, v) into ``out``."""
        call = ctypes.CFUNCTYPE(None, _POINTER, ctypes.c_double, ctypes.c_double, _POINTER)(self.address)
        call(parameters.ctypes.data_as(_POINTER), u, v, out.ctypes.data_as(_POINTER))


def interpreted(plain: Callable[..., Any], complex_f: Any = None) -> Callable[..., None]:
    """Return the kernel as Python runs it; the function gets plain floats, whose division by zero raises."""
    return surface_around(lambda u, v: plain(float(u), float(v)), complex_f, False)


def evaluate_in_python(kernel: Callable[..., Any], parameters: tuple[float, ...], u: Any, v: Any) -> np.ndarray:
    """Return the output of a kernel that Python runs (`SURFACE_OUTPUT`) for all pairs of u and v."""
    us, vs = np.broadcast_arrays(np.asarray(u, float), np.asarray(v, float))
    values = np.array(parameters)
    out = SURFACE_OUTPUT.zeros(us.size)
    for k in range(us.size):
        kernel(values, float(us.flat[k]), float(vs.flat[k]), out[k : k + 1])
    return out.reshape(us.shape)


def _test_points(parameters: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    fractions = np.array([0.13, 0.48, 0.91])
    params = dict(zip(PARAMS, parameters, strict=True))
    u = params["u_low"] + fractions * (params["u_high"] - params["u_low"])
    v = params["v_low"] + fractions * (params["v_high"] - params["v_low"])
    return u[:, None], v[None, :]


def _tangents(kernel: Callable[..., Any], parameters: tuple[float, ...]) -> np.ndarray:
    out = evaluate_in_python(kernel, parameters, *_test_points(parameters))
    return np.concatenate([out["point_u"], out["point_v"]], axis=-1)


def _agrees(kernel: Any, parameters: tuple[float, ...], expected: np.ndarray) -> bool:
    """Return True if a kernel has the expected tangents."""
    try:
        tangents = _tangents(kernel, parameters)
    except Exception:  # noqa: BLE001  (the function does not accept complex numbers)
        return False
    return bool(np.all(np.abs(tangents - expected) <= DERIVATIVE_TOLERANCE * np.abs(expected).max()))
