"""Records of an event-driven run."""

from __future__ import annotations

from carom.kernels import ADDRESS, FLOAT, INT, record

EVENT_DRIVEN = record(
    stepper=ADDRESS,  # STEPPER: model, active contacts, Delassus matrix
    rk=ADDRESS,  # RUNGE_KUTTA; y: (q, u), quadratures, losses and normal impulses of the contacts
    # a step
    step_error=FLOAT,  # in units of the tolerance [-]
    step_factor=FLOAT,  # factor of the length of the next step [-]
    t_latest=FLOAT,  # last time before the next stop [s]
    slow_time=FLOAT,  # time within which friction stops a contact that slides slowly [s]
    difference_time=FLOAT,  # time between two directions of a difference [s]
    is_redundant=INT,  # closed contacts depend on each other
    event_begin=FLOAT,  # fraction of the step after which an event was detected [-]
    event_end=FLOAT,  # fraction of the step before which it was detected [-]
    first_sample=INT,  # sample at which the detection starts
    # contacts
    n_limits=INT,  # limits of a contact: friction, rolling and spinning resistance
    modes=ADDRESS,  # of every limit of every contact: OPEN, STICK, SLIP or FRICTIONLESS
    slip_reference=ADDRESS,  # table of SLIP_REFERENCE, one per limit of every contact
    slip=ADDRESS,  # table of SLIP_DIRECTION, one per limit of every active contact
    lam=ADDRESS,  # forces of the active contacts, row by row [N]
    acceleration_bias=ADDRESS,  # ẇ·u + dw̃/dt of their rows [m/s²]
    gamma_dot_free=ADDRESS,  # dγ/dt of their rows without contact forces [m/s²]
    force_matrix=ADDRESS,  # equations for λ in the current modes
    force_factors=ADDRESS,  # their LU factors, then three vectors
    force_rows=ADDRESS,  # rows of the active contacts in these equations, then the order of the pivots
    y_shifted=ADDRESS,  # state a short time before or after
    gaps=ADDRESS,  # of every contact at the last evaluated state [m]
    gamma=ADDRESS,  # of every contact, row by row [m/s]
    gap_rate_bound=ADDRESS,  # bound of the rate of every gap [m/s]
    max_gap_rate=ADDRESS,  # largest of these bounds so far [m/s]
    last_samples=ADDRESS,  # table of LAST_SAMPLE, one per contact
    margins=ADDRESS,  # per active contact one and one per limit, which must not become negative; then resolutions
)

OPEN, STICK, SLIP, FRICTIONLESS = range(4)
"""Modes of a limit of a contact: the contact is open, or it is closed and there is no motion in the rows of the limit
(sticking), there is motion (sliding, rolling, spinning), or no resistance to it."""

SLIP_REFERENCE = record(
    # direction of the motion of a limit at the start of the step: in global axes for two rows in 3D, else by row
    x=FLOAT,  # [-]
    y=FLOAT,
    z=FLOAT,
    is_slow=FLOAT,  # 1 if the motion keeps this direction during the step
)

SLIP_DIRECTION = record(
    # of a limit with motion, along its rows
    t=FLOAT,  # unit vector that the force opposes [-]
    s=FLOAT,
    reference_t=FLOAT,  # the reference direction [-]
    reference_s=FLOAT,
)

LAST_SAMPLE = record(
    # a contact at the last sample of a step
    gap=FLOAT,  # [m]
    speed=FLOAT,  # γ_N [m/s]
    bound=FLOAT,  # bound of the rate of the gap [m/s]
    mid_speed=FLOAT,  # γ_N half-way to the next sample [m/s]
    next_gap=FLOAT,  # at the next sample [m]
    starts_touching=INT,  # the contact opens at the beginning of the step
)

TOUCHING = 1e-12
"""Gap below which contacts touch [m]: rounding of a located impact, and contacts that strike at the same time."""

NOISE = 1e-11
"""Ratio to the largest speed of a contact so far below which velocities are rounding [-]."""

SLOWEST = 1e-9
"""Lower bound of the largest speed of a contact so far [m/s]."""

SHARED = 1e-4
"""Fraction of the largest speed of all contacts that every contact is assumed to have had [-]."""

WEAK = 1e-9
"""Ratio to the largest force of the closed contacts below which forces are rounding [-]."""
