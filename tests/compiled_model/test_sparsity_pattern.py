"""Order of elimination and fill-in of the sparse solver."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import carom as cm
from carom.compiled_model.linear_solver import sparse_arrays
from carom.compiled_model.sparsity_pattern import elimination_order, symbolic_factorisation
from carom.compiled_model.system_data import SystemData
from carom.mechanics import model_record as slot
from carom.solve.model_evaluator import ModelEvaluator
from mechanics.random_mechanisms import FAMILIES, using
from quick import each
from solve.mechanisms import chain

CASES = [(family, count, seed) for family in FAMILIES for count in (2, 3, 11, 30) for seed in (1, 2)]


@each("family, count, seed", CASES)
def test_order_is_a_permutation_of_all_unknowns(family, count, seed):
    tables = SystemData(FAMILIES[family](np.random.default_rng([seed, count]), count))
    order = elimination_order(tables)
    np.testing.assert_array_equal(np.sort(order), np.arange(tables.n_velocities + tables.n_constraints))


@each("family, count, seed", CASES)
def test_every_pivot_exists_in_that_order(family, count, seed):
    """Leading blocks of the permuted matrix are regular: elimination without pivoting meets no zero."""
    with using("sparse"):
        mechanism = ModelEvaluator(FAMILIES[family](np.random.default_rng([seed, count]), count))
    _, status = mechanism.rate(0.0, mechanism.tables.y0.copy())
    assert status == slot.OK
    assert mechanism.tables.settings.min_pivot_ratio > 1e-9


def test_places_are_the_inverse_of_the_order():
    tables = SystemData(FAMILIES["loops"](np.random.default_rng(1), 8))
    place = sparse_arrays(tables)["position"]
    np.testing.assert_array_equal(place[elimination_order(tables)], np.arange(len(place)))


def test_fill_of_a_chain_grows_in_proportion_to_its_length():
    sizes = [len(sparse_arrays(SystemData(chain(links)))["l_index"]) for links in (50, 100, 200)]
    assert sizes[1] / sizes[0] < 2.05
    assert sizes[2] / sizes[1] < 2.05
    assert sizes[2] < 30 * 200


def test_chain_may_be_described_in_any_order():
    """Bodies added from the tip to the root: the tree is the same, and so is the fill."""
    forwards = chain(40)
    backwards = cm.System(gravity=forwards.gravity)
    bodies = {body.name: backwards.add(body) for body in reversed(forwards.bodies)}
    for k in reversed(range(40)):
        before = backwards.ground if k == 0 else bodies[f"link {k - 1}"]
        backwards.add(cm.Revolute(before, bodies[f"link {k}"], at=(float(k), 0.0)))
    fills = [len(sparse_arrays(SystemData(system))["l_index"]) for system in (forwards, backwards)]
    assert fills[0] == fills[1]


def upper_triangle(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Column starts and row indices of the upper triangle, the diagonal last in every column."""
    start, index = [0], []
    for k in range(len(matrix)):
        index += [i for i in range(k) if matrix[i, k]] + [k]
        start.append(len(index))
    return np.array(start), np.array(index)


@given(st.integers(1, 12), st.floats(0.0, 0.6), st.integers(0, 10**6))
def test_predicted_pattern_is_that_of_the_factor(size, density, seed):
    """Eliminating unknown k joins all its later neighbours; L has an entry wherever two have been joined."""
    rng = np.random.default_rng(seed)
    matrix = np.triu(rng.random((size, size)) < density, 1)
    start, index = upper_triangle(matrix)
    joined = matrix | matrix.T
    for k in range(size):
        later = [i for i in range(k + 1, size) if joined[k, i]]
        for i in later:
            joined[i, later] = True
        np.fill_diagonal(joined, False)
    pattern_start, pattern, l_start, l_index = symbolic_factorisation(start, index)
    for k in range(size):
        row = pattern[pattern_start[k] : pattern_start[k + 1]]
        assert sorted(row) == [i for i in range(k) if joined[k, i]]
        column = l_index[l_start[k] : l_start[k + 1]]
        assert list(column) == [i for i in range(k + 1, size) if joined[i, k]]
        # An up-looking factorisation needs every entry after those it depends on.
        for i, j in zip(*np.triu_indices(len(row), 1), strict=True):
            assert not (row[i] > row[j] and joined[row[i], row[j]])
