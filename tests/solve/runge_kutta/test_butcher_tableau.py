"""The numbers of the Runge–Kutta methods satisfy Butcher's order conditions, tree by tree."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, product
from math import prod

import numpy as np
import pytest

from carom.solve.runge_kutta.butcher_tableau import Tableau
from carom.solve.runge_kutta.registry import TABLEAUS

ROUNDING = 2e-13
"""The coefficients have sixteen digits and size up to 50; some trees multiply eight of them."""

Tree = tuple


@cache
def partitions(total: int, largest: int) -> tuple[tuple[int, ...], ...]:
    if total == 0:
        return ((),)
    return tuple((k, *rest) for k in range(min(total, largest), 0, -1) for rest in partitions(total - k, k))


@cache
def trees(order: int) -> tuple[Tree, ...]:
    """Every rooted tree of ``order`` nodes, as the sorted tuple of the subtrees at its root."""
    found = set()
    for sizes in partitions(order - 1, order - 1):
        choices = [
            combinations_with_replacement(trees(size), sizes.count(size)) for size in sorted(set(sizes), reverse=True)
        ]
        found |= {tuple(sorted(sum(parts, ()))) for parts in product(*choices)}
    return tuple(sorted(found))


def nodes(tree: Tree) -> int:
    return 1 + sum(nodes(child) for child in tree)


def density(tree: Tree) -> int:
    """γ(t): the number of nodes times the densities of the subtrees."""
    return nodes(tree) * prod(density(child) for child in tree)


def weights(tree: Tree, a: np.ndarray) -> np.ndarray:
    """φᵢ(t), the elementary weight of every stage."""
    total = np.ones(len(a))
    for child in tree:
        total = total * (a @ weights(child, a))
    return total


def residuals(tableau: Tableau, b: np.ndarray, orders: range, expected: bool) -> np.ndarray:
    """Σ bᵢ φᵢ(t) − 1/γ(t), or without the second term, for all trees of the given orders."""
    return np.array([
        b @ weights(tree, tableau.a) - expected / density(tree) for order in orders for tree in trees(order)
    ])  # fmt: skip


@pytest.fixture(params=TABLEAUS.values(), ids=TABLEAUS)
def tableau(request: pytest.FixtureRequest) -> Tableau:
    return request.param


ADAPTIVE = [tableau for tableau in TABLEAUS.values() if tableau.adaptive]


def test_there_are_as_many_rooted_trees_as_cayley_counted():
    assert [len(trees(order)) for order in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


def test_methods_have_the_orders_of_their_publications():
    orders = {name: tableau.order for name, tableau in TABLEAUS.items()}
    assert orders == {"dopri5": 5, "dop853": 8, "tsit5": 5, "rk4": 4}


def test_stages_are_explicit_and_consistent(tableau):
    assert np.array_equal(tableau.a, np.tril(tableau.a, -1))
    np.testing.assert_allclose(tableau.a.sum(axis=1), tableau.c, atol=ROUNDING)


def test_every_order_condition_holds_up_to_the_order(tableau):
    found = residuals(tableau, tableau.b, range(1, tableau.order + 1), True)
    np.testing.assert_allclose(found, 0.0, atol=ROUNDING)


def test_order_is_not_higher_than_claimed(tableau):
    found = residuals(tableau, tableau.b, range(tableau.order + 1, tableau.order + 2), True)
    assert np.abs(found).max() > 1e-6


@pytest.mark.parametrize("tableau", ADAPTIVE, ids=lambda tableau: tableau.name)
def test_error_weights_see_nothing_a_constant_rate_does(tableau):
    assert abs(tableau.error.sum()) < ROUNDING
    assert tableau.error_3 is None or abs(tableau.error_3.sum()) < ROUNDING


@pytest.mark.parametrize(
    ("name", "which", "order"),
    [("dopri5", "error", 4), ("tsit5", "error", 4), ("dop853", "error", 5), ("dop853", "error_3", 3)],
)
def test_error_estimate_compares_with_a_method_of_its_order(name, which, order):
    tableau = TABLEAUS[name]
    vanishing = residuals(tableau, getattr(tableau, which), range(1, order + 1), False)
    leading = residuals(tableau, getattr(tableau, which), range(order + 1, order + 2), False)
    np.testing.assert_allclose(vanishing, 0.0, atol=ROUNDING)
    assert np.abs(leading).max() > 1e-6


@pytest.mark.parametrize("tableau", ADAPTIVE, ids=lambda tableau: tableau.name)
def test_last_stage_is_taken_at_the_end_of_the_step(tableau):
    np.testing.assert_allclose(tableau.a[-1], tableau.b, atol=ROUNDING)
    assert tableau.c[-1] == 1.0


class TestDenseOutputOfDop853:
    tableau = TABLEAUS["dop853"]

    def whole(self) -> tuple[np.ndarray, np.ndarray]:
        """Stage matrix and nodes with the extra stages."""
        stages, extra = self.tableau.stages, len(self.tableau.extra_c)
        a = np.zeros((stages + extra, stages + extra))
        a[:stages, :stages] = self.tableau.a
        a[stages:] = self.tableau.extra_a
        return a, np.concatenate([self.tableau.c, self.tableau.extra_c])

    def test_extra_stages_are_consistent(self):
        a, c = self.whole()
        np.testing.assert_allclose(a.sum(axis=1), c, atol=ROUNDING)

    def test_end_of_the_polynomial_is_the_step_itself(self):
        at_one = self.tableau.dense.sum(axis=1)
        np.testing.assert_allclose(at_one, np.pad(self.tableau.b, (0, 3)), atol=ROUNDING)

    def test_slopes_at_both_ends_are_the_rates_there(self):
        powers = np.arange(1, 8)
        np.testing.assert_allclose(self.tableau.dense[:, 0], np.eye(16)[0], atol=ROUNDING)
        np.testing.assert_allclose(self.tableau.dense @ powers, np.eye(16)[12], atol=10 * ROUNDING)

    @pytest.mark.parametrize("theta", [0.25, 0.5, 0.75, 0.9])
    def test_polynomial_is_of_seventh_order_inside_the_step(self, theta):
        a, _ = self.whole()
        b = self.tableau.dense @ theta ** np.arange(1, 8)
        for order in range(1, 8):
            for tree in trees(order):
                expected = theta**order / density(tree)
                assert b @ weights(tree, a) == pytest.approx(expected, abs=ROUNDING), tree
