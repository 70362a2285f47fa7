"""Derivatives of users' functions: complex steps against analysis, and against differences."""

import ctypes
import math
import warnings
from math import cos as cosine

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.errors import CaromWarning, ModelError
from carom.kernels import complex_step
from carom.kernels.captured_values import captured
from carom.kernels.derivatives import Derivative, Rows, derivatives_kernel
from carom.kernels.state_functions import Function, GeneralKernel, values_kernel

LENGTH = 0.3
SEEN: list[float] = []
inside = st.floats(0.05, 0.95)
anything = st.floats(-3.0, 3.0)


def function(f, takes="q", start=(0.4, 0.7), u=(0.1, -0.2)) -> Function:
    """A user's function, with what it returns at the start."""
    state = {"q": np.array(start), "u": np.array(u), "t": 0.2}
    sample = getattr(f, "py_func", f)(**{name: state[name] for name in takes})
    return Function("test", f, tuple(takes), sample, len(start))


def derivatives(f, takes="q", start=(0.4, 0.7), **options) -> tuple[GeneralKernel, Derivative]:
    slope = Derivative(function(f, takes, start), Rows(0, 1, 1), **options)
    return derivatives_kernel("test", [slope], slope.count, np.array(start)), slope


def rows(kernel: GeneralKernel, q, t: float = 0.0, u=(0.0, 0.0)) -> np.ndarray:
    return kernel(t, np.array(q), np.array(u)).reshape(-1, len(q) + 1)


def written(kernel: GeneralKernel, t: float, *arrays) -> np.ndarray:
    """Return the output of the kernel, called as by compiled code, whatever its function raised."""
    pointer, out = ctypes.POINTER(ctypes.c_double), np.zeros(kernel.outputs)
    call = ctypes.CFUNCTYPE(None, ctypes.c_double, pointer, pointer, pointer)(kernel.address)
    call(t, *(np.ascontiguousarray(array).ctypes.data_as(pointer) for array in (*arrays, out)))
    return out


# ---- complex steps


def all_of_math(q):
    x = q[0]
    return (
        math.sin(x), cosine(x), math.tan(x), math.asin(x), math.acos(x), math.atan(x), math.sinh(x), math.cosh(x),
        math.tanh(x), math.asinh(x), math.acosh(1.0 + x), math.atanh(x), math.exp(x), math.expm1(x), math.log(x),
        math.log1p(x), math.log2(x), math.log10(x), math.sqrt(x), math.fabs(-x), math.radians(x), math.degrees(x),
        math.pow(x, 2.5), x**2, x**1.5, 1.0 / x, abs(-x), max(x, 0.0), min(-x, 0.0), float(x),
    )  # fmt: skip


def all_of_numpy(q):
    x = q[0]
    return (
        np.sin(x), np.cos(x), np.tan(x), np.arcsin(x), np.arccos(x), np.arctan(x), np.sinh(x), np.cosh(x),
        np.tanh(x), np.arcsinh(x), np.arccosh(1.0 + x), np.arctanh(x), np.exp(x), np.expm1(x), np.log(x),
        np.log1p(x), np.log2(x), np.log10(x), np.sqrt(x), np.fabs(-x), np.radians(x), np.degrees(x),
        np.power(x, 2.5), np.square(x), x**1.5, 1.0 / x, np.abs(-x), np.maximum(x, 0.0), np.minimum(-x, 0.0), x,
    )  # fmt: skip


