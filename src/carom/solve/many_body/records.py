"""Records of the many-body engine: the tables that its compiled functions read and write.

The records of bodies, laws and shapes are those of `carom.compiled_model.many_body_records`. Body 0 is the ground. A
pair is stored with its first body: the entries of body i are ``first_entry[i]`` to ``first_entry[i + 1] − 1``. The work
is divided into chunks of ``chunk_size`` bodies for any number of threads, and each chunk writes to its own rows only,
so the result does not depend on the number of threads.

Fields ``unused`` fill a row up to whole cache lines of eight numbers.
"""

from __future__ import annotations

from carom.kernels import ADDRESS, FLOAT, INT, record

BODY_POSE = record(
    r=(FLOAT, 3),  # position of the centre of mass [m]
    R=(FLOAT, 9),  # rotation matrix from body axes to global axes, row by row [-]
)
"""Pose of a body as kernels of pairs read it."""

NEIGHBOUR_ENTRY = record(
    body_b=INT,  # second body of the pair
    group_or_kind=INT,  # group of two centred spheres; else −1 − row of the pair kind
)
"""A pair of the neighbour list."""

PAIR_SHIFT = record(
    r=(FLOAT, 3),  # from the second body to its image next to the first one [m]
)
"""Image of the second body of a pair in a periodic run."""

PAIR_HISTORY = record(
    approach_speed=FLOAT,  # at the start of the contact [m/s]
    last_rate=FLOAT,  # indentation rate in the middle of the last step [m/s]
    last_sliding_velocity=(FLOAT, 3),  # in the middle of the last step [m/s]
    last_friction=(FLOAT, 3),  # friction force at the last evaluation [N]
)
"""Values that a pair in contact keeps between steps: one cache line."""

PAIR_STATE = record(
    delta_turn=FLOAT,  # indentation at the last turning point [m]
    is_unloading=INT,
    max_indentation=FLOAT,  # since the start of the contact [m]
    friction_state=(FLOAT, 3),  # state z of the friction law in global axes [m]
    friction_energy=FLOAT,  # elastic energy of the friction state [J]
    last_rolling_torque=(FLOAT, 3),  # torque against rolling and spinning at the last evaluation [N m]
    unused=(FLOAT, 6),
)
"""Values that unloading curves, friction laws with a state and rolling resistance keep between steps."""

PAIR_WRENCH = record(
    force=(FLOAT, 3),  # on the second body [N]
    torque=(FLOAT, 3),  # on the second body about its centre of mass [N m]
    damping_force=FLOAT,  # part of the normal force that is not elastic [N]
    unused=FLOAT,
)
"""Wrench of a pair in contact on its second body: one cache line."""

PAIR_NODE_DATA = record(
    indentation=FLOAT,  # [m]
    normal_force=FLOAT,  # [N]
    stored_energy=FLOAT,  # [J]
    group=INT,
)
"""Values of a pair in contact at an output node."""

ENERGY_LOSSES = record(
    dissipated=FLOAT,  # energy dissipated by normal forces [J]
    friction=FLOAT,  # energy dissipated by friction [J]
    unused=(FLOAT, 6),
)
"""Losses of the pairs of one chunk: one cache line, so that threads do not write to the same one."""

GROUP_WORK = record(
    friction=FLOAT,  # energy dissipated by friction [J]
    sliding=FLOAT,  # ∫ F_N |v_t| dt [J]
)
"""Work of the pairs of one group in one chunk; the rows of a chunk fill whole cache lines."""

WORKSPACE = record(
    pair_output=ADDRESS,
    law_input=ADDRESS,
    law_output=ADDRESS,
    friction_input=ADDRESS,
    friction_output=ADDRESS,
    image_pose=ADDRESS,  # `BODY_POSE` of the image of a body
    unused=(INT, 2),
)
"""Arguments and results of the kernels of pairs and laws, one row per thread: one cache line."""

VERLET_SETTINGS = record(
    h=FLOAT,  # step [s]
    h_friction=FLOAT,  # step of the friction states [s]
    h_damping=FLOAT,  # step for which damping and friction are limited [s]
    gravity=(FLOAT, 3),  # [m/s²]
    list_displacement_limit=FLOAT,  # displacement of a body after which the neighbour list is outdated [m]
    period=(FLOAT, 3),  # along each axis [m], 0 where the system is not periodic
    t_begin=FLOAT,  # of the current segment of equal steps [s]
    t=FLOAT,  # at the end of the current step [s]
)
"""Step and constants of a run."""

