"""Warning of packed groups that rest on friction without a stick state, which lets them creep."""

from __future__ import annotations

import numpy as np

from carom.errors import warn
from carom.model.contact_group import ContactGroup
from carom.model.system import System
from carom.result.result import Result

MIN_COORDINATION = 1.5
"""Mean number of contacts per body from which a group is packed [-]."""
FAST = 1.0
"""Speed at which friction has its full value [m/s]."""
MAX_SHARE = 0.5
"""Share of the friction at `FAST` below which the friction at the speed of a group does not hold it [-]."""


def warn_of_creep(system: System, result: Result) -> None:
    """Warn of each large group that is at rest at the end of a run, although its friction vanishes at rest."""
    if not any(system.gravity):
        return
    for group in system.groups:
        friction = group.friction
        if friction is None or friction.has_state or result[group.name].coordination[-1] < MIN_COORDINATION:
            continue
        speed = mean_speed(system, group, result)
        limit = friction.fixed_step_coefficient(FAST)
        if limit <= 0.0:
            continue
        share = friction.fixed_step_coefficient(speed) / limit
        if share < MAX_SHARE:
            warn(
                f"{group.label}: its bodies are nearly at rest at the end (mean speed {speed:.2g} m/s), where "
                f"{type(friction).__name__} friction is regularised and has {share:.2g} of its full value: slopes "
                "creep, and walls carry less weight than by dry friction; use friction.ElastoPlastic, which sticks, "
                "with a stiffness near that of the normal force"
            )


def mean_speed(system: System, group: ContactGroup, result: Result) -> float:
    """Return the root mean square of the speeds of the bodies of ``group.shapes`` at the last node [m/s]."""
    index = {id(body): k for k, body in enumerate(system.bodies)}
    bodies = sorted({index[id(shape.body)] for shape in group.shapes if id(shape.body) in index})
    velocities = result.v[-1].reshape(len(system.bodies), -1)[bodies, : system.dim]
    return float(np.sqrt(np.mean(np.sum(velocities**2, axis=1))))
