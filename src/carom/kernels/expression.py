"""Formulas as text: read by a parser of arithmetic, then compiled like user functions.

    expression("2*sin(3*t) - 0.1*crank.omega")          a function of time and state
    expression("s = min(t/0.5, 1); 3*s*s*(3 - 2*s)")    with a name for an intermediate result
    expression("k*indentation**1.5", "indentation", k=2e9)

The text itself is never evaluated: its syntax tree is checked node by node, and new source is written from the checked
nodes. Every value in it is a float, because integers of Python grow without bound.
"""

from __future__ import annotations

import ast
import keyword
import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, cast

from carom.argument_checks import finite_float, is_list, short_repr
from carom.errors import ModelError
from carom.input_value import inputs_in
from carom.kernels.expression_breaks import MAX_PAIRS, depends_on, switching_pairs, zeros_of

MAX_LENGTH, MAX_DEPTH = 4000, 60
"""Largest number of characters of a formula, and of nested parentheses and operations."""
MAX_FORMULAS = 1000
"""Largest number of formulas of one function."""
MAX_MULTIPLIED_POWER = 100
"""Largest integer exponent evaluated by multiplications; larger ones are powers of floating-point numbers."""

FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    **{name: (getattr(math, name), 1) for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10", "sqrt", "floor",
        "ceil", "fabs",
    )},
    **{name: (getattr(math, name), 2) for name in ("atan2", "hypot", "copysign")},
    "abs": (abs, 1),
    "min": (min, 2),
    "max": (max, 2),
}  # fmt: skip
"""Functions that a formula may call, with the number of arguments; ``min`` and ``max`` have two or more."""
_FLOAT_FORMS = {"floor": "({0} // 1.0)", "ceil": "(-(-{0} // 1.0))"}
"""Code of the functions that return integers in Python, and 64-bit integers in compiled code."""
CONSTANTS = {"pi": math.pi}
RESERVED = frozenset((*FUNCTIONS, *CONSTANTS, "t", "state"))

_OPERATIONS: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%"}
_COMPARISONS: dict[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="
}  # fmt: skip


def expression(
    text: str | Iterable[str], arguments: str | Iterable[str] | None = None, /, **parameters: float
) -> Callable[..., Any]:
    """Return a function of a formula, or of several formulas for its components; it runs at the speed of compiled code.

    ``arguments`` are the names of its arguments, in order; by default time ``t``, and the state if the formula contains
    ``crank.omega`` or ``"left wheel".x``. ``parameters`` are numbers by name. The attribute ``formula`` of the function
    is the text (a list of texts) with the values of the parameters, as it is written to a model file; ``breaks`` are
    the times at which its comparisons, min, max and abs switch, where integration steps end [s].

    Examples
    --------
    >>> import carom as cm
    >>> cm.expression("10 if t < 0.2 else 0").breaks
    (0.2,)
    >>> spring = cm.expression("-k*length", "length", k=200.0)
    >>> spring(0.5)
    -100.0
    >>> spring.formula
    '-200.0 * length'
    """
    if not isinstance(text, str) and not is_list(text):
        raise ModelError(f"a formula must be a text such as '2*sin(3*t)', got {short_repr(text)}")
    texts = [text] if isinstance(text, str) else list(islice(text, MAX_FORMULAS + 1))
    if not 1 <= len(texts) <= MAX_FORMULAS:
        raise ModelError(
            f"expression: there must be 1 to {MAX_FORMULAS} formulas, got {'none' if not texts else 'more'}"
        )
    names = None if arguments is None else argument_names(arguments)
    for name, value in parameters.items():
        if inputs_in(value):
            raise ModelError(
                f"expression {short_repr(text)}: the number {name!r} cannot follow an input; write the name of the "
                "input and .value in the formula, as in 'motor.value * 2'"
            )
    parameters = {
        name: finite_float(f"expression {short_repr(text)}", name, value) for name, value in parameters.items()
    }
    formulas = [Formula(part, parameters) for part in texts]
    if names is None:
        names = ("t", "state") if any(formula.states for formula in formulas) else ("t",)
    for formula in formulas:
        formula.check(names)
    function = _compiled(names, _body(formulas, single=isinstance(text, str)))
    formula_texts = [formula.text for formula in formulas]
    function.formula = formula_texts[0] if isinstance(text, str) else formula_texts
    function.breaks = tuple(sorted({t for formula in formulas for t in formula.breaks})) if "t" in names else ()
    return function


def argument_names(arguments: Any) -> tuple[str, ...]:
    """Return the names of the arguments of a function, in order; raise unless they are valid and different."""
    several = not isinstance(arguments, str) and is_list(arguments)
    names = tuple(islice(arguments, MAX_FORMULAS)) if several else (arguments,)
    for name in names:
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise ModelError(f"expression: {short_repr(name)} cannot name an argument")
    if len(set(names)) < len(names):
        raise ModelError(f"expression: arguments must have names that differ, got {', '.join(names)}")
    return names


