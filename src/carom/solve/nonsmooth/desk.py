"""The desk of a non-smooth run: one table through which the compiled loop, schemes and contacts find everything.

Counts are stored as they are, arrays as addresses. Room for contacts grows when a step asks for more.
"""

from __future__ import annotations

SIZE = 69
(
    # the model
    BLOCK,
    PREPARE,  # kernels: forces, joints and matrix at a state
    REFRESH,  # forces alone, at other velocities (0: they do not depend on them)
    REROW,  # joints alone, at other velocities (0: none)
    SETTLE,  # state onto the joints (0: none)
    SURVEY,  # gaps
    DIRECT,  # directions of a contact
    VELOCITIES,
    ROWS,
    CONTACTS,
    DIM,  # rows of a contact
    BLOCKS,  # groups of velocities a contact acts on
    WIDTH,  # velocities of a group
    PLACES,  # first velocity of every group of every contact, −1 for the ground
    IMPACT,  # the numbers of its impact law
    PLAIN_FORCES,  # 1: forces have no gyroscopic part: their work is that of the energy books
    ABSORB,  # takes an accepted step into the orientations of spatial bodies (0: none)
    REFERENCE,  # these orientations, TURNING numbers
    TURNING,
    FREE_BODIES,  # 1: the mass matrix is diagonal and nothing is held by joints
    # the contact problem
    PROBLEM,
    SOLVERS,  # addresses, in the order in which they are tried
    SOLVER_COUNT,
    ORDER,  # places of the solvers in the order in which they are tried; then the same for many contacts
    MISSING,  # place of a solver that is wanted, but not compiled yet
    MANY,  # contacts from which sweeps over the bodies replace the Delassus matrix
    MANY_AGAIN,  # the same from the next step on
    ROUGHLY,  # 1: no solver did better than sweeps in this step, whose answer stands
    ROOM,  # contacts the arrays below are made for
    ACTIVE,  # contacts of this step, ACTIVE_COUNT of them
    ACTIVE_COUNT,
    ACTIVE_GAPS,  # in the middle of the step
    BENDS,  # change of their velocities over half a step, by the curvature of their paths
    DIRECTIONS,  # their directions, DIM rows of BLOCKS·WIDTH + 1 numbers each
    RESPONSES,  # change of all velocities for a unit impulse along each of them
    JOINT_RESPONSES,  # and the impulses in the joints it causes
    BEFORE,  # their velocities γ before the step
    TARGET,  # what is added to γ after the step to make ξ: ε γ before
    TOTAL,  # impulses of the step
    EARLIER,  # of sweeps: impulses before the last one
    HEADING,  # and the direction in which they are extrapolated
    # the step
    STEP,  # kernel
    STATE,  # (q, u)
    MIDDLE,  # the state in which a step evaluates the model
    NEW,  # the state it leads to
    FORCES,  # in the middle of the step
    FREE,  # velocities without contact impulses
    JOINT_IMPULSES,
    AIM,  # what is missing of the joints' velocities at the end of the step
    RENEWED,  # 1: forces are taken at the mean of the velocities before and after
    CURVED,  # 1: velocities of lasting contacts are those at the ends of the step, not in its middle
    SAFE,  # 1: lasting contacts stay closed, and closed contacts that open gain nothing
    PROJECTED,  # 1: overlaps are taken back
    SCHEME,  # the scheme's own floats
    SHIFT,  # change of the coordinates by projection
    # the run
    IMPULSES,  # of every contact in the last step
    CLOSED,  # whether a contact pressed in the last step: 1, or 2 (QUIET) if it does not open either
    BOOKS,  # floats: energies and works, see below
    EPISODES,  # of every contact: what will be logged of it
    LOG,
    LOGGED,
    LOG_ROOM,
    CLOCK,  # floats, see below
    COUNTS,
    OUT_T,
    OUT_Y,
    NODES,
    NODE_ROOM,
    NODE_WIDTH,
) = range(SIZE)

QUIET = 2

# Numbers of an impact law, for every contact.
IMPACT_NUMBERS = 4
RESTITUTION, COEFFICIENT, TANGENTIAL, POISSON = range(IMPACT_NUMBERS)

# BOOKS: the quadratures of the ledger, then what contacts created (in all, and at worst in one step), what they lost in
# the last step, what projection put in [J]; the losses of every contact follow.
BOOK_DISSIPATED, BOOK_APPLIED, BOOK_DRIVERS, CREATED, WORST, LOST, LIFTED, FIRST_LOSS = range(8)

# CLOCK: the beginning and end of this stretch, the length of its steps, the present time; of adaptive stepping, the
# smallest step, and what is done of the present step and how much is tried next, as parts of it.
BEGIN, END, LENGTH, NOW, SMALLEST, PART, FRACTION, CLOCK_SIZE = range(8)

# COUNTS: steps done in all; of this stretch, done and wanted; tried again with half the length; contact problems, their
# iterations; steps in which contacts created energy; every how many steps a node is kept; steps before Python is asked;
# whether steps may be halved; the contact that made a step end the run; problems whose answer is not quite exact;
# problems solved by sweeps over the bodies; contact problems each solver was asked for.
COUNT_SIZE = 22
(
    STEPS, DONE, WANTED, HALVED, SOLVES, ITERATIONS, CREATING, STRIDE, BUDGET, ADAPTIVE, CULPRIT, LOOSE, SWEPT, ASKED,
) = range(14)  # fmt: skip
MOST_SOLVERS = COUNT_SIZE - ASKED

# How a step or a stretch of them ended. TOO_LONG: contacts want a shorter step; NO_SOLVER: the next solver is not
# compiled yet; NOT_SETTLED: an implicit step did not converge; NOT_SWEPT: sweeps over the bodies did not.
(
    DONE_ALL, MORE, NO_ROOM, NOT_FINITE, LOST_RANK, NO_SOLUTION, OPEN_JOINTS, TOO_LONG, NO_SOLVER, NOT_SETTLED,
    NOT_SWEPT,
) = range(11)  # fmt: skip
