"""What time stepping asks of a spatial model: as `carom.mechanics.gaps`, with two tangents to a contact."""

from __future__ import annotations

from carom.kernels import DIRECT, RATE, SURVEY, floats, ints, kernel, offset
from carom.mechanics import gaps
from carom.mechanics.block import (
    BODIES,
    CONTACT_TABLE,
    CONTACTS,
    GAPS,
    OK,
    RECORDS,
    SEEN,
)
from carom.mechanics.contacts import (
    CONTACT_COLUMNS,
    ELASTIC_FORCE,
    FIRST_BODY,
    FRICTION_FORCE,
    INDENTATION,
    NORMAL_FORCE,
    NORMAL_X,
    NORMAL_Y,
    NORMAL_Z,
    RECORD,
    SECOND_BODY,
    SEEN_SIZE,
    STORED,
)
from carom.mechanics.gaps import STEP_FORCE, look_at_joints, prepare, refresh, rerow, settle
from carom.mechanics.rows import load_bodies
from carom.mechanics.spatial_body import WIDTH, body_at, cross
from carom.mechanics.spatial_contacts import across, meet, put_direction, show_force

__all__ = ["BLOCKS", "DIM", "DIRECTION", "direct", "look", "prepare", "refresh", "rerow", "settle", "survey"]

# The directions of a spatial contact: for the normal and two tangents, the numbers of its first body, those of the
# second, and the rheonomic term w̃ (none: what a driver moves is a body).
DIM, BLOCKS, DIRECTION = 3, gaps.BLOCKS, 2 * WIDTH + 1


@kernel(SURVEY)
def survey(t, y, block):
    """Gaps of all contacts."""
    load_bodies(y, block)
    bodies = floats(block[BODIES])
    found = floats(block[GAPS])
    for k in range(block[CONTACTS]):
        contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
        seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
        meet(block, contact, body_at(bodies, contact[FIRST_BODY]), body_at(bodies, contact[SECOND_BODY]), seen)
        found[k] = -seen[INDENTATION]


@kernel(DIRECT)
def direct(k, out, block):
    bodies = floats(block[BODIES])
    contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
    seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
    a = body_at(bodies, contact[FIRST_BODY])
    b = body_at(bodies, contact[SECOND_BODY])
    nx = seen[NORMAL_X]
    ny = seen[NORMAL_Y]
    nz = seen[NORMAL_Z]
    tx, ty, tz = across(nx, ny, nz)
    sx, sy, sz = cross(nx, ny, nz, tx, ty, tz)
    first = 1.0
    second = -1.0
    for d in range(3):
        if d == 1:
            nx = tx
            ny = ty
            nz = tz
        elif d == 2:
            nx = sx
            ny = sy
            nz = sz
        row = offset(out, d * DIRECTION)
        put_direction(a, first, seen, nx, ny, nz, row)
        put_direction(b, second, seen, nx, ny, nz, offset(row, WIDTH))
        row[DIRECTION - 1] = 0.0


@kernel(RATE)
def look(t, y, ydot, block):
    """A node of time stepping as `observe` sees it: multipliers stand behind the state, forces in the records."""
    look_at_joints(t, y, ydot, block)
    bodies = floats(block[BODIES])
    for k in range(block[CONTACTS]):
        contact = offset(ints(block[CONTACT_TABLE]), k * CONTACT_COLUMNS)
        record = offset(floats(block[RECORDS]), k * RECORD)
        seen = offset(floats(block[SEEN]), k * SEEN_SIZE)
        meet(block, contact, body_at(bodies, contact[FIRST_BODY]), body_at(bodies, contact[SECOND_BODY]), seen)
        tx, ty, tz = across(seen[NORMAL_X], seen[NORMAL_Y], seen[NORMAL_Z])
        sx, sy, sz = cross(seen[NORMAL_X], seen[NORMAL_Y], seen[NORMAL_Z], tx, ty, tz)
        one = record[STEP_FORCE + 1]
        two = record[STEP_FORCE + 2]
        seen[NORMAL_FORCE] = record[STEP_FORCE]
        seen[FRICTION_FORCE] = (one * one + two * two) ** 0.5
        seen[ELASTIC_FORCE] = 0.0
        seen[STORED] = 0.0
        show_force(contact, seen, one * tx + two * sx, one * ty + two * sy, one * tz + two * sz)
    return OK
