"""Records of non-smooth runs with many bodies: bodies, pairs, contacts of a step, islands and the run itself.

Body 0 is the ground. Planar bodies are spatial ones that stay in the plane z = 0. Fields ``unused`` fill a row up to
whole cache lines of eight numbers.
"""

from __future__ import annotations

from carom.kernels import ADDRESS, FLOAT, INT, record

RIGID_BODY = record(
    r=(FLOAT, 3),  # position of the centre of mass [m]
    v=(FLOAT, 3),  # velocity of the centre of mass [m/s]
    omega=(FLOAT, 3),  # angular velocity in global axes [rad/s]
    quaternion=(FLOAT, 4),  # orientation of the principal axes [-]
    axes=(FLOAT, 4),  # quaternion of the body axes relative to the principal axes [-]
    angle=FLOAT,  # rotation of a planar body [rad]
    mass=FLOAT,  # [kg]
    inertia=(FLOAT, 3),  # principal moments of inertia [kg m²]
    is_isotropic=INT,  # 1 if the three moments of inertia are equal
    omega_principal=(FLOAT, 3),  # at the beginning of the step, in principal axes [rad/s]
    R_mid=(FLOAT, 9),  # rotation matrix of the principal axes at the midpoint of the step, row by row [-]
    mechanism_index=INT,  # among the bodies of the mechanism; −1 for a free body
    component=INT,  # bodies that joints connect; −1 without joints
    needs_pose=INT,  # 1 if a shape of the body depends on its orientation
    extent=FLOAT,  # largest distance of a point of its shapes from the centre of mass [m]
    r_at_list=(FLOAT, 3),  # position when the neighbour list was built [m]
    rotation_since_list=FLOAT,  # upper bound of the rotation since then [rad]
    is_asleep=INT,
    n_quiet_steps=INT,  # consecutive steps with a speed below the limit
    sleep_group=INT,  # smallest index of the bodies that fell asleep together
)
"""A body at the beginning of a step."""

BODY_VELOCITY = record(
    v=(FLOAT, 3),  # [m/s]
    inverse_mass=FLOAT,  # [1/kg]
    omega=(FLOAT, 3),  # in global axes [rad/s]
    inverse_inertia=FLOAT,  # of a body with three equal moments of inertia, else 0 [1/(kg m²)]
)
"""Velocities of a body as the sweeps read and write them: one cache line. Positions are changed in the same form."""

INVERSE_INERTIA = record(
    xx=FLOAT, xy=FLOAT, xz=FLOAT, yy=FLOAT, yz=FLOAT, zz=FLOAT,  # in global axes at the midpoint [1/(kg m²)]
    unused=(FLOAT, 2),
)  # fmt: skip
"""Inverse inertia tensor of a body."""

PAIR_IMPULSE = record(
    P=(FLOAT, 3),  # impulse of the last step on the first body [N s]
    T=(FLOAT, 3),  # torque impulse of rolling and spinning resistance on the first body [N m s]
    P_N=FLOAT,  # normal impulse [N s]
    status=INT,  # 0 separated, `CLOSED` or `PERSISTENT`
    gap=FLOAT,  # at the end of the last step in which the contact was closed [m]
    b=(FLOAT, 3),  # from the second body to the contact point in the last step [m]
    group=INT,
)
"""Values that a pair keeps between steps."""

DETECTED_CONTACT = record(
    pair=INT,  # entry of the neighbour list; −1 − k for stop k of the joints
    body_a=INT,
    body_b=INT,
    group=INT,  # row of the impact laws
    gap=FLOAT,  # at the midpoint [m]
    n=(FLOAT, 3),  # normal from the second to the first body
    a=(FLOAT, 3),  # from the first body to the contact point [m]
    b=(FLOAT, 3),  # from the second body to the contact point [m]
    island=INT,
    colour=INT,  # contacts of one colour and island have no body in common
)
"""A closed contact of the current step, in the order of the neighbour list."""

CONTACT_ROW = record(
    body_a=INT,
    body_b=INT,
    n=(FLOAT, 3),
    bias=(FLOAT, 3),  # ε γ⁻ and curvature terms, added to the velocity of the bodies to give ξ [m/s]
    inverse_G_N=FLOAT,  # effective mass along the normal [kg]
    inverse_G_T=FLOAT,  # smallest effective mass along a tangent [kg]
    mu=FLOAT,  # friction coefficient [-]
    G_N=FLOAT,  # [1/kg]
    G_T=FLOAT,  # [1/kg]
    arm_a=FLOAT,  # lever arm of the first body along the normal, for `SPHERE_ROW`; length of an `ANGLE` [m]
    arm_b=FLOAT,  # [m]
    kind=INT,  # `SPHERE_ROW` or flags
    a=(FLOAT, 3),  # [m]
    b=(FLOAT, 3),  # [m]
    unused=(INT, 2),
)
"""A closed contact as the sweeps read it, in the order of the sweeps: three cache lines, the last one for lever arms
that are not parallel to the normal.
"""

