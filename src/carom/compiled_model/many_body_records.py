"""Records of the model in a many-body run: bodies, contact laws of groups, pair kinds and shapes of the pair search.

Body 0 is the ground. Fields ``unused`` fill a row up to whole cache lines of eight numbers.
"""

from __future__ import annotations

import numpy as np

from carom.kernels import ADDRESS, FLOAT, INT, record
from carom.kernels.record import RecordType

BODY_PAIR_DATA = record(
    r=(FLOAT, 3),  # position of the centre of mass [m]
    bounding_radius=FLOAT,  # radius of the sphere about the centre of mass [m], 0 without one
    v_half=(FLOAT, 3),  # velocity in the middle of the step [m/s]
    inverse_mass=FLOAT,  # [1/kg]
    omega_half=(FLOAT, 3),  # angular velocity in the middle of the step, in global axes [rad/s]
    max_inverse_inertia=FLOAT,  # of the smallest principal inertia [1/(kg m²)]
    unused=(FLOAT, 4),
)
"""A body as pair forces read it: two cache lines, of which a pair that is not in contact reads only the first."""

BODY_MOTION_DATA = record(
    v=(FLOAT, 3),  # velocity of the centre of mass [m/s]
    angular_momentum=(FLOAT, 3),  # in global axes [kg m²/s]
    quaternion=(FLOAT, 4),  # orientation of the principal axes [-]
    force=(FLOAT, 3),  # contact forces of the pairs in which it is the first body [N]
    torque=(FLOAT, 3),  # in global axes [N m]
    mass=FLOAT,  # [kg]
    inertia=(FLOAT, 3),  # principal moments of inertia [kg m²]
    is_isotropic=INT,  # 1 if the three moments of inertia are equal
    r_at_list=(FLOAT, 3),  # position when the neighbour list was built [m]
    rotation_since_list=FLOAT,  # upper bound of the rotation since then [rad]
    extent=FLOAT,  # largest distance of a point of its shapes from the centre of mass [m]
    needs_pose=INT,  # 1 if a shape of the body depends on its orientation
    acceleration=(FLOAT, 3),  # [m/s²]
    angle=FLOAT,  # integral of the angular velocity about the z axis: the angle of a planar body [rad]
    absence=INT,  # `PRESENT`, `WAITING` at an inlet, or `LEFT` through an outlet; an absent body does not move
)
"""A body as the equations of motion read it."""

PRESENT, WAITING, LEFT = range(3)
"""Presence of a body in the run."""

PAIR_KIND = record(
    pair_kernel=ADDRESS,
    pair_params=ADDRESS,  # parameters of the pair kernel
    is_swapped=INT,  # 1 if the kernel expects the shape of the second body first
    group=INT,
    centred_spheres=(INT, 2),  # 1 if the first or second shape of the kernel is a sphere about its centre of mass
    warm_start_size=INT,  # numbers of the warm start of the kernel
    initial_warm_start=ADDRESS,  # values of these numbers before the first call of the kernel
    warm_start_shift=INT,  # places in the list from the pair whose warm start it uses; 0: its own
    contact=INT,  # row of its `SINGLE_CONTACT`; −1 for pairs of large groups
)
"""Two shapes that are evaluated by a pair kernel. The body of a centred sphere needs no orientation.

The contact points of two shapes follow each other in the list, the last one first. If they share a warm start, it is
that of the last contact point."""

LISTED_PAIR = record(
    body_a=INT,  # never the ground
    body_b=INT,
    first_kind=INT,  # row of the pair kind
    n_contact_points=INT,  # as in `KIND_RANGE`
)
"""Two shapes of a single contact for the pair search."""

SINGLE_CONTACT = record(
    body_a=INT,  # never the ground
    body_b=INT,
    kind=INT,  # row of the pair kind
    is_flipped=INT,  # 1 if ``body_b`` is the first body of the contact
    mode=INT,  # SEPARATED, LOADED or FORCE_FREE, see `carom.mechanics.contact_records`
    t_start=FLOAT,  # onset [s]
    rate_start=FLOAT,  # rate of indentation at the onset, zero where it separates [m/s]
    delta_start=FLOAT,  # indentation at the end of the step in which it began [m]
    peak_force=FLOAT,  # so far [N]
    max_indentation=FLOAT,  # so far [m]
    n_compressions=INT,  # so far
    normal_loss_start=FLOAT,  # dissipated energies at the onset [J]
    friction_loss_start=FLOAT,
    normal=FLOAT,  # energies dissipated since the start of the run, by the normal force [J]
    friction=FLOAT,  # and by friction [J]
    t_release=FLOAT,  # time at which the force became zero before the separation [s]
    release_speed=FLOAT,  # speed of separation at that time [m/s]
    indentation=FLOAT,  # at the end of the last step [m]
    indentation_rate=FLOAT,  # [m/s]
    middle_rate=FLOAT,  # in the middle of the last step [m/s]
)
"""A single contact: its pair, and what the contact log needs to know of it since its onset."""

GROUP_LAW = record(
    law_kernel=ADDRESS,
    law_params=ADDRESS,
    friction_kernel=ADDRESS,  # 0 without friction
    friction_params=ADDRESS,
    rolling_params=ADDRESS,  # 0 without rolling resistance
    has_unloading_curve=INT,
    is_adhesive=INT,
    has_friction_state=INT,
    keeps_state=INT,  # 1 if its pairs have a `PAIR_STATE`: unloading curve, friction state or rolling resistance
    is_coulomb=INT,  # Coulomb friction, evaluated without a call of its kernel
    is_power_law=INT,  # K δⁿ (1 + A δ̇/v_in), evaluated without a call of its kernel
)
"""Contact laws of a group."""

LOCAL_BOX = record(
    centre=(FLOAT, 3),  # [m]
    half_sides=(FLOAT, 3),  # [m]
)
"""Bounding box of a shape in the axes of its body."""

SEARCH_SHAPE = record(
    body=INT,
    type=INT,  # among the different shapes of its side of the group
    is_centred_sphere=INT,  # 1 for a sphere about the centre of mass of its body
    is_unbounded=INT,  # 1 for an infinite plane that moves: all shapes are candidates
)
"""A shape of a group."""

KIND_RANGE = record(
    first_kind=INT,  # row of the pair kind
    n_contact_points=INT,  # if more than 1, one more pair kind per contact point follows
)
"""Pair kinds of two types of shapes."""


def aligned(rows: int, columns: int) -> np.ndarray:
    """Return zeros that start on a cache line; so do the rows if ``columns`` is a multiple of 8."""
    buffer = np.zeros(rows * columns + 8)
    skip = (-buffer.ctypes.data // 8) % 8
    return buffer[skip : skip + rows * columns].reshape(rows, columns)


def aligned_table(layout: RecordType, rows: int) -> np.ndarray:
    """Return a table of zeros that starts on a cache line."""
    return aligned(rows, layout.size).view(layout.dtype)[:, 0]
