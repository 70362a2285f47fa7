"""Contact problem as a linear complementarity problem y = A x + b, 0 ≤ x ⊥ y ≥ 0, in two formulations.

Saturations, in 2D: P_R = μ (P_N + p) + P_T, P_L = μ (P_N + p) − P_T and ξ_T = ξ_R − ξ_L give x = (P_N, P_R, ξ_L) and
y = (ξ_N, ξ_R, P_L), three unknowns per contact; a contact without friction has P_N and ξ_N only. P_T has the sign of
eq. (68) of Flores, Leine and Glocker. Rolling resistance adds two more unknowns in the same way.

Polyhedral cone: a polygon replaces the friction disc, which is exact in 2D. P_T = Σ β_k d_k over the directions d_k of
its corners, Σ β_k ≤ μ (P_N + p), and λ is the sliding speed: x = (P_N, β, λ),
y = (ξ_N, d_k·ξ_T + λ, μ (P_N + p) − Σ β_k). The matrix is copositive when G is positive semi-definite, so that Lemke's
method finds a solution wherever impulses that cancel each other do no work on b.

Both are in the scaled units of `carom.solve.contact_problem.problem_scaling`.

References: P. Flores, R. Leine, C. Glocker, Multibody System Dynamics 23 (2010) 165–190, eqs (71)–(85); D. Stewart,
J. Trinkle, Int. J. Numer. Methods Eng. 39 (1996) 2673–2691; M. Anitescu, F. Potra, Nonlinear Dynamics 14 (1997)
231–247.
"""

from __future__ import annotations

import math

from carom.kernels import floats, jit
from carom.solve.contact_problem.friction_limits import coefficient, n_limits
from carom.solve.contact_problem.workspaces import first_unknowns

SATURATION_UNKNOWNS = 2
"""Further unknowns of a contact per limit (friction, rolling resistance) in the formulation with saturations."""


# ---- saturations


@jit
def count_saturation_unknowns(problem):
    """Store the first unknown of every contact; return the number of unknowns."""
    first_unknown = first_unknowns(problem)
    n = 0
    for i in range(problem.n_contacts):
        first_unknown[i] = n
        n += 1
        if problem.rows_per_contact == 2 or problem.has_rolling != 0:
            for limit in range(n_limits(problem)):
                if coefficient(problem, i, limit) > 0.0:
                    n += SATURATION_UNKNOWNS
    first_unknown[problem.n_contacts] = n
    return n


@jit
def formulate_saturations(problem, lcp):
    """Store A and b of the LCP with saturations: eq. (85) of Flores, Leine and Glocker.

    Where a contact has limits, there are as many further rows per limit as unknowns: ξ_R and P_L.
    """
    n = lcp.n
    first = lcp.first_unknown
    P_scale = lcp.P_scale
    A = lcp.A
    dim = problem.rows_per_contact
    p = floats(problem.p_offset)
    for k in range(n * n):
        A[k] = 0.0
    for i in range(problem.n_contacts):
        add_saturation_row(problem, lcp, first[i], i * dim)
        row = first[i] + 1
        if row == first[i + 1]:
            continue
        for limit in range(n_limits(problem)):
            c = coefficient(problem, i, limit)
            if c > 0.0:
                t = i * dim + 1 + limit
                add_saturation_row(problem, lcp, row, t)
                A[row * n + row + 1] = 1.0
                A[(row + 1) * n + first[i]] = 2.0 * c * (P_scale[i * dim] / P_scale[t])
                A[(row + 1) * n + row] = -1.0
                lcp.b[row + 1] = 2.0 * c * p[i] / P_scale[t]
                row += SATURATION_UNKNOWNS


@jit
def add_saturation_row(problem, lcp, row, xi_row):
    """Store a row of ξ = G P + b in a row of the LCP with saturations: ξ_N or ξ_R."""
    first = lcp.first_unknown
    A = lcp.A
    scale = lcp.xi_scale[xi_row]
    P_scale = lcp.P_scale
    n_contacts = problem.n_contacts
    dim = problem.rows_per_contact
    G = floats(problem.G)
    p = floats(problem.p_offset)
    total = floats(problem.b)[xi_row]
    entry = row * lcp.n
    first_entry = xi_row * n_contacts * dim
    for j in range(n_contacts):
        column = first[j]
        g = first_entry + j * dim
        value = G[g] * P_scale[j * dim]
        if first[j + 1] - column > 1:
            k = column + 1
            for limit in range(n_limits(problem)):
                c = coefficient(problem, j, limit)
                if c > 0.0:
                    G_T = G[g + 1 + limit]
                    A[entry + k] = scale * G_T * P_scale[j * dim + 1 + limit]
                    value -= c * G_T * P_scale[j * dim]
                    total -= c * G_T * p[j]
                    k += SATURATION_UNKNOWNS
        A[entry + column] = scale * value
    lcp.b[row] = scale * total


