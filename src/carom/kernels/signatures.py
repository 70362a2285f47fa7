"""One signature for each family of compiled functions, and the call through an address.

``bodies`` is the table of body records (see `carom.mechanics.planar_body`), ``body_offsets`` the offsets of an
element's bodies in it, ``params`` the parameters of the element (a record of its own), ``model`` the record of the
model (see `carom.mechanics.model_record`).
"""

from __future__ import annotations

from typing import Any

from carom.kernels.argument_types import FLOAT64, FLOATS, INT32, INT64, INTS, VOID
from carom.kernels.argument_types import RECORD as RECORD
from carom.kernels.interpreted import PLAIN, caller
from carom.kernels.intrinsic import Intrinsic

JOINT = VOID(FLOATS, INTS, RECORD, FLOATS, FLOATS, FLOATS)
"""(bodies, body_offsets, params) -> Phi, Phi_q, gamma_c: constraint residual Φ, Jacobian Φ_q row by row and body by
body, and γ = −Φ̇_q v."""

MOTION = VOID(FLOAT64, RECORD, RECORD)
"""(t, params) -> output: a prescribed function of time and its first two derivatives, a `MOTION_OUTPUT`
(see `carom.mechanics.element_output`)."""

USER_MOTION = VOID(FLOAT64, FLOATS, FLOATS)
"""`MOTION` with pointers to floats, for functions written by users."""

FORCE = VOID(FLOAT64, FLOATS, INTS, RECORD, FLOATS, RECORD)
"""(t, bodies, body_offsets, params) -> wrenches, output: wrench on each body, then a `FORCE_OUTPUT` with the signals of
the element behind it (see `carom.mechanics.element_output`). Behind the offsets of its bodies, ``body_offsets`` has the
address of the user's function, or 0."""

PAIR = VOID(RECORD, RECORD, RECORD, RECORD, RECORD)
"""(pose_a, pose_b, params, warm_start) -> out: closest points of two shapes (see `carom.geometry.pairs.base`)."""

SURFACE = VOID(RECORD, FLOAT64, FLOAT64, RECORD)
"""(params, u, v) -> out: point, normal and derivatives of a surface (see `carom.geometry.surfaces.base`)."""

NORMAL = VOID(RECORD, RECORD, RECORD)
"""(params, law_input) -> law_output: normal force of a contact (see `carom.laws.normal.base`)."""

FRICTION = VOID(RECORD, RECORD, RECORD)
"""(params, law_input) -> law_output: friction force of a contact (see `carom.laws.friction.base`)."""

FILM = VOID(RECORD, FLOAT64, FLOAT64, FLOAT64, FLOAT64, FLOAT64, FLOATS)
"""(params, radius, clearance, eccentricity, wedge, squeeze) -> force: radial and tangential force of the film in a
journal bearing (see `carom.laws.lubrication.base`)."""

USER = VOID(FLOAT64, FLOATS, FLOATS, FLOATS)
"""(t, bodies, inputs) -> outputs: a function written by a user, for the element that calls it."""

GENERAL = VOID(FLOAT64, FLOATS, FLOATS, FLOATS)
"""(t, q, u) -> out: a function of generalised coordinates and velocities."""

RATE = INT64(FLOAT64, FLOATS, FLOATS, RECORD)
"""(t, y, ydot, model) -> status: the equations of motion."""

PROJECT = INT64(FLOAT64, FLOATS, RECORD)
"""(t, y, model) -> status: y is moved onto the constraints."""

LOAD = VOID(FLOATS, RECORD)
"""(y, model): body records from a state, or a state with normalised orientations."""

ORIENTATION_RATE = VOID(FLOATS, FLOATS, RECORD)
"""(y, ydot, model): rates of what bodies have in y beside coordinates and velocities."""

TO_VELOCITY_AXES = VOID(RECORD)
"""(model): rows or forces of all elements, turned from global axes to those of the velocities."""

NORMAL_DIRECTION = VOID(RECORD, INT64, RECORD, FLOATS, RECORD)
"""(contact, side, contact_state, out, model): generalised direction of a unit normal force on one of the two bodies."""

CONTACT_FORCES = VOID(FLOATS, FLOATS, RECORD, RECORD)
"""(z, z_rate, losses, model): forces of all contacts, rates of their friction states and dissipated energies."""

CONTACT_JACOBIANS = VOID(FLOATS, RECORD, RECORD)
"""(z, jacobians, model): derivatives of the forces of all contacts at the last body records."""

CONTACT_IN_STEP = VOID(INT64, FLOAT64, FLOAT64, FLOATS, FLOATS, FLOATS, FLOATS, RECORD)
"""(k, h, s, y0, f0, y1, f1, model): state of contact k at fraction s of a step."""

