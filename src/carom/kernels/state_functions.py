"""User functions of generalised coordinates q, velocities u and time t, as kernels.

A function that Numba cannot compile runs as plain Python, with one warning.
"""

from __future__ import annotations

import ctypes
import inspect
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from carom.errors import ModelError
from carom.kernels.interpreted import PLAIN, array_address
from carom.kernels.pointers import stack_complexes, stack_floats
from carom.kernels.signatures import GENERAL
from carom.kernels.user_functions import UserKernel, compiled, may_raise, name_of, notify_slow

MAX_LITERALS = 100
"""Largest number of constants written as literals in the source, which compiles faster."""

_MAY_FAIL = {"linalg", "solve", "inv", "pinv", "lstsq", "cholesky", "eig", "eigh", "eigvals", "eigvalsh", "svd", "cond"}


class GeneralKernel(UserKernel):
    """Compiled function of (t, q, u) that writes ``outputs`` numbers; without ``code``, a callback to Python."""

    def __init__(
        self, owner: str, freedom: int, outputs: int, interpreted: Any, code: Any = None, raises: bool = False
    ):
        self.outputs = outputs
        self._start(owner, GENERAL, interpreted, (None, freedom, freedom), outputs)
        if code is None or PLAIN:
            self._take_callback()
            return
        try:
            self._take_code(code, raises)
        except Exception as error:  # noqa: BLE001  (Numba cannot compile the function: Python runs it, with a warning)
            notify_slow(owner, interpreted, error)
            self._take_callback()

    def __call__(self, t: float, q: Any, u: Any) -> np.ndarray:
        """Return the values at one state; re-raise an error of the user function."""
        out = np.zeros(self.outputs)
        q, u = np.ascontiguousarray(q, dtype=float), np.ascontiguousarray(u, dtype=float)
        self._entry(t, array_address(q), array_address(u), array_address(out))
        error = self.error
        if error is not None:
            self.forget()
            raise error
        return out

    @cached_property
    def _entry(self) -> Any:
        return ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.c_void_p] * 3)(self.address)


class Function:
    """User function of some of q, u, t (``arguments``) that returns numbers in the shape of ``sample``.

    A ``constant`` function returns the sample itself.
    """

    def __init__(
        self,
        owner: str,
        function: Callable[..., Any],
        arguments: Sequence[str],
        sample: Any,
        freedom: int,
        constant: bool = False,
    ):
        self.constant = constant
        self.owner, self.function, self.arguments, self.freedom = owner, function, tuple(arguments), freedom
        self.count = int(np.size(np.asarray(sample)))
        self.sample = sample
        self._plain = getattr(function, "py_func", function)
        self._code: Any = None
        self.slow: bool | None = None

    def fresh(self) -> Function:
        """Return an uncompiled copy."""
        return Function(self.owner, self.function, self.arguments, self.sample, self.freedom, self.constant)

    def evaluate(self, q: np.ndarray, u: np.ndarray, t: Any, other: Any = None) -> np.ndarray:
        """Return the values at a state, evaluated in Python, as one row; ``other`` replaces the function."""
        values_by_name = {"q": q, "u": u, "t": t}
        value = (other or self._plain)(**{name: values_by_name[name] for name in self.arguments})
        kind = complex if np.iscomplexobj(q) or isinstance(t, complex) else float
        flat = np.array(value, dtype=kind).ravel()
        if flat.size != self.count:
            raise ModelError(
                f"{self.owner}: {name_of(self.function)!r} returned {flat.size} numbers at t = {complex(t).real:g}, "
                f"before {self.count}"
            )
        return flat

    @property
    def raises(self) -> bool:
        """True if it may raise: it has a raise, or calls linear algebra, which fails for singular matrices."""
        names = getattr(getattr(self._plain, "__code__", None), "co_names", ())
        return may_raise(self.function) or not _MAY_FAIL.isdisjoint(names)

    def compiled(self) -> Any:
        """Return the compiled function; None, with one warning, if Numba cannot compile it."""
        if PLAIN:
            self.slow = True
        if self.slow is None:
            try:
                self._code = self._compile(self.function)
                self.slow = False
            except Exception as error:  # noqa: BLE001  (Numba cannot compile the function: Python runs it, with a warning)
                notify_slow(self.owner, self.function, error)
                self.slow = True
        return self._code

    def compiled_variant(self, other: Any, by: str) -> Any:
        """Return ``other``, the variant for complex steps, compiled for complex q or t; None if that is impossible."""
        try:
            return self._compile(other, complex_argument=by)
        except Exception:  # noqa: BLE001  (comparisons, integer rounding …: differences replace it)
            return None

    def _compile(self, function: Any, complex_argument: str | None = None) -> Any:
        """Return the function compiled, for complex numbers in place of one of its arguments q and t."""
        from numba import types

        f = compiled(function)
        if not self._is_literal:
            kinds = {"q": types.float64[::1], "u": types.float64[::1], "t": types.float64}
            if complex_argument is not None:
                kinds[complex_argument] = {"q": types.complex128[::1], "t": types.complex128}[complex_argument]
            parameters = inspect.signature(f.py_func).parameters.values()
            f.compile(
                tuple(kinds[p.name] if p.name in self.arguments else types.Omitted(p.default) for p in parameters)
            )
        return f

    @property
    def _is_literal(self) -> bool:
        return self.constant and self.count <= MAX_LITERALS

    def text(self, f: str, to: str, at: int = 0, q: str = "q", u: str = "u", t: str = "t") -> list[str]:
        """Return lines of source that call it by the name ``f`` and write its values to the pointer ``to``."""
        if self._is_literal:
            return [f"{to}[{at + k}] = {value!r}" for k, value in enumerate(np.ravel(self.sample).tolist())]
        values_by_name = {"q": q, "u": u, "t": t}
        lines = [f"r_{f} = {f}({', '.join(f'{name}={values_by_name[name]}' for name in self.arguments)})"]
        _append_stores(self.sample, f"r_{f}", to, at, lines)
        return lines


