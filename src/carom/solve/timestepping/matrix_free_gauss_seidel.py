"""Many contacts of free bodies: projected Gauss–Seidel on the bodies' velocities, without a matrix between contacts.

A contact changes the velocities of its own bodies only, so one sweep costs the same for every contact, however many
there are. Normal impulses are kept at zero or above, tangential ones in their disc, contact after contact (prox).
Between sweeps the impulses are extrapolated as in the method of conjugate gradients, which piles need.

M. Silcowitz, S. Niebe, K. Erleben, A nonsmooth nonlinear conjugate gradient method for interactive contact force
problems, The Visual Computer 26 (2010) 893–901.
"""

from __future__ import annotations

import math

from carom.kernels import floats, ints, jit, offset
from carom.laws.impact_law import IMPACT_LAW_DATA
from carom.mechanics.model_record import MODEL
from carom.solve.contact_problem.records import CONTACT_PROBLEM
from carom.solve.timestepping.active_contacts import after, along, direction, normal, velocity
from carom.solve.timestepping.contact_impulses import restitution
from carom.solve.timestepping.records import FINISHED, MATRIX_FREE_FAILED, NO_SOLUTION, STEP_COUNTS

SWEEPS = 1000
FINE, ROUGH, COARSE = 1e-10, 1e-5, 1e-3
"""Of the largest velocity: change in a sweep that ends the sweeps; beyond which other solvers are asked when contacts
are few, or else reported; and beyond which they are asked for more contacts too, as it may cost seconds."""
FEW, DENSE = 96, 300
"""Contacts up to which other solvers are asked where sweeps are rough, and where they fail."""


@jit
def own_mobility(stepper, k, w):
    """w · M⁻¹ w."""
    width = stepper.velocities_per_body
    inverse = floats(MODEL(stepper.model).inverse_mass)
    places = offset(ints(stepper.velocity_indices), k * stepper.bodies_per_contact)
    total = 0.0
    for b in range(stepper.bodies_per_contact):
        v = places[b]
        if v >= 0:
            for j in range(width):
                total += w[b * width + j] * w[b * width + j] * inverse[v + j]
    return total


@jit
def shove(stepper, k, w, impulse, vector):
    """vector += M⁻¹ w · impulse."""
    width = stepper.velocities_per_body
    inverse = floats(MODEL(stepper.model).inverse_mass)
    places = offset(ints(stepper.velocity_indices), k * stepper.bodies_per_contact)
    for b in range(stepper.bodies_per_contact):
        v = places[b]
        if v >= 0:
            for j in range(width):
                vector[v + j] += w[b * width + j] * inverse[v + j] * impulse


@jit
def begin_sweeps(stepper):
    """Targets, mobilities, and the velocities with the impulses of the last step as a first guess; returns their size.

    Newton's impact law: a sweep has no phases.
    """
    n = stepper.n_velocities
    dim = stepper.rows_per_contact
    active = ints(stepper.active)
    total = floats(stepper.P)
    target = floats(stepper.eps_gamma)
    before = floats(stepper.gamma_pre)
    impulses = floats(stepper.last_P)
    mobility = floats(CONTACT_PROBLEM(stepper.problem).b)
    free = floats(stepper.u_free)
    new = offset(floats(stepper.y_new), n)
    for j in range(n):
        new[j] = free[j]
    largest = 0.0
    for i in range(stepper.n_active):
        k = active[i]
        law = IMPACT_LAW_DATA(stepper.impact_laws, k)
        for d in range(dim):
            row = i * dim + d
            share = restitution(stepper, k, before[row]) if d == 0 else law.eps_T
            target[row] = share * before[row]
            w = direction(stepper, i, d)
            mobility[row] = own_mobility(stepper, k, w)
            total[row] = impulses[k * dim + d]
            largest = max(largest, abs(after(stepper, i, d, free) + target[row]), abs(before[row]))
            if total[row] != 0.0:
                shove(stepper, k, w, total[row], new)
    return largest


@jit
def relax(stepper, i):
    """One contact: its impulses from the present velocities; returns the largest change, as a velocity."""
    dim = stepper.rows_per_contact
    k = ints(stepper.active)[i]
    total = offset(floats(stepper.P), i * dim)
    target = offset(floats(stepper.eps_gamma), i * dim)
    mobility = offset(floats(CONTACT_PROBLEM(stepper.problem).b), i * dim)
    new = offset(floats(stepper.y_new), stepper.n_velocities)
    w = normal(stepper, i)
    speed = velocity(stepper, k, w, new) + floats(stepper.curvature_terms)[i * dim] + target[0]
    p = max(total[0] - speed / mobility[0], 0.0)
    change = abs(p - total[0]) * mobility[0]
    if p != total[0]:
        shove(stepper, k, w, p - total[0], new)
        total[0] = p
    if dim == 1:
        return change
    return max(change, rub(stepper, i, k, total, target, mobility))


