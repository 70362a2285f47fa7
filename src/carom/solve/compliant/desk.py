"""The desk, where integrators and watchers of contacts lay things for each other, and the events they speak of."""

from __future__ import annotations

# Events, in the order in which they are looked for.
KINDS = 6
ONSET, SEPARATION, RELEASE, ENGAGE, TURN, RELOAD = range(KINDS)

# The desk, where watchers and integrators lay things for each other. Fractions are of the step.
CONTACT, KIND, GUESS, SLOPE, VALUE, RESOLUTION, ERROR, SHORTEST, DEPTH, LOGGED, REQUESTS, WHOSE, WHAT, FOUND, PACE = (
    range(15)
)
FIRST_REQUEST, MOST_REQUESTS = 16, 16  # (fraction, contact, what) of states where a largest value is to be read
FIRST_LOG, LOG_COLUMNS, LOG_ROWS = 64, 12, 256
(
    LOG_CONTACT,
    LOG_START,
    LOG_END,
    LOG_APPROACH,
    LOG_SEPARATION,
    LOG_PEAK,
    LOG_LARGEST,
    LOG_NORMAL_LOSS,
    LOG_FRICTION_LOSS,
    LOG_TURNS,
    LOG_FIRST_DEPTH,
    LOG_OPEN,
) = range(LOG_COLUMNS)

LARGEST_FORCE, LARGEST_INDENTATION = range(2)

QUARTERS = 4
"""Parts of a step in which contacts are looked at."""
NUDGE = 3e-4
"""Fraction of a step over which the slope of a force is taken: long enough that rounding of the coordinates, 1e-10 of a
small indentation, does not displace the peak, and so short that a peak in the last fraction is not missed by 1e-9."""
ROUNDING = 4e-16
"""Of the coordinates: what an indentation can be known to."""

# How the beginning of a contact is found: as an event, by rejecting steps that begin too deep, by interpolating back
# from them (procedures 2 and 1 of paper T), or not at all.
EVENT, REJECT, INTERPOLATE, NONE = range(4)

# What a run is given of its contacts: addresses, in this order; an empty array where there are none.
WATCH, AIM, SWITCH, MEASURE, READ, WEIGH, SETTLE, NEW_DEPTH = range(8)

COUNTS = 12
(
    STEPS,
    REJECTED,
    EVALUATIONS,
    NODES,
    NEXT_STOP,
    CAREFUL,
    EVENTS,
    TOO_DEEP,
    DODGES,
    SAFE,
    AT_ONCE,
    CROWD,
) = range(COUNTS)
"""What a run counts, and what it carries from chunk to chunk: tries to avoid an unsafe pivot, whether the present state
has a safe one, events without a step between them, attempted steps since the last moment that counts as progress."""

MOMENT = 1e-12
"""Fraction of a run that counts as progress."""

MOST_TRIES, TRIES_PER_CONTACT = 2000, 20
"""Attempted steps without progress after which a run ends."""

SMALLEST = 4e-16
"""Of the time scale: what the clock can resolve."""
