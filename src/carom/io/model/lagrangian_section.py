"""Systems in generalised coordinates, from Lagrange's equations, in model files.

The section ``lagrangian`` has the arguments of `GeneralizedSystem.from_lagrangian` as formulas in the coordinates
q0, q1, …, their rates u0, u1, …, and time t.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from carom.errors import ModelError
from carom.kernels.expression import Formula, parsed
from carom.model.generalized import GeneralizedSystem

KEYS = ("coordinates", "q0", "u0", "kinetic", "potential", "forces", "gaps", "slips", "impact", "contacts", "bodies")
NEEDED = ("coordinates", "q0", "u0", "kinetic", "potential")
FORMULAS = ("kinetic", "potential", "forces", "gaps", "slips")
BODY = ("place", "mass", "inertia")

LARGEST = 4096
"""Bits of a number that a power of numbers may have."""

_NAMES = {"Abs": "abs", "Min": "min", "Max": "max"}
"""Functions that SymPy writes with a capital."""


def describe(system: GeneralizedSystem, impact: Callable[[Any], Any]) -> dict[str, Any]:
    """The section of a system; ``impact`` describes an `Impact`."""
    found = system.derivation
    if found is None:
        raise ModelError(
            f"{system.label}: is made of Python functions, which a model file cannot hold; keep its script, or give "
            "its energies to from_lagrangian"
        )
    entry: dict[str, Any] = {"coordinates": list(system.coordinates)}
    entry |= {"q0": [float(x) for x in system.q0], "u0": [float(x) for x in system.u0]}
    entry |= {key: _texts(system.label, found[key]) for key in FORMULAS if found[key] != []}
    if system.impacts:
        each = [impact(item) for item in system.impacts]
        entry["impact"] = each[0] if all(item == system.impacts[0] for item in system.impacts) else each
        entry["contacts"] = list(system.contacts)
    entry["bodies"] = {
        name: dict(zip(BODY, (_texts(system.label, list(place)), *known), strict=False))
        for name, (place, known) in found["bodies"].items()
    }
    return {key: value for key, value in entry.items() if value != {}}


def _texts(owner: str, formulas: Any) -> Any:
    if isinstance(formulas, list):
        return [_texts(owner, formula) for formula in formulas]
    text = str(formulas)
    for theirs, ours in _NAMES.items():
        text = text.replace(f"{theirs}(", f"{ours}(")
    symbols = {str(symbol): symbol for symbol in formulas.free_symbols}
    if symbolic(text, symbols) != formulas:
        raise ModelError(f"{owner}: the formula {text} has no form in a model file")
    return text


def make(
    name: str, entry: Mapping[str, Any], impact: Any, bodies: Mapping[str, Any], parameters: Mapping[str, float]
) -> GeneralizedSystem:
    """The system of a section: texts as formulas, ``impact`` and ``bodies`` ready."""
    import sympy

    names = [str(item) for item in entry["coordinates"]]
    if len(set(names)) < len(names):
        raise ModelError(f"coordinates must have names of their own, got {', '.join(names)}")
    q = [sympy.Symbol(name) for name in names]
    known = {f"q{k}": symbol for k, symbol in enumerate(q)}
    rates = [sympy.Symbol(f"u{k}") for k in range(len(q))]
    known |= {f"u{k}": symbol for k, symbol in enumerate(rates)} | {"t": sympy.Symbol("t")}
    known |= {key: sympy.Rational(repr(float(value))) for key, value in parameters.items()}

    def formula(value: Any) -> Any:
        if isinstance(value, list):
            return [formula(item) for item in value]
        return symbolic(value if isinstance(value, str) else repr(value), known)

    given = {key: formula(entry[key]) for key in FORMULAS if entry.get(key) is not None}
    places = {body: (tuple(formula(value[0])), *value[1:]) for body, value in bodies.items()}
    return GeneralizedSystem.from_lagrangian(
        q, given["kinetic"], given["potential"], given.get("gaps", ()), q0=entry["q0"], u0=entry["u0"],
        slips=given.get("slips", ()), velocities=rates, forces=given.get("forces"), time=known["t"], impact=impact,
        bodies=places, contacts=entry.get("contacts"), name=name,
    )  # fmt: skip


def symbolic(text: str, known: Mapping[str, Any]) -> Any:
    """A formula in SymPy's terms, with the checks of `Formula` and without its evaluation as code."""
    import sympy

    formula = Formula(text)
    formula.check(known)
    if formula.own or formula.states:
        raise ModelError(f"the formula {text!r} must be one expression of {', '.join(known)}")
    functions: dict[str, Any] = {
        name: getattr(sympy, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
                                                "exp", "log", "sqrt", "floor", "atan2")
    } | {"abs": sympy.Abs, "fabs": sympy.Abs, "min": sympy.Min, "max": sympy.Max, "ceil": sympy.ceiling}  # fmt: skip
    operations: dict[type, Callable[[Any, Any], Any]] = {
        ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
        ast.Div: lambda a, b: a / b, ast.Pow: _power,
    }  # fmt: skip

    def walk(node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return sympy.Integer(node.value) if isinstance(node.value, int) else sympy.Rational(repr(node.value))
        if isinstance(node, ast.Name):
            return sympy.pi if node.id == "pi" else known[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return -walk(node.operand) if isinstance(node.op, ast.USub) else walk(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in operations:
            return operations[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            parts = [walk(part) for part in node.args]
            if any(part.is_number and not part.is_Rational and part != sympy.pi for part in parts):
                raise ModelError(f"the formula {text!r} takes a function of numbers of a function of numbers")
            return functions[node.func.id](*parts)
        raise ModelError(f"the formula {text!r} has more in it than energies and gaps may have")

    last = parsed(text)[-1]
    assert isinstance(last, ast.Expr)
    result = walk(last.value)
    if result.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
        raise ModelError(f"the formula {text!r} has no finite real value")
    return result


def _power(base: Any, exponent: Any) -> Any:
    """A power whose digits stay few."""
    if base.is_Rational and exponent.is_number:
        size = max(int(base.p).bit_length(), int(base.q).bit_length())
        if not exponent.is_Rational or size * abs(exponent) > LARGEST:
            raise ModelError("a power of numbers in a formula is too large")
    return base**exponent
