"""Mean rates over the steps between nodes."""

import numpy as np
import pytest

from carom.solve.step_rates import set_step_rates

T = np.array([0.0, 0.1, 0.3, 0.35, 1.0])
VALUES = np.column_stack([2.0 * T + 1.0, T**2])
START = np.full(3, np.nan)


def rates_of(t, values, before):
    rates = np.full(values.shape, 7.0)
    set_step_rates(t, values, before, rates)
    return rates


def test_rates_are_differences_over_the_step_before_and_at_the_start_those_of_the_first_step():
    rates = rates_of(T, VALUES, START)
    assert rates[:, 0] == pytest.approx([2.0] * 5, rel=1e-13)
    assert rates[1:, 1] == pytest.approx(T[1:] + T[:-1], rel=1e-13)  # (t² − s²)/(t − s) = t + s
    assert rates[0].tolist() == rates[1].tolist()


def test_batches_have_the_rates_of_the_whole():
    whole = rates_of(T, VALUES, START)
    first = rates_of(T[:2], VALUES[:2], START)
    second = rates_of(T[2:], VALUES[2:], np.array([T[1], *VALUES[1]]))
    assert np.concatenate([first, second]).tolist() == whole.tolist()


def test_one_node_without_a_step_has_no_rate():
    assert rates_of(T[:1], VALUES[:1], START).tolist() == [[0.0, 0.0]]


def test_values_and_rates_may_be_columns_of_larger_tables():
    table = np.column_stack([np.ones(5), VALUES, np.ones(5)])
    signals = np.zeros((5, 7))
    set_step_rates(T, table[:, 1:3], START, signals[:, 2:6:3])
    assert signals[:, [2, 5]].tolist() == rates_of(T, VALUES, START).tolist()
    assert not signals[:, [0, 1, 3, 4, 6]].any()
