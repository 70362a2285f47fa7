"""Formulas as functions."""

import math

import numba
import pytest
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.kernels.expression import FUNCTIONS, MAX_DEPTH, evaluate, expression
from quick import each

numbers = st.floats(0.1, 3.0)


@given(numbers, numbers)
def test_formulas_mean_what_python_means(x, y):
    texts = [
        "x + y*2 - x/y", "-x**2", "x**-2 + y**1.5", "2 if x < y else 3", "min(x, y, 2)", "abs(x - y)", "x % y",
        "hypot(x, y) + atan2(y, x)", "1 if 1 < x <= 2 and not y > 2 or x == y else 0", "(x - y)*(x + y)", "1e-3*x",
    ]  # fmt: skip
    scope = {name: function for name, (function, _) in FUNCTIONS.items()}
    for text in texts:
        assert expression(text, ("x", "y"))(x, y) == eval(text, scope, {"x": x, "y": y})


def test_every_function_is_that_of_math():
    for name, (function, count) in FUNCTIONS.items():
        arguments = (0.3, 0.7)[:count]
        made = expression(f"{name}({', '.join('ab'[:count])})", tuple("ab"[:count]))
        assert made(*arguments) == function(*arguments) == numba.njit(made)(*arguments)


@pytest.mark.parametrize("x", [-2.5, -2.0, -0.3, 0.0, 0.7, 3.0, 1e18 + 512.0, -1e300])
def test_rounding_gives_floats(x):
    """Compiled code has 64 bits for a whole number, Python has any number of them: neither is used."""
    for name in ("floor", "ceil"):
        function = expression(f"{name}(x)", "x")
        compiled = numba.njit(function)(x)
        assert function(x) == compiled == FUNCTIONS[name][0](x)
        assert type(function(x)) is type(compiled) is float


@pytest.mark.parametrize("text", [
    "(((floor(1e308)**100)**100)**100)", "(((ceil(1e308)**100)**100)**100)**100",
    "((((((1 < 2) + (1 < 2))**100)**100)**100)**100)**100", "s = not 0; s = s + s; " + "s = s*s; " * 60 + "s",
    "s = floor(1e300); " + "s = s*s; " * 400 + "s", "abs(-(not 0) - (2 > 1))**100" + "**100" * 50,
])  # fmt: skip
def test_numbers_do_not_grow_without_bound(text):
    """Whole numbers of Python would have more digits than fit into memory."""
    with pytest.raises(cm.ModelError, match=r"has no value|finite|nested too deep"):
        evaluate(text, {})


def test_comparisons_are_one_or_zero():
    function = expression("2*(x < 1) + 3*(not x) + (x < 5 and x > -5)", "x")
    for x, value in ((0.0, 6.0), (0.5, 3.0), (7.0, 0.0)):
        assert function(x) == numba.njit(function)(x) == value
        assert type(function(x)) is float


def test_own_names_and_parts():
    f = expression(["s = 2*t; s*s", "c*t"], c=-3.0)
    assert f(0.5) == (1.0, -1.5)
    assert f.formula == ["s = 2 * t\ns * s".replace("\n", "; "), "-3.0 * t"]
    assert expression(f.formula)(0.5) == f(0.5)


@given(st.floats(-5.0, 5.0), st.floats(-3.0, 3.0))
def test_the_text_with_numbers_put_in_is_the_same_function(a, x):
    f = expression("a**2*x - a*x + x/(1 + a*a)", "x", a=a)
    assert expression(f.formula, "x")(x) == f(x)


def test_state_by_names():
    """A disc braked by a torque −c ω slows down as exp(−c t/J)."""
    system = cm.System()
    disc = system.add(cm.Body("left disc", 1.0, 2.0, angular_velocity=3.0))
    system.add(cm.Torque(disc, cm.expression('-c*"left disc".omega', c=0.5)))
    assert cm.simulate(system, 1.0)["left disc"].omega[-1] == pytest.approx(3.0 * math.exp(-0.25), rel=1e-8)


def test_a_law_from_a_formula_is_that_law():
    law = cm.laws.custom(cm.expression("K*indentation**1.5", ("indentation", "rate"), K=1e9))
    assert law.force(1e-4) == pytest.approx(cm.laws.Hertz(1e9).force(1e-4), rel=1e-14)