@jit
def store_saturation_impulses(problem, lcp):
    """Store the impulses of the solution x of the LCP with saturations."""
    first = lcp.first_unknown
    x = lcp.x
    P_scale = lcp.P_scale
    dim = problem.rows_per_contact
    p = floats(problem.p_offset)
    P = floats(problem.P)
    for i in range(problem.n_contacts):
        row = first[i]
        k = i * dim
        P[k] = P_scale[k] * max(x[row], 0.0)
        for d in range(1, dim):
            P[k + d] = 0.0
        row += 1
        if row == first[i + 1]:
            continue
        for limit in range(n_limits(problem)):
            c = coefficient(problem, i, limit)
            if c > 0.0:
                radius = c * (P[k] + p[i])
                t = k + 1 + limit
                P[t] = min(max(P_scale[t] * x[row] - radius, -radius), radius)
                row += SATURATION_UNKNOWNS


# ---- polyhedral cone


@jit
def count_polyhedral_unknowns(problem, sides):
    """Store the first unknown of every contact; return the number of unknowns."""
    mu = floats(problem.mu)
    first_unknown = first_unknowns(problem)
    n = 0
    for i in range(problem.n_contacts):
        first_unknown[i] = n
        n += 2 + sides if mu[i] > 0.0 else 1
    first_unknown[problem.n_contacts] = n
    return n


@jit
def corner_component(sides, k, d):
    """Return component d = 1, 2 of the direction d_k of a corner; ±1 in 2D."""
    angle = 2.0 * math.pi * k / sides
    if sides == 2:
        return 1.0 - 2.0 * k
    return math.cos(angle) if d == 1 else math.sin(angle)


@jit
def formulate_polyhedral(problem, lcp, sides):
    """Store A and b of the LCP with a polygon of ``sides`` corners per contact."""
    n = lcp.n
    first = lcp.first_unknown
    A = lcp.A
    mu = floats(problem.mu)
    p = floats(problem.p_offset)
    P_scale = lcp.P_scale
    dim = problem.rows_per_contact
    for k in range(n * n):
        A[k] = 0.0
    for k in range(n):
        lcp.b[k] = 0.0
    for i in range(problem.n_contacts):
        for d in range(dim):
            # A row of ξ is part of one row of y (the normal) or of all rows with a direction (a tangent).
            begin = first[i] if d == 0 else first[i] + 1
            end = begin + 1 if d == 0 else first[i + 1] - 1
            for row in range(begin, end):
                component = 1.0 if d == 0 else corner_component(sides, row - begin, d)
                add_polyhedral_row(problem, lcp, sides, row, i * dim + d, component)
        if first[i + 1] - first[i] > 1:
            last = first[i + 1] - 1
            A[last * n + first[i]] = mu[i] * P_scale[i * dim] / P_scale[i * dim + 1]
            lcp.b[last] = mu[i] * p[i] / P_scale[i * dim + 1]
            for k in range(first[i] + 1, last):
                A[last * n + k] = -1.0
                A[k * n + last] = 1.0


@jit
def add_polyhedral_row(problem, lcp, sides, row, xi_row, component):
    """Add ``component`` times a row of ξ = G P + b to a row of the LCP."""
    n = lcp.n
    first = lcp.first_unknown
    A = lcp.A
    P_scale = lcp.P_scale
    xi_scale = lcp.xi_scale[xi_row]
    n_contacts = problem.n_contacts
    dim = problem.rows_per_contact
    size = n_contacts * dim
    G = floats(problem.G)
    lcp.b[row] += component * xi_scale * floats(problem.b)[xi_row]
    for j in range(n_contacts):
        column = first[j]
        g = xi_row * size + j * dim
        A[row * n + column] += component * xi_scale * G[g] * P_scale[j * dim]
        for k in range(first[j + 1] - column - 2):
            for e in range(1, dim):
                value = G[g + e] * P_scale[j * dim + e] * corner_component(sides, k, e)
                A[row * n + column + 1 + k] += component * xi_scale * value


@jit
def store_polyhedral_impulses(problem, lcp, sides):
    """Store the impulses of the solution x of the LCP with polygons."""
    first = lcp.first_unknown
    x = lcp.x
    P_scale = lcp.P_scale
    dim = problem.rows_per_contact
    P = floats(problem.P)
    for i in range(problem.n_contacts):
        row = first[i]
        k = i * dim
        P[k] = P_scale[k] * max(x[row], 0.0)
        for d in range(1, dim):
            total = 0.0
            for c in range(first[i + 1] - row - 2):
                total += max(x[row + 1 + c], 0.0) * corner_component(sides, c, d)
            P[k + d] = P_scale[k + d] * total
