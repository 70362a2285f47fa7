"""Default step size: a fraction of the shortest expected contact duration."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from carom.errors import ModelError
from carom.model.contact_group import ContactGroup
from carom.model.system import System

STEPS_PER_CONTACT = 30
"""Number of steps in the shortest expected contact."""
DEFAULT_SPEED = 1.0
"""Impact speed in a system without motion and gravity [m/s]."""


def default_step(system: System, groups: Sequence[ContactGroup]) -> tuple[float, float]:
    """Return the step size [s] and the impact speed [m/s] for which it is chosen."""
    speed = typical_speed(system)
    return 1.0 / STEPS_PER_CONTACT * min(shortest_contact(group, speed) for group in groups), speed


def typical_speed(system: System) -> float:
    """Return the larger of the speed after a fall through the whole system and the initial speed [m/s]."""
    positions = np.array([body.position for body in system.bodies])
    gravity = np.array(system.gravity)
    g = float(np.linalg.norm(gravity))
    height = float(np.ptp(positions @ gravity)) / g if g > 0.0 else 0.0
    initial_speed = max(float(np.linalg.norm(body.velocity)) for body in system.bodies)
    return max(math.sqrt(2.0 * g * height), initial_speed) or DEFAULT_SPEED


def shortest_contact(group: ContactGroup, speed: float) -> float:
    """Return the duration of an impact of the lightest pair or half a period of its friction, the shorter one [s]."""
    law = group.law
    if law is None:
        raise ModelError(f"{group.label}: no contact law; set law= for method='compliant'")
    lightest = min(shape.body.mass for shape in group.all_shapes if shape.body.mass > 0.0)
    mass = 0.5 * lightest if group.self_contact and len(group.shapes) > 1 else lightest
    impact = law.impact(mass, speed)
    duration = min(impact.duration, math.pi * math.sqrt(mass * impact.max_indentation / impact.peak_force))
    stiffness = 0.0 if group.friction is None else group.friction.tangential_stiffness(impact.peak_force)
    if stiffness > 0.0:  # the effective mass of a sphere that rotates as it slides is 2/7 of its mass
        duration = min(duration, math.pi * math.sqrt(2.0 / 7.0 * mass / stiffness))
    if not (math.isfinite(duration) and duration > 0.0):
        raise ModelError(
            f"{group.label}: expected contact duration must be positive and finite, got {duration:g} s; set max_step="
        )
    return duration
