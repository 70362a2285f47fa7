"""Functions written by users: what they may take, and how they are put in place of ours."""

import ctypes
import functools
import gc
import math
import warnings

import numpy as np
import pytest
from llvmlite.binding import newpassmanagers
from numba.core.registry import cpu_target

import carom as cm
from carom.kernels import user_functions
from carom.kernels.user_functions import UserFunction, UserKernel, parameters_of
from carom.mechanics.planar_body import BODY_DTYPE

GROUND = np.dtype([("ground", BODY_DTYPE)])
REAL = ctypes.POINTER(ctypes.c_double)
SEEN: list[float] = []


def of_none():
    return 1.0


def of_one(t):
    return t


def of_two(t, s):
    return t


def with_default(t, gain=2.0):
    return gain * t


def keyword_only(t, *, gain):
    return gain * t


def product(length, rate):
    return 10.0 * length + rate


def interpreted_product(length, rate):
    SEEN.append(length)  # what changes a list of the module is not for Numba
    return 10.0 * length + rate


def call(kernel: UserKernel, t: float, inputs: tuple[float, ...], outputs: int = 1) -> np.ndarray:
    """The kernel through its address, as compiled code calls it."""
    bodies, given, out = np.zeros(8), np.array([*inputs, 0.0]), np.zeros(outputs)
    function = ctypes.CFUNCTYPE(None, ctypes.c_double, REAL, REAL, REAL)(kernel.address)
    function(t, *(array.ctypes.data_as(REAL) for array in (bodies, given, out)))
    return out


# ---- arguments


@pytest.mark.parametrize(
    ("function", "allowed", "expected"),
    [
        (of_one, (1, 2), 1),
        (of_two, (1, 2), 2),
        (of_two, (2, 3), 2),
        (with_default, (1,), 1),
        (with_default, (1, 2), 2),
        (lambda t: t, (1,), 1),
        (math.sin, (1,), 1),
    ],
)
def test_a_function_takes_as_many_arguments_as_it_can(function, allowed: tuple[int, ...], expected: int):
    assert parameters_of("test", function, allowed) == expected


@pytest.mark.parametrize(
    ("function", "allowed", "message"),
    [
        (of_none, (1,), r"Torque 'motor': the function must have 1 arguments, 'of_none' has 0"),
        (of_two, (1,), r"Torque 'motor': the function must have 1 arguments, 'of_two' has 2"),
        (of_one, (2, 3), r"Torque 'motor': the function must have 2 or 3 arguments, 'of_one' has 1"),
        (functools.partial(of_two), (1,), r"Torque 'motor': the function must have 1 arguments, .*of_two.* has 2"),
    ],
    ids=["none", "two", "one", "partial"],
)
def test_a_wrong_number_of_arguments_is_named_with_its_owner(function, allowed: tuple[int, ...], message: str):
    with pytest.raises(cm.ModelError, match=message):
        parameters_of("Torque 'motor'", function, allowed)


def test_an_argument_that_must_be_named_cannot_be_filled():
    with pytest.raises(cm.ModelError, match=r"Torque 'motor'.*'keyword_only'"):
        parameters_of("Torque 'motor'", keyword_only, (1,))


def test_what_has_no_readable_arguments_is_refused():
    with pytest.raises(cm.ModelError, match=r"Torque 'motor': .* is not a Python function with readable arguments"):
        parameters_of("Torque 'motor'", dict, (1,))


def test_the_style_is_chosen_by_the_number_of_arguments():
    styles = (("t",), ("length", "rate"), ("t", "length", "rate"))
    inputs = ("length", "rate")
    assert UserFunction("test", of_one, styles, inputs).style == ("t",)
    assert UserFunction("test", product, styles, inputs).style == ("length", "rate")
    assert UserFunction("test", lambda t, length, rate: t, styles, inputs).style == ("t", "length", "rate")


# ---- kernels


