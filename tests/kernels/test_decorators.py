"""The two decorators and the plain memory that compiled code works on."""

import ctypes
import inspect
import math
import pickle

import numpy as np
import pytest

from carom.kernels import MOTION, call_motion, floats, ints, jit, kernel, numba_compat, offset
from carom.kernels.pointers import FLOATS, data_pointer

REAL = ctypes.POINTER(ctypes.c_double)


@kernel(MOTION, FLOATS, FLOATS)
def doubled(t, par, out):
    out[0] = 2.0 * t + par[0]
    out[1] = 2.0 / par[1]


@jit
def sum_at(address, start, count):
    total = 0.0
    pointer = offset(floats(address), start)
    for k in range(count):
        total += pointer[k]
    return total


@jit
def largest_of(address, count):
    pointer = ints(address)
    best = pointer[0]
    for k in range(count):
        best = max(best, pointer[k])
    return best


@jit
def through_address(address, t, par, out):
    call_motion(address, t, data_pointer(par), data_pointer(out))


def test_a_kernel_is_compiled_once_and_keeps_its_address():
    assert doubled.address == doubled.address != 0
    assert doubled.compiled is doubled.compiled


def test_a_kernel_is_called_through_its_address():
    out = np.zeros(2)
    through_address(doubled.address, 3.0, np.array([1.0, 4.0]), out)
    assert out.tolist() == [7.0, 0.5]


def test_a_kernel_divides_by_zero_as_the_formulas_do():
    out = np.zeros(2)
    through_address(doubled.address, 0.0, np.array([0.0, 0.0]), out)
    assert out[1] == math.inf


def test_a_kernel_says_what_it_is():
    assert repr(doubled).startswith("<kernel")
    assert "doubled" in repr(doubled)


@pytest.mark.parametrize(("start", "count"), [(0, 5), (2, 3), (4, 1)])
def test_numbers_are_read_where_they_lie(start: int, count: int):
    numbers = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    assert sum_at(numbers.ctypes.data, start, count) == numbers[start : start + count].sum()


def test_integers_are_read_where_they_lie():
    assert largest_of(np.array([3, -7, 2**40, 5], np.int64).ctypes.data, 4) == 2**40


def test_a_kernel_answers_python_too():
    out, par = np.zeros(2), np.array([1.0, 4.0])
    doubled.compiled.ctypes(5.0, par.ctypes.data_as(REAL), out.ctypes.data_as(REAL))
    assert out.tolist() == [11.0, 0.5]


@jit
def raised(base, power):
    total = 1.0
    for _ in range(power):
        total *= base
    return total


def test_a_helper_is_compiled_once_for_all_numbers_it_is_handed(monkeypatch):
    monkeypatch.setattr(numba_compat, "folder", lambda: None)  # code from the cache would not be compiled at all
    power = jit(raised.py_func)

    @jit
    def squares_and_cubes(x):
        return power(x, 2) + power(x, 3)

    assert squares_and_cubes(3.0) == 36.0
    assert len(power._inside.signatures) == 1
    assert power(2.0, 5) == 32.0


def test_a_helper_is_a_function_to_people():
    assert repr(raised) == f"<compiled {__name__}.raised>"
    assert list(inspect.signature(raised).parameters) == ["base", "power"]
    assert pickle.loads(pickle.dumps(raised)) is raised


@jit(inline=True)
def cube(x):
    return x * x * x


@kernel(MOTION, FLOATS, FLOATS)
def third_power(t, par, out):
    out[0] = cube(t)


def test_a_helper_can_be_inlined():
    out = np.zeros(1)
    third_power.call(2.0, np.zeros(1), out)
    assert out[0] == cube(2.0) == 8.0
    assert cube._inside.targetoptions.get("forceinline") is True
    assert raised._inside.targetoptions.get("forceinline") is None
