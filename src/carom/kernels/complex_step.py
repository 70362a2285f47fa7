"""Real functions rewritten for complex arguments with a very small imaginary part (complex step).

A function f of real numbers satisfies f(x + iη) = f(x) + iη f'(x), exactly in floating point when η² vanishes beside 1:
a derivative without a difference. `complex_step_variant` returns a copy of a user function in which the names from
``math`` and ``numpy`` are replaced by functions that obey this rule; the user's own functions that it calls are copied
too.

Reference: W. Squire, G. Trapp, SIAM Review 40 (1998) 110–112.
"""

from __future__ import annotations

import builtins
import dis
import math
import types as python
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import overload

from carom.kernels.numba_compat import OPTIONS

_COUNTERPARTS: dict[Any, Any] = {}
"""Function or module of ``math`` and ``numpy`` -> its counterpart for complex arguments."""

_DERIVATIVES: dict[str, tuple[str, str]] = {
    # name in math: name in numpy, derivative at x (y is the value there)
    "sin": ("sin", "math.cos(x)"),
    "cos": ("cos", "-math.sin(x)"),
    "tan": ("tan", "1.0 + y * y"),
    "asin": ("arcsin", "1.0 / math.sqrt(1.0 - x * x)"),
    "acos": ("arccos", "-1.0 / math.sqrt(1.0 - x * x)"),
    "atan": ("arctan", "1.0 / (1.0 + x * x)"),
    "sinh": ("sinh", "math.cosh(x)"),
    "cosh": ("cosh", "math.sinh(x)"),
    "tanh": ("tanh", "1.0 - y * y"),
    "asinh": ("arcsinh", "1.0 / math.sqrt(1.0 + x * x)"),
    "acosh": ("arccosh", "1.0 / math.sqrt(x * x - 1.0)"),
    "atanh": ("arctanh", "1.0 / (1.0 - x * x)"),
    "exp": ("exp", "y"),
    "expm1": ("expm1", "1.0 + y"),
    "log": ("log", "1.0 / x"),
    "log1p": ("log1p", "1.0 / (1.0 + x)"),
    "log2": ("log2", f"{1.0 / math.log(2.0)!r} / x"),
    "log10": ("log10", f"{1.0 / math.log(10.0)!r} / x"),
    "sqrt": ("sqrt", "0.5 / y"),
    "fabs": ("fabs", "math.copysign(1.0, x)"),
    "radians": ("radians", f"{math.pi / 180.0!r}"),
    "degrees": ("degrees", f"{180.0 / math.pi!r}"),
}

_COUNTERPART_SOURCE = """
def for_number(x):
    change = x.imag
    x = x.real
    y = math.{name}(x)
    return complex(y, change * ({derivative}) if change != 0.0 else 0.0)

compiled = njit(for_number)

def for_array(x):
    y = np.empty(x.size, np.complex128)
    for k in range(x.size):
        y[k] = compiled(x.flat[k])
    return y.reshape(x.shape)

def variant(x):
    if isinstance(x, complex):
        return for_number(x)
    return for_array(x) if np.iscomplexobj(x) else np.{vector}(x)

def select(x):
    if isinstance(x, types.Complex):
        return for_number
    if isinstance(x, types.Array) and isinstance(x.dtype, types.Complex):
        return for_array
    return lambda x: np.{vector}(x)
"""
"""Source of the counterpart of a function of one number, for Python (``variant``) and for Numba (``select``)."""


def _register(stub: Any, for_real: Any, *originals: Any) -> None:
    """Register ``stub`` as counterpart of ``originals``; compiled code calls ``for_real`` for real arguments."""

    def select(*argument_types: Any) -> Any:
        if all(isinstance(kind, types.Number) for kind in argument_types):
            return stub if any(isinstance(kind, types.Complex) for kind in argument_types) else for_real
        item_types = [getattr(kind, "dtype", kind) for kind in argument_types]
        return None if any(isinstance(kind, types.Complex) for kind in item_types) else for_real

    names = stub.__code__.co_varnames[: stub.__code__.co_argcount]
    scope: dict[str, Any] = {"select": select}
    exec(f"def named({', '.join(names)}): return select({', '.join(names)})", scope)
    overload(stub)(scope["named"])
    _COUNTERPARTS.update(dict.fromkeys(originals, stub))


def _define(name: str, vector: str, derivative: str) -> None:
    """Define the counterpart of ``math.name`` and ``numpy.vector`` from its derivative."""
    scope: dict[str, Any] = {"math": math, "np": np, "types": types, "njit": numba.njit(**OPTIONS)}
    source = _COUNTERPART_SOURCE.format(name=name, vector=vector, derivative=derivative)
    exec(compile(source, f"<variant of {name}>", "exec"), scope)
    overload(scope["variant"])(scope["select"])
    _COUNTERPARTS[getattr(math, name)] = _COUNTERPARTS[getattr(np, vector)] = scope["variant"]


for _name, (_vector, _derivative) in _DERIVATIVES.items():
    _define(_name, _vector, _derivative)


def _absolute(x):
    return -x if x.real < 0.0 else x


def _larger(a, b):
    return a if a.real >= b.real else b


def _smaller(a, b):
    return a if a.real <= b.real else b


def _arctan2(y, x):
    change = x.real * y.imag - y.real * x.imag
    return complex(math.atan2(y.real, x.real), change / (x.real * x.real + y.real * y.real) if change != 0.0 else 0.0)


def _hypot(x, y):
    r, change = math.hypot(x.real, y.real), x.real * x.imag + y.real * y.imag
    return complex(r, change / r if change != 0.0 else 0.0)


