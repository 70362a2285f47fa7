"""One signature for each family of compiled functions, and the call through an address.

``bodies`` is the table of body records (see `carom.mechanics.planar`), ``members`` the places of an
element's bodies in it, ``par`` the element's own numbers, ``block`` the table of tables
(see `carom.mechanics.block`).
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom.kernels.address import FLOATS, INTS
from carom.kernels.plain import PLAIN, caller

f8, i8, none = types.float64, types.int64, types.void

JOINT = none(FLOATS, INTS, FLOATS, FLOATS, FLOATS, FLOATS)
"""(bodies, members, par) -> phi, jac, gamma: residual Φ, Jacobian Φ_q row by row and member by member, γ = −Φ̇_q v."""

MOTION = none(f8, FLOATS, FLOATS)
"""(t, par) -> out: a prescribed function of time and its first two derivatives."""

FORCE = none(f8, FLOATS, INTS, FLOATS, FLOATS)
"""(t, bodies, members, par) -> out: wrench on each member, then potential energy, dissipated power,
applied power, then the element's own signals."""

PAIR = none(FLOATS, FLOATS, FLOATS, FLOATS, FLOATS)
"""(pose_a, pose_b, par, memory) -> out: where two shapes are closest (see `carom.geometry.pairs.base`)."""

SURFACE = none(FLOATS, f8, f8, FLOATS)
"""(par, u, v) -> out: a point of a parametric surface and the normal there (see `carom.geometry.surfaces.base`)."""

NORMAL = none(FLOATS, FLOATS, FLOATS)
"""(par, state) -> out: the normal force of a contact (see `carom.laws.normal.base`)."""

FRICTION = none(FLOATS, f8, FLOATS, FLOATS, FLOATS)
"""(par, normal_force, velocity, state) -> out: the tangential force of a contact (see `carom.laws.friction.base`)."""

USER = none(f8, FLOATS, FLOATS, FLOATS)
"""(t, bodies, inputs) -> outputs: a function written by a user, for the element that calls it."""

GENERAL = none(f8, FLOATS, FLOATS, FLOATS)
"""(t, q, u) -> out: a function of generalised coordinates and velocities."""

RATE = i8(f8, FLOATS, FLOATS, INTS)
"""(t, y, ydot, block) -> status: the equations of motion."""

PROJECT = i8(f8, FLOATS, INTS)
"""(t, y, block) -> status: y is moved onto the constraints."""

LOAD = none(FLOATS, INTS)
"""(y, block): body records from a state, or a state brought in order."""

SPIN = none(FLOATS, FLOATS, INTS)
"""(y, ydot, block): rates of what bodies have in y beside coordinates and velocities."""

FINISH = none(INTS)
"""(block): rows or forces of all elements, turned from global axes to those of the velocities."""

LEVER = none(INTS, i8, FLOATS, FLOATS, INTS)
"""(contact, side, seen, out, block): the generalised direction of a unit normal force on one of the two bodies."""

CONTACTS = none(FLOATS, FLOATS, FLOATS, INTS)
"""(z, z_rate, losses, block): forces of all contacts, rates of their own states and of what they dissipate."""

GLANCE = none(i8, f8, f8, FLOATS, FLOATS, FLOATS, FLOATS, INTS)
"""(k, h, s, y0, f0, y1, f1, block): what contact k looks like at fraction s of a step."""

WATCH = i8(f8, f8, FLOATS, FLOATS, FLOATS, FLOATS, INTS, FLOATS)
"""(t, h, y0, f0, y1, f1, block, desk) -> answer: contacts over a step from y0 to y1 with slopes f0 and f1."""

RUN = i8(INTS)
"""(plan) -> how it ended: an integration (see `carom.solve.compliant.plan`)."""

TEAM = i8(INTS, i8)
"""(plan, thread) -> how it ended: what several threads do together (see `carom.solve.many.layout`)."""

SURVEY = none(f8, FLOATS, INTS)
"""(t, y, block): the gaps of all contacts (see `carom.mechanics.gaps`)."""