def slopes_of_all(x: float) -> list[float]:
    """The derivatives of both lists, from a table of derivatives."""
    root, grow = math.sqrt(1.0 - x * x), math.sqrt(1.0 + x * x)
    return [
        math.cos(x), -math.sin(x), 1.0 / math.cos(x) ** 2, 1.0 / root, -1.0 / root, 1.0 / (1.0 + x * x), math.cosh(x),
        math.sinh(x), 1.0 / math.cosh(x) ** 2, 1.0 / grow, 1.0 / math.sqrt(x * (2.0 + x)), 1.0 / (1.0 - x * x),
        math.exp(x), math.exp(x), 1.0 / x, 1.0 / (1.0 + x), 1.0 / (x * math.log(2.0)), 1.0 / (x * math.log(10.0)),
        0.5 / math.sqrt(x), 1.0, math.pi / 180.0, 180.0 / math.pi, 2.5 * x**1.5, 2.0 * x, 1.5 * math.sqrt(x),
        -1.0 / x**2, 1.0, 1.0, -1.0, 1.0,
    ]  # fmt: skip


@pytest.fixture(scope="module", params=[all_of_math, all_of_numpy])
def of_all(request):
    return derivatives(request.param)


@given(x=inside)
def test_complex_steps_are_exact_for_every_function_of_math_and_numpy(of_all, x):
    kernel, slope = of_all
    assert set(slope.complex) == {"q"}
    table = rows(kernel, (x, 0.5))
    np.testing.assert_allclose(table[:, 0], slopes_of_all(x), rtol=2e-14)
    assert not table[:, 1:].any()


@given(x=inside)
def test_differences_of_the_same_functions_are_good_to_eight_digits(of_all, x):
    _, slope = of_all
    found = slope.evaluate(np.array([x, 0.5]), np.zeros(2), 0.0, exact=False)
    np.testing.assert_allclose(found[:, 0], slopes_of_all(x), rtol=3e-8)


def of_two(q):
    x, y = q[0], q[1]
    filled = np.zeros(2)
    filled[0] = x * x * y
    whole = np.sin(q)
    square = np.sum(q * q)
    return np.array(
        [math.atan2(y, x), math.hypot(x, y), np.linalg.norm(q), np.arctan2(y, x), filled[0], whole[1], square * x]
    )


@given(x=anything, y=anything)
def test_functions_of_two_numbers_and_of_arrays(x, y):
    r2 = x * x + y * y
    if r2 < 1e-4:
        return
    if not hasattr(of_two, "ready"):
        of_two.ready = derivatives(of_two)
    kernel, slope = of_two.ready
    assert set(slope.complex) == {"q"}
    r = math.sqrt(r2)
    turn, away = (-y / r2, x / r2), (x / r, y / r)
    expected = [turn, away, away, turn, (2.0 * x * y, x * x), (0.0, math.cos(y)), (3.0 * x * x + y * y, 2.0 * x * y)]
    np.testing.assert_allclose(rows(kernel, (x, y))[:, :2], expected, rtol=1e-13, atol=1e-14)


@numba.njit
def reach(angle):
    return LENGTH * math.cos(angle)


def test_functions_that_a_function_calls_are_differentiated_too():
    kernel, slope = derivatives(lambda q: reach(q[0]) * reach(q[1]))
    assert set(slope.complex) == {"q"}
    a, b = 0.9, -0.4
    expected = [-(LENGTH**2) * math.sin(a) * math.cos(b), -(LENGTH**2) * math.cos(a) * math.sin(b), 0.0]
    np.testing.assert_allclose(rows(kernel, (a, b))[0], expected, rtol=1e-14)


def test_where_the_slope_is_infinite_the_other_coordinate_still_has_one():
    kernel, _ = derivatives(lambda q: math.sqrt(q[0]) + q[1])
    assert rows(kernel, (0.0, 0.3))[0].tolist() == [math.inf, 1.0, 0.0]


# ---- differences, where complex steps would be wrong


def branched(q):
    return q[0] ** 2 if q[0] > 0.0 else -3.0 * math.sin(q[0])


def cubed(q):
    return q[0] ** 3 + q[1] ** -2


def conjugate(q):
    return (q[0] * np.conj(q[0])).real


