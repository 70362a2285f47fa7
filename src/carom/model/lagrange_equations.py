"""Equations of motion, gaps and directions from SymPy expressions, as functions that write their values to memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from carom.argument_checks import finite_float, short_repr
from carom.errors import ModelError
from carom.kernels.generated_source import defined

MAX_SIMPLIFIED = 3000
"""Largest number of operations in an expression whose products of sines and cosines are simplified."""


def derive(
    coordinates: Sequence[Any],
    kinetic: Any,
    potential: Any,
    gaps: Sequence[Any],
    *,
    tangential: Sequence[Any],
    velocities: Sequence[Any] | None,
    forces: Sequence[Any] | None,
    parameters: Mapping[Any, float] | None,
    time: Any,
    bodies: Mapping[str, Any] | None,
    name: str,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Derive the equations of motion; return constructor arguments, generated functions and expressions.

    The arguments are those of a `GeneralizedSystem`, the functions write its values to memory, and the expressions are
    functions of q0, q1, …, u0, u1, … and t::

        M = ∂²T/∂u²,   h = −∂(∂T/∂u)/∂q u − ∂²T/∂t∂u + ∂T/∂q − ∂V/∂q + forces
    """
    import sympy

    reader = _Reader(sympy, name, coordinates, velocities, parameters or {}, time)
    energy = reader.read("kinetic", kinetic), reader.read("potential", potential)
    applied = reader.read_all("forces", [0] * reader.freedom if forces is None else forces)
    if len(applied) != reader.freedom:
        raise ModelError(f"{reader.owner}: forces must be {reader.freedom} expressions, got {len(applied)}")
    mass, force = _equations(sympy, reader, *energy, applied)

    distances = reader.read_all("gaps", gaps)
    tangents = [reader.read_all(f"tangential[{k}]", _several(item)) for k, item in enumerate(_several(tangential))]
    if len({len(tangent) for tangent in tangents}) > 1 or (tangents and len(tangents) != len(distances)):
        raise ModelError(f"{reader.owner}: tangential must be {len(distances)} expressions, one per gap, "
                         f"or as many pairs, got {[len(tangent) for tangent in tangents]} expressions")  # fmt: skip
    tangent_rows = [[reader.row(f"tangential[{k}]", item) for item in tangent] for k, tangent in enumerate(tangents)]
    normal_rows = [reader.row(f"gaps[{k}]", gap, moving=False) for k, gap in enumerate(distances)]
    per_contact = tangent_rows or [[]] * len(normal_rows)
    directions = [row for normal, rows in zip(normal_rows, per_contact, strict=True) for row in (normal, *rows)]

    poses, inertias = _bodies(reader, bodies or {})
    rates = [reader.row("bodies", pose, moving=False) for pose in poses]
    functions = {
        "mass": reader.generate("mass", mass),
        "force": reader.generate("force", force),
        "potential": reader.generate("potential", [energy[1]]),
        "gaps": reader.generate("gaps", distances),
        "directions": reader.generate("directions", [entry for row in directions for entry in row]),
        "bodies": reader.generate("bodies", poses),
        "body_rates": reader.generate("body_rates", [entry for row in rates for entry in row]),
    }
    velocities_of_contacts = [reader.velocity(row) for contact in tangent_rows for row in contact]
    tangential_function = reader.generate("tangential", velocities_of_contacts)
    f, n = reader.freedom, len(distances)
    arguments = {
        "mass": _of_position(functions["mass"], f, (f, f)),
        "force": _of_state(functions["force"], (f,)),
        "potential": _of_position(functions["potential"], f, (1,)),
        "gaps": _of_position(functions["gaps"], f, (n,)) if n else None,
        "tangential": _of_state(tangential_function, (n, len(tangent_rows[0]))) if tangent_rows else None,
        "bodies": {
            body: (_of_position(reader.generate(body, poses[3 * k : 3 * k + 3]), f, (3,)), *inertias[body])
            for k, body in enumerate(bodies or {})
        },
        "coordinates": [str(getattr(c, "func", c)) if reader.is_function(c) else str(c) for c in coordinates],
    }
    plain = {symbol: sympy.Symbol(symbol.name) for symbol in (*reader.q, *reader.u, reader.t)}
    expressions = {
        "kinetic": energy[0].xreplace(plain), "potential": energy[1].xreplace(plain),
        "forces": [] if forces is None else [force.xreplace(plain) for force in applied],
        "gaps": [gap.xreplace(plain) for gap in distances],
        "tangential": [[item.xreplace(plain) for item in tangent] for tangent in tangents],
        "bodies": {
            body: (tuple(pose.xreplace(plain) for pose in poses[3 * k : 3 * k + 3]), inertias[body])
            for k, body in enumerate(bodies or {})
        },
    }  # fmt: skip
    return arguments, functions, expressions


