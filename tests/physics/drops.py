"""Models of one or two balls, and how tests look at what became of them."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

import carom as cm

GRAVITY = 9.81


class Patience:
    """A progress function that ends a run which never would, by the time of the processor, without compilation."""

    def __init__(self, seconds: float = 20.0):
        self.seconds, self.began = seconds, math.inf

    def __call__(self, fraction: float) -> None:
        self.began = min(self.began, time.process_time())
        if time.process_time() - self.began > self.seconds:
            raise AssertionError(f"no end in sight: {100.0 * fraction:.9g} % done after {self.seconds} s")


def drop(
    law: cm.laws.NormalLaw,
    height: float = 0.1,
    radius: float = 0.1,
    mass: float = 1.0,
    velocity: tuple[float, float] = (0.0, 0.0),
    spin: float = 0.0,
    gravity: float = GRAVITY,
    friction: Any = None,
) -> cm.System:
    """A ball whose lowest point is ``height`` above the floor y = 0 (negative: inside it)."""
    system = cm.System(gravity=(0.0, -gravity), name="drop")
    ball = system.add(
        cm.Body("ball", mass, 0.4 * mass * radius**2, (0.0, radius + height), 0.0, velocity, angular_velocity=spin)
    )
    system.add(cm.Contact(cm.Sphere(ball, radius), cm.Plane(system.ground), law, friction, name="floor"))
    return system


def collision(
    law: cm.laws.NormalLaw,
    gap: float = 0.01,
    speeds: tuple[float, float] = (1.0, 0.0),
    masses: tuple[float, float] = (1.0, 1.0),
    offset: float = 0.0,
    spins: tuple[float, float] = (0.0, 0.0),
    friction: Any = None,
) -> cm.System:
    """Two free balls of 0.1 m on parallel lines ``offset`` apart, the left one moving right; ``gap`` along x."""
    system = cm.System(name="collision")
    radius = 0.1
    across = math.sqrt(4.0 * radius**2 - offset**2) if offset < 2.0 * radius else 0.0
    places = ((0.0, 0.0), (across + gap, offset))
    balls = [
        system.add(cm.Body(name, mass, 0.4 * mass * radius**2, place, 0.0, (speed, 0.0), spin))
        for name, mass, place, speed, spin in zip(("left", "right"), masses, places, speeds, spins, strict=True)
    ]
    system.add(cm.Contact(*(cm.Sphere(ball, radius) for ball in balls), law, friction, name="touch"))
    return system


def relative(found: Any, expected: Any) -> float:
    """Largest relative difference."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    return float(np.max(np.abs(found / expected - 1.0)))


def resting_depth(stiffness: float, mass: float = 1.0, gravity: float = GRAVITY) -> float:
    """Indentation K δ^1.5 = m g."""
    return (mass * gravity / stiffness) ** (2.0 / 3.0)
