"""What is logged of contacts: a contact is one episode from its first impulse to its last."""

from __future__ import annotations

from carom.kernels import floats, ints, jit, offset
from carom.solve.nonsmooth.desk import (
    ACTIVE,
    ACTIVE_COUNT,
    ACTIVE_GAPS,
    BEFORE,
    BOOKS,
    CONTACTS,
    DIM,
    EPISODES,
    FIRST_LOSS,
    IMPULSES,
    LOG,
    LOGGED,
    NEW,
    VELOCITIES,
)
from carom.solve.nonsmooth.touching import after

PAUSE = 2
"""Steps without impulse that do not end an episode: a rebound as short as that is below what the steps resolve."""

# An episode of a contact, and a row of the log.
EPISODE = 14
(
    CONTACT,
    START,
    END,  # middle of the last step with an impulse
    APPROACH,
    SEPARATION,
    PEAK,
    DEEPEST,
    NORMAL_LOSS,  # while it lasts: what the books showed before it began
    FRICTION_LOSS,
    COMPRESSIONS,
    FIRST_DEPTH,
    IDLE,  # steps since the last impulse; in the log: whether it still lasts
    IMPULSE,
    OPEN,  # whether there is an episode
) = range(EPISODE)


@jit
def follow(t, h, desk):
    """Continue, begin or end the episodes of all contacts after a step from t to t + h."""
    episodes = floats(desk[EPISODES])
    impulses = floats(desk[IMPULSES])
    dim = desk[DIM]
    for k in range(desk[CONTACTS]):
        episode = offset(episodes, k * EPISODE)
        if impulses[k * dim] > 0.0 or episode[OPEN] == 0.0:
            continue
        episode[IDLE] += 1.0
        if episode[IDLE] > PAUSE:
            still = 0.0
            write(desk, k, still)
    active = ints(desk[ACTIVE])
    gaps = floats(desk[ACTIVE_GAPS])
    before = floats(desk[BEFORE])
    new = offset(floats(desk[NEW]), desk[VELOCITIES])
    d = 0 * dim
    for i in range(desk[ACTIVE_COUNT]):
        k = active[i]
        p = impulses[k * dim]
        if not p > 0.0:
            continue
        episode = offset(episodes, k * EPISODE)
        if episode[OPEN] == 0.0:
            lost = episode[NORMAL_LOSS]
            rubbed = episode[FRICTION_LOSS]
            for j in range(EPISODE):
                episode[j] = 0.0
            episode[NORMAL_LOSS] = lost
            episode[FRICTION_LOSS] = rubbed
            episode[CONTACT] = k
            episode[OPEN] = 1.0
            episode[START] = t + 0.5 * h
            episode[APPROACH] = max(-before[i * dim], 0.0)
            episode[FIRST_DEPTH] = max(-gaps[i], 0.0)
            episode[IDLE] = 1.0
        if episode[IDLE] > 0.0:
            episode[COMPRESSIONS] += 1.0
        episode[IDLE] = 0.0
        episode[END] = t + 0.5 * h
        episode[SEPARATION] = max(after(desk, i, d, new), 0.0)
        episode[PEAK] = max(episode[PEAK], p / h)
        episode[DEEPEST] = max(episode[DEEPEST], -gaps[i])
        episode[IMPULSE] += p


@jit
def write(desk, k, still):
    """Put the episode of contact ``k`` into the log."""
    books = floats(desk[BOOKS])
    episode = offset(floats(desk[EPISODES]), k * EPISODE)
    row = offset(floats(desk[LOG]), desk[LOGGED] * EPISODE)
    for j in range(EPISODE):
        row[j] = episode[j]
    row[NORMAL_LOSS] = books[FIRST_LOSS + 2 * k] - episode[NORMAL_LOSS]
    row[FRICTION_LOSS] = books[FIRST_LOSS + 2 * k + 1] - episode[FRICTION_LOSS]
    row[IDLE] = still
    desk[LOGGED] += 1
    episode[OPEN] = 0.0
    episode[NORMAL_LOSS] = books[FIRST_LOSS + 2 * k]
    episode[FRICTION_LOSS] = books[FIRST_LOSS + 2 * k + 1]
