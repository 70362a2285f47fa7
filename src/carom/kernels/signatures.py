"""One signature for each family of compiled functions, and the call through an address.

``bodies`` is the table of body records (see `carom.mechanics.planar_body`), ``body_offsets`` the offsets of an
element's bodies in it, ``params`` the parameters of the element (a record of its own), ``model`` the record of the
model (see `carom.mechanics.model_record`).
"""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom.kernels.interpreted import PLAIN, caller
from carom.kernels.pointers import FLOATS, INTS

f8, i8, none = types.float64, types.int64, types.void

RECORD = types.voidptr
"""Placeholder for a record in the signature of a family; every kernel of the family names the record it reads."""

JOINT = none(FLOATS, INTS, RECORD, FLOATS, FLOATS, FLOATS)
"""(bodies, body_offsets, params) -> Phi, Phi_q, gamma_c: constraint residual Φ, Jacobian Φ_q row by row and body by
body, and γ = −Φ̇_q v."""

MOTION = none(f8, RECORD, RECORD)
"""(t, params) -> output: a prescribed function of time and its first two derivatives, a `MOTION_OUTPUT`
(see `carom.mechanics.element_output`)."""

USER_MOTION = none(f8, FLOATS, FLOATS)
"""`MOTION` with pointers to floats, for functions written by users."""

FORCE = none(f8, FLOATS, INTS, RECORD, FLOATS, RECORD)
"""(t, bodies, body_offsets, params) -> wrenches, output: wrench on each body, then a `FORCE_OUTPUT` with the signals of
the element behind it (see `carom.mechanics.element_output`). Behind the offsets of its bodies, ``body_offsets`` has the
address of the user's function, or 0."""

PAIR = none(RECORD, RECORD, RECORD, RECORD, RECORD)
"""(pose_a, pose_b, params, warm_start) -> out: closest points of two shapes (see `carom.geometry.pairs.base`)."""

SURFACE = none(RECORD, f8, f8, RECORD)
"""(params, u, v) -> out: point, normal and derivatives of a surface (see `carom.geometry.surfaces.base`)."""

NORMAL = none(RECORD, RECORD, RECORD)
"""(params, law_input) -> law_output: normal force of a contact (see `carom.laws.normal.base`)."""

FRICTION = none(RECORD, RECORD, RECORD)
"""(params, law_input) -> law_output: friction force of a contact (see `carom.laws.friction.base`)."""

USER = none(f8, FLOATS, FLOATS, FLOATS)
"""(t, bodies, inputs) -> outputs: a function written by a user, for the element that calls it."""

GENERAL = none(f8, FLOATS, FLOATS, FLOATS)
"""(t, q, u) -> out: a function of generalised coordinates and velocities."""

RATE = i8(f8, FLOATS, FLOATS, RECORD)
"""(t, y, ydot, model) -> status: the equations of motion."""

PROJECT = i8(f8, FLOATS, RECORD)
"""(t, y, model) -> status: y is moved onto the constraints."""

LOAD = none(FLOATS, RECORD)
"""(y, model): body records from a state, or a state with normalised orientations."""

ORIENTATION_RATE = none(FLOATS, FLOATS, RECORD)
"""(y, ydot, model): rates of what bodies have in y beside coordinates and velocities."""

TO_VELOCITY_AXES = none(RECORD)
"""(model): rows or forces of all elements, turned from global axes to those of the velocities."""

NORMAL_DIRECTION = none(RECORD, i8, RECORD, FLOATS, RECORD)
"""(contact, side, contact_state, out, model): generalised direction of a unit normal force on one of the two bodies."""

CONTACT_FORCES = none(FLOATS, FLOATS, RECORD, RECORD)
"""(z, z_rate, losses, model): forces of all contacts, rates of their friction states and dissipated energies."""

CONTACT_JACOBIANS = none(FLOATS, RECORD, RECORD)
"""(z, jacobians, model): derivatives of the forces of all contacts at the last body records."""

CONTACT_IN_STEP = none(i8, f8, f8, FLOATS, FLOATS, FLOATS, FLOATS, RECORD)
"""(k, h, s, y0, f0, y1, f1, model): state of contact k at fraction s of a step."""