@pytest.mark.parametrize(
    ("f", "slope_at"),
    [
        (branched, lambda x, y: (2.0 * x if x > 0.0 else -3.0 * math.cos(x), 0.0)),
        (cubed, lambda x, y: (3.0 * x * x, -2.0 * y**-3)),
        pytest.param(conjugate, lambda x, y: (2.0 * x, 0.0), marks=pytest.mark.slow),
        (lambda q: np.abs(q).sum(), lambda x, y: (math.copysign(1.0, x), math.copysign(1.0, y))),
    ],
    ids=["branch", "whole powers", "conjugate", "absolute values"],
)
def test_differences_do_what_complex_steps_cannot(f, slope_at):
    kernel, slope = derivatives(f)
    assert slope.complex == {}
    assert not kernel.slow
    for x, y in ((0.8, 1.1), (-0.6, -0.9), (-1.3, 0.7)):
        np.testing.assert_allclose(rows(kernel, (x, y))[0, :2], slope_at(x, y), rtol=1e-9, atol=1e-10)


def test_a_complex_step_that_differences_contradict_is_not_used():
    slope = Derivative(function(lambda q: q[0] * q[1]), Rows(0, 1, 1))
    slope.variant = lambda q: 0.0 * q[0]
    kernel = derivatives_kernel("test", [slope], 1, np.array([0.4, 0.7]))
    assert slope.complex == {}
    np.testing.assert_allclose(rows(kernel, (2.0, -3.0))[0], [-3.0, 2.0, 0.0], rtol=1e-10)


@given(x=st.floats(-1e4, 1e4))
def test_differences_hold_after_many_turns(x):
    slope = Derivative(function(lambda q: math.sin(q[0])), Rows(0, 1, 1))
    found = slope.evaluate(np.array([x, 0.0]), np.zeros(2), 0.0, exact=False)
    assert found[0, 0] == pytest.approx(math.cos(x), abs=1e-10)


# ---- time, velocities, given Jacobians


def swinging(t, q):
    return (q[0] - 0.1 * math.sin(5.0 * t), 2.0 * q[1] * t)


def switched(q, t):
    return q[0] ** 2 - (0.3 * t if t < 1.0 else 0.3)


@given(x=anything, y=anything, t=st.floats(0.0, 10.0))
def test_rheonomic_terms(x, y, t):
    if not hasattr(swinging, "ready"):
        swinging.ready = derivatives(swinging, "tq")
    kernel, slope = swinging.ready
    assert set(slope.complex) == {"q", "t"}
    expected = [[1.0, 0.0, -0.5 * math.cos(5.0 * t)], [0.0, 2.0 * t, 2.0 * y]]
    np.testing.assert_allclose(rows(kernel, (x, y), t), expected, rtol=1e-13, atol=1e-15)


def test_a_branch_in_time_leaves_the_coordinates_exact():
    kernel, slope = derivatives(switched, "qt")
    assert set(slope.complex) == {"q"}
    np.testing.assert_allclose(rows(kernel, (0.7, 0.0), 0.5)[0], [1.4, 0.0, -0.3], rtol=1e-11)
    np.testing.assert_allclose(rows(kernel, (0.7, 0.0), 1.5)[0], [1.4, 0.0, 0.0], rtol=1e-11, atol=1e-11)


def test_a_function_of_time_alone_has_no_slope_along_the_coordinates():
    kernel, _ = derivatives(lambda t: math.exp(t), "t")
    np.testing.assert_allclose(rows(kernel, (0.7, 0.0), 0.5)[0], [0.0, 0.0, math.exp(0.5)], rtol=1e-15)


def rolling(q, u, t):
    return (u[0] - LENGTH * math.cos(q[1]) * u[1] + 0.5 * t, 3.0 * u[1])


@given(x=anything, y=anything, t=anything)
def test_velocities_are_split_into_factors_and_rest(x, y, t):
    if not hasattr(rolling, "ready"):
        rolling.ready = derivatives(rolling, "qut")
    kernel, _ = rolling.ready
    expected = [[1.0, -LENGTH * math.cos(y), 0.5 * t], [0.0, 3.0, 0.0]]
    np.testing.assert_allclose(rows(kernel, (x, y), t, u=(7.0, 8.0)), expected, rtol=1e-12, atol=1e-14)