DIRECT = none(i8, FLOATS, INTS)
"""(k, block) -> out: the generalised directions of contact k at the state surveyed last."""

STEP = i8(f8, f8, INTS)
"""(t, h, desk) -> how it ended: one time step (see `carom.solve.nonsmooth.desk`)."""

CONTACT_PROBLEM = i8(INTS)
"""(problem) -> how it ended: the impulses of a contact problem (see `carom.solve.nonsmooth.problem`)."""

FACTOR = i8(INTS)
"""(block) -> status: the matrix of the equations of motion is factorised."""

SOLVE = none(INTS)
"""(block): the residuals in the block are replaced by corrections."""

ADVISE = types.int32(i8, i8, types.int32)
"""(address, length, advice) -> whatever: what the system is told about mapped memory."""

PAUSE = types.int32()
"""() -> whatever: the processor goes to another thread."""


def _call(signature):
    def codegen(context, builder, call_signature, args):
        argument_types = [context.get_value_type(a) for a in signature.args]
        result = ir.VoidType() if signature.return_type == none else context.get_value_type(signature.return_type)
        pointer = builder.inttoptr(args[0], ir.FunctionType(result, argument_types).as_pointer())
        value = builder.call(pointer, args[1:])
        return context.get_dummy_value() if signature.return_type == none else value

    return signature.return_type(i8, *signature.args), codegen


def through_address(define):
    """A call whose signature ``define`` gives."""
    return caller(define) if PLAIN else intrinsic(define)


@through_address
def call_joint(typingctx, address, bodies, members, par, phi, jac, gamma):
    return _call(JOINT)


@through_address
def call_motion(typingctx, address, t, par, out):
    return _call(MOTION)


@through_address
def call_force(typingctx, address, t, bodies, members, par, out):
    return _call(FORCE)


@through_address
def call_pair(typingctx, address, pose_a, pose_b, par, memory, out):
    return _call(PAIR)


@through_address
def call_surface(typingctx, address, par, u, v, out):
    return _call(SURFACE)


@through_address
def call_normal(typingctx, address, par, state, out):
    return _call(NORMAL)


@through_address
def call_friction(typingctx, address, par, normal_force, velocity, state, out):
    return _call(FRICTION)


@through_address
def call_user(typingctx, address, t, bodies, inputs, outputs):
    return _call(USER)


@through_address
def call_rate(typingctx, address, t, y, ydot, block):
    return _call(RATE)


@through_address
def call_project(typingctx, address, t, y, block):
    return _call(PROJECT)


@through_address
def call_load(typingctx, address, y, block):
    return _call(LOAD)


@through_address
def call_spin(typingctx, address, y, ydot, block):
    return _call(SPIN)


@through_address
def call_finish(typingctx, address, block):
    return _call(FINISH)


@through_address
def call_lever(typingctx, address, contact, side, seen, out, block):
    return _call(LEVER)


@through_address
def call_contacts(typingctx, address, z, z_rate, losses, block):
    return _call(CONTACTS)


@through_address
def call_glance(typingctx, address, k, h, s, y0, f0, y1, f1, block):
    return _call(GLANCE)


@through_address
def call_watch(typingctx, address, t, h, y0, f0, y1, f1, block, desk):
    return _call(WATCH)


@through_address
def call_general(typingctx, address, t, q, u, out):
    return _call(GENERAL)


@through_address
def call_survey(typingctx, address, t, y, block):
    return _call(SURVEY)


@through_address
def call_direct(typingctx, address, k, out, block):
    return _call(DIRECT)


@through_address
def call_step(typingctx, address, t, h, desk):
    return _call(STEP)


@through_address
def call_contact_problem(typingctx, address, problem):
    return _call(CONTACT_PROBLEM)


@through_address
def call_factor(typingctx, address, block):
    return _call(FACTOR)


@through_address
def call_solve(typingctx, address, block):
    return _call(SOLVE)


@through_address
def call_advise(typingctx, address, start, length, advice):
    return _call(ADVISE)


@through_address
def call_pause(typingctx, address):
    return _call(PAUSE)