def _power(x, n):
    value = x.real**n.real
    change = n.real * x.real ** (n.real - 1.0) * x.imag if x.imag != 0.0 else 0.0
    return complex(value, change if n.imag == 0.0 else change + value * math.log(x.real) * n.imag)


def _norm(v):
    r2 = 0.0 * v[0]
    for k in range(len(v)):
        r2 += v[k] * v[k]
    r = math.sqrt(r2.real)
    return complex(r, 0.5 * r2.imag / r if r2.imag != 0.0 else 0.0)


def _zeros(shape):
    return np.zeros(shape, np.complex128)


def _ones(shape):
    return np.ones(shape, np.complex128)


def _identity(x):
    return x


_register(_absolute, lambda x: np.abs(x), abs, np.abs)
_register(_larger, lambda a, b: np.maximum(a, b), max, np.maximum)
_register(_smaller, lambda a, b: np.minimum(a, b), min, np.minimum)
_register(_arctan2, lambda y, x: np.arctan2(y, x), math.atan2, np.arctan2)
_register(_hypot, lambda x, y: np.hypot(x, y), math.hypot, np.hypot)
_register(_power, lambda x, n: np.power(x, n), math.pow, np.power)
_register(_zeros, _zeros, np.zeros, np.empty)
_register(_ones, _ones, np.ones)
_register(_identity, lambda x: float(x), float)
_COUNTERPARTS |= {np.linalg.norm: _norm, np.deg2rad: _COUNTERPARTS[np.radians], np.rad2deg: _COUNTERPARTS[np.degrees]}


@overload(_norm)
def _overload_norm(v):
    if isinstance(v, types.Array) and v.ndim == 1:
        return _norm if isinstance(v.dtype, types.Complex) else lambda v: np.linalg.norm(v)
    return None


def _module_copy(module: Any) -> Any:
    """Return a copy of a module that contains the counterparts."""
    result = python.ModuleType(module.__name__)
    for name, value in vars(module).items():
        setattr(result, name, _counterpart(value))
    return result


def _counterpart(value: Any) -> Any:
    """Return the counterpart of a function or module, or the value itself if it has none."""
    try:
        return _COUNTERPARTS.get(value, value)
    except TypeError:  # an object that cannot be hashed has no counterpart
        return value


_COUNTERPARTS[math] = _module_copy(math)
_COUNTERPARTS[np.linalg] = _module_copy(np.linalg)
_COUNTERPARTS[np] = _module_copy(np)

_SEPARATING_NAMES = {"real", "imag", "conj", "conjugate", "vdot", "angle", "iscomplex", "isreal", "astype", "view"}
"""Names of attributes and functions that separate the imaginary part."""


def complex_step_variant(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return the copy of a Python function for complex steps; None if no correct copy is possible."""
    try:
        return _copied(function, {}, False)
    except NotImplementedError:
        return None


def _copied(function: Any, copies: dict[Any, Any], compiled: bool) -> Any:
    """Return the copy of a function; ``copies`` holds those made before, by their original."""
    plain = getattr(function, "py_func", function)
    if not isinstance(plain, python.FunctionType):
        raise NotImplementedError
    if plain in copies:
        return copies[plain]
    code = plain.__code__
    if any(_is_unsafe(part) for part in _parts(code)):
        raise NotImplementedError
    scope = dict(plain.__globals__)
    cells = tuple(python.CellType() for _ in code.co_freevars)
    result = python.FunctionType(code, scope, plain.__name__, plain.__defaults__, cells)
    result.__kwdefaults__ = plain.__kwdefaults__
    copies[plain] = numba.njit(**OPTIONS)(result) if compiled else result
    for name in {name for part in _parts(code) for name in part.co_names}:
        value = scope.get(name, getattr(builtins, name, None))
        counterpart = _changed(value, plain, copies)
        if counterpart is not value:
            scope[name] = counterpart
    for cell, old in zip(cells, plain.__closure__ or (), strict=True):
        try:
            cell.cell_contents = _changed(old.cell_contents, plain, copies)
        except ValueError:  # a name of the outer function that has no value yet
            continue
    return copies[plain]


def _changed(value: Any, caller: Any, copies: dict[Any, Any]) -> Any:
    """Return the counterpart of ``value``, which ``caller`` uses, in the copy of ``caller``."""
    if hasattr(value, "py_func"):
        return _copied(value, copies, True)
    if isinstance(value, python.FunctionType) and value.__globals__ is caller.__globals__:
        return _copied(value, copies, False)
    return _counterpart(value)


def _parts(code: Any) -> Iterator[Any]:
    """Yield the code of a function and of the functions defined inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, python.CodeType):
            yield from _parts(constant)


def _is_unsafe(code: Any) -> bool:
    """Return True if the code separates the imaginary part, or has a power that is compiled in polar form.

    The polar form is wrong for integer exponents of negative numbers; an exponent of 2 is compiled as a product, and
    other exponents require positive numbers.
    """
    if _SEPARATING_NAMES & set(code.co_names):
        return True
    previous: Any = None
    for step in dis.get_instructions(code):
        if step.opname == "BINARY_OP" and step.argrepr in ("**", "**="):
            constant = previous is not None and previous.opname in ("LOAD_CONST", "LOAD_SMALL_INT")
            exponent = previous.argval if constant else None
            if not isinstance(exponent, (int, float)) or (float(exponent).is_integer() and exponent != 2):
                return True
        previous = step
    return False
