"""Contact problems for the tests of their solvers: made at random, of rigid blocks, and checked with NumPy alone."""

from __future__ import annotations

import numpy as np

from carom.solve.contact_problem import records as at
from carom.solve.contact_problem.registry import SOLVERS

GUARD = 64
MARK = 77


class Case:
    """One contact problem in memory, with marks behind the scratch arrays that no solver may touch."""

    def __init__(self, matrix, vector, friction, offset=0.0, dim=2, tolerance=1e-12, room=None):
        self.matrix = np.ascontiguousarray(matrix, dtype=float)
        self.vector = np.array(vector, dtype=float)
        self.dim = dim
        self.count = len(self.vector) // dim
        self.friction = np.broadcast_to(np.asarray(friction, dtype=float), self.count).copy()
        self.offset = np.broadcast_to(np.asarray(offset, dtype=float), self.count).copy()
        self.impulse = np.zeros(self.count * dim)
        room = self.count if room is None else room
        self.work = np.full(at.workspace_size(room, dim) + GUARD, np.nan)
        self.places = np.full(at.index_workspace_size(room, dim) + GUARD, -(10**12))
        self.work[-GUARD:], self.places[-GUARD:] = MARK, MARK
        arrays = {
            "G": self.matrix, "b": self.vector, "mu": self.friction, "p_offset": self.offset, "P": self.impulse,
            "workspace": self.work, "index_workspace": self.places,
        }  # fmt: skip
        self.record = at.CONTACT_PROBLEM.new(
            n_contacts=self.count,
            rows_per_contact=dim,
            tolerance=tolerance,
            residual=np.nan,
            **{name: array.ctypes.data for name, array in arrays.items()},
        )

    def run(self, method, guess=None):
        """Return the status of the solver, started at zero or at ``guess``."""
        self.impulse[:] = 0.0 if guess is None else guess
        status = int(SOLVERS[method].call(self.record))
        assert np.all(self.work[-GUARD:] == MARK)
        assert np.all(self.places[-GUARD:] == MARK)
        return status

    def solve(self, method, guess=None):
        """The impulses of a solver that has to succeed, and does what it says."""
        assert self.run(method, guess) == at.SOLVED, method
        assert self.residual <= self.record.tolerance
        assert violation(self) < 1e-11 + 1e-14 * self.stress()
        return self.impulse.copy()

    @property
    def residual(self):
        return float(self.record.residual)

    @property
    def iterations(self):
        return int(self.record.n_iterations)

    def velocity(self, impulse=None):
        return self.matrix @ (self.impulse if impulse is None else impulse) + self.vector

    def stress(self):
        """Return the ratio of the terms of G P to b: digits that are lost in their sum."""
        radius = self.friction * (np.abs(self.impulse[:: self.dim]) + self.offset)
        largest = np.maximum(np.abs(self.impulse), np.repeat(radius, self.dim))
        return float((np.abs(self.matrix) @ largest).max() / np.abs(self.vector).max())


def violation(case):
    """The change of ξ, or of P in the same units, after which the laws hold exactly; in units of b, without a prox."""
    xi = case.velocity().reshape(-1, case.dim)
    impulse = case.impulse.reshape(-1, case.dim)
    response = (np.diag(case.matrix) if case.dim > 1 else np.abs(case.matrix).max(axis=1)).reshape(-1, case.dim)
    worst = 0.0
    for v, p, g, mu, before in zip(xi, impulse, response, case.friction, case.offset, strict=True):
        worst = max(worst, -v[0], -p[0] * g[0], min(abs(v[0]), abs(p[0]) * g[0]))
        if case.dim == 1:
            continue
        t = g[1:].max()
        speed, force, most = np.linalg.norm(v[1:]), np.linalg.norm(p[1:]), mu * (p[0] + before)
        worst = max(worst, t * (force - most))
        if speed > 0.0 and force > 0.0:  # sliding: either the impulse is turned against the velocity, or the other way
            turned = t * np.linalg.norm(p[1:] + most * v[1:] / speed)
            against = -p[1:] / force
            off = np.linalg.norm(v[1:] - max(v[1:] @ against, 0.0) * against)
            worst = max(worst, min(speed, turned, max(off, t * (most - force))))
        elif speed > 0.0:
            worst = max(worst, min(speed, t * most))
    return worst / np.abs(case.vector).max()


def random_case(rng, count, dim=2, freedom=None, friction=0.3, offset=0.0, **more):
    """Contacts of bodies with ``freedom`` degrees of freedom (more than rows when None), which move at random."""
    rows = count * dim
    freedom = rows + 1 if freedom is None else freedom
    directions = rng.normal(size=(rows, freedom))
    inverse_mass = np.exp(rng.normal(size=freedom))
    matrix = directions * inverse_mass @ directions.T
    return Case(matrix, directions @ rng.normal(size=freedom), friction, offset * rng.uniform(size=count), dim, **more)


def dominant_case(rng, count, dim=2, most=1.0, coupling=0.4, **more):
    """A problem with exactly one solution: two would be nearer to each other than they are, by the map P ↦ prox(P − ξ).

    Scaled to a diagonal of ones, the rows of G − 1 add up to c = ``coupling`` = 0.4 and μ is at most ``most`` ≤ 1. For
    the difference of two solutions, |ΔP_N| ≤ c |ΔP| and |ΔP_T| ≤ (√2 + μ) c |ΔP| < |ΔP|.
    """
    rows = count * dim
    other = rng.uniform(-1.0, 1.0, (rows, rows))
    other = other + other.T
    np.fill_diagonal(other, 0.0)
    other *= coupling / max(np.abs(other).sum(axis=1).max(), 1e-300)
    scale = np.repeat(np.exp(rng.uniform(-3.0, 3.0, count)), dim)  # masses over five decades
    matrix = scale[:, None] * (np.eye(rows) + other) * scale
    offset = more.pop("offset", 0.0) * rng.uniform(size=count)
    return Case(matrix, scale * rng.normal(size=rows), rng.uniform(0.0, most, count), offset, dim, **more)


def block(places, height, velocity, mass=2.0, inertia=0.7, friction=0.3):
    """A rigid block on the ground: contacts below it at ``places``, its centre ``height`` above; velocity (u, v, ω)."""
    directions = []
    for x in places:
        directions += [[0.0, 1.0, x], [1.0, 0.0, height]]
    directions = np.array(directions)
    matrix = directions / np.array([mass, mass, inertia]) @ directions.T
    return Case(matrix, directions @ np.asarray(velocity, dtype=float), friction)
