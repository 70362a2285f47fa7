"""Stops of joints in a mechanism among many bodies: forces of their laws beyond the limits, without a contact log."""

from __future__ import annotations

from carom.kernels import call_contact_forces, floats, jit, offset
from carom.mechanics.contact import start_loading, update_turning_point
from carom.mechanics.contact_records import CONTACT, CONTACT_HISTORY, CONTACT_STATE, LOADED, SEPARATED
from carom.mechanics.joint_friction import friction_kinematics
from carom.mechanics.model_record import CONTACT_LOSS


@jit
def update_stop_modes(model):
    """Begin and end the contacts of the stops by their indentations at the current body records."""
    for k in range(model.n_contacts - model.n_joint_frictions):
        contact = CONTACT(model.contacts, k)
        history = CONTACT_HISTORY(model.contact_history, k)
        contact_state = CONTACT_STATE(model.contact_state, k)
        friction_kinematics(model, contact, contact_state)
        delta = contact_state.indentation
        rate = contact_state.indentation_rate
        if delta <= 0.0:
            history.mode = SEPARATED
        elif history.mode != LOADED:
            history.mode = LOADED
            history.approach_speed = max(rate, 0.0)
            history.max_indentation = delta
            start_loading(history)
        elif contact.has_unloading_curve:
            history.max_indentation = max(history.max_indentation, delta)
            update_turning_point(history, delta, rate)


@jit
def add_stop_forces(mechanism, model):
    """Add the forces of all stops to the generalised forces, before these are turned into velocity axes."""
    if mechanism.stops_kernel == 0:
        return
    update_stop_modes(model)
    states = offset(floats(mechanism.y), 2 * model.n_velocities)  # stops have none
    call_contact_forces(mechanism.stops_kernel, states, states, CONTACT_LOSS(mechanism.stop_powers), model)


@jit
def start_stop_losses(half, mechanism, model):
    """Add the losses of the forces at the beginning of a step over half its length, ``half`` [s].

    Velocity Verlet changes the kinetic energy in a step by the mean of the forces before and after it, times the
    velocity in its middle; the losses have the same velocity, that of the body records.
    """
    rates = floats(mechanism.stop_rates)
    for k in range(model.n_contacts - model.n_joint_frictions):
        contact_state = CONTACT_STATE(model.contact_state, k)
        friction_kinematics(model, CONTACT(model.contacts, k), contact_state)
        rates[k] = contact_state.indentation_rate
        CONTACT_LOSS(mechanism.stop_losses, k).normal += half * floats(mechanism.stop_damping)[k] * rates[k]


@jit
def finish_stop_losses(half, mechanism, model):
    """Add the losses of the forces at the end of a step, which are evaluated, over half its length, ``half`` [s]."""
    damping = floats(mechanism.stop_damping)
    for k in range(model.n_contacts - model.n_joint_frictions):
        contact_state = CONTACT_STATE(model.contact_state, k)
        damping[k] = contact_state.normal_force - contact_state.elastic_force
        CONTACT_LOSS(mechanism.stop_losses, k).normal += half * damping[k] * floats(mechanism.stop_rates)[k]
