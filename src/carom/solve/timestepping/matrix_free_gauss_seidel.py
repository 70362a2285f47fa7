"""Projected Gauss–Seidel on the velocities of free bodies, for many contacts, without the Delassus matrix.

A contact changes the velocities of its own bodies only, so that an iteration costs the same per contact for any number
of contacts. Contact by contact, normal impulses are projected onto P_N ≥ 0 and tangential ones onto their disc (prox);
rolling and spinning resistance are like friction.
Between iterations the impulses are extrapolated as in the method of conjugate gradients, which piles of bodies need.

M. Silcowitz, S. Niebe, K. Erleben, A nonsmooth nonlinear conjugate gradient method for interactive contact force
problems, The Visual Computer 26 (2010) 893–901.
"""

from __future__ import annotations

import math

from carom.kernels import floats, ints, jit, offset
from carom.laws.impact_law import IMPACT_LAW_DATA
from carom.mechanics.linear_algebra import copy, set_zero
from carom.mechanics.model_record import MODEL
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.timestepping.active_contacts import (
    contact_velocity,
    direction,
    dot_direction,
    gamma_post,
    normal_direction,
    velocity_indices_of,
)
from carom.solve.timestepping.contact_impulses import copy_free_velocity, restitution
from carom.solve.timestepping.records import FINISHED, MATRIX_FREE_FAILED, NO_SOLUTION, STEP_COUNTS

MAX_ITERATIONS = 1000

CONVERGED_CHANGE = 1e-10
"""Ratio of the change in an iteration to the largest velocity that ends the iterations [-]."""

INEXACT_CHANGE, FAILED_CHANGE = 1e-5, 1e-3
"""Ratio of the last change to the largest velocity above which a solution is inexact, and above which it failed [-]."""

MAX_CONTACTS_INEXACT, MAX_CONTACTS_FAILED = 96, 300
"""Contacts up to which the solvers with a Delassus matrix are used after an inexact, or a failed, solution; for more
contacts they may need seconds."""

POSITION_CHANGE = 1e-6
"""Ratio of the change in an iteration to the largest penetration that ends the iterations on positions [-]."""


@jit
def inverse_effective_mass(stepper, k, w):
    """Return w · M⁻¹ w for a direction w of contact ``k`` [1/kg]."""
    size = stepper.velocities_per_body
    inverse_mass = floats(MODEL(stepper.model).inverse_mass)
    velocity_indices = velocity_indices_of(stepper, k)
    total = 0.0
    for b in range(stepper.bodies_per_contact):
        v = velocity_indices[b]
        if v >= 0:
            for j in range(size):
                total += w[b * size + j] * w[b * size + j] * inverse_mass[v + j]
    return total


@jit
def add_body_impulse(stepper, k, w, impulse, vector):
    """Add M⁻¹ w · ``impulse`` to ``vector``, for a direction w of contact ``k``."""
    size = stepper.velocities_per_body
    inverse_mass = floats(MODEL(stepper.model).inverse_mass)
    velocity_indices = velocity_indices_of(stepper, k)
    for b in range(stepper.bodies_per_contact):
        v = velocity_indices[b]
        if v >= 0:
            for j in range(size):
                vector[v + j] += w[b * size + j] * inverse_mass[v + j] * impulse