ROW_IMPULSE = record(
    P=(FLOAT, 3),  # [N s]
    before=(FLOAT, 3),  # after the sweep before [N s]
    unused=(FLOAT, 2),
)
"""Impulse of a contact during the sweeps: one cache line."""

ROW_DATA = record(
    contact=INT,  # row of `DETECTED_CONTACT`
    gamma_pre=(FLOAT, 3),  # velocity before the step [m/s]
    curvature=(FLOAT, 3),  # change of the contact velocity in half a step by the curvature of the path [m/s]
    gamma_free=FLOAT,  # normal velocity without contact impulses [m/s]
    gap=FLOAT,  # at the end of the step [m]
    response=INT,  # offset of the response of a mechanism
    coupling=(FLOAT, 3),  # tangential velocity per normal impulse [1/kg]
    n_columns=INT,  # columns of the response: 3, or 6 with rolling resistance
    inverse_G_rolling=FLOAT,  # effective inertia of rolling [kg m²]
    inverse_G_spinning=FLOAT,  # effective inertia of spinning [kg m²]
    rolling_lever=FLOAT,  # [m]
    spinning_lever=FLOAT,  # [m]
    T=(FLOAT, 3),  # torque impulse [N m s]
    T_before=(FLOAT, 3),  # after the sweep before [N m s]
    lam=FLOAT,  # multiplier of the position projection
    status=INT,  # as in `PAIR_IMPULSE`, after the step
)
"""Values of a contact that only some rows, or only the phases before and after the sweeps, need."""

SPHERE_ROW, GENERAL_INERTIA, COUPLED, ROLLING, GENERAL_LEVERS, ANGLE = 0, 1, 2, 4, 8, 16
"""Kinds of rows: both bodies are free, have equal moments of inertia and lever arms along the normal; flags of others.

The row of an `ANGLE`, a stop of a rotation about n, has a torque impulse: its velocity is ℓ (ω_a − ω_b) and its impulse
T/ℓ with a length ℓ, so that it has the units of other rows.
"""

CLOSED, PERSISTENT = 1, 2
"""Status of a pair with an impulse in the last step, as in `carom.solve.timestepping.records`."""

JOINT_STOP = record(
    body_a=INT,  # never the ground
    body_b=INT,
    sign=FLOAT,  # −1 if the bodies are in the other order than in the joint
    length=FLOAT,  # ℓ of an `ANGLE` [m]; 0 for a displacement
)
"""Stop of a joint at a limit of a coordinate; contact k of the mechanism."""

ISLAND = record(
    first_row=INT,
    end_row=INT,
    first_body=INT,  # in the list of bodies of islands
    end_body=INT,
    iterations=INT,
    scale=FLOAT,  # largest contact velocity, squared until it is complete [m/s]
    residual=FLOAT,  # relative to the scale [-]
    has_ground=INT,  # a body touches the ground
    has_mechanism=INT,  # contains a body of the mechanism
)
"""Bodies that contacts and joints connect, and their contacts."""

ROW_RUN = record(
    first_row=INT,
    end_row=INT,
    batch=INT,  # batch of contacts of spheres; −1 for rows that are updated one by one
)
"""Consecutive rows of an island."""

RIGID_COUNTS = record(
    n_steps=INT,
    n_problems=INT,  # islands solved
    n_iterations=INT,  # sweeps over islands, summed
    max_iterations=INT,
    n_inexact=INT,  # islands whose residual exceeds the tolerance
    n_energy_gains=INT,  # steps in which contacts gained energy
    max_islands=INT,
    n_islands=INT,  # in the last step
    n_active=INT,  # closed contacts in the last step
    n_asleep=INT,  # sleeping bodies after the last step
    max_residual=FLOAT,  # [-]
    step_residual=FLOAT,  # largest one of the current step [-]
    sum_of_residuals=FLOAT,  # of all steps [-]
    max_penetration=FLOAT,  # after a step [m]
    penetration=FLOAT,  # after the last step [m]
)
"""Statistics of a run."""

RIGID_GROUP_WORK = record(
    friction=FLOAT,  # energy dissipated by friction [J]
    sliding=FLOAT,  # ∫ F_N |v_T| dt [J]
)
"""Work of the contacts of one group since the start."""

RIGID_ENERGY = record(
    dissipated=FLOAT,  # by normal impulses and by sleeping [J]
    friction=FLOAT,  # [J]
    created=FLOAT,  # by contacts, in steps with a gain [J]
    projection_work=FLOAT,  # added by the position projection beyond the losses of a step [J]
    lost_in_step=FLOAT,  # [J]
)
"""Energy balance of the contacts."""

