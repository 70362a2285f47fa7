"""Records of a time-stepping run: the stepper and its arrays, energy balance, clock, counts, contact log.

The stepper is passed to all compiled functions of a run. Arrays of active contacts are enlarged when a step needs more.
"""

from __future__ import annotations

from carom.kernels import ADDRESS, FLOAT, INT, record

MAX_SOLVERS = 8
"""Number of contact solvers whose calls are counted."""

STEPPER = record(
    # the model; kernels that are not needed are 0
    model=ADDRESS,  # MODEL
    evaluate_kernel=ADDRESS,  # forces, constraints and factorised matrix at a state
    forces_kernel=ADDRESS,  # forces at other velocities; 0 if they do not depend on velocities
    constraints_kernel=ADDRESS,  # constraints at other velocities
    project_kernel=ADDRESS,  # state onto the joints
    gaps_kernel=ADDRESS,  # gaps of all contacts
    bodies_kernel=ADDRESS,  # body records at a state; 0 in generalised coordinates
    gap_kernel=ADDRESS,  # gap of one contact for the current body records; 0 in generalised coordinates
    directions_kernel=ADDRESS,  # directions of one contact
    update_orientation_kernel=ADDRESS,  # orientations of spatial bodies after an accepted step
    step_kernel=ADDRESS,  # one step of the scheme
    n_velocities=INT,
    n_constraints=INT,
    n_contacts=INT,
    has_slots=INT,  # a contact is one of several spots that move
    rows_per_contact=INT,  # directions of a contact: normal, tangents, relative rotation
    tangents_per_contact=INT,
    bodies_per_contact=INT,  # groups of velocities that a contact acts on
    velocities_per_body=INT,  # velocities of such a group
    velocity_indices=ADDRESS,  # first velocity of each group of each contact; −1 for the ground
    impact_laws=ADDRESS,  # table of `carom.laws.impact_law.IMPACT_LAW_DATA`, one per contact
    rotation_lengths=ADDRESS,  # factor of the rows of relative rotation of every contact [m]; 0: none
    no_gyroscopic_forces=INT,  # all forces do work that the energy balance contains
    reference_orientation=ADDRESS,  # of spatial bodies
    n_orientation=INT,  # numbers in reference_orientation
    bodies_are_free=INT,  # the mass matrix is diagonal and there are no joints
    # the contact problem
    problem=ADDRESS,  # see `carom.solve.contact_problem.records`
    solver_kernels=ADDRESS,  # 0 for those that are not compiled yet
    n_solvers=INT,
    solver_order=ADDRESS,  # indices of the solvers in the order of use; then the order for many contacts
    solver_to_compile=INT,  # index of the solver that a step needs next
    dense_limit=INT,  # active contacts from which the matrix-free solver replaces the Delassus matrix
    dense_limit_next=INT,  # dense_limit from the next step on
    accept_inexact=INT,  # an inexact result of the matrix-free solver is accepted in this step
    # active contacts
    capacity=INT,  # contacts that the arrays below have space for
    active=ADDRESS,  # indices of the active contacts
    n_active=INT,
    active_gaps=ADDRESS,  # at the midpoint of the step [m]
    curvature_terms=ADDRESS,  # change of their γ over half a step by the curvature of their paths [m/s]
    W=ADDRESS,  # rows of Wᵀ with w̃ at the end of each; space for one more contact behind the last
    inv_M_W=ADDRESS,  # M⁻¹ w of every row
    joint_impulse_per_unit=ADDRESS,  # joint impulses of a unit impulse in every row
    gamma_pre=ADDRESS,  # γ⁻ [m/s]
    eps_gamma=ADDRESS,  # ε γ⁻, added to γ⁺ to give ξ [m/s]
    P=ADDRESS,  # impulses of the step [N s]
    P_previous=ADDRESS,  # before the last iteration of the matrix-free solver [N s]
    search_direction=ADDRESS,  # of the matrix-free solver [N s]
    # the step
    y=ADDRESS,  # (q, u) at its beginning
    y_mid=ADDRESS,  # state at which the model is evaluated
    y_new=ADDRESS,  # (q, u) at its end
    h_mid=ADDRESS,  # generalised forces at the midpoint [N, N m]
    u_free=ADDRESS,  # velocities without contact impulses [m/s, rad/s]
    joint_impulses=ADDRESS,  # [N s, N m s]
    velocity_defect=ADDRESS,  # ν − Φ_q u of the joints at the end of the step
    repeats_with_mean_velocity=INT,  # forces are those at the mean of the velocities before and after the step
    curvature_correction=INT,  # γ of persistent contacts is that at the ends of the step, not at the midpoint
    no_energy_gain=INT,  # persistent contacts stay closed, and closed contacts that open gain no energy
    projects_positions=INT,  # penetration is removed
    scheme_workspace=ADDRESS,  # MOREAU_JEAN of the θ-method
    delta_q=ADDRESS,  # change of the coordinates by the position projection
    # the run
    last_P=ADDRESS,  # impulses of every contact in the last step [N s]
    joint_friction=ADDRESS,  # impulses of the friction of joints in the step [N s, N m s], each with its direction
    contact_change=ADDRESS,  # change of the velocities by contacts that the friction of joints expects [m/s, rad/s]
    contact_reactions=ADDRESS,  # joint impulses of these contacts [N s, N m s]
    contact_status=ADDRESS,  # of every contact in the last step: 0, CLOSED or PERSISTENT
    energy=ADDRESS,  # ENERGY_BALANCE
    contact_losses=ADDRESS,  # table of CONTACT_LOSS, one per contact
    log_entries=ADDRESS,  # table of `carom.mechanics.contact_log.CONTACT_LOG_ENTRY`, one per contact
    log=ADDRESS,  # table of `carom.mechanics.contact_log.CONTACT_LOG_ROW`, one per contact that ended
    n_logged=INT,
    log_capacity=INT,
    clock=ADDRESS,  # STEP_CLOCK
    counts=ADDRESS,  # STEP_COUNTS
    # nodes of the current chunk
    node_t=ADDRESS,  # [s]
    node_y=ADDRESS,
    n_nodes=INT,
    node_capacity=INT,
    node_size=INT,  # numbers in a node
)

