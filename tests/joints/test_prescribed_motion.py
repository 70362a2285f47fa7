"""Prescribed motions: f' and f'' are the derivatives of f, and each motion has its defining properties."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import carom as cm
from carom.joints.motion import Motion
from carom.joints.prescribed_motion import MOTIONS
from checkers import assert_close, check_parameters, derivative, motion_values, second_derivative

TIMES = (0.0, 0.4, 1.3)
KNOTS = (0.0, 0.5, 1.1, 1.6, 2.4)
VALUES = (0.1, 0.7, -0.2, 0.4, 0.5)


def wave(t):
    return math.exp(-0.5 * t) * math.sin(3.0 * t)


def wave_rate(t):
    return math.exp(-0.5 * t) * (3.0 * math.cos(3.0 * t) - 0.5 * math.sin(3.0 * t))


def wave_acceleration(t):
    return math.exp(-0.5 * t) * ((0.25 - 9.0) * math.sin(3.0 * t) - 3.0 * math.cos(3.0 * t))


# Motion, f in plain Python, and how well compiled derivatives must agree with it.
EXAMPLES: dict[str, tuple[type[Motion], Callable[[], Motion], Callable[[float], float], float]] = {
    "constant speed": (cm.ConstantSpeed, lambda: cm.ConstantSpeed(3.0, start=0.5), lambda t: 0.5 + 3.0 * t, 1e-12),
    "sine": (
        cm.SineMotion,
        lambda: cm.SineMotion(0.4, 1.5, phase=0.3, offset=2.0),
        lambda t: 2.0 + 0.4 * math.sin(3.0 * math.pi * t + 0.3),
        1e-12,
    ),
    "polynomial": (
        cm.PolynomialMotion,
        lambda: cm.PolynomialMotion([1.0, -2.0, 0.5, 0.25, -0.1]),
        lambda t: 1.0 - 2.0 * t + 0.5 * t**2 + 0.25 * t**3 - 0.1 * t**4,
        1e-12,
    ),
    "quintic step": (
        cm.StepMotion,
        lambda: cm.StepMotion(-1.0, 0.2, 2.0, 1.7),
        lambda t: 0.2 + 1.5 * sum(c * ((t + 1.0) / 3.0) ** k for c, k in ((10.0, 3), (-15.0, 4), (6.0, 5))),
        1e-12,
    ),
    "cubic step": (
        cm.StepMotion,
        lambda: cm.StepMotion(-1.0, 0.2, 2.0, 1.7, smooth="cubic"),
        lambda t: 0.2 + 1.5 * (3.0 * ((t + 1.0) / 3.0) ** 2 - 2.0 * ((t + 1.0) / 3.0) ** 3),
        1e-12,
    ),
    "table": (
        cm.TableMotion,
        lambda: cm.TableMotion(KNOTS, VALUES),
        lambda t: float(CubicSpline(KNOTS, VALUES)(t)),
        1e-12,
    ),
    "function": (cm.FunctionMotion, lambda: cm.FunctionMotion(wave), wave, 1e-8),
    "function with rate": (cm.FunctionMotion, lambda: cm.FunctionMotion(wave, wave_rate), wave, 1e-8),
    "function with acceleration": (
        cm.FunctionMotion,
        lambda: cm.FunctionMotion(wave, acceleration=wave_acceleration),
        wave,
        1e-8,
    ),
    "function with both": (
        cm.FunctionMotion,
        lambda: cm.FunctionMotion(wave, wave_rate, wave_acceleration),
        wave,
        1e-12,
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_parameters_agree_with_the_record_of_the_kernel(name: str):
    kind, make, _, _ = EXAMPLES[name]
    if kind is not cm.FunctionMotion:  # whose kernel is written around the user's function
        check_parameters(make().parameters(0.3), kind.kernel, has_data=kind in (cm.PolynomialMotion, cm.TableMotion))


def test_every_registered_motion_has_an_example():
    assert {kind for kind, _, _, _ in EXAMPLES.values()} == set(MOTIONS.values())


@pytest.mark.parametrize("name", EXAMPLES)
def test_rate_and_acceleration_are_derivatives_of_the_value(name: str):
    kind, make, formula, own = EXAMPLES[name]
    motion = make()
    assert type(motion) is kind
    values = motion_values(motion, TIMES)
    h = 1e-2
    first = [derivative(lambda x, t=t: formula(t + x), h) for t in TIMES]
    second = [second_derivative(lambda x, t=t: formula(t + x), h) for t in TIMES]
    assert_close(values[:, 0], [formula(t) for t in TIMES], 1e-14, "value")
    assert_close(values[:, 1], first, max(own, 1e-11), "rate")
    assert_close(values[:, 2], second, max(own, 1e-10), "acceleration")


def test_a_function_with_derivatives_uses_them():
    """Wrong derivatives are returned unchanged, which shows that they are used."""
    rate, acceleration = motion_values(cm.FunctionMotion(wave, lambda t: 7.0 * t, lambda t: 5.0 + t), [2.0])[0, 1:]
    assert (rate, acceleration) == (14.0, 7.0)


@pytest.mark.parametrize(("frequency", "tolerance"), [(0.05, 1e-8), (1.0, 1e-8), (20.0, 1e-8), (300.0, 1e-7)])
def test_differences_of_a_function_suit_slow_and_fast_motions(frequency: float, tolerance: float):
    omega = 2.0 * math.pi * frequency
    motion = cm.FunctionMotion(lambda t: math.cos(omega * t))
    for t, (value, rate, acceleration) in zip(TIMES, motion_values(motion, TIMES), strict=True):
        assert value == pytest.approx(math.cos(omega * t), abs=1e-12)
        assert rate / omega == pytest.approx(-math.sin(omega * t), abs=tolerance)
        assert acceleration / omega**2 == pytest.approx(-math.cos(omega * t), abs=tolerance)


def test_motions_without_a_start_begin_at_the_current_value():
    now = 0.37
    assert motion_values(cm.ConstantSpeed(2.0), [0.0], now)[0, 0] == now
    assert motion_values(cm.SineMotion(0.5, 3.0, phase=1.1), [0.0], now)[0, 0] == pytest.approx(now, abs=1e-15)


def test_motions_with_a_start_begin_there():
    assert motion_values(cm.ConstantSpeed(2.0, start=5.0), [0.0], now=0.37)[0, 0] == 5.0
    assert motion_values(cm.SineMotion(0.5, 3.0, offset=1.0), [0.0], now=0.37)[0, 0] == 1.0


def test_table_passes_through_its_points():
    assert_close(motion_values(cm.TableMotion(KNOTS, VALUES), KNOTS)[:, 0], VALUES, 1e-14, "values at the knots")


def test_table_reproduces_a_cubic():
    """Four points determine a cubic; not-a-knot ends keep it for more."""
    cubic = np.polynomial.Polynomial([0.3, -1.0, 2.0, 0.7])
    times = np.array([0.0, 0.3, 0.9, 1.0, 1.7, 2.0])
    found = motion_values(cm.TableMotion(times, cubic(times)), [0.1, 0.95, 1.9])
    expected = np.column_stack([p([0.1, 0.95, 1.9]) for p in (cubic, cubic.deriv(), cubic.deriv(2))])
    assert_close(found, expected, 1e-12, "cubic")


@pytest.mark.parametrize("smooth", ["quintic", "cubic"])
def test_step_leaves_and_reaches_its_ends_at_rest(smooth: str):
    step = cm.StepMotion(0.5, 1.0, 2.0, -3.0, smooth=smooth)
    tiny = 1e-9
    inside, outside = motion_values(step, [0.5 + tiny, 2.0 - tiny]), motion_values(step, [0.5 - tiny, 2.0 + tiny])
    for rows in (inside, outside):
        assert_close(rows[:, 0], [1.0, -3.0], 1e-14, "ends")
        assert_close(rows[:, 1], [0.0, 0.0], 1e-7, "speed at the ends")
    assert_close(outside[:, 2], [0.0, 0.0], 0.0, "acceleration outside")
    jump = 6.0 * (-4.0) / 1.5**2 if smooth == "cubic" else 0.0  # 6 Δx/T² for the cubic
    assert_close(inside[:, 2], [jump, -jump], 1e-6, "acceleration at the ends")


def test_step_is_halfway_at_half_time():
    for smooth in ("quintic", "cubic"):
        assert motion_values(cm.StepMotion(1.0, 2.0, 3.0, 6.0, smooth), [2.0])[0, 0] == pytest.approx(4.0, rel=1e-15)


def test_integration_steps_end_at_the_breaks_of_a_step():
    assert cm.StepMotion(0.5, 1.0, 2.0, -3.0).breaks == (0.5, 2.0)


def test_repr_names_the_motion_and_its_parameters():
    assert repr(cm.ConstantSpeed(3.0, start=0.5)) == "ConstantSpeed(speed=3.0, start=0.5)"


def test_the_shortest_change_of_a_motion_is_that_of_its_numbers():
    """A sine changes within a radian of its phase, a table between two points, a function may do anything."""
    assert cm.SineMotion(0.1, -2.0).shortest_change == pytest.approx(1.0 / (4.0 * math.pi))
    assert cm.SineMotion(0.1, 0.0).shortest_change > 1e300
    assert cm.TableMotion([0.0, 0.1, 0.15, 0.3], [0.0, 0.1, 0.4, 0.9]).shortest_change == pytest.approx(0.05)
    assert cm.FunctionMotion(wave).shortest_change == 0.0


@pytest.mark.parametrize("name", EXAMPLES)
def test_motions_without_a_shortest_change_are_polynomials(name: str):
    """The sixth differences of a polynomial of fifth order vanish, and those of other functions do not."""
    motion = EXAMPLES[name][1]()
    values = motion_values(motion, 0.3 + 0.15 * np.arange(9))[:, 0]
    is_polynomial = bool(np.abs(np.diff(values, 6)).max() < 1e-12)
    assert is_polynomial == math.isinf(motion.shortest_change)
