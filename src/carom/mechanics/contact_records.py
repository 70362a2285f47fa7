"""Records of contacts: constants, history between steps, the state found by an evaluation, and the workspace of one."""

from __future__ import annotations

from carom.geometry.pairs.base import PAIR_OUTPUT
from carom.kernels import ADDRESS, FLOAT, INT, jit, record
from carom.laws.friction.base import FRICTION_INPUT, FRICTION_OUTPUT
from carom.laws.normal.base import LAW_INPUT, LAW_OUTPUT
from carom.mechanics.spatial_body import N_VELOCITIES, SPATIAL_BODY

CONTACT = record(
    pair_kernel=ADDRESS,
    law_kernel=ADDRESS,  # 0: no force (a contact for non-smooth runs only)
    friction_kernel=ADDRESS,  # 0: frictionless
    body_a=INT,  # offset of the pair's first body in the body records
    body_b=INT,
    velocity_a=INT,  # its first velocity; −1 for the ground
    velocity_b=INT,
    pair_params=INT,  # offsets in the parameters of the model
    law_params=INT,
    friction_params=INT,
    rolling_params=INT,  # −1 without resistance to rolling
    bounding_spheres=INT,  # centre and radius of the spheres around the two shapes (spatial only); −1 without
    warm_start_offset=INT,
    slot_offset=INT,  # of the spot of this contact in the warm starts; −1 without
    friction_state_offset=INT,  # in y, counted from the end of the velocities; −1 without
    is_swapped=INT,  # the pair has the shapes in the other order
    has_unloading_curve=INT,  # the law unloads along another curve
    is_adhesive=INT,  # the law may pull
    gap_depends_on_rotation=INT,  # the gap changes when a body rotates about its centre of mass
    is_distributed=INT,  # the pair integrates an overlap for a law of the pressure
    element_area=FLOAT,  # sum of the areas over which it integrates [m²]
    is_last_point=INT,  # no further contact point of the same two shapes follows in the table
    is_rotational=INT,  # the gap is an angle [rad], the normal its axis, the normal force a torque [N m]
    # friction of joints, which are the last contacts
    joint=INT,
    force_rows=INT,  # rows of the joint whose multipliers are components of the reaction force, the first ones
    moment_row=INT,  # first row of the tilting moment, and their number
    moment_rows=INT,
    is_ball=INT,  # rotation about any axis
    radius=FLOAT,  # of the pin [m]; 1 of a slide
    guide_length=FLOAT,  # [m]; 0: tilting moments do not count
    fixed_load=FLOAT,  # normal force in place of the reaction [N]; −1: the reaction
)

BOUNDING_SPHERES = record("ax ay az radius_a  bx by bz radius_b")
"""Spheres around the two shapes of a spatial contact: centres in body axes and radii [m]."""

SEPARATED, LOADED, FORCE_FREE, STATIC = range(4)
"""Modes: apart; a force acts; still overlapping, but the law would pull; by the current indentation alone (statics).

A contact changes from SEPARATED to LOADED at its onset, to FORCE_FREE where the force of its law becomes zero before
the separation, back to LOADED where the law pushes again, and to SEPARATED at its end."""

CONTACT_HISTORY = record(
    mode=INT,
    approach_speed=FLOAT,  # speed that scales the damping: at the onset, or that of `resting_speed` [m/s]
    delta_turn=FLOAT,  # indentation at the last turning point, for laws with an unloading curve [m]
    is_unloading=INT,
    t_start=FLOAT,  # [s]
    rate_start=FLOAT,  # rate of indentation at the onset, zero where it separates [m/s]
    delta_start=FLOAT,  # indentation at the onset: zero up to rounding where onsets are located [m]
    peak_force=FLOAT,  # so far [N]
    max_indentation=FLOAT,  # so far [m]
    max_indentation_rate=FLOAT,  # so far [m/s]
    impact_duration=FLOAT,  # estimated duration of an impact like this [s]
    n_compressions=INT,  # so far
    normal_loss_start=FLOAT,  # dissipated energies at the onset [J]
    friction_loss_start=FLOAT,
    t_release=FLOAT,  # time of the last zero of the force [s]
    release_speed=FLOAT,  # speed at that time [m/s]
    inverse_effective_mass=FLOAT,  # of the two bodies along the normal at the onset [1/kg]
    last_indentation=FLOAT,  # at the last node [m]
    last_rate=FLOAT,  # [m/s]
    last_force=FLOAT,  # [N]
    last_speed_bound=FLOAT,  # [m/s]
    # in time stepping: mean forces of the step that ended at the node, along the normal and two tangents [N]
    mean_normal_force=FLOAT,
    mean_friction_force=FLOAT,
    mean_friction_force_2=FLOAT,
)

STORED_PLACE = record("place_x place_y place_z")
"""Place of the spot of a contact point [m] (see `carom.mechanics.contact_slots`), stored with every node."""

STORED_HISTORY = record("mode approach_speed delta_turn is_unloading  place_x place_y place_z")
"""Part of the history that is stored with every node of a compliant run."""