def test_a_given_jacobian_is_taken_and_time_is_differentiated():
    jacobian = function(lambda q: ((1.0, 0.0), (0.0, 77.0)))
    kernel, _ = derivatives(swinging, "tq", jacobian=jacobian)
    np.testing.assert_allclose(rows(kernel, (1.0, 2.0), 0.0), [[1.0, 0.0, -0.5], [0.0, 77.0, 4.0]], rtol=1e-14)


def test_rows_go_where_they_belong():
    gap = Derivative(function(lambda q: (q[0], 2.0 * q[1])), Rows(0, 1, 3))
    slip = Derivative(function(lambda q: ((3.0 * q[0], 4.0 * q[0]), (5.0 * q[1], 6.0 * q[1]))), Rows(1, 2, 3))
    kernel = derivatives_kernel("test", [gap, slip], 6, np.array([0.4, 0.7]))
    expected = [[1, 0, 0], [3, 0, 0], [4, 0, 0], [0, 2, 0], [0, 5, 0], [0, 6, 0]]
    assert rows(kernel, (0.1, 0.2)).tolist() == expected


# ---- what functions return


@pytest.mark.parametrize(
    "f",
    [
        lambda q: (q[0], 2, 3.0 * q[1]),
        lambda q: [q[0], 2.0, 3.0 * q[1]],
        lambda q: np.array([q[0], 2.0, 3.0 * q[1]]),
        lambda q: ((q[0],), (2.0,), (3.0 * q[1],)),
        lambda q: (np.array([q[0]]), np.array([2.0]), np.array([3.0 * q[1]])),
        lambda q, unused=3.0: np.array([[q[0]], [2.0], [unused * q[1]]]),
    ],
    ids=["tuple", "list", "array", "nested", "arrays", "table"],
)
def test_every_form_of_result_is_read(f):
    kernel = values_kernel("test", [function(f)])
    assert not kernel.slow
    assert kernel(0.0, [0.25, 2.0], [0.0, 0.0]).tolist() == [0.25, 2.0, 6.0]


def test_several_functions_follow_each_other():
    kernel = values_kernel("test", [function(lambda q: q[0]), function(lambda u, t: (u[1], t), "ut")])
    assert kernel(3.0, [1.0, 0.0], [0.0, 2.0]).tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("made", [lambda n: np.zeros(n), lambda n: [0.0 for _ in range(n)]], ids=["array", "list"])
def test_a_result_that_changes_its_length_is_no_number(made):
    made = numba.njit(made)

    def growing(q):
        return made(2 if q[0] < 1.0 else 3)

    kernel = values_kernel("test", [function(growing)])
    assert np.isnan(kernel(0.0, [2.0, 0.0], [0.0, 0.0])).all()


# ---- functions that Numba cannot compile, or that raise


def interpreted(q, t):
    SEEN.append(t)  # what changes a list of the module is not for Numba
    return (math.sin(q[0]) * t, max(q[0], q[1]))


def test_plain_python_is_differentiated_by_complex_steps_with_one_notice():
    made = function(interpreted, "qt")
    slope = Derivative(made, Rows(0, 1, 1))
    with pytest.warns(CaromWarning, match="test: Numba cannot compile 'interpreted'"):
        values = values_kernel("test", [made])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel = derivatives_kernel("test", [slope], 2, np.array([0.4, 0.7]))
    assert kernel.slow
    assert set(slope.complex) == {"q", "t"}
    np.testing.assert_allclose(values(2.0, [0.3, 0.9], [0.0, 0.0]), [2.0 * math.sin(0.3), 0.9], rtol=1e-15)
    expected = [[2.0 * math.cos(0.3), 0.0, math.sin(0.3)], [0.0, 1.0, 0.0]]
    np.testing.assert_allclose(rows(kernel, (0.3, 0.9), 2.0), expected, rtol=1e-15)


