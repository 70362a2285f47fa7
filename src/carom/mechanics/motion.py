"""The equations of motion as y' = f(t, y), and the projection of y onto the constraints.

y = (coordinates, velocities, orientations of spatial bodies, states of contacts, quadratures): the quadratures are the
dissipated energy, the work of applied forces, the work of drivers and what each contact dissipates, integrated beside
the motion so that the books of energy can be closed.
"""

from __future__ import annotations

from carom.kernels import LOAD, PROJECT, RATE, call_contacts, call_load, call_spin, floats, jit, kernel, offset
from carom.mechanics.block import (
    ABSORB_KERNEL,
    ACCELERATION,
    ALPHA,
    BETA,
    BOTTOM,
    CONTACT_KERNEL,
    DISSIPATED_ENERGY,
    DRIVER_WORK,
    EVALUATED,
    GAMMA,
    MULTIPLIERS,
    NOT_CONVERGED,
    NU,
    OK,
    OWN_STATES,
    PHI,
    QUADRATURES,
    REACTIONS,
    ROWS,
    SETTINGS,
    SPIN_KERNEL,
    STATE,
    STATE_SIZE,
    TOP,
    VELOCITIES,
)
from carom.mechanics.kkt import factor, solve
from carom.mechanics.rows import finish_forces, load_bodies, load_forces, load_rows, rows_times

ITERATIONS = 12
"""Newton steps of a projection from close by."""

SLACK = 4e-15
"""Residuals are reduced to this part of the largest coordinate (about twenty units in the last place)."""


@jit
def evaluate(t, y, ydot, block):
    """[M Φ_qᵀ; Φ_q 0] [a; λ] = [Q; γ − 2α Φ̇ − β² Φ]."""
    n = block[VELOCITIES]
    m = block[ROWS]
    v = offset(y, n)
    quadrature = offset(ydot, 2 * n + block[OWN_STATES])
    phi = floats(block[PHI])
    nu = floats(block[NU])
    gamma = floats(block[GAMMA])
    bottom = floats(block[BOTTOM])
    settings = floats(block[SETTINGS])
    multipliers = floats(block[MULTIPLIERS])
    a = floats(block[ACCELERATION])
    load_bodies(y, block)
    load_forces(t, block, offset(quadrature, DISSIPATED_ENERGY))
    if block[CONTACT_KERNEL] != 0:
        losses = offset(quadrature, QUADRATURES)
        call_contacts(block[CONTACT_KERNEL], offset(y, 2 * n), offset(ydot, 2 * n), losses, block)
    finish_forces(block)
    load_rows(t, block)
    alpha = settings[ALPHA]
    beta = settings[BETA]
    if alpha != 0.0 or beta != 0.0:
        for r in range(m):
            bottom[r] = 0.0
        rows_times(block, v, bottom)
        for r in range(m):
            bottom[r] = gamma[r] - 2.0 * alpha * (bottom[r] - nu[r]) - beta * beta * phi[r]
    else:
        for r in range(m):
            bottom[r] = gamma[r]
    status = factor(block)
    solve(block)
    power = 0.0
    for r in range(m):
        power -= multipliers[r] * nu[r]
    quadrature[DRIVER_WORK] = power
    for i in range(n):
        ydot[i] = v[i]
        ydot[n + i] = a[i]
    if block[SPIN_KERNEL] != 0:
        call_spin(block[SPIN_KERNEL], y, ydot, block)
    return status


@kernel(RATE)
def rate(t, y, ydot, block):
    return evaluate(t, y, ydot, block)


@jit
def largest(values, count):
    result = 0.0
    for i in range(count):
        size = abs(values[i])
        if not size <= result:  # NaN counts as large
            result = size
    return result


@jit
def absorb(y, block):
    """Corrections of the coordinates of spatial bodies become part of their orientation."""
    if block[ABSORB_KERNEL] != 0:
        call_load(block[ABSORB_KERNEL], y, block)