@pytest.mark.parametrize(("text", "message"), [
    ("x", "has the unknown name 'x'; known are t"), ("a.x", "cannot ask for a.x here"),
    ("t = 1; t", "cannot give 't' another"),
    ("sin = 1; sin", "cannot give 'sin' another meaning"), ("1; 2", "may hold 'name = …;' before its value"),
    ("a = 1", "must end with its value"), ("", "must end with its value"), ("sin", "uses the function 'sin' without"),
    ("sin(1, 2)", "must give 'sin' 1 argument, got 2"), ("min(1)", "must give 'min' 2 arguments, got 1"),
    ("sin(x=1)", "one by one"), ("sin(*t)", "one by one"), ("open('x')", "calls 'open'"), ("t()", "calls 't'"),
    ("(lambda: 1)()", "calls an expression"), ("__import__('os')", "calls '__import__'"),
    ("().__class__", "may use a dot between a body and its state only"), ("a.__class__", "may use a dot"),
    ("a.b.c", "may use a dot"), ("[t]", "has more in it"), ("{1: 2}", "has more in it"), ("t[0]", "has more in it"),
    ("(x := 1)", "has more in it"), ("1 << 3", "has more in it"), ("t // 2", "has more in it"),
    ("[x for x in t]", "has more in it"), ("'a'", "has 'a' where a number must be"), ("1j", "has 1j where a number"),
    ("None", "has None where a number"), ("1 +", "cannot be read"), ("import os", "must end with its value"),
    ("t\n\x00", "cannot be read"), ("-" * 3000 + "1", "cannot be read|nested too deep"), ("1" * 5000, "at most 4000"),
    ("+".join("t" * 70), "nested too deep"), ("9" * 400, "a number too large"), (3, "must be a text"),
])  # fmt: skip
def test_what_is_no_arithmetic_is_refused(text, message):
    with pytest.raises(cm.ModelError, match=message):
        expression(text, "t")


def test_sums_of_a_sensible_length_are_read():
    assert evaluate("+".join("1" * (MAX_DEPTH - 1)), {}) == MAX_DEPTH - 1


@each("text", ["9**9**9", "1/0", "(-1)**0.5", "log(0)", "1e308*10", "exp(1000)", "10.0**400"])
def test_numbers_that_are_none(text):
    with pytest.raises(cm.ModelError, match=r"has no value|finite"):
        evaluate(text, {})


def test_nothing_explodes():
    """Whole numbers are floating-point numbers, whose powers overflow at once."""
    with pytest.raises(OverflowError):
        expression("9**9**9**t", "t")(9.0)


@pytest.mark.parametrize(("text", "breaks"), [
    ("10 if t < 0.2 else 0", (0.2,)), ("1 if 0.5 < t < 0.501 else 0", (0.5, 0.501)),
    ("s = min(t/0.5, 1); 3*s*s", (0.5,)),
    ("min(max(t - 1, 0), 1)", (1.0, 2.0)), ("abs(t - 3)*max(0, t)", (0.0, 3.0)), ("min(0.3, t, 0.6)", (0.3, 0.6)),
    ("part = t/0.1; 0 if part >= 1 else sin(part)", (0.1,)), ("-5*crank.omega if t > 2 else 0", (2.0,)),
    ("s = crank.x; s = t; max(s, 1)", (1.0,)), ("s = t; s = crank.x; max(s, 1)", ()), ("a = crank.x; max(a, t)", ()),
    ("sqrt(t - 1) if t > 1 else 0", (1.0,)), ("sin(3*t) if 1 < 2 else 0", ()), ("abs(sin(t))", ()),
])  # fmt: skip
def test_times_at_which_a_formula_switches(text, breaks):
    assert expression(text).breaks == pytest.approx(breaks, abs=1e-14)


@given(st.floats(-1e6, 1e6))
def test_comparison_of_time_with_a_number_switches_there_exactly(time):
    assert expression("1 if t < time else 0", time=time).breaks == (time,)


def test_formula_of_other_arguments_has_no_times():
    assert expression("2 if x < 0.2 else 1", "x").breaks == ()