class Table:
    """An object that is called like a function."""

    def __call__(self, q):
        return q[0] ** 2 * q[1]


def test_an_object_is_differentiated_by_differences():
    table = Table()
    made = Function("test", table, ("q",), 0.0, 2)
    slope = Derivative(made, Rows(0, 1, 1))
    with pytest.warns(CaromWarning, match="Numba cannot compile"):
        kernel = derivatives_kernel("test", [slope], 1, np.array([0.4, 0.7]))
    assert slope.complex == {}
    np.testing.assert_allclose(rows(kernel, (3.0, 2.0))[0], [12.0, 9.0, 0.0], rtol=1e-9)


def refusing(q):
    if q[0] > 1.0:
        raise ValueError("beyond the table")
    return (q[0], q[1])


def refusing_interpreted(q):
    SEEN.append(0.0)
    return refusing(q)


@pytest.mark.parametrize("f", [refusing, refusing_interpreted])
def test_what_a_function_raises_is_kept_and_nothing_is_a_number(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaromWarning)
        made = function(f)
        kernels = values_kernel("test", [made]), derivatives(f)[0]
    for kernel in kernels:
        assert np.isnan(written(kernel, 0.0, [2.0, 0.0], [0.0, 0.0])).all()
        kernel.forget()
        with pytest.raises(ValueError, match="beyond the table"):
            kernel(0.0, [2.0, 0.0], [0.0, 0.0])
        assert kernel.error is None
        assert np.isfinite(kernel(0.0, [0.5, 0.0], [0.0, 0.0])).all()


@pytest.mark.parametrize(
    ("f", "raises"),
    [(refusing, True), (lambda q: np.linalg.solve(np.diag(q), q), True), (lambda q: np.sin(q), False)],
    ids=["raise", "linear algebra", "sine"],
)
def test_only_functions_that_may_raise_are_watched(f, raises):
    assert function(f).raises is raises


def test_a_result_of_another_size_is_an_error_in_plain_python():
    with pytest.raises(ModelError, match=r"'<lambda>' returned 1 numbers at t = 0.5, before 2"):
        function(lambda q: q[: 2 if q[0] < 1.0 else 1]).evaluate(np.array([2.0, 0.0]), np.zeros(2), 0.5)


# ---- twins and captured values


def test_a_twin_leaves_the_original_as_it_is():
    copy = complex_step.complex_step_variant(all_of_math)
    assert copy is not None
    assert copy.__globals__["math"] is not math
    assert all_of_math.__globals__["math"] is math
    assert math.sin(0.5) == all_of_math(np.array([0.5]))[0]


@pytest.mark.parametrize("f", [conjugate, cubed, Table(), math.sin], ids=["conjugate", "power", "object", "builtin"])
def test_there_is_no_twin_where_it_could_be_wrong(f):
    assert complex_step.complex_step_variant(f) is None


def test_closures_and_their_functions_have_twins():
    power = 2.0

    def inner(x):
        return math.sin(power * x)

    copy = complex_step.complex_step_variant(lambda q: inner(q[0]))
    assert copy is not None
    assert copy(np.array([0.3 + 1e-90j])).imag / 1e-90 == pytest.approx(2.0 * math.cos(0.6), rel=1e-15)


def test_arrays_and_tuples_that_a_function_captured_are_compared_by_value():
    numbers, pair = np.array([1.0, 2.0]), (1.0, 2.0)
    first, second = captured(lambda q: q @ numbers), captured(lambda q: q[0] * pair[0])
    assert first is not None
    assert second is not None
    numbers[0] = 5.0
    assert captured(lambda q: q @ numbers) != first
    assert captured(lambda q: SEEN[0]) is None