@jit
def correct_positions(t, y, block, refactor, iterations):
    """Newton's method on Φ(q, t) = 0 with mass-weighted least change; leaves the rows at the new position."""
    n = block[VELOCITIES]
    m = block[ROWS]
    phi = floats(block[PHI])
    top = floats(block[TOP])
    bottom = floats(block[BOTTOM])
    change = floats(block[ACCELERATION])
    small = SLACK * (1.0 + largest(y, n))
    before = largest(phi, m)
    for _ in range(iterations):
        if before <= small:
            return OK
        for i in range(n):
            top[i] = 0.0
        for r in range(m):
            bottom[r] = -phi[r]
        solve(block)
        for i in range(n):
            y[i] += change[i]
        if refactor:  # from afar: large rotations do not add up
            absorb(y, block)
        load_bodies(y, block)
        load_rows(t, block)
        if refactor:
            factor(block)
        now = largest(phi, m)
        if not refactor and not now < 0.5 * before:  # roundoff reached
            break
        before = now
    return OK if largest(phi, m) <= 1e-12 * (1.0 + largest(y, n)) else NOT_CONVERGED


@jit
def correct_velocities(y, block):
    """Mass-weighted least change of the velocities onto Φ_q v = ν, with the rows loaded and factorised.

    The factors may belong to a position close by, so the correction is repeated until it gains nothing. The impulses
    it takes are left in REACTIONS.
    """
    n = block[VELOCITIES]
    m = block[ROWS]
    v = offset(y, n)
    nu = floats(block[NU])
    top = floats(block[TOP])
    bottom = floats(block[BOTTOM])
    change = floats(block[ACCELERATION])
    multipliers = floats(block[MULTIPLIERS])
    reactions = floats(block[REACTIONS])
    for r in range(m):
        reactions[r] = 0.0
    before = 1e300
    for _ in range(ITERATIONS):
        for i in range(n):
            top[i] = 0.0
        for r in range(m):
            bottom[r] = 0.0
        rows_times(block, v, bottom)
        for r in range(m):
            bottom[r] = nu[r] - bottom[r]
        now = largest(bottom, m)
        if now <= SLACK * (1.0 + largest(v, n)) or not now < 0.5 * before:
            return
        before = now
        solve(block)
        for i in range(n):
            v[i] += change[i]
        for r in range(m):
            reactions[r] += multipliers[r]


@jit
def move(t, y, block):
    """Move y onto the constraints from close by (an integration step away): one factorisation.

    None where the setting EVALUATED says, once, that the last evaluation was that of this y.
    """
    if block[ROWS] == 0:
        absorb(y, block)
        return OK
    settings = floats(block[SETTINGS])
    if settings[EVALUATED] == 0.0:
        load_bodies(y, block)
        load_rows(t, block)
        factor(block)
    settings[EVALUATED] = 0.0
    status = correct_positions(t, y, block, False, ITERATIONS)
    correct_velocities(y, block)
    absorb(y, block)
    return status


@kernel(PROJECT)
def project(t, y, block):
    return move(t, y, block)


@kernel(PROJECT)
def normalise(t, y, block):
    """Orientations of spatial bodies back to unit length, and nothing else."""
    absorb(y, block)
    return OK


@kernel(LOAD)
def load(y, block):
    """Body records of a state."""
    load_bodies(y, block)


@kernel(RATE)
def careful_rate(t, y, ydot, block):
    """f(P(y)): the equations of motion at the nearest state that satisfies the constraints.

    On the constraints it is `rate`. Off them, near a singular position, `rate` has a pole: an error δ of a stage
    gives accelerations of order δ/σ, σ the smallest singular value of Φ_q; here it does not.
    """
    state = floats(block[STATE])
    for i in range(block[STATE_SIZE]):
        state[i] = y[i]
    status = move(t, state, block)
    return max(status, evaluate(t, state, ydot, block))


@kernel(PROJECT)
def tangential(t, y, block):
    """Take from a change of y what the constraints would undo, at the rows loaded and factorised last."""
    n = block[VELOCITIES]
    m = block[ROWS]
    top = floats(block[TOP])
    bottom = floats(block[BOTTOM])
    change = floats(block[ACCELERATION])
    for half in range(2):
        part = offset(y, half * n)
        for i in range(n):
            top[i] = 0.0
        for r in range(m):
            bottom[r] = 0.0
        rows_times(block, part, bottom)
        for r in range(m):
            bottom[r] = -bottom[r]
        solve(block)
        for i in range(n):
            part[i] += change[i]
    return OK


@kernel(PROJECT)
def assemble(t, y, block):
    """Move y onto the constraints from afar: the matrix is renewed in every iteration."""
    if block[ROWS] == 0:
        absorb(y, block)
        return OK
    load_bodies(y, block)
    load_rows(t, block)
    factor(block)
    status = correct_positions(t, y, block, True, 8 * ITERATIONS)
    correct_velocities(y, block)
    absorb(y, block)
    return status
