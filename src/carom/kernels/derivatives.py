"""Derivatives of functions of generalised coordinates q and time t.

A complex step, exact to rounding, is used where the function allows one (see `carom.kernels.complex_step`), else
differences of fourth order. A function that Numba cannot compile is differentiated in Python by the same two methods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.kernels.state_functions import Function, GeneralKernel, copied, kernel_source

COMPLEX_STEP = 2.0**-300
"""Imaginary step [-]; it is so small that its square vanishes beside 1."""

DIFFERENCE_STEP = 2.0**-15
"""Step of differences [m, rad, s].

Rounding leaves an error of 1e-11 of the function's magnitude; the truncation error is (step/L)⁴/30 for a function that
varies over a length L. The step does not grow with q: an angle of many turns still varies over a radian."""

WEIGHTS = ((-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0))
"""Nodes of the difference, in steps, and their weights: f' = Σ weight f(x + node · step) / step."""


@dataclass(frozen=True)
class Rows:
    """Row of each value of a function: ``first`` + (k // ``block_size``) · ``stride`` + k % ``block_size``."""

    first: int
    block_size: int
    stride: int

    def __call__(self, k: int) -> int:
        """Return the row of value ``k``."""
        return self.first + (k // self.block_size) * self.stride + k % self.block_size

    @property
    def text(self) -> str:
        """Source of the row of value ``k``."""
        return f"({self.first} + (k // {self.block_size}) * {self.stride} + k % {self.block_size})"


def variant_of(function: Function) -> Any:
    """Return the variant of a user function for complex steps; None if no correct one is possible."""
    from carom.kernels.complex_step import complex_step_variant  # slow to import, and only user functions need it

    return complex_step_variant(function.function)


class Derivative:
    """Derivatives of a function, one row per value: by the f coordinates, then by time.

    A function with the argument u is a velocity, affine in u: its row contains the factors of u, then the remainder at
    u = 0. ``jacobian``, if the user defines it, replaces the derivatives by the coordinates; ``only_time`` omits them.
    """

    def __init__(
        self, function: Function | None, rows: Rows, jacobian: Function | None = None, only_time: bool = False
    ):
        self.function, self.rows, self.jacobian, self.only_time = function, rows, jacobian, only_time
        self.count = function.count if function is not None else jacobian.count // jacobian.freedom  # type: ignore[union-attr]
        self.freedom = (function or jacobian).freedom  # type: ignore[union-attr]
        self.velocity = function is not None and "u" in function.arguments
        arguments = () if function is None or self.velocity else function.arguments
        self.variables = tuple(name for name in arguments if name == "t" or (jacobian is None and not only_time))
        """Variables of differentiation: "q", "t"."""
        self.variant = variant_of(function) if function is not None and self.variables else None
        self.complex: dict[str, Any] = {}
        """Variables differentiated by a complex step, with the compiled function (None: interpreted)."""

    def prepare(self) -> list[Function]:
        """Choose complex steps where the function compiles for them, else differences; return the functions called."""
        self.complex = {}
        if self.function is not None and self.variant is not None and not self.function.slow:
            codes = {name: self.function.compiled_variant(self.variant, name) for name in self.variables}
            self.complex = {name: code for name, code in codes.items() if code is not None}
        called = [] if self.jacobian is None else [self.jacobian]
        if self.function is not None and (self.velocity or set(self.variables) - set(self.complex)):
            called.append(self.function)
        return called

    def interpret(self) -> None:
        """Evaluate in Python, with complex steps where a complex copy exists."""
        self.complex = dict.fromkeys(self.variables) if self.variant is not None else {}

    # ---- Evaluation in Python

    def evaluate(
        self, q: np.ndarray, u: np.ndarray, t: float, exact: bool = True, step: float = DIFFERENCE_STEP
    ) -> np.ndarray:
        """Return the rows at a state; without ``exact``, by differences alone."""
        n = self.freedom
        table = np.zeros((self.count, n + 1))
        if self.jacobian is not None:
            table[:, :n] = self.jacobian.evaluate(q.copy(), u.copy(), t).reshape(self.count, n)
        if self.function is None:
            return table
        if self.velocity:
            table[:, n] = self.function.evaluate(q.copy(), np.zeros(n), t)
            for j in range(0 if self.only_time or self.jacobian is not None else n):
                table[:, j] = self.function.evaluate(q.copy(), np.eye(n)[j], t) - table[:, n]
            return table
        self.function.evaluate(q.copy(), u.copy(), t)  # so that an error at the state itself is raised first
        for j in range(n) if "q" in self.variables else ():
            table[:, j] = self._by_variable(q, t, j, exact and "q" in self.complex, step)
        if "t" in self.variables:
            table[:, n] = self._by_variable(q, t, n, exact and "t" in self.complex, step)
        return table

    def _by_variable(self, q: np.ndarray, t: float, j: int, exact: bool, step: float) -> np.ndarray:
        """Return the derivatives of all values by coordinate ``j``; the last ``j`` is time."""
        assert self.function is not None
        n = self.freedom
        velocity = np.zeros(n)
        if exact:
            shifted = q + 1j * COMPLEX_STEP * np.eye(n)[j] if j < n else q.copy()
            time = t if j < n else complex(t, COMPLEX_STEP)
            return self.function.evaluate(shifted, velocity, time, self.variant).imag / COMPLEX_STEP
        total = np.zeros(self.count)
        for node, weight in WEIGHTS:
            shifted = q + node * step * np.eye(n)[j] if j < n else q.copy()
            total += weight / step * self.function.evaluate(shifted, velocity, t if j < n else t + node * step)
        return total

    def differs_from_differences(self, rows: np.ndarray, q: np.ndarray, t: float) -> bool:
        """Return True if these rows, computed by complex steps, disagree with differences."""
        for step in (DIFFERENCE_STEP, DIFFERENCE_STEP / 32.0, DIFFERENCE_STEP / 1024.0):
            try:
                expected = self.evaluate(q, np.zeros(self.freedom), t, exact=False, step=step)
            except Exception:  # noqa: BLE001  (the user function is not defined at this state)
                return False
            scale = 1.0 + np.abs(expected).max(initial=0.0)
            if np.all((np.abs(rows - expected) <= 1e-4 * scale) | ~np.isfinite(expected)):
                return False
        return True

    # ---- Source of the kernel

    def lines(self, k: int, scope: dict[str, Any]) -> list[str]:
        """Return the source of the rows; store the functions it calls in ``scope``, numbered by ``k``."""
        n, width, rows = self.freedom, self.freedom + 1, self.rows.text
        entry = f"for k in range({self.count}): out[{rows} * {width}"
        text = [f"{entry} + {n}] = 0.0"]
        if self.jacobian is not None:
            scope[f"jacobian{k}"] = self.jacobian.compiled()
            text += self.jacobian.text(f"jacobian{k}", "wj")
            text += [f"for j in range({n}):", f"    {entry} + j] = wj[k * {n} + j]"]
        elif "q" not in self.variables and not self.velocity and not self.only_time:
            text += [f"for j in range({n}):", f"    {entry} + j] = 0.0"]
        f = self.function
        if f is None:
            return text
        if self.velocity or set(self.variables) - set(self.complex):
            scope[f"function{k}"] = f.compiled()
        for name, code in self.complex.items():
            scope[f"by_{name}{k}"] = code
        if self.velocity:
            text += [*f.text(f"function{k}", "w", u="e"), f"{entry} + {n}] = w[k]"]
            if self.jacobian is None and not self.only_time:
                text += [f"for j in range({n}):", "    e[j] = 1.0", *_indented(f.text(f"function{k}", "w", u="e"))]
                text += [f"    {entry} + j] = w[k] - out[{rows} * {width} + {n}]", "    e[j] = 0.0"]
            return text
        if "q" in self.complex:
            text += [f"for j in range({n}):", "    z[j] = complex(q[j], tiny)"]
            text += _indented(f.text(f"by_q{k}", "wz", q="z"))
            text += [f"    {entry} + j] = wz[k].imag / tiny", "    z[j] = q[j]"]
        elif "q" in self.variables:
            text += [f"for j in range({n}):", f"    {entry} + j] = 0.0", "    for node, weight in weights:"]
            text += ["        x[j] = q[j] + node * step", *_indented(f.text(f"function{k}", "w", q="x"), 2)]
            text += [f"        {entry} + j] += weight / step * w[k]", "    x[j] = q[j]"]
        if "t" in self.complex:
            text += [*f.text(f"by_t{k}", "wz", t="complex(t, tiny)"), f"{entry} + {n}] = wz[k].imag / tiny"]
        elif "t" in self.variables:
            text += ["for node, weight in weights:", *_indented(f.text(f"function{k}", "w", t="(t + node * step)"))]
            text += [f"    {entry} + {n}] += weight / step * w[k]"]
        return text


def _indented(lines: Sequence[str], times: int = 1) -> list[str]:
    return ["    " * times + line for line in lines]


def derivatives_kernel(owner: str, derivatives: Sequence[Derivative], rows: int, start: np.ndarray) -> GeneralKernel:
    """Return the kernel of the rows of derivatives; compare it with differences at ``start`` and near it."""
    freedom = derivatives[0].freedom
    outputs = rows * (freedom + 1)

    def interpreted(t, q, u, out):
        for derivative in derivatives:
            table = derivative.evaluate(copied(q, freedom), copied(u, freedom), t)
            for k, row in enumerate(table):
                for j in range(freedom if derivative.only_time else 0, freedom + 1):
                    out[derivative.rows(k) * (freedom + 1) + j] = row[j]

    called = [function for derivative in derivatives for function in derivative.prepare()]
    codes = [function.compiled() for function in called]  # all, so that each that cannot be compiled is reported
    slow = any(code is None for code in codes)
    if slow:
        for derivative in derivatives:
            derivative.interpret()
    raises = any(
        function.raises
        for derivative in derivatives
        for function in (derivative.function, derivative.jacobian)
        if function
    )
    code = None if slow else _derivatives_code(owner, freedom, derivatives)
    kernel = GeneralKernel(owner, freedom, outputs, interpreted, code, raises)
    wrong = [derivative for derivative in derivatives if derivative.complex and _is_wrong(kernel, derivative, start)]
    for derivative in wrong:
        derivative.variant = None
    return derivatives_kernel(owner, derivatives, rows, start) if wrong else kernel


def _is_wrong(kernel: GeneralKernel, derivative: Derivative, start: np.ndarray) -> bool:
    """Return True if complex steps fail, or disagree with differences, at ``start`` or near it."""
    row_indices = [derivative.rows(k) for k in range(derivative.count)]
    for t, shift in ((0.0, 0.0), (0.37, 0.031), (1.61, -0.17)):
        q = start + shift * np.cos(np.arange(1.0, 1.0 + start.size))
        try:
            if kernel.slow:
                rows = derivative.evaluate(q, 0.0 * q, t)
            else:
                rows = kernel(t, q, 0.0 * q).reshape(-1, q.size + 1)[row_indices]
        except Exception:  # noqa: BLE001  (it does not accept complex numbers, or is not defined at this state)
            if kernel.slow or shift == 0.0:
                return True
            continue
        if derivative.differs_from_differences(rows, q, t):
            return True
    return False


def _derivatives_code(owner: str, freedom: int, derivatives: Sequence[Derivative]) -> Any:
    """Return the kernel of the rows as a Python function for Numba."""
    largest = max(derivative.count for derivative in derivatives)
    lines = [f"e = carray(stack_floats({freedom}), ({freedom},))", f"w = stack_floats({largest})"]
    lines += [f"for j in range({freedom}): e[j] = 0.0"]
    if any(derivative.jacobian is not None for derivative in derivatives):
        lines.append(f"wj = stack_floats({largest * freedom})")
    if any(derivative.complex for derivative in derivatives):
        lines += [f"wz = stack_complexes({largest})", f"z = carray(stack_complexes({freedom}), ({freedom},))"]
        lines += [f"for j in range({freedom}): z[j] = q[j]"]
    if any("q" in derivative.variables and "q" not in derivative.complex for derivative in derivatives):
        lines += [f"x = carray(stack_floats({freedom}), ({freedom},))", f"for j in range({freedom}): x[j] = q[j]"]
    scope: dict[str, Any] = {"tiny": COMPLEX_STEP, "step": DIFFERENCE_STEP, "weights": WEIGHTS}
    for k, derivative in enumerate(derivatives):
        lines += derivative.lines(k, scope)
    return kernel_source(owner, freedom, lines, scope)