@pytest.mark.parametrize("function", [product, interpreted_product])
def test_inputs_arrive_in_the_order_of_the_style(function):
    user = UserFunction("test", function, (("rate", "length"),), inputs=("length", "rate"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.CaromWarning)
        kernel = user.compile(GROUND)
    assert kernel.slow is (function is interpreted_product)
    assert call(kernel, 0.0, (3.0, 5.0))[0] == 10.0 * 5.0 + 3.0


def test_several_outputs_are_written_in_order():
    user = UserFunction("test", lambda t: (t, 2.0 * t, -t), (("t",),), outputs=3)
    assert call(user.compile(GROUND), 4.0, (), outputs=3).tolist() == [4.0, 8.0, -4.0]


def test_an_integer_result_is_a_number():
    assert call(UserFunction("test", lambda t: 3, (("t",),)).compile(GROUND), 0.0, ())[0] == 3.0


def test_division_by_zero_gives_infinity_as_in_the_formulas():
    assert call(UserFunction("test", lambda t: 1.0 / t, (("t",),)).compile(GROUND), 0.0, ())[0] == math.inf


def test_an_error_is_kept_and_the_result_is_not_a_number():
    def broken(t):
        SEEN.append(t)
        raise ZeroDivisionError("first" if len(SEEN) == 1 else "later")

    SEEN.clear()
    with pytest.warns(cm.CaromWarning, match="Torque 'motor'.*'broken'"):
        kernel = UserFunction("Torque 'motor'", broken, (("t",),)).compile(GROUND)
    assert [math.isnan(call(kernel, t, ())[0]) for t in (0.0, 1.0)] == [True, True]
    assert isinstance(kernel.error, ZeroDivisionError)
    assert str(kernel.error) == "first"
    assert len(SEEN) == 1  # after an error the function is left in peace


def test_the_warning_says_why():
    def uses_an_object(t):
        return SEEN_OBJECT.value

    user = UserFunction("test", uses_an_object, (("t",),))
    with pytest.warns(cm.CaromWarning, match=r"test: Numba cannot compile 'uses_an_object' \(.+\); it runs as plain"):
        kernel = user.compile(GROUND)
    assert call(kernel, 0.0, ())[0] == 1.0


class Holder:
    value = 1.0


SEEN_OBJECT = Holder()


# ---- memory


def times(factor):
    return UserFunction("test", lambda t: factor * t // 1, (("t",),))


def test_the_same_code_with_the_same_values_is_compiled_once():
    """A study builds its model for every run; each compilation would cost time and memory that is not freed."""
    first, again = times(3.0).compile(GROUND), times(3.0).compile(GROUND)
    assert first is not again  # each has its own error
    assert first.address == again.address
    assert call(times(2.0).compile(GROUND), 1.5, ())[0] == 3.0
    assert call(times(3).compile(GROUND), 1.5, ())[0] == 4.0


def test_functions_that_raise_have_code_of_their_own():
    """Their code writes the arguments of a failed call into memory of its own."""

    def make():
        def broken(t):
            if t > 1.0:
                raise ValueError("late")
            return t

        return UserFunction("test", broken, (("t",),)).compile(GROUND)

    first, again = make(), make()
    assert math.isnan(call(first, 2.0, ())[0])
    assert isinstance(first.error, ValueError)
    assert again.error is None


def test_code_that_is_shared_is_bounded(monkeypatch):
    monkeypatch.setattr(user_functions, "MAX_SHARED", 3)
    made = [user_functions.shared_code(("test", k), object) for k in range(10)]
    assert len(user_functions._recent) <= 3
    assert user_functions.shared_code(("test", 9), object) is made[9]
    assert user_functions.shared_code(("test", 0), object) is not made[0]


@pytest.mark.skipif(
    not hasattr(newpassmanagers, "NewPassManager"), reason="this llvmlite frees pass managers by itself"
)
def test_pass_managers_are_freed():
    """Numba makes one per function and module that it compiles; newer llvmlite does not free them by itself."""
    codegen = cpu_target.target_context.codegen()
    freed = []
    for make in (codegen._function_pass_manager, codegen._module_pass_manager):
        manager, _ = make()
        kind = type(manager)
        original = kind._dispose
        try:
            kind._dispose = lambda self, original=original: freed.append(type(self)) or original(self)
            del manager
            gc.collect()
        finally:
            kind._dispose = original
        assert original is newpassmanagers.NewPassManager._dispose
    assert freed == [newpassmanagers.FunctionPassManager, newpassmanagers.ModulePassManager]