def evaluate(text: str, parameters: Mapping[str, float]) -> float:
    """Return the value of a formula of ``parameters``."""
    formula = Formula(text, parameters)
    formula.check(())
    function = _compiled((), _body([formula], single=True))
    try:
        value = float(function())
    except (ArithmeticError, ValueError) as problem:
        raise ModelError(f"the formula {short_repr(text)} has no value: {problem.args[-1]}") from None
    if not math.isfinite(value):
        raise ModelError(f"the formula {short_repr(text)} must give a finite number, got {value}")
    return value


class Formula:
    """Formula as checked code: ``lines`` that define intermediate results, and the ``value``.

    ``names`` are the names it uses and does not define; ``states`` are pairs (body, field).
    """

    def __init__(self, text: Any, parameters: Mapping[str, float] | None = None):
        if not isinstance(text, str):
            raise ModelError(f"a formula must be a text such as '2*sin(3*t)', got {short_repr(text)}")
        self.parameters = dict(parameters or {})
        self.source = text
        self.names: set[str] = set()
        self.states: set[tuple[str, str]] = set()
        self.local_names: list[str] = []
        statements = parsed(text)
        self.lines = [self._assignment(statement) for statement in statements[:-1]]
        last = statements[-1] if statements else None
        if not isinstance(last, ast.Expr):
            raise self._error("must end with its value, as in 's = 2*t; sin(s)'")
        self.value = self._code(last.value, 0)
        self.breaks = self._breaks(statements)
        """Times at which comparisons of the formula switch [s]."""
        self.text = text.strip() if not self.parameters else "; ".join(self._substituted(node) for node in statements)

    def check(self, arguments: Iterable[str]) -> None:
        """Raise if the formula uses a name that is not among the ``arguments``."""
        known = tuple(arguments)
        for name in self.local_names:
            if name in known:
                raise self._error(f"cannot give {name!r} another meaning")
        for name in sorted(self.names):
            if name not in known:
                available = [name for name in known if name != "state"]
                hint = f"; known are {', '.join(available)}" if available else ""
                raise self._error(f"has the unknown name {name!r}{hint}")
        if self.states and "state" not in known:
            body, field = min(self.states)
            raise self._error(f"cannot ask for {body}.{field} here")

    def _breaks(self, statements: list[ast.stmt]) -> tuple[float, ...]:
        """Return the times at which comparisons, min, max and abs switch that depend on time only [s]."""
        known = {"t", *self.parameters, *CONSTANTS, *FUNCTIONS}
        lines: list[str] = []
        differences: list[Callable[[float], float]] = []
        for statement in statements:
            for left, right in switching_pairs(statement):
                if len(differences) < MAX_PAIRS and depends_on(left, known) and depends_on(right, known):
                    result = f"return {self._code(left, 0)} - {self._code(right, 0)}"
                    differences.append(_compiled(("t",), [*lines, result]))
            if isinstance(statement, ast.Assign):
                name = cast(ast.Name, statement.targets[0]).id
                if depends_on(statement.value, known):
                    known.add(name)
                    lines.append(f"_{name} = {self._code(statement.value, 0)}")
                else:
                    known.discard(name)
        return zeros_of(differences)

    def _error(self, problem: str) -> ModelError:
        start = self.source if len(self.source) <= 60 else f"{self.source[:57]}..."
        return ModelError(f"the formula {start!r} {problem}")

    def _assignment(self, statement: ast.stmt) -> str:
        target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
        if not isinstance(target, ast.Name) or not isinstance(statement, ast.Assign):
            raise self._error("may hold 'name = …;' before its value, and nothing else")
        name = target.id
        if name in RESERVED or name in self.parameters or name in self.names:
            raise self._error(f"cannot give {name!r} another meaning")
        value = self._code(statement.value, 0)
        if name not in self.local_names:
            self.local_names.append(name)
        return f"_{name} = {value}"

    def _code(self, node: ast.expr, depth: int) -> str:
        """Return the Python code of a node, in parentheses; raise unless it is arithmetic."""
        if depth > MAX_DEPTH:
            raise self._error("is nested too deep")
        inner = depth + 1
        if isinstance(node, ast.Constant):
            return self._number(node.value)
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Attribute):
            return self._state(node)
        if isinstance(node, ast.UnaryOp):
            sign = {ast.USub: "-", ast.UAdd: "+"}.get(type(node.op))
            if sign is not None:
                return f"({sign}{self._code(node.operand, inner)})"
            if isinstance(node.op, ast.Not):
                return f"(0.0 if {self._code(node.operand, inner)} else 1.0)"
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Pow):
                return self._power(node, inner)
            if type(node.op) in _OPERATIONS:
                left, right = self._code(node.left, inner), self._code(node.right, inner)
                return f"({left} {_OPERATIONS[type(node.op)]} {right})"
        if isinstance(node, ast.BoolOp):
            word = " and " if isinstance(node.op, ast.And) else " or "
            return f"({word.join(self._code(value, inner) for value in node.values)})"
        if isinstance(node, ast.Compare) and all(type(op) in _COMPARISONS for op in node.ops):
            parts = [self._code(node.left, inner)]
            for op, other in zip(node.ops, node.comparators, strict=True):
                parts += [_COMPARISONS[type(op)], self._code(other, inner)]
            return f"(1.0 if {' '.join(parts)} else 0.0)"
        if isinstance(node, ast.IfExp):
            yes, test, no = (self._code(part, inner) for part in (node.body, node.test, node.orelse))
            return f"({yes} if {test} else {no})"
        if isinstance(node, ast.Call):
            return self._call(node, inner)
        raise self._error("has more in it than numbers, names, + - * / % **, comparisons, if else and functions")

    def _number(self, value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._error(f"has {value!r} where a number must be")
        try:
            return f"{float(value)!r}" if math.isfinite(float(value)) else "1e400"
        except OverflowError:
            raise self._error("has a number too large for floating point") from None

    def _name(self, name: str) -> str:
        if name in self.local_names:
            return f"_{name}"
        if name in self.parameters:
            return f"({float(self.parameters[name])!r})"
        if name in CONSTANTS:
            return repr(CONSTANTS[name])
        if name in FUNCTIONS:
            raise self._error(f"uses the function {name!r} without ( )")
        self.names.add(name)
        return f"_{name}"

    def _state(self, node: ast.Attribute) -> str:
        body = node.value
        name = body.id if isinstance(body, ast.Name) else body.value if isinstance(body, ast.Constant) else None
        if not isinstance(name, str) or node.attr.startswith("_"):
            raise self._error("may use a dot between a body and its state only, as in crank.omega")
        self.states.add((name, node.attr))
        return f"_state[{name!r}].{node.attr}"

    def _power(self, node: ast.BinOp, depth: int) -> str:
        base, exponent = self._code(node.left, depth), node.right
        negative = isinstance(exponent, ast.UnaryOp) and isinstance(exponent.op, ast.USub)
        digits = exponent.operand if isinstance(exponent, ast.UnaryOp) and negative else exponent
        integer = digits.value if isinstance(digits, ast.Constant) else None
        if isinstance(integer, int) and not isinstance(integer, bool) and integer <= MAX_MULTIPLIED_POWER:
            return f"({base} ** {'-' if negative else ''}{integer})"
        return f"pow({base}, {self._code(exponent, depth)})"

    def _call(self, node: ast.Call, depth: int) -> str:
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name not in FUNCTIONS:
            called = "an expression" if name is None else repr(name)
            raise self._error(f"calls {called}; it may call {', '.join(FUNCTIONS)}")
        count, expected = len(node.args), FUNCTIONS[name][1]
        if node.keywords or any(isinstance(part, ast.Starred) for part in node.args):
            raise self._error(f"must give the arguments of {name!r} one by one")
        if count != expected and not (name in ("min", "max") and count > expected):
            raise self._error(f"must give {name!r} {expected} argument{'s' if expected > 1 else ''}, got {count}")
        arguments = [self._code(part, depth) for part in node.args]
        return _FLOAT_FORMS[name].format(*arguments) if name in _FLOAT_FORMS else f"{name}({', '.join(arguments)})"

    def _substituted(self, statement: ast.stmt) -> str:
        """Return the text of a statement with the values of the parameters."""
        parameters = self.parameters

        class ParameterSubstitution(ast.NodeTransformer):
            def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
                return node

            def visit_Name(self, node: ast.Name) -> ast.AST:
                if node.id not in parameters:
                    return node
                value = float(parameters[node.id])
                size = ast.Constant(abs(value))
                return ast.UnaryOp(ast.USub(), size) if math.copysign(1.0, value) < 0.0 else size

        return ast.unparse(ParameterSubstitution().visit(statement))


def parsed(text: str) -> list[ast.stmt]:
    """Return the unchecked syntax tree of a formula."""
    start = text if len(text) <= 60 else f"{text[:57]}..."
    if len(text) > MAX_LENGTH:
        raise ModelError(f"the formula {start!r} must have at most {MAX_LENGTH} characters, got {len(text)}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's advice on its own syntax
            return ast.parse(text.strip()).body
    except SyntaxError as problem:
        raise ModelError(f"the formula {start!r} cannot be read: {problem.msg}") from None
    except (ValueError, MemoryError, RecursionError):
        raise ModelError(f"the formula {start!r} cannot be read") from None


def _body(formulas: list[Formula], single: bool) -> list[str]:
    """Return the lines of a function that computes formulas."""
    lines, values = [], []
    for k, formula in enumerate(formulas):
        lines += formula.lines
        lines.append(f"value{k} = {formula.value}")
        values.append(f"value{k}")
    return [*lines, f"return {values[0] if single else '(' + ', '.join(values) + ',)'}"]


def _compiled(names: tuple[str, ...], lines: list[str]) -> Any:
    """Return the function of checked lines; an underscore before every name avoids clashes with other names."""
    heading = f"def expression({', '.join(f'_{name}' for name in names)}):"
    source = "\n".join([heading, *(f"    {line}" for line in lines)]) + "\n"
    scope: dict[str, Any] = {name: function for name, (function, _) in FUNCTIONS.items()}
    scope["pow"] = math.pow
    exec(compile(source, "<expression>", "exec"), scope)  # This source consists of checked nodes only; see `Formula`.
    return scope["expression"]
