"""What time stepping asks of a system in generalised coordinates: mass matrix, forces, gaps, directions."""

from __future__ import annotations

import math

from carom.kernels import DIRECT, FACTOR, PROJECT, SOLVE, SURVEY, call_general, floats, ints, jit, kernel, offset
from carom.kernels.address import first
from carom.mechanics.block import CONTACTS, GAPS, GENERAL, OK, POWER, RESIDUAL_TOP, SINGULAR, TOP, VELOCITIES
from carom.mechanics.kkt import factor as factorise

# The system's own table.
SLOTS = 12
(
    MASS_KERNEL,
    FORCE_KERNEL,
    GAP_KERNEL,
    DIRECTION_KERNEL,
    MATRIX,  # M, then its Cholesky factor below the diagonal, 1/L on it
    ROWS_OF_DIRECTIONS,  # numbers of all contacts
    ROW_COUNT,  # numbers of one contact
    SURVEYED,  # the time and state of the last survey, and whether the directions belong to it
    BOOKED,  # 1: the forces do work that no potential accounts for, and it is booked as applied
    POTENTIAL_KERNEL,  # 0: there is none
    SHIFTED,  # coordinates beside the present ones
    SHIFTED_MATRIX,  # M there
) = range(SLOTS)

SMALLEST_PIVOT = 1e-14
"""Of the diagonal of M: below it the matrix is singular."""
SHIFT, LONGEST_SHIFT = 6e-6, 1e-4
"""Difference of the coordinates, relative to their size, and of time [s], by which the rates of M and V are found."""


@jit
def kinetic(f, matrix, u):
    """Return u·M u/2 [J]."""
    energy = 0.0
    for i in range(f):
        for j in range(f):
            energy += 0.5 * u[i] * matrix[i * f + j] * u[j]
    return energy


@jit
def book(t, q, u, block):
    """Put the power of forces without a potential, u·h + u·Ṁ u/2 + V̇ [W], into POWER.

    It is the rate of the energy without contacts: the second term is what gyroscopic forces in h take.
    """
    table = ints(block[GENERAL])
    if table[BOOKED] == 0:
        return
    n = block[VELOCITIES]
    top = floats(block[TOP])
    power = 0.0
    size = 1.0
    speed = 0.0
    for i in range(n):
        power += u[i] * top[i]
        size = max(size, abs(q[i]))
        speed = max(speed, abs(u[i]))
    if speed > 0.0:
        beside = floats(table[SHIFTED])
        matrix = floats(table[SHIFTED_MATRIX])
        by = min(SHIFT * size / speed, LONGEST_SHIFT)
        for sign in range(-1, 2, 2):
            for i in range(n):
                beside[i] = q[i] + sign * by * u[i]
            call_general(table[MASS_KERNEL], t + sign * by, beside, u, matrix)
            energy = kinetic(n, matrix, u)
            if table[POTENTIAL_KERNEL] != 0:
                call_general(table[POTENTIAL_KERNEL], t + sign * by, beside, u, matrix)
                energy += matrix[0]
            power += sign * energy / (2.0 * by)
    floats(block[POWER])[1] = power


@kernel(PROJECT)
def prepare(t, y, block):
    table = ints(block[GENERAL])
    u = offset(y, block[VELOCITIES])
    call_general(table[MASS_KERNEL], t, y, u, floats(table[MATRIX]))
    call_general(table[FORCE_KERNEL], t, y, u, floats(block[TOP]))
    book(t, y, u, block)
    return factorise(block)


@kernel(PROJECT)
def refresh(t, y, block):
    """The forces alone, at other velocities."""
    table = ints(block[GENERAL])
    u = offset(y, block[VELOCITIES])
    call_general(table[FORCE_KERNEL], t, y, u, floats(block[TOP]))
    book(t, y, u, block)
    return OK


@kernel(SURVEY)
def survey(t, y, block):
    table = ints(block[GENERAL])
    n = block[VELOCITIES]
    seen = floats(table[SURVEYED])
    if block[CONTACTS] > 0:
        call_general(table[GAP_KERNEL], t, y, offset(y, n), floats(block[GAPS]))
    seen[0] = 0.0
    seen[1] = t
    for i in range(2 * n):
        seen[2 + i] = y[i]


