"""Stiffness and damping of joint stops without a law, from the mechanism in its initial position."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from carom.mechanics import equations_of_motion as equations
from carom.mechanics import stepping
from carom.mechanics.contact_records import CONTACT, CONTACT_STATE
from carom.model.joint_stop import PERIOD, JointStop, StiffStop

if TYPE_CHECKING:
    from carom.compiled_model.system_data import SystemData


def set_stiff_stops(data: SystemData, period: float = PERIOD) -> None:
    """Set the parameters of stops without a law: natural ``period`` [s] and damping ratio for the effective mass."""
    stops = [k for k, stop in enumerate(data.contacts) if isinstance(stop, JointStop) and not stop.has_own_law]
    if not stops or not data.with_laws:
        return
    evaluate_start(data)
    frequency = 2.0 * math.pi / period
    for k in stops:
        law = data.contacts[k].law
        assert isinstance(law, StiffStop)
        mass, ratio = effective_mass(data, k), law.damping_ratio
        values = {"stiffness": mass * frequency**2, "damping": 2.0 * ratio * mass * frequency, "tension": 0.0}
        first = int(data["contacts"]["law_params"][k])
        data["params"][first : first + StiffStop.params.size] = StiffStop.params.pack(**values)


def evaluate_start(data: SystemData) -> None:
    """Evaluate the stops and the equations of motion in the initial position, for `effective_mass`."""
    y = data.y0.copy()
    if data.rigid:
        stepping.evaluate_node.call(0.0, y, np.zeros_like(y), data.model)
    equations.rhs.call(0.0, y, np.zeros_like(y), data.model)


def effective_mass(data: SystemData, k: int) -> float:
    """Return the effective mass of contact ``k`` [kg, kg m²] at the last evaluation.

    It is that of the mechanism; that of the two bodies alone where the joints do not let the gap move.
    """
    contact, state = CONTACT(data["contacts"], k), CONTACT_STATE(data["contact_state"], k)
    direction, width = np.zeros(data.n_velocities), data.kind.n_velocities
    for side, first in enumerate((contact.velocity_a, contact.velocity_b)):
        if first >= 0:
            part = np.zeros(width)
            data.kind.contact_kernels.normal_direction.call(contact, side, state, part, data.model)
            direction[first : first + width] = part
    response = direction.copy()
    equations.respond.call(response, data.model)
    alone = float(direction @ (data["inverse_mass"] * direction))
    mobility = float(direction @ response)
    if not (math.isfinite(mobility) and mobility > 1e-9 * alone):
        mobility = alone
    return 1.0 / mobility if mobility > 0.0 else 1.0