STORED_FORCE = record("mean_normal_force mean_friction_force mean_friction_force_2 unused  place_x place_y place_z")
"""Numbers that are stored with every node of a time-stepping run instead: mean forces of the step [N], place."""
N_STORED_FORCES = 4
"""Numbers of a stored force before the place."""

N_STORED = STORED_HISTORY.size
assert STORED_FORCE.size == N_STORED


@jit
def store_last_state(history, contact_state):
    """Store the contact at a node for the step that begins there."""
    history.last_indentation = contact_state.indentation
    history.last_rate = contact_state.indentation_rate
    history.last_force = contact_state.normal_force
    history.last_speed_bound = contact_state.speed_bound


@jit
def store_history(history, stored):
    """Copy the part of the history that is stored with a node."""
    stored.mode = history.mode
    stored.approach_speed = history.approach_speed
    stored.delta_turn = history.delta_turn
    stored.is_unloading = history.is_unloading


@jit
def restore_history(stored, history):
    """Copy the stored part back into the history."""
    history.mode = int(stored.mode)
    history.approach_speed = stored.approach_speed
    history.delta_turn = stored.delta_turn
    history.is_unloading = int(stored.is_unloading)


@jit
def restore_forces(stored, history):
    """Copy the stored mean forces of a time-stepping run into the history."""
    history.mean_normal_force = stored.mean_normal_force
    history.mean_friction_force = stored.mean_friction_force
    history.mean_friction_force_2 = stored.mean_friction_force_2


CONTACT_STATE = record(
    # first the signals of a result, in 2D the first eleven, in 3D the first fourteen
    indentation=FLOAT,  # [m]
    indentation_rate=FLOAT,  # [m/s]
    normal_force=FLOAT,  # [N]
    friction_force=FLOAT,  # [N]
    sliding_speed=FLOAT,  # signed in 2D, magnitude in 3D [m/s]
    x=FLOAT,  # contact point [m]
    y=FLOAT,
    nx=FLOAT,  # normal [-]
    ny=FLOAT,
    fx=FLOAT,  # force on the first body [N]
    fy=FLOAT,
    z=FLOAT,
    nz=FLOAT,
    fz=FLOAT,
    contact_area=FLOAT,  # of distributed contacts [m²]
    max_pressure=FLOAT,  # [Pa]
    # then quantities for the solvers
    elastic_force=FLOAT,  # [N]
    stored_energy=FLOAT,  # [J]
    force_sign=FLOAT,  # of the law: positive where it pushes
    speed_bound=FLOAT,  # bound of the relative speed of the two points [m/s]
    sliding_x=FLOAT,  # in 3D: sliding velocity of the pair's first body [m/s]
    sliding_y=FLOAT,
    sliding_z=FLOAT,
    volume=FLOAT,  # of distributed contacts: integrals of the overlap (`carom.geometry.pairs.foundation.OVERLAP`)
    squares=FLOAT,
    moment_x=FLOAT,
    moment_y=FLOAT,
    moment_z=FLOAT,
    friction_energy=FLOAT,  # elastic energy of the friction state [J]
)

DIRECTION = record(w=(FLOAT, N_VELOCITIES))
"""Generalised direction of a unit force on one body; the first three numbers in 2D."""

BODY_STATE = record(q=(FLOAT, N_VELOCITIES), u=(FLOAT, N_VELOCITIES))
"""Coordinates and velocities of one spatial body."""

CONTACT_WORKSPACE = record(
    body_a=SPATIAL_BODY,  # the pair's bodies: planar ones embedded in space, or bodies inside a step
    body_b=SPATIAL_BODY,
    pair_output=PAIR_OUTPUT,
    law_input=LAW_INPUT,
    law_output=LAW_OUTPUT,
    friction_input=FRICTION_INPUT,
    friction_output=FRICTION_OUTPUT,
    friction=(FLOAT, 3),  # friction on the pair's first body [N]
    force=(FLOAT, 3),  # contact force on the pair's first body [N]
    moment=(FLOAT, 3),  # of the force of a distributed contact about its point, on the pair's first body [N m]
    rolling_torque=(FLOAT, 3),  # torque against rolling and spinning on the pair's first body [N m]
    direction=DIRECTION,
    interpolated=CONTACT_STATE,  # of a contact inside a step
    body_state=BODY_STATE,  # of a body inside a step
)
"""Arguments and results of one evaluation of a contact."""

SIGNAL_NAMES = (
    "indentation", "indentation_rate", "normal_force", "friction_force", "sliding_velocity", "x", "y", "nx", "ny", "fx",
    "fy",
)  # fmt: skip
SIGNAL_UNITS = ("m", "m/s", "N", "N", "m/s", "m", "m", "1", "1", "N", "N")
N_SIGNALS = len(SIGNAL_NAMES)
SPATIAL_SIGNAL_NAMES = (
    "indentation", "indentation_rate", "normal_force", "friction_force", "sliding_speed", "x", "y", "nx", "ny", "fx",
    "fy", "z", "nz", "fz",
)  # fmt: skip
SPATIAL_SIGNAL_UNITS = (*SIGNAL_UNITS, "m", "1", "N")
PRESSURE_SIGNALS, PRESSURE_UNITS = ("contact_area", "max_pressure"), ("m^2", "Pa")
"""Further signals of distributed contacts."""