RIGID = record(
    mid=ADDRESS,  # `MANY_BODY` at the midpoint of the step
    other=ADDRESS,  # `MANY_BODY` at the beginning or end of the step
    stepper=ADDRESS,  # `STEPPER` of the mechanism; 0 without one
    n_bodies=INT,  # without the ground
    is_planar=INT,
    h=FLOAT,  # step [s]
    gravity=(FLOAT, 3),  # [m/s²]
    t_begin=FLOAT,  # of the segment of equal steps [s]
    n_done=INT,  # steps done in the segment
    n_planned=INT,
    step_budget=INT,  # steps until the loop returns to Python
    list_displacement_limit=FLOAT,  # [m]
    list_is_new=INT,  # 1 until the first step with a new neighbour list
    tolerance=FLOAT,  # of the residual [-]
    max_iterations=INT,  # sweeps over a small island
    min_iterations=INT,  # sweeps over a large island that does not converge before
    sweep_budget=INT,  # contacts times sweeps between these limits
    penetration_limit=FLOAT,  # penetration that is not removed [m]
    repeats_with_mean_velocity=INT,  # as in `STEPPER`
    curvature_correction=INT,
    no_energy_gain=INT,
    projects_positions=INT,
    has_general_inertia=INT,  # a free body has different moments of inertia
    quiet_speed=FLOAT,  # below which a body may fall asleep [m/s]; 0 without sleeping
    n_quiet_steps=INT,  # steps below this speed until bodies fall asleep
    max_change=FLOAT,  # largest change of a velocity by forces in the step [m/s]
    bodies=ADDRESS,  # `RIGID_BODY` per body
    velocities=ADDRESS,  # `BODY_VELOCITY` per body: at the end of the step
    initial_velocities=ADDRESS,  # at the beginning, with ω for the orientation at the midpoint
    free_velocities=ADDRESS,  # without contact impulses
    previous_velocities=ADDRESS,  # after the sweep before
    inverse_inertias=ADDRESS,  # `INVERSE_INERTIA` per body
    laws=ADDRESS,  # `carom.laws.impact_law.IMPACT_LAW_DATA` per group and stop
    pairs=ADDRESS,  # `PAIR_IMPULSE` per pair
    n_stops=INT,
    stops=ADDRESS,  # `JOINT_STOP` per stop
    stop_pairs=ADDRESS,  # `PAIR_IMPULSE` per stop
    first_stop_law=INT,  # row of the impact laws
    contacts=ADDRESS,  # `DETECTED_CONTACT` per closed contact
    rows=ADDRESS,  # `CONTACT_ROW` per closed contact
    impulses=ADDRESS,  # `ROW_IMPULSE` per closed contact
    row_data=ADDRESS,  # `ROW_DATA` per closed contact
    order=ADDRESS,  # integers: contacts in the order of the sweeps
    order_workspace=ADDRESS,  # integers per closed contact
    row_runs=ADDRESS,  # `ROW_RUN` per run of rows of an island
    batches=ADDRESS,  # `carom.solve.many_body.sphere_batches.SPHERE_BATCH` per batch of an island
    n_active=INT,
    parents=ADDRESS,  # integers per body: tree of the bodies of an island
    colours=ADDRESS,  # integers per body: bits of the colours of its contacts
    island_of_body=ADDRESS,  # integers per body; −1 without contact
    island_bodies=ADDRESS,  # integers: bodies in the order of islands
    islands=ADDRESS,  # `ISLAND` per island
    n_islands=INT,
    component_first=ADDRESS,  # integers: first entry per component, and the end
    component_bodies=ADDRESS,  # integers: bodies of components
    n_components=INT,
    mechanism_bodies=ADDRESS,  # integers: bodies of the mechanism in its order
    n_mechanism_bodies=INT,
    responses=ADDRESS,  # floats: velocities of a mechanism per unit impulse of a contact
    response_capacity=INT,
    response_size=INT,  # floats needed in the step
    counts=ADDRESS,  # `RIGID_COUNTS`
    energy=ADDRESS,  # `RIGID_ENERGY`
    group_work=ADDRESS,  # `RIGID_GROUP_WORK` per group and stop
    workspace=ADDRESS,  # `WORKSPACE` of pair kernels
    scratch=ADDRESS,  # floats: effective masses of one contact
    failure=INT,  # status of a step that failed
)
"""A non-smooth run with many bodies, passed to all its compiled functions."""

RIGID_LIST_UPDATE = record(
    mid=ADDRESS,  # `MANY_BODY` with the arrays of the new list
    update=ADDRESS,  # `carom.solve.many_body.records.LIST_UPDATE`
    old_first_entry=ADDRESS,
    old_entries=ADDRESS,
    old_pairs=ADDRESS,  # `PAIR_IMPULSE` per pair
    old_warm_start=ADDRESS,
    old_warm_start_offsets=ADDRESS,
    pairs=ADDRESS,  # `PAIR_IMPULSE` per pair of the new list
    bodies=ADDRESS,  # `RIGID_BODY` per body
)
"""Construction of a neighbour list of a non-smooth run."""

FINISHED, LIST_OUTDATED, CHUNK_FULL, CAPACITY_EXCEEDED, NOT_FINITE, RANK_LOSS, PROJECTION_FAILED = range(7)
"""Status of a step or a chunk of steps."""