def _several(value: Any) -> list[Any]:
    """Return a list, a column matrix or a single expression as a list."""
    return list(value) if isinstance(value, Iterable) else [value]


class _Reader:
    """Converter of the user's expressions to real symbols q, u and t, and to functions."""

    def __init__(
        self, sympy: Any, name: str, coordinates: Any, velocities: Any, parameters: Mapping[Any, Any], time: Any
    ):
        self.sympy, self.owner = sympy, f"GeneralizedSystem {name!r}"
        symbols = _several(coordinates)
        self.freedom = len(symbols)
        if not symbols or any(not (c.is_Symbol or self.is_function(c)) for c in map(sympy.sympify, symbols)):
            raise ModelError(
                f"{self.owner}: coordinates must be SymPy symbols or dynamicsymbols, got {short_repr(coordinates)}"
            )
        self.q = [sympy.Dummy(f"q{k}", real=True) for k in range(self.freedom)]
        self.u = [sympy.Dummy(f"u{k}", real=True) for k in range(self.freedom)]
        self.t = sympy.Dummy("t", real=True)
        self._printer = _printer(sympy)
        self._rates: dict[Any, Any] = {}
        self._symbols: dict[Any, Any] = dict(zip(symbols, self.q, strict=True))
        self._by_name: dict[str, Any] = {}
        for c, u in zip(symbols, self.u, strict=True):
            if self.is_function(c):
                time_symbol = c.args[0]
                self._rates[sympy.Derivative(c, time_symbol)] = u
                self._symbols[time_symbol] = self.t
            elif velocities is None:
                self._by_name[f"{c.name}_dot"] = u
        if velocities is not None:
            rates = _several(velocities)
            if len(rates) != self.freedom:
                raise ModelError(
                    f"{self.owner}: velocities must be {self.freedom} symbols, got {short_repr(velocities)}"
                )
            self._rates |= dict(zip(rates, self.u, strict=True))
        if time is not None:
            self._symbols[time] = self.t
        for symbol, value in parameters.items():
            exact = sympy.Rational(repr(finite_float(self.owner, f"parameter {str(symbol)!r}", value)))
            if isinstance(symbol, str):
                self._by_name[symbol] = exact
            else:
                self._symbols[symbol] = exact

    def is_function(self, expression: Any) -> bool:
        """Return True for a function of time, such as ``dynamicsymbols``."""
        return isinstance(expression, self.sympy.core.function.AppliedUndef)

    def read(self, what: str, expression: Any) -> Any:
        """Return an expression in the symbols q, u and t; raise for unknown symbols."""
        sympy = self.sympy
        try:
            result = sympy.sympify(expression)
        except sympy.SympifyError:
            raise ModelError(f"{self.owner}: {what} must be a SymPy expression, got {short_repr(expression)}") from None
        if not isinstance(result, sympy.Expr) or result.is_Matrix:
            raise ModelError(f"{self.owner}: {what} must be a SymPy expression, got {short_repr(expression)}")
        result = result.doit().xreplace(self._rates)
        unknown = result.atoms(sympy.Derivative)
        result = result.xreplace(self._symbols)
        state_symbols = {*self.q, *self.u, self.t}
        named = {s: self._by_name[s.name] for s in result.free_symbols - state_symbols if s.name in self._by_name}
        result = result.xreplace(named)
        unknown |= {*(result.free_symbols - state_symbols), *result.atoms(sympy.core.function.AppliedUndef)}
        if unknown:
            names = ", ".join(sorted(repr(str(symbol)) for symbol in unknown))
            raise ModelError(f"{self.owner}: {what} has unknown symbols {names}; define them in parameters, or as "
                             "coordinates, velocities or time")  # fmt: skip
        # Decimal numbers become fractions, so that terms cancel exactly.
        return result.xreplace({x: sympy.Rational(repr(float(x))) for x in result.atoms(sympy.Float)})

    def read_all(self, what: str, expressions: Any) -> list[Any]:
        """Return several expressions in the symbols q, u and t."""
        return [self.read(f"{what}[{k}]", expression) for k, expression in enumerate(_several(expressions))]

    def row(self, what: str, expression: Any, moving: bool = True) -> list[Any]:
        """Return w and w̃ of a gap, a tangential displacement or (``moving``) a velocity that is linear in u."""
        if not expression.free_symbols & set(self.u):
            return [expression.diff(x) for x in (*self.q, self.t)]
        if not moving:
            raise ModelError(f"{self.owner}: {what} must not contain velocities, got {expression}")
        factors = [self.sympy.expand(expression.diff(u)) for u in self.u]
        if any(factor.free_symbols & set(self.u) for factor in factors):
            raise ModelError(f"{self.owner}: {what} must be linear in the velocities, got {expression}")
        return [*factors, expression.xreplace(dict.fromkeys(self.u, self.sympy.Integer(0)))]

    def velocity(self, row: Sequence[Any]) -> Any:
        """Return the velocity w·u + w̃ of a row."""
        return sum((w * u for w, u in zip(row, self.u, strict=False)), row[-1])

    def generate(self, what: str, expressions: Sequence[Any]) -> Any:
        """Return a function (t, q, u, out) that writes the expressions; common subexpressions are computed once."""
        sympy = self.sympy
        unpacking, plain = [], {self.t: sympy.Symbol("t")}
        for group, symbols in (("q", self.q), ("u", self.u)):
            for k, symbol in enumerate(symbols):
                if any(expression.has(symbol) for expression in expressions):
                    plain[symbol] = sympy.Symbol(f"{group}{k}")
                    unpacking.append(f"{group}{k} = {group}[{k}]")
        ready = [_floated(sympy, expression.xreplace(plain)) for expression in expressions]
        shared, results = sympy.cse(ready, sympy.numbered_symbols("x"), list=True)
        lines = [f"{symbol} = {self._text(what, value)}" for symbol, value in shared]
        lines += [f"out[{k}] = {self._text(what, value)}" for k, value in enumerate(results)]
        body = "".join(f"    {line}\n" for line in (*unpacking, *lines, "return"))
        return defined(f"import math\n\n\ndef written(t, q, u, out):\n{body}")

    def _text(self, what: str, expression: Any) -> str:
        _, unknown, text = self._printer.doprint(expression)
        if unknown:
            names = ", ".join(sorted(repr(str(part)) for part in unknown))
            raise ModelError(f"{self.owner}: {what} contains {names}, which has no compiled form")
        return text