@jit
def rub(stepper, i, k, total, target, mobility):
    """The tangential impulses of one contact, kept in their disc; returns the largest change, as a velocity."""
    dim = stepper.rows_per_contact
    new = offset(floats(stepper.y_new), stepper.n_velocities)
    reach = IMPACT_LAW_DATA(stepper.impact_laws, k).mu * total[0]
    heaviest = 0.0
    for d in range(1, dim):
        heaviest = max(heaviest, mobility[d])
    size = 0.0
    wanted = floats(stepper.delta_q)  # free before positions are projected
    for d in range(1, dim):
        wanted[d] = total[d] - (after(stepper, i, d, new) + target[d]) / heaviest
        size += wanted[d] * wanted[d]
    size = math.sqrt(size)
    change = 0.0
    for d in range(1, dim):
        if size > reach:
            wanted[d] *= reach / size
        change = max(change, abs(wanted[d] - total[d]) * heaviest)
        if wanted[d] != total[d]:
            shove(stepper, k, direction(stepper, i, d), wanted[d] - total[d], new)
            total[d] = wanted[d]
    return change


@jit
def extrapolate(stepper, last):
    """Go on in the direction of the last sweeps, if they still gain; returns the size of the last one, squared."""
    dim = stepper.rows_per_contact
    active = ints(stepper.active)
    total = floats(stepper.P)
    earlier = floats(stepper.P_previous)
    heading = floats(stepper.search_direction)
    mobility = floats(CONTACT_PROBLEM(stepper.problem).b)
    new = offset(floats(stepper.y_new), stepper.n_velocities)
    now = 0.0
    for row in range(stepper.n_active * dim):
        now += mobility[row] * (total[row] - earlier[row]) ** 2
    share = now / last if last > 0.0 else 2.0
    if share >= 1.0:
        share = 0.0
    for i in range(stepper.n_active):
        for d in range(dim):
            row = i * dim + d
            further = share * heading[row]
            heading[row] = further + total[row] - earlier[row]
            if further != 0.0:
                total[row] += further
                shove(stepper, active[i], direction(stepper, i, d), further, new)
    return now


@jit
def sweep_bodies(stepper):
    """NEW velocities and TOTAL impulses of all active contacts; how that ended."""
    counts = STEP_COUNTS(stepper.counts)
    total = floats(stepper.P)
    earlier = floats(stepper.P_previous)
    rows = stepper.n_active * stepper.rows_per_contact
    largest = begin_sweeps(stepper)
    counts.n_problems += 1
    counts.n_matrix_free += 1
    change = 0.0
    size = 0.0
    for sweep in range(SWEEPS):
        for row in range(rows):
            earlier[row] = total[row]
        change = 0.0
        for i in range(stepper.n_active):
            change = max(change, relax(stepper, i))
        counts.n_iterations += 1
        if change <= FINE * largest or sweep == SWEEPS - 1:
            break
        size = extrapolate(stepper, size)
    if change <= ROUGH * largest:
        return FINISHED
    count = stepper.n_active
    if stepper.accept_inexact == 0 and (count <= FEW or (count <= DENSE and not change <= COARSE * largest)):
        return MATRIX_FREE_FAILED
    counts.n_inexact += 1
    return FINISHED if change < 1e300 else NO_SOLUTION


@jit
def sweep_positions(stepper):
    """SHIFT of the coordinates that opens the active gaps; the lengths along the normals go to IMPULSE."""
    gaps = floats(MODEL(stepper.model).gaps)
    active = ints(stepper.active)
    problem = CONTACT_PROBLEM(stepper.problem)
    mobility = floats(problem.b)
    lengths = floats(problem.P)
    shift = floats(stepper.delta_q)
    dim = stepper.rows_per_contact
    deepest = 0.0
    for j in range(stepper.n_velocities):
        shift[j] = 0.0
    for i in range(stepper.n_active):
        lengths[i] = 0.0
        mobility[i * dim] = own_mobility(stepper, active[i], normal(stepper, i))
        deepest = max(deepest, -gaps[active[i]])
    for _ in range(SWEEPS):
        change = 0.0
        for i in range(stepper.n_active):
            w = normal(stepper, i)
            own = mobility[i * dim]
            moved = max(lengths[i] - (gaps[active[i]] + along(stepper, active[i], w, shift)) / own, 0.0)
            if moved != lengths[i]:
                change = max(change, abs(moved - lengths[i]) * own)
                shove(stepper, active[i], w, moved - lengths[i], shift)
                lengths[i] = moved
        if change <= 1e-6 * deepest:
            return
