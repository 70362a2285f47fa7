"""Records of an integration with compliant contact, and of the contact events in it."""

from __future__ import annotations

from carom.kernels import ADDRESS, FLOAT, INT, record

INTEGRATION = record(
    # kernels; 0 where there is none
    projected_rhs_kernel=ADDRESS,  # y' at the nearest state on the constraints
    tangential_kernel=ADDRESS,  # part of a change of y along the constraints
    project_kernel=ADDRESS,
    detect_event_kernel=ADDRESS,  # 0 without contacts, as all that follow
    evaluate_event_kernel=ADDRESS,
    apply_event_kernel=ADDRESS,
    update_extrema_kernel=ADDRESS,
    read_extremum_kernel=ADDRESS,
    update_modes_kernel=ADDRESS,
    start_contacts_kernel=ADDRESS,
    onset_depth_kernel=ADDRESS,
    accumulate_wear_kernel=ADDRESS,  # 0 without wear
    # records
    rk=ADDRESS,  # RUNGE_KUTTA
    model=ADDRESS,  # MODEL
    events=ADDRESS,  # EVENTS
    progress=ADDRESS,  # PROGRESS
    trial_step=ADDRESS,  # TRIAL_STEP
    radau=ADDRESS,  # `carom.solve.radau.records.RADAU`; 0 as long as no implicit step was taken
    implicit_step_kernel=ADDRESS,
    tape=ADDRESS,  # TAPE; 0 if the steps are not recorded
    # the run
    t_rest=FLOAT,  # start of the run if it begins in balance on closed contacts, else −inf [s]
    stop_times=ADDRESS,  # [s]
    is_discontinuity=ADDRESS,  # whether a motion changes its form at a stop
    n_stops=INT,
    error_scale_max=ADDRESS,  # bound of the scale of the error of every coordinate
    onset_method=INT,
    max_step=FLOAT,  # [s]
    min_step=FLOAT,  # [s], of onset methods that shorten steps
    max_onset_depth=FLOAT,  # [m], of the same
    max_joint_opening=FLOAT,  # [m]
    may_switch=INT,  # between explicit and implicit steps
    max_implicit_step=FLOAT,  # [s]
    max_unseen_step=FLOAT,  # [s], implicit, that may pass over contact geometry which a drive moves
    first_in_contact=FLOAT,  # step after an onset, relative to the duration of an impact [-]
    last_in_contact=FLOAT,  # longest step that ends at a separation, relative to the same [-]
    impact_weight=FLOAT,  # factor on the error of steps in the first impact [-]
    # one chunk
    node_t=ADDRESS,
    node_y=ADDRESS,
    node_capacity=INT,
    node_size=INT,  # numbers in a node
    node_stride=INT,  # every n-th step is a node; 0: only stops
    n_inner_nodes=INT,  # nodes inside a step
    log_capacity=INT,
    evaluation_budget=INT,
)

PROGRESS = record(
    # what a run carries from chunk to chunk, and counts
    t=FLOAT,  # [s]
    h=FLOAT,  # next step [s]
    last_error=FLOAT,  # [-]
    h_before_contact=FLOAT,  # [s]
    t_last_onset=FLOAT,  # [s]
    h_before_retries=FLOAT,  # [s]
    t_progress=FLOAT,  # last time that counts as progress [s]
    h_explicit=FLOAT,  # step before implicit steps were tried [s]
    last_error_explicit=FLOAT,  # last error before implicit steps were tried [-]
    t_implicit=FLOAT,  # time covered by implicit steps [s]
    n_steps=INT,
    n_rejected=INT,
    n_evaluations=INT,
    n_nodes=INT,  # of this chunk
    n_events=INT,
    n_late_onsets=INT,
    next_stop=INT,
    on_manifold=INT,  # stages are projected, near a singular position
    pivot_retries=INT,  # step lengths tried to avoid a tiny pivot
    pivot_is_safe=INT,  # at the current state
    events_at_same_time=INT,
    steps_without_progress=INT,
    is_implicit=INT,  # steps are implicit
    n_implicit_steps=INT,
    steps_since_event=INT,  # explicit ones with a loaded contact
    steps_before_trial=INT,  # of these, until implicit steps are tried
    trial_steps_left=INT,  # implicit steps before the two methods are compared
    n_short_steps=INT,  # implicit steps in a row that gain nothing
)

