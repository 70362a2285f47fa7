"""Limits of the contacts of an event-driven run, and the mode of each: friction, rolling and spinning resistance.

A limit is a group of rows whose forces are bounded by the normal force (`carom.solve.contact_problem.friction_limits`).
In the rows of relative rotation, velocities are multiplied by a length of the contact, and levers are divided by it, so
that all rows have the units of a velocity [m/s] and of a force [N].
"""

from __future__ import annotations

from carom.kernels import floats, ints, jit
from carom.laws.impact_law import IMPACT_LAW_DATA
from carom.solve.contact_problem.friction_limits import FRICTION, ROLLING, SPINNING
from carom.solve.event_driven.records import OPEN
from carom.solve.timestepping.active_contacts import contact_velocity, direction
from carom.solve.timestepping.records import STEPPER


@jit
def limit_mode(run, k, limit):
    """Return the mode of a limit of contact ``k``."""
    return ints(run.modes)[k * run.n_limits + limit]


@jit
def is_open(run, k):
    """Return whether contact ``k`` is open: then all of its limits are."""
    return ints(run.modes)[k * run.n_limits] == OPEN


@jit
def first_row(stepper, limit):
    """Return the first row of a limit among the rows of a contact."""
    return 1 + limit * stepper.tangents_per_contact


@jit
def limit_of_row(stepper, d):
    """Return the limit of row ``d`` of a contact, which is not its normal."""
    if d <= stepper.tangents_per_contact:
        return FRICTION
    return ROLLING if d <= 2 * stepper.tangents_per_contact else SPINNING


@jit
def is_disc(stepper, limit):
    """Return whether a limit has two rows, whose velocity has a direction."""
    return stepper.tangents_per_contact == 2 and limit != SPINNING


@jit
def limit_ratio(stepper, k, limit):
    """Return the ratio of a limit of contact ``k`` to its normal force [-]."""
    law = IMPACT_LAW_DATA(stepper.impact_laws, k)
    if limit == FRICTION:
        return law.mu
    return law.rolling_lever if limit == ROLLING else law.spinning_lever


@jit
def limit_velocity(run, i, limit, u):
    """Return the velocity of the ``i``-th active contact in the one or two rows of a limit, then 0 [m/s]."""
    stepper = STEPPER(run.stepper)
    k = ints(stepper.active)[i]
    d = first_row(stepper, limit)
    gamma_t = contact_velocity(stepper, k, direction(stepper, i, d), u)
    if not is_disc(stepper, limit):
        return gamma_t, 0.0
    return gamma_t, contact_velocity(stepper, k, direction(stepper, i, d + 1), u)


@jit
def limit_force(run, i, limit):
    """Return the force of the ``i``-th active contact in the one or two rows of a limit, then 0 [N]."""
    stepper = STEPPER(run.stepper)
    row = i * stepper.rows_per_contact + first_row(stepper, limit)
    lam = floats(run.lam)
    return lam[row], lam[row + 1] if is_disc(stepper, limit) else 0.0
