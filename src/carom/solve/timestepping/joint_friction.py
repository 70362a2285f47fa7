"""Friction of joints in time stepping: set-valued, so that a joint sticks at rest.

Impulses along the free directions of the joints bring the relative velocities at the end of the step to zero, as far
as the limit of friction allows. The limit follows from the reaction of the joint in the step, with the friction in it:
both are found by projected Gauss–Seidel sweeps. The contacts of a step follow the friction; friction expects those of
the last step, and a step with other ones is repeated.
"""

from __future__ import annotations

from carom.kernels import call_directions, floats, jit, offset
from carom.mechanics.contact_records import CONTACT
from carom.mechanics.joint_friction import RIGID_SLIP, friction_along, reaction_load
from carom.mechanics.kkt import solve
from carom.mechanics.linear_algebra import add_scaled, copy, set_zero
from carom.mechanics.model_record import CONTACT_LOSS, MODEL
from carom.mechanics.spatial_body import body_at
from carom.solve.timestepping.active_contacts import contact_velocity, normal_direction, velocity_indices_of

MAX_SWEEPS = 200
ACCURACY = 1e-13
"""Sweeps, and the change of velocities in the last one, relative to the velocities [-]."""
UNCHANGED = 1e-12
"""Change of the effect of the contacts, relative to it, below which a repeated step would be the same [-]."""


@jit
def first_friction(stepper):
    """Return the index of the first friction of a joint among the contacts."""
    return stepper.n_contacts - MODEL(stepper.model).n_joint_frictions


@jit
def friction_impulse(stepper, k):
    """Return a pointer to the impulse of friction ``k`` in the step, which its generalised direction follows."""
    size = stepper.bodies_per_contact * stepper.velocities_per_body + 2
    return offset(floats(stepper.joint_friction), size * (k - first_friction(stepper)))


@jit
def set_free_rotation(stepper, contact):
    """Set the angular velocities of the two bodies of a ball to the free ones, which friction opposes."""
    model = MODEL(stepper.model)
    for side in range(2):
        v = contact.velocity_a if side == 0 else contact.velocity_b
        if v >= 0:
            body = body_at(floats(model.bodies), contact.body_a if side == 0 else contact.body_b)
            p = body.R_principal
            w = offset(floats(stepper.u_free), v + 3)
            body.wx = p[0] * w[0] + p[1] * w[1] + p[2] * w[2]
            body.wy = p[3] * w[0] + p[4] * w[1] + p[5] * w[2]
            body.wz = p[6] * w[0] + p[7] * w[1] + p[8] * w[2]


@jit
def start_friction(stepper, k):
    """Compute the direction of one friction at the midpoint, and set its impulse to zero."""
    model = MODEL(stepper.model)
    contact = CONTACT(model.contacts, k)
    if contact.is_ball:
        set_free_rotation(stepper, contact)
    w = normal_direction(stepper, stepper.capacity)
    call_directions(stepper.gap_kernel, k, w, model)
    call_directions(stepper.directions_kernel, k, w, model)
    impulse = friction_impulse(stepper, k)
    impulse[0] = 0.0
    copy(w, stepper.bodies_per_contact * stepper.velocities_per_body + 1, offset(impulse, 1))


@jit
def update_friction(stepper, h, k):
    """Update the impulse of one friction; return the change of the velocity along it, and this velocity [m/s]."""
    model = MODEL(stepper.model)
    contact = CONTACT(model.contacts, k)
    u_free = floats(stepper.u_free)
    impulse = friction_impulse(stepper, k)
    w = offset(impulse, 1)
    rhs = floats(model.rhs_motion)
    set_zero(rhs, stepper.n_velocities)
    set_zero(floats(model.rhs_constraint), stepper.n_constraints)
    size = stepper.velocities_per_body
    indices = velocity_indices_of(stepper, k)
    for b in range(stepper.bodies_per_contact):
        if indices[b] >= 0:
            for j in range(size):
                rhs[indices[b] + j] += w[b * size + j]
    solve(model)
    response = floats(model.acceleration)
    mobility = contact_velocity(stepper, k, w, response)
    if not mobility > 0.0:
        return 0.0, 0.0
    velocity = contact_velocity(stepper, k, w, u_free)
    load = reaction_load(model, contact, floats(stepper.joint_impulses)) / h
    if contact.fixed_load >= 0.0:
        load = contact.fixed_load
    slip = max(abs(velocity), RIGID_SLIP / contact.radius)
    limit = abs(h * friction_along(model, contact, load, slip))
    total = min(max(impulse[0] - velocity / mobility, -limit), limit)
    change = total - impulse[0]
    impulse[0] = total
    add_scaled(change, response, stepper.n_velocities, u_free)
    add_scaled(change, floats(model.lam), stepper.n_constraints, floats(stepper.joint_impulses))
    return abs(change * mobility), abs(velocity)


@jit
def apply_joint_friction(h, stepper):
    """Add the friction of all joints to the free velocities and to the joint impulses."""
    first = first_friction(stepper)
    for k in range(first, stepper.n_contacts):
        start_friction(stepper, k)
    for _ in range(MAX_SWEEPS):
        largest_change = 0.0
        largest_velocity = 0.0
        for k in range(first, stepper.n_contacts):
            change, velocity = update_friction(stepper, h, k)
            largest_change = max(largest_change, change)
            largest_velocity = max(largest_velocity, velocity)
        if largest_change <= ACCURACY * largest_velocity:
            return


@jit
def add_contact_effect(sign, stepper):
    """Add ``sign`` times the effect of the expected contacts to the free velocities and to the joint impulses."""
    add_scaled(sign, floats(stepper.contact_change), stepper.n_velocities, floats(stepper.u_free))
    add_scaled(sign, floats(stepper.contact_reactions), stepper.n_constraints, floats(stepper.joint_impulses))


@jit
def apply_joint_friction_with_contacts(h, stepper):
    """Add the friction of all joints as the expected contacts demand it, without the effect of these contacts."""
    add_contact_effect(1.0, stepper)
    apply_joint_friction(h, stepper)
    add_contact_effect(-1.0, stepper)


@jit
def expect_change(stepper):
    """Make the change of the velocities by the contacts of the step the expected one; return True if it differs."""
    n = stepper.n_velocities
    expected = floats(stepper.contact_change)
    u_new = offset(floats(stepper.y_new), n)
    u_free = floats(stepper.u_free)
    largest = 0.0
    difference = 0.0
    for i in range(n):
        change = u_new[i] - u_free[i]
        largest = max(largest, abs(change))
        difference = max(difference, abs(change - expected[i]))
        expected[i] = change
    return difference > UNCHANGED * largest


@jit
def add_friction_work(stepper):
    """Store the impulses of friction per contact, and add their losses over the step."""
    u = offset(floats(stepper.y), stepper.n_velocities)
    u_new = offset(floats(stepper.y_new), stepper.n_velocities)
    for k in range(first_friction(stepper), stepper.n_contacts):
        impulse = friction_impulse(stepper, k)[0]
        w = offset(friction_impulse(stepper, k), 1)
        floats(stepper.last_P)[k * stepper.rows_per_contact + 1] = impulse
        if impulse != 0.0:
            mean = 0.5 * (contact_velocity(stepper, k, w, u) + contact_velocity(stepper, k, w, u_new))
            CONTACT_LOSS(stepper.contact_losses, k).friction -= impulse * mean