def _append_stores(value: Any, name: str, to: str, at: int, lines: list[str]) -> int:
    """Append lines that write a result ``name`` in the shape of ``value`` from to[at]; return the next offset."""
    if isinstance(value, np.ndarray) and value.ndim > 0:
        indices = [f"k{axis}" for axis in range(value.ndim)]
        flat = "0"
        lines.append(f"if {' and '.join(f'{name}.shape[{a}] == {n}' for a, n in enumerate(value.shape))}:")
        for axis, size in enumerate(value.shape):
            lines.append("    " * (axis + 1) + f"for {indices[axis]} in range({size}):")
            flat = f"({flat}) * {size} + {indices[axis]}"
        lines.append("    " * (value.ndim + 1) + f"{to}[{at} + {flat}] = {name}[{', '.join(indices)}]")
        lines += ["else:", f"    for k in range({value.size}):", f"        {to}[{at} + k] = nan"]
        return at + value.size
    if isinstance(value, (tuple, list)):
        start = at
        inside: list[str] = []
        for k, item in enumerate(value):
            at = _append_stores(item, f"{name}[{k}]", to, at, inside)
        if isinstance(value, list):
            inside = [f"if len({name}) == {len(value)}:", *(f"    {line}" for line in inside)]
            inside += ["else:", f"    for k in range({start}, {at}):", f"        {to}[k] = nan"]
        lines += inside
        return at
    lines.append(f"{to}[{at}] = {name}[()]" if isinstance(value, np.ndarray) else f"{to}[{at}] = {name}")
    return at + 1


def values_kernel(owner: str, functions: Sequence[Function]) -> GeneralKernel:
    """Return the kernel that writes the values of several functions one after the other."""
    freedom, outputs = functions[0].freedom, sum(function.count for function in functions)

    def interpreted(t, q, u, out):
        at = 0
        for function in functions:
            for value in function.evaluate(copied(q, freedom), copied(u, freedom), t):
                out[at] = value
                at += 1

    codes = [function.compiled() for function in functions]
    if any(code is None for code in codes):
        return GeneralKernel(owner, freedom, outputs, interpreted)
    at, lines, scope = 0, [], {f"function{k}": code for k, code in enumerate(codes)}
    for k, function in enumerate(functions):
        lines += function.text(f"function{k}", "out", at)
        at += function.count
    raises = any(function.raises for function in functions)
    return GeneralKernel(owner, freedom, outputs, interpreted, kernel_source(owner, freedom, lines, scope), raises)


def kernel_source(owner: str, freedom: int, lines: Sequence[str], scope: dict[str, Any]) -> Any:
    """Return the kernel with these lines as a Python function for Numba."""
    views = [f"q, u = carray(q, ({freedom},)), carray(u, ({freedom},))"]
    source = "def general(t, q, u, out):\n" + "".join(f"    {line}\n" for line in (*views, *lines))
    from numba import carray

    scope |= {"carray": carray, "nan": math.nan, "inf": math.inf}
    scope |= {"stack_floats": stack_floats, "stack_complexes": stack_complexes}
    exec(compile(source, f"<{owner}>", "exec"), scope)
    return scope["general"]


def copied(pointer: Any, size: int) -> np.ndarray:
    """Return a copy of the numbers at a pointer, which a user function may keep."""
    return np.array([pointer[k] for k in range(size)], dtype=float)