CONTACT_EVENT = i8(f8, f8, FLOATS, FLOATS, FLOATS, FLOATS, RECORD, RECORD)
"""(t, h, y0, f0, y1, f1, model, events) -> number: contacts over a step from y0 to y1 with slopes f0 and f1."""

RUN = i8(RECORD)
"""(run) -> status: a part of a run, up to the next stop (see the ``records`` of `carom.solve.compliant` and others)."""

THREADED_RUN = i8(RECORD, i8)
"""(many_body, thread) -> status: steps of many bodies, by several threads (see `carom.solve.many_body.records`)."""

CANDIDATE_SEARCH = i8(RECORD)
"""(search) -> number of candidate pairs of a group (see `carom.solve.many_body.records`)."""

LIST_CONSTRUCTION = none(RECORD)
"""(update): neighbour list from candidate pairs (see `carom.solve.many_body.records`)."""

GAPS = none(f8, FLOATS, RECORD)
"""(t, y, model): the gaps of all contacts (see `carom.mechanics.stepping`)."""

DIRECTIONS = none(i8, FLOATS, RECORD)
"""(k, model) -> out: the generalised directions of contact k at the last state of `GAPS`."""

STEP = i8(f8, f8, RECORD)
"""(t, h, stepper) -> status: one time step (see `carom.solve.timestepping.records`)."""

CONTACT_SOLVER = i8(RECORD)
"""(problem) -> status: impulses of a contact problem (see `carom.solve.contact_problem.records`)."""

FACTOR = i8(RECORD)
"""(model) -> status: the matrix of the equations of motion is factorised."""

SOLVE = none(RECORD)
"""(model): the residuals in the model are replaced by corrections."""

SHIFTED_FACTOR = none(f8, f8, RECORD, RECORD)
"""(real and imaginary part of μ, solver, model): the matrix of an implicit method is factorised."""

SHIFTED_SOLVE = none(f8, f8, FLOATS, i8, RECORD, RECORD)
"""(real and imaginary part of μ, y, address of r, solver, model): r is replaced by (μ − J)⁻¹ r."""

MADVISE = types.int32(i8, i8, types.int32)
"""(address, length, advice) -> ignored: advice to the operating system on mapped memory."""

YIELD_THREAD = types.int32()
"""() -> ignored: give the processor to another thread."""


def through_address(signature: Any) -> Any:
    """Return the call of a kernel of this signature: its address, then its arguments.

    Where the signature has a pointer, a record or an address may be passed as well.
    """
    if PLAIN:
        return caller(signature)

    def call(typingctx, address, *arguments):
        argument_types = [
            actual if isinstance(expected, POINTERS) and isinstance(actual, (*POINTERS, types.Record)) else expected
            for actual, expected in zip(arguments, signature.args, strict=True)
        ]
        return signature.return_type(i8, *argument_types), _call_address(signature)

    names = ["typingctx", "address", *(f"argument{k}" for k in range(len(signature.args)))]
    # Numba would otherwise pass the arguments as a tuple.
    call.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])  # type: ignore[attr-defined]
    return intrinsic(call)


POINTERS = (types.CPointer, types.RawPointer)


def _call_address(signature: Any) -> Any:
    def codegen(context, builder, argument_types, args):
        llvm_types = [context.get_value_type(a) for a in signature.args]
        result = ir.VoidType() if signature.return_type == none else context.get_value_type(signature.return_type)
        function = builder.inttoptr(args[0], ir.FunctionType(result, llvm_types).as_pointer())
        arguments = [
            builder.bitcast(value, kind) if isinstance(expected, POINTERS) else value
            for value, kind, expected in zip(args[1:], llvm_types, signature.args, strict=True)
        ]
        value = builder.call(function, arguments)
        return context.get_dummy_value() if signature.return_type == none else value

    return codegen


call_joint = through_address(JOINT)
call_motion = through_address(MOTION)
call_force = through_address(FORCE)
call_pair = through_address(PAIR)
call_surface = through_address(SURFACE)
call_normal = through_address(NORMAL)
call_friction = through_address(FRICTION)
call_user = through_address(USER)
call_rate = through_address(RATE)
call_project = through_address(PROJECT)
call_load = through_address(LOAD)
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
