"""The step of a run that was given none: a part of the shortest contact there may be."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from carom.errors import ModelError
from carom.model.group import ContactGroup
from carom.model.system import System

PART = 1.0 / 30.0
"""Of the shortest contact."""
FASTEST = 1.0
"""Speed [m/s] of contacts in a system that neither moves nor falls."""


def default_step(system: System, groups: Sequence[ContactGroup]) -> tuple[float, float]:
    """The step [s], and the speed [m/s] of the impacts it is made for."""
    speed = typical_speed(system)
    return PART * min(shortest_contact(group, speed) for group in groups), speed


def typical_speed(system: System) -> float:
    """What bodies gain when they fall through the extent of the system, or have at the start."""
    positions = np.array([body.position for body in system.bodies])
    gravity = np.array(system.gravity)
    size = float(np.linalg.norm(gravity))
    drop = float(np.ptp(positions @ gravity)) / size if size > 0.0 else 0.0
    moving = max(float(np.linalg.norm(body.velocity)) for body in system.bodies)
    return max(math.sqrt(2.0 * size * drop), moving) or FASTEST


def shortest_contact(group: ContactGroup, speed: float) -> float:
    """Duration [s] of an impact of the lightest pair, or of a swing of its friction where that is shorter."""
    law = group.law
    if law is None:
        raise ModelError(f"simulate: {group.label} has no law; give it law= for compliant runs")
    lightest = min(shape.body.mass for shape in group.shapes if shape.body.mass > 0.0)
    mass = 0.5 * lightest if group.each_other and len(group.among) > 1 else lightest
    impact = law.impact(mass, speed)
    duration = min(impact.duration, math.pi * math.sqrt(mass * impact.max_indentation / impact.peak_force))
    bristles = getattr(group.friction, "stiffness", None)
    if bristles is not None:  # balls turn as they slide: 2/7 of the mass
        duration = min(duration, math.pi * math.sqrt(2.0 / 7.0 * mass / (bristles * impact.peak_force)))
    if not (math.isfinite(duration) and duration > 0.0):
        raise ModelError(f"simulate: contacts of {group.label} have no duration to take a step from; give max_step=")
    return duration