CONTACT_EVENT = INT64(FLOAT64, FLOAT64, FLOATS, FLOATS, FLOATS, FLOATS, RECORD, RECORD)
"""(t, h, y0, f0, y1, f1, model, events) -> number: contacts over a step from y0 to y1 with slopes f0 and f1."""

RUN = INT64(RECORD)
"""(run) -> status: a part of a run, up to the next stop (see the ``records`` of `carom.solve.compliant` and others)."""

THREADED_RUN = INT64(RECORD, INT64)
"""(many_body, thread) -> status: steps of many bodies, by several threads (see `carom.solve.many_body.records`)."""

SEGMENT = INT64(RECORD, FLOAT64, FLOAT64, INT64)
"""(segment, t, h, n_steps) -> status: equal steps of many bodies from time t up to a node, which is copied."""

CANDIDATE_SEARCH = INT64(RECORD)
"""(search) -> number of candidate pairs of a group (see `carom.solve.many_body.records`)."""

LIST_CONSTRUCTION = VOID(RECORD)
"""(update): neighbour list from candidate pairs (see `carom.solve.many_body.records`)."""

EVALUATION = VOID(RECORD)
"""(evaluation): values at many states or points, for Python."""

GAPS = VOID(FLOAT64, FLOATS, RECORD)
"""(t, y, model): the gaps of all contacts (see `carom.mechanics.stepping`)."""

DIRECTIONS = VOID(INT64, FLOATS, RECORD)
"""(k, model) -> out: the generalised directions of contact k at the last state of `GAPS`."""

STEP = INT64(FLOAT64, FLOAT64, RECORD)
"""(t, h, stepper) -> status: one time step (see `carom.solve.timestepping.records`)."""

CONTACT_SOLVER = INT64(RECORD)
"""(problem) -> status: impulses of a contact problem (see `carom.solve.contact_problem.records`)."""

FACTOR = INT64(RECORD)
"""(model) -> status: the matrix of the equations of motion is factorised."""

SOLVE = VOID(RECORD)
"""(model): the residuals in the model are replaced by corrections."""

SHIFTED_FACTOR = VOID(FLOAT64, FLOAT64, RECORD, RECORD)
"""(real and imaginary part of μ, solver, model): the matrix of an implicit method is factorised."""

SHIFTED_SOLVE = VOID(FLOAT64, FLOAT64, FLOATS, INT64, RECORD, RECORD)
"""(real and imaginary part of μ, y, address of r, solver, model): r is replaced by (μ − J)⁻¹ r."""

MADVISE = INT32(INT64, INT64, INT32)
"""(address, length, advice) -> ignored: advice to the operating system on mapped memory."""

YIELD_THREAD = INT32()
"""() -> ignored: give the processor to another thread."""


def through_address(signature: Any) -> Any:
    """Return the call of a kernel of this signature: its address, then its arguments.

    Where the signature has a pointer, a record or an address may be passed as well.
    """
    return caller(signature) if PLAIN else Intrinsic("call_at", signature)


call_joint = through_address(JOINT)
call_motion = through_address(MOTION)
call_force = through_address(FORCE)
call_pair = through_address(PAIR)
call_surface = through_address(SURFACE)
call_normal = through_address(NORMAL)
call_friction = through_address(FRICTION)
call_film = through_address(FILM)
call_user = through_address(USER)
call_rate = through_address(RATE)
call_project = through_address(PROJECT)
call_load = through_address(LOAD)
call_run = through_address(RUN)
call_evaluation = through_address(EVALUATION)
call_threaded_run = through_address(THREADED_RUN)
call_orientation_rate = through_address(ORIENTATION_RATE)
call_to_velocity_axes = through_address(TO_VELOCITY_AXES)
call_normal_direction = through_address(NORMAL_DIRECTION)
call_contact_forces = through_address(CONTACT_FORCES)
call_contact_jacobians = through_address(CONTACT_JACOBIANS)
call_contact_in_step = through_address(CONTACT_IN_STEP)
call_contact_event = through_address(CONTACT_EVENT)
call_general = through_address(GENERAL)
call_gaps = through_address(GAPS)
call_directions = through_address(DIRECTIONS)
call_shifted_factor = through_address(SHIFTED_FACTOR)
call_shifted_solve = through_address(SHIFTED_SOLVE)
call_step = through_address(STEP)
call_contact_solver = through_address(CONTACT_SOLVER)
call_factor = through_address(FACTOR)
call_solve = through_address(SOLVE)
call_madvise = through_address(MADVISE)
call_yield_thread = through_address(YIELD_THREAD)
