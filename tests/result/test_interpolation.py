import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.polynomial import Polynomial

from carom.result.interpolation import sample_columns, sample_motion

WIDTHS = st.lists(st.floats(0.05, 1.0), min_size=1, max_size=8)
COEFFICIENTS = hnp.arrays(float, (6, 2), elements=st.floats(-10, 10))


def nodes_of(widths):
    return np.concatenate(([0.0], np.cumsum(widths)))


def motion_of(polynomials, t):
    """Return q, v, a (n, m) with one polynomial per column."""
    return tuple(np.column_stack([p.deriv(k)(t) if k else p(t) for p in polynomials]) for k in range(3))


def jump_at_one():
    """Return nodes at t = 0, 1, 1, 2: v changes its sign at t = 1, the second column of y jumps from 5 to −5."""
    t = np.array([0.0, 1.0, 1.0, 2.0])
    q = np.array([[0.0], [1.0], [1.0], [0.0]])
    v = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    y = np.array([[0.0, 5.0], [1.0, 5.0], [1.0, -5.0], [0.0, -5.0]])
    return t, q, v, np.zeros_like(q), y


@given(WIDTHS, COEFFICIENTS, st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_motion_reproduces_polynomials_of_degree_five(widths, coefficients, fractions):
    polynomials = [Polynomial(column) for column in coefficients.T]
    t = nodes_of(widths)
    times = np.array(fractions) * t[-1]
    sampled = sample_motion(t, *motion_of(polynomials, t), times)
    # Rounding in q is magnified by 1/h in v and 1/h² in a.
    size = 1.0 + np.max(np.abs(coefficients)) * max(1.0, t[-1]) ** 5
    for order, (got, expected) in enumerate(zip(sampled, motion_of(polynomials, times), strict=True)):
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-13 * size / min(widths) ** order)


@pytest.mark.parametrize(("which", "order"), [(0, 6), (1, 5), (2, 4)])
def test_motion_converges_at_its_order_on_a_sine(which, order):
    times = np.linspace(0.0, 2 * np.pi, 1001)
    exact = (np.sin(times), np.cos(times), -np.sin(times))[which]
    errors = []
    for n in (8, 16, 32):
        t = np.linspace(0.0, 2 * np.pi, n + 1)
        q, v = np.sin(t)[:, None], np.cos(t)[:, None]
        errors.append(np.max(np.abs(sample_motion(t, q, v, -q, times)[which][:, 0] - exact)))
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(rates, order, atol=0.25)


def test_velocity_and_acceleration_are_derivatives_of_position():
    rng = np.random.default_rng(1)
    t = np.array([0.0, 1.0])
    q, v, a = (rng.standard_normal((2, 3)) for _ in range(3))
    step, times = 1e-5, np.array([0.2, 0.5, 0.9])
    q_minus, v_minus, _ = sample_motion(t, q, v, a, times - step)
    q_plus, v_plus, _ = sample_motion(t, q, v, a, times + step)
    _, v_at, a_at = sample_motion(t, q, v, a, times)
    np.testing.assert_allclose((q_plus - q_minus) / (2 * step), v_at, atol=1e-7)
    np.testing.assert_allclose((v_plus - v_minus) / (2 * step), a_at, atol=1e-7)


@given(WIDTHS, st.integers(0, 2**32 - 1))
def test_values_at_nodes_are_exact(widths, seed):
    t = nodes_of(widths)
    q, v, a, y = np.random.default_rng(seed).standard_normal((4, len(t), 2))
    for got, stored in zip((*sample_motion(t, q, v, a, t), sample_columns(t, y, t)), (q, v, a, y), strict=True):
        np.testing.assert_array_equal(got, stored)


