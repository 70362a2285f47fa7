"""Models of event-driven runs, and what every one of them must obey."""

from __future__ import annotations

from typing import Any

import numpy as np

import carom as cm
from carom import Outcome

G = 9.81


def run(system: Any, t_end: float, **options: Any) -> cm.Result:
    result = cm.simulate(system, t_end, method="nonsmooth", scheme="event-driven", **options)
    assert result.outcome is Outcome.FINISHED, result.message
    return result


def obeys_the_laws(result: cm.Result, friction: float) -> None:
    """Signorini and Coulomb at every node, and friction that only ever takes energy away, but for impacts."""
    for info in result.elements:
        if info.family != "contact":
            continue
        contact = result[info.name]
        normal, tangential, slip = contact.normal_force, contact.friction_force, contact.sliding_velocity
        small = 1e-9 * (normal.max() + 1e-12)
        assert contact.indentation.max() < 1e-11
        assert normal.min() >= -small
        assert np.all(np.abs(contact.indentation[normal > small]) < 1e-12)
        assert np.all(np.abs(tangential) <= friction * normal + small)
        assert np.all(tangential * slip <= small)
        slides = (np.abs(slip) > 1e-7) & (normal > small)
        assert np.all(np.abs(np.abs(tangential) - friction * normal)[slides] <= small)
    between = np.diff(result.t) > 0.0
    assert np.diff(result.energy.friction)[between].min() > -1e-9 * result.energy.scale
    assert result.energy.drift < 1e-7


def drop(restitution: float, height: float = 1.0, radius: float = 0.1, floor: float = 0.0) -> cm.System:
    """A ball above a floor."""
    system = cm.System(gravity=(0.0, -G), name="drop")
    ball = system.add(cm.Body("ball", 1.0, 0.004, (0.0, floor + radius + height)))
    ground = cm.Plane(system.ground, (0.0, floor))
    system.add(cm.Contact(cm.Sphere(ball, radius), ground, impact=cm.ImpactLaw(restitution), name="floor"))
    return system


def block(
    friction: float, speed: float, width: float = 0.4, height: float = 0.2, gravity: tuple[float, float] = (0.0, -G)
) -> cm.System:
    """A block of 2 kg that lies on a floor with two corners, at ``speed`` along it."""
    system = cm.System(gravity=gravity, name="block")
    inertia = 2.0 * (width**2 + height**2) / 12.0
    body = system.add(cm.Body("block", 2.0, inertia, (0.0, 0.5 * height), velocity=(speed, 0.0)))
    for name, x in (("rear", -0.5 * width), ("front", 0.5 * width)):
        corner = cm.Point(body, (x, -0.5 * height))
        system.add(cm.Contact(corner, cm.Plane(system.ground), impact=cm.ImpactLaw(0.0, friction), name=name))
    return system