@kernel(DIRECT)
def direct(k, out, block):
    """One call gives the directions of all contacts: it is made for the first contact that asks."""
    table = ints(block[GENERAL])
    seen = floats(table[SURVEYED])
    rows = floats(table[ROWS_OF_DIRECTIONS])
    count = table[ROW_COUNT]
    if seen[0] == 0.0 and block[CONTACTS] > 0:
        q = offset(seen, 2)
        call_general(table[DIRECTION_KERNEL], seen[1], q, offset(q, block[VELOCITIES]), rows)
        seen[0] = 1.0
    for j in range(count):
        out[j] = rows[k * count + j]


@kernel(FACTOR)
def factor(block):
    """Cholesky's factors of M, in its place."""
    matrix = floats(ints(block[GENERAL])[MATRIX])
    n = block[VELOCITIES]
    for j in range(n):
        pivot = matrix[j * n + j]
        least = SMALLEST_PIVOT * abs(pivot)
        for k in range(j):
            pivot -= matrix[j * n + k] * matrix[j * n + k]
        if not pivot > least:
            return SINGULAR
        inverse = 1.0 / math.sqrt(pivot)
        for i in range(j + 1, n):
            value = matrix[i * n + j]
            for k in range(j):
                value -= matrix[i * n + k] * matrix[j * n + k]
            matrix[i * n + j] = value * inverse
        matrix[j * n + j] = inverse
    return OK


@kernel(SOLVE)
def solve(block):
    matrix = floats(ints(block[GENERAL])[MATRIX])
    x = floats(block[RESIDUAL_TOP])
    n = block[VELOCITIES]
    for i in range(n):
        value = x[i]
        for k in range(i):
            value -= matrix[i * n + k] * x[k]
        x[i] = value * matrix[i * n + i]
    for i in range(n - 1, -1, -1):
        value = x[i]
        for k in range(i + 1, n):
            value -= matrix[k * n + i] * x[k]
        x[i] = value * matrix[i * n + i]


# What is shown of a contact in generalised coordinates.
SHOWN_NAMES = ("indentation", "rate", "normal_force", "friction_force", "sliding_speed", "mode")
SHOWN_UNITS = ("m", "m/s", "N", "N", "m/s", "1")
SHOWN = len(SHOWN_NAMES)


@jit
def observe(t, y, addresses, sizes, forces, scratch, places, rates, contacts, energies):
    """For every node: bodies and their velocities, contacts (with ``forces``), kinetic and potential energy.

    ``addresses`` are those of mass, potential, gaps, directions, bodies and body rates (0: none); ``sizes`` the numbers
    of coordinates, contacts, directions and bodies; ``scratch`` is large enough for any of them.
    """
    f, count, dim, bodies = sizes[0], sizes[1], sizes[2], sizes[3]
    out = first(scratch)
    for node in range(t.shape[0]):
        q = first(y[node])
        u = offset(q, f)
        call_general(addresses[0], t[node], q, u, out)
        energies[node, 0] = kinetic(f, out, u)
        if addresses[1] != 0:
            call_general(addresses[1], t[node], q, u, out)
            energies[node, 1] = out[0]
        if addresses[2] != 0:
            call_general(addresses[2], t[node], q, u, out)
            for k in range(count):
                contacts[node, k, 0] = -out[k]
            call_general(addresses[3], t[node], q, u, out)
            for k in range(count):
                for d in range(min(dim, 3)):
                    row = offset(out, (k * dim + d) * (f + 1))
                    speed = row[f]
                    for j in range(f):
                        speed += row[j] * u[j]
                    if d == 0:
                        contacts[node, k, 1] = -speed
                        contacts[node, k, 2] = forces[node, k, 0]
                    elif dim == 2:
                        contacts[node, k, 3] = forces[node, k, 1]
                        contacts[node, k, 4] = speed
                    else:
                        contacts[node, k, 3] = math.hypot(contacts[node, k, 3], forces[node, k, d])
                        contacts[node, k, 4] = math.hypot(contacts[node, k, 4], speed)
        if addresses[4] != 0:
            call_general(addresses[4], t[node], q, u, out)
            for j in range(3 * bodies):
                places[node, j] = out[j]
            call_general(addresses[5], t[node], q, u, out)
            for j in range(3 * bodies):
                row = offset(out, j * (f + 1))
                speed = row[f]
                for i in range(f):
                    speed += row[i] * u[i]
                rates[node, j] = speed