@given(st.lists(st.floats(0.05, 1.0), min_size=2, max_size=8), st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_columns_reproduce_parabolas(widths, fractions):
    t = nodes_of(widths)
    parabola = Polynomial([1.0, -2.0, 3.0])
    times = np.array(fractions) * t[-1]
    got = sample_columns(t, parabola(t)[:, None], times)[:, 0]
    np.testing.assert_allclose(got, parabola(times), rtol=0, atol=1e-12 * max(1.0, t[-1]) ** 2)


def test_columns_converge_at_order_three_on_a_sine():
    times = np.linspace(0.0, 2 * np.pi, 2001)
    errors = []
    for n in (20, 40, 80):
        t = np.linspace(0.0, 2 * np.pi, n + 1)
        errors.append(np.max(np.abs(sample_columns(t, np.sin(t)[:, None], times)[:, 0] - np.sin(times))))
    assert np.all(np.log2(np.array(errors[:-1]) / errors[1:]) > 2.8)


def test_columns_between_two_nodes_are_linear():
    t, *_, y = jump_at_one()
    np.testing.assert_allclose(sample_columns(t, y, [0.25, 1.25]), [[0.25, 5.0], [0.75, -5.0]], rtol=1e-15)


def test_no_interpolation_across_a_jump():
    t, q, v, a, y = jump_at_one()
    times = np.array([0.5, 1.0 - 1e-9, 1.0 + 1e-9, 1.5])
    q_at, v_at, a_at = sample_motion(t, q, v, a, times)
    np.testing.assert_allclose(q_at[:, 0], [0.5, 1.0, 1.0, 0.5], atol=2e-9)
    np.testing.assert_allclose(v_at[:, 0], [1.0, 1.0, -1.0, -1.0], rtol=1e-12)
    np.testing.assert_allclose(a_at, 0.0, atol=1e-12)
    np.testing.assert_allclose(sample_columns(t, y, times)[:, 1], [5.0, 5.0, -5.0, -5.0], rtol=1e-15)


def test_slopes_use_nodes_of_one_side_of_a_jump():
    # Two parabolas that meet nowhere: each must come out whole.
    before, after = np.linspace(0.0, 1.0, 4), np.linspace(1.0, 2.0, 5)
    t = np.concatenate((before, after))
    y = np.concatenate((before**2, 100.0 - after**2))[:, None]
    times = np.array([0.1, 0.5, 0.95, 1.05, 1.6, 1.99])
    expected = np.where(times < 1.0, times**2, 100.0 - times**2)
    np.testing.assert_allclose(sample_columns(t, y, times)[:, 0], expected, rtol=1e-13)


def test_value_at_a_jump_is_the_value_after_it():
    t, q, v, a, y = jump_at_one()
    assert sample_motion(t, q, v, a, 1.0)[1][0, 0] == -1.0
    assert sample_columns(t, y, 1.0)[0, 1] == -5.0


def test_three_nodes_at_one_time_return_the_last():
    t = np.array([0.0, 1.0, 1.0, 1.0, 2.0])
    y = np.array([0.0, 1.0, 7.0, 3.0, 4.0])[:, None]
    np.testing.assert_allclose(sample_columns(t, y, [0.5, 1.0, 1.5])[:, 0], [0.5, 3.0, 3.5])


def test_end_of_the_run_returns_the_last_node():
    t, q, v, a, y = jump_at_one()
    assert sample_motion(t, q, v, a, 2.0)[1][0, 0] == -1.0
    # A run may end with a jump: the last node is then the state after it.
    assert sample_columns(t[:3], y[:3], 1.0)[0, 1] == -5.0


def test_run_with_one_node_can_be_sampled_there():
    one = np.array([[3.0]])
    assert sample_columns(np.array([0.5]), one, 0.5)[0, 0] == 3.0


@pytest.mark.parametrize("time", [-0.1, 2.5, np.nan])
def test_time_outside_the_run_raises(time):
    t, q, v, a, y = jump_at_one()
    for sampled in (lambda: sample_motion(t, q, v, a, [0.5, time]), lambda: sample_columns(t, y, [0.5, time])):
        with pytest.raises(ValueError, match=rf"times must lie in the run, from 0 to 2 s, got {time:g} s"):
            sampled()


def test_matrix_of_times_raises():
    t, *_, y = jump_at_one()
    with pytest.raises(ValueError, match=r"shape \(1, 2\)"):
        sample_columns(t, y, [[0.5, 1.0]])