def _printer(sympy: Any) -> Any:
    """Return the printer of expressions as source with functions of ``math``."""
    from sympy.printing.pycode import PythonCodePrinter

    class Printer(PythonCodePrinter):
        def _print_Float(self, expression: Any) -> str:
            return repr(float(expression))

        def _print_Heaviside(self, expression: Any) -> str:
            return f"(1.0 if {self._print(expression.args[0])} >= 0.0 else 0.0)"

        def _print_DiracDelta(self, expression: Any) -> str:
            return "0.0"  # the derivative of a step, beside the step

    return Printer({"human": False})


def _floated(sympy: Any, expression: Any) -> Any:
    """Return an expression with fractions as floating-point numbers, except in exponents."""
    if expression.is_Rational and not expression.is_Integer:
        return sympy.Float(expression, 20)
    if not expression.args:
        return expression
    if expression.is_Pow:
        return sympy.Pow(_floated(sympy, expression.base), expression.exp)
    return expression.func(*(_floated(sympy, part) for part in expression.args))


def _equations(
    sympy: Any, reader: _Reader, kinetic: Any, potential: Any, forces: list[Any]
) -> tuple[list[Any], list[Any]]:
    """Return M, row by row, and h."""
    q, u, t = reader.q, reader.u, reader.t
    zero_velocity = dict.fromkeys(u, sympy.Integer(0))
    momenta = [kinetic.diff(x) for x in u]
    mass = [[_simple(sympy, momentum.diff(x)) for x in u] for momentum in momenta]
    for row in mass:
        for k, entry in enumerate(row):
            if entry.free_symbols & set(u):
                row[k] = entry = sympy.simplify(entry)
                if entry.free_symbols & set(u):
                    raise ModelError(f"{reader.owner}: kinetic must be quadratic in the velocities, got {kinetic}")
    linear = [_simple(sympy, momentum.xreplace(zero_velocity)) for momentum in momenta]
    constant = _simple(sympy, kinetic.xreplace(zero_velocity))
    # T = u·M u / 2 + linear·u + constant: the same energy, with its mass matrix in short form.
    half = sympy.Rational(1, 2)
    energy = constant + sum((a * x for a, x in zip(linear, u, strict=True)), sympy.Integer(0))
    energy += sum((half * mass[i][j] * u[i] * u[j] for i in range(len(u)) for j in range(len(u))), sympy.Integer(0))
    force = []
    for k, x in enumerate(q):
        momentum = sum((m * v for m, v in zip(mass[k], u, strict=True)), linear[k])
        momentum_rate = sum((momentum.diff(y) * v for y, v in zip(q, u, strict=True)), momentum.diff(t))
        force.append(_simple(sympy, energy.diff(x) - momentum_rate) - potential.diff(x) + forces[k])
    return [entry for row in mass for entry in row], force


