"""The table of tables: one array of integers through which compiled code finds everything.

Counts are stored as they are, arrays as addresses. `carom.tables` fills it and keeps the arrays alive.
"""

from __future__ import annotations

SIZE = 58
(
    # sizes
    BODY_COUNT,  # bodies without the ground
    VELOCITIES,  # velocity coordinates
    BODY_WIDTH,  # of one body
    DIM,  # of them, those of its centre of mass: 2 or 3
    ROWS,  # constraint equations
    JOINTS,  # entries of JOINT_TABLE
    FORCES,  # entries of FORCE_TABLE
    LINKS,  # entries of LINK_TABLE
    CONTACTS,  # entries of CONTACT_TABLE
    CONTACT_KERNEL,  # address of the function that evaluates them
    GLANCE_KERNEL,  # of the function that looks at one of them inside a step
    OWN_STATES,  # of contacts, behind the velocities in y
    STATE_SIZE,  # numbers in y
    # constants of the model
    MASS,  # diagonal of M
    INVERSE_MASS,
    WEIGHT,  # generalised force of gravity
    JOINT_TABLE,
    FORCE_TABLE,
    LINK_TABLE,  # (row, place in JAC, velocity coordinate) of every 1×3 block of Φ_q that moves a body (see TRIPLE)
    CONTACT_TABLE,
    MEMBERS,
    HOMES,  # first velocity of every member; −1 for the ground and for what is no body
    PAR,
    SETTINGS,
    # workspace
    BODIES,
    PHI,
    NU,
    GAMMA,
    JAC,
    OUT,
    TOP,  # right-hand side of the dynamics, Q
    BOTTOM,  # right-hand side of the constraints
    ACCELERATION,
    MULTIPLIERS,
    RESIDUAL_TOP,
    RESIDUAL_BOTTOM,
    STATE,  # room for one y
    REACTIONS,  # impulses of the last correction of velocities
    # of contacts
    MEMORY_COUNT,
    MEMORY,  # where the search for the closest points goes on
    SAVED_MEMORY,  # the same at the last state that was accepted
    RECORDS,  # what a contact remembers between steps
    SEEN,  # what the last evaluation saw of it
    SCRATCH,
    # of time stepping
    GAPS,  # of all contacts
    POWER,  # dissipated and applied, by forces
    GENERAL,  # the table of a system in generalised coordinates
    # of spatial bodies (see `carom.mechanics.spatial`); addresses are 0 in a planar model
    LOAD_KERNEL,
    SPIN_KERNEL,
    ABSORB_KERNEL,
    TURN_ROWS,
    TURN_FORCES,
    PRINCIPAL,
    REFERENCE,
    # what a unit normal force of a contact does to a body, by the kind of bodies
    LEVER_KERNEL,
    # the linear solver
    FACTOR_ADDRESS,
    SOLVE_ADDRESS,
    SOLVER,  # the solver's own table of tables
) = range(SIZE)

TRIPLE = 3
"""Velocities are handled in threes: a planar body has one, (vx, vy, ω), a spatial body two, v and ω."""

# Columns of JOINT_TABLE and FORCE_TABLE. A driven coordinate is a joint of one row with a motion.
COLUMNS = 10
(
    KERNEL,
    FIRST_MEMBER,
    MEMBER_COUNT,
    FIRST_PAR,
    FIRST_ROW,
    ROW_COUNT,
    FIRST_JAC,
    MOTION_KERNEL,
    MOTION_PAR,
    PERIODIC,  # whether the driven row is an angle, known but for whole turns
) = range(COLUMNS)
FIRST_OUT = FIRST_ROW  # of a force: its place in OUT

# Behind the wrenches of a force's members in OUT.
POTENTIAL, DISSIPATED, APPLIED, SIGNALS = range(4)

# Quadratures carried behind coordinates, velocities and contact states in y [J]; then two for each contact, what its
# normal force and its friction have dissipated.
QUADRATURES = 3
LOSSES = 2
DISSIPATED_ENERGY, APPLIED_WORK, DRIVER_WORK = range(QUADRATURES)

# Entries of SETTINGS: Baumgarte's α and β, the proximal term of the multipliers with its sweeps, and (written by every
# factorisation) the smallest pivot in units of its row: what is left of the row that depends most on the others.
# LOCATED: contacts begin and end where the solver finds their events; OBSERVING: stored energies are wanted;
# EVALUATED: the next projection is that of the state evaluated last.
ALPHA, BETA, REGULARISATION, SWEEPS, WEAKEST, LOCATED, OBSERVING, EVALUATED = range(8)

# Statuses returned by compiled functions.
OK, SINGULAR, NOT_CONVERGED = range(3)
