"""User-defined motions: compiled if Numba can, else interpreted, with equal values."""

import functools
import math
import warnings

import numba
import pytest

import carom as cm
from checkers import assert_close, motion_values

TIMES = (0.0, 0.2, 0.9)


def compiled(t):
    return 0.3 * math.sin(2.0 * t)


# The same motion in ways Numba cannot compile, each stopped in another part of its compiler.

CALLS: list[float] = []


def interpreted(t):
    CALLS.append(t)  # changes a list of the module
    return 0.3 * math.sin(2.0 * t)


def with_format(t):
    return float(f"{0.3 * math.sin(2.0 * t):.17g}")


def with_import(t):
    import cmath

    return 0.3 * (cmath.exp(2j * t)).imag


def with_object(t):
    return WAVE.method(t)


def with_default(t, wave=compiled):
    return wave(t)


def interpreted_rate(t):
    CALLS.append(t)
    return 0.6 * math.cos(2.0 * t)


class Wave:
    def __init__(self, amplitude):
        self.amplitude = amplitude

    def __call__(self, t):
        return self.amplitude * math.sin(2.0 * t)

    def method(self, t):
        return self.amplitude * math.sin(2.0 * t)


WAVE = Wave(0.3)


def scaled(amplitude, t):
    return amplitude * math.sin(2.0 * t)


def driven_crank(motion) -> cm.System:
    system = cm.System()
    crank = system.add(cm.Body("crank", 1.0, 0.1, angular_velocity=0.6))
    system.add(cm.Revolute(system.ground, crank, at=(0.0, 0.0)))
    system.add(cm.Driver((crank, "angle"), motion, name="motor"))
    return system


@pytest.mark.parametrize("function", [interpreted, with_format, with_import, with_object, with_default])
def test_a_function_numba_cannot_compile_gives_one_warning_and_equal_values(function):
    expected = motion_values(cm.FunctionMotion(compiled), TIMES)
    with pytest.warns(cm.CaromWarning, match=f"test: Numba cannot compile '{function.__name__}'") as caught:
        found = motion_values(cm.FunctionMotion(function), TIMES)
    assert len(caught) == 1
    assert_close(found, expected, 1e-13, "values")


def test_a_run_with_an_interpreted_motion_warns_once_and_names_the_driver():
    reference = cm.simulate(driven_crank(compiled), 0.5)
    with pytest.warns(cm.CaromWarning, match="Driver 'motor'") as caught:
        result = cm.simulate(driven_crank(interpreted), 0.5)
    assert len(caught) == 1
    assert result["crank"].angle[-1] == pytest.approx(reference["crank"].angle[-1], abs=1e-12)
    assert result["crank"].angle[-1] == pytest.approx(0.3 * math.sin(1.0), abs=1e-12)


def test_an_interpreted_derivative_makes_the_whole_motion_interpreted():
    with pytest.warns(cm.CaromWarning) as caught:
        found = motion_values(cm.FunctionMotion(compiled, interpreted_rate), TIMES)
    assert len(caught) == 1
    assert_close(found, motion_values(cm.FunctionMotion(compiled), TIMES), 1e-8, "values")


def test_a_function_numba_compiles_gives_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        motion_values(cm.FunctionMotion(compiled), TIMES)


@pytest.mark.parametrize(
    "function",
    [
        numba.njit(compiled),
        functools.partial(scaled, 0.3),
        WAVE,
        WAVE.method,
    ],
    ids=["jitted function", "partial", "object", "method"],
)
def test_any_callable_of_time_is_a_motion(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cm.CaromWarning)
        found = motion_values(cm.FunctionMotion(function), TIMES)
    assert_close(found, motion_values(cm.FunctionMotion(compiled), TIMES), 1e-12, "values")


def test_simulate_raises_the_error_of_an_interpreted_motion():
    def breaks(t):
        if t > 4.0:
            raise RuntimeError("cam worn out")
        return interpreted(t)

    with pytest.warns(cm.CaromWarning), pytest.raises(RuntimeError, match="cam worn out"):
        cm.simulate(driven_crank(breaks), 6.0)
