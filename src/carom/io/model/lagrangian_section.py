"""Section ``lagrangian`` of model files: systems in generalised coordinates, from Lagrange's equations.

The section contains the arguments of `GeneralizedSystem.from_lagrangian` as formulas in the coordinates
q0, q1, …, their rates u0, u1, …, and time t.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from carom.errors import ModelError
from carom.kernels.expression import Formula, parsed
from carom.model.generalized_system import GeneralizedSystem

KEYS = (
    "coordinates",
    "q0",
    "u0",
    "kinetic",
    "potential",
    "forces",
    "gaps",
    "tangential",
    "impact",
    "contacts",
    "bodies",
)
REQUIRED_KEYS = ("coordinates", "q0", "u0", "kinetic", "potential")
FORMULA_KEYS = ("kinetic", "potential", "forces", "gaps", "tangential")
FORMER_KEYS = {"slips": "tangential"}
"""Keys in files of earlier versions, and the current ones."""
BODY_KEYS = ("place", "mass", "inertia")

MAX_BITS = 4096
"""Size of the value of a power of numbers [bits]."""

_FUNCTION_NAMES = {"Abs": "abs", "Min": "min", "Max": "max"}
"""Functions of SymPy whose names begin with a capital letter, and their names in formulas."""


def describe(system: GeneralizedSystem, impact: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the section of a system; ``impact`` is the function that describes an impact law."""
    derivation = system.derivation
    if derivation is None:
        raise ModelError(
            f"{system.label}: it contains Python functions, which cannot be written to a model file; build it with "
            "GeneralizedSystem.from_lagrangian"
        )
    entry: dict[str, Any] = {"coordinates": list(system.coordinates)}
    entry |= {"q0": [float(x) for x in system.q0], "u0": [float(x) for x in system.u0]}
    entry |= {key: _texts(system.label, derivation[key]) for key in FORMULA_KEYS if derivation[key] != []}
    if system.impacts:
        laws = [impact(item) for item in system.impacts]
        entry["impact"] = laws[0] if all(item == system.impacts[0] for item in system.impacts) else laws
        entry["contacts"] = list(system.contacts)
    entry["bodies"] = {
        name: dict(zip(BODY_KEYS, (_texts(system.label, list(pose)), *mass_properties), strict=False))
        for name, (pose, mass_properties) in derivation["bodies"].items()
    }
    return {key: value for key, value in entry.items() if value != {}}


def _texts(owner: str, formulas: Any) -> Any:
    """Return SymPy expressions as texts; raise if a text is not read as the same expression."""
    if isinstance(formulas, list):
        return [_texts(owner, formula) for formula in formulas]
    text = str(formulas)
    for sympy_name, name in _FUNCTION_NAMES.items():
        text = text.replace(f"{sympy_name}(", f"{name}(")
    symbols = {str(symbol): symbol for symbol in formulas.free_symbols}
    if symbolic(text, symbols) != formulas:
        raise ModelError(f"{owner}: the formula {text} cannot be written in a model file")
    return text


def build_system(
    name: str, entry: Mapping[str, Any], impact: Any, bodies: Mapping[str, Any], parameters: Mapping[str, float]
) -> GeneralizedSystem:
    """Return the system of a section; ``entry`` contains formulas as texts, ``impact`` the built impact laws."""
    import sympy

    names = [str(item) for item in entry["coordinates"]]
    if len(set(names)) < len(names):
        raise ModelError(f"coordinates must have different names, got {', '.join(names)}")
    q = [sympy.Symbol(name) for name in names]
    known = {f"q{k}": symbol for k, symbol in enumerate(q)}
    rates = [sympy.Symbol(f"u{k}") for k in range(len(q))]
    known |= {f"u{k}": symbol for k, symbol in enumerate(rates)} | {"t": sympy.Symbol("t")}
    known |= {key: sympy.Rational(repr(float(value))) for key, value in parameters.items()}

    def formula(value: Any) -> Any:
        if isinstance(value, list):
            return [formula(item) for item in value]
        return symbolic(value if isinstance(value, str) else repr(value), known)

    expressions = {key: formula(entry[key]) for key in FORMULA_KEYS if entry.get(key) is not None}
    poses = {body: (tuple(formula(value[0])), *value[1:]) for body, value in bodies.items()}
    return GeneralizedSystem.from_lagrangian(
        q,
        expressions["kinetic"],
        expressions["potential"],
        expressions.get("gaps", ()),
        q0=entry["q0"],
        u0=entry["u0"],
        tangential=expressions.get("tangential", ()),
        velocities=rates,
        forces=expressions.get("forces"),
        time=known["t"],
        impact=impact,
        bodies=poses,
        contacts=entry.get("contacts"),
        name=name,
    )


def symbolic(text: str, known: Mapping[str, Any]) -> Any:
    """Return a formula as a SymPy expression; it is checked by `Formula` and not evaluated as code."""
    import sympy

    formula = Formula(text)
    formula.check(known)
    if formula.local_names or formula.states:
        raise ModelError(f"formula {text!r}: must be one expression of {', '.join(known)}")
    functions: dict[str, Any] = {
        name: getattr(sympy, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
                                                "exp", "log", "sqrt", "floor", "atan2")
    } | {"abs": sympy.Abs, "fabs": sympy.Abs, "min": sympy.Min, "max": sympy.Max, "ceil": sympy.ceiling}  # fmt: skip
    operations: dict[type, Callable[[Any, Any], Any]] = {
        ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
        ast.Div: lambda a, b: a / b, ast.Pow: _power,
    }  # fmt: skip

    def walk(node: ast.expr) -> Any:
        """Return the expression of a syntax node."""
        if isinstance(node, ast.Constant):
            return sympy.Integer(node.value) if isinstance(node.value, int) else sympy.Rational(repr(node.value))
        if isinstance(node, ast.Name):
            return sympy.pi if node.id == "pi" else known[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return -walk(node.operand) if isinstance(node.op, ast.USub) else walk(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in operations:
            return operations[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            arguments = [walk(argument) for argument in node.args]
            if any(item.is_number and not item.is_Rational and item != sympy.pi for item in arguments):
                raise ModelError(f"formula {text!r}: nested functions of numbers are not allowed")
            return functions[node.func.id](*arguments)
        raise ModelError(f"formula {text!r}: contains an operation that is not allowed in energies and gaps")

    statement = parsed(text)[-1]
    assert isinstance(statement, ast.Expr)
    result = walk(statement.value)
    if result.has(sympy.zoo, sympy.nan, sympy.oo, sympy.I):
        raise ModelError(f"formula {text!r}: has no finite real value")
    return result


def _power(base: Any, exponent: Any) -> Any:
    """Return a power; raise if its exact value would be too large."""
    if base.is_Rational and exponent.is_number:
        size = max(int(base.p).bit_length(), int(base.q).bit_length())
        if not exponent.is_Rational or size * abs(exponent) > MAX_BITS:
            raise ModelError(f"a power of numbers in a formula must have at most {MAX_BITS} bits")
    return base**exponent