MANY_BODY = record(
    thread_data=ADDRESS,  # counters of the threads, see `carom.kernels.thread_sync`
    n_bodies=INT,  # without the ground
    n_free_bodies=INT,  # bodies that no joint or force element acts on; they are before those of the mechanism
    chunk_size=INT,  # bodies per chunk
    n_chunks=INT,
    pair_data=ADDRESS,  # `BODY_PAIR_DATA` per body
    motion_data=ADDRESS,  # `BODY_MOTION_DATA` per body
    poses=ADDRESS,  # `BODY_POSE` per body
    first_entry=ADDRESS,  # integers: first entry per body
    entries=ADDRESS,  # `NEIGHBOUR_ENTRY` per pair
    is_touching=ADDRESS,  # integers: 1 per pair in contact
    wrenches=ADDRESS,  # `PAIR_WRENCH` per pair
    history=ADDRESS,  # `PAIR_HISTORY` per pair
    warm_start=ADDRESS,  # floats: warm starts of the pair kernels, one after the other
    warm_start_offsets=ADDRESS,  # integers: begin of the warm start per pair; 0 if no kernel has one
    first_reverse_entry=ADDRESS,  # integers: first reverse entry per body
    reverse_entries=ADDRESS,  # integers: pairs by their second bodies
    pair_kinds=ADDRESS,  # table of `PAIR_KIND`
    group_laws=ADDRESS,  # table of `GROUP_LAW`
    workspaces=ADDRESS,  # `WORKSPACE` per thread
    energy_losses=ADDRESS,  # `ENERGY_LOSSES` per chunk
    group_work=ADDRESS,  # `GROUP_WORK` per chunk and group
    groups_per_chunk=INT,  # rows of `GROUP_WORK` per chunk
    output=ADDRESS,  # `PAIR_NODE_DATA` per pair
    settings=ADDRESS,  # `VERLET_SETTINGS`
    n_steps=INT,  # steps to the end of this segment
    n_done=INT,  # steps completed
    stage=INT,  # phase with which the next step starts, `FROM_BODIES` or `FROM_PAIRS`
    list_is_outdated=INT,
    step_budget=INT,  # steps until the loop returns to Python
    pair_states=ADDRESS,  # `PAIR_STATE` per pair; 0 if no group needs them
    pair_shifts=ADDRESS,  # `PAIR_SHIFT` per pair; 0 if the system is not periodic
    single_contacts=ADDRESS,  # table of `SINGLE_CONTACT`
    contact_log=ADDRESS,  # `CONTACT_LOG_ROW`, `LOG_CAPACITY` rows per single contact
    n_logged=ADDRESS,  # integers: rows in use per single contact
    log_is_full=INT,  # 1 if a single contact has no row left
    mechanism=ADDRESS,  # `MECHANISM`
    mechanism_kernel=ADDRESS,  # moves the bodies of the mechanism; 0 without one
)
"""A run of many bodies, passed to all its compiled functions."""

MECHANISM = record(
    model=ADDRESS,  # `MODEL` of its bodies, joints and force elements
    y=ADDRESS,  # coordinates and velocities; these are those in the middle of a step until it is finished
    acceleration=ADDRESS,  # at the last evaluation [m/s², rad/s²]
    multipliers=ADDRESS,  # of the constraints, at the last evaluation
    u_middle=ADDRESS,  # velocities in the middle of a step [m/s, rad/s]
    stops_kernel=ADDRESS,  # forces of the stops of joints; 0 without stops
    stop_powers=ADDRESS,  # `CONTACT_LOSS` per stop: powers lost, at the last evaluation [W]
    stop_damping=ADDRESS,  # damping forces of the stops, at the last evaluation [N, N m]
    stop_rates=ADDRESS,  # rates of indentation in the middle of a step [m/s, rad/s]
    stop_losses=ADDRESS,  # `CONTACT_LOSS` per stop [J]
    friction_stepper=ADDRESS,  # `STEPPER` with the friction of the joints; 0 without friction
    friction_acceleration=ADDRESS,  # by the friction of the joints, at the end of a step [m/s², rad/s²]
    friction_duration=FLOAT,  # half a step, over which the last friction acted; 0 before the first step [s]
    t_begin=FLOAT,  # of the current segment of equal steps [s]
    n_started=INT,  # steps of this segment that were started
    dissipated_power=FLOAT,  # of force elements, at the last evaluation [W]
    applied_power=FLOAT,  # [W]
    driver_power=FLOAT,  # [W]
    dissipated=FLOAT,  # by force elements [J]
    applied_work=FLOAT,  # [J]
    driver_work=FLOAT,  # [J]
    joints_failed=INT,  # 1 if no position was found that satisfies the joints
    is_singular=INT,  # 1 if the matrix of the equations of motion was singular
)
"""State of the bodies that joints and force elements act on."""