TRIAL_STEP = record(
    h=FLOAT,  # length [s]
    goal=FLOAT,  # next stop [s]
    reaches_stop=INT,
    status=INT,  # worst status of its evaluations
    error=FLOAT,  # in units of the tolerance; negative if it does not control the next step [-]
    min_pivot_ratio=FLOAT,  # [-]
    has_event=INT,  # contacts change at its end
    was_separated=INT,  # no contact was loaded before
)

TAPE = record(
    # the accepted steps of a run, for neighbouring runs that repeat them
    steps=ADDRESS,  # table of TAPE_STEP
    n_steps=INT,
    capacity=INT,
    position=INT,  # next step to repeat
)

TAPE_STEP = record(
    h=FLOAT,  # length [s]
    t_end=FLOAT,  # [s]
    slope=FLOAT,  # of the event function at the end of a step with an event
    reaches_stop=INT,
    has_event=INT,
    contact=INT,  # of the event
    kind=INT,  # of the event
    is_implicit=INT,
    on_manifold=INT,
)

(
    FINISHED, CHUNK_FULL, NOT_FINITE, UNDERFLOW, RANK_LOSS, NEEDS_PROJECTED_STAGES, CONSTRAINT_DRIFT, STALLED,
    NEEDS_IMPLICIT_STEPS, CONTACT_JUMP,
) = range(10)  # fmt: skip
"""Status of a chunk of a run."""

ACCEPTED, REPEAT = -1, -2
"""Verdicts on a trial step beside the failures of a run: it is accepted; another one is tried from the same state."""

EVENT, REJECT, INTERPOLATE, NONE = range(4)
"""Onset methods: an event, rejection of steps that begin too deep, interpolation back from them (procedures 2 and 1 of
paper T), or none."""

ONSET, SEPARATION, FORCE_ZERO, FORCE_RETURN, UNLOADING, RELOADING = range(6)
"""Kinds of contact events, in the order in which they are detected."""

MAX_FORCE, MAX_INDENTATION = range(2)
"""Quantities whose largest value in a step is read."""

EVENTS = record(
    # exchange between an integrator and the event kernels; fractions are of the step
    contact=INT,  # index of the contact of the first event
    kind=INT,
    fraction=FLOAT,  # estimated [-]
    value=FLOAT,  # of the event function
    slope=FLOAT,  # of the event function; 0 as long as no event was evaluated
    resolution=FLOAT,  # of the event function by rounding
    is_located=INT,
    contact_error=FLOAT,  # error of the contacts in units of the tolerance [-]
    min_impact_duration=FLOAT,  # shortest duration of the loaded contacts; inf without [s]
    onset_depth=FLOAT,  # largest indentation of a contact that began in the step [m]
    onset_speed=FLOAT,  # [m/s]
    rhs_kernel=ADDRESS,  # y' = f(t, y)
    free_acceleration=FLOAT,  # largest one without contacts at the start, where some are closed at rest [m/s², rad/s²]
    jump_contact=INT,  # a contact point of shapes whose indentation jumped in the last step; −1: none
    jump_before=FLOAT,  # largest indentation of these shapes before the step, and after it [m]
    jump_after=FLOAT,
    jump_travel=FLOAT,  # bound of the relative motion in the step [m]
    n_requests=INT,
    requests=ADDRESS,  # table of EXTREMUM_REQUEST
    request_contact=INT,  # the request to read
    request_quantity=INT,
    n_logged=INT,
    log=ADDRESS,  # table of `carom.mechanics.contact_log.CONTACT_LOG_ROW`
)

EXTREMUM_REQUEST = record(
    # a state inside the step where a largest value is read
    fraction=FLOAT,  # [-]
    contact=INT,
    quantity=INT,
)
MAX_REQUESTS = 16

LOG_ROWS = 256
"""Rows of the log before it is collected."""

N_SAMPLES = 4
"""Parts of a step in which contacts are evaluated."""
NUDGE = 3e-4
"""Fraction of a step over which the slope of a force is taken: long enough that rounding of the coordinates, 1e-10 of a
small indentation, does not displace the peak, and so short that a peak in the last fraction is not missed by 1e-9."""
ROUNDING = 4e-16
"""Ratio of rounding of the coordinates that limits the resolution of an indentation [-]."""
TIME_RESOLUTION = 4e-16
"""Resolution of time relative to its scale [-]."""
MOMENT = 1e-12
"""Fraction of the time of the next stop that counts as progress [-]."""
MAX_TRIES, TRIES_PER_CONTACT = 2000, 20
"""Attempted steps without progress after which a run ends."""