CLOSED, PERSISTENT = 1, 2
"""Status of a contact with an impulse in the last step; PERSISTENT if it does not open either."""

ENERGY_BALANCE = record(
    dissipated=FLOAT,  # by force elements [J]
    applied_work=FLOAT,  # [J]
    driver_work=FLOAT,  # [J]
    created=FLOAT,  # energy gained in contacts [J]
    max_created_per_step=FLOAT,  # [J]
    lost_in_step=FLOAT,  # energy lost in contacts in the last step [J]
    projection_work=FLOAT,  # work of the position projection [J]
)

STEP_CLOCK = record(
    t_begin=FLOAT,  # of the current segment of equal steps [s]
    t_end=FLOAT,  # [s]
    h=FLOAT,  # step length in the segment [s]
    t=FLOAT,  # [s]
    min_step=FLOAT,  # of adaptive stepping [s]
    step_done=FLOAT,  # completed fraction of the current step [-]
    step_fraction=FLOAT,  # fraction of the step that is tried next [-]
)

STEP_COUNTS = record(
    n_steps=INT,
    n_done=INT,  # steps done in the current segment
    n_planned=INT,  # steps in the current segment
    n_halved=INT,  # steps repeated with half the length
    n_problems=INT,  # contact problems
    n_iterations=INT,  # of the contact solvers
    n_energy_gains=INT,  # steps in which contacts gained energy
    node_stride=INT,  # every n-th step is a node; 0: only stops
    step_budget=INT,  # steps in a chunk
    is_adaptive=INT,  # steps may be halved
    failed_contact=INT,  # contact that ended the run
    n_inexact=INT,  # contact problems solved approximately
    n_matrix_free=INT,  # contact problems solved without the Delassus matrix
    solver_calls=(INT, MAX_SOLVERS),
)

MOREAU_JEAN = record(
    theta=FLOAT,  # [-]
    max_velocity=FLOAT,  # largest velocity in the run so far [m/s, rad/s]
    dissipated_power=FLOAT,  # at the beginning of the step [W]
    applied_power=FLOAT,  # at the beginning of the step [W]
    force_begin=ADDRESS,  # forces at the beginning of the step [N]
    force_end=ADDRESS,  # forces at the end of the step [N]
    u_guess=ADDRESS,  # velocities at the end of the step, last iterate [m/s]
    u_trial=ADDRESS,  # [m/s]
    force_trial=ADDRESS,  # [N]
    force_jacobian=ADDRESS,  # h θ dF/du_E, row by row [N s/m]
)

(
    FINISHED, CHUNK_FULL, CAPACITY_EXCEEDED, NOT_FINITE, RANK_LOSS, NO_SOLUTION, PROJECTION_FAILED, STEP_TOO_LONG,
    SOLVER_NOT_COMPILED, NOT_CONVERGED, MATRIX_FREE_FAILED,
) = range(11)  # fmt: skip
"""Status of a step or a chunk of steps. STEP_TOO_LONG: a contact closes within an adaptive step; SOLVER_NOT_COMPILED:
the next solver has to be compiled first; NOT_CONVERGED: an implicit step did not converge."""