LOG_CAPACITY = 16
"""Rows of the contact log per single contact, before Python empties it."""

CONTACT_GEOMETRY = record(
    pair=INT,  # in the neighbour list; −1: the shapes are farther apart than the skin
    gap=FLOAT,  # [m]
    normal=(FLOAT, 3),  # from ``body_b`` to ``body_a`` of the `SINGLE_CONTACT`
    point=(FLOAT, 3),  # where the force acts, in the image of ``body_b`` next to ``body_a`` [m]
)
"""Geometry of a single contact at an output node."""

CONTACT_NODE = record(
    many_body=ADDRESS,  # `MANY_BODY`
    n_contacts=INT,
    geometry=ADDRESS,  # `CONTACT_GEOMETRY` per single contact
    warm_start=ADDRESS,  # floats: warm start of a pair kernel
)
"""Evaluation of the geometry of all single contacts."""

FINISH, START, STORE = 1, 2, 4
"""Parts of a step of the mechanism, as bits: complete the velocities at its end; move to the end of the next one; only
store the bodies in the tables."""

FROM_BODIES, FROM_PAIRS = range(2)
"""Stages: the next step starts with the bodies, or continues with the pair forces."""

FINISHED, LIST_OUTDATED, CHUNK_FULL, ABORTED = range(4)
"""Status of a call of the loop: all steps done; a new list is needed; the step budget is used; stopped by Python."""

BOX = record(
    low=(FLOAT, 3),  # corner with the smallest coordinates [m]
    high=(FLOAT, 3),  # corner with the largest coordinates [m]
)
"""Bounding box in global axes."""

CANDIDATE_PAIR = record(
    body_a=INT,
    body_b=INT,
    group_or_kind=INT,  # as in `NEIGHBOUR_ENTRY`
)
"""A pair of shapes that are closer than the skin."""

TREE_NODE = record(
    parent=INT,  # −1 for the root
    left=INT,  # −1 for a leaf
    right=INT,
)
"""Links of a node of the bounding-box tree."""

CELL_GRID = record(
    low=(FLOAT, 3),  # corner with the smallest coordinates [m]
    cell_size=FLOAT,  # [m]
    n_cells=(INT, 3),  # along each axis
)
"""Grid of cubic cells."""

PAIR_SEARCH = record(
    many_body=ADDRESS,  # `MANY_BODY`
    group=INT,
    n_shapes=INT,  # shapes that can touch each other and the others
    n_others=INT,  # shapes that these can touch besides
    shapes=ADDRESS,  # `SEARCH_SHAPE` per shape, then per other shape
    local_boxes=ADDRESS,  # `LOCAL_BOX` per shape
    global_boxes=ADDRESS,  # `BOX` per shape
    n_types=INT,
    kinds=ADDRESS,  # `KIND_RANGE` per two types
    kinds_with_others=ADDRESS,  # `KIND_RANGE` per type and type of the others
    pairs=ADDRESS,  # table of `CANDIDATE_PAIR`
    pair_capacity=INT,
    n_pairs=INT,  # candidates, also those beyond the capacity
    skin=FLOAT,  # gap up to which a pair is in the list [m]
    workspace=ADDRESS,  # integers
    pair_output=ADDRESS,  # floats: result of a pair kernel
    warm_start=ADDRESS,  # floats: warm start of a pair kernel
    grid=ADDRESS,  # `CELL_GRID`
    tree_boxes=ADDRESS,  # `BOX` per node
    tree_nodes=ADDRESS,  # `TREE_NODE` per node
    root=INT,  # node, −1 without a tree
    self_contact=INT,  # 1 if the shapes can touch each other
    listed_pairs=ADDRESS,  # `LISTED_PAIR` per single contact
    n_other_types=INT,
)
"""Search for the candidate pairs of one group."""

LIST_UPDATE = record(
    new=ADDRESS,  # `MANY_BODY` with the arrays of the new list
    old=ADDRESS,  # `MANY_BODY` with the arrays of the old list
    pairs=ADDRESS,  # table of `CANDIDATE_PAIR`
    n_pairs=INT,
    old_damping=ADDRESS,  # floats: damping force of each pair of the old list [N]
    next_index=ADDRESS,  # workspace: integers per body
)
"""Construction of a neighbour list."""
