"""Estimates for a contact that begins: effective mass, duration of an impact, speed that scales damping at rest."""

from __future__ import annotations

import math

from carom.kernels import address_of, call_normal, call_normal_direction, floats, jit, offset
from carom.laws.normal.base import clear_input
from carom.mechanics.contact_records import CONTACT_WORKSPACE

GROWTH = 1.5
"""Ratio of the indentations that are tried until a law gives the force [-]."""


@jit
def normal_direction(model, contact, side, contact_state):
    """Return the generalised direction of a unit normal force on one of the two bodies."""
    direction = floats(address_of(CONTACT_WORKSPACE(model.workspace).direction))
    call_normal_direction(model.normal_direction_kernel, contact, side, contact_state, direction, model)
    return direction


@jit
def inverse_effective_mass(model, contact, contact_state):
    """Return 1/m of the two bodies along the normal, as if nothing else held them [1/kg]."""
    inverse_mass = floats(model.inverse_mass)
    total = 0.0
    for side in range(2):
        v = contact.velocity_a if side == 0 else contact.velocity_b
        if v >= 0:
            w = normal_direction(model, contact, side, contact_state)
            for d in range(model.velocities_per_body):
                total += inverse_mass[v + d] * w[d] * w[d]
    return total


@jit
def normal_acceleration(model, contact, contact_state, accelerations):
    """Return the larger acceleration of the two bodies at the contact point along the normal [m/s²]."""
    largest = 0.0
    for side in range(2):
        v = contact.velocity_a if side == 0 else contact.velocity_b
        if v >= 0:
            w = normal_direction(model, contact, side, contact_state)
            along = 0.0
            for d in range(model.velocities_per_body):
                along += accelerations[v + d] * w[d]
            largest = max(largest, abs(along))
    return largest


@jit
def impact_duration(model, contact, approach_speed, inverse_mass, indentation):
    """Return the approximate duration of an impact [s]: half a period of the law's secant stiffness.

    The indentation is that which stores the energy of approach, or the present one where that is larger. Joints make
    bodies heavier, never lighter: the true duration is not much shorter. ``inverse_mass`` is 1/m [1/kg].
    """
    if not inverse_mass > 0.0:
        return math.inf
    workspace = CONTACT_WORKSPACE(model.workspace)
    law_input = workspace.law_input
    law_output = workspace.law_output
    energy = 0.5 * approach_speed * approach_speed / inverse_mass
    clear_input(law_input)
    params = offset(floats(model.params), contact.law_params)
    delta = max(indentation, 1e-15)
    force = 0.0
    for _ in range(120):
        law_input.delta = delta
        call_normal(contact.law_kernel, params, law_input, law_output)
        force = law_output.force
        if force > 0.0 and 0.4 * force * delta >= energy:  # about the energy that a power law stores
            break
        delta *= GROWTH
    if not force > 0.0:
        return math.inf
    return math.pi * math.sqrt(delta / (force * inverse_mass))


@jit
def resting_speed(law_kernel, params, law_input, law_output, indentation, acceleration, inverse_mass):
    """Return the approach speed that scales the damping of a contact which begins at rest [m/s].

    It is √(F δ/m) at the indentation δ_s under the load, F(δ_s) = m a, or at the present ``indentation`` [m] where that
    is larger: about the speed at which the bodies pass δ_s when they are let go. ``acceleration`` is a [m/s²],
    ``inverse_mass`` 1/m [1/kg]; zero without load and indentation.
    """
    clear_input(law_input)
    below = 0.0
    delta = max(indentation, 1e-15)
    for _ in range(120):
        law_input.delta = delta
        call_normal(law_kernel, params, law_input, law_output)
        force = law_output.force * inverse_mass
        if force >= acceleration and force > 0.0:
            if below > 0.0 and force > below:  # a power law between the last two, with F = m a
                delta *= (acceleration / force) ** (math.log(GROWTH) / math.log(force / below))
                force = acceleration
            return math.sqrt(force * delta)
        below = force
        delta *= GROWTH
    return 0.0
