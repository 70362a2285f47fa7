"""Record `MODEL`: sizes, arrays and kernels of a model, passed to all compiled functions; and records in its tables.

`carom.compiled_model` fills them and keeps the arrays alive. The records of contacts are in
`carom.mechanics.contact_records`.
"""

from __future__ import annotations

from carom.kernels import ADDRESS, FLOAT, INT, jit, offset, record

MODEL = record(
    # sizes
    n_bodies=INT,  # without the ground
    n_velocities=INT,
    velocities_per_body=INT,
    dim=INT,  # velocities of a body that belong to its centre of mass: 2 or 3
    n_constraints=INT,  # constraint equations
    n_joints=INT,
    n_forces=INT,
    n_jacobian_blocks=INT,
    n_contacts=INT,
    n_joint_frictions=INT,  # the last contacts
    n_extra_states=INT,  # orientations and friction states, behind the velocities in y
    n_states=INT,  # numbers in y
    n_warm_start=INT,
    n_inputs=INT,  # numbers that change during a run
    n_varying_inputs=INT,  # those that change between two stops
    n_input_slots=INT,
    n_wear=INT,  # contacts that wear
    # constants
    mass=ADDRESS,  # diagonal of M [kg, kg m²]
    inverse_mass=ADDRESS,  # [1/kg, 1/(kg m²)]
    gravity_force=ADDRESS,  # generalised force of gravity [N]
    joints=ADDRESS,  # table of JOINT_ELEMENT
    forces=ADDRESS,  # table of FORCE_ELEMENT
    jacobian_blocks=ADDRESS,  # table of JACOBIAN_BLOCK
    contacts=ADDRESS,  # table of CONTACT
    body_offsets=ADDRESS,  # of the bodies of every element, in numbers from the start of `bodies`
    velocity_indices=ADDRESS,  # first velocity of each of these; −1 for the ground and other members without velocities
    params=ADDRESS,  # parameters of all elements
    inputs=ADDRESS,  # table of INPUT
    input_slots=ADDRESS,  # table of INPUT_SLOT
    wear=ADDRESS,  # table of `carom.mechanics.wear.WEAR`
    input_record_size=INT,  # numbers in the records behind those of the bodies, one for each input
    principal_axes=ADDRESS,  # of spatial bodies
    generalized=ADDRESS,  # GENERALIZED of a system in generalised coordinates
    solver=ADDRESS,  # record of the linear solver
    settings=ADDRESS,  # SETTINGS
    # workspace
    bodies=ADDRESS,  # body records
    Phi=ADDRESS,  # residual of the constraints
    nu=ADDRESS,  # −Φ_t
    gamma_c=ADDRESS,  # right-hand side of the accelerations
    Phi_q=ADDRESS,  # Jacobian of the constraints, block by block
    element_output=ADDRESS,  # motions, coordinates and wrenches of the force elements
    rhs_motion=ADDRESS,  # generalised forces Q [N, N m]
    rhs_constraint=ADDRESS,
    acceleration=ADDRESS,
    lam=ADDRESS,  # multipliers of the constraints
    residual_motion=ADDRESS,
    residual_constraint=ADDRESS,
    trial_state=ADDRESS,  # one y
    projection_impulses=ADDRESS,  # of the last correction of velocities [N s]
    warm_start=ADDRESS,  # start of the closest-point searches
    warm_start_accepted=ADDRESS,  # the same at the last accepted state
    contact_history=ADDRESS,  # table of CONTACT_HISTORY
    contact_state=ADDRESS,  # table of CONTACT_STATE
    workspace=ADDRESS,  # CONTACT_WORKSPACE
    gaps=ADDRESS,  # of all contacts, in time stepping [m]
    force_power=ADDRESS,  # FORCE_POWER, in time stepping
    reference_orientation=ADDRESS,  # of spatial bodies
    wear_work=ADDRESS,  # work of normal forces over sliding distances, site by site [J]
    # kernels; those of orientations are 0 in a planar model
    contact_forces_kernel=ADDRESS,  # 0 without compliant contacts
    contact_in_step_kernel=ADDRESS,  # evaluates a contact inside a step
    normal_direction_kernel=ADDRESS,  # generalised direction of a unit normal force
    body_kernel=ADDRESS,  # body records from a state
    orientation_rate_kernel=ADDRESS,
    update_orientation_kernel=ADDRESS,
    rows_to_velocity_axes_kernel=ADDRESS,
    forces_to_velocity_axes_kernel=ADDRESS,
    factorise_kernel=ADDRESS,
    solve_kernel=ADDRESS,
)

