"""The table of an event-driven run: where its compiled functions find everything beside the desk.

Counts are stored as they are, arrays as addresses.
"""

from __future__ import annotations

SIZE = 34
(
    DESK,  # of the run (see `carom.solve.nonsmooth.desk`): model, active contacts, their matrix
    RATE,  # kernel: the slope at a state
    STATES,  # numbers of the state: (q, u), quadratures of the ledger, losses and normal impulses of contacts
    # the Runge–Kutta method
    STAGES,
    EXTRA,  # stages of its dense output
    DENSE_ORDER,
    A,
    C,
    ERROR,
    ERROR_3,
    EXTRA_A,
    EXTRA_C,
    DENSE,
    # a step
    Y,  # the state it begins with
    K,  # slopes of the stages, row by row
    NEW,  # the state it leads to
    TRIAL,  # a state of a stage or inside the step
    SLOPE,
    LARGEST,  # sizes the coordinates and velocities have had
    NUMBERS,  # floats, see below
    # contacts
    MODES,  # of every contact, see below
    FORCES,  # λ of the active contacts, DIM rows each [N]
    BIAS,  # ẇ·u + dw̃/dt of their rows [m/s²]
    FREE_RATES,  # dγ/dt of their rows without contact forces
    SYSTEM,  # the equations for λ in these modes
    FACTORS,
    ROWS_OF_SYSTEM,  # which rows of the active contacts they are, and the order of their pivots
    SHIFTED,  # a state a little before or after
    GAPS,  # of every contact at the state looked at last
    SPEEDS,  # γ of its DIM rows
    BOUNDS,  # how fast its gap could change
    FASTEST,  # the largest of these so far
    MEMO,  # of every contact: what a look over a step remembers
    MARGINS,  # two for every active contact: what must not become negative
) = range(SIZE)

# Modes of a contact: apart, or closed: sticking, sliding with γ_T > 0 or γ_T < 0, and without friction.
OPEN, STICK, FORWARD, BACKWARD, SMOOTH = range(5)

# NUMBERS: tolerances; the error of a step in units of them; the last moment before the next stop; the time over which
# directions are differenced; whether the closed contacts depend on each other (1) or not (0); where in a step an event
# was seen (fractions of it); the sample at which a look begins.
NUMBER_COUNT = 9
RTOL, ATOL, STEP_ERROR, LATEST, SHIFT_TIME, REDUNDANT, FROM, TO, SAMPLE = range(NUMBER_COUNT)

MEMO_SIZE = 6
# Gap, normal velocity and bound at the last sample, velocity half-way to the next, whether the flight began at this
# step, the gap at the new sample.
LAST_GAP, LAST_SPEED, LAST_BOUND, HALF_SPEED, FRESH, NEXT_GAP = range(MEMO_SIZE)

TOUCHING = 1e-12
"""Gap [m] below which contacts touch: what rounding leaves of a located impact, and contacts that strike together."""

NOISE = 1e-11
"""Of the largest speed a contact has had: velocities below it are rounding."""

SLOWEST = 1e-9
"""Speed [m/s] that every contact is taken to have had."""

SHARED = 1e-4
"""Fraction of the largest speed of all contacts that every contact is taken to have had."""

WEAK = 1e-9
"""Of the largest forces of the closed contacts: forces below it are rounding."""
