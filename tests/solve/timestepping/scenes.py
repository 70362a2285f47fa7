"""Models with impacts for the tests of time stepping, and what they measure of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import carom as cm

GRAVITY = 9.81
STEPPING = ("midpoint", "moreau", "theta")
Pair = Sequence[float]


def run(system: Any, t_end: float, **options: Any) -> cm.Result:
    return cm.simulate(system, t_end, method="nonsmooth", progress=False, **{"step": 1e-3, **options})


def world(gravity: Pair = (0.0, -GRAVITY)) -> cm.System:
    return cm.System(gravity=gravity, name="scene")


def disc(system: cm.System, name: str, at: Pair, radius: float = 0.1, mass: float = 1.0, **start: Any) -> cm.Body:
    """A solid disc, J = m r²/2."""
    return system.add(cm.Body(name, mass, 0.5 * mass * radius**2, position=at, **start))


def rod(system: cm.System, name: str, at: Pair, half: float, mass: float = 1.0, **start: Any) -> cm.Body:
    """A slender rod of length 2 ``half``, J = m half²/3."""
    return system.add(cm.Body(name, mass, mass * half**2 / 3.0, position=at, **start))


def block(system: cm.System, name: str, at: Pair, half: float = 0.1, mass: float = 1.0, **start: Any) -> cm.Body:
    """A square block of side 2 ``half``, J = 2 m half²/3."""
    return system.add(cm.Body(name, mass, 2.0 / 3.0 * mass * half**2, position=at, **start))


def feet(
    system: cm.System, body: cm.Body, floor: cm.Plane, impact: cm.ImpactLaw, half: float = 0.1
) -> list[cm.Contact]:
    """The two lower corners of a block on a floor."""
    return [
        system.add(cm.Contact(cm.Point(body, (x, -half)), floor, impact=impact, name=f"{body.name} {side}"))
        for x, side in ((-half, "left"), (half, "right"))
    ]


def ball_above_floor(restitution: float, height: float = 1.0, friction: float = 0.0, **start: Any) -> cm.System:
    """A disc of 0.1 m, ``height`` above the floor."""
    system = world()
    ball = disc(system, "ball", (0.0, height + 0.1), **start)
    impact = cm.ImpactLaw(restitution, friction)
    system.add(cm.Contact(cm.Sphere(ball, 0.1), cm.Plane(system.ground), impact=impact, name="floor"))
    return system


def rod_in_box(restitution: float, gravity: float = 0.0, friction: float = 0.0) -> cm.System:
    """A turning rod of 0.6 m whose two ends hit the walls of a box of 2 m."""
    system = world((0.0, -gravity))
    body = rod(system, "rod", (0.1, 0.2), 0.3, angle=0.3, velocity=(3.1, 2.3), angular_velocity=7.0)
    for end in (-0.3, 0.3):
        for k, normal in enumerate(((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))):
            wall = cm.Plane(system.ground, (-normal[0], -normal[1]), normal)
            impact, name = cm.ImpactLaw(restitution, friction), f"{'front' if end > 0.0 else 'rear'} {k}"
            system.add(cm.Contact(cm.Point(body, (end, 0.0)), wall, impact=impact, name=name))
    return system


def two_discs(impact: cm.ImpactLaw, swap: bool = False) -> cm.System:
    """Two spinning discs that meet off-centre after about 0.06 s; no forces."""
    system = cm.System(name="two discs")
    a = disc(system, "a", (-0.3, 0.0), 0.1, 1.0, velocity=(2.0, 0.0), angular_velocity=3.0)
    b = disc(system, "b", (0.1, 0.09), 0.15, 2.0, velocity=(-1.0, 0.2), angular_velocity=-5.0)
    shapes = (cm.Sphere(a, 0.1), cm.Sphere(b, 0.15))
    system.add(cm.Contact(*(shapes[::-1] if swap else shapes), impact=impact, name="touch"))
    return system


def stack(count: int, impact: cm.ImpactLaw, drop: float = 0.0) -> cm.System:
    """Square blocks of 1, 2, 3 … kg on each other, each ``drop`` above the one below."""
    system = world()
    floor = cm.Plane(system.ground)
    for k in range(count):
        body = block(system, f"block {k}", (0.0, 0.1 + 0.2 * k + drop * (k + 1)), mass=1.0 + k)
        feet(system, body, floor, impact)
        floor = cm.Plane(body, (0.0, 0.1))
    return system


def column(count: int, impact: cm.ImpactLaw) -> cm.System:
    """Discs of 1 kg on each other."""
    system = world()
    below: cm.Plane | cm.Sphere = cm.Plane(system.ground)
    for k in range(count):
        skin = cm.Sphere(disc(system, f"disc {k}", (0.0, 0.1 + 0.2 * k)), 0.1)
        system.add(cm.Contact(skin, below, impact=impact, name=f"contact {k}"))
        below = skin
    return system


def weight(system: cm.System) -> float:
    return GRAVITY * sum(body.mass for body in system.bodies)


def momentum(system: cm.System, result: cm.Result) -> np.ndarray:
    """(n, 3) momentum and moment of momentum about the origin at every node."""
    total = np.zeros((len(result.t), 3))
    for body in system.bodies:
        s = result[body]
        total[:, 0] += body.mass * s.vx
        total[:, 1] += body.mass * s.vy
        total[:, 2] += body.mass * (s.x * s.vy - s.y * s.vx) + body.inertia * s.omega
    return total


def deepest(result: cm.Result) -> float:
    """The largest overlap of any contact at any node [m]; negative: the smallest gap."""
    names = [element.name for element in result.elements if element.family == "contact"]
    return max(float(result[name].indentation.max()) for name in names)


def order(errors: Sequence[float]) -> float:
    """Return the order of convergence from the last two errors of halved steps."""
    return math.log2(errors[-2] / errors[-1])
