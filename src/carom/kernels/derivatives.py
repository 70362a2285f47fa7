"""Derivatives of functions of generalised coordinates q and time t.

They are taken by a complex step, exact to rounding, where the function allows one (see `carom.kernels.complex_step`),
and else by differences of fourth order. Where Numba cannot compile the function, Python does the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.kernels.complex_step import twin
from carom.kernels.state_functions import Function, GeneralKernel, copied, kernel_source

TINY = 2.0**-300
"""Complex step: its square vanishes beside 1."""

STEP = 2.0**-15
"""Step of differences [m, rad, s].

Rounding leaves an error of 1e-11 of the function's magnitude; the truncation error is (STEP/L)⁴/30 for a function that
varies over a length L. The step does not grow with q: an angle of many turns still varies over a radian."""

WEIGHTS = ((-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0))
"""Nodes of the difference, in steps, and their weights: f' = Σ weight f(x + place · step) / step."""


@dataclass(frozen=True)
class Rows:
    """Row of each value of a function: ``first`` + (k // ``each``) · ``stride`` + k % ``each``."""

    first: int
    each: int
    stride: int

    def __call__(self, k: int) -> int:
        """Return the row of value ``k``."""
        return self.first + (k // self.each) * self.stride + k % self.each

    @property
    def text(self) -> str:
        """Source of the row of value ``k``."""
        return f"({self.first} + (k // {self.each}) * {self.stride} + k % {self.each})"


class Slope:
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
        self.velocity = function is not None and "u" in function.takes
        takes = () if function is None or self.velocity else function.takes
        self.by = tuple(name for name in takes if name == "t" or (jacobian is None and not only_time))
        """Variables of differentiation: "q", "t"."""
        self.twin = twin(function.function) if function is not None and self.by else None
        self.complex: dict[str, Any] = {}
        """Variables differentiated by a complex step, with the compiled function (None: interpreted)."""

    def prepare(self) -> list[Function]:
        """Choose complex steps where the function compiles for them, else differences; return the functions called."""
        self.complex = {}
        if self.function is not None and self.twin is not None and not self.function.slow:
            codes = {name: self.function.compiled_twin(self.twin, name) for name in self.by}
            self.complex = {name: code for name, code in codes.items() if code is not None}
        called = [] if self.jacobian is None else [self.jacobian]
        if self.function is not None and (self.velocity or set(self.by) - set(self.complex)):
            called.append(self.function)
        return called

    def interpret(self) -> None:
        """Evaluate in Python, with complex steps where a complex copy exists."""
        self.complex = dict.fromkeys(self.by) if self.twin is not None else {}

    # ---- as Python runs it

    def numbers(self, q: np.ndarray, u: np.ndarray, t: float, exact: bool = True, step: float = STEP) -> np.ndarray:
        """Return the rows at a state; without ``exact``, by differences alone."""
        n = self.freedom
        table = np.zeros((self.count, n + 1))
        if self.jacobian is not None:
            table[:, :n] = self.jacobian.numbers(q.copy(), u.copy(), t).reshape(self.count, n)
        if self.function is None:
            return table
        if self.velocity:
            table[:, n] = self.function.numbers(q.copy(), np.zeros(n), t)
            for j in range(0 if self.only_time or self.jacobian is not None else n):
                table[:, j] = self.function.numbers(q.copy(), np.eye(n)[j], t) - table[:, n]
            return table
        self.function.numbers(q.copy(), u.copy(), t)  # what it raises at the state itself comes first
        for j in range(n) if "q" in self.by else ():
            table[:, j] = self._along(q, t, j, exact and "q" in self.complex, step)
        if "t" in self.by:
            table[:, n] = self._along(q, t, n, exact and "t" in self.complex, step)
        return table

    def _along(self, q: np.ndarray, t: float, j: int, exact: bool, step: float) -> np.ndarray:
        assert self.function is not None
        none, n = np.zeros(self.freedom), self.freedom
        if exact:
            moved = q + 1j * TINY * np.eye(n)[j] if j < n else q.copy()
            return self.function.numbers(moved, none, t if j < n else complex(t, TINY), self.twin).imag / TINY
        total = np.zeros(self.count)
        for place, weight in WEIGHTS:
            moved = q + place * step * np.eye(n)[j] if j < n else q.copy()
            total += weight / step * self.function.numbers(moved, none, t if j < n else t + place * step)
        return total

    def doubtful(self, rows: np.ndarray, q: np.ndarray, t: float) -> bool:
        """Return True if these rows, computed by complex steps, disagree with differences."""
        for step in (STEP, STEP / 32.0, STEP / 1024.0):
            try:
                expected = self.numbers(q, np.zeros(self.freedom), t, exact=False, step=step)
            except Exception:  # noqa: BLE001  (the user function is not defined at this state)
                return False
            scale = 1.0 + np.abs(expected).max(initial=0.0)
            if np.all((np.abs(rows - expected) <= 1e-4 * scale) | ~np.isfinite(expected)):
                return False
        return True

    # ---- as compiled code

    def lines(self, k: int, scope: dict[str, Any]) -> list[str]:
        """Return the source of the rows; store the functions it calls in ``scope``, numbered by ``k``."""
        n, width, rows = self.freedom, self.freedom + 1, self.rows.text
        put = f"for k in range({self.count}): out[{rows} * {width}"
        text = [f"{put} + {n}] = 0.0"]
        if self.jacobian is not None:
            scope[f"jacobian{k}"] = self.jacobian.compiled()
            text += self.jacobian.text(f"jacobian{k}", "wj")
            text += [f"for j in range({n}):", f"    {put} + j] = wj[k * {n} + j]"]
        elif "q" not in self.by and not self.velocity and not self.only_time:
            text += [f"for j in range({n}):", f"    {put} + j] = 0.0"]
        f = self.function
        if f is None:
            return text
        if self.velocity or set(self.by) - set(self.complex):
            scope[f"function{k}"] = f.compiled()
        for name, code in self.complex.items():
            scope[f"by_{name}{k}"] = code
        if self.velocity:
            text += [*f.text(f"function{k}", "w", u="e"), f"{put} + {n}] = w[k]"]
            if self.jacobian is None and not self.only_time:
                text += [f"for j in range({n}):", "    e[j] = 1.0", *_indented(f.text(f"function{k}", "w", u="e"))]
                text += [f"    {put} + j] = w[k] - out[{rows} * {width} + {n}]", "    e[j] = 0.0"]
            return text
        if "q" in self.complex:
            text += [f"for j in range({n}):", "    z[j] = complex(q[j], tiny)"]
            text += _indented(f.text(f"by_q{k}", "wz", q="z"))
            text += [f"    {put} + j] = wz[k].imag / tiny", "    z[j] = q[j]"]
        elif "q" in self.by:
            text += [f"for j in range({n}):", f"    {put} + j] = 0.0", "    for place, weight in weights:"]
            text += ["        x[j] = q[j] + place * step", *_indented(f.text(f"function{k}", "w", q="x"), 2)]
            text += [f"        {put} + j] += weight / step * w[k]", "    x[j] = q[j]"]
        if "t" in self.complex:
            text += [*f.text(f"by_t{k}", "wz", t="complex(t, tiny)"), f"{put} + {n}] = wz[k].imag / tiny"]
        elif "t" in self.by:
            text += ["for place, weight in weights:", *_indented(f.text(f"function{k}", "w", t="(t + place * step)"))]
            text += [f"    {put} + {n}] += weight / step * w[k]"]
        return text


def _indented(lines: Sequence[str], times: int = 1) -> list[str]:
    return ["    " * times + line for line in lines]


def slopes_kernel(owner: str, slopes: Sequence[Slope], rows: int, start: np.ndarray) -> GeneralKernel:
    """Return the kernel of the rows of derivatives; compare it with differences at ``start`` and near it."""
    freedom = slopes[0].freedom
    outputs = rows * (freedom + 1)

    def interpreted(t, q, u, out):
        for slope in slopes:
            table = slope.numbers(copied(q, freedom), copied(u, freedom), t)
            for k, row in enumerate(table):
                for j in range(freedom if slope.only_time else 0, freedom + 1):
                    out[slope.rows(k) * (freedom + 1) + j] = row[j]

    called = [function for slope in slopes for function in slope.prepare()]
    codes = [function.compiled() for function in called]  # all of them: every one gives its notice
    slow = any(code is None for code in codes)
    if slow:
        for slope in slopes:
            slope.interpret()
    raises = any(function.raises for slope in slopes for function in (slope.function, slope.jacobian) if function)
    code = None if slow else _slopes_code(owner, freedom, slopes)
    kernel = GeneralKernel(owner, freedom, outputs, interpreted, code, raises)
    wrong = [slope for slope in slopes if slope.complex and _is_wrong(kernel, slope, start)]
    for slope in wrong:
        slope.twin = None
    return slopes_kernel(owner, slopes, rows, start) if wrong else kernel


def _is_wrong(kernel: GeneralKernel, slope: Slope, start: np.ndarray) -> bool:
    places = [slope.rows(k) for k in range(slope.count)]
    for t, shift in ((0.0, 0.0), (0.37, 0.031), (1.61, -0.17)):
        q = start + shift * np.cos(np.arange(1.0, 1.0 + start.size))
        try:
            if kernel.slow:
                found = slope.numbers(q, 0.0 * q, t)
            else:
                found = kernel(t, q, 0.0 * q).reshape(-1, q.size + 1)[places]
        except Exception:  # noqa: BLE001  (it does not take complex numbers, or raises at this state)
            if kernel.slow or shift == 0.0:
                return True
            continue
        if slope.doubtful(found, q, t):
            return True
    return False


def _slopes_code(owner: str, freedom: int, slopes: Sequence[Slope]) -> Any:
    largest = max(slope.count for slope in slopes)
    lines = [f"e = carray(stack_floats({freedom}), ({freedom},))", f"w = stack_floats({largest})"]
    lines += [f"for j in range({freedom}): e[j] = 0.0"]
    if any(slope.jacobian is not None for slope in slopes):
        lines.append(f"wj = stack_floats({largest * freedom})")
    if any(slope.complex for slope in slopes):
        lines += [f"wz = stack_complexes({largest})", f"z = carray(stack_complexes({freedom}), ({freedom},))"]
        lines += [f"for j in range({freedom}): z[j] = q[j]"]
    if any("q" in slope.by and "q" not in slope.complex for slope in slopes):
        lines += [f"x = carray(stack_floats({freedom}), ({freedom},))", f"for j in range({freedom}): x[j] = q[j]"]
    scope: dict[str, Any] = {"tiny": TINY, "step": STEP, "weights": WEIGHTS}
    for k, slope in enumerate(slopes):
        lines += slope.lines(k, scope)
    return kernel_source(owner, freedom, lines, scope)
