"""Contact problems with rolling and spinning resistance: every solver satisfies all limits."""

from __future__ import annotations

import numpy as np
import pytest

from carom.solve.contact_problem import records as at
from carom.solve.contact_problem.registry import ROLLING_SOLVERS, SOLVERS

LIMITS = {1: ((1, 2), (2, 3)), 2: ((1, 3), (3, 5), (5, 6))}
"""Rows of the limits of a contact, by the number of tangents."""


def solve(solver, tangents, G, b, mu, levers, p_offset):
    """Return the impulses of a solver."""
    dim = 3 * tangents
    count = len(b) // dim
    arrays = {
        "G": np.ascontiguousarray(G), "b": b.copy(), "mu": mu.copy(), "levers": levers.copy(),
        "p_offset": p_offset.copy(), "P": np.zeros(len(b)), "workspace": np.zeros(at.workspace_size(count, dim)),
        "index_workspace": np.zeros(at.index_workspace_size(count, dim), np.int64),
    }  # fmt: skip
    record = at.CONTACT_PROBLEM.new(
        n_contacts=count, rows_per_contact=dim, has_rolling=1, tolerance=1e-12,
        **{name: array.ctypes.data for name, array in arrays.items()},
    )  # fmt: skip
    assert int(SOLVERS[solver].call(record)) == at.SOLVED
    assert record.residual <= 1e-12
    return arrays["P"]


def check_laws(tangents, G, b, P, mu, levers, p_offset):
    """Check Signorini's condition, and that every limited impulse opposes its velocity or is inside its limit."""
    dim = 3 * tangents
    xi = (G @ P + b).reshape(-1, dim)
    P = P.reshape(-1, dim)
    small = 1e-9 * np.abs(b).max()
    for i in range(len(mu)):
        assert xi[i, 0] > -small
        assert P[i, 0] >= 0.0
        assert xi[i, 0] * P[i, 0] < small
        for (begin, end), c in zip(LIMITS[tangents], (mu[i], *levers[2 * i : 2 * i + 2]), strict=False):
            radius, force, speed = c * (P[i, 0] + p_offset[i]), P[i, begin:end], xi[i, begin:end]
            assert np.linalg.norm(force) <= radius + small
            if np.linalg.norm(speed) > 1e-6:
                np.testing.assert_allclose(force, -radius * speed / np.linalg.norm(speed), atol=1e-6)


@pytest.mark.parametrize("tangents", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_every_solver_satisfies_all_limits(tangents, seed):
    rng = np.random.default_rng(seed)
    count, dim = 3, 3 * tangents
    rows = count * dim
    directions = rng.normal(size=(rows, rows + 2))
    scale = np.tile([1.0] * (1 + tangents) + [10.0] * (dim - 1 - tangents), count)  # rotations are faster than 1 m/s
    directions *= scale[:, None]
    G, b = directions @ directions.T, directions @ rng.normal(size=rows + 2)
    mu, levers = rng.uniform(0.0, 0.4, count), rng.uniform(0.0, 0.03, 2 * count)
    levers[rng.integers(2 * count)] = 0.0
    p_offset = rng.uniform(0.0, 0.1, count)
    for solver in ROLLING_SOLVERS[tangents]:
        P = solve(solver, tangents, G, b, mu, levers, p_offset)
        check_laws(tangents, G, b, P, mu, levers, p_offset)