@jit
def initialise_impulses(stepper):
    """Start with the impulses of the last step and their velocities; return the largest velocity of a contact [m/s].

    The diagonal of the Delassus matrix is stored in ``b`` of the contact problem. Newton's impact law is used, because
    the iteration has no phases.
    """
    dim = stepper.rows_per_contact
    active = ints(stepper.active)
    P = floats(stepper.P)
    eps_gamma = floats(stepper.eps_gamma)
    gamma_pre = floats(stepper.gamma_pre)
    last_P = floats(stepper.last_P)
    G_diagonal = floats(CONTACT_PROBLEM(stepper.problem).b)
    u_free = floats(stepper.u_free)
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    copy_free_velocity(stepper)
    max_velocity = 0.0
    for i in range(stepper.n_active):
        k = active[i]
        law = IMPACT_LAW_DATA(stepper.impact_laws, k)
        for d in range(dim):
            row = i * dim + d
            eps = law.eps_T if d <= stepper.tangents_per_contact else 0.0
            if d == 0:
                eps = restitution(stepper, k, gamma_pre[row])
            eps_gamma[row] = eps * gamma_pre[row]
            w = direction(stepper, i, d)
            G_diagonal[row] = inverse_effective_mass(stepper, k, w)
            P[row] = last_P[k * dim + d]
            xi_free = gamma_post(stepper, i, d, u_free) + eps_gamma[row]
            if d <= stepper.tangents_per_contact:
                max_velocity = max(max_velocity, abs(xi_free), abs(gamma_pre[row]))
            else:
                length = math.sqrt(G_diagonal[i * dim] / G_diagonal[row])
                max_velocity = max(max_velocity, length * abs(xi_free), length * abs(gamma_pre[row]))
            if P[row] != 0.0:
                add_body_impulse(stepper, k, w, P[row], u_new)
    return max_velocity


@jit
def update_impulses(stepper, i):
    """Update the impulses of one contact from the current velocities; return the largest change, as a velocity."""
    dim = stepper.rows_per_contact
    k = ints(stepper.active)[i]
    P = offset(floats(stepper.P), i * dim)
    eps_gamma = offset(floats(stepper.eps_gamma), i * dim)
    G_diagonal = offset(floats(CONTACT_PROBLEM(stepper.problem).b), i * dim)
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    w = normal_direction(stepper, i)
    xi_N = contact_velocity(stepper, k, w, u_new) + floats(stepper.curvature_terms)[i * dim] + eps_gamma[0]
    P_N = max(P[0] - xi_N / G_diagonal[0], 0.0)
    change = abs(P_N - P[0]) * G_diagonal[0]
    if P[0] != P_N:
        add_body_impulse(stepper, k, w, P_N - P[0], u_new)
        P[0] = P_N
    if dim == 1:
        return change
    tangents = stepper.tangents_per_contact
    law = IMPACT_LAW_DATA(stepper.impact_laws, k)
    change = max(change, project_limit(stepper, i, 1, 1 + tangents, law.mu * P[0]))
    if dim > 1 + tangents:
        length = math.sqrt(G_diagonal[0] / G_diagonal[dim - 1])
        first_spinning = 1 + 2 * tangents
        rotation = project_limit(stepper, i, 1 + tangents, first_spinning, law.rolling_lever * P[0])
        if first_spinning < dim:
            rotation = max(rotation, project_limit(stepper, i, first_spinning, dim, law.spinning_lever * P[0]))
        change = max(change, length * rotation)
    return change


@jit
def project_limit(stepper, i, begin, end, radius):
    """Update the impulses of the rows from ``begin`` to ``end`` of one contact, in their disc.

    Return the largest change, as a velocity.
    """
    dim = stepper.rows_per_contact
    k = ints(stepper.active)[i]
    P = offset(floats(stepper.P), i * dim)
    eps_gamma = offset(floats(stepper.eps_gamma), i * dim)
    G_diagonal = offset(floats(CONTACT_PROBLEM(stepper.problem).b), i * dim)
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    g = 0.0
    for d in range(begin, end):
        g = max(g, G_diagonal[d])
    length = 0.0
    P_T = floats(stepper.delta_q)  # This array is free until positions are projected.
    for d in range(begin, end):
        P_T[d] = P[d] - (gamma_post(stepper, i, d, u_new) + eps_gamma[d]) / g
        length += P_T[d] * P_T[d]
    length = math.sqrt(length)
    change = 0.0
    for d in range(begin, end):
        if length > radius:
            P_T[d] *= radius / length
        change = max(change, abs(P_T[d] - P[d]) * g)
        if P_T[d] != P[d]:
            add_body_impulse(stepper, k, direction(stepper, i, d), P_T[d] - P[d], u_new)
            P[d] = P_T[d]
    return change


