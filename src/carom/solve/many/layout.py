"""What the compiled functions for many bodies read and write, and where it is.

Body 0 is the ground. Pairs are kept by their first body: those of body i are FIRST[i] … FIRST[i + 1] − 1. Work is
divided into pieces of CHUNK bodies whatever the number of threads, and every piece writes numbers of its own only; so
the result does not depend on the threads.
"""

from __future__ import annotations

# A body as pair forces read it: position, radius of the ball about it, velocity half a step before and 1/m, angular
# velocity then in global axes and 1/I of its smallest inertia. Two cache lines; a pair that does not touch reads one.
HOT = 16
X, RADIUS, V, LIGHT, W, NIMBLE = 0, 3, 4, 7, 8, 11

# The rest of it: velocity, angular momentum in global axes, orientation of the principal axes, acceleration and
# torque [global axes], mass, principal inertias, whether they are one, where it was when the list was made, how far it
# may have turned since then and how far its shapes reach, whether its pose is wanted.
COLD = 32
VELOCITY, MOMENTUM, TURNED, ACCELERATION, TORQUE, MASS, INERTIA, ROUND, WAS, ANGLE, REACH, POSED = (
    0, 3, 6, 10, 13, 16, 17, 20, 21, 24, 25, 26,
)  # fmt: skip

POSE = 12
# Force and moment on a body; of a pair, those on the second body, and what of the normal force was damping.
WRENCH = 8
DAMPED = 6

# Columns of ENTRIES: the second body; the group, of two balls about the origins of their bodies, else −1 − the kind.
ENTRY = 2
OTHER, CODE = range(ENTRY)

# What a pair that touches remembers: its approach speed; rate of indentation, sliding velocity and friction at the
# evaluation before.
RECORD = 8
APPROACH, RATE, SLID, RUBBED = 0, 1, 2, 5

# What it remembers besides, for laws that ask for it: where it turned back; the state of friction, in global axes.
STATE = 8
DEEPEST, UNLOADING, LARGEST, SLIP = 0, 1, 2, 3

# What is seen of a pair at a node.
SEEN = 4
INDENTATION, NORMAL_FORCE, STORED, GROUP_SEEN = range(SEEN)

# Columns of KINDS: pairs of shapes other than two balls.
KIND = 5
PAIR_KERNEL, PAIR_PAR, SWAPPED, GROUP, CENTRED = range(KIND)
"""CENTRED: 1 when the first shape is a ball about the origin of its body, 2 the second one, 3 both: their bodies need
no orientation."""

# Columns of GROUPS.
LAWS = 5
LAW, LAW_PAR, FRICTION, FRICTION_PAR, FLAGS = range(LAWS)
UNLOADS, PULLS, STATES, PLAIN, POWER = 1, 2, 4, 8, 16
"""PLAIN: friction is Coulomb's; POWER: the law is K δⁿ (1 + A δ̇/v⁻). Both are evaluated on the spot."""

# Per piece of work: what was dissipated and rubbed away so far [J].
LOSS = 8
DISSIPATED, RUBBED_AWAY = range(2)

# Per thread: what pairs, laws and friction are asked and answer.
SCRATCH = 64
PAIR_OUT, LAW_STATE, LAW_OUT, FRICTION_IN, FRICTION_OUT = 0, 16, 24, 32, 40

# The plan: addresses and counts.
PLAN = 40
(
    SHARED_AT, BODIES, CHUNK, CHUNKS, HOT_AT, COLD_AT, POSES_AT, FIRST_AT, ENTRIES_AT, TOUCHING_AT, WRENCHES_AT,
    RECORDS_AT, MEMORY_AT, MEMORY_SIZE, ARRIVALS_FIRST_AT, ARRIVALS_AT, KINDS_AT, GROUPS_AT, PAR_AT, SCRATCH_AT,
    LOSSES_AT, SEEN_AT, NUMBERS_AT, STEPS, DONE, STAGE, MOVED, BUDGET, STATES_AT,
) = range(29)  # fmt: skip
# Of it, NUMBERS: the step [s], that of the friction's states and that of the limits on damping; gravity; how far a body
# may move until the list is made anew.
NUMBERS = 8
H, H_SLIP, H_LIMIT, GRAVITY, LIMIT = 0, 1, 2, 3, 6

# STAGE: a step begins with the bodies, or goes on with the pairs.
FROM_BODIES, FROM_PAIRS = range(2)

# How a call of the loop ended.
FINISHED, STALE, MORE, GIVEN_UP = range(4)
