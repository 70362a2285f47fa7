"""Keys of user functions: they change with all that the compiled form of a function depends on."""

import functools
import math
import random
import types
from math import sin

import numba
import numpy as np
import pytest

from carom.kernels.captured_values import captured, dependencies, identity

SEEN: list[float] = []
FACTOR = 2.0
parameters = types.ModuleType("parameters")
parameters.stiffness = 3.0


def of_one(t):
    return t


def times(factor):
    return lambda t: factor * t


def test_values_that_are_equal_but_not_the_same_are_told_apart():
    keys = [identity(lambda t, x=value: x) for value in (1, 1.0, True, 0.0, -0.0)]
    keys += [identity(times(value)) for value in (1, 1.0, True, 0.0, -0.0)]
    keys += [identity(times(value)) for value in ((1, 2), (1.0, 2), np.arange(2), np.arange(2.0))]
    assert len(set(keys)) == len(keys)
    assert identity(times([])) is None
    assert identity(functools.partial(of_one)) is None


def test_a_key_keeps_its_functions_alive():
    """The address of a function that is gone would be taken by the next one."""
    helpers = [lambda t, k=k: k * t for k in range(50)]
    keys = [identity(times(helper)) for helper in helpers]
    del helpers
    others = [identity(times(lambda t, k=k: k * t)) for k in range(50)]
    assert len({*keys, *others}) == 100


def test_code_defaults_and_members_of_modules_belong_to_the_key(monkeypatch):
    def law(x, exponent=1.5, *, gain=1.0):
        return parameters.stiffness * x**exponent * gain

    keys = [identity(law)]
    monkeypatch.setattr(parameters, "stiffness", 4.0)
    keys.append(identity(law))
    law.__defaults__ = (2.0,)
    keys.append(identity(law))
    law.__kwdefaults__ = {"gain": 2.0}
    keys.append(identity(law))
    law.__code__ = (lambda x, exponent=1.5, *, gain=1.0: x).__code__
    keys.append(identity(law))
    assert None not in keys
    assert len(set(keys)) == 5


def test_globals_of_inner_functions_belong_to_the_key(monkeypatch):
    def outer(x):
        def inner(y):
            return FACTOR * y

        return inner(x)

    before = captured(outer)
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert captured(outer) != before


def test_a_variable_without_a_value_belongs_to_the_key_as_soon_as_it_has_one():
    def make():
        def law(x):
            return later * x

        keys = [captured(law)]
        later = 2.0
        return [*keys, captured(law)]

    before, after = make()
    assert before == ()
    assert after == (("later", float, "2.0"),)


def test_dependencies_reach_through_compiled_functions(monkeypatch):
    helper = numba.njit(lambda x: FACTOR * x)

    def law(x):
        return helper(x) + sin(x) + math.cos(x) + np.sqrt(x) + abs(x)

    before, key = dependencies(law), identity(law)
    assert before is not None
    assert dependencies(law) == before
    monkeypatch.setitem(globals(), "FACTOR", 7.0)
    assert identity(law) == key  # the helper is the same object
    assert dependencies(law) != before


class Adjustable:
    gain = 1.0

    def __call__(self, x):
        return self.gain * x

    def method(self, x):
        return self.gain * x


adjustable = Adjustable()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: SEEN[0] * x,
        lambda x: adjustable.gain * x,
        lambda x: of_one(x),  # a plain function, which may change what it reads
        lambda x: x * random.random(),
        lambda x: x * np.random.rand(),  # noqa: NPY002
        lambda x: print(x),
        lambda x: parameters.stiffness * x,
        functools.partial(of_one),
        adjustable,
        adjustable.method,
    ],
)
def test_functions_that_may_depend_on_anything_have_no_dependencies(function):
    assert dependencies(function) is None


def test_functions_that_call_each_other_have_finite_dependencies():
    @numba.njit
    def halved(x):
        return x if x < 1.0 else halved(0.5 * x)

    assert dependencies(halved) is not None