@jit
def extrapolate(stepper, last_norm):
    """Extrapolate along the search direction while the iterations converge; return the norm of the last change.

    The norm is Σ G_ii ΔP²; ``last_norm`` is that of the change before.
    """
    dim = stepper.rows_per_contact
    active = ints(stepper.active)
    P = floats(stepper.P)
    P_previous = floats(stepper.P_previous)
    search_direction = floats(stepper.search_direction)
    G_diagonal = floats(CONTACT_PROBLEM(stepper.problem).b)
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    norm = 0.0
    for row in range(stepper.n_active * dim):
        norm += G_diagonal[row] * (P[row] - P_previous[row]) ** 2
    factor = norm / last_norm if last_norm > 0.0 else 2.0
    if factor >= 1.0:
        factor = 0.0
    for i in range(stepper.n_active):
        for d in range(dim):
            row = i * dim + d
            impulse = factor * search_direction[row]
            search_direction[row] = impulse + P[row] - P_previous[row]
            if impulse != 0.0:
                P[row] += impulse
                add_body_impulse(stepper, active[i], direction(stepper, i, d), impulse, u_new)
    return norm


@jit
def solve_velocities(stepper):
    """Compute velocities at the end and total impulses of all active contacts; return a status."""
    counts = STEP_COUNTS(stepper.counts)
    P = floats(stepper.P)
    max_velocity = initialise_impulses(stepper)
    counts.n_problems += 1
    counts.n_matrix_free += 1
    change = 0.0
    norm = 0.0
    for iteration in range(MAX_ITERATIONS):
        copy(P, stepper.n_active * stepper.rows_per_contact, floats(stepper.P_previous))
        change = 0.0
        for i in range(stepper.n_active):
            change = max(change, update_impulses(stepper, i))
        counts.n_iterations += 1
        if change <= CONVERGED_CHANGE * max_velocity or iteration == MAX_ITERATIONS - 1:
            break
        norm = extrapolate(stepper, norm)
    if change <= INEXACT_CHANGE * max_velocity:
        return FINISHED
    failed = not change <= FAILED_CHANGE * max_velocity
    limit = MAX_CONTACTS_FAILED if failed else MAX_CONTACTS_INEXACT
    if stepper.accept_inexact == 0 and stepper.n_active <= limit:
        return MATRIX_FREE_FAILED
    counts.n_inexact += 1
    return FINISHED if change < 1e300 else NO_SOLUTION


@jit
def solve_positions(stepper):
    """Compute Δq = M⁻¹ W_N λ, the change of the coordinates that opens the active gaps."""
    gaps = floats(MODEL(stepper.model).gaps)
    active = ints(stepper.active)
    problem = CONTACT_PROBLEM(stepper.problem)
    G_diagonal = floats(problem.b)
    lam = floats(problem.P)
    delta_q = floats(stepper.delta_q)
    dim = stepper.rows_per_contact
    max_penetration = 0.0
    set_zero(delta_q, stepper.n_velocities)
    for i in range(stepper.n_active):
        lam[i] = 0.0
        G_diagonal[i * dim] = inverse_effective_mass(stepper, active[i], normal_direction(stepper, i))
        max_penetration = max(max_penetration, -gaps[active[i]])
    for _ in range(MAX_ITERATIONS):
        change = 0.0
        for i in range(stepper.n_active):
            w = normal_direction(stepper, i)
            g = G_diagonal[i * dim]
            lam_new = max(lam[i] - (gaps[active[i]] + dot_direction(stepper, active[i], w, delta_q)) / g, 0.0)
            if lam_new != lam[i]:
                change = max(change, abs(lam_new - lam[i]) * g)
                add_body_impulse(stepper, active[i], w, lam_new - lam[i], delta_q)
                lam[i] = lam_new
        if change <= POSITION_CHANGE * max_penetration:
            return