TRIPLE = 3
"""Velocities are handled in threes: a planar body has one, (vx, vy, ω), a spatial body two, v and ω."""

JOINT_ELEMENT = record(
    # A driven coordinate is a joint of one row with a motion.
    kernel=ADDRESS,
    first_body=INT,  # index in body_offsets and velocity_indices
    n_bodies=INT,
    params_offset=INT,
    first_row=INT,
    n_rows=INT,
    jacobian_offset=INT,
    motion_kernel=ADDRESS,  # 0 without a motion
    motion_params_offset=INT,
    is_angle=INT,  # the driven row is an angle, known up to whole revolutions
)

FORCE_ELEMENT = record(
    kernel=ADDRESS,
    first_body=INT,  # index in body_offsets and velocity_indices
    n_bodies=INT,
    params_offset=INT,
    output_offset=INT,  # of its wrenches, powers and signals in element_output
)

INPUT = record(
    # Value at time t: that of a function of time, or start + rate (t − since) up to the time `until`.
    start=FLOAT,
    rate=FLOAT,  # [1/s]
    since=FLOAT,  # [s]
    until=FLOAT,  # [s]
    integral=FLOAT,  # of the value, from t = 0 to since
    follows=FLOAT,  # 1: the function applies
    kernel=ADDRESS,  # of the function; 0 without one
)

INPUT_SLOT = record(
    # A parameter that follows an input: factor · input + offset.
    input=INT,
    param=INT,  # index in params
    factor=FLOAT,
    offset=FLOAT,
)

JACOBIAN_BLOCK = record(
    # A 1×3 block of Φ_q that moves a body.
    row=INT,
    jacobian_offset=INT,
    velocity_index=INT,
)

SETTINGS = record(
    baumgarte_alpha=FLOAT,  # [1/s]
    baumgarte_beta=FLOAT,  # [1/s]
    proximal=FLOAT,  # proximal term of the multipliers [-]
    proximal_iterations=INT,
    min_pivot_ratio=FLOAT,  # smallest pivot relative to its row, written by every factorisation [-]
    locates_events=INT,  # contacts begin and end where the solver finds their events
    stores_energy=INT,  # stored energies are requested
    rows_are_current=INT,  # the state to be projected next is the one evaluated last
)

FORCE_POWER = record(
    # Rates of the first two quadratures.
    dissipated=FLOAT,  # by force elements [W]
    applied=FLOAT,  # [W]
)

QUADRATURES = record(
    # Integrals carried in y behind coordinates, velocities and extra states; then a CONTACT_LOSS for each contact.
    dissipated=FLOAT,  # by force elements [J]
    applied_work=FLOAT,  # [J]
    driver_work=FLOAT,  # [J]
)
QUADRATURES_SIZE = QUADRATURES.size

CONTACT_LOSS = record(
    normal=FLOAT,  # energy dissipated by the normal force [J]
    friction=FLOAT,  # energy dissipated by friction [J]
)


@jit
def contact_loss(model, k, y):
    """Return the CONTACT_LOSS of contact ``k`` in a state."""
    return CONTACT_LOSS(offset(y, 2 * model.n_velocities + model.n_extra_states + QUADRATURES_SIZE), k)


OK, SINGULAR, NOT_CONVERGED = range(3)
"""Statuses returned by compiled functions."""

MIN_PIVOT_RATIO = 1e-14
"""Ratio of a pivot to its row below which the row depends on the rows before it, and the matrix is singular [-]."""
