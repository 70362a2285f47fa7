"""Work of the normal force over the sliding distance, accumulated at the sites of the surfaces that wear.

Sites are the sectors of a circumference, by the direction of the contact normal in the axes of the body. Beside the
work [J] each site has the integral of the indentation over it [J m], whose ratio is the mean overlap.
"""

from __future__ import annotations

import math

from carom.kernels import INT, floats, jit, offset, record

WEAR = record(
    contact=INT,
    n_sites=INT,  # of each of the two surfaces
    work_offset=INT,  # in `wear_work`: work and overlap of the pair's first body, then of the second
)


@jit
def add_at_sector(work, n, angle, amount, overlap):
    """Distribute an amount of work over the two sectors nearest to an angle."""
    x = angle * n / (2.0 * math.pi)
    floor = math.floor(x)
    t = x - floor
    i = int(floor) % n
    j = (i + 1) % n
    work[i] += (1.0 - t) * amount
    work[j] += t * amount
    work[n + i] += (1.0 - t) * amount * overlap
    work[n + j] += t * amount * overlap


@jit
def add_work(model, wear, a, b, contact_state, amount):
    """Add work [J] of a contact with the normal and indentation of ``contact_state``, between the bodies a and b."""
    nx = contact_state.nx
    ny = contact_state.ny
    overlap = max(contact_state.indentation, 0.0)
    n = wear.n_sites
    work = offset(floats(model.wear_work), wear.work_offset)
    for side in range(2):
        R = a.R if side == 0 else b.R
        angle = math.atan2(R[1] * nx + R[4] * ny, R[0] * nx + R[3] * ny)
        add_at_sector(offset(work, 2 * n * side), n, angle, amount, overlap)