def _simple(sympy: Any, expression: Any) -> Any:
    """Return the shortest of three forms; products of sines and cosines become sums, in which squares cancel."""
    from sympy.simplify.fu import TR8

    if sympy.count_ops(expression) > MAX_SIMPLIFIED:
        return expression
    expanded = sympy.expand(expression)
    if sympy.count_ops(expanded) > MAX_SIMPLIFIED:
        return expression
    return min(
        (expression, expanded, sympy.expand(TR8(expanded))), key=lambda e: (len(e.free_symbols), sympy.count_ops(e))
    )


def _bodies(reader: _Reader, bodies: Mapping[str, Any]) -> tuple[list[Any], dict[str, tuple[Any, ...]]]:
    """Return x, y, angle of all bodies in one list, and mass and inertia of the bodies that have them."""
    poses, inertias = [], {}
    for name, value in bodies.items():
        items = _several(value)
        pose, inertias[name] = (items[0], tuple(items[1:])) if isinstance(items[0], Iterable) else (items, ())
        pose = reader.read_all(f"body {name!r}", pose)
        if len(pose) != 3:
            raise ModelError(f"{reader.owner}: body {name!r} must be (x, y, angle), got {short_repr(value)}")
        poses += pose
    return poses, inertias


def _of_position(function: Any, freedom: int, shape: tuple[int, ...]) -> Any:
    """Return a function of q and t that returns the values of ``function``."""

    def expression(q: np.ndarray, t: float) -> np.ndarray:
        out = np.zeros(math.prod(shape))
        function(t, q, np.zeros(freedom), out)
        return out.reshape(shape)

    return expression


def _of_state(function: Any, shape: tuple[int, ...]) -> Any:
    """Return a function of q, u and t that returns the values of ``function``."""

    def expression(q: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
        out = np.zeros(math.prod(shape))
        function(t, q, u, out)
        return out.reshape(shape)

    return expression
